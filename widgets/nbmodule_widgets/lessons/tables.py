"""Pieces of HTML that the twins of the course's views share: inline styles only, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from nbmodule_widgets.facts.words import visible

FRAME = (
    "font-size:13px;line-height:1.6;max-width:1000px;border:1px solid rgba(128,128,128,.4);"
    "border-radius:8px;padding:8px 12px"
)
MONO = "font-family:monospace;font-size:12px"
SOFT = "opacity:.75"
WASHES = {
    "plain": "rgba(128,128,128,.14)",
    "module": "rgba(0,114,178,.16)",
    "parameter": "rgba(230,159,0,.20)",
    "buffer": "rgba(0,158,115,.18)",
    "problem": "rgba(213,94,0,.20)",
}


def frame(*parts: str) -> str:
    """A box around finished HTML."""
    return f'<div style="{FRAME}">{"".join(parts)}</div>'


def line(text: str, style: str = "") -> str:
    """A sentence of ours; `code` in backticks becomes code."""
    return f'<div style="{style}">{inline(text)}</div>'


def inline(text: str) -> str:
    """A sentence with its `code` as code elements."""
    pieces = [escape(piece) for piece in text.split("`")]
    for position in range(1, len(pieces), 2):
        pieces[position] = f'<code style="{MONO};background:none">{pieces[position]}</code>'
    return "".join(pieces)


def pill(text: str, tone: str = "plain") -> str:
    """A short text with a wash behind it.

    Args:
        text: The text.
        tone: A key of WASHES.
    """
    style = f"background:{WASHES[tone]};border-radius:9px;padding:1px 8px;margin:0 4px 0 0;white-space:nowrap"
    return f'<span style="{style}">{escape(text)}</span>'


def short(text: str) -> str:
    """A few words that stay on one line."""
    return f'<span style="white-space:nowrap">{inline(text)}</span>'


def name(text: object, limit: int = 80) -> str:
    """A name from somebody's model, on its own in the direction in which it is written."""
    return f'<bdi style="{MONO}">{escape(visible(text, limit))}</bdi>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table.

    Args:
        heads: Texts above the columns.
        rows: Cells as finished HTML.
    """
    top = "".join(f'<th scope="col" style="{_CELL};{SOFT}">{escape(head)}</th>' for head in heads)
    lines = ("".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) for row in rows)
    body = "".join(f"<tr>{cells}</tr>" for cells in lines)
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:4px 0;font-size:13px">'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


_CELL = "text-align:left;vertical-align:top;padding:1px 12px 1px 0;font-weight:400"
