"""A tensor as it was, so that it can be put back: the same object with the same bits, version, gradient and hooks.

For a tensor that is written in Python (nbmodule's, or the reader's own) that is its `__dict__` and the arrays
in it; PyTorch's are asked in PyTorch's words.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from nbmodule_widgets.facts.container_state import Containers
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, class_attribute, class_name, own_dict

_HOOKS = ("_backward_hooks", "_post_accumulate_grad_hooks")
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def same_bits(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two arrays of one shape and dtype hold the same bits: NaN is the same as itself, -0 is not 0."""
    kind = _UNSIGNED.get(first.dtype.itemsize) if first.dtype.kind in "biuf" else None
    if kind is None:
        return first.tobytes() == second.tobytes()
    return bool(np.array_equal(first.view(kind), second.view(kind)))


class ArrayState:
    """An array and a copy of its numbers."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.copy = array, array.copy(order="K")

    def put_back(self) -> None:
        """Writes the numbers back, if they are others now."""
        if not same_bits(self.array, self.copy):
            self.array[...] = self.copy


class PythonTensor:
    """The state of a tensor whose class is written in Python.

    Args:
        tensor: The tensor.
        copy: Whether its numbers are copied.
        clear: Whether `.grad` is None from now on.
    """

    def __init__(self, tensor: Any, copy: bool, clear: bool) -> None:
        self.tensor, self.own, self.kind = tensor, own_dict(tensor), type(tensor)
        self.saved = dict(self.own)
        self.grad = self.saved.get("_grad", self.saved.get("grad"))
        self.arrays = [ArrayState(a) for a in self.saved.values() if type(a) is np.ndarray and copy]
        self.storage = own_dict(self.saved.get("_storage"))
        self.storage_saved = dict(self.storage)
        self.hooks = Containers()
        self.notes, notes = _notes(self.own), own_dict(_notes(self.own))
        for hooks in notes.values():
            self.hooks.keep(hooks)
        self.version = self.storage.get("version", 0)
        if clear:
            attempt(setattr, tensor, "grad", None)

    def put_back(self) -> str:
        """Makes the tensor what it was; returns what could not be put back, in words."""
        if type(self.tensor) is not self.kind:
            self.tensor.__class__ = self.kind
        problem = ""
        if not self.arrays and self.storage.get("version", 0) != self.version:
            problem = "its numbers were changed in place, and it is too large to have been copied"
        if len(self.own) != len(self.saved) or any(
            self.own.get(name) is not value for name, value in self.saved.items()
        ):
            self.own.clear()
            self.own.update(self.saved)
        for array in self.arrays:
            array.put_back()
        if self.storage is not self.own and not problem:
            self.storage.clear()
            self.storage.update(self.storage_saved)
        accumulator = self.own.get("_accumulator")
        if accumulator is not None and _notes(self.own) is not self.notes:
            accumulator.notes = self.notes
        self.hooks.put_back()
        return problem


def _notes(own: dict[str, Any]) -> Any:
    """Where nbmodule keeps the hooks of a leaf, or None."""
    return attempt(getattr, own.get("_accumulator"), "notes", None).value


class TorchTensor:
    """The state of one of PyTorch's tensors; the arguments are those of `PythonTensor`."""

    def __init__(self, tensor: Any, copy: bool, clear: bool) -> None:
        self.tensor, self.kind = tensor, type(tensor)
        self.own, self.saved = own_dict(tensor), dict(own_dict(tensor))
        self.alias = (
            tensor.data
        )  # the same memory; it stays that of the tensor if `.data` is replaced
        self.version = attempt(getattr, tensor, "_version").value
        self.place = _place(tensor)
        self.empty = self.alias.is_meta  # a shape without numbers: none can change
        self.copy = self.alias.clone() if copy and not self.empty else None
        self.leaf = tensor.is_leaf
        self.wants = tensor.requires_grad
        self.holds = self.leaf or tensor.retains_grad
        self.grad = tensor.grad if self.holds else None
        self.hooks = {name: getattr(tensor, name, None) for name in _HOOKS}
        self.entries = Containers()
        self.entries.keep([hooks for hooks in self.hooks.values() if hooks is not None])
        if clear and self.grad is not None:
            tensor.grad = None

    def put_back(self) -> str:
        """Makes the tensor what it was; returns what could not be put back, in words."""
        tensor, problem = self.tensor, ""
        if type(tensor) is not self.kind:
            tensor.__class__ = self.kind
        if tensor.is_leaf and self.leaf and tensor.requires_grad != self.wants:
            tensor.requires_grad_(self.wants)
        if self.holds and tensor.grad is not self.grad:
            tensor.grad = None
        if _place(tensor) != self.place:
            tensor.data = self.alias
        if self.copy is not None:
            said = attempt(
                _same_torch_bits, self.alias, self.copy
            )  # sparse ones have no bits in a row
            written = attempt(getattr, tensor, "_version").value != self.version
            if written if said.problem else not said.value:
                self.alias.copy_(self.copy)
        elif not self.empty and attempt(getattr, tensor, "_version").value != self.version:
            return "its numbers were changed in place, and it is too large to have been copied"
        if tensor.is_leaf != self.leaf:
            problem = "it became part of a graph"
        else:
            self._version_back()
        if self.holds and tensor.grad is not self.grad:
            tensor.grad = self.grad
        for name, hooks in self.hooks.items():
            if hooks is None and getattr(tensor, name, None) is not None:
                setattr(tensor, name, None)
        self.entries.put_back()
        if len(self.own) != len(self.saved) or any(
            self.own.get(name) is not value for name, value in self.saved.items()
        ):
            self.own.clear()
            self.own.update(self.saved)
        return problem

    def _version_back(self) -> None:
        """Sets the count of writes back: a graph that the reader still holds compares it with what it saved."""
        if attempt(getattr, self.tensor, "_version").value == self.version:
            return
        engine: Any = attempt(lambda: sys.modules["torch"]._C._autograd).value  # type: ignore[attr-defined]
        attempt(lambda: engine._unsafe_set_version_counter((self.tensor,), (self.version,)))


