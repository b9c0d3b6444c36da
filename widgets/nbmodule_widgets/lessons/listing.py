"""A function's lines with a mark at those that ran, for the static twins of the lessons."""

from __future__ import annotations

from html import escape

from nbmodule_widgets.lessons.following import CountedLine
from nbmodule_widgets.markup import CODE, PICK, SOFT


def listing_html(source: tuple[CountedLine, ...], whose: str) -> str:
    """The lines as HTML; those that ran have an arrow and a wash.

    Args:
        source: The lines; there may be none.
        whose: `"Net.__setattr__"`.
    """
    if not source:
        return ""
    rows = "".join(
        f'<div style="background:{PICK if row.ran else "none"};white-space:pre-wrap">'
        f"{_mark(row)} {escape(row.text)}</div>"
        for row in source
    )
    head = f'<div style="{SOFT}">{escape(whose)}: the lines with ▸ ran</div>'
    return f'<div style="margin:6px 0">{head}<div style="{CODE}">{rows}</div></div>'


def listing_text(source: tuple[CountedLine, ...], whose: str) -> list[str]:
    """The same as lines of text.

    Args:
        source: The lines; there may be none.
        whose: `"Net.__setattr__"`.
    """
    if not source:
        return []
    marked = [f"  {_mark(row)} {row.text}".rstrip() for row in source]
    return [f"{whose}: the lines with ▸ ran", *marked]


def _mark(row: CountedLine) -> str:
    return "▸" if row.ran else " "
