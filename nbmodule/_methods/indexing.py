"""Square brackets: reading and writing parts of a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _dtypes
from .._backend import MetaArray, device_of, library_of, namespace_of
from .._data import fill_number
from .._engine import (
    TensorBase,
    be_silent,
    is_grad_enabled,
    note_write,
    rare,
    renamed,
    wants_grad,
    wrap,
    write,
)
from .._engine.operation import become_view
from .._errors import LEAF_WRITTEN, OVERLAP, name_of_type
from .._ops import shape as s
from .layout import tidy

if TYPE_CHECKING:
    from .._tensor import Tensor


class Indexing(TensorBase):
    """Reading and writing by square brackets."""

    def __getitem__(self, key: Any) -> Tensor:
        part = _unrecorded_part(self, key)
        if part is not None:
            return part
        raw = raw_key(self, key)
        if raw is ... or (isinstance(raw, tuple) and not raw):
            return renamed(s.index(self, key=...), "AliasBackward0")
        if type(raw) is int:  # NumPy returns a view of ``raw, ...``, where it would return a number
            return renamed(s.index(self, key=(raw, ...)), "SelectBackward0")
        if type(raw) is slice:
            if not self._array.ndim:
                raise IndexError("slice() cannot be applied to a 0-dim tensor.")
            return renamed(s.index(self, key=raw), "SliceBackward0")
        if isinstance(raw, tuple):
            if all(isinstance(k, int) for k in raw):
                raw = (*raw, ...)
            elif _ints_apart(raw):
                return self._ints_first(raw)
        name = _node_name(raw)
        try:
            out = s.index(self, key=raw)
        except IndexError:
            _refuse_masks(self._array.shape, raw)
            _refuse_outside(self._array.shape, raw)
            raise
        return renamed(tidy(out) if name == "IndexBackward0" else out, name)

    def _ints_first(self, key: tuple[Any, ...]) -> Tensor:
        """Index as PyTorch does: numbers take their dimension away before arrays are looked at."""
        basic, rest = _basic_first(key)
        return self[basic][rest]

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(value) is float and -6e4 < value < 6e4 and _fill_part(self, key, value):
            return
        given = value
        if not isinstance(value, TensorBase):
            value = _assignable(self, value)
        raw = raw_key(self, key)
        parts = raw if isinstance(raw, tuple) else (raw,)
        if type(raw) is int or not any(hasattr(k, "dtype") or isinstance(k, bool) for k in parts):
            # slices, numbers: write to what they show
            view: Any = self if raw is ... else self[key]
            if raw is ... and isinstance(given, (int, float)):
                view.fill_(given)
            else:
                value = _without_leading_ones(value, view._array.ndim)
                shapes = value._array.shape, view._array.shape
                if shapes[0] and shapes[0] != shapes[1] and not _is_leaf(view._base):
                    value.detach().expand(shapes[1])  # PyTorch's error where it cannot be done
                view.copy_(value)
            return
        if any(type(k) is int for k in parts):  # numbers take their dimension away first
            basic, rest = _basic_first(parts)
            try:
                self[basic][rest] = value
            except IndexError:
                _refuse_outside(self._array.shape, raw)
                raise
            return
        if self._requires_grad and self._node is None and is_grad_enabled():
            raise RuntimeError(LEAF_WRITTEN)
        if value is self:
            raise RuntimeError(OVERLAP)
        value = value.to(self.dtype)  # type: ignore[attr-defined]
        if not value._array.ndim and type(value._array) is not type(self._array):
            value = value.to(device_of(self._array))

        def directly(array: Any) -> None:
            array[raw] = value._array

        try:
            write(self, s.put, value, key=raw, directly=directly)
        except IndexError:
            _refuse_masks(self._array.shape, raw)
            _refuse_outside(self._array.shape, raw)
            raise

    def __delitem__(self, key: Any) -> None:
        raise TypeError("Tensor does not support deleting items")

    def __iter__(self) -> Iterator[Tensor]:
        if not self._array.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))  # type: ignore[attr-defined]

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __contains__(self, element: Any) -> bool:
        if not isinstance(element, (TensorBase, int, float)):
            raise RuntimeError(
                "Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
                f"{type(element)}."
            )
        equal: Any = self == element
        return bool(equal.any())


def _refuse_masks(shape: tuple[int, ...], raw: Any) -> None:
    """Raise if a mask in the index `raw` has another length than the dimension that it stands for."""
    parts = raw if isinstance(raw, tuple) else (raw,)
    taken = sum(k.ndim if _is_mask(k) else k is not None and k is not ... for k in parts)
    axis = 0
    for k in parts:
        if k is ...:
            axis += len(shape) - taken
        elif _is_mask(k):
            for i, n in enumerate(k.shape):
                if axis + i < len(shape) and n != shape[axis + i]:
                    raise IndexError(
                        f"The shape of the mask {list(k.shape)} at index {i} does not match the shape of "
                        f"the indexed tensor {list(shape)} at index {axis + i}"
                    )
            axis += k.ndim
        elif k is not None:
            axis += 1


def _refuse_outside(shape: tuple[int, ...], raw: Any) -> None:
    """Raise if a number in the index `raw` is too large.

    PyTorch counts the parts before a number, None among them, and the arrays by themselves.
    """
    parts = raw if isinstance(raw, tuple) else (raw,)
    taken = sum(k.ndim if _is_mask(k) else _takes_dimension(k) for k in parts)
    axis = place = 0
    arrays: list[tuple[Any, int]] = []
    for k in parts:
        step = len(shape) - taken if k is ... else k.ndim if _is_mask(k) else _takes_dimension(k)
        if axis + step > len(shape):
            return  # too many indices, which the error at hand says
        if type(k) is int:
            if not -shape[axis] <= k < shape[axis]:
                raise IndexError(_outside(k, place, shape[axis]))
        elif isinstance(k, bool) or (_is_mask(k) and not k.ndim):
            arrays.append((None, 1))
        elif hasattr(k, "dtype"):
            arrays += [(None if _is_mask(k) else k, shape[axis + i]) for i in range(step)]
        place += step or 1
        axis += step
    if any(not n and k is not None and k.size for k, n in arrays):
        raise IndexError("index is out of bounds for dimension with size 0")
    for i, (k, n) in enumerate(arrays):
        wrong: Any = () if k is None else k[(k < -n) | (k >= n)]
        if len(wrong):
            raise IndexError(_outside(int(wrong.reshape(-1)[0]), i, n))


def _takes_dimension(k: Any) -> int:
    """Return 1 where a part of an index stands for a dimension, 0 for None, a boolean and an ellipsis."""
    return int(k is not None and k is not ... and not isinstance(k, bool))


def _outside(index: int, dim: int, length: int) -> str:
    return f"index {index} is out of bounds for dimension {dim} with size {length}"


def _is_leaf(t: TensorBase | None) -> bool:
    return t is not None and t._requires_grad and t._node is None


def _is_mask(k: Any) -> bool:
    return hasattr(k, "dtype") and k.dtype.kind == "b"


def _without_leading_ones(value: Any, ndim: int) -> Any:
    """Return `value` without the leading dimensions of length 1 that are more than `ndim`."""
    while value._array.ndim > ndim and value._array.shape[0] == 1:
        value = value[0]
    return value


def _assignable(t: Any, value: Any) -> Any:
    """Return `value`, a number or an array, as a tensor that can be written to parts of `t`."""
    array = t._array
    if isinstance(value, (bool, int, float, np.integer)):
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError("Overflow when unpacking long long")
        half = array.dtype.char == "e"  # which alone takes what is too large, as an infinity
        number = value if half else fill_number(value, _dtypes.of_numpy[array.dtype])
        xp = np if type(array) is np.ndarray else namespace_of[type(array)]
        return wrap(xp.asarray(number, dtype=array.dtype))
    raise TypeError(f"can't assign a {name_of_type(value)} to a {t.type()}")


def _basic_first(key: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return `key` in two steps: its numbers, slices and Nones; then its arrays and single booleans."""

    def is_array(k: Any) -> bool:
        return hasattr(k, "dtype") or isinstance(k, bool)

    basic = tuple(slice(None) if hasattr(k, "dtype") else k for k in key if not isinstance(k, bool))
    rest = (k for k in key if type(k) is not int)
    return basic, tuple(k if is_array(k) or k is ... else slice(None) for k in rest)


