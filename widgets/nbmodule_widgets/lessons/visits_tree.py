"""The places of a model's tree, every one of them, with the object that lies there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.facts.words import joined, visible
from nbmodule_widgets.protocol import class_name, drawer, has_drawers

MOST = 400  # places; a walk over more is nothing to look at
_LONGEST = 4000  # characters of a path


@dataclass(frozen=True, slots=True)
class VisitNode:
    """A place in the tree.

    Attributes:
        path: Dotted path; empty for the model itself.
        name: Its key.
        class_name: Class of what lies there.
        kind: `"module"` or `"parameter"`.
        depth: Steps from the model.
        parent: Index of the Module that holds it, -1 for the model.
        twin: Index of the first place of the same object, or -1.
        cycle: Whether that place is one of those above it; what is below is not repeated.
    """

    path: str
    name: str
    class_name: str
    kind: str
    depth: int
    parent: int
    twin: int = -1
    cycle: bool = False


@dataclass(frozen=True, slots=True)
class VisitTree:
    """The places, and what lies in them.

    Attributes:
        nodes: The places in the order of a tree, parents first.
        objects: What lies in each.
        children: For each place the indices of its Modules, in the order of `_modules`.
        parameters: For each place the indices of its parameters.
        notes: What was left out.
    """

    nodes: tuple[VisitNode, ...]
    objects: tuple[Any, ...]
    children: tuple[tuple[int, ...], ...]
    parameters: tuple[tuple[int, ...], ...]
    notes: tuple[str, ...]

    def above(self, node: int) -> list[int]:
        """The places on the way from a place to the model, itself first."""
        way = []
        while node >= 0:
            way.append(node)
            node = self.nodes[node].parent
        return way


def visit_tree(model: object) -> VisitTree:
    """Reads the places below a model; a Module in several places is read at each of them, a cycle once round."""
    nodes: list[VisitNode] = []
    objects: list[object] = []
    children: list[list[int]] = []
    parameters: list[list[int]] = []
    first: dict[int, int] = {}
    notes: list[str] = []
    pending: list[tuple[object, str, str, int, int]] = [(model, "", "", 0, -1)]
    while pending:
        thing, path, name, depth, parent = pending.pop()
        if len(nodes) >= MOST or len(path) > _LONGEST:
            notes = [f"The tree is larger: only its first {len(nodes):,} places are walked over."]
            break
        index = len(nodes)
        met = first.setdefault(id(thing), index)
        twin = met if met != index else -1
        cycle = twin >= 0 and _is_above(thing, parent, nodes, objects)
        nodes.append(
            VisitNode(
                path, name, visible(class_name(thing), 60), "module", depth, parent, twin, cycle
            )
        )
        objects.append(thing)
        children.append([])
        parameters.append([])
        if parent >= 0:
            children[parent].append(index)
        if cycle:
            continue
        for key, tensor in drawer(thing, "_parameters").entries[:MOST]:
            if tensor is not None:
                own = key_text(key)
                here = len(nodes)
                parameters[index].append(here)
                met = first.setdefault(id(tensor), here)
                nodes.append(
                    VisitNode(
                        joined(path, own), own, visible(class_name(tensor), 60), "parameter", depth + 1, index,
                        met if met != here else -1,
                    )
                )  # fmt: skip
                objects.append(tensor)
                children.append([])
                parameters.append([])
        inside = [
            (child, joined(path, key_text(key)), key_text(key), depth + 1, index)
            for key, child in drawer(thing, "_modules").entries
            if child is not None and has_drawers(child)
        ]
        pending += reversed(inside)
    tuples = (tuple(map(tuple, children)), tuple(map(tuple, parameters)))
    return VisitTree(tuple(nodes), tuple(objects), *tuples, tuple(notes))


def _is_above(thing: object, parent: int, nodes: list[VisitNode], objects: list[object]) -> bool:
    while parent >= 0:
        if objects[parent] is thing:
            return True
        parent = nodes[parent].parent
    return False
