"""Everything about one node of a graph, for the pane beside the picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.facts.glance import Glance
from nbmodule_widgets.facts.heat import heat_map
from nbmodule_widgets.facts.words import shape_text, visible
from nbmodule_widgets.graphing.reading import saved
from nbmodule_widgets.graphing.records import GraphFacts, GraphNode, WalkFacts
from nbmodule_widgets.views.graph_rules import rules_for
from nbmodule_widgets.views.graph_wire import line_words
from nbmodule_widgets.views.parameters_wire import pack_heat

Lines = list[list[str]]

_NO_NODE = (
    "has no node, so no gradient goes there: data, a constant, something detached, or not given"
)
_SAVED = 12  # saved tensors that are listed
_KINDS = {
    "leaf": "leaf: a gradient is accumulated here",
    "input": "takes no gradient",
    "failed": "the pass broke off here",
}


def look_at(graph: GraphFacts, walk: WalkFacts | None, number: int) -> dict[str, Any]:
    """What the pane shows of a node beyond what the page knows by itself.

    Args:
        graph: The facts.
        walk: The backward walk, if it was recorded.
        number: The node.

    Returns:
        `node`, `lines` of `[what, words]`, `came`: the gradient in words, and `value` and `gradient` as heat maps
        where the numbers are known.
    """
    node = graph.nodes[number]
    if (
        node.kind == "leaf" and node.value is None
    ):  # of a large graph the leaves are read when somebody asks
        kept = {each.name: each.glance for each in saved(graph, number)}
        node = node._replace(value=kept.get("value"))
    gradient = walk.gradients.get(number) if walk is not None else None
    return {
        "node": number,
        "lines": [
            *_what_lines(graph, node),
            *_value_lines(node),
            *_rule_lines(graph, node),
            *_saved_lines(graph, node),
        ],
        "came": gradient.words if gradient is not None and gradient.numel > 1 else "",
        "value": _heat(node.value),
        "gradient": _heat(gradient),
    }


def _what_lines(graph: GraphFacts, node: GraphNode) -> Lines:
    """What it is, and where it comes from."""
    lines = []
    if node.kind in _KINDS:
        given = node.kind == "input" and bool(graph.forward_only)
        lines.append(
            ["kind", f"{node.word}: was there before the pass" if given else _KINDS[node.kind]]
        )
    if node.name and node.name != node.word:
        lines.append(["node", visible(node.name, 120)])
    if node.shape is not None:
        lines.append(["shape", f"{shape_text(node.shape)} {visible(node.dtype, 40)}".strip()])
    if len(node.names) > 1:
        names = ", ".join(visible(name, 60) for name in node.names[:8])
        lines.append(["names", names])
    if node.outputs > 1:
        lines.append(["outputs", str(node.outputs)])
    path = next((graph.groups[g].path for g in _around(graph, node) if graph.groups[g].path), "")
    if path:
        lines.append(["module", visible(path, 160)])
    if 0 <= node.line < len(graph.lines):
        lines.append(["made in", line_words(graph.lines[node.line])])
    if node.hooks:
        lines.append(["hooks", ", ".join(visible(name, 60) for name in node.hooks[:12])])
    if node.said:
        lines.append(["note", visible(node.said, 300)])
    return lines


def _around(graph: GraphFacts, node: GraphNode) -> Iterator[int]:
    """The groups around a node, from inside out."""
    group = node.group
    while group >= 0:
        yield group
        group = graph.groups[group].parent


def _value_lines(node: GraphNode) -> Lines:
    if node.value is None:
        return []
    source = f", {node.value_from}" if node.value_from.startswith("saved") else ""
    return [["value", node.value.words + source]]


def _rule_lines(graph: GraphFacts, node: GraphNode) -> Lines:
    """The vector-Jacobian product as a formula for each argument."""
    rules = rules_for(graph, node)
    edges = [graph.edges[number] for number in graph.incoming(node.number)]
    if node.kind != "operation" or not rules:
        return []
    lines = [
        [
            "backward",
            "`g` is the gradient that arrives, `a`, `b`, … are the arguments, `y` is the result",
        ]
    ]
    sources = {edge.slot: graph.nodes[edge.source] for edge in edges if edge.carries}
    for slot in range(len(rules) if len(rules) > 1 else min(6, 1 + max(sources, default=-1))):
        source = sources.get(slot)
        if source is not None:
            rule = rules[0] if len(rules) == 1 else rules[slot]
            lines.append([f"→ {visible(source.label or source.word, 30)}", f"`{rule}`"])
        elif graph.library and len(rules) > 1:
            lines.append([f"argument `{'abc'[slot]}`", _NO_NODE])
    return lines


def _saved_lines(graph: GraphFacts, node: GraphNode) -> Lines:
    if node.kind != "operation":
        return []
    if node.freed:
        return [["saved", "what it saved for backward is gone: backward() has freed it"]]
    lines = []
    everything = saved(graph, node.number, keep=64)
    # What is a value itself, as micrograd's are, has been described above.
    for kept in [k for k in everything if graph.library or k.name not in ("value", "grad")][
        :_SAVED
    ]:
        words = kept.problem or kept.words
        maker = graph.nodes[kept.node] if 0 <= kept.node < len(graph.nodes) else None
        made = f", made by {maker.word}" if maker is not None and maker is not node else ""
        lines.append([f"saved {visible(kept.name, 30)}", visible(words + made, 200)])
    return lines


def _heat(seen: Glance | None) -> dict[str, Any]:
    """A small tensor as cells; nothing where its numbers were not kept."""
    if seen is None or seen.values is None or seen.values.size < 2:
        return {}
    picture = heat_map(np.asarray(seen.values))
    return {} if picture.problem else pack_heat(picture)
