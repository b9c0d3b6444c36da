"""Reductions along axes: sums, means, variances, extremes; and softmax, which is made of them.

Each keeps the axes that it was given, because the gradient has to be spread over them again: `_spread`.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import inf, nan
from operator import index

from .._backend import at_hand, namespace_of
from .._engine import added_up, kept, op, wide
from .._meta import MetaArray

Axes = tuple[int, ...]


def axis_of(dim: int, ndim: int) -> int:
    """Return `dim` counted from the front.

    Raises:
        IndexError: there is no such dimension.
        TypeError: `dim` is a bool.
    """
    if dim is True or dim is False:
        raise TypeError("argument 'dim' must be int, not bool")
    room = ndim or 1
    if not -room <= dim < room:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-room}, {room - 1}], but got {dim})"
        )
    return dim % room


def axes_of(dim: int | Sequence[int] | None, ndim: int) -> Axes:
    """Return the axes that `dim` names, counted from the front; all of them for None and ()."""
    if dim is None:
        return tuple(range(ndim))
    if type(dim) is int:
        axis = axis_of(dim, ndim)
        return (axis,) if ndim else ()
    try:
        dims = tuple(dim)  # type: ignore[arg-type]
    except TypeError:
        dims = (dim if isinstance(dim, bool) else index(dim),)  # type: ignore[arg-type]
    axes = tuple(axis_of(d, ndim) for d in dims or range(ndim))
    for a in axes:
        if axes.count(a) > 1:
            raise RuntimeError(f"dim {a} appears multiple times in the list of dims")
    return axes if ndim else ()


def _in_rows(y):
    """Return `y` in row-major order, as PyTorch's results are; NumPy's follow the order of the argument."""
    return y if y.flags.c_contiguous else y.copy("C")


def _spread(g, axes: Axes, keepdim: bool):
    """Give a gradient the axes back that the reduction took away, with length 1; the rest is broadcasting."""
    if keepdim:
        return g
    shape = list(g.shape)
    for a in sorted(axes):
        shape.insert(a, 1)
    return g.reshape(shape)


@op
def sum(xp, x, *, axes: Axes, keepdim=False, dtype=None):
    shape = x.shape
    return (
        _in_rows(xp.asarray(added_up(x, axes, keepdim, dtype))),
        lambda g: xp.broadcast_to(_spread(g, axes, keepdim), shape),
    )


@op
def mean(xp, x, *, axes: Axes, keepdim=False, exact=False):
    """The mean; `exact` computes it in float64, as PyTorch does where it returns a variance with it."""
    shape, n = x.shape, _count(x.shape, axes)
    digits = "f8" if exact else "f4" if x.dtype.itemsize == 2 else None  # the sum may be no float16
    total = _in_rows(xp.asarray(added_up(x, axes, keepdim, digits)))
    y = total / n if n else total * float("nan")
    return (
        y.astype(x.dtype) if digits else y,
        lambda g: xp.broadcast_to(wide(_spread(g, axes, keepdim)) / n, shape),
    )


def _count(shape, axes: Axes) -> int:
    n = 1
    for a in axes:
        n *= shape[a]
    return n


def _freedom(shape, axes: Axes, correction: float) -> float:
    """Return the divisor of the sum of squares. For 0 the variance is infinite, or NaN where nothing varies."""
    return max(_count(shape, axes) - correction, 0)


FEW = 1 << 12
"""Up to this many elements, a variance is computed in float64, which then takes no longer."""


def _spread_of(xp, x, axes: Axes, correction: float, keepdim: bool):
    """Return the variance: the mean of the squared distances from the mean. No square overflows or underflows."""
    n = _freedom(x.shape, axes, correction)
    seen, y = wide(x), None
    if x.size > FEW and seen.dtype.char == "f" and at_hand(x):
        y = _squares(xp, seen, axes, keepdim)
    if y is None:
        around = x - added_up(x, axes, True, "f8") / _count(x.shape, axes)
        around *= around
        y = added_up(around, axes, keepdim)
    return y / n if n else xp.where(y > 0, inf, nan)


TINY, HUGE = 1e-30, 1e38


def _squares(xp, x, axes: Axes, keepdim: bool):
    """Return the sum of the squared distances from the mean, or None where they need the range of float64.

    The mean is rounded, so the distances do not sum to 0. Their sum says by how much it is off, and corrects the squares.
    """
    n = _count(x.shape, axes)
    in_rows = WIDE < x.shape[-1] <= PIECE and x.ndim - 1 in axes
    total = _row_by_row if in_rows else added_up
    around = x - total(x, axes, True) / n
    rest = xp.asarray(total(around, axes, keepdim), "f8")
    if in_rows:
        y = added_up(xp.vecdot(around, around)[..., None], axes, keepdim)
    else:
        around *= around
        y = added_up(around, axes, keepdim)
    if not (y.max() < HUGE and y.min() > TINY * n):  # a comparison with NaN fails too
        return None
    return y - rest * rest / n


def _row_by_row(x, axes: Axes, keepdim: bool):
    """Return the sums over `axes`, one of which is the last: a product with ones there, in a third of the time."""
    n = x.shape[-1]
    rows = x.reshape(-1, n) @ namespace_of[type(x)].ones(n, x.dtype)
    return added_up(rows.reshape(*x.shape[:-1], 1), axes, keepdim)


def _around_mean(xp, x, axes: Axes):
    """Return the distances of `x` from its mean, of float16 in float32. A second pass removes the mean's rounding error."""
    x, n = wide(x), _count(x.shape, axes)
    around = x - added_up(x, axes, True) / n
    rest = added_up(around, axes, True) / n
    return around - xp.where(rest == rest, rest, 0)  # infinite distances have NaN as their mean


