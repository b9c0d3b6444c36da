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
    return preformatted("".join(_span(*piece) for piece in tokens(source.rstrip("\n"))))


def tokens(source: str) -> list[tuple[str, str]]:
    """Return `source` as pieces, each with its kind, such as "Keyword"; "" is for ordinary text."""
    try:
        from pygments.lexers import PythonLexer
    except ImportError:  # it comes with JupyterLab; a bare Python may lack it
        return [("", source)]
    lexed = PythonLexer(stripnl=False, ensurenl=False).get_tokens(source)
    return [(_known(str(kind).removeprefix("Token.")), text) for kind, text in lexed]


def _known(kind: str) -> str:
    return next((name for name in _COLOURS if kind.startswith(name)), "")


def _span(kind: str, text: str) -> str:
    return f'<span style="color: {_COLOURS[kind]}">{escape(text)}</span>' if kind else escape(text)
