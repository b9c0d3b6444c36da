"""Python source as coloured HTML, with inline styles only."""

from __future__ import annotations

from html import escape

from .display import preformatted

# JupyterLab's editor colours; the second of each pair is readable on white and on black.
_COLOURS = {
    "Keyword": "var(--jp-mirror-editor-keyword-color, #2a8a3e)",
    "Comment": "var(--jp-mirror-editor-comment-color, #7a8a8a)",
    "Literal.String": "var(--jp-mirror-editor-string-color, #c0504d)",
    "Literal.Number": "var(--jp-mirror-editor-number-color, #3a9a6a)",
    "Operator": "var(--jp-mirror-editor-operator-color, #a050d0)",
    "Name.Function": "var(--jp-mirror-editor-def-color, #3f7fd8)",
    "Name.Class": "var(--jp-mirror-editor-def-color, #3f7fd8)",
    "Name.Builtin": "var(--jp-mirror-editor-builtin-color, #2a8a3e)",
}


def highlighted(source: str) -> str:
    """Return `source` as a block of HTML; without Pygments it is plain."""
    return preformatted(_spans(source.rstrip("\n")))


def _spans(source: str) -> str:
    try:
        from pygments.lexers import PythonLexer
    except ImportError:  # it comes with JupyterLab; a bare Python may lack it
        return escape(source)
    tokens = PythonLexer(stripnl=False, ensurenl=False).get_tokens(source)
    return "".join(_span(str(kind).removeprefix("Token."), text) for kind, text in tokens)


def _span(kind: str, text: str) -> str:
    colour = next((value for name, value in _COLOURS.items() if kind.startswith(name)), None)
    return f'<span style="color: {colour}">{escape(text)}</span>' if colour else escape(text)
