"""Element by element: rounding, signs, and the parts of floating point numbers."""

import math

from .._engine import op
from .elementwise import pow, refuse_zero

# ---- rounding, remainders


@op
def trunc(xp, x):
    """What is left of x without the digits after the point."""
    return xp.trunc(x).astype(x.dtype, copy=False), lambda g: xp.zeros_like(g)


@op
def frac(xp, x):
    """The digits after the point, with the sign of x."""
    return x - xp.trunc(x), lambda g: g


@op(promote=True, name="FmodBackward1")
def fmod(xp, a, b):
    """What is left of a after division by b, with the sign of a."""
    refuse_zero(a, b)
    return xp.fmod(a, b), lambda g: g, lambda g: -g * xp.trunc(a / b)


@op
def ldexp(xp, x, n):
    """``x * 2**n`` for whole numbers n, also where ``2**n`` alone would overflow or be 0."""
    return xp.ldexp(x, n), lambda g: ldexp.inside(xp, g, n), None  # type: ignore[attr-defined]


@op(floating=True, name="LdexpBackward0")
def ldexp_of_floats(xp, x, n):
    """``x * 2**n`` for any n. As in PyTorch, ``2**n`` may overflow here."""
    y = x * pow.inside(xp, 2.0, n)
    return y, lambda g: g * pow.inside(xp, 2.0, n), lambda g: g * (y * math.log(2))


# ---- signs


@op
def signbit(xp, x):
    """Whether the sign is minus; also for -0."""
    return (xp.signbit(x) if x.dtype.kind == "f" else x < 0), None


@op(floating=True)
def copysign(xp, a, b):
    """The size of a with the sign of b."""
    out = xp.copysign(a, b).astype(a.dtype, copy=False)

    def to_a(g):
        return g * xp.where(a == 0, 0, out / xp.where(a == 0, 1, a))

    return out, to_a, lambda g: xp.zeros_like(g)


@op(promote=True)
def heaviside(xp, x, values):
    """0 below 0, 1 above, and `values` at 0."""
    return xp.where(x == 0, values, (x > 0).astype(x.dtype)), None, None


@op
def isposinf(xp, x):
    """Whether x is plus infinity."""
    return x == math.inf, None


@op
def isneginf(xp, x):
    """Whether x is minus infinity."""
    return x == -math.inf, None


# ---- floating point numbers from inside


@op(promote=True)
def nextafter(xp, a, b):
    """The number next to a in the direction of b."""
    return xp.nextafter(a, b), lambda g: g, lambda g: xp.zeros_like(g)


@op
def mantissa(xp, x):
    """The m of ``x == m * 2**e`` with m in [0.5, 1)."""
    m, e = xp.frexp(x)
    return m, lambda g: g / 2.0**e


@op
def exponent(xp, x):
    """The e of ``x == m * 2**e`` with m in [0.5, 1)."""
    return xp.frexp(x)[1].astype("int32", copy=False), None


@op(name="NanToNumBackward0")
def nan_to_num(xp, x, *, nan, posinf, neginf):
    """`x` with numbers in place of NaN and the infinities."""
    y = xp.where(x != x, nan, xp.where(x == math.inf, posinf, xp.where(x == -math.inf, neginf, x)))
    usual = (x == x) & (x != math.inf) & (x != -math.inf)
    return y.astype(x.dtype, copy=False), lambda g: g * usual
