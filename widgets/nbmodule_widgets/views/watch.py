"""watch: a training loop, seen while it runs."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, TypeVar

from nbmodule_widgets.curves import Metrics
from nbmodule_widgets.facts.collector import full_searches_put_off
from nbmodule_widgets.protocol import attempt, require_module
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.views import outputs
from nbmodule_widgets.views.kernel import Mailbox, cell, kernel
from nbmodule_widgets.views.parameters import ParameterView
from nbmodule_widgets.views.run import Run
from nbmodule_widgets.views.screen import Screen
from nbmodule_widgets.views.steps import Pace, Steps
from nbmodule_widgets.views.training import TrainingView
from nbmodule_widgets.views.tree import ModuleTree
from nbmodule_widgets.watching import Recorder

Batch = TypeVar("Batch")

_ATTEND = 0.1  # seconds between two looks into the mailbox
_RUNNING: weakref.WeakSet[Watch] = weakref.WeakSet()


@refusing
def watch(
    model: object,
    every: int = 1,
    *,
    hz: float = 5.0,
    optimizer: object = None,
    display: bool = True,
) -> Watch:
    """Watches a model while it trains.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        every: Look at weights and gradients only at every n-th step of the optimizer.
        hz: The most updates that the page gets in a second.
        optimizer: The optimizer; needed only if its class is not one of PyTorch's or nbmodule's.
        display: False to show nothing until the watch is displayed like any other view.

    Example:
        >>> with watch(model) as w:  # doctest: +SKIP
        ...     for x, y in loader:
        ...         loss = train_step(x, y)
        ...         w.tick(loss=loss)

    Raises:
        TypeError: If the object is nothing like a Module.
        ValueError: If `every` or `hz` is not positive.
    """
    return Watch(model, every, hz=hz, optimizer=optimizer, display=display)


class Watch(Run):
    """A run that is watched: its curves, the tree coloured by what moves, and the selected parameter.

    It looks from `start` to `stop`, or inside a `with`, and leaves no hook behind.

    Attributes:
        recorder: What looks at weights and gradients.
        pace: Play, pause and step from Python.
        ticks: How many steps have been told.
        running: Whether it looks.
        steered_by: Who goes from step to step: "loop", "idle" (the buttons call a function), or nobody.
    """

    def __init__(
        self,
        model: object,
        every: int = 1,
        *,
        hz: float = 5.0,
        optimizer: object = None,
        display: bool = True,
    ) -> None:
        require_module(model, "watch")
        if attempt(lambda: hz > 0).value is not True:
            raise ValueError(
                f"hz is the number of updates to the page per second, a positive number; got {hz!r}"
            )
        with full_searches_put_off():  # with 10,000 Modules they take a good part of the time
            self._make(model, every, hz, optimizer, display)

    def _make(self, model: object, every: int, hz: float, optimizer: object, display: bool) -> None:
        self.recorder = Recorder(model, every=every, optimizer=optimizer)
        self.pace = Pace()
        self.pace.changed = self._pace_changed
        self.ticks = 0
        self._model, self._hz = model, float(hz)
        self._outlet = outputs.Outlet(self.bundle) if display else None
        self._metrics = Metrics()
        self.running, self._ending = False, ""
        self._began = self._spent = 0.0
        self._cell = ""  # in which it began
        self.steered_by, self._total, self._pass_began = "", None, 0
        self._wake: Callable[[], object] = _nothing
        self._mailbox: Mailbox | None = None
        self._attend_at = 0.0
        self.screen = Screen(self, self._hz)

    @property
    def model(self) -> object:
        """The model that is watched."""
        return self._model

    @property
    def is_seen(self) -> bool:
        """Whether a page shows it."""
        return self.header.is_seen

    @property
    def header(self) -> TrainingView:
        """What stands above the tree: curves, findings, buttons."""
        return self.screen.header

    @property
    def tree(self) -> ModuleTree:
        """The tree of the model."""
        return self.screen.tree

    @property
    def parameters(self) -> ParameterView:
        """The view of the selected parameter."""
        return self.screen.parameters

    # ------------------------------------------------------------------------------------------- beginning and end

    def __enter__(self) -> Watch:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop(error)

    def start(self) -> Watch:
        """Begins to look, and displays itself in a notebook. After `stop` it goes on where it was.

        Raises:
            RuntimeError: If it looks already.
        """
        if self.running:
            raise RuntimeError(
                "this watch is running already: leave its `with`, or call stop(), first"
            )
        self._cell = cell()
        for other in list(_RUNNING):  # a cell that is run again ends what its last run left running
            if self._cell and other._cell == self._cell:
                other.stop()
        self.recorder.start()
        _RUNNING.add(self)
        self.running, self._ending, self._began = True, "", time.perf_counter()
        self._mailbox = Mailbox.here()
        self.screen.begin(mail=self._mailbox is not None)
        if self._outlet is not None and kernel() is not None:
            self._outlet.show()
        return self

    def stop(self, error: BaseException | None = None) -> None:
        """Takes all hooks back and shows how it ended; twice is once.

        Args:
            error: What ended the loop, if it was an exception.
        """
        if not self.running:
            return
        self.running = False
        self._spent += time.perf_counter() - self._began
        _RUNNING.discard(self)
        self.recorder.stop()
        if isinstance(error, KeyboardInterrupt):
            self._ending = f"interrupted at step {self.ticks:,}"
        elif error is not None:
            self._ending = f"stopped by {type(error).__name__} at step {self.ticks:,}"
        self._mailbox, self.steered_by, self._wake = None, "", _nothing
        self.pace.play()  # the next run does not begin paused
        self.show_now()
        if self._outlet is not None:
            attempt(self._outlet.show_again)

    def close(self) -> None:
        """Stops, and takes everything off the page."""
        self.stop()
        self.screen.close()

    # ------------------------------------------------------------------------------------------------- in each step

    def tick(self, **metrics: Any) -> None:
        """Tells that a training step is done.

        It costs some microseconds except when the page is due for news (`hz` times a second). The last state is
        always shown.

        Args:
            **metrics: Numbers, or tensors with one element, such as `loss=loss`. `epoch=` is shown as a counter,
                and so is what is not a number.

        Raises:
            RuntimeError: If the watch is not running.
        """
        if not self.running:
            self.require_running("tick()")
        self.ticks += 1
        self.recorder.step(self._metrics.note(self.ticks, metrics) if metrics else None)
        self.screen.news = True
        now = time.perf_counter()
        if now >= self._attend_at:
            self.attend()
        if self.screen.is_due(now):
            self.screen.show()

    def steps(self, loader: Iterable[Batch], *, paused: bool = False) -> Steps[Batch]:
        """The batches of a loader, with buttons to play, pause and step.

        Iterate over it inside the `with`; the loop is in your cell, and the buttons work while the cell runs:

            with watch(model) as w:
                for x, y in w.steps(loader):
                    ...

        Or decorate a function of one batch; the cell ends at once, and the buttons call the function:

            @w.steps(loader)
            def step(batch): ...

        Where nobody looks at the view, as when a notebook is executed by a script, a loop simply plays.

        Args:
            loader: Any iterable of batches.
            paused: Wait for the reader before the first batch.
        """
        if paused:
            self.pace.pause()
        return Steps(self, loader)

    # ----------------------------------------------------------------------------------------- what steps() needs

    def require_running(self, what: str) -> None:
        """Raises a RuntimeError that says how to begin, if this watch is not running."""
        if not self.running:
            raise RuntimeError(
                f"{what} needs a running watch: write `with watch(model) as w:` around the loop, "
                "or call w.start() before it and w.stop() after it"
            )

    def attend(self, wait: float = 0.0) -> None:
        """Handles what the page has said in the meantime."""
        now = time.perf_counter()
        if self._mailbox is not None and (wait or now >= self._attend_at):
            self._attend_at = now + _ATTEND
            self._mailbox.collect(self.screen.is_ours, wait)
        elif wait:
            time.sleep(wait)

    def reachable(self) -> bool | None:
        """Whether the reader can press a button; None if that is not known yet."""
        return False if kernel() is None else self.header.opened or None

    def steered(
        self, by: str, total: int | None = None, wake: Callable[[], object] | None = None
    ) -> None:
        """Notes who goes from step to step: "loop", "idle" (the buttons call a function) or nobody.

        Args:
            by: Who.
            total: How many batches there are.
            wake: Called when the reader has pressed a button.
        """
        self.steered_by, self._total, self._pass_began = by, total, self.ticks
        self._wake = wake or _nothing
        if by == "idle":
            self._mailbox = None  # the kernel reads its messages itself
        self._pace_changed()

    def show_now(self) -> None:
        """Shows the newest state, whether the page is due for news or not."""
        self.screen.show(whole=not self.running or self.pace.paused, always=True)

    def refresh(self) -> None:
        """Looks again at everything: the tree, the parameter, the run."""
        self.tree.refresh()
        self.parameters.refresh()
        if self.screen.news:
            self.show_now()

    def _pace_changed(self) -> None:
        self.header.show_control(self.steered_by)
        self._wake()

    # -------------------------------------------------------------------------------------------------- the twins

    def bundle(self, **kwargs: Any) -> outputs.Bundle:
        """The three renderings, of what was seen when the watch last looked."""
        if not self.screen.open:
            self.screen = Screen(self, self._hz)
        outputs.shown(self, self.screen.page.model_id)
        data = self.screen.page._repr_mimebundle_(**kwargs) or {}
        twins = {"text/plain": str(self), "text/html": outputs.static_twin(self.to_html())}
        return outputs.without_script({**data, **twins}), {}

    def _repr_mimebundle_(self, **kwargs: Any) -> outputs.Bundle:
        self.refresh()
        return self.bundle(**kwargs)


def _nothing() -> None:
    pass
