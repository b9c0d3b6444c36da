"""Methods that hand the numbers to Python, to NumPy, and to other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._backend import META, device_of, to_numpy
from .._data import ONE_ELEMENT, warn_of_lost_history
from .._engine import TensorBase, wants_grad, wrap
from .._engine.state import TensorClass
from .._meta import NO_ITEM
from .pytorch_errors import pytorch_errors_in_methods


@pytorch_errors_in_methods
class Exporting(TensorBase):
    """``numpy``, ``tolist``, ``item``, and what Python itself asks a number for."""

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """Return the elements as a NumPy array on the same memory.

        Args:
            force: detach, and move to the CPU, where that is needed.

        Raises:
            RuntimeError: `self` requires grad.
            TypeError: it does not live on the CPU.
        """
        if (wants_grad(self)) and not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        place = device_of(self._array)
        if place.type != "cpu" and not force:
            raise TypeError(
                f"can't convert {place} device type tensor to numpy. Use Tensor.cpu() to copy the "
                "tensor to host memory first."
            )
        return to_numpy(self._array)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError("Unable to avoid copy while creating an array as requested.")
            return array.astype(dtype)
        return array.copy() if copy else array

    __array_priority__ = 1000  # NumPy leaves `array * tensor` to the tensor

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: Any = False) -> Any:  # fmt: skip
        """Return what a function of NumPy computed from `self` as a tensor."""
        return wrap(np.asarray(array))

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any:  # fmt: skip
        """Return a capsule through which another library can use the same memory.

        Raises:
            BufferError: `self` requires grad.
            AssertionError: a stream is given, which only a GPU has.
        """
        if wants_grad(self):
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if not isinstance(self._array, np.ndarray):
            return self._array.__dlpack__(stream=stream)
        if stream is not None:
            raise AssertionError("stream should be None on cpu.")
        asked = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
        return self._array.__dlpack__(**{k: v for k, v in asked.items() if v is not None})

    def __dlpack_device__(self) -> tuple[Any, int]:
        """Return the kind of device and its number, as DLPack counts them."""
        return self._array.__dlpack_device__()

    def tolist(self) -> Any:
        """Return the elements as nested lists, a single number as itself."""
        return to_numpy(self._array).tolist()

    def item(self) -> Any:
        """Return the only element as a Python number.

        Raises:
            RuntimeError: there is not exactly one.
        """
        if self._array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar"
            )
        return self._array.item()

    def __bool__(self) -> bool:
        if self._array.size == 1:
            return bool(self._array.item())
        if self._array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")

    def __nonzero__(self) -> bool:
        return bool(self)

    def __float__(self) -> float:
        warn_of_lost_history(self, 3)
        return float(self._only_number())

    def __int__(self) -> int:
        return int(self._only_number())

    def __complex__(self) -> complex:
        warn_of_lost_history(self, 3)
        return complex(self._only_number())

    def _only_number(self) -> Any:
        if self._array.size != 1:
            raise ValueError(ONE_ELEMENT)
        return self._array.item()

    def __index__(self) -> int:
        if self._array.size != 1 or self._array.dtype.kind == "f":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        if device_of(self._array) == META:
            raise RuntimeError(NO_ITEM)
        return int(self._array.item())

    def __format__(self, spec: str) -> str:
        if (
            type(self) is TensorClass.built
            and not self._array.ndim
            and device_of(self._array) != META
        ):
            return format(self.item(), spec)
        return object.__format__(self, spec)
