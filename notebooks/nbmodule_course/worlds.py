"""Replicas in one process: each has a thread, and one of them runs at a time.

    def work(world):
        return world.allreduce(np.array([world.rank + 1.0]))

    run_replicas(2, work)  # [array([3.]), array([3.])]

A replica runs until it waits for the others or has finished. So the order is the same at every run, and when all
wait for each other, that is an error and not a program that stands still.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from ctypes import c_ulong, py_object, pythonapi
from typing import Any

import numpy as np

from .wording import UsageError

MOST = 64


class World:
    """What a replica knows of the others.

    Attributes:
        rank: the number of this replica, from 0.
        size: how many replicas there are.
        messages: how many this replica has sent so far.
    """

    def __init__(self, rank: int, room: _Room) -> None:
        self.rank, self.size, self.messages, self._room = rank, room.size, 0, room

    def allreduce(self, array: Any) -> np.ndarray:
        """Return the sum of the arrays that all replicas have sent; each of them waits here for the others."""
        return self._meet("allreduce", array)

    def broadcast(self, array: Any) -> np.ndarray:
        """Return the array that replica 0 has sent; each of them waits here for the others."""
        return self._meet("broadcast", array)

    def _meet(self, what: str, array: Any) -> np.ndarray:
        self.messages += 1
        return self._room.meet(self.rank, what, np.array(array))

    def __repr__(self) -> str:
        return f"<replica {self.rank} of {self.size}>"


class _Room:
    """Where replicas meet; whoever has the turn runs, and all others wait."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.turns = [threading.Semaphore(0) for _ in range(size)]
        self.running = list(range(size))
        self.sent: dict[int, tuple[str, np.ndarray]] = {}
        self.answers: dict[int, np.ndarray] = {}
        self.broken: BaseException | None = None
        self.over = threading.Event()

    def meet(self, rank: int, what: str, array: np.ndarray) -> np.ndarray:
        """Leave an array, wait until everybody has, and return what came of them."""
        if self.broken is None:
            self.sent[rank] = (what, array)
            self.running.remove(rank)
            if len(self.sent) == self.size:
                self._answer()
            self._next()
            self.turns[rank].acquire()
        if self.broken is not None:
            raise self.broken
        return self.answers.pop(rank)

    def leave(self, rank: int, error: BaseException | None) -> None:
        """Take out a replica that has finished, or failed: then the others must not wait for it."""
        self.broken = self.broken or error
        if rank in self.running:
            self.running.remove(rank)
        self._next()

    def stop(self, error: BaseException) -> None:
        """Let each replica that waits, or is about to, raise an error."""
        self.broken = error
        for turn in self.turns:
            turn.release()

    def _next(self) -> None:
        """Hand the turn to the first replica that can run; if none can, that is the end, or an error."""
        if not self.running and self.sent:
            self.broken = self.broken or RuntimeError(self._why())
        if self.broken is not None:
            self.running = sorted({*self.running, *self.sent})
            self.sent.clear()
        if self.running:
            self.turns[self.running[0]].release()
        else:
            self.over.set()

    def _answer(self) -> None:
        """Work out what everybody gets, or why that can't be."""
        kinds = {(what, array.shape, array.dtype.str) for what, array in self.sent.values()}
        if len(kinds) > 1:
            self.broken = RuntimeError(f"the replicas don't send the same: {self._listed()}")
            return
        arrays = [self.sent[rank][1] for rank in range(self.size)]
        total = arrays[0] if next(iter(kinds))[0] == "broadcast" else np.asarray(sum(arrays[1:], arrays[0]))  # fmt: skip
        self.answers = {rank: total.astype(arrays[0].dtype) for rank in range(self.size)}
        self.sent.clear()
        self.running = list(range(self.size))

    def _why(self) -> str:
        gone = ", ".join(str(rank) for rank in range(self.size) if rank not in self.sent)
        return f"replica {gone} has finished, and nobody answers any more: {self._listed()}"

    def _listed(self) -> str:
        return "; ".join(
            f"replica {rank} waits in {what} with {array.dtype}{list(array.shape)}"
            for rank, (what, array) in sorted(self.sent.items())
        )


def run_replicas(size: int, work: Callable[[World], Any]) -> list[Any]:
    """Run `work(world)` once for each of `size` replicas, and return their results by rank.

    Raises:
        UsageError: `size` isn't a small number.
        RuntimeError: replicas wait for one that has finished, or send what doesn't fit together.
        Exception: what the first replica that failed has raised.
    """
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MOST:
        raise UsageError(f"There can be 1 to {MOST} replicas; got {size!r}.")
    if not callable(work):
        raise UsageError("The second argument is a function that takes the world of a replica, such as run_replicas(2, work).")  # fmt: skip
    room, results = _Room(size), [None] * size

    def run(rank: int) -> None:
        error = None
        room.turns[rank].acquire()
        try:
            if room.broken is None:
                results[rank] = work(World(rank, room))
        except BaseException as raised:
            error = raised
        room.leave(rank, error)

    threads = [threading.Thread(target=run, args=(rank,), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    room.turns[0].release()
    try:
        room.over.wait()
    except BaseException as error:  # Ctrl-C
        room.stop(error)
        for thread in threads:  # also one that computes, and doesn't wait
            pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread.ident or 0), py_object(type(error)))
        raise
    for thread in threads:
        thread.join()
    if room.broken is not None:
        raise room.broken
    return results