def _ints_apart(key: tuple[Any, ...]) -> bool:
    """Return whether numbers and arrays stand in `key` with something between them.

    NumPy then moves their common dimension to the front.
    """
    kinds = ["a" if hasattr(k, "dtype") else "i" if type(k) is int else " " for k in key]
    return "a" in kinds and "i" in kinds and " " in "".join(kinds).strip()


def _node_name(key: Any) -> str:
    """Return what PyTorch calls the last step of indexing with `key`."""
    parts = key if isinstance(key, tuple) else (key,)
    if any(hasattr(k, "dtype") or isinstance(k, bool) for k in parts):
        return "IndexBackward0"
    last = [k for k in parts if k is not ... and k != slice(None)][-1:]
    if last == [None]:
        return "UnsqueezeBackward0"
    return "SelectBackward0" if last and type(last[0]) is int else "SliceBackward0"


def _unrecorded_part(t: TensorBase, key: Any) -> Any:
    """Return ``t[key]`` for a number, several or a slice where no gradient can go through it, else None.

    A data set is read so, row by row, and written: this takes a third of the time of the operation.
    """
    place = _place(key)
    if place is None or rare.seen or wants_grad(t):
        return None
    try:
        array = t._array[place]
    except IndexError:
        return None
    part = wrap(array, t._storage)
    become_view(part, t)
    return part


