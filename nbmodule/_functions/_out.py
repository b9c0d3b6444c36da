"""``out=``: how a function writes its result into a tensor that the caller gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .. import _dtypes
from .._backend import meet
from .._engine import Storage, grad_mode, is_grad_enabled, note_write
from .._engine.in_place import elements_repeat
from .._errors import NOT_WRITABLE, OVERLAP
from .._methods.common import library
from .._tensor import Tensor
from ..return_types import results

EXPECTED = "Expected out tensor to have dtype {result.c_name}, but got {out.c_name} instead"
FOUND = "Found dtype {out_name} but expected {result_name}"
BOOLEAN = "{name} does not support non-boolean outputs."
"""What PyTorch says to an ``out`` of another dtype than the result, for functions that refuse one."""


def unrecorded(function: Callable[..., Any], *args: Any) -> Any:
    """Return ``function(*args)``, computed without a graph."""
    before, grad_mode.enabled = grad_mode.enabled, False
    try:
        return function(*args)
    finally:
        grad_mode.enabled = before


def check_out(name: str, out: Any, given: tuple[Any, ...]) -> None:
    """Raise if ``out`` is no place for the result of a function of `given`."""
    places = out if isinstance(out, (tuple, list)) else (out,)
    for place in places:
        if not isinstance(place, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(place).__name__}")
    tensors = [*places, *(x for x in given if isinstance(x, Tensor))]
    if is_grad_enabled() and any(t.requires_grad for t in tensors):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but "
            "one of the arguments requires grad."
        )
    for place in places:
        for t in tensors:
            if t is not place and t._storage is place._storage and _overlap_partly(t, place):
                raise RuntimeError(OVERLAP)


def _overlap_partly(a: Tensor, b: Tensor) -> bool:
    """Return whether the elements of two tensors share memory without being the same ones."""
    x, y = a._array, b._array
    if a.data_ptr() == b.data_ptr() and (x.shape, x.strides) == (y.shape, y.strides):
        return False
    start, other = a.data_ptr(), b.data_ptr()
    reach = [sum(s * (n - 1) for s, n in zip(z.strides, z.shape, strict=True)) for z in (x, y)]
    return start <= other + reach[1] and other <= start + reach[0]


def write_out(name: str, result: Any, out: Any, exact: str = "") -> Any:
    """Write `result` into ``out``, a tensor or a tuple of them, and return that.

    Raises:
        RuntimeError: the dtype does not fit, or ``out`` is an expanded view.
        TypeError: there are several results, and one place.
    """
    if not isinstance(out, (tuple, list)):
        if isinstance(result, tuple):
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not Tensor")
        return _write_one(name, result, out, exact)
    written = [_write_one(name, r, o, exact) for r, o in zip(result, out, strict=True)]
    names = getattr(type(result), "_names", ())
    return results(f"{name}_out", *names)(written) if names else tuple(written)


def _write_one(name: str, result: Tensor, out: Tensor, exact: str) -> Tensor:
    meet(result._array, out._array)
    kinds = [_dtypes.of_numpy[t._array.dtype] for t in (result, out)]
    names = [k.scalar_name for k in kinds]
    if exact and kinds[0] is not kinds[1]:
        raise RuntimeError(
            exact.format(
                name=name, result=kinds[0], out=kinds[1], result_name=names[0], out_name=names[1]
            )
        )
    if kinds[0].category > kinds[1].category:
        raise RuntimeError(
            "result type {} can't be cast to the desired output type {}".format(*names)
        )
    if out._array.shape != result._array.shape:
        _resize(out, result._array.shape)
    elif not getattr(out._array.flags, "writeable", not elements_repeat(out._array)):
        raise RuntimeError(NOT_WRITABLE)
    note_write(out._storage, out._array)  # first, as in `write`
    out._array[...] = result._array
    return out


def _resize(out: Tensor, shape: tuple[int, ...]) -> None:
    """Give `out` memory of another shape, with PyTorch's warning unless it had no elements."""
    if out._array.size:
        warnings.warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(out._array.shape)}, which does not match the required output shape {list(shape)}. This "
            "behavior is deprecated, and in a future PyTorch release outputs will not be resized unless "
            "they have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to "
            "zero elements with t.resize_(0).",
            UserWarning,
            stacklevel=6,
        )
    xp = library(out)
    out._array, out._storage = xp.empty(shape, out._array.dtype), Storage()
