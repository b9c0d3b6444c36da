"""The comparison as a matplotlib figure, for papers and slides; made without `pyplot`."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbmodule_widgets.comparing.records import ModesFacts, OutputFacts
from nbmodule_widgets.comparing.text import SIGNS
from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.inks import FAINT, INK, ink, literal

_MODULES, _UNITS = 40, 48


@own_style
def modes_figure(found: ModesFacts) -> Any:
    """How far each module's output is from that under `eval()`, and the output under both modes.

    Args:
        found: What `compare` returned.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        ValueError: If a pass failed, so that there is nothing to draw.
    """
    if found.output is None:
        raise ValueError(f"nothing to draw: {found.problem or 'the output holds no numbers'}")
    shown = [m for m in found.modules if np.isfinite(m.relative)][:_MODULES]
    figure = sheet(9.0, max(3.6, 1.4 + 0.2 * len(shown)))
    left, right = figure.subplots(1, 2)
    places = np.arange(len(shown))
    colours = [INK if m.role in ("cause", "random in both") else FAINT for m in shown]
    left.barh(places, [100 * m.relative for m in shown], color=colours)
    # DejaVu Sans, which matplotlib brings, has these signs but for the die
    signs = {**SIGNS, "random in both": "#"}
    names = [f"{literal(m.name, 40)} {signs[m.role]}" for m in shown]
    left.set_yticks(places, names, fontsize=7)
    left.invert_yaxis()
    left.set_xlabel("mean |train - eval| of the output,\nin % of its size; dark (≠): the causes")
    _units(right, found.output, found.draws)
    figure.suptitle(literal(f"{found.label}: train() against eval()", 80), fontsize=10)
    return figure


def _units(axis: Any, output: OutputFacts, draws: int) -> None:
    units = min(_UNITS, output.units)
    at = np.arange(units)
    axis.errorbar(
        at, output.mean[:units], output.std[:units], fmt="o", color=ink("train"), markersize=4,
        elinewidth=1, label=f"train(): mean ± std of {draws} draws" if draws > 1 else "train(): 1 draw",
    )  # fmt: skip
    axis.plot(at, output.eval[:units], "D", color=ink("eval"), markersize=4, fillstyle="none", label="eval()")  # fmt: skip
    axis.set_xlabel(f"unit of the output (first {units} of {output.of:,})")
    axis.set_ylabel("value")
    axis.legend(fontsize=7)
