"""A tensor as it was, so that it can be put back: the same object with the same bits, version, gradient and hooks.

For a tensor that is written in Python (nbmodule's, or the reader's own) that is its `__dict__` and the arrays
in it; PyTorch's are asked in PyTorch's words.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from nbmodule_widgets.engines import engine_of
from nbmodule_widgets.facts.container_state import PLAIN, Containers, contents, fill, same_objects
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.tensor_rows import Rows, is_freed
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    attempt,
    class_attribute,
    class_name,
    has_drawers,
    has_own_dict,
    may_be_module,
    own_dict,
    read,
)

_HOOKS = ("_backward_hooks", "_post_accumulate_grad_hooks")
_WHOLE = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}  # of PyTorch, by bytes
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_PLAIN = frozenset(map(id, PLAIN))
SHORT = 4096  # bytes; fewer are compared more quickly as bytes than by NumPy


def same_bits(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two arrays of one shape and dtype hold the same bits: NaN is the same as itself, -0 is not 0."""
    kind = _UNSIGNED.get(first.dtype.itemsize) if first.dtype.kind in "biuf" else None
    if kind is None or first.nbytes <= SHORT:
        return first.tobytes() == second.tobytes()
    return bool(np.array_equal(first.view(kind), second.view(kind)))


class ArrayState:
    """An array and a copy of its numbers."""

    __slots__ = "array", "copy"

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.copy = array, array.copy(order="K")

    def put_back(self) -> None:
        """Writes the numbers back, if they are others now."""
        if not same_bits(self.array, self.copy):
            self.array[...] = self.copy

    def set_aside(self) -> None:
        """Nothing: an array has no gradient."""


class PythonTensor:
    """The state of a tensor whose class is written in Python; `called` are the hooks on it.

    Args:
        tensor: The tensor.
        copy: Whether its numbers are copied.
        clear: Whether `.grad` is None from now on.
    """

    __slots__ = (
        "accumulator", "arrays", "called", "clear", "engine", "grad", "holders", "hooks", "kind", "notes", "own", "saved", "tensor", "version",
    )  # fmt: skip

    def __init__(self, tensor: Any, copy: bool, clear: bool) -> None:
        self.tensor, self.own, self.kind = tensor, own_dict(tensor), type(tensor)
        own, self.engine = self.own, engine_of(tensor)
        self.saved = contents(own)
        if self.engine is None:
            self.grad = own.get("grad")
        else:
            self.grad = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
        self.version = 0 if self.engine is None else tensor._version
        self.arrays: list[ArrayState] = []
        # What else it consists of, such as the count of writes that it shares with its views.
        self.holders: list[tuple[dict[str, Any], Any]] = []
        for value in own.values():
            if type(value) is np.ndarray:
                self.arrays += [ArrayState(value)] if copy else []
            elif id(type(value)) not in _PLAIN and belongs_to_it(value):
                holder = own_dict(value)
                self.holders.append((holder, contents(holder)))
        # Where gradients arrive, and with it the hooks; one that is made from now on goes as it comes.
        self.accumulator: Any = None
        if self.engine is not None:
            self.accumulator = self.engine.accumulator(tensor)  # type: ignore[attr-defined]
        self.notes: Any = None
        self.hooks, self.called = None, []
        if self.accumulator is not None:
            self.notes = read(self.accumulator, "notes").value
            self.hooks, self.called = _kept(own_dict(self.notes).values())
        self.clear = clear and (self.grad is not None or self.engine is None)
        self.set_aside()

    def set_aside(self) -> None:
        """Sets the gradient aside, if it is to be."""
        if self.clear:
            attempt(setattr, self.tensor, "grad", None)

    def put_back(self) -> str:
        """Makes the tensor what it was; returns what could not be put back, in words."""
        if type(self.tensor) is not self.kind:
            self.tensor.__class__ = self.kind
        problem = ""
        if not self.arrays and self.engine is not None and self.tensor._version != self.version:
            problem = "its numbers were changed in place, and it is too large to have been copied"
        _fill_if_changed(self.own, self.saved)
        for array in self.arrays:
            array.put_back()
        for holder, saved in self.holders if not problem else ():
            _fill_if_changed(holder, saved)
        if self.accumulator is not None and self.accumulator.notes is not self.notes:
            self.accumulator.notes = self.notes
        if self.hooks is not None:
            self.hooks.put_back()
        return problem


