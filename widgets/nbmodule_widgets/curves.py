"""The curves of a run: what is kept of a metric, and how it is drawn without a script."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.inks import either
from nbmodule_widgets.markup import drawing
from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.watching import as_number

_KEPT = 2**14  # points of one curve; longer ones are thinned to half of it
_COUNTERS = ("epoch", "step", "batch")  # say where the run is; nobody wants their curve
_BARS = "▁▂▃▄▅▆▇█"
_WIDTH, _HEIGHT = 280.0, 90.0


@dataclass
class Curve:
    """The values of one metric.

    Attributes:
        name: Of the metric.
        steps: At which step each value came.
        values: The values, which may be NaN or infinite.
        count: How many there were, including those that were thinned out.
    """

    name: str
    steps: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))
    count: int = 0

    def add(self, step: int, value: int | float) -> None:
        """Notes one value; an int that is too large for a float counts as infinite."""
        try:
            self.values.append(value)
        except OverflowError:
            self.values.append(float("inf") if value > 0 else float("-inf"))
        self.steps.append(step)
        self.count += 1
        if len(self.steps) >= _KEPT:
            steps, values = self.thinned(_KEPT // 2)
            self.steps, self.values = array("q", steps.tolist()), array("d", values.tolist())

    def thinned(self, points: int) -> tuple[np.ndarray, np.ndarray]:
        """At most that many points of the curve: its first and last, and the extremes in between."""
        steps, values = np.array(self.steps), np.array(self.values)
        if len(steps) <= points:
            return steps, values
        kept = _telling(values, points)
        return steps[kept], values[kept]

    @property
    def last(self) -> float:
        """The newest value."""
        return self.values[-1]

    def extremes(self) -> Iterator[tuple[str, int, float]]:
        """`("min", step, value)` and `("max", step, value)` of the finite values, if there are any."""
        values = np.array(self.values)
        finite = np.flatnonzero(np.isfinite(values))
        if finite.size:
            for name, at in (("min", np.argmin), ("max", np.argmax)):
                index = finite[at(values[finite])]
                yield name, self.steps[index], float(values[index])

    def gaps(self) -> int:
        """How many of the values are NaN or infinite."""
        return int(np.count_nonzero(~np.isfinite(np.array(self.values))))


class Metrics:
    """What a loop reports: a curve for each metric, and the newest values.

    Attributes:
        curves: By the name of the metric.
        latest: What was reported last, as Python's numbers and texts.
    """

    def __init__(self) -> None:
        self.curves: dict[str, Curve] = {}
        self.latest: dict[str, Any] = {}

    def note(self, step: int, given: dict[str, Any]) -> dict[str, Any]:
        """Notes what is reported for a step; no tensor is kept, since its graph would be kept with it.

        Args:
            step: The number of the step.
            given: Numbers, tensors with one element, or texts.
        """
        latest: dict[str, Any] = {}
        for name, value in given.items():
            number = value if type(value) is float else as_number(value)
            if number is None:
                latest[name] = _words(value)
                continue
            latest[name] = number
            if name not in _COUNTERS:
                curve = self.curves.get(name)
                if curve is None:
                    curve = self.curves[name] = Curve(name)
                curve.add(step, number)
        self.latest = latest
        return latest


def _words(value: object) -> str:
    return visible(value if type(value) is str else attempt(repr, value).value or "?", 60)


def _telling(values: np.ndarray, points: int) -> np.ndarray:
    """Indices of at most `points` values: of each stretch the lowest, the highest and the first that is no number."""
    stretches = max(1, (points - 2) // 3)
    width = -(-len(values) // stretches)
    padded = np.full(stretches * width, np.nan)
    padded[: len(values)] = values
    grid = padded.reshape(stretches, width)
    start = np.arange(stretches) * width
    finite = np.isfinite(grid)
    real = (np.arange(stretches * width) < len(values)).reshape(stretches, width)
    found = {0, len(values) - 1}
    some = finite.any(1)
    found.update((start + np.where(finite, grid, np.inf).argmin(1))[some].tolist())
    found.update((start + np.where(finite, grid, -np.inf).argmax(1))[some].tolist())
    odd = real & ~finite
    found.update((start + odd.argmax(1))[odd.any(1)].tolist())
    return np.array(sorted(found))


def sparkline(curve: Curve, width: int = 32) -> str:
    """The curve in one line of text; `×` where it is NaN or infinite."""
    values = np.array(curve.values)
    parts = np.array_split(values, min(width, len(values)))
    heights = [
        float(part[np.isfinite(part)].mean()) if np.isfinite(part).all() else np.nan
        for part in parts
    ]
    finite = [height for height in heights if np.isfinite(height)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    span = (high - low) or 1.0
    return "".join(
        _BARS[round((height - low) / span * 7)] if np.isfinite(height) else "×"
        for height in heights
    )


def summary(curve: Curve) -> str:
    """`"min 0.29 at step 87 · max 2.3 at step 1"`."""
    parts = [f"{name} {decimal(value)} at step {step:,}" for name, step, value in curve.extremes()]
    gaps = curve.gaps()
    if gaps:
        parts.append(f"{gaps:,} NaN or infinite")
    return " · ".join(parts)


def curve_html(curve: Curve) -> str:
    """The curve as a small drawing: an inline SVG with its name, its last value and its extremes."""
    steps, values = curve.thinned(200)
    name = escape(visible(curve.name, 40))
    words = escape(f"steps {steps[0]:,} to {steps[-1]:,} · {summary(curve)}")
    drawn = drawing(_svg(steps, values, f"{name}: {words}"), sparkline(curve))
    head = f"<b>{name}</b> <span>{escape(decimal(curve.last))}</span>"
    note = f'<div style="opacity:.7;font-size:12px">{words}</div>'
    return f'<div style="flex:1 1 260px;max-width:420px">{head}{drawn}{note}</div>'


def _svg(steps: np.ndarray, values: np.ndarray, label: str) -> str:
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    first, last = float(steps[0]), float(steps[-1])
    across = _WIDTH / ((last - first) or 1.0)
    up = (_HEIGHT - 8) / ((high - low) or 1.0)
    lines, marks, piece = [], [], []
    for step, value in zip(steps.tolist(), values.tolist(), strict=True):
        x = (step - first) * across
        if np.isfinite(value):
            piece.append(f"{x:.1f},{_HEIGHT - 4 - (value - low) * up:.1f}")
            continue
        marks.append(f'<text x="{x:.1f}" y="12" font-size="12" text-anchor="middle">×</text>')
        lines.append(piece)
        piece = []
    lines.append(piece)
    drawn = "".join(_piece(line) for line in lines if line)
    ends = f"{escape(decimal(high))} at the top, {escape(decimal(low))} at the bottom, steps {int(first):,} to {int(last):,}"
    return (
        f'<svg viewBox="-6 0 {_WIDTH + 12:.0f} {_HEIGHT:.0f}" width="100%" role="img" aria-label="{label}" '
        'style="display:block;border-left:1px solid rgba(128,128,128,.5);'
        f'border-bottom:1px solid rgba(128,128,128,.5)"><title>{ends}</title>'
        f'<g fill="currentColor" stroke="none">{"".join(marks)}</g>{drawn}</svg>'
    )


def _piece(points: list[str]) -> str:
    if len(points) == 1:
        x, y = points[0].split(",")
        return f'<circle cx="{x}" cy="{y}" r="2" fill="{either("value")}"/>'
    return f'<polyline points="{" ".join(points)}" fill="none" stroke="{either("value")}" stroke-width="1.6"/>'
