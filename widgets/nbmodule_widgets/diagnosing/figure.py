"""A diagnosis as a figure."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from nbmodule_widgets.diagnosing.records import DiagnosisFacts
from nbmodule_widgets.diagnosing.text import diagnosis_text, headline
from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.inks import INK, SOFT, literal

_WIDE, _MOST = 110, 60


@own_style
def diagnosis_figure(found: DiagnosisFacts) -> Any:
    """The findings with their evidence, a line below the other.

    Args:
        found: What was found.

    Returns:
        A `matplotlib.figure.Figure`, made without `pyplot`.
    """
    lines = [
        (piece, SOFT if at and text.startswith(" ") else INK)
        for text in diagnosis_text(found).replace("`", "").splitlines()[1:]
        for at, piece in enumerate(wrap(text, _WIDE, subsequent_indent="      ") or [""])
    ][:_MOST]
    figure = sheet(9.4, 0.6 + 0.17 * len(lines))
    axis = figure.subplots()
    axis.set_axis_off()
    axis.set_xlim(0, 1)
    axis.set_ylim(len(lines), -1)
    axis.set_title(literal(headline(found).replace("`", ""), 110), loc="left", fontsize=10)
    for at, (text, ink) in enumerate(lines):
        axis.text(0, at, literal(text, 200), fontsize=8, family="monospace", color=ink)
    return figure
