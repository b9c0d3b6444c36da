"""What is written on the boxes of a drawn graph."""

from __future__ import annotations

import numpy as np

from nbmodule_widgets.facts.glance import Glance
from nbmodule_widgets.facts.words import count, decimal, shape_text, visible
from nbmodule_widgets.graphing.records import GraphFacts, GraphNode

LONGEST = 30
"""Letters in one line of a box."""


_FEW, _SHORT = 4, 15  # numbers, and characters, of a tensor that is written out


def node_lines(node: GraphNode, gradient: Glance | None = None) -> tuple[str, ...]:
    """The two lines on a node: what it is called; and what it is or made, in numbers if there are few, else its shape.

    Args:
        node: The node.
        gradient: What the backward walk brought it, added to the second line if it has few numbers.
    """
    name = node.word
    if node.label:
        named = node.kind in ("leaf", "input")
        name = node.label if named else f"{node.label} = {node.word}"
    if node.kind == "failed":
        return cut(f"✗ {name}"), "failed here"
    below = shape_text(node.shape) if node.shape is not None else ""
    if node.value is not None and node.outputs == 1:
        below = few_numbers(node.value.values) or below
    below = " · ".join(filter(None, [below, "freed" if node.freed else ""]))
    came = few_numbers(gradient.values) if gradient is not None else ""
    return cut(name), " · ".join(filter(None, [cut(below), f"grad {came}" if came else ""]))


def group_lines(graph: GraphFacts, number: int) -> tuple[str, ...]:
    """The two lines on a folded group."""
    group = graph.groups[number]
    return cut(group_title(graph, number)), count(group.end - group.first, "node")


def cut(text: str) -> str:
    """As much of it as there is room for in a box."""
    shown = visible(text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def few_numbers(values: np.ndarray | None) -> str:
    """`"[1, 2]"`: the numbers of a tiny tensor; the empty string if that would be too long to stand at an arrow."""
    if values is None or not 0 < values.size <= _FEW:
        return ""
    said = _nested(values)
    return said if len(said) <= _SHORT else ""


def _nested(values: np.ndarray) -> str:
    if not values.ndim:
        return decimal(float(values))
    return f"[{', '.join(_nested(np.asarray(inner)) for inner in values)}]"


def group_title(graph: GraphFacts, number: int) -> str:
    """The name of a group: `"fc1 · Linear"`, and which call of the module it is if there are several."""
    group = graph.groups[number]
    title = (
        group.name if group.class_name in ("", group.name) else f"{group.name} · {group.class_name}"
    )
    return f"{title} (call {group.call})" if group.call > 1 else title