def _place(key: Any) -> Any:
    """Return an index with which NumPy gives a view, never a number; None for what needs a closer look."""
    if type(key) is int:
        return key, ...
    if type(key) is slice:
        plain = key.step is None and type(key.start) in _BOUNDS and type(key.stop) in _BOUNDS
        return key if plain else None
    if type(key) is not tuple:
        return None
    for k in key:
        if type(k) is not int:
            return None
    return *key, ...


_BOUNDS = (int, type(None))


def _fill_part(t: TensorBase, key: Any, value: float) -> bool:
    """Write a number that every floating type holds to a part, where nothing is recorded; return whether that was done."""
    array, place = t._array, _place(key)
    if (
        place is None
        or rare.seen
        or type(array) is not np.ndarray
        or array.dtype.kind != "f"
        or not array.flags.writeable
        or wants_grad(t)
    ):
        return False
    be_silent()
    try:
        array[place] = value
    except IndexError:
        return False
    note_write(t._storage)
    return True


def _beside(array: Any, key: Any) -> Any:
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


def raw_key(t: TensorBase, key: Any) -> Any:
    """Return an index with arrays in place of tensors and lists.

    Raises:
        ValueError: a slice steps backwards.
        TypeError: `key` is a string.
        IndexError: a part of it is no index.
    """
    if type(key) is int:
        return key
    if isinstance(key, tuple):
        once, parts = False, []
        for k in key:
            if k is ...:  # a second one stands for one dimension
                k, once = slice(None) if once else k, True
            parts.append(raw_key(t, k))
        return tuple(parts)
    if isinstance(key, TensorBase):
        array = key._array
        if array.dtype.kind == "f" or array.dtype in ("i2", "i1"):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if array.dtype == "uint8":
            return _beside(t._array, array.astype(bool))
        number = array.ndim == 0 and array.dtype.kind in "iu"
        return int(array) if number else _beside(t._array, array)
    if isinstance(key, (list, range)):
        if any(isinstance(k, (list, tuple, slice, TensorBase)) or k in (None, ...) for k in key):
            return raw_key(t, tuple(key))
        found = np.asarray(key, None if len(key) else np.int64)
        if found.dtype.kind in "US":
            text = next(k for k in key if isinstance(k, (str, bytes)))
            raise TypeError(f"new(): invalid data type '{type(text).__name__}'")
        return _beside(t._array, found)
    if isinstance(key, slice):
        parts: Any = (key.start, key.stop, key.step)
        parts = [int(k._array) if isinstance(k, TensorBase) else k for k in parts]
        if parts[2] is not None and parts[2] <= 0:
            raise ValueError(
                "slice step cannot be zero" if parts[2] == 0 else "step must be greater than zero"
            )
        return slice(*parts)
    if isinstance(key, str):
        raise TypeError("new(): invalid data type 'str'")
    if key is None or key is ... or isinstance(key, (bool, int)) or hasattr(key, "dtype"):
        if isinstance(key, np.ndarray):
            return _beside(t._array, key)
        return int(key) if isinstance(key, np.integer) else key
    if hasattr(key, "__index__"):
        return index(key)
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {type(key).__name__})"
    )
