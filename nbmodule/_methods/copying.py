"""Methods for `copy.deepcopy`, `pickle`, and classes that are made of Tensor."""

from __future__ import annotations

import copy
import copyreg
from typing import TYPE_CHECKING, Any

import numpy as np

from .._backend import device, device_of, move, to_numpy
from .._engine import TENSOR_FIELDS, Storage, TensorBase, op, wants_grad
from .._meta import MetaArray
from ..storage import TypedStorage, UntypedStorage, root_of, typed_storage

if TYPE_CHECKING:
    from .._engine.state import Tensor


copyreg.pickle(Storage, lambda storage: (type(storage), ()))  # a copy starts at version 0


class Copying(TensorBase):
    """Deep copies, pickles, storages and subclasses."""

    def __deepcopy__(self, memo: dict) -> Any:
        if self._node is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
                "at the moment.  If you were attempting to deepcopy a module, this may be because of a "
                "nbmodule.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001\n"
                "Detach this one first, or copy the parts that made it."
            )
        if id(self) in memo:
            return memo[id(self)]
        twin = memo[id(self)] = object.__new__(type(self))
        memory, *place = _taken_apart(self._array)
        twin._array = _put_together(copy.deepcopy(memory, memo), *place)
        twin._storage = copy.deepcopy(self._storage, memo)
        twin._requires_grad = self._requires_grad
        twin._grad = copy.deepcopy(self._grad, memo)
        for name, value in self._notes().items():
            twin.__dict__[name] = copy.deepcopy(value, memo)
        return twin

    def _notes(self) -> dict[str, Any]:
        """Return the attributes that users have put on this tensor."""
        return {k: v for k, v in self.__dict__.items() if k not in TENSOR_FIELDS}

    def __reduce_ex__(self, protocol: Any) -> tuple:
        """Say how to build this tensor again: on the memory that it shares with others, as a leaf."""
        place = _taken_apart(self._array)
        recorded = wants_grad(self)
        return _rebuild, (type(self), self._storage, recorded, self._notes(), *place)

    # ---- the memory

    def untyped_storage(self) -> UntypedStorage:
        """Return the memory behind this tensor and its views, as bytes."""
        return UntypedStorage._of(self)

    def storage(self) -> TypedStorage:
        """Return the memory behind this tensor and its views, as numbers."""
        return typed_storage(self)

    # ---- subclasses

    def as_subclass(self, cls: type) -> Any:
        """Return a tensor of the class `cls` on the same memory, recorded as this one is.

        Raises:
            TypeError: `cls` is no subclass of Tensor.
        """
        _of_class(cls, self)
        out: Any = alias(self)
        out.__class__ = cls
        return out

    @staticmethod
    def _make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Any:
        """Return a leaf of the class `cls` on the memory of `data`."""
        out = _of_class(cls, data)
        out._requires_grad = bool(require_grad)
        return out


@op
def alias(xp: Any, x: Any) -> Any:
    """Return a view of all of `x`."""
    return x[...], lambda g: g


def _of_class(cls: Any, t: TensorBase) -> Any:
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, TensorBase):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. "
            "Make sure your class inherits from Tensor."
        )
    out = object.__new__(cls)
    out._array, out._storage = t._array, t._storage
    return out


def _taken_apart(array: Any) -> tuple[Any, ...]:
    """Return the memory of `array`, and where in it `array` lies; tensors that share it name the same."""
    if not isinstance(array, (np.ndarray, MetaArray)):
        return to_numpy(array), None, None, None, None, str(device_of(array))
    root = root_of(array)
    usable = isinstance(root, np.ndarray) and (root.flags.c_contiguous or root.flags.f_contiguous)
    if root is array or not usable or not array.size:
        return (array if root is array else array.copy()), None, None, None, None, None
    offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    return root, offset, array.shape, array.strides, array.dtype, None


def _put_together(memory: Any, offset: Any, shape: Any, strides: Any, dtype: Any, place: Any) -> Any:  # fmt: skip
    """Return the array that `_taken_apart` took apart."""
    if place is not None:
        return move(memory, device(place))
    if offset is None:
        return memory
    row = (memory if memory.flags.c_contiguous else memory.T).reshape(-1).view(np.uint8)
    return np.ndarray(shape, dtype, row, offset, strides)


def _rebuild(cls: Any, storage: Storage, requires_grad: bool, notes: dict[str, Any], *place: Any) -> Any:  # fmt: skip
    """Make the tensor that `Copying.__reduce_ex__` took apart.

    Raises:
        TypeError: the pickle names something else than a tensor class; NumPy raises one, too, where it
            names memory that is too small.
    """
    if not (isinstance(cls, type) and issubclass(cls, TensorBase)):
        raise TypeError(f"a pickled tensor names {cls!r}, which is no class of tensors")
    t = object.__new__(cls)
    t._array, t._storage = _put_together(*place), storage
    t._requires_grad = requires_grad
    t.__dict__.update(notes)
    return t
