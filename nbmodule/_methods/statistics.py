"""Methods that describe a sample: spread, median, quantiles, covariance, histograms."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _dtypes
from .. import return_types as results
from .._backend import meet
from .._engine import TensorBase, renamed, wrap
from .._errors import invalid_call
from .._ops import ranking
from .._ops import reduce as r
from .._ops.reduce import axis_of
from .common import Dims, axes_for, kind_of, library, nonempty_axes, not_implemented
from .layout import fresh
from .pytorch_errors import pytorch_errors_in_methods
from .sorting import Sorting

if TYPE_CHECKING:
    from .._engine.state import Tensor

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


@pytorch_errors_in_methods
class Statistics(Sorting):
    """Spread, median, quantiles, covariance, histograms."""

    def var(self, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1) -> Tensor:  # fmt: skip
        """Return the variance over `dim`; `correction` is taken off the count of elements.

        Raises:
            RuntimeError: the elements are integers or booleans.
        """
        return _spread("var", self, dim, unbiased, keepdim, correction)

    def std(self, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1) -> Tensor:  # fmt: skip
        """Return the standard deviation over `dim`."""
        return _spread("std", self, dim, unbiased, keepdim, correction)

    def median(self, dim: int | None = None, keepdim: bool = False) -> Any:
        """Return the middle element, the lower of two; with `dim` also where it is. NaN wins."""
        return self._middle("median", dim, keepdim)

    def nanmedian(self, dim: int | None = None, keepdim: bool = False) -> Any:
        """Return the middle element of those that are not NaN, the lower of two; with `dim` where it is."""
        return self._middle("nanmedian", dim, keepdim)

    def _middle(self, name: str, dim: int | None, keepdim: bool) -> Any:
        xp, array = library(self), self._array
        nans = array != array
        if dim is None:
            _refuse_bool(self, "median_cpu")
            ranked = xp.sort(array.reshape(-1))
            if not ranked.size:
                middle = ranking.median(self, value=_nan_of(array.dtype))
                return renamed(middle, f"{name.title()}Backward0")
            count = int(ranked.size - nans.sum()) if name == "nanmedian" else ranked.size
            middle = ranked[max(count - 1, 0) // 2]
            if name == "median" and nans.any():
                middle = ranked[-1]
            return renamed(ranking.median(self, value=middle), f"{name.title()}Backward0")
        (axis,) = nonempty_axes("median", axis_of(dim, array.ndim), self) or (0,)
        _refuse_bool(self, "median_out")
        if not array.ndim:
            return self._alone(name, f"{name.title()}Backward1")
        n = array.shape[axis]
        missing = nans.sum(axis, keepdims=True)
        if name == "median":
            place = xp.where(missing > 0, n - missing, (n - 1) // 2)
        else:
            place = xp.maximum(n - missing - 1, 0) // 2
        return self._one_in_order(name, axis, place, keepdim)

    def quantile(self, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:  # fmt: skip
        """Return the elements at the fractions `q` of the order along `dim`.

        Args:
            q: a number, or a vector, in [0, 1]; a vector gives the result a new first dimension.
            dim: which dimension; None takes all elements.
            keepdim: keep `dim`, with length 1.
            interpolation: between neighbours: "linear", "lower", "higher", "midpoint" or "nearest".

        Raises:
            RuntimeError: an argument or its dtype is wrong, or there are no elements.
        """
        return self._quantile(q, dim, keepdim, interpolation, False)

    def nanquantile(self, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:  # fmt: skip
        """Return what `quantile` does, of the elements that are not NaN."""
        return self._quantile(q, dim, keepdim, interpolation, True)

    def _quantile(self, q: Any, dim: Any, keepdim: bool, interpolation: str, skip: bool) -> Any:
        xp, t = library(self), self
        fractions = _checked_fractions(t, q, interpolation)
        flat: Any = t.reshape(-1) if dim is None else t  # type: ignore[attr-defined]
        axis = axis_of(0 if dim is None else dim, flat._array.ndim)
        if not flat._array.ndim:
            flat, axis = flat.reshape(1), 0
        ranked = flat.sort(axis).values.movedim(axis, -1)
        nans = ranked._array != ranked._array
        n = ranked._array.shape[-1]
        missing = nans.sum(-1, keepdims=True)
        last = xp.maximum(n - missing - 1, 0) if skip else xp.full(missing.shape, n - 1)
        last = wrap(last.astype(ranked._array.dtype))
        rank = fractions.reshape(-1) * last
        if not skip:
            rank = rank.where(wrap(missing == 0), last)
        out = _between(xp, ranked, rank, interpolation)
        if dim is None and keepdim:
            out = out.reshape((1,) * t._array.ndim + (-1,))
        elif dim is not None and keepdim and t._array.ndim:
            out = out.unsqueeze(axis)
        out = out.movedim(-1, 0)
        return renamed(fresh(out if fractions._array.ndim else out.squeeze(0)), "SqueezeBackward4")

    def cov(self, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:  # fmt: skip
        """Return the covariances of the rows of `self`, each the samples of one variable.

        Args:
            correction: is taken off the count of samples.
            fweights: how often each sample was seen.
            aweights: how much each sample counts.
        """
        t: Any = self
        if t._array.ndim > 2:
            raise RuntimeError(
                "cov(): expected input to have two or fewer dimensions but got an input with "
                f"{t._array.ndim} dimensions"
            )
        if t._array.dtype.kind == "b":
            raise RuntimeError("cov(): bool dtype is not supported for input")
        rows = t if t._array.ndim == 2 else t.reshape(1, -1)
        if rows._array.dtype.kind != "f":
            rows = rows.to(_dtypes.get_default_dtype())
        n = rows._array.shape[1]
        weights = _weights(fweights, aweights, rows)
        total: Any = n if weights is None else weights.sum()
        mean = (rows if weights is None else rows * weights).sum(1, True) / total
        if weights is None:
            left = n - correction
        elif aweights is None or not correction:
            left = total - correction
        else:
            left = total - correction * (weights * aweights).sum() / total
        left: Any = left.clamp(min=0) if isinstance(left, TensorBase) else max(left, 0)  # type: ignore[attr-defined]
        centred = rows - mean
        scaled = centred if weights is None else centred * weights
        out = centred.matmul(scaled.t()) / left
        return out.squeeze()

    def corrcoef(self) -> Tensor:
        """Return the correlations of the rows of `self`, each the samples of one variable."""
        if self._array.ndim > 2:
            raise RuntimeError(
                "corrcoef(): expected input to have two or fewer dimensions but got an input with "
                f"{self._array.ndim} dimensions"
            )
        c: Any = self.cov()
        if not c._array.ndim:
            return c / c
        spread = c.diagonal().sqrt()
        out = c / spread.unsqueeze(1) / spread.unsqueeze(0)
        return out.clamp(-1, 1)

    def histc(self, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
        """Return how many elements lie in each of `bins` equal intervals from `min` to `max`.

        Where both are equal, the interval is that of the elements.
        """
        return _histogram(self, bins, (float(min), float(max)), "torch.histc")[0]

    def histogram(self, bins: Any = 100, *, range: Sequence[float] | None = None, weight: Tensor | None = None, density: bool = False) -> Any:  # fmt: skip
        """Return ``(hist, bin_edges)``: how many elements lie in each bin.

        Args:
            bins: how many, or a vector with their edges.
            range: the lowest and the highest edge; by default those of the elements.
            weight: what each element counts.
            density: divide so that the bins enclose an area of 1.
        """
        if isinstance(bins, TensorBase):
            found = _histogram(self, bins, None, "torch.histogram", weight, density)
        else:
            span = (0.0, 0.0) if range is None else (float(range[0]), float(range[1]))
            found = _histogram(self, bins, span, "torch.histogram", weight, density)
        return results.histogram(found)


def _spread(name: str, t: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if t._array.dtype.kind != "f":
        raise RuntimeError("std and var only support floating point and complex dtypes")
    if unbiased is not None:
        correction = int(unbiased)
    correction = 1 if correction is None else correction
    axes = axes_for(name, dim, t)
    count = 1
    for a in axes:
        count *= t._array.shape[a]
    if count - correction <= 0:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
            "factor (input numel divided by output numel).",
            stacklevel=4,
        )
    if not count:
        return renamed(r.sum(t, axes=axes, keepdim=keepdim) * math.nan, f"{name.title()}Backward0")
    return getattr(r, name)(t, axes=axes, correction=correction, keepdim=keepdim)


def _refuse_bool(t: TensorBase, kernel: str) -> None:
    if t._array.dtype.kind == "b" and t._array.size:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def _nan_of(kind: Any) -> Any:
    """Return the median of nothing: NaN, and what a conversion of NaN makes of it in C++."""
    if kind.kind == "f":
        return float("nan")
    if kind.kind == "b":
        return True
    return -(1 << 8 * kind.itemsize - 1) if kind.kind == "i" and kind.itemsize > 2 else 0


def _checked_fractions(t: Any, q: Any, interpolation: str) -> Any:
    """Return `q` as a tensor in the dtype of `t`."""
    if not t._array.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if t._array.dtype not in ("f4", "f8"):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if not isinstance(q, TensorBase):
        if not isinstance(q, (int, float)):
            raise invalid_call("quantile", (t, q), {})
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
    elif q._array.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    elif q._array.dtype != t._array.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
            + interpolation
        )
    found: Any = q if isinstance(q, TensorBase) else wrap(library(t).full((), q, t._array.dtype))
    meet(t._array, found._array)
    if ((found._array < 0) | (found._array > 1)).any():
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    return found


def _between(xp: Any, ranked: Any, rank: Any, interpolation: str) -> Any:
    """Return what lies at the places `rank`, which need not be whole, of the last dimension."""
    axis, place = ranked._array.ndim - 1, rank._array
    if interpolation == "nearest":
        place = xp.round(place)
    below = xp.floor(place)
    above = xp.ceil(place)
    if interpolation == "lower":
        above = below
    elif interpolation == "higher":
        below = above
    low, high = (ranked.gather(axis, wrap(p.astype("i8"))) for p in (below, above))
    if interpolation in ("lower", "higher", "nearest"):
        return low
    weight = wrap(xp.full_like(place, 0.5)) if interpolation == "midpoint" else rank - wrap(below)
    lerped = low + weight * (high - low)
    late = high - (high - low) * (1 - weight)
    return renamed(late.where(weight >= 0.5, lerped), "LerpBackward0")


def _weights(fweights: Any, aweights: Any, rows: Any) -> Any:
    """Return the product of both kinds of weights, checked as PyTorch does, or None."""
    n = rows._array.shape[1]
    for name, w in (("fweights", fweights), ("aweights", aweights)):
        if w is None:
            continue
        if w._array.ndim > 1:
            raise RuntimeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                f"{w._array.ndim} dimensions"
            )
        if name == "fweights" and w._array.dtype.kind not in "iu":
            raise RuntimeError(
                f"cov(): expected fweights to have integral dtype but got fweights with {kind_of(w)} dtype"
            )
        if name == "aweights" and w._array.dtype.kind != "f":
            raise RuntimeError(
                "cov(): expected aweights to have floating point dtype but got aweights with "
                f"{kind_of(w)} dtype"
            )
        if w._array.size != n:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input but "
                f"got {w._array.size} != {n}"
            )
        if w._array.size and w._array.min() < 0:
            raise RuntimeError(f"cov(): {name} cannot be negative")
    if fweights is None or aweights is None:
        return fweights if aweights is None else aweights
    return fweights * aweights


def _histogram(t: Any, bins: Any, span: Any, name: str, weight: Any = None, density: bool = False) -> Any:  # fmt: skip
    """Return the counts of the elements of `t` in `bins`, and the edges, as tensors."""
    xp, kind = library(t), t._array.dtype
    values = t._array.reshape(-1)
    if span is None:
        edges = bins._array
    else:
        if bins <= 0:
            raise RuntimeError(
                f"nbmodule.histogram(): bins must be > 0, but got {bins} for dimension 0"
            )
        low, high = span
        if low > high:
            raise RuntimeError(f"{name.replace('torch', 'nbmodule')}: max must be larger than min")
        if kind.kind != "f":
            raise not_implemented("histogram_cpu", t)
        if low == high and values.size:
            low, high = float(values.min()), float(values.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            of = "histogramdd: dimension 0's" if name == "torch.histogram" else "histc:"
            between = f"range {'of ' if of == 'histc:' else ''}[{low:g}, {high:g}]"
            raise RuntimeError(f"nbmodule.{of} {between} is not finite")
        if low == high:
            low, high = (
                low - (0.5 if name == "torch.histogram" else 1),
                high + (0.5 if name == "torch.histogram" else 1),
            )
        edges = xp.linspace(low, high, bins + 1).astype(kind)
    n = len(edges) - 1
    inside = (values >= edges[0]) & (values <= edges[-1])
    place = xp.minimum(xp.searchsorted(edges, values[inside], side="right") - 1, n - 1)
    counts = xp.zeros((n,), kind)
    xp.add.at(counts, place, 1 if weight is None else weight._array.reshape(-1)[inside])
    if density:
        counts = counts / (counts.sum() * (edges[1:] - edges[:-1]))
    return wrap(counts), wrap(edges)
