"""The gamma function and its relatives, exact to float64.

The coefficients are those of the Cephes library (S. L. Moshier, 1984-1995). Everything is computed in
float64 and rounded to the type of the argument at the end.
"""

import math

from .._engine import op
from .error_function import in_float64, polynomial

_STIRLING = (8.11614167470508450300e-4, -5.95061904284301438324e-4, 7.93650340457716943945e-4,
             -2.77777777730099687205e-3, 8.33333333333331927722e-2)  # fmt: skip
_MIDDLE_TOP = (-1.37825152569120859100e3, -3.88016315134637840924e4, -3.31612992738871184744e5,
               -1.16237097492762307383e6, -1.72173700820839662146e6, -8.53555664245765465627e5)  # fmt: skip
_MIDDLE_BOTTOM = (1.0, -3.51815701436523470549e2, -1.70642106651881159223e4, -2.20528590553854454839e5,
                  -1.13933444367982507207e6, -2.53252307177582951285e6, -2.01889141433532773231e6)  # fmt: skip
_PSI = (8.33333333333333333333e-2, -2.10927960927960927961e-2, 7.57575757575757575758e-3,
        -4.16666666666666666667e-3, 3.96825396825396825397e-3, -8.33333333333333333333e-3,
        8.33333333333333333333e-2)  # fmt: skip
_ZETA = (12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10,
         -2.950130727918164224e12, 1.1646782814350067249e14, -4.5979787224074726105e15,
         1.8152105401943546773e17, -7.1661652561756670113e18)  # fmt: skip


# ---- the logarithm of the gamma function


def _correction(xp, x):
    """Return what Stirling's formula lacks of the logarithm of gamma, for x >= 13."""
    return polynomial(1 / (x * x), _STIRLING) / x


def _lgamma_large(xp, x):
    """Return Stirling's formula, for x >= 13."""
    x = xp.maximum(x, 13)
    bare = xp.where(x < 1e300, (x - 0.5) * xp.log(x) - x, x * (xp.log(x) - 1))
    return bare + 0.5 * math.log(2 * math.pi) + _correction(xp, x)


def _lgamma_small(xp, x):
    """Return the value for 0 < x < 13: gamma(x + 1) = x * gamma(x) leads to [2, 3)."""
    x = xp.clip(x, 5e-324, 13)
    outside = xp.where(x < 1, x * (x + 1), xp.where(x < 2, x, 1.0))
    first = xp.where(x < 1, xp.log(x) + xp.log1p(x), xp.where(x < 2, xp.log1p(x - 1), 0.0))
    x = xp.where(x < 1, x + 2, xp.where(x < 2, x + 1, x))
    product = xp.ones_like(outside)
    for _ in range(11):
        big = x >= 3
        x = xp.where(big, x - 1, x)
        product = xp.where(big, product * x, product)
    rest = x - 2
    return (
        xp.log(product)
        - first
        + rest * polynomial(rest, _MIDDLE_TOP) / polynomial(rest, _MIDDLE_BOTTOM)
    )


def _lgamma_positive(xp, x):
    return xp.where(x < 13, _lgamma_small(xp, x), _lgamma_large(xp, x))


@in_float64
def _lgamma(xp, x):
    size = xp.abs(x)
    y = _lgamma_positive(xp, xp.where(x < 0, 1 - xp.where(x < 0, x, 0), size))
    sine = xp.abs(xp.sin(math.pi * (size - xp.floor(size))))
    mirrored = xp.log(math.pi / xp.where(sine == 0, 1, sine)) - y
    y = xp.where(x < 0, mirrored, y)
    pole = (x <= 0) & (x == xp.floor(x)) | (size == math.inf)
    return xp.where(x != x, x, xp.where(pole, math.inf, y))


@op(floating=True)
def lgamma(xp, x):
    """The logarithm of the size of the gamma function."""
    return _lgamma(xp, x), lambda g: g * digamma.inside(xp, x)  # type: ignore[attr-defined]


# ---- its derivatives


