"""Functions that make tensors from sizes: zeros, ones, the identity.

All of them take the options `dtype`, `device`, `requires_grad`, `layout` and `pin_memory`, and `out`: a
tensor that receives the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _dtypes
from ._backend import library_of, library_on, move
from ._data import fill_number
from ._device import chosen_device
from ._engine import TensorBase, wrap
from ._engine.signature import shown_as
from ._errors import name_of_type, not_a_tensor
from ._formats import (
    channels_last,
    channels_last_3d,
    checked_format,
    contiguous_format,
    empty_in_format,
    empty_in_order,
    empty_with_strides,
    strides_like,
)
from ._methods.new_tensors import OPTIONS, checked_options, checked_sizes, finished, strided_array
from ._tensor import Tensor


def options_of(name: str, named: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return the usual options, with the device where new tensors are made, and `out`."""
    out = named.pop("out", None)
    if out is not None and not isinstance(out, TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {name_of_type(out)}")
    found = checked_options(name, named)
    if found["device"] is None:
        found["device"] = chosen_device()
    return found, out


def result_of(array: Any, found: dict[str, Any], out: Any) -> Any:
    """Return a tensor around `array` on the device that was asked for; `out` with its numbers if given."""
    place = found["device"]
    if place is not None:
        array = move(array, place)
    if out is None:
        return finished(array, found)
    if found["dtype"] is not None and found["dtype"].numpy != out._array.dtype:
        raise RuntimeError(
            f"dtype {found['dtype']!r} does not match dtype of out parameter ({out.dtype!r})"
        )
    if out._array.shape != array.shape:
        out.resize_(array.shape)
    return out.copy_(finished(array, {"requires_grad": False}))


def filled(name: str, size: tuple[Any, ...], value: Any, named: dict[str, Any]) -> Any:
    """Return a tensor full of `value`, or of numbers that mean nothing for None: what `name` was called for."""
    if (plain := _filled_plainly(size, value, named)) is not None:
        return plain
    shape = checked_sizes(name, size, named)
    format = checked_format(name, named.pop("memory_format", None)) if name == "empty" else None
    found, out = options_of(name, named)
    kind = (found["dtype"] or (out.dtype if out is not None else _dtypes.get_default_dtype())).numpy
    xp = library_on(found["device"])
    if value is None:
        array = xp.empty(shape, kind) if format is None else empty_in_format(xp, shape, kind, format)  # fmt: skip
    else:  # NumPy's `full` and `ones` are Python functions, `zeros` is not
        array = xp.full(shape, value, kind) if value else xp.zeros(shape, kind)
    found["device"] = None
    return result_of(array, found, out)


def _filled_plainly(size: tuple[Any, ...], value: Any, named: dict[str, Any]) -> Any:
    """Return what `filled` returns for sizes without options; None where it must look, or word an error."""
    shape = size[0] if len(size) == 1 and type(size[0]) is tuple else size
    if named and not (
        len(named) == ("dtype" in named) + ("device" in named)
        and named.get("dtype") is named.get("device") is None
    ):
        return None
    if set(map(type, shape)) != {int} or chosen_device() is not None:
        return None
    kind = _dtypes.get_default_dtype().numpy
    try:
        array = np.zeros(shape, kind) if value == 0 else np.empty(shape, kind)
    except (ValueError, MemoryError):  # a size is negative or too large
        return None
    if value:
        array.fill(value)
    return wrap(array)


@shown_as(f"*size, out=None, {OPTIONS}")
def zeros(*size: Any, **options: Any) -> Tensor:
    """Return a tensor of shape `size` full of 0.

    Args:
        *size: ints, or one sequence of them.
        **options: `dtype` (the default dtype when left out), `device`, `requires_grad`, `layout`,
            `pin_memory`, `out`.

    Example:
        >>> import nbmodule
        >>> nbmodule.zeros(2, 3)
        tensor([[0., 0., 0.],
                [0., 0., 0.]])
    """
    return filled("zeros", size, 0, options)


@shown_as(f"*size, out=None, {OPTIONS}")
def ones(*size: Any, **options: Any) -> Tensor:
    """Return a tensor of shape `size` full of 1; see `zeros` for the options."""
    return filled("ones", size, 1, options)


@shown_as(f"*size, out=None, {OPTIONS}, memory_format=None")
def empty(*size: Any, **options: Any) -> Tensor:
    """Return a tensor of shape `size` whose elements are whatever the memory held.

    It takes the options of `zeros`, and `memory_format`: the order of the elements in memory.
    """
    return filled("empty", size, None, options)


@shown_as(f"size, fill_value, *, out=None, {OPTIONS}")
def full(size: Sequence[int], fill_value: Any, **options: Any) -> Tensor:
    """Return a tensor of shape `size` full of `fill_value`, in the type of that number.

    Args:
        size: a sequence of ints.
        fill_value: a number.
        **options: see `zeros`.

    Raises:
        TypeError: an argument is of another type.
        RuntimeError: the number does not fit into the dtype.
    """
    if not isinstance(size, (tuple, list)):
        raise TypeError(
            f"full(): argument 'size' (position 1) must be tuple of ints, not {name_of_type(size)}"
        )
    shape = checked_sizes("full", (size,), {})
    value = fill_value
    if isinstance(value, TensorBase) and not value._array.ndim:
        value = value._array.item()
    if isinstance(value, complex):
        raise TypeError(_dtypes.NO_COMPLEX)
    if not isinstance(value, (int, float, np.generic)):
        raise TypeError(
            f"full(): argument 'fill_value' (position 2) must be Number, not {name_of_type(value)}"
        )
    found, out = options_of("full", options)
    kind = found["dtype"] or (out.dtype if out is not None else _dtypes.of_number(value))
    xp = library_on(found["device"])
    array = xp.full(shape, fill_number(value, kind, "full"), kind.numpy)
    return result_of(array, {**found, "device": None}, out)


@shown_as(f"s, *, {OPTIONS}")
def scalar_tensor(s: Any, **options: Any) -> Tensor:
    """Return a tensor without dimensions that holds the number `s`; see `zeros` for the options."""
    if isinstance(s, bool) or not isinstance(s, (int, float, np.generic, TensorBase)):
        if not isinstance(s, bool):
            raise TypeError(
                f"scalar_tensor(): argument 's' (position 1) must be Number, not {name_of_type(s)}"
            )
        s = int(s)
    options.setdefault("dtype", None)
    options["dtype"] = options["dtype"] or _dtypes.get_default_dtype()
    if options["dtype"] is _dtypes.float16:  # here, too large a number becomes infinite
        s = np.float16(s._array.item() if isinstance(s, TensorBase) else s)
    return full((), s, **options)


@shown_as(f"size, stride, *, {OPTIONS}")
def empty_strided(size: Sequence[int], stride: Sequence[int], **options: Any) -> Tensor:
    """Return numbers that mean nothing, with `stride` elements between neighbours along each dimension.

    Args:
        size: the shape.
        stride: one number for each dimension.
        **options: see `zeros`.
    """
    found, _ = options_of("empty_strided", options)
    kind = (found["dtype"] or _dtypes.get_default_dtype()).numpy
    return result_of(strided_array(size, stride, kind), found, None)


@shown_as(f"size, physical_layout, *, {OPTIONS}")
def empty_permuted(size: Sequence[int], physical_layout: Sequence[int], **options: Any) -> Tensor:
    """Return numbers that mean nothing, without gaps, with the dimensions in another order in memory.

    Args:
        size: the shape.
        physical_layout: the dimensions, from the one that changes slowest in memory to the fastest.
        **options: see `zeros`.

    Raises:
        RuntimeError: `physical_layout` does not name every dimension once.
    """
    found, _ = options_of("empty_permuted", options)
    kind = (found["dtype"] or _dtypes.get_default_dtype()).numpy
    shape, order = checked_sizes("empty_permuted", (tuple(size),), {}), tuple(physical_layout)
    if len(order) != len(shape):
        raise RuntimeError(
            f"Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {len(shape)} is not equal to len(physical_layout) = {len(order)}"
        )
    for i in order:
        if not 0 <= i < len(shape):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but got {i} at "
                f"index {order.index(i)}).  NB: negative dims not currently supported; file an issue if you "
                "want it."
            )
        if order.count(i) > 1:
            raise RuntimeError("Duplicate dim not allowed")
    array = empty_in_order(library_on(found["device"]), shape, kind, order)
    return result_of(array, {**found, "device": None}, None)


