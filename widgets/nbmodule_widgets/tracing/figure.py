"""A pass as a matplotlib figure: who ran when, by time. matplotlib is loaded when a figure is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.inks import ink, literal
from nbmodule_widgets.tracing.boxes import Box, boxes, lane_name, name_of, turning_point
from nbmodule_widgets.tracing.summary import hook_lines

if TYPE_CHECKING:
    from nbmodule_widgets.tracing.records import TraceFacts

_BOXES = 500  # the longest ones; what is shorter would be thinner than a line


@own_style
def trace_figure(found: TraceFacts) -> Any:
    """Who ran when: a lane for each depth, backward hatched, hooks as numbers.

    Args:
        found: What `record` returned.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        ValueError: If no call was recorded.
    """
    drawn = boxes(found)
    if not drawn:
        raise ValueError("no figure: no call was recorded")
    lanes = 1 + max(box.depth for box in drawn)
    figure = sheet(9, min(7.0, 1.5 + 0.32 * lanes))
    axis = figure.subplots()
    times = found.columns()["at_us"].tolist()
    unit, scale = ("ms", 1e-3) if times[-1] >= 1000 else ("µs", 1.0)
    span = max(times[-1] * scale, 1e-9)
    longest = sorted(drawn, key=lambda box: times[box.first] - times[box.last])[:_BOXES]
    for box in longest:
        _draw(axis, box, name_of(found, box), times, scale, span)
    number = 0
    for line in hook_lines(found):
        number += not line.left_out
        if line.left_out or not line.events:
            continue
        event = found.events[line.events[0]]
        axis.text(
            event.at_us * scale, event.depth, str(number), color="white", fontsize=7, ha="center",
            va="center", bbox={"boxstyle": "circle,pad=0.2", "color": ink("hook")},
        )  # fmt: skip
    if found.failed >= 0:
        axis.axvline(times[found.failed] * scale, color=ink("problem"), linewidth=1.5)
        axis.text(times[found.failed] * scale, -0.65, "failed ", fontsize=8, ha="right")
    turn = turning_point(found)
    if turn < len(times):
        axis.axvline(times[turn] * scale, color="black", linewidth=0.8)
        axis.text(times[turn] * scale, -0.65, " ◀ backward", fontsize=8)
    axis.text(0, -0.65, "forward ▶", fontsize=8)
    axis.set_xlim(0, span * 1.002)
    axis.set_ylim(lanes - 0.4, -0.9)
    named = range(0, lanes, 1 + lanes // 20)
    axis.set_yticks(named, [lane_name(depth) for depth in named], fontsize=8)
    axis.set_xlabel(f"time in {unit}, recording included")
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    hooks = " · numbers: hooks in the order in which they first ran" if number else ""
    axis.set_title(f"{literal(found.model.root.class_name)}: one pass{hooks}", fontsize=9)
    return figure


def _draw(axis: Any, box: Box, named: str, times: list[float], scale: float, span: float) -> None:
    start, end = times[box.first] * scale, times[box.last] * scale
    colour = ink("backward" if box.backward else "forward")
    axis.broken_barh(
        [(start, max(end - start, span / 2000))], (box.depth - 0.4, 0.8),
        facecolor=colour + "38", edgecolor=colour, linewidth=0.7,
        hatch="////" if box.backward else None,
    )  # fmt: skip
    room = int(110 * (end - start) / span)
    if room > 2:
        name = named if len(named) <= room else named[: room - 1] + "…"
        axis.text(
            (start + end) / 2, box.depth, literal(name), fontsize=7, ha="center", va="center",
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "alpha": 0.7, "linewidth": 0},
        )  # fmt: skip
