"""The two passes of a call tape as text, as HTML without a script, and as a figure."""

from __future__ import annotations

from html import escape
from typing import Any

from nbmodule_widgets import inks
from nbmodule_widgets.facts.words import count
from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.lessons.listing import listing_html, listing_text
from nbmodule_widgets.lessons.tape import TapeFacts, TapeRow
from nbmodule_widgets.markup import (
    CODE,
    FINE,
    GREY,
    HOOK,
    PROBLEM,
    SOFT,
    coded,
    framed,
    line,
    pill,
    table,
    title,
)
from nbmodule_widgets.tracing.text import plain

_TEXT, _HTML, _DRAWN = 120, 200, 60  # rows of each rendering
_WIDEST = 64  # characters of the left column
# The signs of the timeline, for the same moments.
_MARKS = {"call": "▶", "forward": "▷", "hook": "◆", "result": "□", "return": "■", "failed": "⚠"}
_WASHES = {"call": GREY, "return": GREY, "forward": inks.wash("forward"), "result": inks.wash("forward"), "hook": HOOK, "failed": PROBLEM}  # fmt: skip


def mark_of(row: TapeRow) -> str:
    """A sign for the kind of a moment: ▶ ▷ a call and its forward begin, □ ■ they end, ◆ a hook, ⚠ an exception."""
    return _MARKS[row.kind]


def verdict(found: TapeFacts) -> str:
    """What the direct call left out and whether the results are the same, in a sentence or two."""
    hooks = count(len(found.skipped), "hook")
    left = f"`model.forward(x)` skips {hooks}. " if found.skipped else ""
    return left + found.verdict


def _told(row: TapeRow) -> str:
    """A row in a few words."""
    if row.changed:
        return f"{row.title}: {row.changed}"
    return f"{row.title}  {row.shapes}".rstrip()


def _shown(row: TapeRow, left: bool) -> str:
    """A row in one of the two columns."""
    if row.side == "both" or (row.side == "called") is left:
        return f"{mark_of(row)} {_told(row)}"
    return "skipped" if row.side == "called" else "not in model(x)"


def tape_text(found: TapeFacts) -> str:
    """Both passes as two columns."""
    rows = found.rows[:_TEXT]
    left = [f"{'  ' * min(row.depth, 12)}{_shown(row, True)}" for row in rows]
    width = min(_WIDEST, max((len(text) for text in left), default=0))
    lines = [f"{found.label}: what model(x) runs, against model.forward(x)"]
    lines.append(f"  {'model(x)':<{width}}  │ model.forward(x)")
    for row, text in zip(rows, left, strict=True):
        if row.side == "both":
            right = "other numbers" if row.differs else "the same"
        elif row.side == "called":
            right = "–" if row.kind == "failed" else "✗ skipped"
        else:
            right = f"{_shown(row, False)}"
        lines.append(f"  {text:<{width}}  │ {right}")
    if len(found.rows) + found.left_out > _TEXT:
        lines.append(f"  … {count(len(found.rows) + found.left_out - len(rows), 'moment')} more")
    lines.append(f"→ {plain(_without_numbers(found))}")
    lines += [f"  {plain(text)}" for text in found.skipped]
    lines += [f"· {plain(text)}" for text in found.notes]
    return "\n".join([*lines, *listing_text(found.source, found.source_of)])


def _without_numbers(found: TapeFacts) -> str:
    """The verdict as it is stored: with another random state or machine the last digits are others."""
    if found.same is False:
        hooks = count(len(found.skipped), "hook")
        return (
            f"`model.forward(x)` skips {hooks}, and gives another result."
            if found.skipped
            else "Another result."
        )
    return verdict(found)


def tape_html(found: TapeFacts) -> str:
    """Both passes as two columns; what the direct call skips is struck out."""
    rows = []
    for row in found.rows[:_HTML]:
        indent = f"padding-left:{min(row.depth, 16) * 0.9:.1f}em"
        name = f'<span style="white-space:nowrap">{mark_of(row)} <code style="{CODE}"><bdi>{escape(row.title)}</bdi></code></span>'
        detail = row.changed or row.shapes
        whole = f'<span style="background:{_WASHES[row.kind]};border-radius:5px;padding:0 6px">{name}</span> <span style="{SOFT}">{coded(detail)}</span>'
        struck = f'<s style="{SOFT}">{name}</s>{pill("skipped", PROBLEM)}'
        absent = f'<span style="{SOFT}">–</span>'
        left = absent if row.side == "direct" else whole
        right = whole if row.side != "called" else absent if row.kind == "failed" else struck
        if row.differs:
            right += pill("other numbers", GREY)
        rows.append([f'<div style="{indent}">{cell}</div>' for cell in (left, right)])
    more = len(found.rows) + found.left_out - len(rows)
    return framed(
        title(found.label, "what `model(x)` runs, against `model.forward(x)`"),
        table(("model(x)", "model.forward(x)"), rows),
        line(f"… {count(more, 'moment')} more", "", SOFT) if more > 0 else "",
        line(f"→ {_without_numbers(found)}", FINE if found.same else PROBLEM, "font-weight:600"),
        *(line(f"✗ {text}", "", SOFT) for text in found.skipped[:20]),
        *(line(text, GREY, "margin-top:4px") for text in found.notes),
        listing_html(found.source, found.source_of),
    )  # fmt: skip


@own_style
def tape_figure(found: TapeFacts) -> Any:
    """Both passes as two columns of boxes.

    Args:
        found: The passes.

    Returns:
        A `matplotlib.figure.Figure`, made without `pyplot`.
    """
    rows = found.rows[:_DRAWN]
    figure = sheet(9.0, 0.9 + 0.3 * len(rows))
    axes = figure.subplots(1, 2, sharey=True)
    for axis, left, name in zip(axes, (True, False), ("model(x)", "model.forward(x)"), strict=True):
        axis.set_title(name, fontsize=10, family="monospace")
        axis.set_axis_off()
        axis.set_xlim(0, 1)
        axis.set_ylim(len(rows) + 0.2, -0.8)
        for at, row in enumerate(rows):
            there = row.side == "both" or (row.side == "called") is left
            text = _shown(row, left) if there else f"skipped: {row.title}" if not left else "–"
            axis.text(
                0.02 + 0.03 * min(row.depth, 12), at, inks.literal(text, 70), fontsize=7.5, va="center",
                color=inks.INK if there else inks.SOFT, style="normal" if there else "italic",
                bbox={"boxstyle": "round,pad=0.25", "facecolor": _FACES[row.kind] if there else inks.WHITE, "edgecolor": inks.GREY if there else inks.FAINT, "linestyle": "-" if there else ":"},
            )  # fmt: skip
    figure.suptitle(inks.literal(found.label, 80), fontsize=10)
    return figure


_FACES = {
    "call": inks.PICK, "return": inks.PICK, "forward": inks.pale("forward"), "result": inks.pale("forward"),
    "hook": inks.pale("hook"), "failed": inks.pale("problem"),
}  # fmt: skip
