"""Pieces of the static twins: HTML without a script, with inline styles only, in which everything is escaped.

Front ends cut style sheets and SVG out of untrusted outputs. The colours are transparent washes over whatever the page has, so
that they read in light and in dark, and none of them says anything alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import chain, repeat

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.inks import wash

MODULE, PARAMETER, BUFFER, HOOK = map(wash, ("module", "parameter", "buffer", "hook"))
FINE, PROBLEM = wash("fine"), wash("problem")
GREY, PICK = "rgba(128,128,128,.14)", "rgba(128,128,128,.32)"
SOFT = "opacity:.7"
CODE = "font-family:monospace;background:none"
MONO = "font-family:monospace;font-size:12px"
BOX = "border:1px solid rgba(128,128,128,.4);border-radius:8px;padding:8px 12px"
FRAME = f"font-size:13px;line-height:1.6;max-width:1000px;{BOX}"
_CELL = "text-align:left;vertical-align:top;padding:1px 12px 1px 0;background:none"


def framed(*parts: str) -> str:
    """A view's box around its parts, which are HTML already."""
    return f'<div style="{FRAME}">{"".join(parts)}</div>'


def drawing(svg: str, instead: str = "The drawing shows once the notebook is trusted.") -> str:
    """An SVG; where a front end cuts its tags out, none of its words are left behind.

    JupyterLab cuts the tags of an untrusted output and keeps the text between them. That text has no size here, but for
    a few words that the SVG itself doesn't draw.

    Args:
        svg: The picture; its texts have sizes of their own.
        instead: What is read in its place.
    """
    words = f'<span style="font-size:12px">{escape(instead)}</span>'
    unseen = f'<foreignObject display="none">{words}</foreignObject>'
    return f'<div style="font-size:0">{svg.removesuffix("</svg>")}{unseen}</svg></div>'


def coded(text: str) -> str:
    """A sentence with its backquoted parts as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # an odd backquote belongs to somebody's name
        return escape(text)
    return "".join(
        f'<code style="{CODE};padding:0"><bdi>{escape(part)}</bdi></code>'
        if at % 2
        else escape(part)
        for at, part in enumerate(parts)
    )


def name(text: object, limit: int = 80) -> str:
    """A name from somebody's model, on its own in the direction in which it is written."""
    return f'<bdi style="{MONO}">{escape(visible(text, limit))}</bdi>'


def pill(text: str, wash: str = GREY) -> str:
    """A short word on a wash of colour."""
    style = f"background:{wash};border-radius:9px;padding:1px 8px;margin:0 4px"
    return f'<span style="{style}">{escape(text)}</span>'


def tag(text: str, wash: str = GREY) -> str:
    """A pill that stays on one line, for the cells of a table."""
    return f'<span style="white-space:nowrap">{pill(text, wash)}</span>'


def unbroken(text: str) -> str:
    """A few words that stay on one line."""
    return f'<span style="white-space:nowrap">{coded(text)}</span>'


def line(text: str, wash: str = "", style: str = "") -> str:
    """A sentence on a line of its own.

    Args:
        text: The sentence; its backquoted parts become code.
        wash: A colour below it, or the empty string.
        style: More CSS.
    """
    ground = f"background:{wash};border-radius:5px;padding:1px 8px;" if wash else ""
    return f'<div style="{ground}{style}">{coded(text)}</div>'


def title(code: str, words: str) -> str:
    """The head of a view.

    Args:
        code: What it is about, as code.
        words: What is shown of it.
    """
    about = f'<code style="{CODE};padding:0;font-weight:600"><bdi>{escape(code)}</bdi></code>'
    return (
        f'<div style="margin-bottom:6px">{about} <span style="{SOFT}">{coded(words)}</span></div>'
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], styles: Iterable[str] = ()) -> str:
    """A table, in a box of its own that scrolls where the page is narrow.

    Args:
        heads: Texts above the columns.
        rows: For each row its cells, as finished HTML.
        styles: CSS for the rows; those without any have none.
    """
    top = "".join(
        f'<th scope="col" style="{_CELL};{SOFT};font-weight:600">{escape(head)}</th>'
        for head in heads
    )
    body = "".join(
        f'<tr style="background:none;{style}">{"".join(map(_cell, cells))}</tr>'
        for cells, style in zip(rows, chain(styles, repeat("")), strict=False)
    )
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:4px 0;font-size:13px">'
        f'<thead><tr style="background:none">{top}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _cell(html: str) -> str:
    return f'<td style="{_CELL}">{html}</td>'