@op
def var(xp, x, *, axes: Axes, correction: float = 1, keepdim=False):
    n = _freedom(x.shape, axes, correction)

    def vjp(g):
        around = _around_mean(xp, x, axes)
        if not n:
            return _spread(g, axes, keepdim) * xp.where(around == 0, nan, inf).astype(x.dtype)
        return _spread(g, axes, keepdim) * around * (2 / n)

    return xp.asarray(_spread_of(xp, x, axes, correction, keepdim), x.dtype), vjp


@op
def std(xp, x, *, axes: Axes, correction: float = 1, keepdim=False):
    """The square root of the variance; where that is 0, so is the gradient."""
    n = _freedom(x.shape, axes, correction)
    y = xp.asarray(xp.sqrt(_spread_of(xp, x, axes, correction, keepdim)), x.dtype)

    def vjp(g):
        whole = wide(_spread(y, axes, keepdim))
        slope = xp.where(whole == 0, 0, _spread(g, axes, keepdim) / whole)
        return slope * _around_mean(xp, x, axes) * (1 / n if n else nan)

    return y, vjp


@op
def length(xp, x, *, axes: Axes, keepdim=False):
    """The root of the sum of squares; where that is 0, so is the gradient."""
    seen = wide(x)  # float16 holds too few digits to add up in, and no large squares
    y = xp.asarray(xp.sqrt(added_up(seen * seen, axes, keepdim)), x.dtype)
    if y.size == x.size:  # one element each, whose square may have overflowed
        y = xp.abs(x).reshape(y.shape)

    def vjp(g):
        whole = _spread(y, axes, keepdim)
        slope = wide(_spread(g, axes, keepdim)) / whole
        return xp.where(whole == 0, 0, wide(x) * slope).astype(x.dtype, copy=False)

    return y, vjp


@op
def amax(xp, x, *, axes: Axes, keepdim=False, nan_too=False):
    """The largest; elements that tie share the gradient equally, and NaNs do so in PyTorch's ``max()`` alone."""
    return _extreme(xp, x, _in_rows(x.max(axes, keepdims=keepdim)), axes, keepdim, nan_too)


