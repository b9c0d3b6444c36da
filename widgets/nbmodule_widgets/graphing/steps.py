"""What the walks of all kinds of graphs share: looking at gradients within a budget, and a sentence for each step."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.facts.glance import Glance, glance
from nbmodule_widgets.facts.words import count, decimal, shape_text
from nbmodule_widgets.graphing.records import GraphFacts
from nbmodule_widgets.protocol import read


class Taker:
    """Looks at gradients and copies them within a budget."""

    def __init__(self, keep: int, budget: int) -> None:
        self._keep, self._left, self.dropped = keep, budget, 0

    def look(self, gradient: Any) -> Glance:
        """What a gradient is like, with its numbers if there is room for them."""
        seen = glance(gradient, self._keep if self._left > 0 else 0)
        if seen.values is not None:
            self._left -= seen.values.nbytes
        elif self._left <= 0:
            self.dropped += 1
        return seen

    def look_if(self, gradient: Any) -> Glance | None:
        """The same; None for None."""
        return None if gradient is None else self.look(gradient)


def step_words(
    graph: GraphFacts,
    number: int,
    arrived: int,
    given: tuple[Glance | None, ...],
    sent: tuple[Any, ...],
) -> str:
    """The step in one sentence."""
    node = graph.nodes[number]
    total = next((g for g in given if g is not None), None)
    shown = f" {decimal(total.mean)}" if total is not None and total.numel == 1 else ""
    size = f" of shape {shape_text(total.shape)}" if total is not None and total.shape else ""
    came = f"{count(arrived, 'gradient')} added up" if arrived > 1 else "the gradient"
    if node.kind == "leaf":
        name = node.label or f"this {node.word}"
        return f"{name}: {came}{size}{shown} is what backward() adds to its .grad."
    goes = sum(1 for _, g in sent if g is not None)
    return f"{node.word}: {came}{size}{shown} goes through its vector-Jacobian product to {count(goes, 'argument')}."


def start_words(graph: GraphFacts) -> str:
    """With which gradient the walk starts: `"1, the gradient of loss with respect to itself"`."""
    results: Any = graph.live.results
    name = graph.label or "the result"
    if len(results) > 1:
        return f"ones, for each of the {len(results)} results"
    shape = tuple(read(results[0], "shape").value or ())
    if not shape:
        return f"1, the gradient of {name} with respect to itself"
    return f"ones of shape {shape_text(shape)}, as for {name}.sum()"