@shown_as(f"n, m=None, *, out=None, {OPTIONS}")
def eye(n: int, m: int | None = None, **options: Any) -> Tensor:
    """Return a matrix (n, m) with 1 on the diagonal and 0 elsewhere; see `zeros` for the options."""
    for position, (name, x) in enumerate((("n", n), ("m", m))):
        if x is not None and (isinstance(x, bool) or not hasattr(x, "__index__")):
            raise TypeError(
                f"eye(): argument '{name}' (position {position + 1}) must be int, not {name_of_type(x)}"
            )
        if x is not None and x < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {x}")
    found, out = options_of("eye", options)
    kind = found["dtype"] or (out.dtype if out is not None else _dtypes.get_default_dtype())
    return result_of(np.eye(n, m, dtype=kind.numpy), found, out)


# ---- in the shape of another tensor


def _like(name: str, input: Any, value: Any, options: dict[str, Any]) -> Any:
    if not isinstance(input, Tensor):
        raise not_a_tensor(name, "input", 1, input)
    format = checked_format(name, options.pop("memory_format", None))
    found = checked_options(name, options)
    a, place = input._array, found["device"]
    kind = found["dtype"] or _dtypes.of_numpy[a.dtype]
    xp = library_of(a) if place is None else library_on(place)
    if format in (contiguous_format, channels_last, channels_last_3d):
        array = empty_in_format(xp, a.shape, kind.numpy, format)
    else:
        array = empty_with_strides(xp, a.shape, kind.numpy, strides_like(a.shape, input.stride()))
    if value is not None:
        array[...] = fill_number(value, kind, name)
    return finished(array, found)


