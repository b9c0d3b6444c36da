"""The facts about a model: columns of numbers, from which records are made when somebody looks at them.

Rows are numbered in the order in which a tree shows them: a module, its tensors, its notes, then its
children. A path such as `"features.0.weight"` is worked out when asked for, since in a chain of 100,000
modules the paths together would fill gigabytes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from nbmodule_widgets.facts.patterns import Pattern
from nbmodule_widgets.facts.records import NodeFacts, Note, TensorFacts, Totals
from nbmodule_widgets.facts.searching import Wanted

Stamp = tuple[int, ...]
"""How often a tensor was written to, where its memory lies, and perhaps a sum over its bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Nodes(Sequence[NodeFacts]):
    """The Modules of a model in order, parents before children. A record is made when it is asked for.

    Attributes:
        names: For each Module its key in the parent's `_modules`; the empty string for the root.
        patterns: What the Modules consist of, each pattern once, in the order in which they are met.
        pattern: For each Module the number of its pattern.
        parent: For each Module the index of its parent, -1 for the root.
        depth: Steps from the root.
        end: Index of the first Module that is no longer below it.
        row: Its row number.
        numel: Numbers in the parameters in it and below it, each object counted once.
        nbytes: Memory of its parameters and buffers, and of those below it, each counted once.
        hooked: For each Module a number that stands for the functions of its hooks, 0 if it has none.
    """

    names: list[str]
    patterns: tuple[Pattern, ...]
    pattern: np.ndarray
    parent: list[int]
    depth: list[int]
    end: list[int]
    row: list[int]
    numel: np.ndarray
    nbytes: np.ndarray
    hooked: np.ndarray

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, index: int) -> NodeFacts: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[NodeFacts, ...]: ...
    def __getitem__(self, index: int | slice) -> NodeFacts | tuple[NodeFacts, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        pattern = self.patterns[self.pattern[index]]
        return NodeFacts(
            row=self.row[index],
            parent=self.parent[index],
            depth=self.depth[index],
            name=self.names[index],
            class_name=pattern.class_name,
            extra=pattern.extra,
            training=pattern.training,
            twin=pattern.twin,
            cycle=pattern.cycle,
            tensors=pattern.tensors,
            notes=pattern.notes,
            hooks=pattern.hooks,
            numel=int(self.numel[index]),
            nbytes=int(self.nbytes[index]),
        )

    def __iter__(self) -> Iterator[NodeFacts]:
        return (self[index] for index in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Whether every record is equal; rows, ends and sums follow from what is compared."""
        if not isinstance(other, Nodes):
            return NotImplemented
        return (
            self.names == other.names
            and self.patterns == other.patterns
            and self.depth == other.depth
            and np.array_equal(self.pattern, other.pattern)
            and np.array_equal(self.hooked, other.hooked)
        )

    def __hash__(self) -> int:
        return hash((tuple(self.names), self.patterns))

    def of(self, index: int) -> Pattern:
        """The pattern of a Module."""
        return self.patterns[self.pattern[index]]

    def below(self, index: int) -> Iterator[int]:
        """Indices of a Module's children, in order."""
        child, end = index + 1, self.end[index]
        while child < end:
            yield child
            child = self.end[child]


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """Everything a view needs to know about a model.

    Attributes:
        nodes: The Modules in order (parents before children).
        totals: The numbers over all of it.
        stamps: For each tensor, in the order of the rows, what changes when it is written to; None where nothing
            tells. A checksum of some of its numbers may stand beside it. Facts may be equal without it.
    """

    nodes: Nodes
    totals: Totals
    stamps: tuple[Stamp | None, ...] = field(default=(), compare=False, repr=False)

    @property
    def root(self) -> NodeFacts:
        """The model itself."""
        return self.nodes[0]

    @property
    def rows(self) -> int:
        """How many rows the complete tree has."""
        return self.nodes.row[-1] + self.nodes.of(-1).lines

    def at(self, row: int) -> tuple[NodeFacts, TensorFacts | Note | None]:
        """The module of a row, and its tensor or note if the row is not the module itself."""
        node = self.nodes[bisect_right(self.nodes.row, row) - 1]
        place = row - node.row - 1
        return node, None if place < 0 else (*node.tensors, *node.notes)[place]

    def steps(self, row: int) -> list[str]:
        """The names on the way from the root to the row: `["features", "0", "weight"]`."""
        node, item = self.at(row)
        names = [item.name] if isinstance(item, TensorFacts) else []
        index = self.index(node)
        while index > 0:
            names.append(self.nodes.names[index])
            index = self.nodes.parent[index]
        return names[::-1]

    def path(self, row: int) -> str:
        """The dotted path of a row: `"features.0.weight"`; empty for the model itself."""
        return ".".join(self.steps(row))

    def index(self, node: NodeFacts) -> int:
        """Where a node stands in `nodes`."""
        return bisect_right(self.nodes.row, node.row) - 1

    def children(self) -> dict[int, list[int]]:
        """Indices of each node's children, in order."""
        found: dict[int, list[int]] = {}
        for index, parent in enumerate(self.nodes.parent):
            found.setdefault(parent, []).append(index)
        return found

    def tensor_rows(self) -> Iterator[tuple[int, TensorFacts]]:
        """Every tensor with its row, shared ones at each of their places."""
        for index, row in enumerate(self.nodes.row):
            yield from enumerate(self.nodes.of(index).tensors, start=row + 1)

    def search(
        self,
        text: str = "",
        *,
        class_name: str = "",
        frozen: bool | None = None,
        training: bool | None = None,
        kind: str | None = None,
    ) -> tuple[str, ...]:
        """The paths of the modules and tensors that fit, as the search of the tree finds them.

        Args:
            text: Part of a name, or of the class of a module; upper and lower case are the same. With dots
                the end of a path: `"layers.2.lin"`.
            class_name: Part of the class of the module, or of the module that a tensor lies in.
            frozen: True for the parameters that take no gradient, False for those that do.
            training: The mode of the module, or of the module that a tensor lies in.
            kind: `"module"`, `"parameter"` or `"buffer"`. If it is not given: parameters if `frozen` is, else
                modules if `class_name` or `training` is, else all.

        Raises:
            ValueError: If there is no such kind.
        """
        if kind is None and frozen is not None:
            kind = "parameter"
        elif kind is None and (class_name or training is not None):
            kind = "module"
        wanted = Wanted(text, class_name, frozen, training, kind)
        return tuple(self.path(row) for row in wanted.rows(self.nodes))

    def find(self, path: str) -> int:
        """The row of a dotted path, or -1."""
        nodes = self.nodes
        pending = [(0, 0)]
        while pending:
            index, start = pending.pop()
            if start > len(path) or (start == 0 and not path):
                return nodes.row[index]
            for offset, tensor in enumerate(nodes.of(index).tensors):
                if start + len(tensor.name) == len(path) and path.endswith(tensor.name):
                    return nodes.row[index] + 1 + offset
            fitting = []
            for child in nodes.below(index):
                name = nodes.names[child]
                end = start + len(name)
                if path.startswith(name, start) and (end == len(path) or path[end] == "."):
                    fitting.append((child, end + 1))
            pending += reversed(fitting)
        return -1
