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
    found = _Reading()
    notes: tuple[str, ...] = ()
    pending: list[tuple[object, str, str, int]] = [(model, "", "", -1)]
    while pending:
        module, path, name, parent = pending.pop()
        if len(found.nodes) >= MOST or len(path) > _LONGEST:
            notes = (
                f"The tree is larger: only its first {len(found.nodes):,} places are walked over.",
            )
            break
        index = found.add(module, path, name, "module", parent)
        if found.nodes[index].cycle:
            continue
        for key, tensor in drawer(module, "_parameters").entries[:MOST]:
            if tensor is not None:
                found.add(tensor, joined(path, key_text(key)), key_text(key), "parameter", index)
        inside = [
            (child, joined(path, key_text(key)), key_text(key), index)
            for key, child in drawer(module, "_modules").entries
            if child is not None and has_drawers(child)
        ]
        pending += reversed(inside)
    return found.tree(notes)


class _Reading:
    """The places that were read so far."""

    def __init__(self) -> None:
        self.nodes: list[VisitNode] = []
        self._objects: list[object] = []
        self._children: list[list[int]] = []
        self._parameters: list[list[int]] = []
        self._first: dict[int, int] = {}

    def add(self, thing: object, path: str, name: str, kind: str, parent: int) -> int:
        """Adds a place below another one; returns its index."""
        index = len(self.nodes)
        met = self._first.setdefault(id(thing), index)
        twin = met if met != index else -1
        cycle = kind == "module" and twin >= 0 and self._is_above(thing, parent)
        depth = self.nodes[parent].depth + 1 if parent >= 0 else 0
        kind_of = visible(class_name(thing), 60)
        self.nodes.append(VisitNode(path, name, kind_of, kind, depth, parent, twin, cycle))
        self._objects.append(thing)
        self._children.append([])
        self._parameters.append([])
        if parent >= 0:
            below = self._children if kind == "module" else self._parameters
            below[parent].append(index)
        return index

    def tree(self, notes: tuple[str, ...]) -> VisitTree:
        """All of it."""
        children, parameters = (
            tuple(map(tuple, each)) for each in (self._children, self._parameters)
        )
        return VisitTree(tuple(self.nodes), tuple(self._objects), children, parameters, notes)

    def _is_above(self, thing: object, parent: int) -> bool:
        while parent >= 0:
            if self._objects[parent] is thing:
                return True
            parent = self.nodes[parent].parent
        return False
