"""What a worker does: it waits for indices, fetches what they stand for, and hands it over, until it is told to stop.

PyTorch's workers are processes; these are threads. NumPy lets other threads run while it computes, reads and copies, so
they overlap; pure Python code of a dataset does not get faster by them. See docs/decisions/0018-workers-are-threads.md.

Source: https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...._generator import Generator, Stream, draws_from
from ...._utils import ExceptionWrapper
from ....autograd.grad_mode import set_grad_enabled
from .fetch import _DatasetKind


@dataclass(frozen=True, slots=True)
class _RNG:
    """A worker's own generators of random numbers.

    `random` and `numpy.random` as such are shared by all threads, so their numbers depend on which worker is first.

    Attributes:
        random_generator: in the place of `random`.
        torch_generator: the one that `nbmodule.rand` and the others draw from in this worker.
        numpy_generator: in the place of `numpy.random`.
    """

    random_generator: random.Random
    torch_generator: Generator
    numpy_generator: object | None = None


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What a worker knows about itself; see `get_worker_info`.

    Attributes:
        id: its number, from 0.
        num_workers: how many there are.
        seed: what its random numbers start from: the loader's base seed plus `id`.
        dataset: its own copy of the dataset.
        rng: its own generators of random numbers.
        worker_method: "thread".
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: _RNG | None = None
    worker_method: str | None = "thread"


class _Here(threading.local):
    """What belongs to the thread that asks."""

    worker_info: WorkerInfo | None = None


_HERE = _Here()


def get_worker_info() -> WorkerInfo | None:
    """Return what the worker that asks is: its `id`, `num_workers`, `seed`, `dataset` and `rng`; None elsewhere.

    An `IterableDataset` finds out here which part of the stream this copy of it has to give; a `worker_init_fn`, which
    dataset to set up.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info

    Example:
        >>> from nbmodule.utils.data import DataLoader, IterableDataset, get_worker_info
        >>> class Count(IterableDataset):
        ...     def __iter__(self):
        ...         worker = get_worker_info()
        ...         return iter(range(worker.id, 6, worker.num_workers))
        >>> list(DataLoader(Count(), batch_size=None, num_workers=2))
        [0, 1, 2, 3, 4, 5]
    """
    return _HERE.worker_info


class _Worker(threading.Thread):
    """The thread of a worker; it never keeps the program from ending."""

    def __init__(self, worker_id: int, *args: Any) -> None:
        super().__init__(target=_worker_loop, args=args, name=f"DataLoader worker {worker_id}", daemon=True)  # fmt: skip

    @property
    def pid(self) -> int | None:
        """The number that the system gave to the thread."""
        return self.native_id

    @property
    def exitcode(self) -> int | None:
        """None until the thread has ended, then 0."""
        return None if self.is_alive() else 0

    def terminate(self) -> None:
        """Do nothing: nobody can end a thread from outside. It ends with its iterator."""


@dataclass(frozen=True)
class _IterableDatasetStopIteration:
    """Says that the stream of a worker has come to its end."""

    worker_id: int


@dataclass(frozen=True)
class _ResumeIteration:
    """Says that workers that are kept shall begin another epoch."""

    seed: int | None = None


@dataclass(frozen=True)
class _WorkerExit:
    """Says that a worker ended untold, and by what: `sys.exit` for example."""

    error: BaseException


@dataclass
class _Left:
    """Where a worker was left in a run that is resumed; see `position`.

    Attributes:
        epoch_stream: where its random numbers stood when the epoch began.
        skip: the indices of batches of a stream that were fetched since then.
        stream: where its random numbers stood after them.
        dataset: what the `state_dict` of its dataset was then.
        ended: whether the last batch was not full, so that nothing comes after it.
    """

    epoch_stream: Any
    skip: list[Any]
    stream: Any
    dataset: Any
    ended: bool


def own_state(thing: Any) -> Any:
    """Return the `state_dict` of what has one and can load it, None otherwise."""
    if hasattr(thing, "state_dict") and hasattr(thing, "load_state_dict"):
        return thing.state_dict()
    return None


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Return four words that differ for each seed and worker, to start NumPy's generator from."""
    entropy = [worker_id, base_seed & 0xFFFF_FFFF, base_seed >> 32, 0]
    return np.random.SeedSequence(entropy).generate_state(4).tolist()


