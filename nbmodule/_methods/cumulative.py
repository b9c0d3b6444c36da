"""Methods that run along a dimension: sums and products so far, differences, areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _dtypes
from .. import return_types as results
from .._engine import TensorBase, renamed, wrap, write
from .._ops import cumulative
from .._ops import reduce as r
from .._ops import shape as s
from .._ops.reduce import axis_of
from .common import library, not_implemented
from .pytorch_errors import pytorch_errors_in_methods

if TYPE_CHECKING:
    from .._engine.state import Tensor


@pytorch_errors_in_methods
class Cumulative(TensorBase):
    """Cumulative sums, products and extremes; differences."""

    def cumsum(self, dim: int, *, dtype: _dtypes.dtype | None = None) -> Tensor:
        """Return the running sum along `dim`; integers add up as int64."""
        t, axis = summed_as(self, dtype), axis_of(dim, self._array.ndim)
        if not t._array.ndim:
            return renamed(t.clone(), "CumsumBackward0")
        return r.cumsum(t, axis=axis)

    def cumprod(self, dim: int, *, dtype: _dtypes.dtype | None = None) -> Tensor:
        """Return the running product along `dim`; integers multiply as int64."""
        t, axis = summed_as(self, dtype), axis_of(dim, self._array.ndim)
        return (
            cumulative.cumprod(t, axis=axis)
            if t._array.ndim
            else renamed(t.clone(), "CumprodBackward0")
        )

    def cumsum_(self, dim: int, *, dtype: _dtypes.dtype | None = None) -> Tensor:
        """Do what `cumsum` does, in place, and return `self`."""
        return write(self, _kept(Cumulative.cumsum, "cumsum_"), dim, dtype=dtype)

    def cumprod_(self, dim: int, *, dtype: _dtypes.dtype | None = None) -> Tensor:
        """Do what `cumprod` does, in place, and return `self`."""
        return write(self, _kept(Cumulative.cumprod, "cumprod_"), dim, dtype=dtype)

    def logcumsumexp(self, dim: int) -> Tensor:
        """Return the logarithm of the running sum of exponentials along `dim`."""
        axis = axis_of(dim, self._array.ndim)
        if self._array.dtype.kind != "f":
            raise not_implemented("logcumsumexp_out_cpu", self)
        if not self._array.ndim:
            return renamed(self.clone(), "LogcumsumexpBackward0")  # type: ignore[attr-defined]
        return cumulative.logcumsumexp(self, axis=axis)

    def cummax(self, dim: int) -> Any:
        """Return ``(values, indices)`` of the largest element so far along `dim`, the last of several."""
        return self._best_so_far("cummax", dim)

    def cummin(self, dim: int) -> Any:
        """Return ``(values, indices)`` of the smallest element so far along `dim`, the last of several."""
        return self._best_so_far("cummin", dim)

    def _best_so_far(self, name: str, dim: int) -> Any:
        axis, xp, t = axis_of(dim, self._array.ndim), library(self), self
        if not t._array.ndim:
            values: Any = renamed(t.clone(), f"{name.title()}Backward0")  # type: ignore[attr-defined]
            return getattr(results, name)((values, wrap(xp.zeros((), "i8"))))
        index = cumulative.last_extreme(xp, t._array, name == "cummax", axis)
        values = renamed(s.gather(t, axis=axis, index=index), f"{name.title()}Backward0")
        return getattr(results, name)((values, wrap(index)))

    def diff(self, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:  # fmt: skip
        """Return the differences of neighbours along `dim`, taken `n` times.

        Args:
            n: how often.
            dim: which dimension.
            prepend: put before `self` along `dim` first.
            append: put after it.
        """
        t: Any = self
        if not t._array.ndim:
            raise RuntimeError("diff expects input to be at least one-dimensional")
        axis = axis_of(dim, t._array.ndim)
        for other in (prepend, append):
            if other is not None and other._array.ndim != t._array.ndim:
                raise RuntimeError(
                    "diff expects prepend or append to be the same dimension as input"
                )
        if n < 0:
            raise RuntimeError(f"order must be non-negative but got {n}")
        if not n:
            return renamed(t.clone(), "CopyBackwards")
        parts = [x for x in (prepend, t, append) if x is not None]
        if len(parts) > 1:
            common = _dtypes.result_type(*(x._array for x in parts))
            t = s.cat(*(x.to(common) for x in parts), axis=axis)
        length = t._array.shape[axis]
        for _ in range(min(n, length)):
            m = t._array.shape[axis] - 1
            late, early = t.narrow(axis, 1, m), t.narrow(axis, 0, m)
            t = late.logical_xor(early) if t._array.dtype.kind == "b" else late - early
        return renamed(t.clone(), "CopyBackwards") if t is self else t


def summed_as(t: Any, dtype: _dtypes.dtype | None) -> Any:
    """Return `t` in `dtype`, or as int64 where it holds integers and `dtype` is None."""
    if dtype is None and t._array.dtype.kind != "f":
        dtype = _dtypes.int64
    return t if dtype is None else t.to(dtype)


def _kept(method: Any, name: str) -> Any:
    """Return `method` with a result in the dtype of its tensor, as writing in place needs it."""

    def rule(t: Any, dim: int, dtype: _dtypes.dtype | None) -> Any:
        return method(t, dim, dtype=dtype).to(t.dtype)

    rule.__name__ = name
    return rule
