"""What stands between square brackets, read as PyTorch reads it: first what gives a view, then what picks from it.

Numbers, slices and None take effect first; they leave a view. Arrays of numbers and masks then pick elements of
that view. A boolean adds a dimension of length 1, of which it picks the one place or none. NumPy applies everything at
once and counts numbers among the arrays, so that some mixtures have their dimensions in another order there (decision 26).
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from .._backend import MetaArray, device_of, library_of, to_numpy
from .._engine import TensorBase
from .._errors import name_of_type

ALL = slice(None)
TOO_LONG = "Overflow when unpacking long long"
NO_DIMENSION = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
    "tensor to a number"
)
NO_INDEX = "tensors used as indices must be long, int, byte or bool tensors"


def in_two_steps(t: TensorBase, key: Any) -> tuple[tuple[Any, ...], Any]:
    """Return the index that gives a view of `t`, () for all of it; and the one that picks elements of that view.

    The second is None where the view is what was asked for.

    Raises:
        IndexError: a part of `key` is no index, a number lies outside, or there are too many parts.
        ValueError: a slice steps backwards, or a number has more than 64 bits.
        TypeError: a part of `key` is a string.
    """
    parts, shape = _parts(key), t._array.shape
    left = len(shape) - sum(map(_dimensions, parts))  # which an ellipsis stands for
    if left < 0:
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    if isinstance(key, TensorBase) and key._array.ndim:  # the usual case needs no more
        return (), beside(t._array, index_array(key._array))
    view: list[Any] = []
    picked: list[Any] = []
    axis = 0
    for place, part in enumerate(parts):
        k = _read(part)
        if type(k) is int:
            _check_number(k, place, shape[axis] if axis < len(shape) else 0)
        taken = min(_taken(k, left), len(shape) - axis)
        _add_part(t, k, taken, view, picked)
        axis += taken
    while picked and picked[-1] is ALL:
        picked.pop()
    return () if view.count(ALL) == len(view) else tuple(view), _lone(picked)


def _add_part(t: TensorBase, k: Any, taken: int, view: list[Any], picked: list[Any]) -> None:
    """Add to both steps what `k`, a part that was read, does to the `taken` dimensions that it stands for."""
    if type(k) is int:
        view.append(k)
    elif k is None or type(k) is slice:
        view.append(k)
        picked.append(ALL)
    elif k is ...:
        view += [ALL] * taken
        picked += [ALL] * taken
    elif type(k) is bool:
        view.append(None)
        picked.append(beside(t._array, np.zeros(int(k), "i8")))
    else:
        view += [ALL] * taken
        picked.append(beside(t._array, k))


def _lone(picked: list[Any]) -> Any:
    """Return the parts as a tuple, one by itself, and None for none."""
    return tuple(picked) if len(picked) > 1 else picked[0] if picked else None


def _parts(key: Any) -> tuple[Any, ...]:
    """Return the parts of `key`: a short list is taken for a tuple if it holds more than numbers."""
    if type(key) is tuple:
        return key
    if isinstance(key, TensorBase) or not isinstance(key, Sequence):
        return (key,)
    is_several = isinstance(key, tuple) or (len(key) < 32 and any(map(_spreads, key)))
    return tuple(key) if is_several else (key,)


def _spreads(k: Any) -> bool:
    """Return whether `k`, in a list, makes PyTorch take that for a tuple of indices."""
    kinds = (type(None), type(...), slice, TensorBase, np.ndarray, Sequence)
    return type(k) is not int and isinstance(k, kinds)


def _dimensions(part: Any) -> int:
    """Return how many dimensions `part`, not read yet, stands for; an ellipsis for none, as it takes what is left."""
    if part is None or part is ... or isinstance(part, bool):
        return 0
    if isinstance(part, TensorBase) and part._array.dtype.char in "?B":
        return part._array.ndim
    return 1


def _taken(k: Any, left: int) -> int:
    """Return how many dimensions `k`, a part that was read, stands for; `left` is that of an ellipsis."""
    if k is ...:
        return left
    if k is None or type(k) is bool:
        return 0
    return k.ndim if is_mask(k) else 1


def is_mask(k: Any) -> bool:
    """Return whether `k` is an array of booleans."""
    return hasattr(k, "dtype") and k.dtype.kind == "b"


def are_places(array: Any) -> bool:
    """Return whether `array` holds whole numbers of 32 or 64 bits, which alone count as indices."""
    return array.dtype.kind == "i" and array.dtype.itemsize > 2


def _read(part: Any) -> Any:
    """Return a part of an index as a number, a boolean, None, an ellipsis, a slice or an array."""
    if part is None or part is ... or type(part) is int or type(part) is bool:
        return part
    if isinstance(part, TensorBase):
        array = part._array
        if not array.ndim and array.dtype.kind == "i":
            return int(array)
        return _number_or_array(index_array(array))
    if isinstance(part, slice):
        return _read_slice(part)
    if isinstance(part, Sequence):
        part = _array_of(part)
    if hasattr(part, "ndim") and not isinstance(part, np.generic):
        kept = part.dtype.char in "?Bl"
        return _number_or_array(index_array(part if kept else part.astype("i8")))
    try:
        return index(part)  # type: ignore[arg-type]
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            f"(got {name_of_type(part)})"
        ) from None


def index_array(array: Any) -> Any:
    """Return `array` as an index of whole numbers or booleans: bytes count as booleans.

    Raises:
        IndexError: it holds numbers of another type.
    """
    if is_mask(array) or are_places(array):
        return array
    if array.dtype.char == "B":
        return array.astype(bool)
    raise IndexError(NO_INDEX)


def _number_or_array(array: Any) -> Any:
    """Return `array`; if it has no dimensions, the one number or boolean in it."""
    return array if array.ndim else bool(array) if is_mask(array) else int(array)


def _read_slice(part: slice) -> slice:
    ends: list[Any] = [part.start, part.stop, part.step]
    ends = [index(k) if isinstance(k, TensorBase) else k for k in ends]  # type: ignore[arg-type]
    if isinstance(ends[2], int) and ends[2] <= 0:
        raise ValueError(
            "slice step cannot be zero" if ends[2] == 0 else "step must be greater than zero"
        )
    return slice(*ends)


def _array_of(part: Sequence[Any]) -> np.ndarray:
    """Return a list as an array; fractions are cut off."""
    found = np.asarray(part, None if len(part) else np.int64)
    if found.dtype.kind in "US":
        text = next((k for k in part if isinstance(k, (str, bytes))), part)
        raise TypeError(f"new(): invalid data type '{type(text).__name__}'")
    if found.dtype.kind in "Ou":
        raise ValueError(TOO_LONG)
    return found if found.dtype.kind == "b" else found.astype("i8", copy=False)


def beside(array: Any, key: Any) -> Any:
    """Return the index `key` on the device of `array`: as in PyTorch, one on the CPU is moved there.

    Raises:
        RuntimeError: it is on another device than both.
    """
    if type(key) is np.ndarray:
        return key if type(array) is np.ndarray else library_of(array).asarray(key)
    if device_of(key) != device_of(array) and type(array) is not MetaArray:
        raise RuntimeError(
            "indices should be either on cpu or on the same device as the indexed tensor "
            f"({device_of(array)})"
        )
    return key


# ---- refusals


def _check_number(k: int, place: int, length: int) -> None:
    """Raise if the number `k`, the part at `place`, names nothing of a dimension that is so long."""
    if not -length <= k < length:
        if not -(2**63) <= k < 2**63:
            raise ValueError(TOO_LONG)
        raise IndexError(outside(k, place, length))


def outside(k: int, dim: int, length: int) -> str:
    """Say that the number `k` names nothing of a dimension that is so long."""
    return f"index {k} is out of bounds for dimension {dim} with size {length}"


def refuse_picked(shape: tuple[int, ...], picked: Any) -> Any:
    """Raise what PyTorch does where NumPy refuses an index that picks elements of an array of this shape.

    Where nothing is picked, numbers out of bounds do no harm: the index is returned with zeros in their place.
    """
    arrays, lengths = _met(shape, parts_picked(picked))
    zeros = refuse_shapes(shape, picked)
    if 0 in lengths:
        return zeros
    numbers = np.broadcast_arrays(*[to_numpy(k) for k, _ in arrays])
    wrong = np.stack([(k < -n) | (k >= n) for k, (_, n) in zip(numbers, arrays, strict=True)], -1)
    if wrong.any():  # PyTorch names the first element, and of its numbers the first that is wrong
        *where, place = np.argwhere(wrong)[0]
        raise IndexError(outside(numbers[place][tuple(where)], place, arrays[place][1]))
    return picked


def refuse_shapes(shape: tuple[int, ...], picked: Any) -> tuple[Any, ...]:
    """Raise if the shapes in an index do not fit; return it with zeros in place of its numbers."""
    parts = parts_picked(picked)
    arrays, lengths = _met(shape, parts)
    if 0 not in lengths[: len(_common_shape(arrays))] and any(not n for _, n in arrays):
        raise IndexError("index is out of bounds for dimension with size 0")
    return tuple([k * 0 if hasattr(k, "dtype") and not is_mask(k) else k for k in parts])


def parts_picked(picked: Any) -> tuple[Any, ...]:
    """Return the parts of an index that picks elements."""
    return picked if type(picked) is tuple else (picked,)


def _met(shape: tuple[int, ...], parts: Sequence[Any]) -> tuple[list[tuple[Any, int]], list[int]]:
    """Return the arrays of an index, each with the length of its dimension, and all lengths of the result.

    First among those are the lengths of the shape that the arrays are broadcast to.
    """
    arrays, left, axis = [], [], 0
    for k in parts:
        taken = shape[axis : axis + _taken(k, 0)]
        if is_mask(k):
            _refuse_mask(shape, k, axis)
            arrays += zip(k.nonzero() if k.ndim else (), taken, strict=False)
        elif k is ALL:
            left += taken
        else:
            arrays += [(k, n) for n in taken]
        axis += _taken(k, 0)
    if axis > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {axis})")
    return arrays, [*_common_shape(arrays), *left, *shape[axis:]]


def _refuse_mask(shape: tuple[int, ...], mask: Any, axis: int) -> None:
    """Raise if `mask` has another length than a dimension, from `axis` on, that it stands for."""
    for i, n in enumerate(mask.shape):
        if axis + i < len(shape) and n != shape[axis + i]:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {i} does not match the shape of the "
                f"indexed tensor {list(shape)} at index {axis + i}"
            )


def _common_shape(arrays: list[tuple[Any, int]]) -> tuple[int, ...]:
    """Return the shape that the arrays of an index are broadcast to."""
    shapes = [k.shape for k, _ in arrays]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shown = ", ".join(str(list(shape)) for shape in shapes)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shown}"
        ) from None
