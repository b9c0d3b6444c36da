"""The frame of every figure: matplotlib asked for when it is needed, its own look, a picture that shows itself.

A function that draws takes a `sheet`, and `own_style` around it keeps the reader's matplotlib as it is: no `pyplot`, no
backend, and the settings of a notebook (a dark style, LaTeX, other sizes) neither change nor matter here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, ParamSpec

Given = ParamSpec("Given")
_MISSING = 'a figure needs matplotlib, which is not installed: `pip install "nbmodule[widgets]"` or `pip install matplotlib`'


def own_style(draw: Callable[Given, Any]) -> Callable[Given, Any]:
    """A function that draws, run with matplotlib's own settings; the reader's are back afterwards.

    Raises:
        ImportError: If matplotlib is missing; the message says how it comes.
    """

    @wraps(draw)
    def drawing(*given: Given.args, **named: Given.kwargs) -> Any:
        try:
            from matplotlib import style
        except ImportError as missing:
            raise ImportError(_MISSING) from missing
        with style.context("default"):
            return draw(*given, **named)

    return drawing


def sheet(
    width: float, height: float, layout: Literal["constrained"] | None = "constrained"
) -> Any:
    """An empty figure that a notebook shows, for a function with `own_style`.

    Args:
        width: In inches.
        height: In inches.
        layout: matplotlib's way to place the axes; None to place them oneself.
    """
    from nbmodule_widgets.sheets import Sheet

    return Sheet(figsize=(width, height), layout=layout)
