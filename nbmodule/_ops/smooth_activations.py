"""Activations without kinks, or with a smooth side; what the formulas share is the exponential.

Each formula is arranged so that nothing overflows that should not: large arguments of either sign come out as
they do in PyTorch.
"""

import math
from functools import wraps

from .._engine import by_blocks, op, renamed
from .elementwise import cast, sigmoid
from .error_function import _erf


def _wide(operation):
    """Let an operation on one tensor compute float16 in float32 and round at the end, as PyTorch does."""

    @wraps(operation)
    def apply(t, **options):
        if t._array.dtype.itemsize != 2:
            return operation(t, **options)
        out = operation(cast(t, dtype="float32"), **options)
        name = "" if out._node is None else out._node.name()
        return renamed(cast(out, dtype="float16"), name)

    return apply


def _curve(name, slope, bend):
    """Return the operation that multiplies a gradient by ``slope(xp, x, **options)``, whose derivative is `bend`."""

    @op(name=name)
    def pass_on(xp, g, x, **options):
        def again(h):
            return pass_on.inside(xp, h, x, **options)  # type: ignore[attr-defined]

        d = by_blocks(lambda g, x: g * slope(xp, x, **options), g, x)
        return d, again, lambda h: h * g * bend(xp, x, **options)

    return pass_on.inside  # type: ignore[attr-defined]


def _gate(xp, x):
    """Return ``1 / (1 + exp(-x))``, an operation where a walk is recorded."""
    return sigmoid.inside(xp, x)  # type: ignore[attr-defined]


@_wide
@op
def silu(xp, x):
    """``x * sigmoid(x)``."""

    def passed(g, x):
        s = _gate(xp, x)
        return g * (s * (1 + x * (1 - s)))

    return by_blocks(lambda x: x / (xp.exp(-x) + 1), x), lambda g: by_blocks(passed, g, x)


@_wide
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

    def passed(g, x):
        t = gate(x)
        return g * (t + x * (1 - t * t) * _gate(xp, x))

    return by_blocks(lambda x: x * gate(x), x), lambda g: by_blocks(passed, g, x)


@_wide
@op
def elu(xp, x, *, alpha, scale, input_scale, in_place=False):
    """``scale * x`` above 0, below it ``scale * alpha * (exp(input_scale * x) - 1)``."""
    y = x.clip(-math.inf, 0)
    if input_scale != 1:
        y *= input_scale
    y = xp.expm1(y)
    if alpha != 1:
        y *= alpha
    y += x.clip(0, math.inf)
    if scale != 1:
        y *= scale

    def slope(g):
        return elu_slope.inside(xp, g, x, alpha=alpha, scale=scale, input_scale=input_scale)

    def slope_from_result(g):
        if alpha < 0:  # the result no longer tells on which side of 0 it was
            raise RuntimeError(NEGATIVE_ALPHA)
        # a second derivative is that of `below` alone: at 0 it is 0
        below = xp.where(y < 0, y, 0)
        return g * xp.where(y <= 0, (below + alpha * scale) * input_scale, scale)

    return y, slope_from_result if in_place else slope


@op(name="EluBackwardBackward0")
def elu_slope(xp, g, x, *, alpha, scale, input_scale):
    """What elu passes on: `g` times `scale`, and below 0 times ``alpha * input_scale * exp(input_scale * x)`` too."""
    factor = alpha * input_scale
    below = (x <= 0).astype(x.dtype)
    slope = xp.exp(xp.fmin(x, 0) * input_scale)
    slope *= below
    slope *= factor
    slope += 1 - below
    slope *= scale
    slope *= g

    def again(h):
        return elu_slope.inside(xp, h, x, alpha=alpha, scale=scale, input_scale=input_scale)

    def bend(h):
        e = xp.exp(xp.where(x < 0, x, 0) * input_scale)
        return h * g * xp.where(x < 0, e, 0) * (factor * input_scale * scale)

    return slope, again, bend


