"""The table as HTML without a script."""

from __future__ import annotations

from html import escape

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.markup import GREY, MONO, PROBLEM, SOFT, framed, line, tag, title
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

_ROWS = 300
_CELL = "padding:1px 12px 1px 0;background:none;vertical-align:top"
_NUMBER = f"{_CELL};text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"
_TEXT = f"{_CELL};text-align:left;white-space:nowrap;{MONO}"


def summary_html(found: SummaryFacts, fold: bool = True, depth: int | None = None) -> str:
    """The table.

    Args:
        found: What `summarize` returned.
        fold: Whether neighbours that differ in their number alone are one row.
        depth: How many levels below the model; None for all.
    """
    shown = found.rows(fold, depth)
    rows = [(place, row_of(found, place)) for place in shown[:_ROWS]]
    used = [n for n in range(1, 7) if any(row.cells[n - 1] for _, row in rows)]
    heads = "".join(_head(n) for n in (0, *used))
    depths = found.model.nodes.depth
    body = "".join(_row(row, depths[place.index], place.index, used) for place, row in rows)
    table = (
        '<div style="overflow:auto;max-height:520px"><table style="border-collapse:collapse;font-size:13px">'
        f'<thead><tr style="background:none">{heads}</tr></thead><tbody>{body}</tbody></table></div>'
    )
    parts = [title(visible(found.model.root.label, 80), headline(found))]
    parts += [line(note, PROBLEM) for note in remarks(found)]
    parts.append(table)
    if len(shown) > _ROWS:
        parts.append(f'<div style="{SOFT}">… {len(shown) - _ROWS:,} more rows</div>')
    parts += [line(text) for text in totals_lines(found)]
    notes = [line(text, style=SOFT) for text in footnotes(found, shown)]
    return framed(*parts, *notes)


def _head(number: int) -> str:
    side = "left" if number < 3 else "right"
    return (
        f'<th scope="col" style="{_CELL};text-align:{side};{SOFT};font-weight:600">'
        f"{escape(HEADS[number])}</th>"
    )


def _row(row: Row, depth: int, index: int, used: list[int]) -> str:
    name = f"<b>{escape(row.name)}</b>: " if index else ""
    notes = "".join(tag(note, PROBLEM if note == "raised" else GREY) for note in row.notes)
    first = f'<td style="{_TEXT};padding-left:{min(depth, 20) * 1.1:g}em"><bdi>{name}{escape(row.kind)}</bdi>{notes}</td>'
    cells = "".join(
        f'<td style="{_TEXT if n < 3 else _NUMBER}">{escape(row.cells[n - 1])}</td>' for n in used
    )
    return f'<tr style="background:none">{first}{cells}</tr>'
