"""Channels brought to mean 0 and variance 1: what batch and group normalisation compute.

An array (N, C, K) holds a plane of K elements for each channel of each sample. The sums of the planes say all
that is to be known; what is done to a plane then is the same for all its elements::

    y = x * a + c,    dx = dy * a + x * k2 + k3

Batch normalisation adds up the sums over the samples, group normalisation over the channels of a group. With
``r = 1 / sqrt(var + eps)``, and `mean` over all elements that share a mean::

    a = r * weight,    c = bias - mean * a
    k2 = -r**2 * mean(dy * weight * z),    k3 = -r * mean(dy * weight) - mean * k2    where z = (x - mean) * r
"""

from typing import Any, NamedTuple

from .._backend import at_hand
from .._engine import wide
from .normalization_sums import (
    column_sums,
    in_blocks,
    over_last,
    row_products,
    row_sums,
    sum_of_blocks,
    taken_apart,
)

LARGE = 8
"""A mean of so many variances, squared, costs too many digits of ``mean(x**2) - mean(x)**2``."""

NARROW = 16
"""Planes of fewer elements are not worth a loop of their own."""

FLAT = 131072
"""Samples up to this size are multiplied by coefficients that are laid out element by element."""


class Layout(NamedTuple):
    """How an input (N, C, ...) is seen: `samples`, `channels`, and `size` elements in each plane.

    `groups` of channels share a mean within a sample; None: a channel shares it with all samples.
    """

    samples: int
    channels: int
    size: int
    groups: int | None = None

    @property
    def per_mean(self) -> int:
        """How many elements share a mean."""
        if self.groups is None:
            return self.samples * self.size
        return self.channels // self.groups * self.size


class Moments(NamedTuple):
    """The means and variances, float64, (1, C) or for groups (N, G).

    `shift` has that shape too, or is None: what is taken away from the input first, where the means are so large
    that float32 would lose digits.
    """

    mean: Any
    var: Any
    shift: Any = None


def _planes(x, at: Layout):
    return wide(x).reshape(at.samples * at.channels, at.size)


