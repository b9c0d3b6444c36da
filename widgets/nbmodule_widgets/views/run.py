"""Where a watched run is: in words and numbers for the page, and its forms without one."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

from nbmodule_widgets.curves import Curve, Metrics
from nbmodule_widgets.facts.words import count
from nbmodule_widgets.runs import run_figure, run_html, run_text
from nbmodule_widgets.views.steps import Pace
from nbmodule_widgets.views.tree import ModuleTree
from nbmodule_widgets.watching import Recorder, TrainingFacts
from nbmodule_widgets.watching import status as words


class Run:
    """What is known of a run: how far it has come, how it ended, and what was measured."""

    recorder: Recorder
    pace: Pace
    ticks: int
    running: bool
    steered_by: str
    _metrics: Metrics
    _ending: str
    _began: float
    _spent: float
    _total: int | None
    _pass_began: int

    @property
    def tree(self) -> ModuleTree:
        """The tree of the model."""
        raise NotImplementedError

    @property
    def curves(self) -> Collection[Curve]:
        """The metrics that `tick` was told."""
        return self._metrics.curves.values()

    @property
    def facts(self) -> TrainingFacts:
        """What was seen, usable with no front end."""
        return self.recorder.history()

    def status(self) -> dict[str, Any]:
        """Where the run is: what the page shows above the curves."""
        seconds = self._spent + (time.perf_counter() - self._began if self.running else 0.0)
        steps = count(self.ticks, "step")
        if self._total is not None and self.steered_by:
            steps += f" · batch {self.ticks - self._pass_began:,} of {self._total:,}"
        return {
            "phase": self._phase(),
            "words": self._ending or self._phase_words(),
            "counters": steps,
            "numbers": words(self._metrics.latest),
            "seconds": seconds,
            "rate": self.ticks / seconds if seconds else 0.0,
        }

    def _phase(self) -> str:
        if self.running:
            return "paused" if self.pace.paused else "running"
        return "failed" if self._ending else "done" if self.ticks else "ready"

    def _phase_words(self) -> str:
        phase = self._phase()
        if phase == "ready" and self._spent:
            return "ended, and tick() was never called: it counts steps and takes the loss"
        return {"ready": "not started", "done": "finished"}.get(phase, phase)

    def __str__(self) -> str:
        return run_text(self._headline(), self._metrics.curves.values(), self.facts)

    def __repr__(self) -> str:
        return str(self)

    def to_html(self) -> str:
        """The run as HTML without a script, as a saved notebook shows it: curves, findings, the tree."""
        return self.head_html() + self.tree.to_html()

    def figure(self) -> Any:
        """The metrics and the gradient norms over time, as a matplotlib Figure.

        Raises:
            ImportError: If matplotlib is not installed.
        """
        return run_figure(self._metrics.curves.values(), self.facts)

    def _headline(self) -> str:
        said = (
            self._ending or self._phase_words(),
            count(self.ticks, "step"),
            words(self._metrics.latest),
        )
        return " · ".join(part for part in said if part)

    def head_html(self) -> str:
        """The curves and the findings as HTML without a script."""
        return run_html(self._headline(), self._metrics.curves.values(), self.facts)
