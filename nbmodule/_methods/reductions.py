"""Methods that fold dimensions away, or order what lies along one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _dtypes
from .._engine import TensorBase, renamed
from .._ops import reduce as r
from .._ops import shape as s

if TYPE_CHECKING:
    from .._tensor import Tensor

Dims = int | Sequence[int] | None


class _Extreme(NamedTuple):
    """What ``max(dim)`` and ``min(dim)`` return."""

    values: Any
    indices: Any

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"nbmodule.return_types.{name}(\nvalues={self.values!r},\nindices={self.indices!r})"


_types = {name: type(name, (_Extreme,), {"__slots__": ()}) for name in ("max", "min")}


def numpy_names(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method be called with NumPy's ``axis`` and ``keepdims`` too, as PyTorch does."""

    @wraps(method)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        if named:
            for theirs, ours in (("axis", "dim"), ("keepdims", "keepdim")):
                if theirs in named:
                    named[ours] = named.pop(theirs)
        return method(self, *args, **named)

    return call


class Reductions(TensorBase):
    """Sums, means, extremes, tests, softmax."""

    @numpy_names
    def sum(self, dim: Dims = None, keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
        """Return the sum over `dim` (an int, several, or None for all); integers add up as int64."""
        kind = self._array.dtype.kind
        wanted = dtype.numpy if dtype else _dtypes.int64.numpy if kind in "iub" else None
        out = r.sum(self, axes=_axes("sum", dim, self), keepdim=keepdim, dtype=wanted)
        return out if dim is None else renamed(out, "SumBackward1")

    @numpy_names
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
        out = r.mean(t, axes=_axes("mean", dim, t), keepdim=keepdim)
        return out if dim is None else renamed(out, "MeanBackward1")

    @numpy_names
    def var(self, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float = 1) -> Tensor:  # fmt: skip
        """Return the variance over `dim`; `correction` is taken off the count of elements.

        Raises:
            RuntimeError: the elements are integers or booleans.
        """
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if self._array.dtype.kind != "f":
            raise RuntimeError("std and var only support floating point and complex dtypes")
        if unbiased is not None:
            correction = int(unbiased)
        return r.var(self, axes=_axes("var", dim, self), correction=correction, keepdim=keepdim)

    @numpy_names
    def std(self, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float = 1) -> Tensor:  # fmt: skip
        """Return the standard deviation over `dim`."""
        return r.std(self.var(dim, unbiased, keepdim, correction=correction))

    @numpy_names
    def prod(self, dim: int | None = None, keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
        """Return the product over `dim`; integers multiply as int64."""
        t = _summed_as(self, dtype)
        return r.prod(t, axes=_axes("prod", dim, t), keepdim=keepdim)

    @numpy_names
    def amax(self, dim: Dims = (), keepdim: bool = False) -> Tensor:
        """Return the maximum over `dim`; elements that tie share the gradient."""
        return r.amax(self, axes=_nonempty("amax", dim, self), keepdim=keepdim)

    @numpy_names
    def amin(self, dim: Dims = (), keepdim: bool = False) -> Tensor:
        """Return the minimum over `dim`; elements that tie share the gradient."""
        return r.amin(self, axes=_nonempty("amin", dim, self), keepdim=keepdim)

    @numpy_names
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
            r.amax(self, axes=_nonempty("max", None, self), nan_too=True), "MaxBackward1"
        )

    @numpy_names
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
            r.amin(self, axes=_nonempty("min", None, self), nan_too=True), "MinBackward1"
        )

    def _pick(self, name: str, find: Any, dim: int, keepdim: bool) -> _Extreme:
        (axis,), t = _nonempty(name, dim, self) or (None,), self
        if axis is None:
            values, indices = t.clone(), find(t, axis=None)  # type: ignore[attr-defined]
        else:
            indices = find(t, axis=axis, keepdim=True)
            values = s.gather(t, axis=axis, index=indices._array)
            if not keepdim:
                values, indices = values.squeeze(axis), indices.squeeze(axis)
        return _types[name](renamed(values, f"{name.title()}Backward0"), indices)

    @numpy_names
    def argmax(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Return where the maximum is, along `dim` or in the flattened tensor; the first of several."""
        return self._where(r.argmax, dim, keepdim)

    @numpy_names
    def argmin(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Return where the minimum is, along `dim` or in the flattened tensor; the first of several."""
        return self._where(r.argmin, dim, keepdim)

    def _where(self, find: Any, dim: int | None, keepdim: bool) -> Tensor:
        name = find.__name__
        if self._array.dtype.kind == "b":
            raise RuntimeError(f"{name}(): does not support bool input")
        axes = _nonempty(name, dim, self)
        return find(self, axis=axes[0] if axes and dim is not None else None, keepdim=keepdim)

    @numpy_names
    def all(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Return whether all elements over `dim` are nonzero."""
        return _truth(self, r.all(self, axes=_axes("all", dim, self), keepdim=keepdim))

    @numpy_names
    def any(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        """Return whether any element over `dim` is nonzero."""
        return _truth(self, r.any(self, axes=_axes("any", dim, self), keepdim=keepdim))

    @numpy_names
    def norm(self, p: float | str | None = "fro", dim: Dims = None, keepdim: bool = False, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
        """Return the p-norm over `dim`: the p-th root of the sum of absolute values to the power p.

        Raises:
            RuntimeError: the elements are integers or booleans.
        """
        t: Any = self if dtype is None else self.to(dtype)  # type: ignore[attr-defined]
        if t._array.dtype.kind != "f":
            raise RuntimeError(
                "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                + t.dtype.legacy.removesuffix("Tensor")
            )
        power = 2.0 if p is None or p == "fro" else float(p)
        out = _norm(t, power, dim, keepdim)
        return renamed(out, "LinalgVectorNormBackward0")

    @numpy_names
    def logsumexp(self, dim: int | Sequence[int], keepdim: bool = False) -> Tensor:
        """Return the log of the sum of exponentials over `dim`, without overflow."""
        t: Any = self if self._array.dtype.kind == "f" else self.to(_dtypes.get_default_dtype())  # type: ignore[attr-defined]
        return r.logsumexp(t, axes=_axes("logsumexp", dim, t), keepdim=keepdim)

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

    @numpy_names
    def cumsum(self, dim: int, *, dtype: _dtypes.dtype | None = None) -> Tensor:
        """Return the running sum along `dim`; integers add up as int64."""
        t, axis = _summed_as(self, dtype), r.axis_of(dim, self._array.ndim)
        return r.cumsum(t, axis=axis) if t._array.ndim else t.clone()


def _axes(name: str, dim: Any, t: TensorBase) -> tuple[int, ...]:
    """Return the axes that `dim` names; all of them for None and ()."""
    if isinstance(dim, (str, float)):
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({type(dim).__name__}), but "
            "expected one of:\nNone, an int, or several ints as `dim`."
        )
    return r.axes_of(dim, t._array.ndim)


def _nonempty(name: str, dim: Any, t: TensorBase) -> tuple[int, ...]:
    """Return the axes that `dim` names, which must hold an element to choose from.

    Raises:
        RuntimeError: there is none.
        IndexError: there is none along one of the axes.
    """
    axes = _axes(name, dim, t)
    if dim is None and not t._array.size:
        text = f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
        if name.startswith("arg"):
            raise IndexError(text)
        raise RuntimeError(text + " Specify the reduction dim with the 'dim' argument.")
    for axis in axes:
        if not t._array.shape[axis]:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
    return axes


def _summed_as(t: Any, dtype: _dtypes.dtype | None) -> Any:
    """Return `t` in `dtype`, or as int64 where it holds integers and `dtype` is None."""
    if dtype is None and t._array.dtype.kind != "f":
        dtype = _dtypes.int64
    return t if dtype is None else t.to(dtype)


def _truth(t: TensorBase, found: Any) -> Any:
    """Return `found` as bool, or as uint8 for bytes: PyTorch had those before it had bools."""
    return found.to(_dtypes.uint8) if t._array.dtype == _dtypes.uint8.numpy else found


def _norm(t: Any, p: float, dim: Dims, keepdim: bool) -> Any:
    axes = _axes("norm", dim, t)
    if p == 2:
        return r.length(t, axes=axes, keepdim=keepdim)
    if p == 0:
        return t.ne(0).sum(axes, keepdim).to(t.dtype)
    if math.isinf(p):
        return t.abs().amax(axes, keepdim) if p > 0 else t.abs().amin(axes, keepdim)
    return t.abs().pow(p).sum(axes, keepdim).pow(1 / p)


def _floating(t: Any, dtype: _dtypes.dtype | None, name: str) -> Any:
    t = t if dtype is None else t.to(dtype)
    if not t.dtype.is_floating_point:
        kind = t.dtype.legacy.removesuffix("Tensor")
        raise NotImplementedError(f"\"{name}_lastdim_kernel_impl\" not implemented for '{kind}'")
    return t
