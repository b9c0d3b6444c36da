"""The colours of the figures, and texts in them. Nothing here needs matplotlib, which is loaded when a figure is asked for.

Blue and orange are told apart by readers with any kind of colour vision; where two colours meet, a shape or a dash differs
as well.
"""

from __future__ import annotations

from nbmodule_widgets.facts.words import visible

BLUE, ORANGE, GREEN, RED = "#0b62b8", "#c65300", "#0a7350", "#b3370b"
INK, SOFT, GREY, FAINT = "#1f2328", "#59636e", "#8a9099", "#d5d9de"
PALE_BLUE, PALE_GREEN, PALE_YELLOW, PALE_ORANGE = "#dbeafb", "#d9f0e6", "#fbe7c6", "#fbe0cf"
WHITE = "#ffffff"


def literal(text: object, limit: int = 60) -> str:
    """A visible text in which no `$` begins a formula: a name could hold one that matplotlib refuses to draw.

    Args:
        text: Anything that `visible` takes.
        limit: Longest text.
    """
    return visible(text, limit).replace("$", r"\$")
