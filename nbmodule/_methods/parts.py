"""Methods that take parts of a tensor, and write to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from .._backend import namespace_of
from .._engine import TensorBase, is_grad_enabled, renamed, wrap, write
from .._errors import VIEW_OF_LEAF_WRITTEN, name_of_type
from .._ops import shape as s
from .._ops.reduce import axis_of

if TYPE_CHECKING:
    from .._tensor import Tensor


class Parts(TensorBase):
    """Slices, splits, and indexing, for reading and for writing."""

    def select(self, dim: int, index: int) -> Tensor:
        """Return the slice at `index` along `dim`, without that dimension."""
        if not self._array.ndim:
            raise IndexError("select() cannot be applied to a 0-dim tensor.")
        axis, shape = axis_of(dim, self._array.ndim), self._array.shape
        if not -shape[axis] <= index < shape[axis]:
            raise IndexError(
                f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {axis}"
            )
        return self[(slice(None),) * axis + (index,)]

    def narrow(self, dim: int, start: int, length: int) -> Tensor:
        """Return a view of `length` elements along `dim`, from `start` on."""
        axis = axis_of(dim, self._array.ndim)
        n = self._array.shape[axis]
        if length < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        if not -n <= start <= n:
            raise IndexError(
                f"start out of range (expected to be in range of [{-n}, {n}], but got {start})"
            )
        start += n if start < 0 else 0
        if start + length > n:
            raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
        return self[(slice(None),) * axis + (slice(start, start + length),)]

    def split(self, split_size: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
        """Return views of `split_size` elements each along `dim`, or of the listed sizes."""
        n = self._array.shape[axis_of(dim, self._array.ndim)]
        if isinstance(split_size, int):
            if split_size < 0:
                raise RuntimeError(
                    f"split expects split_size be non-negative, but got split_size={split_size}"
                )
            if split_size == 0 and n:
                raise RuntimeError(
                    "split_size can only be 0 if dimension size is 0, but got dimension size of "
                    f"{n}"
                )
            split_size = split_size or 1
            lengths = [min(split_size, n - i) for i in range(0, n, split_size)] or [0]
        else:
            lengths = list(split_size)
            if sum(lengths) != n:
                raise RuntimeError(
                    "split_with_sizes expects split_sizes to sum exactly to "
                    f"{n} (input tensor's size at dimension {dim}), but got split_sizes={lengths}"
                )
        starts = [sum(lengths[:i]) for i in range(len(lengths))]
        parts = (self.narrow(dim, a, k) for a, k in zip(starts, lengths, strict=True))
        return tuple(renamed(part, "SplitBackward0") for part in parts)

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """Return at most `chunks` views of equal size along `dim`; the last may be smaller."""
        if chunks <= 0:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
        n = self._array.shape[axis_of(dim, self._array.ndim)]
        return self.split(max(1, -(-n // chunks)), dim)

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        """Return the slices along `dim`, without that dimension."""
        if not self._array.ndim:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        parts = (
            self.select(dim, i) for i in range(self._array.shape[axis_of(dim, self._array.ndim)])
        )
        return tuple(renamed(part, "UnbindBackward0") for part in parts)

    def gather(self, dim: int, index: Tensor) -> Tensor:
        """Return ``out[i][j] = self[index[i][j]][j]`` for dim 0, and so on."""
        if index._array.dtype.kind != "i":
            raise RuntimeError("gather(): Expected dtype int32/int64 for index")
        axis, raw = axis_of(dim, self._array.ndim), index._array
        if raw.ndim != self._array.ndim:
            raise RuntimeError(
                "Index tensor must have the same number of dimensions as input tensor"
            )
        n = self._array.shape[axis] if raw.ndim else 1
        wrong = raw[(raw < 0) | (raw >= n)]
        if wrong.size:
            raise RuntimeError(
                f"index {int(wrong[0])} is out of bounds for dimension {axis} with size {n}"
            )
        return s.gather(self, axis=axis, index=raw) if raw.ndim else self.clone()  # type: ignore[attr-defined]

    def nonzero(self, *, as_tuple: bool = False) -> Any:
        """Return where the elements are not 0: a row of indices for each, or a vector for each dimension."""
        found = tuple(wrap(a) for a in self._array.nonzero())
        if as_tuple:
            return found
        xp = namespace_of[type(self._array)]
        return wrap(xp.argwhere(self._array))

    def index_select(self, dim: int, index: Tensor) -> Tensor:
        """Return the slices that the vector `index` names along `dim`."""
        raw, axis = index._array, axis_of(dim, self._array.ndim)
        if raw.dtype.kind != "i":
            raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
        if ((raw < 0) | (raw >= self._array.shape[axis])).any():
            raise IndexError("index out of range in self")
        index = index.reshape(-1)
        return renamed(self[(slice(None),) * axis + (index,)], "IndexSelectBackward0")

    # ---- indexing

    def __getitem__(self, key: Any) -> Tensor:
        raw = raw_key(self, key)
        if isinstance(raw, int) and not isinstance(raw, bool):
            raw = (raw, ...)  # NumPy returns a view then, where it would return a number
        elif isinstance(raw, tuple):
            if all(isinstance(k, int) for k in raw):
                raw = (*raw, ...)
            elif _ints_apart(raw):
                return self._ints_first(raw)
        return renamed(s.index(self, key=raw), _node_name(raw))

    def _ints_first(self, key: tuple[Any, ...]) -> Tensor:
        """Index as PyTorch does: numbers take their dimension away before arrays are looked at."""
        basic = tuple(slice(None) if hasattr(k, "dtype") else k for k in key)
        rest = (k for k in key if type(k) is not int)
        rest = tuple(k if hasattr(k, "dtype") or k is ... else slice(None) for k in rest)
        return self[basic][rest]

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(value, TensorBase):
            value = _assignable(self, value)
        if self._requires_grad and self._node is None and is_grad_enabled():
            raise RuntimeError(VIEW_OF_LEAF_WRITTEN)
        write(self, s.put, value.to(self.dtype), key=raw_key(self, key))  # type: ignore[attr-defined]

    def __delitem__(self, key: Any) -> None:
        raise TypeError("Tensor does not support deleting items")

    def __iter__(self) -> Iterator[Tensor]:
        if not self._array.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

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


def _assignable(t: Any, value: Any) -> Any:
    """Return `value`, a number or an array, as a tensor that can be written to parts of `t`."""
    try:
        return t.new_tensor(value)
    except (TypeError, RuntimeError):
        raise TypeError(f"can't assign a {name_of_type(value)} to a {t.type()}") from None


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


def raw_key(t: TensorBase, key: Any) -> Any:
    """Return an index with arrays in place of tensors and lists.

    Raises:
        ValueError: a slice steps backwards.
        TypeError: `key` is a string.
        IndexError: a part of it is no index.
    """
    if isinstance(key, tuple):
        return tuple(raw_key(t, k) for k in key)
    if isinstance(key, TensorBase):
        array = key._array
        if array.dtype.kind == "f":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if array.dtype == "uint8":
            return array.astype(bool)
        return int(array) if array.ndim == 0 and array.dtype.kind in "iu" else array
    if isinstance(key, (list, range)):
        if any(isinstance(k, (list, tuple, slice, TensorBase)) or k in (None, ...) for k in key):
            return raw_key(t, tuple(key))
        found = np.asarray(key, None if len(key) else np.int64)
        return namespace_of[type(t._array)].asarray(found)
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
        return int(key) if isinstance(key, np.integer) else key
    if hasattr(key, "__index__"):
        return index(key)
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {type(key).__name__})"
    )
