"""The ladder of a lookup and the way of an assignment as matplotlib figures, for papers and slides."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.inks import (
    FAINT,
    GREY,
    INK,
    PICK,
    SOFT,
    WHITE,
    literal,
    pale,
)
from nbmodule_widgets.lessons.flow import FlowFacts, Question
from nbmodule_widgets.lessons.following import CountedLine
from nbmodule_widgets.lessons.ladder import LookupFacts
from nbmodule_widgets.lessons.lookup_twins import mark_of, verdict

_FINE, _PROBLEM = pale("fine"), pale("problem")
_FACES = {"found": _FINE, "raised": _PROBLEM, "hidden": _PROBLEM, "passed": PICK}


@own_style
def ladder_figure(found: LookupFacts) -> Any:
    """The places where Python looks, one below the other.

    Args:
        found: The lookup.

    Returns:
        A `matplotlib.figure.Figure`, made without `pyplot`.
    """
    rungs = found.rungs
    figure, axis = _sheet(9.4, 1.1 + 0.55 * len(rungs), len(rungs))
    axis.plot([0.02, 0.02], [0, len(rungs) - 1], color=GREY, linewidth=1, zorder=0)
    for at, rung in enumerate(rungs):
        known = rung.looked or rung.state == "hidden"
        face = _FACES.get(rung.state, WHITE)
        _box(axis, 0.02, at, rung.step, face, known, center=True, round_=True)
        indent = 0.015 if len(rung.step) > 1 else 0.0
        weight = "bold" if rung.state in ("found", "raised") else "normal"
        _text(axis, 0.06 + indent, at, rung.title, known, weight=weight)
        _text(axis, 0.31, at, mark_of(rung), known)
        _text(axis, 0.43, at, "\n".join(wrap(rung.says.replace("`", ""), 78)[:2]), known)
    figure.suptitle(literal(f"{found.label}.{found.name}: {verdict(found)}", 110), fontsize=10)
    return figure


@own_style
def flow_figure(found: FlowFacts) -> Any:
    """The questions with the way that the line takes; for a class of one's own its lines, with those that ran.

    Args:
        found: The assignment.

    Returns:
        A `matplotlib.figure.Figure`, made without `pyplot`.
    """
    rows = found.rows
    if not rows:
        return _lines(found.source, found)
    figure, axis = _sheet(10.4, 1.2 + 0.95 * len(rows), len(rows))
    for at, row in enumerate(rows):
        asked = row.lit if row.question is None else row.question.answer is not None
        if at + 1 < len(rows) and row.question is not None:
            on = row.question.answer is not None and row.question.answer is not row.leaves
            _arrow(axis, (0.02, at + 0.3), (0.02, at + 0.7), "no" if row.leaves else "yes", on)
        _box(axis, 0.0, at, _asked(row.question), PICK if asked and row.question else WHITE, asked)  # fmt: skip
        out = row.lit
        word = "" if row.question is None else "yes" if row.leaves else "no"
        _arrow(axis, (0.335, at), (0.375, at), word, out)
        place = 0.39
        if row.check is not None:
            known = row.check.answer is not None
            _box(axis, place, at, _asked(row.check), PICK if known else WHITE, known)
            place = 0.66
        for step, ending in enumerate(row.endings):
            shift = 0.0 if len(row.endings) == 1 else (-0.22, 0.22)[step]
            face = WHITE if not ending.lit else _PROBLEM if ending.kind == "refused" else _FINE
            answer = ("yes: ", "no: ")[step] if row.check is not None else ""
            _box(axis, place, at + shift, "\n".join(wrap(answer + ending.text.replace("`", ""), 52)[:2]), face, ending.lit)  # fmt: skip
    figure.suptitle(literal(f"{found.line}    {found.outcome.error}", 110), fontsize=10)
    return figure


def _asked(question: Question | None) -> str:
    if question is None:
        return "otherwise"
    answer = {True: "yes", False: "no", None: "not asked"}[question.answer]
    because = f"{answer}: {question.because}" if question.answer is not None else answer
    return f"{question.text}\n{because}".replace("`", "")


def _lines(source: tuple[CountedLine, ...], found: FlowFacts) -> Any:
    """A function's lines in a figure of their own."""
    figure, axis = _sheet(8.0, 1.0 + 0.24 * max(1, len(source)), max(1, len(source)))
    for at, line in enumerate(source):
        if line.ran:
            axis.axhspan(at - 0.5, at + 0.5, color=PICK, zorder=0)
        _text(axis, 0.01, at, f"{'▸' if line.ran else '  '} {line.text}", bool(line.ran), family="monospace")  # fmt: skip
    if not source:
        _text(axis, 0.01, 0, "\n".join(wrap(found.clerk.replace("`", ""), 90)), True)
    figure.suptitle(literal(f"{found.line}    {found.source_of}", 110), fontsize=10)
    return figure


def _sheet(width: float, height: float, rows: int) -> Any:
    figure = sheet(width, height)
    axis = figure.subplots()
    axis.set_axis_off()
    axis.set_xlim(0, 1)
    axis.set_ylim(rows - 0.4, -0.6)
    return figure, axis


def _text(axis: Any, x: float, y: float, text: str, known: bool, **look: Any) -> None:
    colour = INK if known else SOFT
    axis.text(
        x,
        y,
        "\n".join(literal(line, 200) for line in text.split("\n")),
        fontsize=8,
        va="center",
        color=colour,
        **look,
    )


def _box(
    axis: Any, x: float, y: float, text: str, face: str, known: bool, center: bool = False, round_: bool = False
) -> None:  # fmt: skip
    style = f"{'circle' if round_ else 'round'},pad=0.3"
    edge, dash = (GREY, "-") if known else (FAINT, ":")
    box = {"boxstyle": style, "facecolor": face, "edgecolor": edge, "linestyle": dash}
    colour = INK if known else SOFT
    text = "\n".join(literal(line, 60) for line in text.split("\n"))
    axis.text(x, y, text, fontsize=7.5, va="center", ha="center" if center else "left", color=colour, bbox=box)  # fmt: skip


def _arrow(
    axis: Any, start: tuple[float, float], end: tuple[float, float], word: str, lit: bool
) -> None:
    look = {
        "arrowstyle": "->",
        "color": INK if lit else FAINT,
        "linewidth": 1.6 if lit else 0.8,
    }
    axis.annotate("", xy=end, xytext=start, arrowprops=look)
    level = start[1] == end[1]
    x, y = ((start[0] + end[0]) / 2, start[1] - 0.1) if level else (start[0] + 0.01, (start[1] + end[1]) / 2)  # fmt: skip
    axis.text(x, y, word, fontsize=7, color=INK if lit else SOFT, ha="center" if level else "left", va="bottom" if level else "center")  # fmt: skip
