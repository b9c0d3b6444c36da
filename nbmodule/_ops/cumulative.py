"""Operations that run along an axis: each element of the result looks at all before it."""

from collections.abc import Callable

from .._backend import at_hand
from .._engine import op
from .reduce import cumsum, running


def scan(xp, combine: Callable, x, axis: int):
    """Return what `combine` makes of each element and all before it along `axis`.

    After step k every place has met 2 ** k elements: the number of steps is a logarithm.
    """
    y, reach = x, 1
    while reach < x.shape[axis]:
        lead = (slice(None),) * axis
        early, late = (*lead, slice(None, -reach)), (*lead, slice(reach, None))
        met = combine(y[early], y[late])
        y = xp.concatenate([y[(*lead, slice(None, reach))], met], axis)
        reach *= 2
    return x.copy() if y is x else y


@op
def cumprod(xp, x, *, axis: int):
    """The running product, also where it runs into zeros."""
    y, n = running(xp, x, "cumprod", axis), x.shape[axis]
    has_zeros = bool((x == 0).any())

    def from_here_on(z):
        return xp.flip(cumsum.inside(xp, xp.flip(z, axis), axis=axis), axis)

    def vjp(g):
        if not has_zeros:
            return from_here_on(g * y) / x
        parts, lead = [], (slice(None),) * axis
        place = xp.arange(n).reshape((n,) + (1,) * (x.ndim - axis - 1))
        for k in range(n):
            without = cumprod.inside(xp, xp.where(place == k, 1, x), axis=axis)  # type: ignore[attr-defined]
            tail = (*lead, slice(k, None))
            parts.append((g * without)[tail].sum(axis, keepdims=True))
        return xp.concatenate(parts, axis)

    return y, vjp


@op
def logcumsumexp(xp, x, *, axis: int):
    """The running log of the sum of exponentials; nothing overflows on the way."""
    if at_hand(x):
        y = xp.logaddexp.accumulate(x, axis, "f8").astype(x.dtype, copy=False)
    else:
        y = scan(xp, xp.logaddexp, x.astype("f8"), axis).astype(x.dtype)
    return y, lambda g: weighed_from_here_on.inside(xp, g, x, y, axis=axis)


@op(name="LogcumsumexpBackwardBackward0")
def weighed_from_here_on(xp, g, a, b, *, axis: int):
    """For each element i the sum of ``g[k] * exp(a[i] - b[k])`` over all k from i on, by logarithms."""

    def turned(z):
        return xp.flip(z, axis)

    def total(g):
        """Return the sum for the positive elements of `g` alone."""
        terms = xp.where(g > 0, xp.log(xp.where(g > 0, g, 1)) - b, -float("inf"))
        return xp.exp(turned(scan(xp, xp.logaddexp, turned(terms), axis)) + a)

    y = total(g) - total(-g)

    def vjp_g(h):  # the sum over all i up to k: the same one, run through from the other end
        back = weighed_from_here_on.inside(xp, turned(h), -turned(b), -turned(a), axis=axis)  # type: ignore[attr-defined]
        return turned(back)

    return y, vjp_g, lambda h: h * y, lambda h: -g * vjp_g(h)


def last_extreme(xp, x, largest: bool, axis: int):
    """Return where the running maximum (or minimum) along `axis` was met last; NaN beats all."""
    best = scan(xp, xp.maximum if largest else xp.minimum, x, axis)
    met = (x == best) | (x != x)
    n = x.shape[axis]
    place = xp.arange(n).reshape((n,) + (1,) * (x.ndim - axis - 1))
    return scan(xp, xp.maximum, xp.where(met, place, 0), axis)
