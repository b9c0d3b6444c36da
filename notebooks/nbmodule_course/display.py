"""What the course shows, in two forms: HTML for the notebook, text for everything else.

Every report, hint and map is a `Displayed`. Its text is complete by itself, so a terminal, a screen
reader and a test read the same as a browser does. The HTML holds no script, and colours only
repeat what words and symbols already say.
"""

from __future__ import annotations

import re
from html import escape

# JupyterLab's own colours, with a middle tone for pages that have none: readable on white and on black.
TONES = {
    "good": "var(--jp-success-color1, #3d8b40)",
    "bad": "var(--jp-error-color1, #d9483b)",
    "open": "var(--jp-border-color1, #8a8a8a)",
    "info": "var(--jp-info-color1, #2387b5)",
}
_QUIET = "opacity: 0.75"
_CODE_FONT = "font-family: var(--jp-code-font-family, monospace); font-size: 0.93em"


class Displayed:
    """Something with a text form and an HTML form; subclasses write both."""

    def to_text(self) -> str:
        """Return the complete text form."""
        raise TypeError(f"{type(self).__name__} has no text form")

    def to_html(self) -> str:
        """Return the HTML form: no script, everything from outside escaped."""
        raise TypeError(f"{type(self).__name__} has no HTML form")

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()


def card(tone: str, heading: str, *parts: str) -> str:
    """Return a box with a coloured edge; `heading` and `parts` are HTML."""
    style = (
        f"border-left: 4px solid {TONES[tone]}; padding: 0.4em 0.9em; margin: 0.4em 0; "
        "max-width: 60em; line-height: 1.45"
    )
    return f'<div style="{style}"><div><strong>{heading}</strong></div>{"".join(parts)}</div>'


def paragraph(text: str, quiet: bool = False) -> str:
    """Return `text` as a paragraph; `code` in backticks becomes code."""
    style = f"margin: 0.3em 0; {_QUIET if quiet else ''}".rstrip("; ")
    return f'<p style="{style}">{inline(text)}</p>'


def inline(text: str) -> str:
    """Escape `text` and turn `code` in backticks into code elements."""
    pieces = re.split(r"`([^`\n]+)`", text)
    for position, piece in enumerate(pieces):
        plain = escape(piece)
        pieces[position] = f'<code style="{_CODE_FONT}">{plain}</code>' if position % 2 else plain
    return "".join(pieces).replace("\n", "<br>")


def preformatted(html: str) -> str:
    """Return already escaped `html` with its spaces and line breaks kept."""
    style = (
        f"margin: 0.3em 0; padding: 0.4em 0.6em; overflow-x: auto; white-space: pre; {_CODE_FONT}; "
        "line-height: 1.35; border: 1px solid var(--jp-border-color2, #8a8a8a55); background: transparent"
    )
    return f'<pre style="{style}">{html}</pre>'


def symbol(tone: str, mark: str) -> str:
    """Return `mark` in the colour of `tone`."""
    return f'<span style="color: {TONES[tone]}; font-weight: bold">{escape(mark)}</span>'
