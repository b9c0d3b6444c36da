"""Methods that overwrite a tensor with given values, or make it show other memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _dtypes
from .._backend import META, device_of, has_cuda, is_pinned, mixed_devices, pinned, to_numpy
from .._data import fill_number
from .._device import NO_ACCELERATOR
from .._engine import TensorBase, note_write, renamed, wants_grad, wrap, write
from .._errors import invalid_call, not_a_tensor
from .._ops import elementwise
from ..storage import shown

if TYPE_CHECKING:
    from .._engine.state import Tensor

FILL_FORMS = "\n * (Tensor value)\n * (Number value)"


class Filling(TensorBase):
    """``fill_``, ``copy_``, ``apply_``, ``set_``."""

    def zero_(self) -> Tensor:
        """Set every element to 0."""
        return write(self, _zeroed, directly=lambda array: array.fill(0), filling=True)

    def fill_(self, value: Any) -> Tensor:
        """Set every element to `value`, a number or a tensor of one without dimensions.

        Raises:
            TypeError: it is something else.
            RuntimeError: it does not fit, or `self` may not be written to.
        """
        if isinstance(value, TensorBase):
            if value._array.ndim:
                raise RuntimeError(
                    "fill_ only supports 0-dimension value tensor but got tensor with "
                    f"{value._array.ndim} dimensions."
                )
        elif not isinstance(value, (int, float, np.generic)):
            raise invalid_call("fill_", (value,), {}, FILL_FORMS)
        else:
            value = fill_number(value, _dtypes.of_numpy[self._array.dtype])
        given = value.clone() if isinstance(value, TensorBase) else value  # type: ignore[attr-defined]

        def directly(array: Any) -> None:
            array[...] = getattr(given, "_array", given)

        at_home = device_of(self._array) != META
        return write(self, _filled, given, directly=directly if at_home else None, filling=True)

    def copy_(self, other: Any, non_blocking: bool = False) -> Tensor:
        """Set the elements to those of `other`, cast, broadcast, and brought to this device.

        Raises:
            TypeError: `other` is no tensor.
            RuntimeError: its shape does not fit, or `self` may not be written to.
        """
        if isinstance(other, (int, float)):
            return self.fill_(other)
        if not isinstance(other, TensorBase):
            raise not_a_tensor("copy_", "other", 1, other)
        at_home = type(self._array) is type(other._array) is np.ndarray
        if not at_home:
            if device_of(self._array) == META:
                other = other.to(META)  # type: ignore[attr-defined]
            at_home = device_of(self._array) == device_of(other._array) != META

        def directly(array: Any) -> None:
            array[...] = other._array

        return write(self, _copied, other, directly=directly if at_home else None)

    def apply_(self, callable: Callable[[Any], Any]) -> Tensor:
        """Replace every element by what `callable` returns for it. Slow: for play, not for work.

        Raises:
            RuntimeError: `self` requires grad.
        """
        self._refuse_recorded("apply_")
        values = [callable(x) for x in to_numpy(self._array).ravel().tolist()]
        return self._set_elements(values)

    def map_(self, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
        """Replace every element by what `callable` returns for it and the one of `tensor` in its place.

        Raises:
            RuntimeError: `self` requires grad, or the shapes do not fit.
            TypeError: `tensor` has another type.
        """
        self._refuse_recorded("map_")
        if not isinstance(tensor, TensorBase):
            raise not_a_tensor("map_", "tensor", 1, tensor)
        if tensor._array.dtype != self._array.dtype:
            names = (_dtypes.of_numpy[t._array.dtype].legacy for t in (self, tensor))
            raise TypeError(
                "map_: expected nbmodule.{} for 'other' (got nbmodule.{})".format(*names)
            )
        other = to_numpy(tensor.expand(self._array.shape)._array)  # type: ignore[attr-defined]
        pairs = zip(to_numpy(self._array).ravel().tolist(), other.ravel().tolist(), strict=True)
        return self._set_elements([callable(a, b) for a, b in pairs])

    def _refuse_recorded(self, name: str) -> None:
        if wants_grad(self):
            raise RuntimeError(
                f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
            )

    def _set_elements(self, values: list[Any]) -> Any:
        for x in values:
            if not isinstance(x, (int, float)):
                raise TypeError(f"must be real number, not {type(x).__name__}")
        numbers = np.array(values, self._array.dtype).reshape(self._array.shape)
        note_write(self._storage, self._array)
        self._array[...] = numbers
        return self

    def set_(self, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:  # fmt: skip
        """Let `self` show the memory of `source`, a tensor or a storage.

        Args:
            source: None stands for no elements.
            storage_offset: how many elements of the memory to pass over.
            size: the new shape; by default the one of a tensor, or all of a storage.
            stride: how many elements lie between neighbours; by default row-major.

        Raises:
            RuntimeError: `source` has another type of elements, or too few of them.
        """
        array, storage = shown(self._array, source, storage_offset, size, stride)
        if source is not None and mixed_devices((self._array, array)):
            own, other = map(device_of, (self._array, array))
            raise RuntimeError(
                f'Attempted to set the storage of a tensor on device "{own}" to a storage on different device '
                f'"{other}".  This is no longer allowed; the devices must match.'
            )
        if array.dtype != self._array.dtype:
            names = (_dtypes.of_numpy[a.dtype].c_name for a in (array, self._array))
            raise RuntimeError(
                "Could not set tensor of type {} to a tensor of type {}".format(*names)
            )
        self._array, self._storage = array, storage
        return self  # type: ignore[return-value]

    def pin_memory(self, device: Any = None) -> Tensor:
        """Return a copy in memory that the system does not move, from which a GPU reads without help.

        Args:
            device: without effect, for calls written before PyTorch found it out.

        Raises:
            RuntimeError: there is no GPU, or `self` is not on the CPU.
        """
        if not has_cuda():
            raise RuntimeError(NO_ACCELERATOR)
        if not isinstance(self._array, np.ndarray):
            kind = self.type()  # type: ignore[attr-defined]
            raise RuntimeError(f"cannot pin '{kind}' only dense CPU tensors can be pinned")
        return self if is_pinned(self._array) else wrap(pinned(self._array))  # type: ignore[return-value]

    def share_memory_(self) -> Tensor:
        """Not there: a tensor's memory belongs to its process.

        Raises:
            RuntimeError: always; send arrays between processes instead, or use one file for all.
        """
        raise RuntimeError(
            "share_memory_() is not supported: the memory of a tensor belongs to its process. Send the "
            "numbers to the other process (tensors can be pickled), or let both map one file with "
            "numpy.memmap and nbmodule.from_numpy."
        )


def _zeroed(t: Any) -> Any:
    return renamed(elementwise.filled(t, t.new_full((), 0)), "ZeroBackward0")


def _filled(t: Any, value: Any) -> Any:
    if isinstance(value, TensorBase):
        number: Any = value
        return renamed(
            elementwise.filled(t, number.to(_dtypes.of_numpy[t._array.dtype])), "FillBackward3"
        )
    return renamed(elementwise.filled(t, t.new_full((), value)), "FillBackward2")


def _copied(t: Any, src: Any) -> Any:
    return elementwise.filled(t, src.to(device_of(t._array)).to(_dtypes.of_numpy[t._array.dtype]))
