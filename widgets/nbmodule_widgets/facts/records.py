"""The facts about a model, as frozen records: what every view is drawn from and every test compares.

Rows are numbered in the order in which a tree shows them: a module, its tensors, its notes, then its
children. A path such as `"features.0.weight"` is worked out when asked for, since in a chain of 100,000
modules the paths together would fill gigabytes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """A parameter or a buffer, as it lies in its drawer.

    Attributes:
        name: Its key in the drawer.
        kind: `"parameter"` or `"buffer"`.
        class_name: Class of the object.
        shape: Its shape, or `None` where it has none (an empty place such as `bias=None`).
        dtype: `"float32"`; the library's prefix is left out.
        device: `"cpu"`, or the empty string where the object does not say.
        requires_grad: What the object says, or `None` where it does not say.
        persistent: Whether `state_dict()` would save it.
        numel: How many numbers it holds.
        nbytes: How much memory they take.
        twin: Row of the place where the same object was met first, or -1.
        problem: What could not be read, or the empty string.
    """

    name: str
    kind: Literal["parameter", "buffer"]
    class_name: str
    shape: tuple[int, ...] | None
    dtype: str
    device: str
    requires_grad: bool | None
    persistent: bool
    numel: int
    nbytes: int
    twin: int = -1
    problem: str = ""

    @property
    def empty(self) -> bool:
        """Whether the place is registered but holds `None`."""
        return self.class_name == "NoneType"


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader should know, shown at the place it is about.

    Attributes:
        kind: `"problem"` (could not be read), `"hidden"` (Modules that the tree cannot reach) or
            `"empty"` (a registered place that holds `None`).
        text: The sentence.
    """

    kind: Literal["problem", "hidden", "empty"]
    text: str


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """One Module in the tree.

    Attributes:
        row: Its row number.
        parent: Index of the parent in `ModuleFacts.nodes`, -1 for the root.
        depth: Steps from the root.
        name: Its key in the parent's `_modules`; empty for the root.
        class_name: Class of the object.
        extra: What its `extra_repr()` says, or the empty string.
        training: The switch; `None` where it is missing.
        twin: Row of the place where the same object was met first, or -1. A twin's contents are not repeated.
        cycle: Whether that first place is one of its own ancestors.
        tensors: Parameters, then buffers.
        notes: What to say about it.
        hooks: `(slot, how many)` for every hook dictionary that is not empty.
        numel: Parameters in it and below it, each object counted once.
        nbytes: Memory of the parameters and buffers in it and below it, each counted once.
    """

    row: int
    parent: int
    depth: int
    name: str
    class_name: str
    extra: str
    training: bool | None
    twin: int = -1
    cycle: bool = False
    tensors: tuple[TensorFacts, ...] = ()
    notes: tuple[Note, ...] = ()
    hooks: tuple[tuple[str, int], ...] = ()
    numel: int = 0
    nbytes: int = 0

    @property
    def label(self) -> str:
        """`"Linear(2, 3)"`: class and extra_repr, as PyTorch prints it."""
        return f"{self.class_name}({self.extra})"


@dataclass(frozen=True, slots=True)
class Totals:
    """The numbers over a whole model, shared objects counted once."""

    modules: int
    parameters: int
    trainable: int
    frozen: int
    buffers: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """Everything a view needs to know about a model.

    Attributes:
        nodes: The Modules in order (parents before children).
        totals: The numbers over all of it.
    """

    nodes: tuple[NodeFacts, ...]
    totals: Totals
    _first_rows: tuple[int, ...] = field(repr=False, compare=False)

    @property
    def root(self) -> NodeFacts:
        """The model itself."""
        return self.nodes[0]

    @property
    def rows(self) -> int:
        """How many rows the complete tree has."""
        last = self.nodes[-1]
        return last.row + 1 + len(last.tensors) + len(last.notes)

    def at(self, row: int) -> tuple[NodeFacts, TensorFacts | Note | None]:
        """The module of a row, and its tensor or note if the row is not the module itself."""
        node = self.nodes[bisect_right(self._first_rows, row) - 1]
        place = row - node.row - 1
        return node, None if place < 0 else (*node.tensors, *node.notes)[place]

    def steps(self, row: int) -> list[str]:
        """The names on the way from the root to the row: `["features", "0", "weight"]`."""
        node, item = self.at(row)
        names = [item.name] if isinstance(item, TensorFacts) else []
        while node.parent >= 0:
            names.append(node.name)
            node = self.nodes[node.parent]
        return names[::-1]

    def path(self, row: int) -> str:
        """The dotted path of a row: `"features.0.weight"`; empty for the model itself."""
        return ".".join(self.steps(row))

    def index(self, node: NodeFacts) -> int:
        """Where a node stands in `nodes`."""
        return bisect_right(self._first_rows, node.row) - 1

    def children(self) -> dict[int, list[int]]:
        """Indices of each node's children, in order."""
        found: dict[int, list[int]] = {}
        for index, node in enumerate(self.nodes):
            found.setdefault(node.parent, []).append(index)
        return found

    def tensor_rows(self) -> Iterator[tuple[int, TensorFacts]]:
        """Every tensor with its row, shared ones at each of their places."""
        for node in self.nodes:
            for offset, tensor in enumerate(node.tensors):
                yield node.row + 1 + offset, tensor

    def find(self, path: str) -> int:
        """The row of a dotted path, or -1."""
        children = self.children()
        pending = [(0, 0)]
        while pending:
            index, start = pending.pop()
            node = self.nodes[index]
            if start > len(path) or (start == 0 and not path):
                return node.row
            for offset, tensor in enumerate(node.tensors):
                if start + len(tensor.name) == len(path) and path.endswith(tensor.name):
                    return node.row + 1 + offset
            for child in reversed(children.get(index, ())):
                name = self.nodes[child].name
                end = start + len(name)
                if path.startswith(name, start) and (end == len(path) or path[end] == "."):
                    pending.append((child, end + 1))
        return -1
