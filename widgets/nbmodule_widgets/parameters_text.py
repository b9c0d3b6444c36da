"""The text twin of a ParameterView: what a terminal, a screen reader, GitHub and the tests read."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite, log10
from typing import Any

import numpy as np

from nbmodule_widgets.facts.flow import FlowRow, GradientFlow
from nbmodule_widgets.facts.heat import HeatMap
from nbmodule_widgets.facts.moments import Comparison, Moved
from nbmodule_widgets.facts.parameters import ParameterFacts
from nbmodule_widgets.facts.slots import tensor_words
from nbmodule_widgets.facts.weights import Histogram, Values, values_text
from nbmodule_widgets.facts.words import decimal, visible

_STEPS = " ▁▂▃▄▅▆▇█"
_LINES = 30  # of the gradient flow and of a comparison
_CELLS = 8  # rows and columns of numbers that are written out
_WIDTH = 20  # characters of the longest bar
_NAME = 44

STATES = {
    "zero": "0 everywhere",
    "none": "None: no gradient",
    "frozen": "frozen: no gradient wanted",
    "not finite": "NaN or infinite",
    "unreadable": "could not be read",
}


def parameters_text(found: ParameterFacts) -> str:
    """The facts of a ParameterView in lines of text."""
    place = found.place
    if place is None:
        lines = ["no parameters and no buffers here"]
    else:
        lines = [
            f"{visible(place.path, 80)}: {place.tensor.kind} {tensor_words(place.tensor)} in {visible(place.owner, 60)}",
            *_values_lines("weight", found.weight),
            *_values_lines("gradient", found.gradient),
            *_heat_lines(found.heat, found.slice.of),
        ]
    lines += history_lines(found.history, place.path if place else "")
    lines += flow_lines(found.flow, found.scope)
    if found.comparison is not None:
        lines += comparison_lines(found.comparison)
    return "\n".join(lines)


def spark(counts: Iterable[float]) -> str:
    """A row of small bars: 0 is a space, all else is at least the smallest bar."""
    numbers = list(counts)
    most = max(numbers, default=0) or 1
    return "".join(
        _STEPS[0 if n <= 0 else max(1, round(n / most * (len(_STEPS) - 1)))] for n in numbers
    )


def _values_lines(name: str, values: Values) -> list[str]:
    lines = [f"  {name:<9} {values_text(values)}"]
    if values.histogram is not None:
        lines.append(f"  {'':<9} {_histogram_text(values.histogram)}")
    return lines


def _histogram_text(found: Histogram) -> str:
    return f"{decimal(found.low)} │{spark(found.counts)}│ {decimal(found.high)}"


def _heat_lines(heat: HeatMap, of: str) -> list[str]:
    """The numbers themselves, of a small tensor."""
    rows, columns = heat.cells.shape
    if heat.problem or not heat.used:
        return []
    if max(rows, columns) > _CELLS or heat.used < heat.cells.size:
        return [f"  {'picture':<9} {of}{_held(heat)}: {heat.words}"]
    lines = [f"  {'numbers':<9} {of}{_held(heat)}"]
    rows_of_text = (" ".join(f"{decimal(n):>10}" for n in row) for row in heat.cells.tolist())
    return lines + [" " * 12 + row for row in rows_of_text]


def _held(heat: HeatMap) -> str:
    """`"[3, :, :]"` where dimensions are held, otherwise nothing."""
    if len(heat.shape) < 3:
        return ""
    parts = [":" if n in heat.axes else str(at) for n, at in enumerate(heat.index)]
    return f"[{', '.join(parts)}]"


def history_lines(history: Any, path: str) -> list[str]:
    """First and last norms of one parameter in a watched run."""
    if history is None or path not in history.paths or not len(history.steps):
        return []
    at = history.paths.index(path)
    first, last = int(history.steps[0]), int(history.steps[-1])
    lines = [f"over time, steps {first:,} to {last:,} ({len(history.steps):,} looks)"]
    columns = (
        ("weight norm", history.weight_norm), ("gradient norm", history.gradient_norm),
        ("update norm", history.update_norm), ("update / weight", history.ratio),
    )  # fmt: skip
    for name, column in columns:
        curve = np.asarray(column[:, at], dtype=np.float64)
        seen = curve[np.isfinite(curve) & (curve >= 0)]
        if seen.size:
            ends = f"{decimal(float(seen[0]))} → {decimal(float(seen[-1]))}"
            lines.append(f"  {name:<15} {spark_log(seen)} {ends}")
        else:
            lines.append(f"  {name:<15} none was seen")
    return lines


def spark_log(curve: np.ndarray, width: int = 24) -> str:
    """A curve as small bars, on a log scale from its smallest to its largest value."""
    picked = curve[np.linspace(0, curve.size - 1, min(width, curve.size)).astype(int)]
    above = picked[picked > 0]
    if not above.size:
        return _STEPS[1] * picked.size
    low = log10(above.min())
    span = log10(above.max()) - low or 1.0
    levels = [0.0 if n <= 0 else (log10(n) - low) / span for n in picked.tolist()]
    return "".join(_STEPS[1 + round(level * 7)] for level in levels)


def flow_lines(flow: GradientFlow, scope: str = "") -> list[str]:
    """The size of every gradient as bars on a log scale, and what is to be said about them."""
    if not flow.rows:
        return []
    where = f"in {visible(scope, 60)}, " if scope else ""
    lines = [f"gradient flow {where}in order of registration (RMS of each gradient, log scale)"]
    if any(row.state == "gradient" or row.state == "zero" for row in flow.rows):
        low, high = flow_range(flow.rows)
        shown = flow.rows[:_LINES]
        lines += [
            f"  {name} {_bar(row, low, high)} {flow_words(row)}"
            for name, row in zip(_padded([row.path for row in shown]), shown, strict=True)
        ]
        if len(flow.rows) > _LINES:
            lines.append(f"  … {len(flow.rows) - _LINES:,} more")
    return [*lines, *(f"  ! {finding.text}" for finding in flow.findings)]


def flow_range(rows: Iterable[FlowRow]) -> tuple[float, float]:
    """The powers of ten between which all gradients lie."""
    sizes = [
        log10(size)
        for row in rows
        if row.state == "gradient"
        for size in (row.rms, row.largest)
        if size > 0 and isfinite(size)
    ]
    low, high = (int(min(sizes) // 1), int(-(-max(sizes) // 1))) if sizes else (-1, 0)
    return float(low), float(max(high, low + 1))


def flow_words(row: FlowRow) -> str:
    """The size of a gradient, or why it has none."""
    if row.state != "gradient":
        return STATES[row.state]
    dead = f" · {len(row.dead)} of {row.units} rows zero" if row.dead and row.weight else ""
    return decimal(row.rms) + dead


def _bar(row: FlowRow, low: float, high: float) -> str:
    drawn = row.state == "gradient" and row.rms > 0
    share = (min(log10(row.rms), high) - low) / (high - low) if drawn else 0  # it may be infinite
    length = max(1, round(share * _WIDTH)) if share else 0
    return f"{'█' * length:<{_WIDTH}}"


def _padded(paths: list[str]) -> list[str]:
    """The names, all as wide as the longest."""
    names = [visible(path, _NAME) for path in paths]
    width = max(map(len, names), default=0)
    return [f"{name:<{width}}" for name in names]


def comparison_lines(found: Comparison) -> list[str]:
    """How far each tensor moved, farthest first."""
    lines = [
        f"from {visible(found.before, 60)} to {visible(found.after, 60)}: how far each tensor moved, farthest first"
    ]
    rows = sorted(found.rows, key=lambda row: -(row.relative if isfinite(row.relative) else -1))
    names = _padded([row.path for row in rows[:_LINES]])
    lines += [f"  {name} {moved_text(row)}" for name, row in zip(names, rows, strict=False)]
    if len(rows) > _LINES:
        lines.append(f"  … {len(rows) - _LINES:,} more")
    return [*lines, *unlike_lines(found)]


def unlike_lines(found: Comparison) -> list[str]:
    """Which tensors only one of the moments has."""
    lines = []
    for name, paths in ((found.before, found.missing), (found.after, found.added)):
        if paths:
            listed = ", ".join(visible(path, 60) for path in paths[:5])
            more = f" and {len(paths) - 5:,} more" if len(paths) > 5 else ""
            lines.append(f"  only in {visible(name, 60)}: {listed}{more}")
    return lines


def moved_text(row: Moved) -> str:
    """Norms, distance and direction of one tensor."""
    if row.note:
        return row.note
    sampled = f" · from {row.read:,} of {row.numel:,} numbers" if row.read < row.numel else ""
    return (
        f"norm {decimal(row.before)} → {decimal(row.after)} · moved {distance_text(row)} "
        f"· cosine {decimal(row.cosine)}{sampled}"
    )


def distance_text(row: Moved) -> str:
    """`"0.34 (3.2 %)"`; from zero there are no per cent."""
    part = f" ({decimal(100 * row.relative)} %)" if isfinite(row.relative) else " from 0"
    return decimal(row.distance) + (part if row.distance else "")
