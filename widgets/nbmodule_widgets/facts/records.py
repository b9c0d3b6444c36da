"""The records that facts are made of: a tensor, a note, a Module, the totals of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nbmodule_widgets.facts.words import count, size

# The hook dictionaries that hold functions to call, and their kinds in words.
HOOK_KINDS = {
    "_backward_pre_hooks": "backward pre",
    "_backward_hooks": "backward",
    "_forward_hooks": "forward",
    "_forward_pre_hooks": "forward pre",
    "_state_dict_hooks": "state_dict",
    "_state_dict_pre_hooks": "state_dict pre",
    "_load_state_dict_pre_hooks": "load_state_dict pre",
    "_load_state_dict_post_hooks": "load_state_dict post",
}


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
        lazy: Whether it has no shape until the first forward() gives it one.
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
    lazy: bool = False

    @property
    def empty(self) -> bool:
        """Whether the place is registered but holds `None`."""
        return self.class_name == "NoneType"

    @property
    def frozen(self) -> bool:
        """Whether it is a parameter that takes no gradient."""
        return self.kind == "parameter" and self.requires_grad is False


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader should know, shown at the place it is about.

    Attributes:
        kind: `"problem"` (could not be read), `"hidden"` (Modules that the tree cannot reach), `"plain"` (tensors in
            plain attributes), `"outside"` (state in no drawer) or `"empty"` (a registered place that holds `None`).
        text: The sentence.
    """

    kind: Literal["problem", "hidden", "plain", "outside", "empty"]
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

    @property
    def hook_kinds(self) -> tuple[tuple[str, int], ...]:
        """`(("forward", 2), ("backward pre", 1))`: the hooks with their kinds in words."""
        return hook_kinds(self.hooks)

    @property
    def lazy(self) -> bool:
        """Whether one of its own tensors gets its shape from the first forward()."""
        return any(tensor.lazy for tensor in self.tensors)


def hook_kinds(hooks: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    """The counted hooks with their kinds in words.

    Args:
        hooks: `(slot, how many)`.
    """
    return tuple((HOOK_KINDS[slot], number) for slot, number in hooks)


@dataclass(frozen=True, slots=True)
class Totals:
    """The numbers over a whole model, shared objects counted once.

    Attributes:
        modules: Modules.
        parameters: Numbers in parameters.
        trainable: Those that take a gradient.
        frozen: Those that take none.
        buffers: Numbers in buffers.
        nbytes: Memory of parameters and buffers.
        lazy: Parameters and buffers that the first forward() will make.
        outside: Memory of what Modules save beside their drawers, as far as they were asked.
        keys: The keys of that.
        opaque: Modules that keep there what does not tell its size.
        unasked: Modules that may save more than their drawers hold, and were not asked.
    """

    modules: int
    parameters: int
    trainable: int
    frozen: int
    buffers: int
    nbytes: int
    lazy: int = 0
    outside: int = 0
    keys: int = 0
    opaque: int = 0
    unasked: int = 0

    @property
    def beside(self) -> tuple[str, ...]:
        """What the sums do not count, in words: `"2 tensors not made yet"`; mostly nothing."""
        parts = [f"{count(self.lazy, 'tensor')} not made yet"] if self.lazy else []
        if self.outside:
            parts.append(f"{size(self.outside)} of state outside the drawers")
        if self.opaque:
            parts.append("state of unknown size outside the drawers")
        if self.unasked:
            parts.append(
                f"state outside the drawers of {count(self.unasked, 'module')} not counted"
            )
        return tuple(parts)
