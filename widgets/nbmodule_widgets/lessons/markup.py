"""Pieces of the static twins of the lessons: script-free HTML with inline styles, which reads in light and dark."""

from __future__ import annotations

from html import escape

from nbmodule_widgets.lessons.following import SourceLine

BLUE, ORANGE, GREEN = "rgba(0,114,178,.16)", "rgba(230,159,0,.20)", "rgba(0,158,115,.18)"
ROSE, GREY = "rgba(213,94,0,.20)", "rgba(128,128,128,.14)"
SOFT = "opacity:.7"
CODE = "font-family:monospace;background:none;padding:0"
_BOX = "border:1px solid rgba(128,128,128,.4);border-radius:8px;padding:8px 12px"
_CELL = "padding:2px 8px;text-align:left;vertical-align:top;background:none;border-bottom:1px solid rgba(128,128,128,.25)"


def framed(*parts: str) -> str:
    """A view's box around its parts, which are HTML already."""
    return f'<div style="font-size:13px;line-height:1.6;max-width:1000px;{_BOX}">{"".join(parts)}</div>'


def coded(text: str) -> str:
    """A text with its backquoted parts as code; everything is escaped."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # an odd backquote belongs to somebody's name
        return escape(text)
    return "".join(
        f'<code style="{CODE}">{escape(part)}</code>' if at % 2 else escape(part)
        for at, part in enumerate(parts)
    )


def pill(text: str, wash: str = GREY) -> str:
    """A short word on a wash of colour."""
    return f'<span style="background:{wash};border-radius:9px;padding:1px 8px;margin:0 4px">{escape(text)}</span>'


def line(text: str, wash: str = "", style: str = "") -> str:
    """A line of words, on a wash of colour if there is one."""
    ground = f"background:{wash};border-radius:5px;padding:1px 8px;" if wash else ""
    return f'<div style="{ground}{style}">{coded(text)}</div>'


def title(code: str, words: str) -> str:
    """The head of a view: what it is about as code, and what is shown of it."""
    name = f'<code style="{CODE};font-weight:600"><bdi>{escape(code)}</bdi></code>'
    return f'<div style="margin-bottom:6px">{name} <span style="{SOFT}">{coded(words)}</span></div>'


def table(rows: list[tuple[tuple[str, ...], str]], head: tuple[str, ...] = ()) -> str:
    """A table.

    Args:
        rows: For each row its cells, HTML already, and the style of the row.
        head: Names of the columns, as text.
    """
    top = "".join(f'<th scope="col" style="{_CELL}">{escape(name)}</th>' for name in head)
    body = "".join(
        f'<tr style="background:none;{style}">{"".join(f"<td style={chr(34)}{_CELL}{chr(34)}>{cell}</td>" for cell in cells)}</tr>'
        for cells, style in rows
    )
    names = f"<thead><tr>{top}</tr></thead>" if head else ""
    return f'<table style="border-collapse:collapse;margin:0 0 6px;text-align:left">{names}<tbody>{body}</tbody></table>'


def listing(source: tuple[SourceLine, ...], whose: str) -> str:
    """A function's lines; those that ran are marked with an arrow and a wash."""
    if not source:
        return ""
    rows = "".join(
        f'<div style="background:{GREEN if row.ran else "none"};white-space:pre-wrap">'
        f"{'▸' if row.ran else ' '} {escape(row.text)}</div>"
        for row in source
    )
    head = f'<div style="{SOFT}">{escape(whose)}: the lines with ▸ ran</div>'
    return f'<div style="margin:6px 0">{head}<div style="{CODE}">{rows}</div></div>'


def listing_text(source: tuple[SourceLine, ...], whose: str) -> list[str]:
    """The same as lines of text."""
    if not source:
        return []
    marked = [f"  {'▸' if row.ran else ' '} {row.text}".rstrip() for row in source]
    return [f"{whose}: the lines with ▸ ran", *marked]
