"""The table as text: aligned columns, the tree drawn in the first one."""

from __future__ import annotations

from nbmodule_widgets.facts.folding import Place
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.summarizing.records import SummaryFacts
from nbmodule_widgets.summarizing.words import (
    HEADS,
    Row,
    footnotes,
    headline,
    remarks,
    row_of,
    totals_lines,
)
from nbmodule_widgets.text import branches

_LINES = 300
_WIDEST = (56, 36, 36, 20, 24, 12, 12)
_TEXTS = 3  # columns that are texts; numbers stand at the right


def summary_text(found: SummaryFacts, fold: bool = True, depth: int | None = None) -> str:
    """The table.

    Args:
        found: What `summarize` returned.
        fold: Whether neighbours that differ in their number alone are one row.
        depth: How many levels below the model; None for all.
    """
    shown = found.rows(fold, depth)
    lines = []
    for place, stem, _ in branches(found.model.nodes, shown[:_LINES]):
        row = row_of(found, place)
        lines.append((*_cells(stem, row, place), row.notes))
    used = [n for n in range(len(HEADS)) if n == 0 or any(line[n] for line in lines)]
    widths = [max(len(line[n]) for line in [HEADS, *lines]) for n in range(len(HEADS))]
    head = [f"{visible(found.model.root.label, 80)}: {headline(found)}"]
    head += [f"! {note}" for note in remarks(found)]
    body = [_line(HEADS, used, widths), "─" * (sum(widths[n] + 2 for n in used) - 2)]
    body += [
        _line(line[:-1], used, widths) + ("  " + " · ".join(line[-1])) * bool(line[-1])
        for line in lines
    ]
    more = [f"… {len(shown) - _LINES:,} more rows"] if len(shown) > _LINES else []
    tail = [*totals_lines(found), *footnotes(found, shown)]
    return "\n".join(line.rstrip() for line in [*head, *body, *more, body[1], *tail])


def _cells(stem: str, row: Row, place: Place) -> tuple[str, ...]:
    name = f"{row.name}: {row.kind}" if place.index else row.kind
    cells = (stem + name, *row.cells)
    return tuple(visible(cell, most) for cell, most in zip(cells, _WIDEST, strict=True))


def _line(cells: tuple[str, ...], used: list[int], widths: list[int]) -> str:
    return "  ".join(
        cells[n].ljust(widths[n]) if n < _TEXTS else cells[n].rjust(widths[n]) for n in used
    )
