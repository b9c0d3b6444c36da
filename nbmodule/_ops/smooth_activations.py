"""Activations without kinks, or with a smooth side; what the formulas share is the exponential.

Each formula is arranged so that nothing overflows that should not: large arguments of either sign come out as
they do in PyTorch.
"""

import math

from .._engine import op
from .error_function import _erf


def _logistic(xp, x):
    """Return ``1 / (1 + exp(-x))``; where the exponential overflows the quotient is 0, as it should be."""
    return 1 / (1 + xp.exp(-x))


@op
def silu(xp, x):
    """``x * sigmoid(x)``."""

    def slope(g):
        s = _logistic(xp, x)
        return g * (s * (1 + x * (1 - s)))

    return x * _logistic(xp, x), slope


@op
def mish(xp, x):
    """``x * tanh(softplus(x))``.

    With n = e (e + 2) and e = exp(x), ``tanh(log(1 + e)) = n / (n + 2)``: one exponential in the place of three
    functions. Beyond 20 it is 1 in every type.
    """

    def gate(x):
        e = xp.exp(xp.minimum(x, 20))
        n = e * (e + 2)
        return n / (n + 2)

    def slope(g):
        t = gate(x)
        return g * (t + x * (1 - t * t) * _logistic(xp, x))

    return x * gate(x), slope


@op
def elu(xp, x, *, alpha, scale, input_scale, in_place=False):
    """``scale * x`` above 0, below it ``scale * alpha * (exp(input_scale * x) - 1)``."""
    y = xp.expm1(xp.minimum(x, 0) * input_scale)
    y *= alpha
    y += xp.maximum(x, 0)
    if scale != 1:
        y *= scale

    def slope(g):
        return elu_slope.inside(xp, g, x, alpha=alpha, scale=scale, input_scale=input_scale)

    def slope_from_result(g):
        if alpha < 0:  # the result no longer tells on which side of 0 it was
            raise RuntimeError(NEGATIVE_ALPHA)
        positive = (y > 0).astype(y.dtype)
        below = (xp.minimum(y, 0) + alpha * scale) * input_scale
        return g * (positive * scale + (1 - positive) * below)

    return y, slope_from_result if in_place else slope


@op(name="EluBackwardBackward0")
def elu_slope(xp, g, x, *, alpha, scale, input_scale):
    """What elu passes on: `g` times `scale`, and below 0 times ``alpha * input_scale * exp(input_scale * x)`` too."""
    factor = alpha * input_scale

    def below(x):
        return (x <= 0).astype(x.dtype)

    def slope(x):
        at = below(x)
        return (1 - at + at * xp.exp(xp.minimum(x, 0) * input_scale) * factor) * scale

    def bend(h):
        e = xp.exp(xp.minimum(x, 0) * input_scale)
        return h * g * below(x) * e * (factor * input_scale * scale)

    return g * slope(x), lambda h: h * slope(x), bend


NEGATIVE_ALPHA = (
    "In-place elu backward calculation is triggered with a negative slope which is not supported. This is "
    "caused by calling in-place forward function with a negative slope, please call out-of-place version "
    "instead."
)


@op
def softplus(xp, x, *, beta, threshold):
    """``log(1 + exp(beta * x)) / beta``, and `x` itself where ``beta * x`` is above `threshold`."""
    z = x * beta
    straight = z > threshold
    y = xp.log1p(xp.exp(z)) / (beta or 0.0)
    y = xp.where(straight, x, y) if straight.any() else y

    def slope(g):
        s = _logistic(xp, x * beta)
        return g * (xp.where(straight, 1, s) if straight.any() else s)

    return y, slope


@op
def log_sigmoid(xp, x):
    """``log(1 / (1 + exp(-x)))``, as ``min(x, 0) - log(1 + exp(-|x|))``."""
    y = xp.minimum(x, 0) - xp.log1p(xp.exp(-xp.abs(x)))
    return y, lambda g: g * _logistic(xp, -x)


@op
def glu(xp, x, *, axis):
    """The first half of `x` along `axis`, times the sigmoid of the second half."""
    half = x.shape[axis] // 2
    first = (slice(None),) * axis + (slice(None, half),)
    second = (slice(None),) * axis + (slice(half, None),)

    def slope(g):
        s = _logistic(xp, x[second])
        return xp.concatenate((g * s, g * x[first] * (s * (1 - s))), axis)

    return x[first] * _logistic(xp, x[second]), slope


# ---- GELU: x times the probability that a normal variable is below x


def _cumulative(xp, x):
    """Return the probability that a normal variable is below `x`."""
    return (_erf(xp, x * math.sqrt(0.5)) + 1) * 0.5


def _density(xp, x):
    """Return the density of the normal distribution at `x`."""
    return xp.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))


@op
def gelu(xp, x):
    """`x` times the probability that a normal variable is below `x`."""
    return x * _cumulative(xp, x), lambda g: gelu_slope.inside(xp, g, x)


@op(name="GeluBackwardBackward0")
def gelu_slope(xp, g, x):
    """What gelu passes on: ``g * (P(x) + x * p(x))``, with the probability P and its density p."""

    def slope(h):
        return gelu_slope.inside(xp, h, x)

    return (
        g * (_cumulative(xp, x) + x * _density(xp, x)),
        slope,
        lambda h: h * g * (_density(xp, x) * (2 - x * x)),
    )


@op(name="GeluBackward0")
def gelu_tanh(xp, x):
    """GELU with the probability taken from a hyperbolic tangent: ``x / 2 * (1 + tanh(c (x + 0.044715 x^3)))``."""
    c, cubic = math.sqrt(2 / math.pi), 0.044715

    def bent(x):
        return xp.tanh((x + x * x * x * cubic) * c)

    def slope(g):
        t = bent(x)
        return g * (0.5 * (1 + t) + x * (1 - t * t) * (0.5 * c * (1 + x * x * (3 * cubic))))

    return x * (bent(x) + 1) * 0.5, slope


# ---- the inverse of the logistic curve


@op(floating=True)
def logit(xp, x, *, eps):
    """``log(x / (1 - x))``, for x moved into [eps, 1 - eps] first unless `eps` is None."""
    low, high = (0, 1) if eps is None else (eps, 1 - eps)
    inside = (x >= low) & (x <= high)
    outside = math.nan if eps is None else 0  # what the gradient is there
    z = x if eps is None else xp.where(x < low, low, xp.where(x > high, high, x))

    def slope(g):
        d = 1 / xp.abs(xp.where(inside, x * (1 - x), 1))
        return g * xp.where(inside, d, outside)

    return xp.log(z / (1 - z)).astype(x.dtype, copy=False), slope