NEGATIVE_ALPHA = (
    "In-place elu backward calculation is triggered with a negative slope which is not supported. This is "
    "caused by calling in-place forward function with a negative slope, please call out-of-place version "
    "instead."
)


@_wide
@op
def softplus(xp, x, *, beta, threshold):
    """``log(1 + exp(beta * x)) / beta``, and `x` itself where ``beta * x`` is above `threshold`."""
    z = x * beta if beta != 1 else x
    y = xp.log1p(xp.exp(z))
    if beta != 1:
        y /= x.dtype.type(beta)
    y = xp.where(z > threshold, x, y)
    return y, lambda g: _softplus_slope(xp, g, x, beta=beta, threshold=threshold)


def _softplus_slopes(xp, x, beta, threshold):
    z = x * beta
    return xp.where(z > threshold, 1, _gate(xp, z)).astype(x.dtype, copy=False)


def _softplus_bend(xp, x, beta, threshold):
    z = x * beta
    s = _gate(xp, z)
    return s * (1 - s) * (z < threshold).astype(x.dtype) * beta


_softplus_slope = _curve("SoftplusBackwardBackward0", _softplus_slopes, _softplus_bend)


@_wide
@op
def log_sigmoid(xp, x):
    """``log(1 / (1 + exp(-x)))``, as ``min(x, 0) - log(1 + exp(-|x|))``."""
    y = x.clip(-math.inf, 0)
    y -= xp.log1p(xp.exp(-xp.abs(x)))
    return y, lambda g: _log_sigmoid_slope(xp, g, x)


def _log_sigmoid_bend(xp, x):
    s = _gate(xp, x)
    return s * (s - 1)


_log_sigmoid_slope = _curve(
    "LogSigmoidBackwardBackward0", lambda xp, x: _gate(xp, -x), _log_sigmoid_bend
)


@_wide
@op
def glu(xp, x, *, axis):
    """The first half of `x` along `axis`, times the sigmoid of the second half."""
    half = x.shape[axis] // 2
    first = (slice(None),) * axis + (slice(None, half),)
    second = (slice(None),) * axis + (slice(half, None),)

    def slope(g):
        s = _gate(xp, x[second])
        return xp.concatenate((g * s, g * x[first] * (s * (1 - s))), axis)

    return x[first] * _gate(xp, x[second]), slope


# ---- GELU: x times the probability that a normal variable is below x

_TANH = (1.7562174054496623e-9, -1.3226487890841113e-7, 3.964761980399843e-6, -5.530627960596139e-5,
         -3.259479487295304e-5, 0.03633308443150515, 0.7978849414879836)  # fmt: skip
"""``atanh(erf(x / sqrt(2))) / x`` as a polynomial in x squared: fitted on [0, 6], where tanh of it is exact to 3e-8."""


def _probability(xp, x):
    """Return the probability that a normal variable is below `x`."""
    if x.dtype.itemsize == 8:
        return (_erf(xp, x * math.sqrt(0.5)) + 1) * 0.5
    x = x.clip(-6, 6)
    square = x * x
    y = square * _TANH[0]
    for c in _TANH[1:-1]:
        y += c
        y *= square
    y += _TANH[-1]
    y = xp.tanh(y * x)
    y += 1
    y *= 0.5
    return y


def _density(xp, x):
    """Return the density of the normal distribution at `x`."""
    return xp.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))


@_wide
@op
def gelu(xp, x):
    """`x` times the probability that a normal variable is below `x`."""
    y = by_blocks(lambda x: x * _probability(xp, x), x)
    return y, lambda g: _gelu_slope(xp, g, x)


_gelu_slope = _curve(
    "GeluBackwardBackward0",
    lambda xp, x: _probability(xp, x) + x * _density(xp, x),
    lambda xp, x: _density(xp, x) * (2 - x * x),
)


@_wide
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
