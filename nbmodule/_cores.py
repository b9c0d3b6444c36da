"""The cores of the machine: how a batch is cut into parts, and the threads that work on them.

NumPy lets go of Python's lock in its loops and products, so two threads are enough to use two cores. A rule says
what is to be done to some rows of a batch, and how much work all of them are; this file does the rest::

    in_parts(xp, lambda rows: xp.matmul(x[rows], w, out=y[rows]), len(x), products(len(x), *w.shape))

* How it is cut depends on the sizes and on `get_num_threads` alone, and sums are added up in the order of their parts:
  a run with as many threads has the same bits. With one thread, or little work, there is one part, and no other
  thread hears of it.
* Whoever asks works too, and takes part after part. The others help if they are awake in time: on a busy machine the
  one who asks does nearly all of it, as if it were alone.
* Threads start with the first work that is worth it. A fork has none, and starts its own. They help with what was asked
  for last, so that a part may ask, and other threads of the program.
"""

from __future__ import annotations

import contextlib
import contextvars
import math
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ._forks import at_fork

PART = 250_000
"""How many steps of work a part must have to be worth a thread's attention; a step is about a nanosecond."""

MUCH = 2 * PART
"""From this much work on it may be cut."""

LONG = 1_000_000
"""Parts of so many steps are cut in two: a thread that another program keeps waiting leaves the second one to others."""

MOST = 4
"""How many threads there are at most if nobody asks for more: what more bring was not measured."""

WAITING = 64
"""How much a thread keeps for its leisure: the oldest was asked for meanwhile, most likely, and is forgotten."""

PRODUCTS = 24
"""How many multiplications of a matrix product take as long as one step."""

