"""What a watched run looks like on the page, and when the page is told."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Any, Protocol

import ipywidgets

from nbmodule_widgets.curves import Curve
from nbmodule_widgets.views.kernel import kernel
from nbmodule_widgets.views.steps import Pace
from nbmodule_widgets.views.training import TrainingView
from nbmodule_widgets.views.tree import ModuleTree
from nbmodule_widgets.watching import Recorder, Sample

_SHARE = 20  # showing may take one part in twenty of the time
_HOPE = 5.0  # seconds after which a page that has not answered is not there
_PATIENCE = 1.0  # seconds that a page may take to draw before it is sent the next update
_FINDINGS = 1.0  # seconds between two looks for findings
_DETAILS = 1.0  # seconds between two looks at the details of the selected row


class Run(Protocol):
    """What there is to be shown."""

    recorder: Recorder
    pace: Pace
    steered_by: str

    @property
    def model(self) -> object:
        """The model that is trained."""

    @property
    def curves(self) -> Collection[Curve]:
        """Its metrics."""
        ...

    def status(self) -> dict[str, Any]:
        """Where the run is."""
        ...

    def head_html(self) -> str:
        """The static twin of what stands above the tree."""
        ...

    def figure(self) -> Any:
        """The curves as a figure."""
        ...


class Screen:
    """The head of the run, and the tree with the parameter below it, the selection tied.

    The newest state replaces the one before: nothing queues up for a page that is slow.

    Args:
        run: What is shown.
        hz: How often the page may be told, at most.
    """

    def __init__(self, run: Run, hz: float) -> None:
        self._run, self._hz = run, hz
        self._painted: Sample | None = None
        self._findings: Sequence[Any] = ()
        self._due = self._sent_at = self._findings_at = self._details_at = 0.0
        self._began = time.perf_counter()
        self._mail = False
        self.news = False  # whether something has happened that the page has not been told
        self.header = TrainingView(
            run.pace, self._look_again, (run.__str__, run.head_html, run.figure)
        )
        self.tree = ModuleTree(run.model, recorder=run.recorder)
        self.tree.path = next(
            iter(run.recorder.paths), ""
        )  # the row that the view below begins with
        self.header.path = self.tree.path if self.tree.selected_path else ""
        self.parameters = self.tree.parameters  # the tree draws it below itself
        self.page = ipywidgets.VBox([self.header, self.tree])
        self.page.add_class("nbmodule-watch")  # static/watch.js makes one panel of the two
        self._link = ipywidgets.jslink((self.header, "path"), (self.tree, "path"))
        self.show(whole=True, always=True)

    @property
    def open(self) -> bool:
        """Whether it can still be displayed."""
        return self.header.comm is not None

    def begin(self, mail: bool) -> None:
        """A run begins, or goes on.

        Args:
            mail: Whether messages from the page can be read while the cell runs.
        """
        self._began, self._mail = time.perf_counter(), mail
        self.show(whole=True, always=True)

    def is_due(self, now: float) -> bool:
        """Whether to tell the page now: it is time, and the page has drawn what it was told before."""
        return now >= self._due and (now - self._sent_at > _PATIENCE or not self.header.waiting)

    def show(self, whole: bool = False, always: bool = False) -> None:
        """Tells the page the newest state, if there may be one that looks.

        Args:
            whole: Whether to send the curves with all their points.
            always: Whether to do it even if nobody seems to look.
        """
        began = time.perf_counter()
        if always or self._has_audience(began):
            sample = self._run.recorder.latest
            if sample is not None and sample is not self._painted:
                self._painted = sample
                paths = self._run.recorder.paths
                self.tree.guarded(lambda: self.tree.paint(_columns(sample), paths))
                rests = self._run.pace.paused  # then there is time to look at everything again
                self.parameters.guarded(
                    self.parameters.refresh if rests else self.parameters.advance
                )
                if rests:
                    self.tree.guarded(self.tree.refresh)
                elif began >= self._details_at:
                    start = time.perf_counter()
                    self.tree.guarded(self.tree.refresh_details)
                    end = time.perf_counter()
                    self._details_at = end + max(_DETAILS, 2 * _SHARE * (end - start))
            self.header.guarded(lambda: self._tell(whole))
            self.header.show_control(self._run.steered_by)
            self.news = False
        ended = self._sent_at = time.perf_counter()
        self._due = ended + max(1 / self._hz, _SHARE * (ended - began))

    def is_ours(self, comm_id: str) -> bool:
        """Whether a message with this address is for one of the three views."""
        views = (self.header, self.tree, self.parameters)
        return any(view.comm is not None and view.comm.comm_id == comm_id for view in views)

    def close(self) -> None:
        """Takes everything off the page."""
        for view in (self.header, self.tree, self._link, self.page):
            view.close()

    def _look_again(self) -> None:
        """A page has been opened, or a cell has run."""
        if self.news:
            self.show(whole=True)

    def _has_audience(self, now: float) -> bool:
        """Whether a page looks, as far as one can know while a cell runs."""
        if self.header.opened:
            return True
        return kernel() is not None and (not self._mail or now - self._began < _HOPE)

    def _tell(self, whole: bool) -> None:
        now = time.perf_counter()
        if whole or now >= self._findings_at:
            self._findings = self._run.recorder.history().problems
            self._findings_at = now + _FINDINGS
        self.header.send_run(self._run.status(), list(self._run.curves), self._findings, whole)


def _columns(sample: Sample) -> dict[str, Any]:
    """What may colour the tree, by the names that it shows."""
    return {
        "gradient norm": sample.gradient_norm,
        "update / weight": sample.ratio,
        "weight norm": sample.weight_norm,
    }
