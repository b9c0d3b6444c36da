"""Methods that fold dimensions away: sums, means, extremes, tests, norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _dtypes
from .. import return_types as results
from .._engine import TensorBase, renamed, wrap
from .._errors import invalid_call, not_a_tensor
from .._ops import elementwise as e
from .._ops import linalg_norms as norms
from .._ops import reduce as r
from .._ops import shape as s
from .._ops.reduce import axis_of
from ._signatures import bind_call
from .common import (
    NOT_GIVEN,
    Dims,
    axes_for,
    kind_of,
    names_no_axis,
    nonempty_axes,
    not_implemented,
)
from .cumulative import summed_as
from .layout import fresh
from .linalg_norms import refuse_empty
from .pytorch_errors import pytorch_errors_in_methods
from .rule_to_method import in_place

if TYPE_CHECKING:
    from .._engine.state import Tensor


@pytorch_errors_in_methods
class Reductions(TensorBase):
    """Sums, means, extremes, tests, softmax."""

    def sum(self, dim: Dims = NOT_GIVEN, keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
        """Return the sum over `dim` (an int, several, or None for all); integers add up as int64."""
        kind = self._array.dtype.kind
        wanted = dtype.numpy if dtype else _dtypes.int64.numpy if kind in "iub" else None
        axes = r.axes_of(None if dim is NOT_GIVEN else dim, self._array.ndim)
        out = r.sum(self, axes=axes, keepdim=keepdim, dtype=wanted)
        return out if dim is NOT_GIVEN else renamed(out, "SumBackward1")

    def mean(self, dim: Dims = NOT_GIVEN, keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
        """Return the mean over `dim`.

        Raises:
            RuntimeError: the elements are integers or booleans.
        """
        if dtype is not None and dtype.category < _dtypes.FLOATING:
            raise RuntimeError(
                "mean(): could not infer output dtype. Optional dtype must be either a floating point or "
                f"complex dtype. Got: {dtype.scalar_name}"
            )
        t: Any = self if dtype is None else self.to(dtype)  # type: ignore[attr-defined]
        if t._array.dtype.kind != "f":
            raise RuntimeError(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or "
                f"complex dtype. Got: {kind_of(t)}"
            )
        axes = r.axes_of(None if dim is NOT_GIVEN else dim, t._array.ndim)
        out = r.mean(t, axes=axes, keepdim=keepdim)
        return out if dim is NOT_GIVEN else renamed(out, "MeanBackward1")

    def prod(self, dim: int | None = None, keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
        """Return the product over `dim`; integers multiply as int64."""
        if dim is not None and not hasattr(dim, "__index__"):
            raise invalid_call("prod", (dim,), {})
        t = summed_as(self, dtype)
        out: Any = r.prod(t, axes=r.axes_of(dim, t._array.ndim), keepdim=keepdim)
        return out if dim is None else renamed(out, "ProdBackward1")

    def nansum(self, dim: Dims = None, keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
        """Return the sum over `dim` of the elements that are not NaN."""
        t: Any = summed_as(self, dtype)
        if t._array.dtype.kind == "f":
            t = e.where(e.eq(t, t), t, 0)
        return renamed(t.sum(dim, keepdim, dtype=t.dtype), "NansumBackward0")

    def nanmean(self, dim: Dims = None, keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
        """Return the mean over `dim` of the elements that are not NaN.

        Raises:
            RuntimeError: the elements are integers or booleans.
        """
        if self._array.dtype.kind != "f":
            raise RuntimeError(
                f"nanmean(): expected input to have floating point or complex dtype but got {kind_of(self)}"
            )
        count: Any = e.eq(self, self)
        kind = self.dtype if dtype is None else dtype  # type: ignore[attr-defined]
        # float16 has no room for large sums, nor for large counts
        wide = _dtypes.float32 if kind is _dtypes.float16 else kind
        total: Any = self.nansum(dim, keepdim, dtype=wide)
        return (total / count.sum(dim, keepdim)).to(kind)

    def amax(self, dim: Dims = (), keepdim: bool = False) -> Tensor:
        """Return the maximum over `dim`; elements that tie share the gradient."""
        return r.amax(self, axes=_extreme_axes("amax", dim, self), keepdim=keepdim)

    def amin(self, dim: Dims = (), keepdim: bool = False) -> Tensor:
        """Return the minimum over `dim`; elements that tie share the gradient."""
        return r.amin(self, axes=_extreme_axes("amin", dim, self), keepdim=keepdim)

    def max(self, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        """Return the maximum of all; with a tensor the larger of each two; with `dim` also where it is.

        Returns:
            A tensor, or ``(values, indices)`` when `dim` is an int.
        """
        if isinstance(dim, TensorBase) or other is not None:
            return self.maximum(dim if other is None else other)  # type: ignore[attr-defined]
        if dim is not None:
            return self._pick("max", r.argmax, dim, keepdim)
        return renamed(
            r.amax(self, axes=nonempty_axes("max", None, self), nan_too=True), "MaxBackward1"
        )

    def min(self, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        """Return the minimum of all; with a tensor the smaller of each two; with `dim` also where it is.

        Returns:
            A tensor, or ``(values, indices)`` when `dim` is an int.
        """
        if isinstance(dim, TensorBase) or other is not None:
            return self.minimum(dim if other is None else other)  # type: ignore[attr-defined]
        if dim is not None:
            return self._pick("min", r.argmin, dim, keepdim)
        return renamed(
            r.amin(self, axes=nonempty_axes("min", None, self), nan_too=True), "MinBackward1"
        )

    def _pick(self, name: str, find: Any, dim: int, keepdim: bool) -> Any:
        if not hasattr(dim, "__index__"):
            raise invalid_call(name, (dim,), {})
        (axis,), t = nonempty_axes(name, dim, self) or (None,), self
        if axis is None:
            values, indices = t.clone(), find(t, axis=None)  # type: ignore[attr-defined]
        else:
            indices = find(t, axis=axis, keepdim=True)
            values = s.gather(t, axis=axis, index=indices._array)
            if not keepdim:
                values, indices = fresh(values.squeeze(axis)), fresh(indices.squeeze(axis))
        return getattr(results, name)((renamed(values, f"{name.title()}Backward0"), indices))

    def aminmax(self, *, dim: int | None = None, keepdim: bool = False) -> Any:
        """Return ``(min, max)`` over `dim`, or of all elements.

        Raises:
            RuntimeError: there is no element.
            IndexError: there is none along `dim`.
        """
        if not self._array.size and dim is None:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        axes = r.axes_of(dim, self._array.ndim)
        if self._array.ndim and dim is not None and not self._array.shape[dim]:
            dim %= self._array.ndim
            raise IndexError(f"aminmax: Expected reduction dim {dim} to have non-zero size.")
        pair = (rule(self, axes=axes, keepdim=keepdim) for rule in (r.amin, r.amax))
        return results.aminmax(renamed(out, "AminmaxBackward0") for out in pair)

    def count_nonzero(self, dim: Dims = None) -> Tensor:
        """Return how many elements over `dim` are not 0."""
        return r.sum(e.ne(self, 0), axes=r.axes_of(dim, self._array.ndim), dtype="i8")

    def argmax(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Return where the maximum is, along `dim` or in the flattened tensor; the first of several."""
        return self._where(r.argmax, dim, keepdim)

    def argmin(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Return where the minimum is, along `dim` or in the flattened tensor; the first of several."""
        return self._where(r.argmin, dim, keepdim)

    def _where(self, find: Any, dim: int | None, keepdim: bool) -> Tensor:
        name = find.__name__
        if self._array.dtype.kind == "b":
            raise RuntimeError(f"{name}(): does not support bool input")
        if dim is not None and not hasattr(dim, "__index__"):
            raise invalid_call(name, (dim,), {})
        axes = nonempty_axes(name, dim, self)
        return find(self, axis=axes[0] if axes and dim is not None else None, keepdim=keepdim)

    def all(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Return whether all elements over `dim` are nonzero."""
        return _truth(self, r.all(self, axes=_tested_axes(dim, self), keepdim=keepdim))

    def any(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Return whether any element over `dim` is nonzero."""
        return _truth(self, r.any(self, axes=_tested_axes(dim, self), keepdim=keepdim))

    def norm(self, p: float | str | None = "fro", dim: Dims = None, keepdim: bool = False, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
        """Return the p-norm over `dim`: the p-th root of the sum of absolute values to the power p.

        Raises:
            RuntimeError: the elements are integers or booleans.
        """
        t: Any = self if dtype is None else self.to(dtype)  # type: ignore[attr-defined]
        if self._array.dtype.kind != "f":
            raise RuntimeError(
                "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                + kind_of(self)
            )
        listed = isinstance(dim, (tuple, list))
        many = listed and len(dim) > 2  # type: ignore[arg-type]
        if isinstance(p, str) and (p != "fro" or many):
            return _matrix_norm(t, p, dim, keepdim)
        plain = type(p) in (int, float) and (listed or dim is None or type(dim) is int)
        if not plain and p is not None and p != "fro":
            bind_call("linalg_vector_norm", False, (self, p, dim), {})
        power = 2.0 if p is None or p == "fro" else float(p)
        out = _norm(t, power, dim, keepdim)
        return renamed(out, "LinalgVectorNormBackward0")

    def logsumexp(self, dim: int | Sequence[int], keepdim: bool = False) -> Tensor:
        """Return the log of the sum of exponentials over `dim`, without overflow."""
        t: Any = self if self._array.dtype.kind == "f" else self.to(_dtypes.get_default_dtype())  # type: ignore[attr-defined]
        axes = r.axes_of(dim, t._array.ndim)
        if not t._array.size:
            return renamed(t.sum(axes, keepdim).log(), "LogsumexpBackward0")
        return r.logsumexp(t, axes=axes, keepdim=keepdim)

    def softmax(self, dim: int, dtype: _dtypes.dtype | None = None) -> Tensor:
        """Return exponentials that sum to 1 along `dim`."""
        axis = _axis(dim, self._array.ndim)
        t = _floating(self, dtype, "softmax", dim)
        return (
            r.softmax(t, axis=axis)
            if t.ndim and t.is_floating_point()
            else t.clone()
            if t.ndim
            else renamed(fresh(r.softmax(t.reshape(1), axis=0).reshape(())), "SoftmaxBackward0")
        )

    def log_softmax(self, dim: int, dtype: _dtypes.dtype | None = None) -> Tensor:
        """Return the logarithm of `softmax`, computed without taking it."""
        axis = _axis(dim, self._array.ndim)
        t = _floating(self, dtype, "log_softmax", dim)
        return (
            r.log_softmax(t, axis=axis)
            if t.ndim and t.is_floating_point()
            else t.clone()
            if t.ndim
            else renamed(
                fresh(r.log_softmax(t.reshape(1), axis=0).reshape(())), "LogSoftmaxBackward0"
            )
        )

    def dist(self, other: Tensor, p: float = 2) -> Tensor:
        """Return the p-norm of ``self - other``."""
        if not isinstance(other, TensorBase):
            raise not_a_tensor("dist", "other", 1, other)
        difference: Any = self - other  # type: ignore[operator]
        if difference._array.dtype.kind != "f":
            raise RuntimeError(
                "norm(): input dtype should be either floating point or complex. Got "
                f"{kind_of(difference)} instead."
            )
        return renamed(_norm(difference, float(p), None, False), "DistBackward0")

    def renorm(self, p: float, dim: int, maxnorm: float) -> Tensor:
        """Return `self` with each slice along `dim` scaled down to a p-norm of at most `maxnorm`."""
        if p <= 0:
            raise RuntimeError("renorm: non-positive-norm not supported")
        if maxnorm < 0:
            raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
        n = self._array.ndim
        if n < 2:
            raise RuntimeError(
                "renorm: input needs at least 2 dimensions, got " + f"{n} dimensions"
            )
        axis, t = axis_of(dim, n), self
        if t._array.dtype.kind != "f":
            raise RuntimeError(
                "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                + kind_of(t)
            )
        sizes: Any = _norm(t, float(p), [a for a in range(n) if a != axis], True)
        over = wrap(sizes._array > maxnorm)
        factor = (maxnorm / (sizes + 1e-7)).where(over, 1.0)
        return renamed(t * factor, "RenormBackward0")  # type: ignore[operator]

    renorm_ = in_place(renorm, "p", "dim", "maxnorm", promotes=False)


def _extreme_axes(name: str, dim: Any, t: TensorBase) -> tuple[int, ...]:
    """Return the axes that `dim` names; an empty list names all, which then must hold an element."""
    return nonempty_axes(name, None if names_no_axis(dim) else dim, t)


def _tested_axes(dim: Any, t: TensorBase) -> tuple[int, ...]:
    """Return the axes that `dim` names; for `all` and `any`, an empty list names none."""
    return () if isinstance(dim, (tuple, list)) and not dim else r.axes_of(dim, t._array.ndim)


def _matrix_norm(t: Any, p: str, dim: Any, keepdim: bool) -> Any:
    if p not in ("nuc", "fro"):
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    from .linalg_norms import matrix_norm

    return matrix_norm(t, p, tuple(range(t.ndim)) if dim is None else dim, keepdim)


def _truth(t: TensorBase, found: Any) -> Any:
    """Return `found` as bool, or as uint8 for bytes: PyTorch had those before it had bools."""
    return found.to(_dtypes.uint8) if t._array.dtype == _dtypes.uint8.numpy else found


def _norm(t: Any, p: float, dim: Dims, keepdim: bool) -> Any:
    axes = axes_for("norm", dim, t)
    if p < 0 or p == math.inf:
        refuse_empty(t, p, dim)
    if p == 2:
        return r.length(t, axes=axes, keepdim=keepdim)
    if math.isinf(p):
        return t.abs().amax(axes, keepdim) if p > 0 else t.abs().amin(axes, keepdim)
    if p == 1:
        return t.abs().sum(axes, keepdim)
    return norms.power_norm(t, p=p, axes=axes, keepdim=keepdim)


def _axis(dim: Any, ndim: int) -> int:
    """Return the axis that `dim` means, which must be an int: neither a bool nor a float."""
    if type(dim) is not int and (isinstance(dim, (bool, np.bool_)) or not hasattr(dim, "__index__")):  # fmt: skip
        raise TypeError("dim must be int")
    return r.axis_of(dim, ndim)


def _floating(t: Any, dtype: _dtypes.dtype | None, name: str, dim: int) -> Any:
    t = t if dtype is None else t.to(dtype)
    if not t.dtype.is_floating_point and t.numel():
        last = "lastdim_" if dim in (-1, t.ndim - 1) or not t.ndim else ""
        raise not_implemented(f"{name}_{last}kernel_impl", t)
    return t
