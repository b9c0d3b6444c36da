"""What is written on the boxes of a drawn graph."""

from __future__ import annotations

from nbmodule_widgets.facts.words import count, shape_text, visible
from nbmodule_widgets.graphing.records import GraphFacts, GraphNode

LONGEST = 30
"""Letters in one line of a box."""


def node_lines(node: GraphNode) -> tuple[str, ...]:
    """The two lines on a node: what it is called, and the shape of what it is or made."""
    name = node.label if node.kind in ("leaf", "input") and node.label else node.word
    if node.result and node.label:
        name = f"{node.label} = {node.word}"
    below = shape_text(node.shape) if node.shape is not None else ""
    if node.kind == "failed":
        name, below = f"✗ {name}", "failed here"
    return visible(name, LONGEST), visible(below, LONGEST)


def group_lines(graph: GraphFacts, number: int) -> tuple[str, ...]:
    """The two lines on a folded group."""
    group = graph.groups[number]
    return visible(group_title(graph, number), LONGEST), count(group.end - group.first, "node")


def group_title(graph: GraphFacts, number: int) -> str:
    """The name of a group: `"fc1 · Linear"`, and which call of the module it is if there are several."""
    group = graph.groups[number]
    title = (
        group.name if group.class_name in ("", group.name) else f"{group.name} · {group.class_name}"
    )
    return f"{title} (call {group.call})" if group.call > 1 else title
