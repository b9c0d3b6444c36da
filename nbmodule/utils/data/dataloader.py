"""`DataLoader`: which samples make a batch, and in which order batches come.

What happens while one iterates is in `_iterators.py` and `_worker_iterator.py`.

Source: https://docs.pytorch.org/docs/stable/data.html
"""

from __future__ import annotations

import contextlib
import math
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from ..._generator import Generator
from ..._utils import ExceptionWrapper as ExceptionWrapper
from ..._utils import cpu_count
from . import _utils as _utils
from ._iterators import _BaseDataLoaderIter, _SingleProcessDataLoaderIter
from ._utils.checks import (
    check_order_options,
    check_stream_options,
    check_worker_options,
    checked_context,
    checked_position,
)
from ._utils.collate import default_collate, default_convert
from ._utils.fetch import _DatasetKind
from ._utils.position import Position, generators_of
from ._utils.worker import get_worker_info, own_state
from ._worker_iterator import _MultiProcessingDataLoaderIter
from .dataset import Dataset, IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)
_worker_init_fn_t = Callable[[int], Any]
_collate_fn_t = Callable[[list[_T]], Any]

_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _InfiniteConstantSampler(Sampler):
    """None without end: an iterable dataset is asked for the next sample, not for one by its index."""

    def __iter__(self) -> Any:
        while True:
            yield None


