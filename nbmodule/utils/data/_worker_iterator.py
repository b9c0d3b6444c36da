"""What `iter(loader)` returns if there are workers: it hands out indices ahead of time and collects batches in order.

Tasks are numbered and go to the workers in turn. `_task_info` holds those that are not handed out yet, in order: an
answer that comes too early waits there. Workers know the queues but not the iterator: when it is dropped, it ends them.

Source: https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import queue
import sys
import threading
from typing import Any, NoReturn

from ..._engine import is_grad_enabled
from ..._forks import lock_of_object
from ..._utils import ExceptionWrapper
from ._iterators import _BaseDataLoaderIter
from ._utils import MP_STATUS_CHECK_INTERVAL
from ._utils.fetch import _DatasetKind
from ._utils.pin_memory import pin_memory
from ._utils.private import private
from ._utils.worker import _IterableDatasetStopIteration, _ResumeIteration, _Worker, _WorkerExit


class _Answers:
    """A queue whose first item is looked at before it is dropped."""

    def __init__(self) -> None:
        self._items: collections.deque[Any] = collections.deque()
        self._bells: queue.SimpleQueue[None] = queue.SimpleQueue()  # one for each item, or less

    def put(self, item: Any) -> None:
        self._items.append(item)
        self._bells.put(None)

    def first(self, timeout: float) -> Any:
        """Return the first item, which stays; wait for it.

        Raises:
            queue.Empty: nothing came within `timeout` seconds.
        """
        while not self._items:
            self._bells.get(timeout=timeout)
        return self._items[0]

    def drop(self) -> None:
        """Drop the first item, and its bell if it did not ring yet."""
        self._items.popleft()
        with contextlib.suppress(queue.Empty):
            self._bells.get_nowait()


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Lets workers fetch the batches, `prefetch_factor` ahead for each of them."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        self._prefetch_factor = loader.prefetch_factor
        self._in_order = loader.in_order
        if self._num_workers <= 0:
            raise AssertionError("num_workers must be greater than 0 for MultiProcessingDataLoaderIter")  # fmt: skip
        if self._prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")  # fmt: skip
        self._worker_init_fn = loader.worker_init_fn
        self._answers = _Answers()
        self._shutdown = False
        self._turn = lock_of_object()  # threads may take batches from one iterator
        self._workers_done_event = threading.Event()
        self._index_queues: list[queue.SimpleQueue[Any]] = []
        self._workers: list[_Worker] = []
        self._task_info: dict[int, tuple[Any, ...]] = {}  # number -> (worker,) or (worker, answer)
        self._send_idx = 0  # the number of the next task
        for worker_id in range(self._num_workers):
            self._start_worker(worker_id, loader)
        self._reset(loader, first_iter=True)

    def _start_worker(self, worker_id: int, loader: Any) -> None:
        """Start a worker with a dataset of its own."""
        dataset, collate_fn, init_fn = private((self._dataset, self._collate_fn, self._worker_init_fn), {})  # fmt: skip
        left = None
        if loader._resumed is not None:
            stream = self._dataset_kind == _DatasetKind.Iterable
            index = (
                ([None] * loader.batch_size if self._auto_collation else None) if stream else ...
            )
            left = loader._resumed.workers[worker_id].left(index, loader._resumed.finished)
        index_queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        worker = _Worker(
            worker_id, self._dataset_kind, dataset, index_queue, self._answers, self._workers_done_event,
            self._auto_collation, collate_fn, self._drop_last, self._base_seed, init_fn, worker_id, self._num_workers,
            self._persistent_workers, self._shared_seed, is_grad_enabled(), left,
        )  # fmt: skip
        worker.start()
        self._index_queues.append(index_queue)
        self._workers.append(worker)

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        position = self._position
        if not first_iter or position.finished:
            position.begin_epoch(loader, kept_workers=True)
        super()._reset(loader, first_iter)
        for _ in range(position.taken):
            self._next_index()
        self._task_info.clear()
        self._workers_status = [True] * self._num_workers  # whose stream is not exhausted
        turns = itertools.cycle(range(self._num_workers))
        self._worker_queue_idx_cycle = itertools.islice(turns, position.next_worker, None)
        if not first_iter:
            self._resume_workers()
        self._fill()

    def _resume_workers(self) -> None:
        """Tell the workers that are kept to begin again, and wait until each has left the last epoch."""
        self._check_alive()
        again = _ResumeIteration(self._shared_seed)
        for index_queue in self._index_queues:
            index_queue.put(again)
        waiting = self._num_workers
        while waiting:
            said, stands = self._get_data()
            if said is again:  # anything else is about tasks that are forgotten
                worker_id, stream, dataset = stands
                worker = self._position.workers[worker_id]
                worker.stream, worker.epoch_stream, worker.dataset = stream, stream, dataset
                waiting -= 1
            self._answers.drop()

    def _fill(self) -> None:
        """Hand out indices until `prefetch_factor` batches for each worker are on their way."""
        while len(self._task_info) < self._prefetch_factor * self._num_workers:
            if not self._try_put_index():
                return

    def _try_put_index(self) -> bool:
        """Give the next index to the worker whose turn it is; return False if there is no index, or no worker."""
        try:
            index = self._next_index()
        except StopIteration:
            return False
        for _ in range(self._num_workers):
            worker_id = next(self._worker_queue_idx_cycle)
            if self._workers_status[worker_id] and (self._in_order or self._has_room(worker_id)):
                break
        else:
            return False
        self._task_info[self._send_idx] = (worker_id,)
        self._index_queues[worker_id].put((self._send_idx, index))
        self._send_idx += 1
        return True

    def _has_room(self, worker_id: int) -> bool:
        """Return whether a worker has less than its share of the tasks."""
        tasks = sum(info[0] == worker_id for info in self._task_info.values())
        return tasks < self._prefetch_factor * self._num_workers // sum(self._workers_status)

    def _next_data(self) -> Any:
        with self._turn:
            while True:
                self._fill()
                number = self._next_number()
                if number is not None:
                    return self._process_data(*self._task_info.pop(number))
                if not self._task_info:
                    self._position.finish()
                    if not self._persistent_workers:
                        self._shutdown_workers()
                    raise StopIteration
                self._receive()

    def _next_number(self) -> int | None:
        """Return the task whose batch is to be handed out, None if that is not there yet."""
        for number, info in self._task_info.items():
            if len(info) == 2:
                return number
            if self._in_order:
                break
        return None

    def _receive(self) -> None:
        """Wait for an answer and note it; what is noted before it is dropped survives an interruption."""
        number, answer = self._get_data()
        if number in self._task_info:
            worker_id, data = self._task_info[number][0], answer[0]
            if isinstance(data, _IterableDatasetStopIteration):
                self._position.workers[worker_id].end = answer[1:]
            else:
                self._task_info[number] = (worker_id, answer)
            if isinstance(data, (_IterableDatasetStopIteration, _WorkerExit)):
                self._mark_worker_as_unavailable(worker_id)
        self._answers.drop()

    def _get_data(self) -> Any:
        """Wait for an answer, for `timeout` seconds if that is not 0, and return it without dropping it.

        Raises:
            RuntimeError: it took too long, or a worker is gone.
        """
        while True:
            try:
                return self._answers.first(self._timeout or MP_STATUS_CHECK_INTERVAL)
            except queue.Empty:
                if self._timeout > 0:
                    raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds") from None  # fmt: skip
                self._check_alive()

    def _check_alive(self) -> None:
        """Raise a RuntimeError if workers are gone, as all are in the child of a fork."""
        expected = [i for i in range(self._num_workers) if self._workers_status[i]]
        gone = [i for i in expected if not self._workers[i].is_alive()]
        if gone:
            self._lose(gone, None)

    def _lose(self, worker_ids: list[int], error: BaseException | None) -> NoReturn:
        for worker_id in worker_ids:
            self._mark_worker_as_unavailable(worker_id)
        pids = ", ".join(str(self._workers[i].pid) for i in worker_ids)
        raise RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly") from error

    def _process_data(self, worker_id: int, answer: tuple[Any, ...]) -> Any:
        data, *stands = answer
        self._position.take(worker_id, *stands)
        self._fill()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        if isinstance(data, _WorkerExit):
            self._lose([worker_id], data.error)
        return pin_memory(data, self._pin_memory_device) if self._pin_memory else data

    def _mark_worker_as_unavailable(self, worker_id: int) -> None:
        """Expect no more of a worker in this epoch: its stream is exhausted, or it is gone."""
        self._workers_status[worker_id] = False
        for number, info in list(self._task_info.items()):
            if info == (worker_id,):
                del self._task_info[number]
        if not self._persistent_workers:
            self._index_queues[worker_id].put(None)

    def _shutdown_workers(self) -> None:
        """End the workers, and wait until each has finished what it is fetching, some seconds at most."""
        if sys is None or sys.is_finalizing() or getattr(self, "_shutdown", True):
            return
        self._shutdown = True
        self._workers_done_event.set()
        for index_queue in self._index_queues:
            index_queue.put(None)
        for worker in self._workers:
            if worker is not threading.current_thread():
                worker.join(timeout=MP_STATUS_CHECK_INTERVAL)

    def __del__(self) -> None:
        self._shutdown_workers()
