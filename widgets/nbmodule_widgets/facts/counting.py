"""How many parameters a module holds in itself and below, each object counted once.

Adding up along the tree counts a tied weight twice. So each object adds its size at every place where it
lies, and takes it off again where two of these places meet: at their nearest common ancestor. Whatever node
one looks at, the sum over its subtree then has every object exactly once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from nbmodule_widgets.facts.records import TensorFacts

_PATIENCE = 2_000_000  # steps; a model of 10,000 Modules needs some 20,000
_LARGEST = 2**62  # beyond it Python's own integers add up


@dataclass(frozen=True, slots=True)
class Tree:
    """The shape of a model.

    Attributes:
        parents: Index of each node's parent (smaller than the node's own), -1 for the root.
        depths: Steps from the root.
        ends: Index of the first node that is no longer below it.
        twins: For each node that is the same object as an earlier one, the index of that one.
    """

    parents: list[int]
    depths: list[int]
    ends: list[int]
    twins: dict[int, int]


@dataclass(frozen=True, slots=True)
class Sums:
    """For each node the parameters and the bytes in its subtree.

    Attributes:
        numel: Numbers in parameters.
        nbytes: Bytes in parameters and buffers.
        problem: A sentence if the sharing was too entangled to be counted exactly, otherwise empty.
    """

    numel: np.ndarray
    nbytes: np.ndarray
    problem: str = ""


class _Exhausted(Exception):
    """The model shares so much that exact counting would take minutes."""


def whole_numbers(numbers: list[int]) -> np.ndarray:
    """The numbers as an array: of 64 bits, or of Python's own integers if one is too large for that."""
    fits = all(-_LARGEST < number < _LARGEST for number in numbers)
    return np.array(numbers, dtype=np.int64 if fits else object)


def subtree_sums(tree: Tree, numel: np.ndarray, nbytes: np.ndarray) -> Sums:
    """Adds up along the tree.

    Args:
        tree: The shape of the model.
        numel: What each node itself contributes in parameters, as `whole_numbers`.
        nbytes: What it contributes in bytes.
    """
    ends = np.array(tree.ends)
    return Sums(_below(numel, ends), _below(nbytes, ends))


def _below(own: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """For each node the sum over its subtree: the nodes of a subtree stand side by side."""
    if max(int(own.max()), -int(own.min())) * len(own) >= _LARGEST:
        own = own.astype(object)
    upto = np.concatenate([own[:1] * 0, np.cumsum(own)])
    return upto[ends] - upto[:-1]


Held = list[dict[int, TensorFacts]]


def subtree_sums_with_sharing(tree: Tree, held: Held) -> Sums:
    """Counts every subtree of a model in which some objects lie in several places.

    Args:
        tree: The shape of the model.
        held: For each node the tensors directly in it, by identity.
    """
    counter = _Counter(tree)
    try:
        sums = subtree_sums(tree, *_contributions(counter, _places(counter, held), len(held)))
    except _Exhausted:
        first = {key: (size, [at]) for at, own in enumerate(held) for key, size in own.items()}
        sums = subtree_sums(tree, *_contributions(counter, first, len(held)))
        problem = "so much is shared here that each tensor is counted in one place only"
        return Sums(sums.numel, sums.nbytes, problem)
    return sums


class _Counter:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        if self.steps > _PATIENCE:
            raise _Exhausted

    def meeting(self, a: int, b: int) -> int:
        """Nearest common ancestor of two nodes."""
        depths, parents = self.tree.depths, self.tree.parents
        while a != b:
            self.step()
            if depths[a] < depths[b]:
                a, b = b, a
            a = parents[a]
        return a

    def reachable(self, start: int) -> list[int]:
        """The nodes below `start`, twins followed to the place where they were first met."""
        ends, twins = self.tree.ends, self.tree.twins
        seen, pending = {start}, [start]
        while pending:
            at = pending.pop()
            child = at + 1
            while child < ends[at]:
                self.step()
                target = twins.get(child, child)
                if target not in seen:
                    seen.add(target)
                    pending.append(target)
                child = ends[child]
        return sorted(seen)


Places = dict[int, tuple[TensorFacts, list[int]]]


def _places(counter: _Counter, held: Held) -> Places:
    """For each object the nodes that have it, a twin having all that its first place has."""
    places: Places = {}
    for index, own in enumerate(held):
        for key, size in own.items():
            places.setdefault(key, (size, []))[1].append(index)
    below: dict[int, Iterable[int]] = {}
    for index, first in counter.tree.twins.items():
        if first not in below:
            nodes = counter.reachable(first)
            below[first] = {key: None for node in nodes for key in held[node]}
        for key in below[first]:
            counter.step()
            places[key][1].append(index)
    return places


def _contributions(counter: _Counter, places: Places, nodes: int) -> tuple[np.ndarray, np.ndarray]:
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
    return whole_numbers(numel), whole_numbers(nbytes)