def _worker_loop(dataset_kind, dataset, index_queue, data_queue, done_event, auto_collation, collate_fn, drop_last, base_seed, init_fn, worker_id, num_workers, persistent_workers, shared_seed, grad_enabled=True, left=None) -> None:  # fmt: skip
    """Run a worker: seed its random numbers, set it up, and serve until None comes from `index_queue`."""
    seed = base_seed + worker_id
    own = Generator().manual_seed(seed)
    numpy_generator = np.random.default_rng(_generate_state(base_seed, worker_id))
    _HERE.worker_info = WorkerInfo(
        worker_id, num_workers, seed, dataset, _RNG(random.Random(seed), own, numpy_generator)
    )

    def make_fetcher() -> Any:
        return _DatasetKind.create_fetcher(dataset_kind, dataset, auto_collation, collate_fn, drop_last)  # fmt: skip

    with draws_from(own), set_grad_enabled(grad_enabled):
        fetcher = _set_up(make_fetcher, own._stream, init_fn, worker_id, left)
        _serve(fetcher, make_fetcher, own._stream, dataset_kind, dataset, index_queue, data_queue, done_event, worker_id)  # fmt: skip


def _set_up(make_fetcher: Any, stream: Stream, init_fn: Any, worker_id: int, left: _Left | None) -> Any:  # fmt: skip
    """Return the fetcher, or what went wrong, for the first batch to raise."""
    try:
        if init_fn is not None:
            init_fn(worker_id)
        return make_fetcher() if left is None else _take_up(make_fetcher, stream, left)
    except Exception:
        return ExceptionWrapper(where=f"in DataLoader worker process {worker_id}")
    except BaseException as error:
        return _WorkerExit(error)


def _take_up(make_fetcher: Any, stream: Stream, left: _Left) -> Any:
    """Return the fetcher where it was left: with the dataset's own state, or after fetching again what was fetched."""
    info = get_worker_info()
    if left.epoch_stream is not None:
        stream.__setstate__(left.epoch_stream)
    if left.dataset is not None and info is not None:
        info.dataset.load_state_dict(left.dataset)
    fetcher = make_fetcher()
    if left.dataset is None:
        fetch_again(fetcher, left.skip)
    elif left.ended:
        fetcher.ended = True
    if left.stream is not None:
        stream.__setstate__(left.stream)
    return fetcher


def fetch_again(fetcher: Any, indices: Any) -> None:
    """Fetch what was fetched before, for its side effects; what failed then may fail again."""
    for index in indices:
        try:
            fetcher.fetch(index)
        except Exception:
            continue


def _serve(fetcher, make_fetcher, stream, dataset_kind, dataset, index_queue, data_queue, done_event, worker_id) -> None:  # fmt: skip
    """Fetch what is asked for. With each answer goes where the worker stands after it, for `DataLoader.state_dict`."""
    ended = False  # this epoch's stream is exhausted
    data: Any

    def stands() -> tuple[Any, Any]:
        return None if stream.twister is None else stream.__getstate__(), own_state(dataset)

    while (task := index_queue.get()) is not None:
        if isinstance(task, _ResumeIteration):
            data_queue.put((task, (worker_id, *stands())))
            ended, fetcher = False, _set_up(make_fetcher, stream, None, worker_id, None)
            continue
        if ended or done_event.is_set():
            continue
        number, index = task
        if isinstance(fetcher, (ExceptionWrapper, _WorkerExit)):
            data = fetcher
        else:
            try:
                data = fetcher.fetch(index)
            except Exception as error:
                if isinstance(error, StopIteration) and dataset_kind == _DatasetKind.Iterable:
                    data = _IterableDatasetStopIteration(worker_id)
                    ended = True
                else:
                    data = ExceptionWrapper(where=f"in DataLoader worker process {worker_id}")
            except BaseException as error:
                data = _WorkerExit(error)
        data_queue.put((number, (data, *stands(), getattr(fetcher, "ended", False))))
        if isinstance(data, _WorkerExit):
            return
        del data, number, index, task  # a batch is freed when its reader is done with it
