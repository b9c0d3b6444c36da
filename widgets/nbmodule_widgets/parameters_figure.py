"""A tensor and the gradients around it as matplotlib figures, for papers and slides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nbmodule_widgets.facts.parameters import ParameterFacts
from nbmodule_widgets.facts.weights import Histogram
from nbmodule_widgets.facts.words import decimal
from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.inks import GREY, WHITE, channels, in_legend, ink, literal

_TALLEST = 60  # parameters in one figure of the gradient flow


@own_style
def parameter_figure(found: ParameterFacts, kind: str) -> Any:
    """A figure of one tensor or of the gradients around it.

    Args:
        found: What a ParameterView shows.
        kind: `"values"`, `"histogram"`, `"time"`, `"flow"` or `"compare"`.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        ValueError: If there is no such kind, or nothing to draw; the message says what is missing.
    """
    kinds: dict[str, Callable[[ParameterFacts], Any]] = {
        "values": _values,
        "histogram": _histogram,
        "time": _time,
        "flow": _flow,
        "compare": _compare,
    }
    if kind not in kinds:
        raise ValueError(f"no figure {kind!r}; there is {', '.join(map(repr, kinds))}")
    return kinds[kind](found)


def _figure(columns: int = 1, rows: int = 1, width: float = 6.4, height: float = 3.6) -> Any:
    figure = sheet(width, height)
    return figure, figure.subplots(rows, columns, squeeze=False)


def _path(found: ParameterFacts) -> str:
    if found.place is None:
        raise ValueError("there is no tensor to draw")
    return literal(found.place.path)


def diverging() -> Any:
    """White at zero, one colour below it and one above; NaN and what lies beyond the scale stand out."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list(
        "around zero", [ink("negative"), WHITE, ink("positive")]
    )
    return colours.with_extremes(bad=GREY, under=_darker("negative"), over=_darker("positive"))


def _darker(role: str) -> tuple[float, float, float]:
    red, green, blue = channels(ink(role))
    return red / 510, green / 510, blue / 510


def _values(found: ParameterFacts) -> Any:
    heat = found.heat
    if heat.problem:
        raise ValueError(f"no picture: {heat.problem}")
    figure, axes = _figure(height=4.4)
    axis = axes[0, 0]
    _draw_heat(figure, axis, heat)
    grad = ".grad" if found.slice.of == "gradient" else ""
    axis.set_title(f"{_path(found)}{grad}\n{heat.words}", fontsize=9)
    return figure


def _draw_heat(figure: Any, axis: Any, heat: Any) -> None:
    cells = np.array(heat.cells, dtype=float)
    cells.reshape(-1)[heat.used :] = np.nan
    down, across = heat.block
    rows, columns = cells.shape
    length, width = rows * down, columns * across
    if heat.axes and not heat.line:
        length, width = (heat.shape[axis] for axis in heat.axes)
    drawn = axis.imshow(
        np.ma.masked_invalid(cells), cmap=diverging(), vmin=-heat.limit, vmax=heat.limit,
        aspect="equal" if heat.line else "auto", interpolation="nearest",
        extent=(-0.5, columns * across - 0.5, rows * down - 0.5, -0.5),
    )  # fmt: skip
    axis.set_xlim(-0.5, width - 0.5)
    axis.set_ylim(length - 0.5, -0.5)
    if heat.line:
        _tile_lines(axis, heat)
    elif heat.axes:
        axis.set_ylabel(f"index in dimension {heat.axes[0]}")
        axis.set_xlabel(f"index in dimension {heat.axes[1]}")
    else:
        axis.set_ylabel("line")
        axis.set_xlabel("position in the line")
    figure.colorbar(drawn, ax=axis, extend="both", label="value (dark ends: beyond the scale)")


def _tile_lines(axis: Any, heat: Any) -> None:
    """White between the tiles, and which of them lie where."""
    (rows, columns), (high, wide) = heat.cells.shape, heat.tile
    axis.hlines(np.arange(high, rows, high) - 0.5, -0.5, columns - 0.5, color=WHITE, linewidth=2)
    axis.vlines(np.arange(wide, columns, wide) - 0.5, -0.5, rows - 0.5, color=WHITE, linewidth=2)
    axis.set_xticks([])
    axis.set_yticks([])
    axis.set_xlabel("slices [0, 0], [0, 1] … from left to right, line by line", fontsize=8)


def _bars(axis: Any, counted: Histogram, **look: Any) -> None:
    edges = np.linspace(counted.low, counted.high, len(counted.counts) + 1)
    counts = np.array(counted.counts, dtype=float)
    some = counts > 0
    if not look.get("fill"):
        axis.stairs(np.where(some, counts, np.nan), edges, **look)  # no line where nothing is
        return
    axis.stairs(counts, edges, **look)
    axis.hlines(counts[some], edges[:-1][some], edges[1:][some], color=look["color"], linewidth=1)


