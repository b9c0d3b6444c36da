"""What a Module consists of, without its name and its place: most Modules of a large model are alike.

A model of ten thousand layers has perhaps twenty *patterns*. What is slow (describing tensors, writing
sentences, packing for the page) is done once for each of them, and a Module is a name and a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from nbmodule_widgets.facts.records import Note, TensorFacts, hook_kinds


@dataclass(frozen=True, slots=True)
class Pattern:
    """Everything about a Module but its name, its place, and what lies below it.

    The attributes are those of `NodeFacts`; the last three follow from the others.

    Attributes:
        lines: How many rows it takes: the Module, its tensors and its notes.
        numel: Numbers in its own parameters.
        nbytes: Memory of its own parameters and buffers.
    """

    class_name: str
    extra: str
    training: bool | None
    tensors: tuple[TensorFacts, ...] = ()
    notes: tuple[Note, ...] = ()
    hooks: tuple[tuple[str, int], ...] = ()
    twin: int = -1
    cycle: bool = False
    lines: int = field(init=False, compare=False, repr=False)
    numel: int = field(init=False, compare=False, repr=False)
    nbytes: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        own = {
            "lines": 1 + len(self.tensors) + len(self.notes),
            "numel": sum(t.numel for t in self.tensors if t.kind == "parameter"),
            "nbytes": sum(t.nbytes for t in self.tensors),
        }
        for name, value in own.items():
            object.__setattr__(self, name, value)

    @property
    def hook_kinds(self) -> tuple[tuple[str, int], ...]:
        """`(("forward", 2), ("backward pre", 1))`: the hooks with their kinds in words."""
        return hook_kinds(self.hooks)


class PatternTable:
    """Gives equal patterns the same number.

    Attributes:
        items: The patterns in the order of their numbers.
    """

    def __init__(self) -> None:
        self.items: list[Pattern] = []
        self._numbers: dict[Pattern, int] = {}

    def number(self, pattern: Pattern) -> int:
        """The number of a pattern, a new one if it was not met before."""
        found = self._numbers.setdefault(pattern, len(self.items))
        if found == len(self.items):
            self.items.append(pattern)
        return found
