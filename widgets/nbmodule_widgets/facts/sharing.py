"""Which tensors lie in several places, and the totals in which each of them counts once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from nbmodule_widgets.facts.counting import (
    Sums,
    Tree,
    subtree_sums,
    subtree_sums_with_sharing,
    whole_numbers,
)
from nbmodule_widgets.facts.patterns import Pattern
from nbmodule_widgets.facts.records import TensorFacts, Totals

_NONE = id(None)


class HeldTensors:
    """The tensors of all nodes, as facts and as objects.

    Args:
        items: The patterns.
        numbers: For each node the number of its pattern.
        objects: What lies in the places that the patterns describe, in order.

    Attributes:
        repeated: Whether an object lies in more than one place.
    """

    def __init__(self, items: list[Pattern], numbers: list[int], objects: list[object]) -> None:
        self._items, self._numbers = items, np.array(numbers)
        self._ids = list(map(id, objects))
        places = len(self._ids) - self._ids.count(_NONE)
        different = set(self._ids)
        different.discard(_NONE)
        self.repeated = len(different) < places

    def sums(self, tree: Tree) -> Sums:
        """The numbers over each subtree."""
        if self.repeated or tree.twins:
            return subtree_sums_with_sharing(tree, [dict(own) for own in self._by_node()])
        numel = whole_numbers([pattern.numel for pattern in self._items])
        nbytes = whole_numbers([pattern.nbytes for pattern in self._items])
        return subtree_sums(tree, numel[self._numbers], nbytes[self._numbers])

    def totals(self, modules: int) -> Totals:
        """The numbers over the whole model.

        Args:
            modules: How many Modules there are, each counted once.
        """
        if self.repeated:
            once: dict[int, TensorFacts] = {}
            for own in self._by_node():
                for key, fact in own:
                    once.setdefault(key, fact)
            counted = Counter(once.values())
        else:
            counted = Counter()
            for number, nodes in enumerate(np.bincount(self._numbers).tolist()):
                for fact in self._items[number].tensors if nodes else ():
                    counted[fact] += nodes
        return _totals(modules, counted)

    def with_twins(self, rows: list[int]) -> Iterator[tuple[int, list[TensorFacts]]]:
        """The nodes with a tensor that was met before, and their tensors with the row of the first place.

        Args:
            rows: The row of each node.
        """
        first: dict[int, int] = {}
        start = 0
        for node, pattern in enumerate(self._patterns() if self.repeated else ()):
            tensors = list(pattern.tensors)
            for place, key in enumerate(self._ids[start : start + len(tensors)]):
                here = rows[node] + 1 + place
                met = first.setdefault(key, here)
                if key != _NONE and met != here:
                    tensors[place] = replace(tensors[place], twin=met)
            start += len(tensors)
            if any(tensor.twin >= 0 for tensor in tensors):
                yield node, tensors

    def _patterns(self) -> list[Pattern]:
        """For each node its pattern."""
        return [self._items[number] for number in self._numbers.tolist()]

    def _by_node(self) -> Iterator[list[tuple[int, TensorFacts]]]:
        """For each node the identities and the facts of its tensors, empty places left out."""
        start = 0
        for pattern in self._patterns():
            end = start + len(pattern.tensors)
            pairs = zip(self._ids[start:end], pattern.tensors, strict=True)
            yield [pair for pair in pairs if pair[0] != _NONE]
            start = end


def _totals(modules: int, counted: Counter[TensorFacts]) -> Totals:
    """The numbers, from how often there is an object with these facts."""
    parameters = [(fact, n) for fact, n in counted.items() if fact.kind == "parameter"]
    buffers = [(fact, n) for fact, n in counted.items() if fact.kind == "buffer"]
    numel = sum(fact.numel * n for fact, n in parameters)
    frozen = sum(fact.numel * n for fact, n in parameters if fact.requires_grad is False)
    return Totals(
        modules=modules,
        parameters=numel,
        trainable=numel - frozen,
        frozen=frozen,
        buffers=sum(fact.numel * n for fact, n in buffers),
        nbytes=sum(fact.nbytes * n for fact, n in counted.items()),
        lazy=sum(n for fact, n in counted.items() if fact.lazy),
    )