def _histogram(found: ParameterFacts) -> Any:
    parts = [("value", found.weight, ink("value")), ("gradient", found.gradient, ink("gradient"))]
    drawn = [part for part in parts if part[1].histogram is not None]
    if not drawn:
        raise ValueError(f"no histogram: {found.weight.problem or 'no numbers to count'}")
    figure, axes = _figure(columns=len(drawn), width=3.6 * len(drawn), height=2.8)
    for axis, (name, values, colour) in zip(axes[0], drawn, strict=True):
        _bars(axis, values.histogram, fill=True, color=colour)  # type: ignore[arg-type]
        axis.set_xlabel(name)
        axis.set_ylabel(f"count, of {values.finite:,}")
        axis.set_title(f"one bin is {decimal(_width(values.histogram))} wide", fontsize=8)
    figure.suptitle(_path(found), fontsize=10)
    return figure


def _width(counted: Histogram | None) -> float:
    return (counted.high - counted.low) / len(counted.counts) if counted else 0.0


def _time(found: ParameterFacts) -> Any:
    history, path = found.history, _path(found)
    if history is None or not len(history.steps):
        raise ValueError("nothing was watched: train inside `with nw.watch(model) as w:`")
    metrics = (
        ("weight norm", history.weight_norm), ("gradient norm", history.gradient_norm),
        ("update norm", history.update_norm), ("update / weight", history.ratio),
    )  # fmt: skip
    assert found.place is not None
    chosen = history.paths.index(found.place.path) if found.place.path in history.paths else -1
    figure, axes = _figure(columns=2, rows=2, width=7.2, height=4.8)
    for axis, (name, column) in zip(axes.flat, metrics, strict=True):
        curves = np.where(column > 0, column, np.nan).astype(float)
        every = max(1, curves.shape[1] // 100)
        axis.plot(history.steps, curves[:, ::every], color=GREY, alpha=0.35, linewidth=0.7)
        if chosen >= 0:
            axis.plot(
                history.steps,
                curves[:, chosen],
                color=ink("gradient" if "gradient" in name else "value"),
                linewidth=1.8,
            )
        if np.isfinite(curves).any():
            axis.set_yscale("log")
        axis.set_ylabel(name)
        axis.set_xlabel("training step")
    figure.suptitle(f"{path} (gray: the other parameters)", fontsize=10)
    return figure


def _flow(found: ParameterFacts) -> Any:
    rows = found.flow.rows[:_TALLEST]
    if not any(row.state in ("gradient", "zero") for row in rows):
        said = found.flow.findings[0].text if found.flow.findings else "there are no parameters"
        raise ValueError(f"no gradient flow: {said}")
    figure, axes = _figure(width=7.2, height=1.2 + 0.2 * len(rows))
    axis, places = axes[0, 0], np.arange(len(rows))
    axis.hlines(
        places, [row.rms or np.nan for row in rows], [row.largest or np.nan for row in rows],
        color=GREY, linewidth=1, label="up to the largest",
    )  # fmt: skip
    axis.plot([row.rms or np.nan for row in rows], places, "o", color=ink("gradient"), label="RMS")
    for place, row in zip(places, rows, strict=True):
        if row.state != "gradient":
            said = {"none": "no gradient", "zero": "exactly 0"}.get(row.state, row.state)
            axis.text(0.01, place, said, fontsize=7, va="center", transform=axis.get_yaxis_transform())  # fmt: skip
    axis.set_yticks(places, [literal(row.path, 50) for row in rows], fontsize=7)
    axis.invert_yaxis()
    if any(row.state == "gradient" for row in rows):
        axis.set_xscale("log")
    axis.set_xlabel("gradient for each element")
    axis.legend(fontsize=7)
    more = len(found.flow.rows) - len(rows)
    axis.set_title(
        "gradient flow, in order of registration" + (f" (first {len(rows)})" if more else ""),
        fontsize=10,
    )
    return figure


def _compare(found: ParameterFacts) -> Any:
    if found.comparison is None or found.overlay is None or found.moved is None:
        raise ValueError("nothing to compare: call remember() once or twice before")
    before, after = (
        in_legend(name, 40) for name in (found.comparison.before, found.comparison.after)
    )
    figure, axes = _figure(columns=2, width=9.0, height=3.4)
    for counted, name, look in (
        (found.overlay[0], before, {"fill": True, "color": GREY, "alpha": 0.6}),
        (found.overlay[1], after, {"color": ink("value"), "linewidth": 1.6}),
    ):
        _bars(axes[0, 0], counted, label=name, **look)
    axes[0, 0].set_xlabel("value")
    axes[0, 0].set_ylabel("count")
    axes[0, 0].legend(fontsize=8)
    if found.moved.problem:
        axes[0, 1].set_axis_off()
    else:
        _draw_heat(figure, axes[0, 1], found.moved)
        axes[0, 1].set_title(f"{after} − {before}", fontsize=9)
    figure.suptitle(_path(found), fontsize=10)
    return figure
