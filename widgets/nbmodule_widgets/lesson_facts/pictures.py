"""The keys, the visits and the ledger as matplotlib figures, for papers and slides.

matplotlib is loaded when a figure is asked for, and used without `pyplot`. What a colour says is also said by a shape.
"""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.inks import GREY, INK, ink, literal
from nbmodule_widgets.lesson_facts.keys import PROBLEMS, KeyFacts
from nbmodule_widgets.lesson_facts.keys_words import WORDS, counts_words
from nbmodule_widgets.lesson_facts.ledger import LedgerFacts
from nbmodule_widgets.lesson_facts.ledger_words import KINDS, shape_words
from nbmodule_widgets.lesson_facts.visits import VisitFacts, Walk
from nbmodule_widgets.lesson_facts.visits_words import name_of, turns, with_parameters

_TALLEST = 60  # rows


@own_style
def ledger_figure(known: LedgerFacts) -> Any:
    """Rows of tensors with three columns of marks: learned, saved, moved.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    rows = known.rows[:_TALLEST]
    figure, axes = _page(len(rows), 8.0)
    for y, row in enumerate(rows):
        words = f"{literal(row.path, 44)}   {literal(shape_words(row), 24)}   {KINDS[row.kind]}"
        axes.text(-0.3, y, words, ha="right", va="center", fontsize=8)
        marks = (
            (row.learned, ink("parameter")),
            (row.remembered, ink("buffer")),
            (row.moved, INK),
        )
        for x, (on, colour) in enumerate(marks):
            if on:
                axes.plot(x, y, "o", color=colour)
            elif not row.empty:
                axes.plot(x, y, "x", color=GREY)
    for x, head in enumerate(("learned", "saved", "moved")):
        axes.text(x, -0.9, head, ha="center", va="bottom", fontsize=9)
    axes.set_xlim(-6.5, 2.6)
    _title(axes, f"{literal(known.label)}: {known.summary}", len(known.rows) - len(rows))
    return figure


@own_style
def visits_figure(known: VisitFacts) -> Any:
    """The tree twice, with the numbers of two walks.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    walks = (known.walk, known.other)
    tallest = max(len(with_parameters(known, walk.how)[:_TALLEST]) for walk in walks)
    figure = sheet(10, max(1.6, 0.28 * tallest + 1))
    for axes, walk, colour in zip(figure.subplots(1, 2), walks, (ink("module"), INK), strict=True):
        _numbered(axes, known, walk, colour)
        axes.set_ylim(tallest - 0.5, -0.8)
    return figure


def _numbered(axes: Any, known: VisitFacts, walk: Walk, colour: str) -> None:
    """One tree with the number of each visit in a circle; what is skipped is crossed."""
    numbers = turns(walk)
    shown = with_parameters(known, walk.how)
    for y, index in enumerate(shown[:_TALLEST]):
        node, turn = known.nodes[index], numbers.get(index, "")
        depth, visited = min(node.depth, 20), turn[:1].isdigit()
        box = {"boxstyle": "round,pad=0.2", "edgecolor": colour, "facecolor": "white"}
        if visited:
            axes.text(depth, y, turn, ha="center", va="center", fontsize=8, color=colour, bbox=box)
        elif turn:
            axes.plot(depth, y, "x", color=ink("problem"))
        axes.text(depth + 0.6, y, literal(name_of(node), 50), ha="left", va="center", fontsize=8)
    axes.set_xlim(-0.6, 12)
    _title(axes, "\n".join([walk.call, *wrap(walk.order, 56)]), len(shown) - _TALLEST)


@own_style
def keys_figure(known: KeyFacts) -> Any:
    """Two columns of keys and the lines between them, the problems first where there are many.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    rows = list(known.rows)
    if len(rows) > _TALLEST:
        rows = sorted(rows, key=lambda row: row.status not in PROBLEMS)[:_TALLEST]
    figure, axes = _page(len(rows), 9.0)
    for y, row in enumerate(rows):
        left = (
            ""
            if row.model_key is None
            else f"{literal(row.model_key, 50)} {literal(row.model_words, 30)}"
        )
        right = (
            ""
            if row.original is None
            else f"{literal(row.original, 50)} {literal(row.state_words, 30)}"
        )
        axes.text(-0.1, y, left, ha="right", va="center", fontsize=8)
        axes.text(1.1, y, right, ha="left", va="center", fontsize=8)
        start, end = (0 if left else 0.7), (1 if right else 0.3)
        wrong = row.status in PROBLEMS
        axes.plot(
            (start, end),
            (y, y),
            color=ink("problem" if wrong else "fine"),
            linewidth=3 if wrong else 1.2,
        )
        if left and right and wrong:
            axes.plot(0.5, y, "x", color=ink("problem"))
        if row.status != "matched":
            axes.text(
                4.6,
                y,
                WORDS[row.status],
                ha="left",
                va="center",
                fontsize=8,
                color=ink("problem") if wrong else GREY,
            )
    axes.set_xlim(-3.6, 5.6)
    _title(axes, f"{literal(known.label)}: {counts_words(known)}", len(known.rows) - len(rows))
    return figure


def _page(rows: int, width: float) -> tuple[Any, Any]:
    figure = sheet(width, max(1.6, 0.24 * rows + 1))
    axes = figure.subplots()
    axes.set_ylim(rows - 0.4, -1.8)
    return figure, axes


def _title(axes: Any, words: str, left_out: int) -> None:
    more = f" ({left_out:,} more)" if left_out > 0 else ""
    axes.set_title(words + more, fontsize=9, loc="left")
    axes.set_axis_off()
