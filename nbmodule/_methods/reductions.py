"""Methods that fold dimensions away, or order what lies along one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _dtypes
from .._engine import TensorBase
from .._ops import reduce as r
from .._ops import shape as s

if TYPE_CHECKING:
    from .._tensor import Tensor

Dims = int | Sequence[int] | None


class Extreme(NamedTuple):
    """What ``max(dim)`` and ``min(dim)`` return."""

    values: Any
    indices: Any


class Reductions(TensorBase):
    """Sums, means, extremes, tests, softmax."""

    def sum(self, dim: Dims = None, keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
        """Return the sum over `dim` (an int, several, or None for all); integers add up as int64."""
        kind = self._array.dtype.kind
        wanted = dtype.numpy if dtype else _dtypes.int64.numpy if kind in "iub" else None
        return r.sum(self, axes=r.axes_of(dim, self._array.ndim), keepdim=keepdim, dtype=wanted)

    def mean(self, dim: Dims = None, keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
        """Return the mean over `dim`.

        Raises:
            RuntimeError: the elements are integers or booleans.
        """
        t: Any = self if dtype is None else self.to(dtype)  # type: ignore[attr-defined]
        found = _dtypes.of_numpy[t._array.dtype]
        if not found.is_floating_point:
            raise RuntimeError(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or "
                f"complex dtype. Got: {found.legacy.removesuffix('Tensor')}"
            )
        return r.mean(t, axes=r.axes_of(dim, t._array.ndim), keepdim=keepdim)

    def var(self, dim: Dims = None, *, correction: float = 1, keepdim: bool = False, unbiased: bool | None = None) -> Tensor:  # fmt: skip
        """Return the variance over `dim`; `correction` is taken off the count of elements."""
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if unbiased is not None:
            correction = int(unbiased)
        return r.var(
            self, axes=r.axes_of(dim, self._array.ndim), correction=correction, keepdim=keepdim
        )

    def std(self, dim: Dims = None, *, correction: float = 1, keepdim: bool = False, unbiased: bool | None = None) -> Tensor:  # fmt: skip
        """Return the standard deviation over `dim`."""
        return self.var(dim, correction=correction, keepdim=keepdim, unbiased=unbiased).sqrt()

    def prod(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Return the product over `dim`."""
        return r.prod(self, axes=r.axes_of(dim, self._array.ndim), keepdim=keepdim)

    def amax(self, dim: Dims = (), keepdim: bool = False) -> Tensor:
        """Return the maximum over `dim`; elements that tie share the gradient."""
        return r.amax(self, axes=r.axes_of(dim, self._array.ndim), keepdim=keepdim)

    def amin(self, dim: Dims = (), keepdim: bool = False) -> Tensor:
        """Return the minimum over `dim`; elements that tie share the gradient."""
        return r.amin(self, axes=r.axes_of(dim, self._array.ndim), keepdim=keepdim)

    def max(self, dim: Any = None, keepdim: bool = False) -> Any:
        """Return the maximum of all; with a tensor the larger of each two; with `dim` also where it is.

        Returns:
            A tensor, or ``(values, indices)`` when `dim` is an int.
        """
        if isinstance(dim, TensorBase):
            return self.maximum(dim)  # type: ignore[attr-defined]
        return self.amax(()) if dim is None else self._pick(r.argmax, dim, keepdim)

    def min(self, dim: Any = None, keepdim: bool = False) -> Any:
        """Return the minimum of all; with a tensor the smaller of each two; with `dim` also where it is.

        Returns:
            A tensor, or ``(values, indices)`` when `dim` is an int.
        """
        if isinstance(dim, TensorBase):
            return self.minimum(dim)  # type: ignore[attr-defined]
        return self.amin(()) if dim is None else self._pick(r.argmin, dim, keepdim)

    def _pick(self, find: Any, dim: int, keepdim: bool) -> Extreme:
        axis = r.axis_of(dim, self._array.ndim)
        if self._array.ndim == 0:
            return Extreme(self.clone(), find(self, axis=None))  # type: ignore[attr-defined]
        indices = find(self, axis=axis, keepdim=True)
        values = s.gather(self, axis=axis, index=indices._array)
        if keepdim:
            return Extreme(values, indices)
        return Extreme(values.squeeze(axis), indices.squeeze(axis))

    def argmax(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Return where the maximum is, along `dim` or in the flattened tensor; the first of several."""
        axis = None if dim is None else r.axis_of(dim, self._array.ndim)
        return r.argmax(self, axis=axis if self._array.ndim else None, keepdim=keepdim)

    def argmin(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Return where the minimum is, along `dim` or in the flattened tensor; the first of several."""
        axis = None if dim is None else r.axis_of(dim, self._array.ndim)
        return r.argmin(self, axis=axis if self._array.ndim else None, keepdim=keepdim)

    def all(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Return whether all elements over `dim` are nonzero."""
        return r.all(self, axes=r.axes_of(dim, self._array.ndim), keepdim=keepdim)

    def any(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Return whether any element over `dim` is nonzero."""
        return r.any(self, axes=r.axes_of(dim, self._array.ndim), keepdim=keepdim)

    def norm(self, p: float | str = 2, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Return the p-norm over `dim`: the p-th root of the sum of absolute values to the power p."""
        if p in (2, "fro"):
            return (self * self).sum(dim, keepdim).sqrt()  # type: ignore[operator]
        magnitude: Any = self.abs()  # type: ignore[attr-defined]
        if p == float("inf"):
            return magnitude.amax(() if dim is None else dim, keepdim)
        return magnitude.pow(p).sum(dim, keepdim).pow(1 / float(p))

    def logsumexp(self, dim: int | Sequence[int], keepdim: bool = False) -> Tensor:
        """Return the log of the sum of exponentials over `dim`, without overflow."""
        return r.logsumexp(self, axes=r.axes_of(dim, self._array.ndim), keepdim=keepdim)

    def softmax(self, dim: int, dtype: _dtypes.dtype | None = None) -> Tensor:
        """Return exponentials that sum to 1 along `dim`."""
        t, axis = _floating(self, dtype, "softmax"), r.axis_of(dim, self._array.ndim)
        return r.softmax(t, axis=axis) if t.ndim else r.softmax(t.reshape(1), axis=0).reshape(())

    def log_softmax(self, dim: int, dtype: _dtypes.dtype | None = None) -> Tensor:
        """Return the logarithm of `softmax`, computed without taking it."""
        t, axis = _floating(self, dtype, "log_softmax"), r.axis_of(dim, self._array.ndim)
        return (
            r.log_softmax(t, axis=axis)
            if t.ndim
            else r.log_softmax(t.reshape(1), axis=0).reshape(())
        )

    def cumsum(self, dim: int) -> Tensor:
        """Return the running sum along `dim`."""
        return r.cumsum(self, axis=r.axis_of(dim, self._array.ndim))


def _floating(t: Any, dtype: _dtypes.dtype | None, name: str) -> Any:
    t = t if dtype is None else t.to(dtype)
    if not t.dtype.is_floating_point:
        kind = t.dtype.legacy.removesuffix("Tensor")
        raise NotImplementedError(f"\"{name}_lastdim_kernel_impl\" not implemented for '{kind}'")
    return t