def belongs_to_it(value: object) -> bool:
    """Whether an object among a tensor's attributes is a part of it: one with attributes, and no tensor or Module."""
    if not has_own_dict(value) or not may_be_module(value):
        return False
    return not is_tensor(value) and not has_drawers(value)


def _kept(containers: Iterable[Any]) -> tuple[Containers | None, list[Any]]:
    """What the containers of hooks hold now, None where there is none; and the hooks in them."""
    kept, called = None, []
    for container in containers:
        if container is not None:
            kept = kept or Containers()
            called += kept.keep(container)
    return kept, called


def _fill_if_changed(own: dict[str, Any], saved: Any) -> None:
    if not same_objects(contents(own), saved):
        fill(own, saved)


class TorchTensor:
    """The state of one of PyTorch's tensors; the arguments are those of `PythonTensor`, and where small ones are kept."""

    __slots__ = (
        "alias",
        "bits",
        "called",
        "clear",
        "copy",
        "empty",
        "grad",
        "holds",
        "hooks",
        "kept",
        "kind",
        "leaf",
        "own",
        "row",
        "rows",
        "saved",
        "tensor",
        "version",
        "wants",
    )  # fmt: skip

    def __init__(self, tensor: Any, copy: bool, clear: bool, rows: Rows) -> None:
        self.tensor, self.kind = tensor, type(tensor)
        self.own = own_dict(tensor)
        self.saved = contents(self.own)
        # The same memory; it stays that of the tensor if `.data` is replaced.
        self.alias = tensor.data
        self.version = _version(tensor)
        # A shape without numbers, of which none can change; or those of a lazy Module, which have no shape yet.
        self.empty = self.alias.is_meta or class_name(tensor).startswith("Uninitialized")
        self.bits = self.copy = None
        self.rows, self.row = rows, rows.take(self.alias) if copy and not self.empty else None
        if self.row is None and not self.empty:
            self.empty = attempt(is_freed, self.alias).value is True
        if copy and not self.empty and self.row is None:
            self.bits = _bits(self.alias)
            self.copy = self.bits.clone()
        self.leaf = tensor.is_leaf
        self.wants = tensor.requires_grad
        self.holds = self.leaf or tensor.retains_grad
        self.grad = tensor.grad if self.holds else None
        self.hooks = _hooks_on(tensor)
        self.kept, self.called = _kept(self.hooks)
        self.clear = clear and self.grad is not None
        self.set_aside()

    @classmethod
    def ordinary(
        cls, tensor: Any, kind: type, alias: Any, version: int, wants: bool, grad: Any, rows: Rows, row: Any
    ) -> TorchTensor:  # fmt: skip
        """The state of a leaf without hooks and attributes whose bits are in `rows`, from what was read of it before."""
        self = object.__new__(cls)
        self.tensor, self.kind, self.alias, self.version = tensor, kind, alias, version
        self.own, self.saved = own_dict(tensor), ()
        self.rows, self.row, self.wants, self.grad = rows, row, wants, grad
        self.leaf = self.holds = True
        self.empty = self.clear = False
        self.bits = self.copy = self.kept = None
        self.hooks, self.called = (None, None), []
        return self

    def set_aside(self) -> None:
        """Sets the gradient aside, if it is to be."""
        if self.clear:
            self.tensor.grad = None

    def put_back(self) -> str:
        """Makes the tensor what it was; returns what could not be put back, in words."""
        tensor, problem = self.tensor, ""
        if type(tensor) is not self.kind:
            tensor.__class__ = self.kind
        if tensor.is_leaf and self.leaf and tensor.requires_grad != self.wants:
            tensor.requires_grad_(self.wants)
        if self.holds and tensor.grad is not self.grad:
            tensor.grad = None
        if not _same_place(tensor, self.alias):
            tensor.data = self.alias
        if self.row is not None:
            self.rows.put_back(self.row, self.alias)
        elif self.bits is not None:
            if attempt(is_freed, self.alias).value:
                return "its memory was freed"
            try:
                written = not sys.modules["torch"].equal(self.bits, self.copy)
            except Exception:  # sparse ones have no bits in a row
                written = _version(tensor) != self.version
            if written:
                self.bits.copy_(self.copy)
        elif not self.empty and _version(tensor) != self.version:
            return "its numbers were changed in place, and it is too large to have been copied"
        if tensor.is_leaf != self.leaf:
            problem = "it became part of a graph"
        else:
            self._version_back()
        if self.holds and tensor.grad is not self.grad:
            tensor.grad = self.grad
        for name, hooks, now in zip(_HOOKS, self.hooks, _hooks_on(tensor), strict=True):
            if hooks is None and now is not None:
                setattr(tensor, name, None)
        if self.kept is not None:
            self.kept.put_back()
        _fill_if_changed(self.own, self.saved)
        return problem

    def _version_back(self) -> None:
        """Sets the count of writes back: a graph that the reader still holds compares it with what it saved."""
        if _version(self.tensor) != self.version:
            attempt(lambda: engine_of(self.tensor).set_version(self.tensor, self.version))  # type: ignore[union-attr]