def _each_channel(xp, shared, at: Layout):
    """Return what groups share, for each channel: (1, C) or (N, C)."""
    return shared if at.groups is None else xp.repeat(shared, at.channels // at.groups, 1)


def _folded(xp, sums, at: Layout):
    """Add up the sums of planes, (1 or N, C), over all that share a mean: (1, C) or (N, G)."""
    if at.groups is None:
        return sums if len(sums) == 1 else column_sums(xp, sums)[None]
    return over_last(xp, sums.reshape(at.samples, at.groups, at.channels // at.groups))


def _shifted(xp, x, shift, at: Layout):
    """Return the planes of `x`, without what is to be taken away."""
    planes = _planes(x, at)
    if shift is None:
        return planes
    return planes - _column(xp, _each_channel(xp, shift, at), at).astype(planes.dtype)


def _column(xp, coefficients, at: Layout):
    """Return coefficients (1 or N, C) as one for each plane, (N * C, 1)."""
    return xp.broadcast_to(coefficients, (at.samples, at.channels)).reshape(-1, 1)


def _sums(xp, a, b, at: Layout):
    """Return the sums of planes `a`, and of the products with planes `b`, over what may be added up at once.

    Both (N, C); or (1, C), added up over the samples, where that is quicker.
    """
    if at.size >= NARROW:
        found = xp.empty((2, len(a)))

        def of_planes(rows: slice) -> None:
            found[0, rows] = row_sums(xp, a[rows])
            found[1, rows] = row_products(xp, a[rows], b[rows])

        in_blocks(xp, of_planes, len(a), at.size)
        return found.reshape(2, at.samples, at.channels)
    if at.groups is not None:
        each = (
            a.reshape(at.samples, at.channels, at.size),
            (a * b).reshape(at.samples, at.channels, at.size),
        )
        return [over_last(xp, part.astype("f8")) for part in each]
    a, b = (part.reshape(at.samples, at.channels * at.size) for part in (a, b))

    def of_samples(rows: slice) -> Any:
        return xp.stack((column_sums(xp, a[rows]), column_sums(xp, a[rows] * b[rows])))

    found = sum_of_blocks(xp, of_samples, *a.shape, lambda: xp.zeros((2, a.shape[1])))
    return over_last(xp, found.reshape(2, 1, at.channels, at.size))


def moments(xp, x, at: Layout) -> Moments:
    """Return the means and variances of `x`.

    Sums and squares are enough where the means are small beside the spread. Otherwise the means are taken away
    and the rest is looked at, so that no digits are lost; numbers whose squares overflow are seen in float64.
    """
    planes = _planes(x, at)
    found = _moments(xp, planes, at)
    near = at_hand(x)  # else nobody looks, and the means are always taken away
    if near and planes.dtype.itemsize == 4 and not xp.isfinite(found.var).all():
        found = _moments(xp, planes.astype("f8"), at)
    if not near or (found.mean * found.mean > LARGE * found.var).any():
        shift = found.mean.astype(planes.dtype)
        rest = _moments(xp, _shifted(xp, x, shift, at), at)
        return Moments(rest.mean + shift, rest.var, shift)
    return found


def _moments(xp, planes, at: Layout) -> Moments:
    sums, squares = (_folded(xp, part, at) for part in _sums(xp, planes, planes, at))
    mean = sums / at.per_mean
    return Moments(mean, xp.maximum(squares / at.per_mean - mean * mean, 0))


def _laid_out(xp, at: Layout, dtype, *coefficients):
    """Return the shape in which planes meet the coefficients, each (1 or N, C), and these in their shape."""
    size = at.channels * at.size
    flat = at.size < NARROW or (at.groups is None and at.samples > 3 and size <= FLAT)
    if at.size == 1:
        return (at.samples, size), [c.astype(dtype) for c in coefficients]
    if flat:
        return (at.samples, size), [xp.repeat(c.astype(dtype), at.size, 1) for c in coefficients]
    return (at.samples * at.channels, at.size), [
        _column(xp, c.astype(dtype), at) for c in coefficients
    ]


def _laid_out_like(xp, x, y):
    """Return `y`; with the channels last in memory, if they are so in `x`."""
    if x.flags.c_contiguous or x.ndim < 4 or not xp.moveaxis(x, 1, -1).flags.c_contiguous:
        return y
    laid = xp.empty_like(x)
    laid[...] = y
    return laid


def standardised(
    xp, x, weight, bias, *, at: Layout, known: Moments, eps: float, fixed: bool = False
):
    """Return the normalised input and `backward`. Means that are `fixed` do not depend on the input."""
    shape, dtype = x.shape, x.dtype
    own = "f8" if dtype.itemsize == 8 else "f4"
    r = _each_channel(xp, 1 / xp.sqrt(known.var + eps), at)
    mean = _each_channel(xp, known.mean, at)
    if known.shift is not None:
        mean = mean - _each_channel(xp, known.shift, at)
    a = r if weight is None else r * weight.astype("f8")
    c = -mean * a if bias is None else bias.astype("f8") - mean * a
    seen = _shifted(xp, x, known.shift, at)
    to, (factor, term) = _laid_out(xp, at, own, a, c)
    seen = seen.reshape(to)
    y = xp.empty(seen.shape, own)

    def forward(rows: slice) -> None:
        xp.multiply(seen[rows], taken_apart(factor, rows), out=y[rows])
        y[rows] += taken_apart(term, rows)

    in_blocks(xp, forward, *seen.shape)

    def backward(grads, wanted):
        g, seen = _planes(grads[0], at), _shifted(xp, x, known.shift, at)
        sums: Any = 0
        along: Any = 0
        if wanted[1] or wanted[2] or not fixed:
            sums, products = _sums(xp, g, seen, at)
            along = (products - mean * sums) * r  # of g * z, plane by plane
        w = 1 if weight is None else weight.astype("f8")
        dx = _input_gradient(g, seen, w * sums, w * along) if wanted[0] else None
        dweight = column_sums(xp, along) if wanted[1] else None
        return [dx, dweight, column_sums(xp, sums) if wanted[2] else None]

    def _input_gradient(g, seen, h, hz):
        """Return dx from the sums of ``h = g * weight``, and of ``h * z``."""
        given = [a]
        if not fixed:
            shared = [
                _each_channel(xp, _folded(xp, part, at) / at.per_mean, at) for part in (h, hz)
            ]
            k2 = -r * r * shared[1]
            given += [k2, -r * shared[0] - mean * k2]
        to, (factor, *others) = _laid_out(xp, at, own, *given)
        g, seen = g.reshape(to), seen.reshape(to)
        dx = xp.empty(g.shape, own)

        def back(rows: slice) -> None:
            xp.multiply(g[rows], taken_apart(factor, rows), out=dx[rows])
            if others:
                step = seen[rows] * taken_apart(others[0], rows)
                step += taken_apart(others[1], rows)
                dx[rows] += step

        in_blocks(xp, back, *g.shape)
        return dx.reshape(shape)

    return (_laid_out_like(xp, x, y.reshape(shape).astype(dtype, copy=False)),), backward
