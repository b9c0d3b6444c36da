"""Element by element: parts and signs of numbers, whole numbers, blends, and the floor of a choice."""

import math

from .._engine import op

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
    divisor = b if hasattr(b, "dtype") else a
    if divisor.dtype.kind in "iu" and (b == 0 if divisor is a else (b == 0).any()):
        raise RuntimeError("ZeroDivisionError")
    return xp.fmod(a, b), lambda g: g, lambda g: -g * xp.trunc(a / b)


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


# ---- the parts of a floating point number


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


# ---- the larger and the smaller


@op(promote=True)
def fmax(xp, a, b):
    """The larger; a number wins over NaN. The gradient goes to a where it is at least b."""
    mine = (a >= b) | (b != b)
    return xp.fmax(a, b), lambda g: g * mine, lambda g: g * ~mine


@op(promote=True)
def fmin(xp, a, b):
    """The smaller; a number wins over NaN. The gradient goes to a where it is at most b."""
    mine = (a <= b) | (b != b)
    return xp.fmin(a, b), lambda g: g * mine, lambda g: g * ~mine


@op(promote=True, name="ClampMinBackward1")
def clamp_min(xp, x, low):
    """`x` where it is at least `low`, else `low`. At a tie x gets the gradient."""
    mine, lost = x >= low, x < low
    return xp.maximum(x, low), lambda g: g * mine, lambda g: g * lost


@op(promote=True, name="ClampMaxBackward1")
def clamp_max(xp, x, high):
    """`x` where it is at most `high`, else `high`. At a tie x gets the gradient."""
    mine, lost = x <= high, x > high
    return xp.minimum(x, high), lambda g: g * mine, lambda g: g * lost


@op(promote=True, name="ClampBackward0")
def clamp_between(xp, x, low, high):
    """`x` moved into [low, high]; where the limits cross, `high` wins."""
    free = (x >= low) & (x <= high)
    at_low, at_high = (x < low) & (low < high), (x > high) | ((x < low) & (low >= high))
    return (
        xp.minimum(xp.maximum(x, low), high),
        lambda g: g * free,
        lambda g: g * at_low,
        lambda g: g * at_high,
    )


@op
def isin(xp, x, tests, *, invert=False):
    """Whether each element of x is among `tests`."""
    return xp.isin(x, tests, invert=invert), None, None


# ---- whole numbers


def _only_integers(name, a):
    """Raise what PyTorch does for numbers that are not whole."""
    if a.dtype.kind not in "iu":
        kinds = {"b": "Bool", 2: "Half", 4: "Float", 8: "Double"}
        kind = kinds["b" if a.dtype.kind == "b" else a.dtype.itemsize]
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{kind}'")


@op(promote=True)
def gcd(xp, a, b):
    """The greatest common divisor."""
    _only_integers("gcd", a)
    return xp.gcd(a, b), None, None


@op(promote=True)
def lcm(xp, a, b):
    """The least common multiple."""
    _only_integers("lcm", a)
    return xp.lcm(a, b), None, None


# ---- blends


@op(name="LerpBackward1")
def lerp(xp, start, end, weight):
    """`start` at weight 0, `end` at 1, and a straight line between and beyond."""
    gap = end - start
    y = xp.where(abs(weight) < 0.5, start + weight * gap, end - gap * (1 - weight))
    return (
        y.astype(start.dtype, copy=False),
        lambda g: g * (1 - weight),
        lambda g: g * weight,
        lambda g: g * (end - start),
    )


@op(promote=True)
def addcmul(xp, x, a, b, *, value):
    """``x + value * a * b``."""
    return (
        x + value * a * b,
        lambda g: g,
        lambda g: g * (b * value),
        lambda g: g * (a * value),
    )


@op(promote=True)
def addcdiv(xp, x, a, b, *, value):
    """``x + value * a / b``."""
    return (
        x + value * a / b,
        lambda g: g,
        lambda g: g * (value / b),
        lambda g: -g * (value * a / (b * b)),
    )
