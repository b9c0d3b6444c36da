"""The drawers of one Module as a matplotlib figure, for papers and slides."""

from __future__ import annotations

from typing import Any, NamedTuple

from nbmodule_widgets.facts import EntryFacts, StateFacts
from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.inks import GREY, INK, SOFT, ink, literal

_ENTRIES = 12  # lines of one drawer
_LINE, _GAP, _WIDE = 0.19, 0.14, 6.4  # inches
_ROLES = {"_parameters": "parameter", "_buffers": "buffer", "_modules": "module"}


class _Box(NamedTuple):
    """A drawer as it is drawn: its name, what it is for, its lines, its colour and the dash of its border."""

    name: str
    meaning: str
    lines: list[str]
    colour: str
    dash: str


@own_style
def state_figure(state: StateFacts) -> Any:
    """Each drawer as a box with what lies in it, then the switches, the hooks and the plain attributes.

    A box with a broken border is not there yet. Of a long drawer the first entries are drawn; the figure says so.

    Args:
        state: What `state_facts` returned.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    boxes = _boxes(state)
    tall = [_LINE * (1.4 + len(box.lines)) for box in boxes]
    figure = sheet(_WIDE, 0.5 + sum(tall) + _GAP * len(boxes))
    axes = figure.subplots()
    y = 0.0
    for box, height in zip(boxes, tall, strict=True):
        _draw(axes, box, y, height)
        y += height + _GAP
    axes.set_xlim(-0.05, _WIDE - 0.2)
    axes.set_ylim(y, -0.05)
    axes.set_axis_off()
    axes.set_title(literal(state.label, 58), fontsize=10, loc="left", fontweight="bold")
    return figure


def _boxes(state: StateFacts) -> list[_Box]:
    drawers = [
        _Box(
            slot.name,
            slot.meaning if slot.present else f"{slot.meaning}: not created yet",
            [*_lines(slot.entries), *([literal(f"! {slot.problem}", 90)] if slot.problem else [])],
            ink(_ROLES[slot.name]),
            "-" if slot.present else "--",
        )
        for slot in state.group("drawer")
    ]
    switches = [f"{slot.name} = {slot.summary}" for slot in state.group("switch")]
    small = [literal(line, 90) for line in (*switches, state.hooks_summary)]
    plain = _lines(state.plain) or ["none"]
    unseen = "invisible to parameters(), state_dict() and .to()"
    return [*drawers, _Box("switches and hooks", "", small, INK, "-"), _Box("plain attributes", unseen, plain, GREY, ":")]  # fmt: skip


def _lines(entries: tuple[EntryFacts, ...]) -> list[str]:
    lines = [
        f"{literal(entry.name, 30)}   {literal(entry.summary, 60)}" for entry in entries[:_ENTRIES]
    ]
    more = len(entries) - _ENTRIES
    return lines if more <= 0 else [*lines, f"cut: {more:,} more"]


def _draw(axes: Any, box: _Box, y: float, height: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    shape = "round,pad=0,rounding_size=0.06"
    axes.add_patch(FancyBboxPatch((0, y), _WIDE - 0.3, height, boxstyle=shape, facecolor="none", edgecolor=box.colour, linestyle=box.dash, linewidth=1.2))  # fmt: skip
    middle = y + _LINE * 0.7
    axes.text(0.1, middle, box.name, fontsize=9, va="center", color=box.colour, fontweight="bold")
    axes.text(_WIDE - 0.4, middle, box.meaning, fontsize=7, va="center", ha="right", color=SOFT)
    for number, line in enumerate(box.lines, start=1):
        axes.text(0.25, middle + _LINE * number, line, fontsize=8, va="center", color=INK)
