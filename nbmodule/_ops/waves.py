"""Element by element: angles, hyperbolas, exponentials and logarithms in other bases."""

import math

from .._engine import op

LN2, LN10 = math.log(2), math.log(10)


# ---- angles


@op(floating=True)
def tan(xp, x):
    """The tangent of x in radians."""
    y = xp.tan(x)
    return y, lambda g: g * (1 + y * y)


@op(floating=True)
def asin(xp, x):
    """The angle whose sine is x."""
    return xp.arcsin(x), lambda g: g / xp.sqrt(1 - x * x)


@op(floating=True)
def acos(xp, x):
    """The angle whose cosine is x."""
    return xp.arccos(x), lambda g: -g / xp.sqrt(1 - x * x)


@op(floating=True)
def atan(xp, x):
    """The angle whose tangent is x."""
    return xp.arctan(x), lambda g: g / (x * x + 1)


@op(floating=True)
def atan2(xp, y, x):
    """The angle of the point (x, y), in (-pi, pi]."""

    def shared(g):
        square = x * x + y * y
        return xp.where(square == 0, 0, g / xp.where(square == 0, 1, square))

    return xp.arctan2(y, x), lambda g: shared(g) * x, lambda g: shared(g) * -y


@op(floating=True)
def sinc(xp, x):
    """The sine of pi x over pi x; 1 at 0."""

    def slope(g):
        p = math.pi * xp.where(x == 0, 1, x)
        d = (p * xp.cos(p) - xp.sin(p)) / (p * p) * math.pi
        return g * xp.where(x == 0, 0, d).astype(x.dtype, copy=False)

    p = math.pi * xp.where(x == 0, 1, x)
    return xp.where(x == 0, 1, xp.sin(p) / p).astype(x.dtype, copy=False), slope


@op(floating=True, name="Deg2RadBackward0")
def deg2rad(xp, x):
    """Degrees in radians."""
    return x * (math.pi / 180), lambda g: g * (math.pi / 180)


@op(floating=True, name="Rad2DegBackward0")
def rad2deg(xp, x):
    """Radians in degrees."""
    return x * (180 / math.pi), lambda g: g * (180 / math.pi)


@op(floating=True)
def angle(xp, x):
    """Pi for negative numbers, NaN for NaN, else 0."""
    y = xp.where(x != x, x, xp.where(x < 0, math.pi, 0))
    return y.astype(x.dtype, copy=False), lambda g: xp.zeros_like(g)


@op(floating=True)
def hypot(xp, a, b):
    """The length of the vector (a, b), without overflow on the way."""
    y = xp.hypot(a, b)
    return y, lambda g: g * (a / y), lambda g: g * (b / y)


# ---- hyperbolas


@op(floating=True)
def sinh(xp, x):
    """The hyperbolic sine."""
    return xp.sinh(x), lambda g: g * cosh.inside(xp, x)  # type: ignore[attr-defined]


@op(floating=True)
def cosh(xp, x):
    """The hyperbolic cosine."""
    return xp.cosh(x), lambda g: g * sinh.inside(xp, x)  # type: ignore[attr-defined]


@op(floating=True)
def asinh(xp, x):
    """The number whose hyperbolic sine is x."""
    return xp.arcsinh(x), lambda g: g / xp.sqrt(x * x + 1)


@op(floating=True)
def acosh(xp, x):
    """The number whose hyperbolic cosine is x."""
    return xp.arccosh(x), lambda g: g / xp.sqrt(x * x - 1)


@op(floating=True)
def atanh(xp, x):
    """The number whose hyperbolic tangent is x."""
    return xp.arctanh(x), lambda g: g / (1 - x * x)


# ---- exponentials and logarithms


@op(floating=True)
def exp2(xp, x):
    """2 to the power of x."""
    y = xp.exp2(x)
    return y, lambda g: g * y * LN2


@op(floating=True)
def expm1(xp, x):
    """The exponential minus 1, exact also near 0."""
    y = xp.expm1(x)
    return y, lambda g: g * (y + 1)


@op(floating=True)
def log2(xp, x):
    """The logarithm to base 2."""
    return xp.log2(x), lambda g: g / (x * LN2)


@op(floating=True)
def log10(xp, x):
    """The logarithm to base 10."""
    return xp.log10(x), lambda g: g / (x * LN10)


@op(floating=True)
def logaddexp(xp, a, b):
    """The logarithm of ``exp(a) + exp(b)``, without overflow."""

    def to_a(g):
        return g / (1 + xp.exp(b - a))

    def to_b(g):
        return g / (1 + xp.exp(a - b))

    return xp.logaddexp(a, b), to_a, to_b


@op(floating=True)
def logaddexp2(xp, a, b):
    """The logarithm to base 2 of ``2**a + 2**b``, without overflow."""

    def to_a(g):
        return g / (1 + xp.exp((b - a) * LN2))

    def to_b(g):
        return g / (1 + xp.exp((a - b) * LN2))

    return xp.logaddexp2(a, b), to_a, to_b


# ---- products with a logarithm


@op(floating=True)
def xlogy(xp, x, y):
    """``x * log(y)``; 0 where x is 0, whatever y is but NaN."""
    product = xp.where((x == 0) & (y == y), 0, x * xp.log(xp.where((x == 0) & (y == y), 1, y)))

    def to_x(g):
        silent = (x == 0) & (y <= 0)
        return xp.where(silent, 0, g * xp.log(xp.where(silent, 1, y)))

    return _kept(product, x, y), to_x, lambda g: g * (x / y)


@op(floating=True, name="SpecialXlog1PyBackward0")
def xlog1py(xp, x, y):
    """``x * log1p(y)``; 0 where x is 0, whatever y is but NaN."""
    silent = (x == 0) & (y == y)
    product = xp.where(silent, 0, x * xp.log1p(xp.where(silent, 0, y)))

    def to_x(g):
        silent = (x == 0) & (y <= -1)
        return xp.where(silent, 0, g * xp.log1p(xp.where(silent, 0, y)))

    return _kept(product, x, y), to_x, lambda g: g * (x / (y + 1))


def _kept(product, x, y):
    """Return `product` in the type of the operands, of which one may be without dimensions."""
    return product.astype(x.dtype if hasattr(x, "dtype") else y.dtype, copy=False)


@op(floating=True, name="SpecialEntrBackward0")
def entr(xp, x):
    """Entropy: ``-x * log(x)``; 0 at 0, minus infinity below."""
    safe = xp.where(x > 0, x, 1)
    y = xp.where(x > 0, -x * xp.log(safe), xp.where(x == 0, 0, -math.inf))
    y = xp.where(x != x, x, y).astype(x.dtype, copy=False)
    return y, lambda g: g * (-xp.log(x) - 1)