@in_float64
def _digamma(xp, x):
    whole = xp.trunc(x)
    part = x - xp.where(xp.abs(whole) < math.inf, whole, 0)
    mirrored = x < 0
    pole = part == 0
    y = xp.where(mirrored, 1 - x, x)
    total = xp.where(mirrored & ~pole, -math.pi / xp.tan(math.pi * part), 0.0)
    for _ in range(10):
        small = y < 10
        total = xp.where(small, total - 1 / xp.where(y == 0, 1, y), total)
        y = xp.where(small, y + 1, y)
    z = 1 / (y * y)
    total = total + xp.log(y) - 0.5 / y - z * polynomial(z, _PSI)
    total = xp.where(mirrored & pole & (x == whole), math.nan, total)
    total = xp.where(x == -math.inf, math.nan, xp.where(x == math.inf, math.inf, total))
    return xp.where(x == 0, -xp.copysign(xp.full(x.shape, math.inf), x), total)


@op(floating=True)
def digamma(xp, x):
    """The derivative of `lgamma`."""
    return _digamma(xp, x), lambda g: g * polygamma.inside(xp, x, n=1)  # type: ignore[attr-defined]


def _trigamma(xp, x):
    """Return the derivative of digamma as PyTorch computes it (good to about 10 digits)."""
    mirrored = x < 0.5
    sine = xp.sin(math.pi * xp.where(mirrored, x, 0.5))
    total = xp.where(mirrored, -(math.pi**2) / (sine * sine), 0.0)
    x = xp.where(mirrored, 1 - x, x)
    for _ in range(6):
        total = total + 1 / (x * x)
        x = x + 1
    z = 1 / (x * x)
    total = total + (1 + 1 / (2 * x) + z * (1 / 6 - z * (1 / 30 - z / 42))) / x
    return xp.where(mirrored, -total, total)


@op(floating=True)
def polygamma(xp, x, *, n):
    """The derivative of digamma of order n."""
    return _polygamma(xp, x, n), lambda g: g * polygamma.inside(xp, x, n=n + 1)  # type: ignore[attr-defined]


@in_float64
def _polygamma(xp, x, n):
    if n == 0:
        return _digamma(xp, x)
    if n == 1:
        return _trigamma(xp, x)
    sign = 1 if n % 2 else -1
    return sign * math.exp(math.lgamma(n + 1)) * _hurwitz(xp, x * 0 + (n + 1), x)


# ---- Hurwitz's zeta function: the sum of (q + k) ** -x over k = 0, 1, ...


def _hurwitz(xp, x, q):
    """Return the sum: some terms as they are, the rest by the formula of Euler and Maclaurin."""
    legal = (x > 1) & ~((q <= 0) & ((q == xp.floor(q)) | (x != xp.floor(x))))
    s, w = xp.where(legal, x, 2.0), xp.where(legal, q, 1.0)
    total = w**-s
    steps = 0
    while steps < 9 or bool((w <= 9).any()):
        going = (w <= 9) | (steps < 9)
        w = xp.where(going, w + 1, w)
        total = xp.where(going, total + w**-s, total)
        steps += 1
    last = w**-s
    total = total + last * w / (s - 1) - 0.5 * last
    factor, k = xp.ones_like(s), 0
    for divisor in _ZETA:
        factor, last = factor * (s + k), last / w
        total = total + factor * last / divisor
        factor, last = factor * (s + k + 1), last / w
        k += 2
    total = xp.where(legal, total, math.nan)
    pole = (x == 1) | ((x > 1) & (q <= 0) & (q == xp.floor(q)))
    return xp.where(pole, math.inf, total)


@op(floating=True, name="SpecialZetaBackward0")
def zeta(xp, x, q):
    """Hurwitz's zeta function. It has a derivative with respect to q alone."""
    kind = x.dtype if hasattr(x, "dtype") else q.dtype
    wide = [xp.asarray(v).astype("float64", copy=False) for v in (x, q)]
    s, shift = xp.broadcast_arrays(*wide)
    y = _hurwitz(xp, s, shift).astype(kind, copy=False)
    return y, None, lambda g: g * -x * zeta.inside(xp, x + 1, q)  # type: ignore[attr-defined]


# ---- the incomplete gamma function