@op
def amin(xp, x, *, axes: Axes, keepdim=False, nan_too=False):
    """The smallest; elements that tie share the gradient equally, and NaNs do so in PyTorch's ``min()`` alone."""
    return _extreme(xp, x, _in_rows(x.min(axes, keepdims=keepdim)), axes, keepdim, nan_too)


def _extreme(xp, x, y, axes: Axes, keepdim: bool, nan_too: bool):
    def vjp(g):
        whole = _spread(y, axes, keepdim)
        chosen = x == whole
        if nan_too:
            chosen |= (x != x) & (whole != whole)
        shared = _spread(g, axes, keepdim) / chosen.sum(axes, keepdims=True)
        if nan_too:
            return kept(xp, xp.broadcast_to(shared, chosen.shape), chosen)
        return chosen * shared

    return y, vjp


@op
def argmax(xp, x, *, axis: int | None, keepdim=False):
    return x.argmax(axis, keepdims=keepdim), None


@op
def argmin(xp, x, *, axis: int | None, keepdim=False):
    return x.argmin(axis, keepdims=keepdim), None


@op
def all(xp, x, *, axes: Axes, keepdim=False):
    return _in_rows(x.all(axes, keepdims=keepdim)), None


@op
def any(xp, x, *, axes: Axes, keepdim=False):
    return _in_rows(x.any(axes, keepdims=keepdim)), None


@op
def prod(xp, x, *, axes: Axes, keepdim=False):
    seen = wide(x)
    y = xp.multiply.reduce(seen, axes, seen.dtype, keepdims=keepdim)
    y = _in_rows(xp.asarray(y, x.dtype if x.dtype.kind == "f" else None))

    def vjp(g):
        whole = _spread(g, axes, keepdim)
        if (x != 0).all():  # the product of the others is the whole, divided by this one
            return whole * _spread(y, axes, keepdim) / x
        return whole * _product_of_others(xp, x, axes)

    return y, vjp


def _product_of_others(xp, x, axes: Axes):
    """Return for each element the product of all others along `axes`, without a division: there may be zeros."""
    kept = [a for a in range(x.ndim) if a not in axes]
    order = (*kept, *axes)
    moved = x.transpose(order)
    rows = moved.reshape((*moved.shape[: len(kept)], -1))
    n = rows.shape[-1]
    own = xp.eye(n, dtype=bool)
    table = xp.where(own, 1, xp.broadcast_to(rows[..., None, :], (*rows.shape[:-1], n, n)))
    others = table.prod(len(kept) + 1).reshape(moved.shape)
    return others.transpose([order.index(a) for a in range(x.ndim)])


@op
def logsumexp(xp, x, *, axes: Axes, keepdim=False):
    """The log of the sum of exponentials, shifted by the maximum so that it cannot overflow."""
    seen = wide(x)
    top = seen.max(axes, keepdims=True)
    top = xp.where(xp.isfinite(top), top, 0)  # inf - inf would be NaN
    y = xp.log(added_up(xp.exp(seen - top), axes, True)) + top
    y = y.astype(x.dtype, copy=False)
    out = y if keepdim else y.reshape([n for a, n in enumerate(x.shape) if a not in axes])
    return out, lambda g: _spread(g, axes, keepdim) * xp.exp(x - _spread(out, axes, keepdim))


NEAR = 16
"""If all numbers are closer together than this, every row may subtract the same maximum: no exponential underflows."""

MANY = 8192
"""From this many numbers on, it pays to ask whether they are."""

PIECE = 4096
"""Rows of up to this many numbers are summed as a product with ones: BLAS does it fast, and rounds little enough."""


def _top(x, axis: int):
    """Return the maximum along `axis`; an empty axis has none, and needs none."""
    return x.max(axis, keepdims=True) if x.shape[axis] else 0


