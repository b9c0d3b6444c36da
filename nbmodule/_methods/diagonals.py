"""Methods about diagonals and triangles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _dtypes
from .._data import fill_number
from .._engine import TensorBase, edge_of, renamed, wrap, write
from .._ops import shape as s
from .._ops import strides
from .._ops.reduce import axis_of
from .common import library
from .explained import explained_methods
from .from_rules import in_place
from .layout import fresh, tidy

if TYPE_CHECKING:
    from .._engine.state import Tensor


@explained_methods
class Diagonals(TensorBase):
    """Diagonals, read and written, and the triangles at their sides."""

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
        """Return a view of the elements ``i, i + offset`` of two dimensions, along a new last one."""
        n = self._array.ndim
        first, second = axis_of(dim1, n), axis_of(dim2, n)
        if first == second:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        return strides.diagonal(self, offset=offset, dim0=first, dim1=second)

    def diag(self, diagonal: int = 0) -> Tensor:
        """Return the diagonal of a matrix, or a matrix with this vector on its diagonal."""
        n = self._array.ndim
        if n not in (1, 2):
            raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {n}D")
        if n == 1:
            return self.diag_embed(diagonal)
        return renamed(self.diagonal(diagonal).clone(), "DiagonalBackward0_copy")

    def diagflat(self, offset: int = 0) -> Tensor:
        """Return a matrix with the elements of `self`, flattened, on its diagonal."""
        return self.reshape(-1).diag(offset)  # type: ignore[attr-defined]

    def diag_embed(self, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
        """Return zeros with the last dimension of `self` on the diagonal of two new ones."""
        n = self._array.ndim + 1
        first, second = axis_of(dim1, n), axis_of(dim2, n)
        if first == second:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        xp, length = library(self), self._array.shape[-1]
        side = length + abs(offset)
        zeros = wrap(xp.zeros((*self._array.shape[:-1], side, side), self._array.dtype))
        at = xp.arange(length) + max(-offset, 0)
        full: Any = s.put(zeros, self, key=(..., at, at + offset))
        rest = iter(range(n - 2))
        dims = [n - 2 if a == first else n - 1 if a == second else next(rest) for a in range(n)]
        return renamed(fresh(tidy(full.permute(dims))), "DiagEmbedBackward0")

    def trace(self) -> Tensor:
        """Return the sum of the diagonal of a matrix."""
        if self._array.ndim != 2:
            raise RuntimeError(
                f"trace: expected a matrix, but got tensor with dim {self._array.ndim}"
            )
        if self._array.dtype.kind == "b":
            raise NotImplementedError("\"trace\" not implemented for 'Bool'")
        return renamed(self.diagonal().sum(), "TraceBackward0")

    def tril(self, diagonal: int = 0) -> Tensor:
        """Return what lies on or below a diagonal of the last two dimensions, and zeros above."""
        return self._triangle("tril", diagonal)

    def triu(self, diagonal: int = 0) -> Tensor:
        """Return what lies on or above a diagonal of the last two dimensions, and zeros below."""
        return self._triangle("triu", diagonal)

    def _triangle(self, name: str, diagonal: int) -> Tensor:
        if self._array.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        xp, (rows, columns) = library(self), self._array.shape[-2:]
        reach = xp.arange(columns)[None, :] - xp.arange(rows)[:, None]
        mask = reach <= diagonal if name == "tril" else reach >= diagonal
        return renamed(s.masked(self, mask=mask), f"{name.title()}Backward0")

    tril_ = in_place(tril, "diagonal", promotes=False)
    triu_ = in_place(triu, "diagonal", promotes=False)

    def fill_diagonal_(self, fill_value: Any, wrap: bool = False) -> Tensor:
        """Set the main diagonal to `fill_value`; with `wrap` it begins again below in tall matrices."""
        array = self._array
        if array.ndim < 2:
            raise RuntimeError("dimensions must larger than 1")
        if array.ndim > 2 and len({*array.shape}) > 1:
            raise RuntimeError("all dimensions of input must be of equal length")
        if not isinstance(fill_value, TensorBase):
            fill_value = fill_number(fill_value, _dtypes.of_numpy[array.dtype], "fill_diagonal_")
        return write(self, _with_diagonal, fill_value, everywhere=wrap)

    # ---- copies with a part replaced

    def select_scatter(self, src: Tensor, dim: int, index: int) -> Tensor:
        """Return a copy with `src` in place of the slice at `index` along `dim`."""
        self.select(dim, index)  # type: ignore[attr-defined]
        axis = axis_of(dim, self._array.ndim)
        return self._replaced(src, (slice(None),) * axis + (index,), "SelectScatterBackward0")

    def slice_scatter(self, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:  # fmt: skip
        """Return a copy with `src` in place of the slices from `start` to `end` along `dim`."""
        axis = axis_of(dim, self._array.ndim)
        key = (slice(None),) * axis + (slice(start, end, step),)
        return self._replaced(src, key, "SliceScatterBackward0")

    def diagonal_scatter(self, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:  # fmt: skip
        """Return a copy with `src` in place of a diagonal."""
        length = self.diagonal(offset, dim1, dim2)._array.shape[-1]
        _same_size(src, self.diagonal(offset, dim1, dim2)._array.shape)
        n, xp = self._array.ndim, library(self)
        first, second = axis_of(dim1, n), axis_of(dim2, n)
        rest = [a for a in range(n) if a not in (first, second)]
        order = [*rest, first, second]
        back = [order.index(a) for a in range(n)]
        at = xp.arange(length) + max(-offset, 0)
        moved: Any = s.put(self.permute(order), src, key=(..., at, at + offset))  # type: ignore[attr-defined]
        return renamed(fresh(tidy(moved.permute(back))), "DiagonalScatterBackward0")

    def as_strided_scatter(self, src: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:  # fmt: skip
        """Return a copy with `src` in place of the elements that ``as_strided(size, stride)`` shows.

        Raises:
            RuntimeError: `src` has another size.

        Source: https://docs.pytorch.org/docs/stable/generated/torch.as_strided_scatter.html
        """
        t: Any = self
        out = t.clone()
        part = out.as_strided(size, stride, storage_offset)
        if src._array.shape != part._array.shape:
            raise RuntimeError(
                "expected src to have a size equal to the slice of self. src size = "
                f"{list(src._array.shape)}, slice size = {list(part._array.shape)}"
            )
        part.copy_(src)
        edge_of(out)  # the write through the view is in its history from here on
        return renamed(out, "AsStridedScatterBackward0")

    def _replaced(self, src: Any, key: Any, name: str) -> Tensor:
        _same_size(src, self._array[key].shape)
        return renamed(s.put(self, src.to(_dtypes.of_numpy[self._array.dtype]), key=key), name)


def _same_size(src: Any, shape: tuple[int, ...]) -> None:
    if src._array.shape != shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(shape)}"
        )


def _with_diagonal(t: Any, value: Any, *, everywhere: bool) -> Any:
    xp, shape = library(t), t._array.shape
    n = min(shape)
    at = xp.arange(n)
    key = (at,) * len(shape)
    if everywhere and len(shape) == 2 and shape[0] > shape[1]:
        place = xp.arange(0, shape[0] * shape[1], shape[1] + 1)
        key = (place // shape[1], place % shape[1])
    return renamed(s.put(t, value, key=key), "CopySlices")
