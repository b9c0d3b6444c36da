"""The head of a watched run: where it is, its curves, what was found, and the buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import traitlets

from nbmodule_widgets.curves import Curve, summary
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.views.live import LiveView, script
from nbmodule_widgets.views.steps import Pace

_POINTS = 512  # of one curve
_NUMBERS = 1500  # of all curves in one update while the loop runs: 8 bytes each
_CURVES = 24
_FINDINGS = 12


class TrainingView(LiveView):
    """What a page shows above the tree while a model trains. Made by `watch`.

    Args:
        pace: What the buttons change.
        refresh: Called when the page has been opened, and after each cell.
        twins: What makes the text and the HTML.
    """

    _esm = script("core", "watch")

    status = traitlets.Dict().tag(sync=True)
    curves = traitlets.List().tag(sync=True)
    findings = traitlets.List().tag(sync=True)
    control = traitlets.Dict().tag(sync=True)
    path = traitlets.Unicode().tag(sync=True, from_page=True)
    _for_readers = ("path",)

    def __init__(
        self,
        pace: Pace,
        refresh: Callable[[], object],
        twins: tuple[Callable[[], str], Callable[[], str]],
    ) -> None:
        self._pace, self._look, self._twins = pace, refresh, twins
        self._sent = self._drawn = 0
        self.opened = False  # whether a page has ever answered
        super().__init__()

    @property
    def waiting(self) -> bool:
        """Whether a page looks that has not drawn the last update yet."""
        return bool(self._seen_by) and self._drawn < self._sent

    def refresh(self) -> None:
        """Shows the newest state."""
        self._look()

    def send_run(
        self, status: dict[str, Any], curves: Sequence[Curve], findings: Sequence[Any], whole: bool
    ) -> None:
        """Sends one update.

        Args:
            status: Where the run is.
            curves: The metrics.
            findings: What the recorder found.
            whole: Whether to send as many points as there may be, as when the loop has ended.
        """
        shown = curves[:_CURVES]
        points = _POINTS if whole else min(_POINTS, max(32, _NUMBERS // max(1, len(shown))))
        with self._lock, self.hold_sync():
            self._sent += 1
            self.status = {**status, "number": self._sent}
            self.curves = [_packed(curve, points) for curve in shown]
            self.findings = [
                {
                    "kind": visible(found.kind, 40),
                    "path": found.path,
                    "text": visible(found.text, 400),
                }
                for found in findings[:_FINDINGS]
            ]

    def show_control(self, by: str) -> None:
        """Shows the buttons as they are now.

        Args:
            by: Who goes from step to step: "loop", "idle", or nobody ("").
        """
        pace = self._pace
        with self._lock:
            self.control = {
                "by": by,
                "paused": pace.paused,
                "playing": pace.playing,
                "speed": pace.speed,
            }

    def _on_page_message(self, widget: object, message: Any, buffers: object) -> None:
        """The buttons count at once, on whatever thread a click arrives: they only set a flag."""
        kind = message.get("kind") if isinstance(message, dict) else None
        self.opened = True
        if kind == "drawn":
            number = message.get("number")
            self._drawn = max(self._drawn, number) if isinstance(number, int) else self._drawn
        elif kind in ("play", "pause", "step"):
            getattr(self._pace, kind)()
        elif kind == "speed":
            speed = message.get("speed")
            self._pace.at_most(speed if isinstance(speed, (int, float)) else 0)
        else:
            super()._on_page_message(widget, message, buffers)

    def to_html(self) -> str:
        """The twin without a script."""
        return self._twins[1]()

    def __str__(self) -> str:
        return self._twins[0]()


def _packed(curve: Curve, points: int) -> dict[str, Any]:
    steps, values = curve.thinned(points)
    return {
        "name": visible(curve.name, 60),
        "last": decimal(curve.last),
        "words": summary(curve),
        "count": curve.count,
        "steps": np.asarray(steps, np.uint32).tobytes(),
        "values": _float32(values).tobytes(),
    }


def _float32(values: np.ndarray) -> np.ndarray:
    """As the page draws them; what is too large for float32 stays finite."""
    most = float(np.finfo(np.float32).max)
    finite = np.isfinite(values)
    return np.where(finite, np.clip(values, -most, most), values).astype(np.float32)