VARIABLES = ("NBMODULE_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Work = Callable[[slice], Any]


def products(*sizes: int) -> float:
    """Return how many steps of work a product of matrices is: of (n, k) and (k, m), given n, k and m."""
    return math.prod(sizes) / PRODUCTS


def in_parts(xp: Any, work: Work, count: int, steps: float, few: bool = False) -> list[Any]:
    """Call ``work(rows)`` with slices that cover ``range(count)`` together, perhaps on several threads at once.

    Args:
        xp: the array library; only NumPy's work is cut.
        work: what is done to some rows. What it writes into is there already, and the rows are its own.
        count: how many rows there are.
        steps: how much work all rows are, counted in elements that are read, computed and written.
        few: whether each part costs something for being one.

    Returns:
        What `work` has returned, in the order of the rows.
    """
    if steps < MUCH or xp is not np or (rows := _cut(count, steps, few)) is None:
        return [work(slice(0, count))]
    return _crew.do(work, rows)


def sum_of_parts(xp: Any, work: Work, count: int, steps: float) -> Any:
    """Return the sum of what `in_parts` returns, added up in the order of the rows into the first array."""
    total, *others = in_parts(xp, work, count, steps, True)
    for each in others:
        total += each
    return total


def joined_parts(xp: Any, work: Work, count: int, steps: float) -> Any:
    """Return what `in_parts` returns as one array."""
    found = in_parts(xp, work, count, steps)
    return found[0] if len(found) == 1 else xp.concatenate(found)


def over_elements(function: Any, x: Any, *others: Any) -> Any:
    """Return ``function(x, *others)`` for a function of NumPy that computes element by element.

    Args:
        function: takes ``out=``, and returns elements of the type of `x`.
        x: an array.
        others: arrays, which have the shape of `x`, or numbers.
    """
    if x.size < MUCH or not all(_is_like(a, x) for a in (x, *others)):
        return function(x, *others)
    y = np.empty(x.shape, x.dtype)
    given = [a.reshape(-1) if type(a) is np.ndarray else a for a in (x, *others)]

    def work(at: slice) -> None:
        here = (a[at] if type(a) is np.ndarray else a for a in given)
        function(*here, out=y.reshape(-1)[at])

    in_parts(np, work, x.size, x.size)
    return y


def _is_like(a: Any, x: Any) -> bool:
    """Return whether `a` is a number, or lies in the memory of the processor as `x` does, in one piece."""
    if isinstance(a, (int, float)):
        return True
    return type(a) is np.ndarray and a.shape == x.shape and a.flags.c_contiguous


def at_leisure(work: Callable[[], Any]) -> None:
    """Have `work` done some time by a thread that has nothing else to do, after all that was given to it before.

    There may be no such thread: whoever needs what `work` finds must be ready to do it.
    """
    _crew.do_at_leisure(work)


def are_cut(steps: float) -> bool:
    """Return whether so much work is cut."""
    return steps >= MUCH and get_num_threads() > 1


def product(a: Any, b: Any) -> Any:
    """Return ``a @ b`` for two matrices, or for two stacks of as many: (..., N, K) and (..., K, M)."""
    steps = products(a.size, b.shape[-1])
    if not are_cut(steps) or type(a) is not np.ndarray or type(b) is not np.ndarray or a.dtype != b.dtype or a.shape[:-2] != b.shape[:-2]:  # fmt: skip
        return a @ b
    a, b = _readable(a), _readable(b)
    y: Any = np.empty((*a.shape[:-1], b.shape[-1]), a.dtype)
    if a.ndim > 2:  # some of the matrices
        in_parts(np, lambda at: np.matmul(a[at], b[at], out=y[at]), len(a), steps)
    elif len(a) >= b.shape[1]:  # some of the rows
        in_parts(np, lambda at: np.matmul(a[at], b, out=y[at]), len(a), steps)
    else:
        in_parts(np, lambda at: np.matmul(a, b[:, at], out=y[:, at]), b.shape[1], steps)
    return y


def _readable(a: np.ndarray) -> np.ndarray:
    """Return `a`, or a copy where BLAS can't read it: before 2.3, NumPy's `matmul` then goes number by number."""
    (row, column), (rows, columns), unit = a.strides[-2:], a.shape[-2:], a.itemsize
    by_rows, by_columns = column == unit and row >= unit * columns, row == unit and column >= unit * rows  # fmt: skip
    return a if by_rows or by_columns else np.ascontiguousarray(a)


def _cut(count: int, steps: float, few: bool) -> list[slice] | None:
    """Return the parts of ``range(count)``, or None if it is better not cut."""
    threads = _crew.size or _crew.first_size()
    parts = min(threads, int(steps / PART), count)
    if parts < 2:
        return None
    if not few and 2 * parts <= count and steps > 2 * parts * LONG:
        parts *= 2
    return [slice(i * count // parts, (i + 1) * count // parts) for i in range(parts)]


class _Task:
    """Parts that are worked on, by whoever comes."""

    def __init__(self, work: Work, parts: list[slice]) -> None:
        self.work = work
        self.todo = deque(enumerate(parts))
        self.found: list[Any] = [None] * len(parts)
        self.error: BaseException | None = None
        # A lock for each thread that came, held while it works.
        self.helped: list[threading.Lock] = []
        self.context = contextvars.copy_context()  # in which NumPy keeps what `errstate` says

    def help(self) -> None:
        """Work on it as a thread of the crew. Whoever asked waits for those who come while there is something to do."""
        working = threading.Lock()
        with working:
            self.helped.append(working)
            try:
                self.context.copy().run(self.go_on)
            except BaseException as error:  # goes to whoever asked
                self.error = error
                self.todo.clear()

    def go_on(self) -> None:
        """Take part after part until none is left."""
        todo = self.todo
        while todo:
            try:
                place, part = todo.popleft()
            except IndexError:  # another one was quicker
                return
            self.found[place] = self.work(part)

    def do(self, helpers: list[_Helper]) -> list[Any]:
        """Work on it as the one who asked, with `helpers`, until it is done by all; raise the error of any part."""
        try:
            try:
                for helper in helpers:
                    helper.call(self)
                self.go_on()
            finally:
                self.wait()
        finally:  # an interrupt may have kept the first wait from its beginning
            self.wait()
        found, error = self.found, self.error
        del self.work, self.found, self.error  # a helper that wakes up late keeps no arrays
        if error is None:
            return found
        try:
            raise error
        finally:
            del error  # whose traceback has this frame

    def wait(self) -> None:
        """Wait for those who are at a part, and leave no others; an interrupt is raised when nobody writes any more."""
        self.todo.clear()
        interrupt: BaseException | None = None
        for working in self.helped.copy():
            while True:
                try:
                    with working:
                        break
                except BaseException as error:
                    interrupt = error
        if interrupt is not None:
            raise interrupt


class _Helper:
    """A thread that sleeps until it is called, and then works on the newest task, and on what can wait."""

    def __init__(self) -> None:
        self.bell = threading.Lock()
        self.bell.acquire()
        self.newest: deque[_Task] = deque(maxlen=1)
        self.at_leisure: deque[Callable[[], Any]] = deque(maxlen=WAITING)
        threading.Thread(target=self.live, name="nbmodule", daemon=True).start()

    def live(self) -> None:
        """Do what a thread of the crew does all its life."""
        while self.bell.acquire():
            while self.newest or self.at_leisure:
                with contextlib.suppress(IndexError):  # another one has taken its place
                    self.newest.popleft().help()
                # Whoever needs what could not be found makes it again, and gets the error.
                with contextlib.suppress(Exception):
                    self.at_leisure.popleft()()

    def call(self, task: _Task) -> None:
        """Wake the thread for `task`, which takes the place of one that it has not begun."""
        self.newest.append(task)
        self.wake()

    def wake(self) -> None:
        """Let the thread look whether there is something to do."""
        with contextlib.suppress(RuntimeError):  # it has been called and is not awake yet
            self.bell.release()


class _Crew:
    """The threads that help, `size` with whoever asks; 0: nobody has asked yet how many there are to be."""

    def __init__(self) -> None:
        self.size = 0
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget all threads, as in the child of a fork."""
        self.helpers: list[_Helper] = []

    def first_size(self) -> int:
        """Return how many threads there are if nobody has called `set_num_threads`."""
        self.size = _asked_for() or min(_cores(), MOST)
        return self.size

    def do(self, work: Work, parts: list[slice]) -> list[Any]:
        """Have all parts worked on, by this thread and by those that are free; return the results."""
        task, wanted = _Task(work, parts), min(self.size, len(parts)) - 1
        if len(self.helpers) < wanted:
            self.grow(wanted)
        return task.do(self.helpers[:wanted])

    def do_at_leisure(self, work: Callable[[], Any]) -> None:
        """Have `work` done by the thread that is called for the fewest parts."""
        if not self.helpers:
            self.grow(1)
        for helper in self.helpers[-1:]:
            helper.at_leisure.append(work)
            helper.wake()

    def grow(self, wanted: int) -> None:
        """Start threads. Where there can be no more, as in a browser, there are fewer parts from now on."""
        try:
            while len(self.helpers) < wanted:
                self.helpers.append(_Helper())
        except RuntimeError:
            self.size = len(self.helpers) + 1


_crew = _Crew()
at_fork(after_in_child=_crew.begin_anew)


def _asked_for() -> int | None:
    """Return the number of threads that the environment asks for."""
    for name in VARIABLES:
        # OMP_NUM_THREADS may say one for each level.
        first = os.environ.get(name, "").partition(",")[0].strip()
        if first.isdecimal() and int(first):
            return int(first)
    return None


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def set_num_threads(threads: int) -> None:
    """Let large operations work on so many cores, the caller's among them.

    At first it is what ``NBMODULE_NUM_THREADS`` says in the environment, or else ``OMP_NUM_THREADS``, ``OPENBLAS_NUM_THREADS``
    or ``MKL_NUM_THREADS``; otherwise the number of cores that the program may use, 4 at most.

    Args:
        threads: at least 1. With 1, no other thread is used.

    Raises:
        RuntimeError: it is no positive int.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_num_threads.html
    """
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(threads).__name__}")
    if threads <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _crew.size = threads


def get_num_threads() -> int:
    """Return how many cores large operations may work on.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.get_num_threads.html
    """
    return _crew.size or _crew.first_size()
