"""The backward walk on its way to the page: who ran when, and how large the gradient on every edge was."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from nbmodule_widgets.facts.glance import Glance
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing.labels import few_numbers
from nbmodule_widgets.graphing.records import GraphFacts, WalkFacts
from nbmodule_widgets.views.columns import column, log_column

_NONE = -1.0  # what `log_column` takes for "no gradient"
_NAMED = 2000  # gradients that are written out; of a larger walk the page has the norms


def pack_walk(graph: GraphFacts, walk: WalkFacts | None) -> dict[str, Any]:
    """The walk as a trait; empty if there is none.

    Args:
        graph: The facts that the walk went over.
        walk: Its steps.
    """
    if walk is None:
        return {}
    edges = np.full(len(graph.edges), _NONE)
    nodes = np.full(len(graph.nodes), _NONE)
    edge_texts, node_texts = {}, {}
    for step in walk.steps:
        for edge, gradient in (*step.arrivals, *step.sent):
            if gradient is not None and edge >= 0:
                edges[edge] = norm(gradient)
                edge_texts[edge] = few_numbers(gradient.values)
        given = next((g for g in step.gradients if g is not None), None)
        if given is not None:
            nodes[step.node] = norm(given)
            node_texts[step.node] = few_numbers(given.values)
    return {
        "steps": column([step.node for step in walk.steps]),
        "edges": log_column(edges),
        "nodes": log_column(nodes),
        "edgeTexts": _named(edge_texts),
        "nodeTexts": _named(node_texts),
        "start": visible(walk.start, 300),
        "problem": visible(walk.problem, 600),
        "failed": walk.failed,
        "notes": [visible(note, 400) for note in walk.notes[:8]],
    }


def norm(seen: Glance) -> float:
    """The Euclidean norm of a tensor; worked out from its statistics where the numbers were not kept."""
    if seen.values is not None:
        return float(np.linalg.norm(seen.values.astype(np.float64).reshape(-1)))
    if seen.nans:
        return float("nan")
    if seen.infs:
        return float("inf")
    return sqrt(seen.numel * (seen.mean**2 + seen.std**2)) if seen.numel else 0.0


def _named(texts: dict[int, str]) -> dict[str, str]:
    """Numbers in words by the number of their edge or node: the first so many that are few enough to be written."""
    written = [(str(number), text) for number, text in texts.items() if text]
    return dict(written[:_NAMED])