@shown_as(f"input, *, {OPTIONS}, memory_format=None")
def zeros_like(input: Tensor, **options: Any) -> Tensor:
    """Return zeros in the shape, dtype and place of `input`, as far as the options do not say otherwise.

    Args:
        input: a tensor.
        **options: `dtype`, `device`, `requires_grad`, `layout`, `pin_memory` and `memory_format`.
    """
    return _like("zeros_like", input, 0, options)


@shown_as(f"input, *, {OPTIONS}, memory_format=None")
def ones_like(input: Tensor, **options: Any) -> Tensor:
    """Return ones in the shape, dtype and place of `input`; see `zeros_like` for the options."""
    return _like("ones_like", input, 1, options)


@shown_as(f"input, *, {OPTIONS}, memory_format=None")
def empty_like(input: Tensor, **options: Any) -> Tensor:
    """Return a tensor like `input` whose elements mean nothing; see `zeros_like` for the options."""
    return _like("empty_like", input, None, options)


_MISSING = object()


@shown_as(f"input, fill_value, *, {OPTIONS}, memory_format=None")
def full_like(input: Tensor, fill_value: Any = _MISSING, **options: Any) -> Tensor:
    """Return a tensor like `input` full of `fill_value`; see `zeros_like` for the options."""
    if fill_value is _MISSING:
        raise TypeError('full_like() missing 1 required positional arguments: "fill_value"')
    return _like("full_like", input, fill_value, options)
