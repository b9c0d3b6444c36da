"""How many parameters a module holds in itself and below, each object counted once.

Adding up along the tree counts a tied weight twice. So each object adds its size at every place where it
lies, and takes it off again where two of these places meet: at their nearest common ancestor. Whatever node
one looks at, the sum over its subtree then has every object exactly once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nbmodule_widgets.facts.records import TensorFacts

_PATIENCE = 2_000_000  # steps; a model of 10,000 Modules needs some 20,000


@dataclass(frozen=True, slots=True)
class Sums:
    """For each node the parameters and the bytes in its subtree.

    Attributes:
        numel: Numbers in parameters.
        nbytes: Bytes in parameters and buffers.
        problem: A sentence if the sharing was too entangled to be counted exactly, otherwise empty.
    """

    numel: list[int]
    nbytes: list[int]
    problem: str


class _Exhausted(Exception):
    """The model shares so much that exact counting would take minutes."""


class _Counter:
    def __init__(self, parents: list[int], depths: list[int], twins: list[int]) -> None:
        self.parents, self.depths, self.twins = parents, depths, twins
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        if self.steps > _PATIENCE:
            raise _Exhausted

    def meeting(self, a: int, b: int) -> int:
        """Nearest common ancestor of two nodes."""
        while a != b:
            self.step()
            if self.depths[a] < self.depths[b]:
                a, b = b, a
            a = self.parents[a]
        return a

    def reachable(self, start: int, children: list[list[int]]) -> list[int]:
        """The nodes below `start`, twins followed to the place where they were first met."""
        seen, pending = {start}, [start]
        while pending:
            for child in children[pending.pop()]:
                self.step()
                target = self.twins[child] if self.twins[child] >= 0 else child
                if target not in seen:
                    seen.add(target)
                    pending.append(target)
        return sorted(seen)


def subtree_sums(
    parents: list[int], depths: list[int], held: list[dict[int, TensorFacts]], twins: list[int]
) -> Sums:
    """Counts every subtree.

    Args:
        parents: Index of each node's parent (smaller than the node's own), -1 for the root.
        depths: Steps from the root.
        held: For each node the tensors directly in it, by identity.
        twins: For each node the index of the node that is the same object, or -1.
    """
    counter = _Counter(parents, depths, twins)
    try:
        places = _places(counter, held)
        numel, nbytes = _added(counter, places, len(parents))
        problem = ""
    except _Exhausted:
        places = {key: (size, [at]) for at, own in enumerate(held) for key, size in own.items()}
        numel, nbytes = _added(counter, places, len(parents))
        problem = "so much is shared here that each tensor is counted at one place only"
    for index in range(len(parents) - 1, 0, -1):
        numel[parents[index]] += numel[index]
        nbytes[parents[index]] += nbytes[index]
    return Sums(numel, nbytes, problem)


def _places(
    counter: _Counter, held: list[dict[int, TensorFacts]]
) -> dict[int, tuple[TensorFacts, list[int]]]:
    """For each object the nodes that have it, a twin having all that its first place has."""
    places: dict[int, tuple[TensorFacts, list[int]]] = {}
    for index, own in enumerate(held):
        for key, size in own.items():
            places.setdefault(key, (size, []))[1].append(index)
    repeated = [index for index, twin in enumerate(counter.twins) if twin >= 0]
    if not repeated:
        return places
    children: list[list[int]] = [[] for _ in held]
    for index, parent in enumerate(counter.parents[1:], start=1):
        children[parent].append(index)
    below: dict[int, Iterable[int]] = {}
    for index in repeated:
        first = counter.twins[index]
        if first not in below:
            nodes = counter.reachable(first, children)
            below[first] = {key: None for node in nodes for key in held[node]}
        for key in below[first]:
            counter.step()
            places[key][1].append(index)
    return places


def _added(
    counter: _Counter, places: dict[int, tuple[TensorFacts, list[int]]], nodes: int
) -> tuple[list[int], list[int]]:
    """What each node contributes before adding up along the tree."""
    numel, nbytes = [0] * nodes, [0] * nodes

    def contribute(node: int, tensor: TensorFacts, sign: int) -> None:
        numel[node] += sign * tensor.numel if tensor.kind == "parameter" else 0
        nbytes[node] += sign * tensor.nbytes

    for tensor, found in places.values():
        found.sort()  # neighbours in this order meet lowest, which is what makes the sums come out
        for position, node in enumerate(found):
            contribute(node, tensor, 1)
            if position:
                contribute(counter.meeting(found[position - 1], node), tensor, -1)
    return numel, nbytes
