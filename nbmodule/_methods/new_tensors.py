"""Methods that make new tensors like this one: ``new_zeros`` and its relatives."""

from __future__ import annotations

import warnings
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _dtypes
from .._backend import device as Device
from .._backend import device_of, library_of, library_on, move
from .._data import as_array, fill_number, legacy_array
from .._engine import TensorBase, wrap
from .._engine.signature import shown_as
from .._errors import name_of_type
from .._formats import layout as Layout
from .shapes import sizes

if TYPE_CHECKING:
    from .._engine.state import Tensor

ONLY_FLOATS = "Only Tensors of floating point and complex dtype can require gradients"
NO_PINNED_MEMORY = (
    "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available "
    "on this system."
)
USUAL = {"dtype": None, "layout": None, "device": None, "pin_memory": False, "requires_grad": False}
"""The options that all functions which make tensors have, and what they are when left out."""


def checked_options(name: str, named: dict[str, Any]) -> dict[str, Any]:
    """Return the usual options, completed, each of the right type.

    Args:
        name: of the function that was called.
        named: its keyword arguments.

    Raises:
        TypeError: an argument is unknown, or of the wrong type.
        RuntimeError: there is no such device, or no memory that can be pinned.
    """
    found = {**USUAL, **named}
    if len(found) > len(USUAL):
        key = next(key for key in named if key not in USUAL)
        raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    if found["dtype"] is not None:
        found["dtype"] = _dtypes.checked(found["dtype"], name)
    if found["layout"] is not None:
        _check_option(name, "layout", found["layout"], Layout, "nbmodule.layout")
    for key in ("pin_memory", "requires_grad"):
        if found[key] is not False and found[key] is not None:
            _check_option(name, key, found[key], bool, "bool")
    if (place := found["device"]) is not None:
        if isinstance(place, bool) or not (isinstance(place, (Device, str)) or hasattr(place, "__index__")):  # fmt: skip
            raise TypeError(
                f"{name}(): argument 'device' must be nbmodule.device, not {name_of_type(place)}"
            )
        found["device"] = Device(place)
    if found["pin_memory"]:
        raise RuntimeError(NO_PINNED_MEMORY)
    return found


def _check_option(name: str, key: str, value: Any, kind: type, words: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name}(): argument '{key}' must be {words}, not {name_of_type(value)}")


def finished(array: Any, options: dict[str, Any]) -> Any:
    """Return a tensor around the new `array`, recorded if the options ask for it.

    Raises:
        RuntimeError: it is to require a gradient, and holds no floats.
    """
    if options["requires_grad"]:
        if array.dtype.kind != "f":
            raise RuntimeError(ONLY_FLOATS)
        t = wrap(array)
        t._requires_grad = True
        return t
    return wrap(array)


def checked_sizes(name: str, size: tuple[Any, ...], named: dict[str, Any]) -> tuple[int, ...]:
    """Return the shape that was given as ``f(2, 3)``, ``f((2, 3))`` or ``f(size=(2, 3))``.

    Raises:
        TypeError: there is none, or it does not consist of ints.
        RuntimeError: a size is negative.
    """
    if "size" in named and not size:
        size = (named.pop("size"),)
    if not size:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    first = size[0]
    listed = first if type(first) is tuple and len(size) == 1 else size
    if set(map(type, listed)) == _WHOLE:
        return _not_negative(name, listed)
    if len(size) > 1 and isinstance(first, (tuple, list)):
        raise TypeError(f"{name}() takes 1 positional argument but {len(size)} were given")
    whole = hasattr(first, "__index__") and not isinstance(first, bool)
    if len(size) == 1 and not isinstance(first, (tuple, list)):
        if not whole or getattr(first, "ndim", 0) or _is_float(first):
            raise TypeError(
                f"{name}(): argument 'size' (position 1) must be tuple of ints, not {name_of_type(first)}"
            )
        return _not_negative(name, (first.__index__(),))
    if first and isinstance(first, (tuple, list)) and isinstance(first[0], bool):
        raise TypeError(
            f"{name}(): argument 'size' (position 1) must be tuple of ints, but found element of type bool at pos 0"
        )
    return _not_negative(name, sizes(size, name))


_WHOLE = {int}


def _is_float(x: Any) -> bool:
    return isinstance(x, TensorBase) and x._array.dtype.kind == "f"