def _front(xp, a, x):
    """Return ``x**a * exp(-x) / gamma(a + 1)`` without the loss of digits that large a would bring."""
    big = a >= 13
    safe = xp.where(big, a, 13)
    gap = (x - safe) / safe
    gap = xp.where(big, gap, 0)
    close = xp.exp(safe * (xp.log1p(xp.maximum(gap, -1 + 1e-300)) - gap) - _correction(xp, safe))
    close = close / xp.sqrt(2 * math.pi * safe)
    plain = xp.exp(a * xp.log(x) - x - _lgamma(xp, xp.where(big, 1, a) + 1))
    return xp.where(big, close, plain)


def _lower_series(xp, a, x):
    """Return the lower function by its power series; good where x is not much larger than a."""
    term = xp.ones_like(a)
    total, n = xp.ones_like(a), a
    for _ in range(10_000):
        n = n + 1
        term = term * (x / n)
        total = total + term
        if not bool((term > total * 1e-17).any()):
            break
    return total * _front(xp, a, x)


def _upper_small(xp, a, x):
    """Return the upper function for x of at most about 1, without cancellation."""
    factor, total = xp.ones_like(a), xp.zeros_like(a)
    for n in range(1, 200):
        factor = factor * (-x / n)
        total = total + factor / (a + n)
        if not bool((xp.abs(factor) > 1e-18).any()):
            break
    log_x = xp.log(x)
    first = -xp.expm1(a * log_x - _lgamma(xp, a + 1))
    return first - xp.exp(a * log_x - _lgamma(xp, a)) * total


def _upper_fraction(xp, a, x):
    """Return the upper function by Lentz's continued fraction; good where x is larger than a."""
    b = x + 1 - a
    c, d = xp.full(a.shape, 1e300), 1 / b
    h, going = d, xp.ones(a.shape, bool)
    for i in range(1, 10_000):
        an = -i * (i - a)
        b = b + 2
        d = 1 / (an * d + b)
        c = b + an / c
        h = xp.where(going, h * (d * c), h)
        going = going & (xp.abs(d * c - 1) > 1e-16)
        if not bool(going.any()):
            break
    return _front(xp, a, x) * a * h


def _incomplete(xp, a, x, upper):
    """Return the lower (or `upper`) regularised function; both arguments in float64, of one shape."""
    legal = (a > 0) & (x > 0) & (a < math.inf) & (x < math.inf)
    s, z = xp.where(legal, a, 1.0), xp.where(legal, x, 1.0)
    by_fraction = (z > 1.1) & (z > s)
    small = (z <= 1.1) & xp.where(z <= 0.5, -0.4 / xp.log(xp.minimum(z, 0.5)) >= s, z * 1.1 >= s)
    lower = _lower_series(xp, xp.where(by_fraction, z, s), z)
    high = xp.where(
        by_fraction,
        _upper_fraction(xp, xp.where(by_fraction, s, 1.0), xp.where(by_fraction, z, 2.0)),
        _upper_small(xp, xp.where(small, s, 1.0), xp.where(small, z, 1.0)),
    )
    if upper:
        y = xp.where(by_fraction | small, high, 1 - lower)
    else:
        y = xp.where(by_fraction, 1 - high, lower)
    top = (x == math.inf) & (a < math.inf) | (a == 0) & (x > 0)
    bottom = (x == 0) & (a > 0) | (a == math.inf) & (x < math.inf)
    y = xp.where(top, 0.0 if upper else 1.0, xp.where(bottom, 1.0 if upper else 0.0, y))
    good = (a >= 0) & (x >= 0) & ((a > 0) | (x > 0)) & ~((a == math.inf) & (x == math.inf))
    return xp.where(good, y, math.nan)


def _both(xp, a, x, upper):
    s, z = xp.broadcast_arrays(*(v.astype("float64", copy=False) for v in (a, x)))
    return _incomplete(xp, s, z, upper).astype(a.dtype, copy=False)


def _density(xp, a, x):
    """Return the derivative of the lower function with respect to x."""
    return xp.exp((a - 1) * xp.log(x) - x - lgamma.inside(xp, a))  # type: ignore[attr-defined]


@op(floating=True)
def igamma(xp, a, x):
    """The regularised lower incomplete gamma function; only x has a derivative."""
    return _both(xp, a, x, False), None, lambda g: g * _density(xp, a, x)


@op(floating=True)
def igammac(xp, a, x):
    """The regularised upper incomplete gamma function; only x has a derivative."""
    return _both(xp, a, x, True), None, lambda g: -g * _density(xp, a, x)
