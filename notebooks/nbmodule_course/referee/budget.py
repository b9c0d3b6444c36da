"""A time budget for the reader's code: an endless loop ends with a report, and so does a call that waits for ever.

A thread watches the clock of the thread that runs the reader's code, and raises `Overtime` in it. Where the
code catches that (`except: pass` in a loop), it is raised again and again until it gets through.

An exception arrives between two steps of Python, and code that waits makes none. So a signal wakes the main thread
where there are signals; elsewhere (on Windows, and beside the main thread) `time.sleep` sleeps in short pieces.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType

from .compare import Overtime, Waited

CPU_SECONDS = 4.0
WALL_SECONDS = 15.0
DEPTH = 400
"""How deep the reader's code may nest its calls: an endless recursion ends sooner, and shows the same."""
_EVERY = 0.02
_PATIENCE = 5
_IDLE = 0.02
"""The part of the time below which a thread has waited; on a busy computer, one that works may get little more."""
_BUSY = 4
"""How many times as long code may take that works, or would if the computer let it."""


@contextlib.contextmanager
def budget(cpu: float | None = None, wall: float | None = None) -> Iterator[None]:
    """Raise `Overtime` in this thread when the code inside has used too much time.

    Args:
        cpu: seconds of this thread's own processor time, so that a busy computer makes no difference;
            None means CPU_SECONDS.
        wall: seconds by the clock, for code that waits; None means WALL_SECONDS. Code that works may take
            four times as long: until then, only its processor time counts.
    """
    cpu, wall = CPU_SECONDS if cpu is None else cpu, WALL_SECONDS if wall is None else wall
    watch = _Watch(threading.get_ident(), cpu, wall)
    deepest, set_limit = sys.getrecursionlimit(), sys.setrecursionlimit
    set_limit(min(deepest, _depth() + DEPTH))
    sys.setrecursionlimit = lambda limit: None  # with a higher one, no end would end the process
    with _able_to_wake(watch):
        watch.start()
        try:
            yield
        finally:
            watch.dismiss()
            sys.setrecursionlimit = set_limit
            set_limit(deepest)


def _depth() -> int:
    """Return how deep the calls are nested now."""
    frame, count = sys._getframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


@dataclass
class _Watch:
    """Watches one thread.

    Attributes:
        thread: the thread whose time is measured.
        cpu: what it may use.
        wall: how long it may take.
        number: the signal that wakes it; 0 where there is none.
        over: what has been raised in it.
    """

    thread: int
    cpu: float
    wall: float
    number: int = 0
    over: type[Overtime] | None = None
    _done: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Begin to watch."""
        self._watcher = threading.Thread(target=self._run, args=(_clock(self.thread),), daemon=True)
        self._watcher.start()

    def dismiss(self) -> None:
        """Stop watching, although it may raise in this very moment."""
        while True:
            try:
                self._done.set()
                self._watcher.join()
                for _ in range(100):  # what was raised last arrives at a jump, at the latest here
                    pass
                return
            except Overtime:
                continue

    def _run(self, clock: Callable[[], float]) -> None:
        used, began, told = clock(), time.monotonic(), 0
        while not self._done.wait(_EVERY):
            worked, took = clock() - used, time.monotonic() - began
            waits = took > self.wall and worked < _IDLE * took
            if worked > self.cpu or waits or took > _BUSY * self.wall:
                self.over = self.over or (Waited if waits else Overtime)
                _raise_in(self.thread, self.over)
                told += 1
                if self.number and told % _PATIENCE == 0:  # it did not arrive by itself
                    signal.pthread_kill(self.thread, self.number)


@contextlib.contextmanager
def _able_to_wake(watch: _Watch) -> Iterator[None]:
    """Make sure that the watch can end a call that waits."""
    number = getattr(signal, "SIGURG", 0)  # nobody else uses it, and by itself it does nothing
    in_main = watch.thread == threading.main_thread().ident and hasattr(signal, "pthread_kill")
    if not number or not in_main:
        with _sleeping_in_pieces():
            yield
        return

    def wake(number: int, frame: FrameType | None) -> None:
        if watch.over is not None and not watch._done.is_set():
            raise watch.over
        if callable(outer):
            outer(number, frame)

    outer = signal.signal(number, wake)
    watch.number = number
    try:
        yield
    finally:
        signal.signal(number, outer if outer is not None else signal.SIG_DFL)


@contextlib.contextmanager
def _sleeping_in_pieces() -> Iterator[None]:
    """Let `time.sleep` come back to Python often, so that an exception gets through."""
    with _counting:
        _sleepers[0] += 1
        time.sleep = _sleep_in_pieces
    try:
        yield
    finally:
        with _counting:
            _sleepers[0] -= 1
            if not _sleepers[0]:
                time.sleep = _sleep


def _sleep_in_pieces(seconds: float, /) -> None:
    if not seconds > _EVERY:
        return _sleep(seconds)
    until = time.monotonic() + seconds
    while (rest := until - time.monotonic()) > 0:
        _sleep(min(rest, _EVERY))


_sleep = time.sleep
_sleepers = [0]
_counting = threading.Lock()


def _clock(thread: int) -> Callable[[], float]:
    """Return the processor time of a thread, or that of the process where the system does not tell."""
    try:
        number = time.pthread_getcpuclockid(thread)
        time.clock_gettime(number)
    except (AttributeError, OSError):
        return time.process_time
    return lambda: time.clock_gettime(number)


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))
