"""What numbers, nested sequences and arrays become, and in which type."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np

from . import _dtypes
from ._backend import to_numpy
from ._dtypes import dtype as Dtype
from ._engine import TensorBase


def as_array(data: Any, dtype: Dtype | None = None) -> np.ndarray:
    """Return a new NumPy array of `data`: numbers, nested sequences, tensors, or arrays.

    Floats become the default dtype; the dtype of arrays and tensors stays.

    Raises:
        RuntimeError: there is no dtype for such data.
        TypeError: it holds strings.
        ValueError: rows have different lengths.
    """
    if isinstance(data, TensorBase):
        array = to_numpy(data._array)
    elif isinstance(data, (np.ndarray, np.generic)):
        array = np.asarray(data)
    else:
        array = _from_python(data)
        if dtype is None:
            dtype = _suggested_dtype(array, data)
    _dtypes.from_numpy_dtype(array.dtype)
    return np.array(array, dtype.numpy if dtype else array.dtype.newbyteorder("="), order="C")


def _from_python(data: Any) -> np.ndarray:
    data = _without_tensors(data)
    try:
        array = np.array(data)
    except ValueError:
        raise _uneven(data) from None
    if array.dtype.kind not in "OUS":
        return array
    found = data
    while isinstance(found, (list, tuple)) and found:
        found = found[0]
    if isinstance(found, int):
        raise ValueError("Overflow when unpacking long long")
    if not isinstance(found, str):
        raise RuntimeError(f"Could not infer dtype of {type(found).__name__}")
    if found is data:
        raise TypeError("new(): invalid data type 'str'")
    raise ValueError("too many dimensions 'str'")


def _suggested_dtype(array: np.ndarray, data: Any) -> Dtype | None:
    """Return the dtype that numbers of Python take together; None stands for what `array` has."""
    if array.size and _holds_own_type(data):
        return reduce(_dtypes.promote_types, _types_in(data))
    if array.dtype.kind == "f":
        return _dtypes.get_default_dtype()
    if array.dtype.kind == "u":
        raise ValueError("Overflow when unpacking long long")
    return _dtypes.int64 if array.dtype.kind == "i" else None


def _without_tensors(data: Any) -> Any:
    """Return `data` with scalars of NumPy in place of tensors of one element."""
    if isinstance(data, (list, tuple)):
        return [_without_tensors(d) for d in data]
    if isinstance(data, range):
        return list(data)
    if not isinstance(data, TensorBase):
        return data
    if data._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return to_numpy(data._array).reshape(())[()]


def _holds_own_type(data: Any) -> bool:
    while isinstance(data, (list, tuple)) and data:
        data = data[0]
    return isinstance(data, (np.ndarray, np.generic, TensorBase))


def _types_in(data: Any) -> Iterator[Dtype]:
    """Yield the dtype of every number and array in nested sequences."""
    for x in data if isinstance(data, (list, tuple)) else (data,):
        if isinstance(x, (list, tuple)):
            yield from _types_in(x)
        elif isinstance(x, TensorBase):
            yield _dtypes.of_numpy[x._array.dtype]
        else:
            found = getattr(x, "dtype", None)
            yield _dtypes.of_number(x) if found is None else _dtypes.from_numpy_dtype(found)


def _uneven(data: Any, dim: int = 0) -> Exception:
    """Return the error for nested sequences of which some have another length than the first."""
    first = data[0]
    for row in data[1:]:
        if not isinstance(first, list) and isinstance(row, list):
            return TypeError("'list' object cannot be interpreted as an integer")
        if isinstance(first, list) and not isinstance(row, list):
            return TypeError("not a sequence")
        if isinstance(first, list) and len(row) != len(first):
            return ValueError(
                f"expected sequence of length {len(first)} at dim {dim + 1} (got {len(row)})"
            )
    for row in data:
        if isinstance(row, list) and any(isinstance(x, list) for x in row):
            return _uneven(row, dim + 1)
    return ValueError("expected sequences of equal lengths at every level")
