"""A watched run as text, as HTML without a script, and as a figure for a paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np

from nbmodule_widgets.curves import Curve, curve_html, sparkline, summary
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.inks import GREY, INK, in_legend, ink, literal
from nbmodule_widgets.markup import FRAME
from nbmodule_widgets.watching import TrainingFacts

_FRAME = f"{FRAME};margin-bottom:6px"
_CURVES = 24
_FINDINGS = 12
_STRIPES = ("-", "--", "-.", ":")  # so that the lines differ in print as well


def run_text(headline: str, curves: Iterable[Curve], facts: TrainingFacts) -> str:
    """The curves as sparklines, then what the weights and gradients did.

    Args:
        headline: How the run stands.
        curves: The metrics.
        facts: What the recorder saw.
    """
    shown = list(curves)[:_CURVES]
    width = max((len(visible(curve.name, 40)) for curve in shown), default=0)
    lines = [
        f"  {visible(curve.name, 40):{width}}  {sparkline(curve)}  last {decimal(curve.last)} · {summary(curve)}"
        for curve in shown
    ]
    return "\n".join([headline, *lines, str(replace(facts, metrics={}))])


def run_html(headline: str, curves: Iterable[Curve], facts: TrainingFacts) -> str:
    """The curves as small drawings, and the findings.

    Args:
        headline: How the run stands.
        curves: The metrics.
        facts: What the recorder saw.
    """
    drawn = "".join(curve_html(curve) for curve in list(curves)[:_CURVES])
    found = "".join(
        f"<li><b>{escape(visible(item.kind, 40))}</b> {escape(visible(item.text, 400))}</li>"
        for item in facts.problems[:_FINDINGS]
    )
    grid = f'<div style="display:flex;flex-wrap:wrap;gap:12px 24px;margin-top:6px">{drawn}</div>'
    listed = f'<div style="margin-top:8px">Findings</div><ul style="margin:2px 0">{found}</ul>'
    return (
        f'<div style="{_FRAME}"><div><b>training</b> {escape(headline)}</div>'
        f"{grid if drawn else ''}{listed if found else ''}</div>"
    )


@own_style
def run_figure(curves: Iterable[Curve], facts: TrainingFacts, most: int = 8) -> Any:
    """The metrics, and below them the gradient norms of the parameters, over the steps.

    Args:
        curves: The metrics.
        facts: What the recorder saw.
        most: Parameters with a line of their own: those with the largest gradients at the end.

    Returns:
        A `matplotlib.figure.Figure`, which belongs to no window.
    """
    shown = list(curves)[:_CURVES]
    rows = len(shown) + 1
    figure = sheet(6.4, 1.0 + 1.7 * rows)
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    for axis, curve in zip(axes, shown, strict=False):
        steps, values = curve.thinned(2000)
        axis.plot(
            steps, np.where(np.isfinite(values), values, np.nan), color=ink("value"), linewidth=1.3
        )
        axis.set_ylabel(literal(curve.name, 40))
        axis.set_title(f"last {decimal(curve.last)}", loc="right", fontsize="small")
    _gradients(axes[-1], facts, most)
    axes[-1].set_xlabel("training step")
    return figure


def _gradients(axis: Any, facts: TrainingFacts, most: int) -> None:
    """One line for each parameter; the others that have a gradient stay faint."""
    axis.set_ylabel("gradient norm")
    norms = np.where(
        facts.gradient_norm > 0, facts.gradient_norm, np.nan
    )  # codes and zeros have no logarithm
    drawn = [index for index in range(len(facts.paths)) if np.isfinite(norms[:, index]).any()]
    if not drawn:
        axis.text(
            0.5, 0.5, "no gradient was seen", ha="center", va="center", transform=axis.transAxes
        )
        return
    axis.set_yscale("log")
    newest = {index: norms[np.isfinite(norms[:, index]), index][-1] for index in drawn}
    named = sorted(drawn, key=lambda index: -newest[index])[:most]
    for index in drawn[:200]:
        if index not in named:
            axis.plot(facts.steps, norms[:, index], color=GREY, linewidth=0.6, alpha=0.5)
    for place, index in enumerate(named):
        stripe = _STRIPES[place % len(_STRIPES)]
        colour = (ink("gradient"), INK)[place // len(_STRIPES) % 2]
        label = in_legend(facts.paths[index], 40)
        axis.plot(facts.steps, norms[:, index], stripe, color=colour, linewidth=1.2, label=label)
    axis.legend(fontsize="x-small", ncols=2)
