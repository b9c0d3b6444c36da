"""Methods that read elements at places which a tensor of indices names, or look for such places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._engine import TensorBase, renamed, wrap
from .._ops import shape as s
from .._ops.reduce import axis_of
from .common import kind_of, library
from .layout import fresh, tidy
from .pytorch_errors import pytorch_errors_in_methods
from .scatter_helpers import check_bounds, check_kind, check_reach

if TYPE_CHECKING:
    from .._engine.state import Tensor


@pytorch_errors_in_methods
class Gathering(TensorBase):
    """Elements and slices picked by index, and where the elements are that are not 0."""

    def gather(self, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
        """Return ``out[index[i][j]][j]`` of `self` for dim 0, and so on.

        Args:
            dim: the dimension that `index` counts along.
            index: integers, of as many dimensions as `self`.
            sparse_grad: without effect: gradients are dense.
        """
        raw = index._array
        if raw.size:
            check_kind(raw, "gather")
        elif raw.dtype.kind != "i":  # an empty index may be of any type
            raw = raw.astype("i8")
        axis, own = axis_of(dim, self._array.ndim), self._array.shape or (1,)
        places = raw if raw.ndim else raw.reshape(1)
        if raw.size:
            if places.ndim != len(own):
                raise RuntimeError(
                    "Index tensor must have the same number of dimensions as input tensor"
                )
            for a, (n, m) in enumerate(zip(places.shape, own, strict=True)):
                if a != axis and n > m:
                    raise RuntimeError(
                        f"Size does not match at dimension {a} expected index {list(raw.shape)} to be no "
                        f"larger than self {list(self._array.shape)} apart from dimension {axis}"
                    )
            check_bounds(raw, own[axis], axis)
        elif places.ndim != len(own):
            return wrap(library(self).zeros(raw.shape, self._array.dtype))
        if not self._array.ndim:
            out: Any = s.gather(self.reshape(1), axis=0, index=places)  # type: ignore[attr-defined]
            return renamed(out.reshape(raw.shape), "GatherBackward0")
        out = s.gather(self, axis=axis, index=places)
        return tidy(out) if raw.ndim else renamed(out.reshape(()), "GatherBackward0")

    def take_along_dim(self, indices: Tensor, dim: int | None = None) -> Tensor:
        """Return what `gather` does, of both tensors broadcast; without `dim`, of both flattened.

        With `dim`, an index outside wraps around: -1 names the last element.
        """
        t: Any = self
        if dim is None:
            return t.reshape(-1).gather(0, indices.reshape(-1))
        if t._array.ndim != indices._array.ndim:
            raise RuntimeError(
                "nbmodule.take_along_dim(): input and indices should have the same number of dimensions, "
                f"but got {t._array.ndim} dimensions for input, and {indices._array.ndim} dimensions for "
                "indices"
            )
        if indices._array.dtype != "i8":
            raise RuntimeError(
                f"nbmodule.take_along_dim(): dtype of indices should be Long but got {kind_of(indices)}"
            )
        if not t._array.ndim:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        axis = axis_of(dim, t._array.ndim)
        indices = _wrapped_around(indices, t._array.shape[axis])
        own, wanted = list(t._array.shape), list(indices._array.shape)
        wide = list(_common([1 if a == axis else n for a, n in enumerate(own)],
                            [1 if a == axis else n for a, n in enumerate(wanted)]))  # fmt: skip
        own = [own[axis] if a == axis else n for a, n in enumerate(wide)]
        wanted = [wanted[axis] if a == axis else n for a, n in enumerate(wide)]
        return t.expand(own).gather(axis, indices.expand(wanted))

    def take(self, index: Tensor) -> Tensor:
        """Return the elements at the places `index` of the flattened tensor, in the shape of `index`."""
        if index._array.dtype != "i8":
            raise RuntimeError(
                f"take(): Expected a long tensor for index, but got {kind_of(index)}"
            )
        if index._array.size and not self._array.size:
            raise IndexError("take(): tried to take from an empty tensor")
        check_reach(index._array, self._array.size)
        flat: Any = self.reshape(-1)  # type: ignore[attr-defined]
        out = s.index(flat, key=(index._array.reshape(-1),)).reshape(index._array.shape)
        return renamed(fresh(out), "TakeBackward0")

    def nonzero(self, *, as_tuple: bool = False) -> Any:
        """Return where the elements are not 0: a row of indices for each, or a vector for each dimension."""
        xp = library(self)
        if as_tuple:
            array = self._array if self._array.ndim else self._array.reshape(1)
            return tuple(wrap(a.copy()) for a in xp.nonzero(array))
        if not self._array.ndim:
            return wrap(xp.zeros((int(bool(self._array)), 0), "i8"))
        return wrap(xp.stack(xp.nonzero(self._array)).T)

    def nonzero_static(self, *, size: int, fill_value: int = -1) -> Tensor:
        """Return `size` rows of `nonzero`, cut off or filled up with `fill_value`."""
        found = self.nonzero()._array
        xp = library(self)
        rows = xp.full((size, found.shape[1]), fill_value, "i8")
        rows[: len(found)] = found[:size]
        return wrap(rows)

    def argwhere(self) -> Tensor:
        """Return where the elements are not 0: a row of indices for each."""
        return self.nonzero()

    def index_select(self, dim: int, index: Tensor) -> Tensor:
        """Return the slices that the vector `index` names along `dim`."""
        raw, axis = index._array, axis_of(dim, self._array.ndim)
        if raw.ndim > 1:
            raise IndexError("index_select(): Index is supposed to be a vector")
        if raw.dtype not in ("i8", "i4"):
            raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
        if not self._array.ndim:
            if raw.size != 1:
                raise RuntimeError(
                    "index_select(): Index to scalar can have only 1 value, got "
                    f"{raw.size} value(s)"
                )
            if raw.any():
                raise IndexError("index out of range in self")
            return renamed(self.clone(), "IndexSelectBackward0")  # type: ignore[attr-defined]
        if self._array.ndim > 1 and raw.size and not self._array.shape[axis]:
            raise RuntimeError("index_select(): self indexing axis dim should be positive")
        if ((raw < 0) | (raw >= self._array.shape[axis])).any():
            raise IndexError("index out of range in self")
        key = (slice(None),) * axis + (raw.reshape(-1),)
        return renamed(tidy(s.index(self, key=key)), "IndexSelectBackward0")


def _wrapped_around(indices: Any, n: int) -> Any:
    """Return `indices` as places from 0 to `n` - 1: a copy, since nobody watches what is written to them then."""
    raw = indices._array
    if raw.size and not n:
        raise RuntimeError("ZeroDivisionError")
    return wrap(raw % n if ((raw < 0) | (raw >= n)).any() else raw.copy())


def _common(a: list[int], b: list[int]) -> list[int]:
    """Return the shape that both broadcast to."""
    for axis, (m, n) in enumerate(zip(a, b, strict=True)):
        if m != n and 1 not in (m, n):
            raise RuntimeError(
                f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                f"dimension {axis}"
            )
    return [n if m == 1 else m for m, n in zip(a, b, strict=True)]
