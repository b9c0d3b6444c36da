"""The p-norm of vectors, and the distances that it measures."""

import math

from .._engine import added_up, op, wide
from .elementwise import sign


def _length(xp, x, p: float, axes, keepdim: bool = False):
    """Return the p-norm of `x` over `axes`."""
    if x.dtype.itemsize == 2:  # float16 holds too few digits to add up in
        return xp.asarray(_length(xp, x.astype("f4"), p, axes, keepdim)).astype(x.dtype)
    if p and _is_alone(x, axes):
        return xp.abs(x).max(axes, keepdims=keepdim)
    if p == 2:
        if not keepdim and _is_whole(x, axes):
            flat = x.reshape(-1)
            return xp.sqrt(xp.dot(flat, flat))
        return xp.sqrt(added_up(x * x, axes, keepdim))
    if p == 0:
        return (x != 0).sum(axes, keepdims=keepdim).astype(x.dtype)
    size = xp.abs(x)
    if math.isinf(p):
        fold = (size.max if p > 0 else size.min) if x.size else size.sum
        return fold(axes, keepdims=keepdim)
    if p == 1:
        return added_up(size, axes, keepdim)
    return added_up(size**p, axes, keepdim) ** (1 / p)


def _is_alone(x, axes) -> bool:
    """Return whether `axes` hold one element each: its power might overflow or vanish."""
    lengths = [x.shape[a] for a in (axes if isinstance(axes, tuple) else (axes,))]
    return lengths == [1] * len(lengths)


def _is_whole(x, axes) -> bool:
    """Return whether `axes` are all of `x`, and it is one piece of memory, which the dot product is made for."""
    return isinstance(axes, tuple) and len(axes) == x.ndim and x.flags.c_contiguous


def _slope(xp, x, y, p: float):
    """Return the derivative of the p-norm of `x`, which is `y`, by `x`; it is 0 where `y` is 0."""
    if p == 0:
        return xp.zeros_like(x)
    if p == 1:
        return xp.sign(x)
    if math.isinf(p):
        return xp.where(xp.abs(x) == y, xp.sign(x), 0)
    safe = xp.where(y == 0, 1, y)
    if p == 2:
        return (wide(x) * xp.where(y == 0, 0, 1 / wide(safe))).astype(x.dtype, copy=False)
    away = xp.where(x == 0, 1, xp.abs(x))
    ratio = away ** (p - 1) / safe ** (p - 1)
    return xp.where((x == 0) | (y == 0), 0, xp.sign(x) * ratio)


def _spread(g, axes, keepdim: bool):
    """Give what was reduced over `axes` (in rising order) its lost axes back, with length 1."""
    shape = list(g.shape)
    for axis in () if keepdim else axes:
        shape.insert(axis, 1)
    return g.reshape(shape)


@op(name="LinalgVectorNormBackward0")
def vector_norm(xp, x, *, p: float, axes, keepdim=False):
    """``(sum |x|^p)^(1/p)``; the largest size for an infinite p, the count of nonzeros for p = 0."""
    y = xp.asarray(_length(xp, x, p, axes, keepdim))

    def vjp(g):
        if p == 0:
            return xp.zeros_like(x)
        g, whole = _spread(g, axes, keepdim), _spread(y, axes, keepdim)
        if p == 1:
            return g * sign.inside(xp, x)
        if math.isinf(p):  # elements that tie share the gradient
            tied = (xp.abs(x) == whole) | (x != x)
            share = xp.where(tied, 1, 0).astype(x.dtype) / tied.sum(axes, keepdims=True)
            return g * share * sign.inside(xp, x)
        return g * _slope(xp, x, whole, p)

    return y, vjp


@op
def cdist(xp, a, b, *, p: float):
    """The p-norm of each row of a (..., P, M) less each row of b (..., R, M)."""
    y = _length(xp, a[..., :, None, :] - b[..., None, :, :], p, -1)

    def each(g):
        d = a[..., :, None, :] - b[..., None, :, :]
        return g[..., None] * _slope(xp, d, y[..., None], p)

    return y, lambda g: added_up(each(g), -2), lambda g: -added_up(each(g), -3)


@op
def pdist(xp, x, *, p: float):
    """The p-norm of each row of x (N, M) less each later row."""
    first, second = map(xp.asarray, xp.triu_indices(len(x), 1))
    y = _length(xp, x[first] - x[second], p, -1)

    def vjp(g):
        each = g[:, None] * _slope(xp, x[first] - x[second], y[:, None], p)
        d = xp.zeros(x.shape, g.dtype)
        xp.add.at(d, first, each)
        xp.add.at(d, second, -each)
        return d

    return y, vjp


@op
def power_norm(xp, x, *, p: float, axes, keepdim: bool):
    """The p-th root of the sum of absolute values to the power p; at 0 no gradient goes on.

    Where p is 0 it counts the elements that are not 0.
    """
    if p == 0:
        return (x != 0).sum(axes, keepdims=keepdim).astype(x.dtype), lambda g: xp.zeros_like(x)
    shape = [1 if a in axes else n for a, n in enumerate(x.shape)]
    if _is_alone(x, axes):
        y = xp.abs(x).max(axes, keepdims=keepdim)
    else:
        y = added_up(xp.abs(wide(x)) ** p, axes, keepdim) ** (1 / p)
    y = xp.asarray(y).astype(x.dtype, copy=False)

    def vjp(g):
        norm = y.reshape(shape)
        safe = xp.where(norm == 0, 1, norm)
        size = xp.where(x == 0, 1, xp.abs(x)) if p < 2 else xp.abs(x)
        d = xp.sign(x) * size ** (p - 1) * (g.reshape(shape) / safe ** (p - 1))
        return xp.where(norm == 0, 0, d)

    return y, vjp
