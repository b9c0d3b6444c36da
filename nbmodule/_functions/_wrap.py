"""How a method of Tensor becomes a top-level function, with ``out=`` and PyTorch's errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from .. import _dtypes
from .._backend import namespace_of
from .._data import as_array
from .._engine import Storage, grad_mode, is_grad_enabled, note_write, wrap
from .._errors import NOT_WRITABLE, not_a_tensor
from .._methods._signatures import bind_call, signatures_of
from .._methods.elementwise import as_operand
from .._tensor import Tensor
from ..return_types import results

P = ParamSpec("P")
R = TypeVar("R")

_NOTHING: Any = object()


def function(method: Callable[Concatenate[Any, P], R], turned: Callable[[Any, Any], R] | None = None, *, name: str | None = None, exact: str = "") -> Callable[Concatenate[Any, P], R]:  # fmt: skip
    """Turn a method of Tensor into a function that says so when it is given something else.

    The function takes PyTorch's ``out=``, a tensor to write the result into, or a tuple of them.

    Args:
        method: takes the tensor first.
        turned: called as ``turned(other, input)`` where `input` is a number and `other` the tensor.
        name: what the function is called; by default as the method.
        exact: where ``out`` must have the very dtype of the result, PyTorch's words for one that has
            not, with places for the dtypes; see `EXPECTED`, `FOUND` and `BOOLEAN`.
    """
    title = name or method.__name__
    method = getattr(method, "bare", method)

    made: Any = method

    def called(input: Any, args: Any, kwargs: Any) -> Any:
        if not isinstance(input, Tensor):
            if not (isinstance(input, (int, float)) and args and _takes_numbers(title)):
                raise not_a_tensor(title, "input", 1, input)
            other = args[0] if isinstance(args[0], Tensor) else _checked_number(title, input, args)
            if turned and len(args) == 1 and not kwargs:
                return turned(other, input)
            input, args = as_operand(other, input), (other, *args[1:])
        return made(input, *args, **kwargs)

    @wraps(method)
    def call(input: Any = _NOTHING, *args: Any, **kwargs: Any) -> Any:
        try:
            if "out" not in kwargs or not _takes_out(title):
                return called(input, args, kwargs)
            rest = dict(kwargs)
            out: Any = rest.pop("out")
            if out is None:
                return called(input, args, rest)
            _check_out(title, out, (input, *args, *rest.values()))
            return write_out(title, _unrecorded(called, input, args, rest), out, exact)
        except (TypeError, AttributeError):
            given = () if input is _NOTHING else (input, *args)
            bound = bind_call(title, False, given, kwargs)
            if bound is None or all(n in bound for n, v in kwargs.items() if v is not None):
                raise
        own = bound.pop("input") if "input" in bound else bound.pop("self")
        return call(own, **bound)

    call.__name__ = call.__qualname__ = title
    call.__module__ = "nbmodule"
    return call


def _takes_out(name: str) -> bool:
    known = signatures_of(name, False)
    return not known or any(p.name == "out" for s in known for p in s)


def _takes_numbers(name: str) -> bool:
    """Return whether a number may stand in the place of the first tensor."""
    return any(s[0].kind in ("Tensor+", "Number") for s in signatures_of(name, False))


def explained_function(function: Callable[P, R]) -> Callable[P, R]:
    """Return `function` with PyTorch's errors for arguments that do not fit."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError:
            bind_call(function.__name__, False, args, kwargs)
            raise

    return call


def _unrecorded(function: Callable[..., Any], *args: Any) -> Any:
    """Return ``function(*args)``, computed without a graph."""
    before, grad_mode.enabled = grad_mode.enabled, False
    try:
        return function(*args)
    finally:
        grad_mode.enabled = before


def _checked_number(name: str, input: Any, args: tuple[Any, ...]) -> Tensor:
    """Return the second of two numbers as a tensor, for functions that take numbers alone."""
    if not all(s[0].kind == "Tensor+" for s in signatures_of(name, False)[:1]):
        raise not_a_tensor(name, "input", 1, input)
    if not isinstance(args[0], (int, float)):
        raise not_a_tensor(name, "other", 2, args[0])
    return wrap(as_array(args[0]))


def _check_out(name: str, out: Any, given: tuple[Any, ...]) -> None:
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
                raise RuntimeError(PARTLY_WRITTEN)


PARTLY_WRITTEN = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
    "memory location. Please clone() the tensor before performing the operation."
)


def _overlap_partly(a: Tensor, b: Tensor) -> bool:
    """Return whether the elements of two tensors share memory without being the same ones."""
    x, y = a._array, b._array
    if a.data_ptr() == b.data_ptr() and (x.shape, x.strides) == (y.shape, y.strides):
        return False
    start, other = a.data_ptr(), b.data_ptr()
    reach = [sum(s * (n - 1) for s, n in zip(z.strides, z.shape, strict=True)) for z in (x, y)]
    return start <= other + reach[1] and other <= start + reach[0]


EXPECTED = "Expected out tensor to have dtype {result.c_name}, but got {out.c_name} instead"
FOUND = "Found dtype {out_name} but expected {result_name}"
BOOLEAN = "{name} does not support non-boolean outputs."


def write_out(name: str, result: Any, out: Any, exact: str = "") -> Any:
    """Write `result` into ``out``, a tensor or a tuple of them, and return that.

    Raises:
        RuntimeError: the dtype does not fit, or ``out`` is an expanded view.
    """
    if not isinstance(out, (tuple, list)):
        return _write_one(name, result, out, exact)
    written = [_write_one(name, r, o, exact) for r, o in zip(result, out, strict=True)]
    names = getattr(type(result), "_names", ())
    return results(f"{name}_out", *names)(written) if names else tuple(written)


def _write_one(name: str, result: Tensor, out: Tensor, exact: str) -> Tensor:
    kinds = [_dtypes.of_numpy[t._array.dtype] for t in (result, out)]
    names = [k.legacy.removesuffix("Tensor") for k in kinds]
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
    elif not out._array.flags.writeable:
        raise RuntimeError(NOT_WRITABLE)
    out._array[...] = result._array
    note_write(out._storage)
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
    xp = namespace_of[type(out._array)]
    out._array, out._storage = xp.empty(shape, out._array.dtype), Storage()
