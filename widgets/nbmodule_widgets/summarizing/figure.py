"""The table as a figure: bars of parameters and of multiply-adds."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.figures import own_style, sheet
from nbmodule_widgets.inks import ink, literal
from nbmodule_widgets.summarizing.records import LayerFacts, SummaryFacts

_TALLEST = 40


@own_style
def summary_figure(found: SummaryFacts) -> Any:
    """A bar for each layer that computes or has parameters of its own; where there are many, for the largest.

    Args:
        found: What `summarize` returned.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        ValueError: If no layer has parameters or multiply-adds.
    """
    leaves = [layer for layer in _leaves(found) if layer.parameters or layer.multiply_adds]
    if not leaves:
        raise ValueError("no figure: no layer has parameters or multiply-adds")
    largest = sorted(leaves, key=lambda layer: _share(found, layer), reverse=True)[:_TALLEST]
    kept = {layer.index for layer in largest}
    drawn = [layer for layer in leaves if layer.index in kept]
    kinds = [("parameters", "parameter", [layer.parameters for layer in drawn])]
    if found.ran:
        kinds.append(("multiply-adds", "forward", [layer.multiply_adds or 0 for layer in drawn]))
    figure = sheet(3.2 + 2.6 * len(kinds), 1.2 + 0.2 * len(drawn))
    axes = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
    for axis, (name, role, values) in zip(axes, kinds, strict=True):
        axis.barh(range(len(drawn)), values, color=ink(role), height=0.7)
        axis.set_xlabel(name)
        axis.ticklabel_format(axis="x", scilimits=(0, 4))
        axis.spines[["top", "right"]].set_visible(False)
    names = [f"{literal(layer.path or layer.class_name, 40)}" for layer in drawn]
    axes[0].set_yticks(range(len(drawn)), names, fontsize=7)
    axes[0].invert_yaxis()
    more = len(leaves) - len(drawn)
    some = f" (the {len(drawn)} largest of {len(leaves)} layers)" if more else ""
    figure.suptitle(f"{literal(found.model.root.class_name)}{some}", fontsize=10)
    return figure


def _leaves(found: SummaryFacts) -> list[LayerFacts]:
    """The layers in which no other one lies, each once."""
    nodes = found.model.nodes
    return [
        found.layers[index]
        for index in range(len(nodes))
        if nodes.end[index] == index + 1 and nodes.of(index).twin < 0
    ]


def _share(found: SummaryFacts, layer: LayerFacts) -> float:
    """How much of the whole a layer is."""
    total = found.totals
    computed = (layer.multiply_adds or 0) / (total.multiply_adds or 1)
    return layer.parameters / (total.parameters or 1) + computed