def _place(tensor: Any) -> Any:
    """Where the numbers lie, and how: changes when `.data` is replaced."""
    try:
        return tensor.data_ptr(), tensor.shape, tensor.dtype, tensor.stride()
    except Exception:  # lazy, sparse, …
        return None


def _same_torch_bits(first: Any, second: Any) -> bool:
    torch: Any = sys.modules["torch"]
    kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    kind = None if first.dtype == torch.bool else kinds.get(first.element_size())
    if kind is None or first.is_complex():
        return bool(torch.equal(first, second))
    if first.dtype.is_floating_point:
        first, second = first.view(kind), second.view(kind)
    return bool(torch.equal(first, second))


def nbytes_of(tensor: Any) -> int:
    """How many bytes the numbers of a tensor take, as far as it says."""
    found = attempt(lambda: int(tensor.nbytes)).value
    if found is None:
        found = sum(a.nbytes for a in own_dict(tensor).values() if type(a) is np.ndarray)
    return found


def state_of(tensor: Any, copy: bool, clear: bool) -> tuple[Any, str]:
    """Remembers a tensor.

    Args:
        tensor: A tensor of any library, or a NumPy array.
        copy: Whether its numbers are copied; else a change in place is only noticed.
        clear: Whether its `.grad` is None from now on. A reader's own tensors keep theirs: their `backward`
            may count on it.

    Returns:
        An object whose `put_back()` makes the tensor what it was, and the empty string; or None and why not.
    """
    torch: Any = sys.modules.get("torch")
    if type(tensor) is np.ndarray:
        said = attempt(ArrayState, tensor) if copy else attempt(lambda: None)
    elif torch is not None and issubclass(type(tensor), getattr(torch, "Tensor", ())):
        said = attempt(TorchTensor, tensor, copy, clear)
    else:
        clear = clear and class_attribute(tensor, "register_hook") is not None
        said = attempt(PythonTensor, tensor, copy, clear)
    problem = said.problem and visible(
        f"a {class_name(tensor)} could not be copied: {said.problem}"
    )
    return said.value, problem