def _not_negative(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return `shape`, whose sizes are neither negative nor too large.

    Raises:
        TypeError: a size needs more than 64 bits.
        RuntimeError: a size is negative, or there would be too many elements.
    """
    if shape and min(shape) >= 0 and max(shape) < 2**60 and prod(shape) < 2**60:
        return shape
    for position, n in enumerate(shape, 1):
        if not -(2**63) <= n < 2**63:
            raise TypeError(
                f"{name}(): argument 'size' failed to unpack the object at pos {position} with error "
                '"Overflow when unpacking long long\n"'
            )
    if shape and min(shape) < 0:
        if name in ("zeros", "new_zeros"):
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
        )
    if prod(shape) >= 2**60:  # 8 bytes for each
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    return shape


def strided_array(size: Any, stride: Any, dtype: np.dtype) -> np.ndarray:
    """Return an array of shape `size` with `stride` elements between neighbours.

    Raises:
        RuntimeError: the two differ in length, or a number is negative.
    """
    shape, steps = sizes((size,), "empty_strided"), sizes((stride,), "empty_strided", "stride")
    if len(shape) != len(steps):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(steps)})"
        )
    if any(n < 0 for n in steps):
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(steps)}"
        )
    shape = _not_negative("empty_strided", shape)
    room = sum((n - 1) * k for n, k in zip(shape, steps, strict=True)) + 1 if 0 not in shape else 0
    return np.ndarray(shape, dtype, np.empty(room, dtype), 0, [k * dtype.itemsize for k in steps])


OPTIONS = "dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False"
"""What functions and methods that make tensors take by keyword, as `inspect.signature` shows it."""


class NewTensors(TensorBase):
    """New tensors in the dtype and on the device of this one."""

    def new(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return a tensor of the type of `self`: of the given sizes, or of the given data.

        Source: the constructor of `nbmodule.FloatTensor` and its relatives.
        """
        return wrap(legacy_array(_dtypes.of_numpy[self._array.dtype], args, kwargs))

    @shown_as(f"self, data, *, {OPTIONS}")
    def new_tensor(self, data: Any, **options: Any) -> Tensor:
        """Return a copy of `data` in the dtype and on the device of `self`.

        Args:
            data: a number, nested sequences of numbers, or an array.
            **options: `dtype`, `device`, `requires_grad`, `layout` and `pin_memory`.
        """
        found = checked_options("new_tensor", options)
        if isinstance(data, TensorBase):
            warnings.warn(
                "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                "sourceTensor.detach().clone().requires_grad_(True), rather than "
                "tensor.new_tensor(sourceTensor).",
                UserWarning,
                stacklevel=2,
            )
        array = as_array(data, found["dtype"] or _dtypes.of_numpy[self._array.dtype])
        place = found["device"]
        if place is None and type(self._array) is type(array):
            return finished(array, found)
        return finished(move(array, place or device_of(self._array)), found)

    @shown_as(f"self, size, fill_value, *, {OPTIONS}")
    def new_full(self, size: Any, fill_value: Any, **options: Any) -> Tensor:
        """Return a tensor of shape `size` full of `fill_value`, in the dtype and on the device of `self`.

        Args:
            size: a sequence of ints.
            fill_value: a number, or a tensor of one.
            **options: `dtype`, `device`, `requires_grad`, `layout` and `pin_memory`.
        """
        if not isinstance(size, (tuple, list)):
            raise TypeError(
                "new_full(): argument 'size' (position 1) must be tuple of ints, not "
                f"{name_of_type(size)}"
            )
        return self._new("new_full", checked_sizes("new_full", (size,), {}), fill_value, options)

    @shown_as(f"self, size, *, {OPTIONS}")
    def new_zeros(self, *size: Any, **options: Any) -> Tensor:
        """Return zeros in the dtype and on the device of `self`; see `new_full` for the options."""
        return self._new("new_zeros", checked_sizes("new_zeros", size, options), 0, options)

    @shown_as(f"self, size, *, {OPTIONS}")
    def new_ones(self, *size: Any, **options: Any) -> Tensor:
        """Return ones in the dtype and on the device of `self`; see `new_full` for the options."""
        return self._new("new_ones", checked_sizes("new_ones", size, options), 1, options)

    @shown_as(f"self, size, *, {OPTIONS}")
    def new_empty(self, *size: Any, **options: Any) -> Tensor:
        """Return numbers that mean nothing, in the dtype and on the device of `self`."""
        return self._new("new_empty", checked_sizes("new_empty", size, options), None, options)

    @shown_as(f"self, size, stride, *, {OPTIONS}")
    def new_empty_strided(self, size: Any, stride: Any, **options: Any) -> Tensor:
        """Return numbers that mean nothing, with `stride` elements between neighbours."""
        found = checked_options("new_empty_strided", options)
        kind = found["dtype"] or _dtypes.of_numpy[self._array.dtype]
        array = strided_array(size, stride, kind.numpy)
        return finished(move(array, found["device"] or device_of(self._array)), found)

    def _new(self, name: str, shape: tuple[int, ...], value: Any, options: dict[str, Any]) -> Any:
        found = checked_options(name, options)
        kind = found["dtype"] or _dtypes.of_numpy[self._array.dtype]
        place = found["device"]
        xp = library_of(self._array) if place is None else library_on(place)
        if value is None:
            return finished(xp.empty(shape, kind.numpy), found)
        return finished(xp.full(shape, fill_number(value, kind, name), kind.numpy), found)
