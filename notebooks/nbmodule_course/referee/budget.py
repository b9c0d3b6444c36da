"""A time budget for the reader's code: an endless loop ends with a report, and so does an exponential recursion.

A thread watches the clock of the thread that runs the reader's code, and raises `Overtime` in it. Where the
code catches that (`except: pass` in a loop), it is raised again and again until it gets through; a signal wakes
code that sleeps.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from .compare import Overtime

CPU_SECONDS = 4.0
WALL_SECONDS = 15.0
DEPTH = 400
"""How deep the reader's code may nest its calls: an endless recursion ends sooner, and shows the same."""
_EVERY = 0.02


@contextlib.contextmanager
def budget(cpu: float | None = None, wall: float | None = None) -> Iterator[None]:
    """Raise `Overtime` in this thread when the code inside has used too much time.

    Args:
        cpu: seconds of this thread's own processor time, so that a busy computer makes no difference;
            None means CPU_SECONDS.
        wall: seconds by the clock, for code that waits; None means WALL_SECONDS.
    """
    cpu, wall = CPU_SECONDS if cpu is None else cpu, WALL_SECONDS if wall is None else wall
    thread = threading.get_ident()
    done = threading.Event()
    watcher = threading.Thread(
        target=_watch, args=(thread, done, _clock(thread), cpu, wall), daemon=True
    )
    watcher.start()
    deepest, set_limit = sys.getrecursionlimit(), sys.setrecursionlimit
    set_limit(min(deepest, _depth() + DEPTH))
    sys.setrecursionlimit = lambda limit: None  # with a higher one, no end would end the process
    before = _on_waking(_stop)
    try:
        yield
    finally:
        _dismiss(done, watcher)
        _on_waking(before)
        sys.setrecursionlimit = set_limit
        set_limit(deepest)


_WAKE = getattr(signal, "SIGURG", None)
"""The signal that wakes code that sleeps; nothing happens if it comes too late."""


def _on_waking(handler: Any) -> Any:
    """Let `handler` answer that signal; return what did so before, or None where no signal can be answered."""
    main = threading.current_thread() is threading.main_thread()
    return signal.signal(_WAKE, handler) if main and _WAKE and handler is not None else None


def _stop(_number: int, _frame: object) -> None:
    raise Overtime


def _depth() -> int:
    """Return how deep the calls are nested now."""
    frame, count = sys._getframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


def _dismiss(done: threading.Event, watcher: threading.Thread) -> None:
    """Stop the watcher, although it may raise in this very moment."""
    while True:
        try:
            done.set()
            watcher.join()
            for _ in range(100):  # what was raised last arrives at a jump, at the latest here
                pass
            return
        except Overtime:
            continue


def _watch(
    thread: int, done: threading.Event, clock: Callable[[], float], cpu: float, wall: float
) -> None:
    used, began, strikes = clock(), time.monotonic(), 0
    while not done.wait(_EVERY):
        if clock() - used > cpu or time.monotonic() - began > wall:
            strikes += 1
            if strikes % 10 or not _WAKE or thread != threading.main_thread().ident:
                _raise_in(thread, Overtime)
            else:
                signal.pthread_kill(thread, _WAKE)


def _clock(thread: int) -> Callable[[], float]:
    """Return the processor time of a thread, or the time of day where the system does not tell."""
    try:
        number = time.pthread_getcpuclockid(thread)
        time.clock_gettime(number)
    except (AttributeError, OSError):
        return time.monotonic
    return lambda: time.clock_gettime(number)


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))
