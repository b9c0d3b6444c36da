"""The search of the tree without a front end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbmodule_widgets.facts.patterns import Pattern
from nbmodule_widgets.facts.records import TensorFacts

if TYPE_CHECKING:
    from nbmodule_widgets.facts.model import Nodes

KINDS = ("module", "parameter", "buffer")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for; see `ModuleFacts.search`.

    Raises:
        ValueError: If there is no such kind.
    """

    text: str
    class_name: str
    frozen: bool | None
    training: bool | None
    kind: str | None

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in KINDS:
            known = ", ".join(map(repr, KINDS))
            raise ValueError(f"there is no kind {self.kind!r} of rows: there is {known}")

    def rows(self, nodes: Nodes) -> Iterator[int]:
        """The rows that fit, in order."""
        query = self.text.lower()
        *way, last = query.split(".")
        for index, name in enumerate(nodes.names):
            pattern = nodes.of(index)
            if not self._fits_module(pattern):
                continue
            row = nodes.row[index]
            if self.kind in (None, "module") and self.frozen is None:
                texts = (name.lower(), pattern.class_name.lower())
                if any(query in text for text in texts) or (
                    way and last in texts[0] and _comes_by(nodes, nodes.parent[index], way)
                ):
                    yield row
            for tensor_row, tensor in enumerate(pattern.tensors, start=row + 1):
                own = tensor.name.lower()
                if self._fits_tensor(tensor) and (
                    query in own or (way and last in own and _comes_by(nodes, index, way))
                ):
                    yield tensor_row

    def _fits_module(self, pattern: Pattern) -> bool:
        """Whether the module of a row is one of those that were asked for."""
        same_class = self.class_name.lower() in pattern.class_name.lower()
        return same_class and self.training in (None, pattern.training)

    def _fits_tensor(self, tensor: TensorFacts) -> bool:
        if self.kind not in (None, tensor.kind):
            return False
        if self.frozen is None:
            return True
        return tensor.kind == "parameter" and not tensor.empty and tensor.frozen is self.frozen


def _comes_by(nodes: Nodes, index: int, way: list[str]) -> bool:
    """Whether the names from this module upwards are those of a path; of the first, the end is enough."""
    for place in range(len(way) - 1, -1, -1):
        if index <= 0:
            return False
        above = nodes.names[index].lower()
        if above != way[place] if place else not above.endswith(way[0]):
            return False
        index = nodes.parent[index]
    return True
