"""The static twin of a ParameterView: HTML and inline SVG without a script, for saved notebooks and e-mail.

Colours are transparent washes over whatever the page has, and `currentColor`, so that they read in light and
in dark; what a colour says is written beside it as a number.
"""

from __future__ import annotations

from html import escape
from math import log10

import numpy as np

from nbmodule_widgets.facts.flow import FlowRow, GradientFlow
from nbmodule_widgets.facts.heat import HeatMap
from nbmodule_widgets.facts.moments import Comparison
from nbmodule_widgets.facts.parameters import ParameterFacts
from nbmodule_widgets.facts.slots import tensor_words
from nbmodule_widgets.facts.weights import Histogram, Values, values_text
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.inks import either
from nbmodule_widgets.markup import FRAME, MONO, drawing
from nbmodule_widgets.parameters_text import (
    comparison_lines,
    flow_range,
    flow_words,
    history_lines,
)

_SOFT = "opacity:.75"
_LEVELS = 8  # shades on either side of zero
_SIDE = 64  # cells across or down in a static picture
_ROWS = 60
_GAP = 0.6  # between two tiles, in cells


def parameters_html(found: ParameterFacts) -> str:
    """The facts of a ParameterView as HTML."""
    place = found.place
    parts: list[str] = []
    if place is None:
        parts.append("<div>no parameters and no buffers here</div>")
    else:
        words = f"{place.tensor.kind} {tensor_words(place.tensor)} in {visible(place.owner, 60)}"
        parts += [
            f'<div><b style="{MONO};font-size:13px"><bdi>{_safe(place.path)}</bdi></b> '
            f'<span style="{_SOFT}"><bdi>{escape(words)}</bdi></span></div>',
            '<div style="display:flex;flex-wrap:wrap;gap:4px 28px;align-items:flex-start">',
            f"<div>{_histograms(found)}</div>",
            f"<div>{heat_svg(found.heat, found.slice.of)}</div>",
            "</div>",
        ]
    path = place.path if place else ""
    parts += [_lines(history_lines(found.history, path)), flow_html(found.flow, found.scope)]
    if found.comparison is not None:
        parts.append(_comparison(found.comparison))
    return f'<div style="{FRAME}">{"".join(parts)}</div>'


def _histograms(found: ParameterFacts) -> str:
    both = (
        ("weight", found.weight, either("value")),
        ("gradient", found.gradient, either("gradient")),
    )
    return "".join(_values(name, values, colour) for name, values, colour in both)


def _values(name: str, values: Values, colour: str) -> str:
    text = f'<div style="max-width:420px"><b>{name}</b> <span style="{_SOFT}">{escape(values_text(values))}</span></div>'
    return text + (histogram_svg(values.histogram, colour) if values.histogram else "")


def histogram_svg(found: Histogram, colour: str) -> str:
    """Bars, with the ends of the axis and the highest count written out; one number is seen, none is nothing."""
    most = max(found.counts)
    bars = "".join(
        f"M{n * 8} 60v-{max(1, 60 * count / most):.4g}h7V60z" for n, count in enumerate(found.counts) if count
    )  # fmt: skip
    width = 8 * len(found.counts)
    zero = -width * found.low / (found.high - found.low)
    dashed = f'<path stroke="currentColor" opacity=".5" stroke-dasharray="4 3" d="M{zero:.4g} 0V60"><title>0</title></path>'
    ends = f"<span>{decimal(found.low)}</span><span>most in one bin: {most:,}{', dashed: 0' if 0 < zero < width else ''}</span><span>{decimal(found.high)}</span>"
    picture = (
        f'<svg viewBox="0 0 {width} 61" width="{width}" height="61" style="display:block;max-width:100%">'
        f'<path fill="{colour}" d="{bars}"/><path stroke="currentColor" opacity=".5" d="M0 60.5h{width}"/>{dashed if 0 < zero < width else ""}</svg>'
    )
    return (
        f"{drawing(picture)}"
        f'<div style="display:flex;justify-content:space-between;font-size:11px;max-width:{width}px;{_SOFT}">{ends}</div>'
    )


