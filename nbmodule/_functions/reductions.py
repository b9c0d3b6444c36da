"""Functions that fold dimensions away, run along them, or describe a sample."""

from __future__ import annotations

from typing import Any

from .. import _dtypes
from .._engine import renamed
from .._engine.signature import shown_as
from .._methods.common import axes_for
from .._ops import reduce as r
from .._tensor import Tensor
from ._out import EXPECTED
from ._wrap import function

sum = function(Tensor.sum)
mean = function(Tensor.mean)
prod = function(Tensor.prod)
nansum = function(Tensor.nansum)
nanmean = function(Tensor.nanmean)
var = function(Tensor.var)
std = function(Tensor.std)
logsumexp = function(Tensor.logsumexp)
softmax = function(Tensor.softmax, exact=EXPECTED)
log_softmax = function(Tensor.log_softmax, exact=EXPECTED)
norm = shown_as("input, p='fro', dim=None, keepdim=False, dtype=None, *, out=None")(
    function(Tensor.norm)
)
dist = function(Tensor.dist)
renorm = function(Tensor.renorm)
count_nonzero = function(Tensor.count_nonzero)

amax = function(Tensor.amax)
amin = function(Tensor.amin)
aminmax = function(Tensor.aminmax)
max = function(Tensor.max)
min = function(Tensor.min)
argmax = function(Tensor.argmax)
argmin = function(Tensor.argmin)
all = function(Tensor.all)
any = function(Tensor.any)

median = function(Tensor.median)
nanmedian = function(Tensor.nanmedian)
quantile = function(Tensor.quantile)
nanquantile = function(Tensor.nanquantile)
mode = function(Tensor.mode)
kthvalue = function(Tensor.kthvalue)
cov = function(Tensor.cov)
corrcoef = function(Tensor.corrcoef)
histc = function(Tensor.histc)
histogram = function(Tensor.histogram)
bincount = function(Tensor.bincount)

cumsum = function(Tensor.cumsum)
cumprod = function(Tensor.cumprod)
cummax = function(Tensor.cummax)
cummin = function(Tensor.cummin)
logcumsumexp = function(Tensor.logcumsumexp)
diff = function(Tensor.diff)


def std_mean(input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the standard deviation and the mean over `dim`."""
    deviation = std(input, dim, unbiased, keepdim, correction=correction)  # pyright: ignore[reportCallIssue]
    return renamed(deviation, "StdMeanBackward0"), _mean_beside("std_mean", input, dim, keepdim)


def var_mean(input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the variance and the mean over `dim`."""
    variance = var(input, dim, unbiased, keepdim, correction=correction)  # pyright: ignore[reportCallIssue]
    return renamed(variance, "VarMeanBackward0"), _mean_beside("var_mean", input, dim, keepdim)


def _mean_beside(name: str, input: Any, dim: Any, keepdim: bool) -> Tensor:
    axes = axes_for(name, None if isinstance(dim, bool) else dim, input)
    node = name.title().replace("_", "") + "Backward0"
    return renamed(r.mean(input, axes=axes, keepdim=keepdim, exact=True), node)


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """Return the area under the points `y` along `dim`, by the trapezoid rule.

    Args:
        y: the heights.
        x: where they stand; by default `dx` apart.
        dx: the distance of neighbours.
        dim: which dimension.
    """
    if x is None or not y.size(dim):
        area: Any = (y if y.dtype.is_floating_point else y.to(_dtypes.get_default_dtype())).sum(dim)
        if y.size(dim):
            area = area - (y.select(dim, 0) + y.select(dim, -1)) * 0.5
        return renamed(area * dx, "MulBackward1")
    heights, widths = _slices(y, x, dx, dim, "trapezoid")
    return renamed((heights * widths).sum(dim) / 2, "DivBackward1")


trapz = trapezoid


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:  # fmt: skip
    """Return the area under the points `y` up to each of them but the first, along `dim`."""
    heights, widths = _slices(y, x, dx, dim, "cumulative_trapezoid")
    if widths is None:
        return (heights * (dx / 2)).cumsum(dim)
    return renamed((heights * widths).cumsum(dim) / 2, "DivBackward1")


def _slices(y: Any, x: Any, dx: float, dim: int, name: str) -> Any:
    """Return for each two neighbours along `dim` the sum of their heights, and their distance."""
    n = y.size(dim)
    if not y.dtype.is_floating_point:
        y = y.to(_dtypes.get_default_dtype())
    if not n:
        return y, None
    heights = y.narrow(dim, 1, n - 1) + y.narrow(dim, 0, n - 1)
    if x is None:
        return heights, None
    if (x.ndim == 1 and x.shape[0] != n) or (x.ndim > 1 and x.size(dim) != n):
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
    if x.ndim == 1:
        shape = [1] * y.ndim
        shape[dim] = n
        x = x.reshape(shape)
    return heights, x.narrow(dim, 1, n - 1) - x.narrow(dim, 0, n - 1)