def _shared_top(xp, x, axis: int):
    """Return what to subtract: the maximum of all numbers where that is safe, since NumPy computes it much faster.

    Softmax is the same whatever is subtracted from a whole row; it only has to prevent overflow.
    """
    if x.size >= MANY and xp.__name__ == "numpy" and not isinstance(x, MetaArray):
        top = x.max()
        if top - x.min() < NEAR:
            return top
    return _top(x, axis)


def _sums(xp, y, axis: int):
    """Return the sums along `axis`, which stays with length 1."""
    n = y.shape[axis]
    if axis % y.ndim < y.ndim - 1 or not 0 < n <= PIECE:
        return added_up(y, axis, True)
    return (y.reshape(-1, n) @ xp.ones(n, y.dtype)).reshape(*y.shape[:-1], 1)


@op
def softmax(xp, x, *, axis: int):
    """Exponentials, divided by their sum."""
    seen = wide(x)
    y = _in_rows(seen - _shared_top(xp, seen, axis))
    xp.exp(y, out=y)
    y /= _sums(xp, y, axis)
    y = y.astype(x.dtype, copy=False)
    return y, lambda g: softmax_slope.inside(xp, g, y, axis=axis)


@op(name="SoftmaxBackwardDataBackward0")
def softmax_slope(xp, g, y, *, axis: int):
    """What softmax passes on, from its result `y`: ``y * (g - sum(g * y))``."""
    g, seen = wide(g), wide(y)
    d = g - _sums(xp, g * seen, axis)
    d *= seen

    def again(h):
        return softmax_slope.inside(xp, h, y, axis=axis)

    def to_result(h):
        return h * (g - (g * y).sum(axis, keepdims=True)) - g * (h * y).sum(axis, keepdims=True)

    return d, again, to_result


@op
def log_softmax(xp, x, *, axis: int):
    """The logarithm of softmax: `x` minus the logarithm of the sum of its exponentials."""
    seen = wide(x)
    y = _in_rows(seen - _top(seen, axis))
    y -= xp.log(_sums(xp, xp.exp(y), axis))
    y = y.astype(x.dtype, copy=False)
    return y, lambda g: log_softmax_slope.inside(xp, g, y, axis=axis)


@op(name="LogSoftmaxBackwardDataBackward0")
def log_softmax_slope(xp, g, y, *, axis: int):
    """What log_softmax passes on, from its result `y`: ``g - exp(y) * sum(g)``."""
    share = xp.exp(wide(y))
    share *= _sums(xp, wide(g), axis)

    def again(h):
        return h - (h * xp.exp(y)).sum(axis, keepdims=True)

    def to_result(h):
        return -h * xp.exp(y) * g.sum(axis, keepdims=True)

    return g - share, again, to_result


@op
def cumsum(xp, x, *, axis: int):
    y = _in_rows(running(xp, x, "cumsum", axis))
    return y, lambda g: xp.flip(cumsum.inside(xp, xp.flip(g, axis), axis=axis), axis)


def running(xp, x, name: str, axis: int):
    """Return the running sums (or products) along `axis`, computed in float64 as in PyTorch: errors would pile up."""
    if x.dtype.kind != "f":
        return getattr(x, name)(axis, dtype=x.dtype)
    y = x.astype("f8")
    if y.size > WIDE and at_hand(y) and y.strides[axis] > WIDE * y.itemsize:
        _downwards(xp, y, xp.add if name == "cumsum" else xp.multiply, axis)
        return y.astype(x.dtype, copy=False)
    return getattr(y, name)(axis).astype(x.dtype, copy=False)


WIDE = 64
"""If rows have more numbers than this, whole rows are added: NumPy goes down each column, with a cache miss at each step."""


def _downwards(xp, y, step, axis: int) -> None:
    """Add to each row along `axis` (or multiply it by) what the row before it has become."""
    rows = xp.moveaxis(y, axis, 0)
    for before, row in pairwise(rows):
        step(row, before, out=row)