def heat_svg(heat: HeatMap, of: str) -> str:
    """The cells as squares: one colour is below zero, another above, and the stronger the farther from it."""
    if heat.problem or not heat.used:
        return ""
    high, wide = heat.tile
    side = max(heat.cells.shape) if heat.line else _SIDE
    rows, columns = (min(side, n) for n in heat.cells.shape)
    edge = max(5, min(24, 360 // max(rows, columns)))
    shades: dict[tuple[bool, int], list[str]] = {}
    marks: list[str] = []
    gap = _GAP if heat.line else 0
    for row in range(rows):
        for column in range(columns):
            if not heat.axes and row * heat.cells.shape[1] + column >= heat.used:
                continue
            value, mark = float(heat.cells[row, column]), heat.mark(row, column)
            if mark in ("X", "∞"):
                marks.append(
                    f'<text x="{column + column // wide * gap + 0.5:g}" y="{row + row // high * gap + 0.85:g}" text-anchor="middle" font-size="1" fill="currentColor">{mark}</text>'
                )
                continue
            level = min(_LEVELS, round(abs(value) / heat.limit * _LEVELS))
            if level:
                shades.setdefault((value > 0, level), []).append(
                    f"M{column + column // wide * gap:g} {row + row // high * gap:g}h1v1h-1z"
                )
    across, down = columns + (columns - 1) // wide * gap, rows + (rows - 1) // high * gap
    painted = "".join(
        f'<path fill="{either("positive" if above else "negative")}" fill-opacity="{level / _LEVELS:.3g}" d="{"".join(squares)}"/>'
        for (above, level), squares in sorted(shades.items())
    )
    cut = f"; the first {rows} by {columns} cells" if (rows, columns) != heat.cells.shape else ""
    limit = decimal(heat.limit)
    clipped = int(np.sum(np.abs(heat.cells, dtype=np.float64) > heat.limit * 1.0001))
    beyond = f"; {clipped:,} cells lie beyond the scale" if clipped else ""
    picture = (
        f'<svg viewBox="0 0 {across:g} {down:g}" width="{across * edge:.0f}" height="{down * edge:.0f}" '
        'style="display:block;max-width:100%;outline:1px solid rgba(128,128,128,.5)">'
        f"{painted}{''.join(marks)}</svg>"
    )
    return (
        f'<div><b>{of}</b> <span style="{_SOFT}">{escape(heat.words)}{cut}</span></div>'
        f"{drawing(picture)}"
        f'<div style="font-size:11px;{_SOFT}"><span style="color:{either("negative")}">■</span> −{limit} … 0 … {limit} '
        f'<span style="color:{either("positive")}">■</span>{beyond}{"; X is NaN, ∞ infinite" if marks else ""}</div>'
    )


def flow_html(flow: GradientFlow, scope: str) -> str:
    """One bar for each parameter, and the findings."""
    if not flow.rows:
        return ""
    low, high = flow_range(flow.rows)
    where = f" in {_safe(scope)}" if scope else ""
    findings = "".join(f"<div>⚠ {escape(finding.text)}</div>" for finding in flow.findings)
    rows = "".join(_flow_row(row, low, high) for row in flow.rows[:_ROWS])
    more = f"<tr><td>… {len(flow.rows) - _ROWS:,} more</td></tr>" if len(flow.rows) > _ROWS else ""
    axis = f"RMS of each gradient, log scale from 1e{low:.0f} to 1e{high:.0f}"
    return (
        f'<details style="margin-top:6px" open><summary><b>gradient flow</b>{where} <span style="{_SOFT}">'
        f"{axis}, in order of registration</span></summary>{findings}"
        f'<table style="border-collapse:collapse;{MONO}">{rows}{more}</table></details>'
    )


def _flow_row(row: FlowRow, low: float, high: float) -> str:
    cell = "padding:0 10px 0 0;text-align:left;border:0;background:none"
    bar = ""
    if row.state == "gradient":
        share = (min(log10(row.rms), high) - low) / (high - low) if row.rms > 0 else 0.0
        bar = f'<div style="width:{max(2, 200 * share):.0f}px;height:9px;background:{either("gradient")}"></div>'
    return (
        f'<tr style="background:none"><td style="{cell}"><bdi>{_safe(row.path)}</bdi></td>'
        f'<td style="{cell};width:210px">{bar}</td><td style="{cell}">{escape(flow_words(row))}</td></tr>'
    )


def _comparison(found: Comparison) -> str:
    return _lines(comparison_lines(found))


def _lines(lines: list[str]) -> str:
    if not lines:
        return ""
    head, *rest = lines
    text = escape("\n".join(rest))
    return (
        f'<details style="margin-top:6px" open><summary>{escape(head)}</summary>'
        f'<pre style="{MONO};margin:0;overflow:auto;background:none;color:inherit">{text}</pre></details>'
    )


def _safe(text: str) -> str:
    return escape(visible(text, 120))
