"""What the functions of linear algebra ask of their arguments, in PyTorch's words."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from .. import _dtypes
from .._engine import TensorBase
from .._errors import broadcast_text, name_of_type, not_a_tensor
from .common import kind_of, not_implemented


def c_kind(t: Any) -> str:
    """Return what C++ calls the type of the elements of `t`, such as "float"."""
    return _dtypes.of_numpy[t._array.dtype].c_name


def tensor(function: str, **arguments: Any) -> None:
    """Check that all `arguments`, in their order, are tensors.

    Raises:
        TypeError: one is not.
    """
    for position, (name, value) in enumerate(arguments.items(), 1):
        if not isinstance(value, TensorBase):
            raise not_a_tensor(function, name, position, value)


def whole_number(function: str, name: str, position: int, value: Any) -> None:
    """Check that `value` is an int.

    Raises:
        TypeError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be int, not "
            f"{name_of_type(value)}"
        )


def floating(t: Any, function: str, low_too: bool = True) -> None:
    """Check that `t` holds floating point numbers, of at least 32 bits unless `low_too`.

    Raises:
        RuntimeError: it does not.
    """
    if t._array.dtype.kind != "f":
        raise RuntimeError(
            f"{function}: Expected a floating point or complex tensor as input. Got {kind_of(t)}"
        )
    if not low_too and t._array.dtype.itemsize == 2:
        raise RuntimeError(f"{function}: Low precision dtypes not supported. Got {kind_of(t)}")


def implemented(t: Any, kernel: str) -> None:
    """Check that `t` holds float32 or float64, the types that LAPACK knows.

    Raises:
        NotImplementedError: it does not.
    """
    if t._array.dtype.kind != "f" or t._array.dtype.itemsize == 2:
        raise not_implemented(kernel, t)


def broadcast(a: Any, b: Any) -> None:
    """Check that the batches of the matrices `a` and `b` broadcast.

    Raises:
        RuntimeError: they do not.
    """
    batches = tuple(a.shape[:-2]), tuple(b.shape[:-2])
    pairs = zip(reversed(batches[0]), reversed(batches[1]), strict=False)
    if any(m != n and 1 not in (m, n) for m, n in pairs):
        raise RuntimeError(broadcast_text(batches))


def matrices(t: Any, function: str, name: str = "A") -> None:
    """Check that `t` has the shape (..., M, N).

    Raises:
        RuntimeError: it has fewer than 2 dimensions.
    """
    if t._array.ndim < 2:
        raise RuntimeError(f"{function}: The input tensor {name} must have at least 2 dimensions.")


def square(t: Any, function: str, name: str = "A") -> None:
    """Check that `t` has the shape (..., N, N).

    Raises:
        RuntimeError: it has not.
    """
    matrices(t, function, name)
    m, n = t._array.shape[-2:]
    if m != n:
        raise RuntimeError(
            f"{function}: {name} must be batches of square matrices, but they are {m} by {n} matrices"
        )


def same_type(a: Any, b: Any, function: str, names: tuple[str, str] = ("A", "B")) -> None:
    """Check that `a` and `b` hold numbers of one type.

    Raises:
        RuntimeError: they do not.
    """
    if a._array.dtype != b._array.dtype:
        first, second = names
        raise RuntimeError(
            f"{function}: Expected {first} and {second} to have the same dtype, but found {first} of "
            f"type {kind_of(a)} and {second} of type {kind_of(b)} instead"
        )


def scalar_type(a: Any, b: Any) -> None:
    """Check that `b` holds numbers of the type of `a`.

    Raises:
        RuntimeError: it does not.
    """
    if a._array.dtype != b._array.dtype:
        raise RuntimeError(f"expected scalar type {kind_of(a)} but found {kind_of(b)}")
