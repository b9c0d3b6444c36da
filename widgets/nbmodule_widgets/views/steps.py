"""Play, pause and step: a training loop that goes on when the reader says so.

A page's click does not reach Python while a cell runs. So there are two routes. In a loop, `Steps` looks into the
kernel's mailbox between two batches, and while it is paused. Where the cell only *defines* a step, the kernel is
idle between two steps, and the buttons drive it with ordinary messages; that works in every front end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from nbmodule_widgets.locks import lock_of_object
from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.views.kernel import interruptible, kernel, outputs_of, shell, this_request

Batch = TypeVar("Batch")

_PAGE_MAY_TAKE = 4.0  # seconds until a page has drawn a view that it was sent
_WAIT = 0.03  # seconds between two looks at what the reader wants, while the loop is paused
_SLICE = 0.03  # seconds that a driven loop plays before the kernel hears messages again
_GAP = 0.001  # and for how long it listens
_END = object()


class Pace:
    """How fast a loop goes: it plays, or it is paused and does the steps that were asked for.

    Safe to be changed from another thread.

    Attributes:
        playing: Whether the next step needs no permission.
        speed: Most steps in a second, or 0 for as fast as it goes.
        changed: Called after each change.
    """

    def __init__(self, playing: bool = True) -> None:
        self.playing, self.speed = playing, 0.0
        self.changed: Callable[[], object] = lambda: None
        self._asked_for = 0
        self._next = 0.0
        self._lock = lock_of_object()

    def play(self) -> None:
        """Goes on without being asked."""
        self._set(True, 0)

    def pause(self) -> None:
        """Stops after the step that is under way."""
        self._set(False, 0)

    def step(self, number: int = 1) -> None:
        """Pauses, but first does some steps more."""
        self._set(False, self._asked_for + max(1, int(number)))

    def at_most(self, speed: float) -> None:
        """Sets the speed limit, in steps per second; 0 lifts it."""
        self.speed, self._next = max(0.0, float(speed)), 0.0
        self.changed()

    @property
    def paused(self) -> bool:
        """Whether the loop waits for the reader."""
        return not self.playing and not self._asked_for

    def may_go(self) -> bool:
        """Whether the next step may be done now; a step that was asked for is then used up."""
        with self._lock:
            if self._asked_for:
                self._asked_for -= 1
                return True
            if not self.playing:
                return False
            if not self.speed:
                return True
            now = time.perf_counter()
            due = now >= self._next
            if due:
                self._next = now + 1 / self.speed
            return due

    def _set(self, playing: bool, asked_for: int) -> None:
        with self._lock:
            self.playing, self._asked_for = playing, asked_for
        self.changed()


class Loop(Protocol):
    """What steps need of the watch that they belong to."""

    pace: Pace
    ticks: int
    running: bool

    def tick(self, **metrics: Any) -> None:
        """A step is done."""

    def start(self) -> Any:
        """Begins to look."""

    def stop(self, error: BaseException | None = None) -> None:
        """Ends the run."""

    def require_running(self, what: str) -> None:
        """Raises, unless the run has begun."""

    def attend(self, wait: float = 0.0) -> None:
        """Handles what the page has said."""

    def reachable(self) -> bool | None:
        """Whether the reader can press a button, as far as one knows."""

    def show_now(self) -> None:
        """Tells the page how things are."""

    def steered(
        self, by: str, total: int | None = None, wake: Callable[[], object] | None = None
    ) -> None:
        """Notes who goes from step to step."""


class Steps(Generic[Batch]):
    """The batches of a loader, handed out as the reader wishes. Made by `watch(...).steps(loader)`.

    Iterate over it inside the `with`, or decorate a function of one batch with it.
    """

    def __init__(self, loop: Loop, batches: Iterable[Batch]) -> None:
        self._loop, self._batches = loop, batches
        self._total = _length(batches)

    def __len__(self) -> int:
        if self._total is None:
            raise TypeError("the loader does not say how many batches it has")
        return self._total

    def __iter__(self) -> Iterator[Batch]:
        loop = self._loop
        loop.require_running("steps()")
        loop.steered("loop", self._total)
        for batch in self._batches:
            self._wait()
            before = loop.ticks
            yield batch
            if loop.ticks == before:  # the body of the loop did not say so itself
                loop.tick()

    def __call__(self, function: Callable[[Batch], object]) -> Driven[Batch]:
        """Lets the buttons call a function of one batch while the kernel is idle."""
        return Driven(self._loop, self._batches, self._total, function)

    def _wait(self) -> None:
        """Returns when the next batch may be used; at once where nobody could press a button."""
        loop, pace = self._loop, self._loop.pace
        loop.attend()
        if pace.may_go():
            return
        loop.show_now()
        paused_at = time.perf_counter()
        while not pace.may_go():
            reachable = loop.reachable()
            hopeful = time.perf_counter() - paused_at < _PAGE_MAY_TAKE
            if pace.paused and (reachable is False or not (reachable or hopeful)):
                pace.play()
            loop.attend(_WAIT)
        loop.show_now()


class Driven(Generic[Batch]):
    """A step that the buttons call while the kernel is idle. Made by decorating a function of one batch.

    It is paused at first. What the function prints goes to the cell that defined it.

    Example:
        >>> @w.steps(loader)  # doctest: +SKIP
        ... def step(batch):
        ...     x, y = batch
    """

    def __init__(
        self,
        loop: Loop,
        batches: Iterable[Batch],
        total: int | None,
        function: Callable[[Batch], object],
    ) -> None:
        self._loop, self._function = loop, function
        self._coming: Iterator[Any] = iter(batches)
        self._cell = this_request()
        self._scheduled = False
        self.done = False
        loop.stop()  # what an earlier function has begun
        loop.start()
        loop.steered("idle", total, self._wake)
        loop.pace.pause()
        loop.show_now()

    def __call__(self, batch: Batch) -> object:
        """Calls the function itself, outside of the count."""
        return self._function(batch)

    def run(self, number: int = 1) -> int:
        """Does some steps from Python, with no button pressed.

        Returns:
            How many there still were.
        """
        for count in range(number):
            if not self._step():
                return count
        self._loop.show_now()
        return number

    def _step(self) -> bool:
        """One step; False if there is no batch left. What the function raises, stops the watch."""
        if self.done or not self._loop.running:
            return False
        try:
            batch: Any = next(self._coming, _END)
            if batch is _END:
                self._finish(None)
                return False
            before = self._loop.ticks
            self._function(batch)
            if self._loop.ticks == before:
                self._loop.tick()
        except KeyboardInterrupt:
            self._loop.pace.pause()
            raise
        except BaseException as error:
            self._finish(error)
            raise
        return True

    def _finish(self, error: BaseException | None) -> None:
        self.done = True
        self._loop.stop(error)

    def _wake(self) -> None:
        """The reader pressed a button, perhaps on another thread."""
        loop = getattr(kernel(), "io_loop", None)
        if loop is not None and not self.done:
            loop.add_callback(self._go_on)

    def _go_on(self) -> None:
        if not self._scheduled:
            self._play()

    def _play(self) -> None:
        """Plays for a moment, then lets the kernel hear what has arrived, then goes on."""
        self._scheduled = False
        if not interruptible(self._slice):
            self._loop.pace.pause()
        elif not self.done and not self._loop.pace.paused:
            self._scheduled = True
            kernel().io_loop.call_later(_WAIT if self._loop.pace.speed else _GAP, self._play)
            return
        self._loop.show_now()

    def _slice(self) -> None:
        end = time.perf_counter() + _SLICE
        with outputs_of(*self._cell):
            try:
                while self._loop.pace.may_go() and self._step() and time.perf_counter() < end:
                    pass
            except Exception:
                shell().showtraceback()  # nobody called us who could catch it


def _length(batches: object) -> int | None:
    found = attempt(len, batches).value  # type: ignore[arg-type]
    return found if type(found) is int else None
