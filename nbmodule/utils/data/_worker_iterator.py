"""What `iter(loader)` returns if there are workers: it hands out indices ahead of time and collects batches in order.

Tasks are numbered. They go to the workers in turn; an answer that comes too early waits in `_task_info`. Workers know
the queues but not the iterator: when it is dropped it ends them.

Source: https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from __future__ import annotations

import itertools
import queue
import sys
import threading
from typing import Any

from ..._engine import is_grad_enabled
from ..._utils import ExceptionWrapper
from ._iterators import _BaseDataLoaderIter
from ._utils import MP_STATUS_CHECK_INTERVAL
from ._utils.fetch import _DatasetKind
from ._utils.pin_memory import pin_memory
from ._utils.private import private
from ._utils.worker import _IterableDatasetStopIteration, _ResumeIteration, _Worker, _WorkerExit


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
        self._worker_result_queue = self._data_queue = queue.SimpleQueue()
        self._shutdown = False
        self._workers_done_event = threading.Event()
        self._index_queues: list[queue.SimpleQueue[Any]] = []
        self._workers: list[_Worker] = []
        for worker_id in range(self._num_workers):
            self._start_worker(worker_id, loader)
        self._reset(loader, first_iter=True)

    def _start_worker(self, worker_id: int, loader: Any) -> None:
        """Start a worker with a dataset of its own."""
        dataset, collate_fn, init_fn = private((self._dataset, self._collate_fn, self._worker_init_fn), {})  # fmt: skip
        left = None
        if loader._resumed is not None:
            stream = self._dataset_kind == _DatasetKind.Iterable
            index = ([None] * loader.batch_size if self._auto_collation else None) if stream else ...
            left = loader._resumed.workers[worker_id].left(index, loader._resumed.finished)
        index_queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        worker = _Worker(
            worker_id, self._dataset_kind, dataset, index_queue, self._worker_result_queue, self._workers_done_event,
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
        self._send_idx = 0  # the number of the next task
        self._rcvd_idx = 0  # the number of the next batch to hand out
        self._task_info: dict[int, tuple[Any, ...]] = {}  # number -> (worker,) or (worker, answer)
        self._tasks_outstanding = 0  # those without an answer
        self._workers_status = [True] * self._num_workers  # whose stream is not exhausted
        self._workers_num_tasks = [0] * self._num_workers  # given out, not handed out yet
        turns = itertools.cycle(range(self._num_workers))
        self._worker_queue_idx_cycle = itertools.islice(turns, position.next_worker, None)
        if not first_iter:
            self._resume_workers()
        for _ in range(self._prefetch_factor * self._num_workers):
            self._try_put_index()

    def _resume_workers(self) -> None:
        """Tell workers that are kept to begin again; what they still say about the last epoch is dropped."""
        for index_queue in self._index_queues:
            index_queue.put(_ResumeIteration(self._shared_seed))
        waiting = self._num_workers
        while waiting:
            waiting -= isinstance(self._get_data()[0], _ResumeIteration)

    def _try_get_data(self, timeout: float = MP_STATUS_CHECK_INTERVAL) -> tuple[bool, Any]:
        """Return whether a worker answered within `timeout` seconds, and its answer.

        Raises:
            RuntimeError: a worker has ended, by `sys.exit` for example.
        """
        try:
            data = self._data_queue.get(timeout=timeout)
        except queue.Empty:
            gone = [i for i, w in enumerate(self._workers) if self._workers_status[i] and not w.is_alive()]  # fmt: skip
            if gone:  # none is left in the child of a fork
                self._lose(gone, None)
            return False, None
        if isinstance(data[0], _WorkerExit):
            self._lose([data[0].worker_id], data[0].error)
        return True, data

    def _lose(self, worker_ids: list[int], error: BaseException | None) -> None:
        for worker_id in worker_ids:
            self._mark_worker_as_unavailable(worker_id)
        pids = ", ".join(str(self._workers[i].pid) for i in worker_ids)
        raise RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly") from error

    def _get_data(self) -> Any:
        """Wait for an answer, for `timeout` seconds if that is not 0."""
        if self._timeout > 0:
            success, data = self._try_get_data(self._timeout)
            if not success:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
            return data
        while True:
            success, data = self._try_get_data()
            if success:
                return data

    def _next_data(self) -> Any:
        while True:
            self._pass_over_exhausted()
            if len(self._task_info[self._rcvd_idx]) == 2:  # it came too early, and waited
                worker_id, answer = self._task_info.pop(self._rcvd_idx)
                self._rcvd_idx += 1
                return self._process_data(answer, worker_id)
            if self._shutdown or self._tasks_outstanding <= 0:
                raise AssertionError(
                    "Invalid iterator state: shutdown or no outstanding tasks when fetching next data"
                )
            number, answer = self._get_data()
            self._tasks_outstanding -= 1
            if isinstance(answer[0], _IterableDatasetStopIteration):
                self._exhaust(answer)
            elif number == self._rcvd_idx:
                self._rcvd_idx += 1
                return self._process_data(answer, self._task_info.pop(number)[0])
            elif not self._in_order:
                return self._process_data(answer, self._task_info.pop(number)[0])
            else:
                self._task_info[number] += (answer,)

    def _pass_over_exhausted(self) -> None:
        """Go on to the first task that has an answer or a worker that may answer.

        Raises:
            StopIteration: there is none.
        """
        while self._rcvd_idx < self._send_idx:
            info = self._task_info.get(self._rcvd_idx)
            if info:
                if len(info) == 2 or self._workers_status[info[0]]:
                    return
                del self._task_info[self._rcvd_idx]
            self._rcvd_idx += 1
        self._position.finish()
        if not self._persistent_workers:
            self._shutdown_workers()
        raise StopIteration

    def _exhaust(self, answer: tuple[Any, ...]) -> None:
        """Give a worker whose stream has ended no more tasks; another one gets the next."""
        worker_id = answer[0].worker_id
        self._position.workers[worker_id].end = answer[1:]
        if self._persistent_workers:
            self._workers_status[worker_id] = False
        else:
            self._mark_worker_as_unavailable(worker_id)
        self._try_put_index()

    def _try_put_index(self) -> None:
        """Give the next task to the worker whose turn it is."""
        max_tasks = self._prefetch_factor * self._num_workers
        if self._tasks_outstanding >= max_tasks:
            raise AssertionError("Number of outstanding tasks exceeded maximum allowed tasks")
        try:
            index = self._next_index()
        except StopIteration:
            return
        for _ in range(self._num_workers):
            worker_id = next(self._worker_queue_idx_cycle)
            if self._workers_status[worker_id] and (
                self._in_order
                or self._workers_num_tasks[worker_id] < max_tasks // sum(self._workers_status)
            ):
                break
        else:
            return
        self._index_queues[worker_id].put((self._send_idx, index))
        self._task_info[self._send_idx] = (worker_id,)
        self._workers_num_tasks[worker_id] += 1
        self._tasks_outstanding += 1
        self._send_idx += 1

    def _process_data(self, answer: tuple[Any, ...], worker_id: int) -> Any:
        data, *stands = answer
        self._workers_num_tasks[worker_id] -= 1
        self._position.take(worker_id, *stands)
        self._try_put_index()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return pin_memory(data, self._pin_memory_device) if self._pin_memory else data

    def _mark_worker_as_unavailable(self, worker_id: int, shutdown: bool = False) -> None:
        """Let a worker end: its stream has ended, or all is over."""
        if not (self._workers_status[worker_id] or self._persistent_workers or shutdown):
            raise AssertionError("Worker status inconsistent when marking worker as unavailable")
        self._index_queues[worker_id].put(None)
        self._workers_status[worker_id] = False

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
