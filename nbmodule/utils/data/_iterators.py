"""What `iter(loader)` returns: the part that all iterators share, and the one without workers.

Source: https://docs.pytorch.org/docs/stable/data.html
"""

from __future__ import annotations

import warnings
from typing import Any

from ... import accelerator
from ..._dtypes import int64
from ..._factories import empty
from ._utils.fetch import _DatasetKind
from ._utils.pin_memory import pin_memory
from ._utils.position import Position
from ._utils.worker import fetch_again, own_state


class _BaseDataLoaderIter:
    """One way through the dataset of `loader`."""

    def __init__(self, loader: Any) -> None:
        self._dataset = loader.dataset
        self._shared_seed = None
        self._pg = None
        self._dataset_kind = loader._dataset_kind
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._world_size, self._rank = 1, 0
        if loader.pin_memory and loader.pin_memory_device:
            warnings.warn(
                "pin_memory_device is deprecated, the current accelerator will be used as the device,"
                f"ignore pin_memory_device='{loader.pin_memory_device}'.",
                stacklevel=2,
            )
        if loader.pin_memory and not accelerator.is_available():
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, "
                "then device pinned memory won't be used.",
                stacklevel=2,
            )
        self._pin_memory = loader.pin_memory and accelerator.is_available()
        place = accelerator.current_accelerator() if self._pin_memory else None
        self._pin_memory_device = None if place is None else place.type
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._begin(loader)
        self._persistent_workers = loader.persistent_workers
        self._num_yielded = self._position.taken
        self._profile_name = f"enumerate(DataLoader)#{self.__class__.__name__}.__next__"

    def _begin(self, loader: Any) -> None:
        """Ask the sampler for its order and draw the seed of the workers: in this order, as in PyTorch."""
        resumed = loader._resumed
        self._position = loader._position = Position(loader) if resumed is None else resumed
        if resumed is not None and (resumed.kept_workers or resumed.finished):  # no seed was drawn
            self._base_seed, self._sampler_iter = resumed.base_seed, iter(())
            return
        self._sampler_iter = iter(self._index_sampler)
        drawn = int(empty((), dtype=int64).random_(generator=loader.generator))
        self._base_seed = drawn if resumed is None else resumed.base_seed
        self._position.base_seed = self._base_seed
        self._position.draws.go_on()

    def __iter__(self) -> _BaseDataLoaderIter:
        return self

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        """Begin an epoch with the workers that are there."""
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = self._position.taken
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def _next_index(self) -> Any:
        return self._position.draws.during(next, self._sampler_iter)

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        if self._sampler_iter is None:
            self._reset()  # type: ignore[call-arg]
        data = self._next_data()
        self._num_yielded += 1
        if (
            self._dataset_kind == _DatasetKind.Iterable
            and self._IterableDataset_len_called is not None
            and self._num_yielded > self._IterableDataset_len_called
        ):
            warn_msg = (
                f"Length of IterableDataset {self._dataset} was reported to be {self._IterableDataset_len_called}"
                f"(when accessing len(dataloader)), but {self._num_yielded} samples have been fetched. "
            )
            if self._num_workers > 0:
                warn_msg += (
                    "For multiprocessing data-loading, this could be caused by not properly configuring the "
                    "IterableDataset replica at each worker. Please see "
                    "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
                )
            warnings.warn(warn_msg, stacklevel=2)
        return data

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", self.__class__.__name__)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Fetches each batch when it is asked for."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        if self._num_workers != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires num_workers == 0")
        self._dataset_fetcher = _DatasetKind.create_fetcher(
            self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last
        )  # fmt: skip
        stream = self._dataset_kind == _DatasetKind.Iterable
        self._fetches_again = stream and own_state(self._dataset) is None
        self._leave_out(self._position.taken)

    def _leave_out(self, taken: int) -> None:
        """Go on after `taken` batches: with indices nothing need be fetched, nor where a stream stands there itself."""
        indices = (self._next_index() for _ in range(taken))
        if self._fetches_again:
            for index in indices:
                self._position.draws.during(fetch_again, self._dataset_fetcher, [index])
        elif self._dataset_kind == _DatasetKind.Map:
            for _ in indices:
                pass
        elif taken:
            self._dataset_fetcher.ended = self._position.ended

    def _next_data(self) -> Any:
        position = self._position
        try:
            index = self._next_index()
            position.taken += 1
            if self._fetches_again:
                data = position.draws.during(self._dataset_fetcher.fetch, index)
            else:
                data = self._dataset_fetcher.fetch(index)
            position.ended = self._dataset_fetcher.ended
        except StopIteration:
            position.finished = True
            raise
        return pin_memory(data, self._pin_memory_device) if self._pin_memory else data