class DataLoader(Generic[_T_co]):
    """The batches of a dataset, to iterate over, as often as one likes.

    Args:
        dataset: a `Dataset` with ``dataset[i]`` and a length, or an `IterableDataset`.
        batch_size: how many samples make a batch; None: samples come one by one, not collated.
        shuffle: whether each epoch has a new random order.
        sampler: the order of the indices, anything to iterate over, instead of `shuffle`.
        batch_sampler: gives a list of indices for each batch, instead of `batch_size`, `shuffle`, `sampler` and
            `drop_last`.
        num_workers: how many threads fetch batches ahead of time; 0: each is fetched when it is asked for.
        collate_fn: makes a batch of a list of samples; `default_collate` if None (`default_convert` for single ones).
        pin_memory: whether batches go to memory that a GPU reads from; without a GPU there is a warning.
        drop_last: whether a last batch that is not full is left out.
        timeout: so many seconds a batch may take with workers; 0: as long as it likes.
        worker_init_fn: called in each worker with the number of the worker, before it fetches anything.
        multiprocessing_context: is checked as in PyTorch; workers are threads all the same.
        generator: draws the order and the workers' base seed; the default generator if None.
        prefetch_factor: how many batches each worker fetches ahead, 2 if None.
        persistent_workers: whether the workers, and their copies of the dataset, are kept from epoch to epoch.
        pin_memory_device: deprecated, without effect.
        in_order: whether batches come in the order of the sampler; False: as soon as a worker has them.

    Workers are threads, each with a copy of the dataset that shares large arrays with the original, and with its own
    random numbers: ``nbmodule.rand`` draws in worker ``i`` what it draws in PyTorch's, from ``base_seed + i``.
    (Python's `random` and `numpy.random` are shared by all threads: in a worker, `get_worker_info` has one of each.) An
    exception in a worker is raised here, with the same type and the worker's traceback as its message.

    Raises:
        ValueError: options that exclude one another, or are negative.
        TypeError: `multiprocessing_context` is no context.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader

    Example:
        >>> import nbmodule
        >>> from nbmodule.utils.data import DataLoader, TensorDataset
        >>> data = TensorDataset(nbmodule.arange(5.0), nbmodule.arange(5) ** 2)
        >>> for x, y in DataLoader(data, batch_size=2):
        ...     print(x, y)
        tensor([0., 1.]) tensor([0, 1])
        tensor([2., 3.]) tensor([4, 9])
        tensor([4.]) tensor([16])
    """

    dataset: Any  # its length and its own attributes are asked for, which not every dataset has
    batch_size: int | None
    num_workers: int
    pin_memory: bool
    drop_last: bool
    timeout: float
    sampler: Sampler | Iterable
    pin_memory_device: str
    prefetch_factor: int | None
    _iterator: _BaseDataLoaderIter | None
    __initialized = False
    _position: Position | None = None
    _resumed: Position | None = None

    def __init__(
        self,
        dataset: Dataset[_T_co] | Sequence[_T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable | None = None,
        batch_sampler: Sampler[list] | Iterable[list] | None = None,
        num_workers: int = 0,
        collate_fn: _collate_fn_t | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: _worker_init_fn_t | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        check_worker_options(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._dataset_kind = _DatasetKind.Map
        if isinstance(dataset, IterableDataset):
            self._dataset_kind = _DatasetKind.Iterable
            check_stream_options(shuffle, sampler, batch_sampler)
        check_order_options(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if sampler is None:
            sampler = self._usual_sampler(bool(shuffle), generator)
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called: int | None = None
        self._iterator = None
        self.check_worker_number_rationality()

    def _usual_sampler(self, shuffle: bool, generator: Generator | None) -> Sampler:
        if self._dataset_kind == _DatasetKind.Iterable:
            return _InfiniteConstantSampler()
        return RandomSampler(self.dataset, generator=generator) if shuffle else SequentialSampler(self.dataset)  # type: ignore[arg-type] # fmt: skip

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    @property
    def multiprocessing_context(self) -> Any:
        """How PyTorch would start workers; without effect, as workers are threads."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, multiprocessing_context: Any) -> None:
        if multiprocessing_context is not None:
            multiprocessing_context = checked_context(multiprocessing_context, self.num_workers)
        self.__multiprocessing_context = multiprocessing_context

    def __setattr__(self, attr: str, val: Any) -> None:
        if self.__initialized and attr in _FIXED:
            raise ValueError(
                f"{attr} attribute should not be set after {self.__class__.__name__} is initialized"
            )
        super().__setattr__(attr, val)

    def __iter__(self) -> _BaseDataLoaderIter:
        resumed = self._resumed
        if resumed is None:
            return self._new_epoch()
        try:
            with contextlib.nullcontext() if resumed.finished else resumed.replaying(self):
                return self._new_epoch()
        finally:
            self._resumed = None

    def _new_epoch(self) -> _BaseDataLoaderIter:
        """Return an iterator: a new one, or the one whose workers are kept, begun again."""
        if not (self.persistent_workers and self.num_workers > 0):
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        """What gives the indices: of a batch, or of a sample where samples are not collated."""
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self) -> int:
        if self._dataset_kind != _DatasetKind.Iterable:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn if there are more workers than processors."""
        if not self.num_workers or self.num_workers == 0:
            return
        available = cpu_count()
        if available is not None and self.num_workers <= available:
            return
        suggestion = (
            "DataLoader is not able to compute a suggested max number of worker in current system."
        )
        if available is not None:
            aside = "" if hasattr(os, "sched_getaffinity") else " (`cpuset` is not taken into account)"  # fmt: skip
            suggestion = (
                f"Our suggested max number of worker in current system is {available}{aside}, which is smaller "
                "than what this DataLoader is going to create."
            )
        warnings.warn(
            f"This DataLoader will create {self.num_workers} worker processes in total. {suggestion} "
            "Please be aware that excessive worker creation might get DataLoader running slow or even freeze, "
            "lower the worker number to avoid potential slowness/freeze if necessary.",
            stacklevel=2,
        )

    def state_dict(self) -> dict[str, Any]:
        """Return how far the latest iteration has come, as a nest that can be saved.

        PyTorch's loader has no such method; this one is named after torchdata's `StatefulDataLoader`. A dataset or a
        sampler that has `state_dict` and `load_state_dict` itself is asked, too.

        Raises:
            ValueError: ``in_order=False``: what comes next depends on time.

        Source: https://docs.pytorch.org/data/main/torchdata.stateful_dataloader.html

        Example:
            >>> from nbmodule.utils.data import DataLoader
            >>> loader = DataLoader(range(8), batch_size=2, shuffle=True)
            >>> batches = iter(loader)
            >>> first, state = next(batches), loader.state_dict()
            >>> rest = list(batches)
            >>> again = DataLoader(range(8), batch_size=2, shuffle=True)
            >>> again.load_state_dict(state)
            >>> [a.equal(b) for a, b in zip(rest, again, strict=True)]
            [True, True, True]
        """
        if not self.in_order:
            raise ValueError("state_dict: with in_order=False the order of batches cannot be repeated")  # fmt: skip
        position = self._resumed or self._position
        if position is not None and position.finished and not self.persistent_workers:
            position = None  # the next epoch begins as any other
        return {
            "num_workers": self.num_workers,
            "batch_size": self.batch_size,
            "generators": [g.get_state() for g in generators_of(self)],
            "sampler": own_state(self._index_sampler),
            "dataset": None if self.num_workers else own_state(self.dataset),
            "epoch": None if position is None else position.plain(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where `state_dict` was taken: the next ``iter(loader)`` yields the batches that were left.

        Random numbers of the program are left as they are; they have to be put back where they stood, too.

        Args:
            state_dict: from the same kind of loader: the same dataset, samplers, batch size and number of workers.

        Raises:
            ValueError: it is from another kind of loader, and nothing is changed.

        Source: https://docs.pytorch.org/data/main/torchdata.stateful_dataloader.html

        Example:
            >>> from nbmodule.utils.data import DataLoader
            >>> loader = DataLoader(range(4), batch_size=2)
            >>> _, state = next(iter(loader)), loader.state_dict()
            >>> loader.load_state_dict(state)
            >>> list(loader), list(loader)
            ([tensor([2, 3])], [tensor([0, 1]), tensor([2, 3])])
        """
        resumed = checked_position(self, state_dict)
        if isinstance(self._iterator, _MultiProcessingDataLoaderIter):
            self._iterator._shutdown_workers()
        self._iterator = None
        for generator, state in zip(generators_of(self), state_dict["generators"], strict=True):
            generator.set_state(state)
        if state_dict["dataset"] is not None:
            self.dataset.load_state_dict(state_dict["dataset"])  # type: ignore[attr-defined]
        if state_dict["sampler"] is not None:
            self._index_sampler.load_state_dict(state_dict["sampler"])
        self._position, self._resumed = None, resumed