def _hooks_on(tensor: Any) -> tuple[Any, Any]:
    """The dictionaries of hooks on one of PyTorch's tensors."""
    return getattr(tensor, _HOOKS[0], None), getattr(tensor, _HOOKS[1], None)


def _version(tensor: Any) -> int | None:
    """How often a tensor was written to; None for one of inference mode."""
    try:
        return tensor._version
    except Exception:
        return None


def _same_place(tensor: Any, alias: Any) -> bool:
    """Whether the numbers still lie where they lay; asked of PyTorch at once, which is quicker."""
    try:
        if tensor.is_set_to(alias) and tensor.dtype == alias.dtype:
            return True
    except Exception:  # lazy, sparse, …
        pass
    return _place(tensor) == _place(alias)


def _place(tensor: Any) -> Any:
    """Where the numbers lie, and how: changes when `.data` is replaced."""
    try:
        return tensor.data_ptr(), tensor.shape, tensor.dtype, tensor.stride()
    except Exception:  # lazy, sparse, …
        return None


def _bits(alias: Any) -> Any:
    """The same memory as whole numbers, since NaN equals nothing and -0 equals 0; itself where that cannot be."""
    torch: Any = sys.modules["torch"]
    if not alias.dtype.is_floating_point:
        return alias
    try:
        return alias.view(getattr(torch, _WHOLE[alias.element_size()]))
    except Exception:  # sparse, quantised, …
        return alias


def nbytes_of(tensor: Any) -> int:
    """How many bytes the numbers of a tensor take, as far as it says."""
    try:
        return int(tensor.nbytes)
    except Exception:
        return sum(a.nbytes for a in own_dict(tensor).values() if type(a) is np.ndarray)


def state_of(tensor: Any, copy: bool, clear: bool, rows: Rows) -> tuple[Any, str]:
    """Remembers a tensor.

    Args:
        tensor: A tensor of any library, or a NumPy array.
        copy: Whether its numbers are copied; else a change in place is only noticed.
        clear: Whether its `.grad` is None from now on. A reader's own tensors keep theirs: their `backward`
            may count on it.
        rows: Takes the bits of PyTorch's small tensors.

    Returns:
        An object whose `put_back()` makes the tensor what it was, and the empty string; or None and why not.
    """
    torch: Any = sys.modules.get("torch")
    if type(tensor) is np.ndarray:
        said = attempt(ArrayState, tensor) if copy else attempt(lambda: None)
    elif torch is not None and issubclass(type(tensor), getattr(torch, "Tensor", ())):
        said = attempt(TorchTensor, tensor, copy, clear, rows)
    else:
        clear = clear and class_attribute(tensor, "register_hook") is not None
        said = attempt(PythonTensor, tensor, copy, clear)
    problem = said.problem and visible(
        f"a {class_name(tensor)} could not be copied: {said.problem}"
    )
    return said.value, problem
