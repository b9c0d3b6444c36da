"""Operations on each element: arithmetic, exponentials, activations, comparisons, choice.

Each rule returns its result and, for each argument, a vjp: the function that turns the gradient `g` of the result into
the gradient of that argument. `_engine/__init__.py` has the whole contract.
"""

import math

from .._engine import MUCH, by_blocks, kept, op, over_elements
from .._formats import empty_with_strides, strides_like

# ---- arithmetic


@op(promote=True)
def add(xp, a, b):
    """The sum."""
    return a + b, lambda g: g, lambda g: g


@op(promote=True)
def sub(xp, a, b):
    """The difference."""
    return a - b, lambda g: g, lambda g: -g


@op(promote=True, widens=True)
def mul(xp, a, b):
    """The product."""
    return a * b, lambda g: g * b, lambda g: g * a


@op(floating=True, widens=True)
def div(xp, a, b):
    """The quotient; integers become floats."""
    # Not ``a / (b * b)``: the square may overflow where the quotient does not, and PyTorch rounds in this order.
    return a / b, lambda g: g / b, lambda g: -g * (a / b / b)


@op(promote=True)
def pow(xp, a, b):
    """The power: `a` raised to `b`."""
    y = _power(xp, a, b)

    def to_exponent(g):
        still = (a == 0) & (b >= 0)  # 0 * log(0) would be NaN, but 0 to such a power does not move
        return g * xp.where(still, 0, y * xp.log(a)).astype(y.dtype, copy=False)

    return y, lambda g: g * (b * _power_below(xp, a, b)), to_exponent


SHORT_POWERS = {
    3: lambda xp, a: a * a * a,
    -2: lambda xp, a: 1 / (a * a),
    -0.5: lambda xp, a: 1 / xp.sqrt(a),
}
"""Powers that need no logarithm: the same bits as PyTorch's, and four times as fast. NumPy itself has 2, 0.5 and -1."""


def _power(xp, a, b):
    """Return ``a**b``; integers to negative powers are 0, except for 1 and -1. NumPy refuses them."""
    if not hasattr(b, "dtype") and b in SHORT_POWERS and a.dtype.char in "fd":
        return SHORT_POWERS[b](xp, a)
    try:
        return a**b
    except ValueError as error:
        if not hasattr(b, "dtype") or "powers" not in str(error):
            raise
    ones = xp.where(a == 1, 1, xp.where(a == -1, 1 - 2 * (b % 2), 0))
    return xp.where(b < 0, ones, a ** xp.where(b < 0, 0, b)).astype(b.dtype, copy=False)


def _power_below(xp, a, b):
    """Return a ** (b - 1), with 0 where b is 0, as the derivative of a constant is 0 also at a = 0."""
    if isinstance(b, (int, float)):
        return _power(xp, a, b - 1) if b else xp.zeros_like(a)
    return xp.where(b == 0, 0, a ** xp.where(b == 0, 1, b - 1)).astype(a.dtype, copy=False)


def refuse_zero(a, b):
    """Raise where integers are divided by 0: they have no infinity to return."""
    array = b if hasattr(b, "dtype") else a
    if array.dtype.kind not in "iu":
        return
    nothing = 0 in getattr(a, "shape", ()) or 0 in array.shape
    if not nothing and (b == 0 if array is a else (b == 0).any()):
        raise RuntimeError("ZeroDivisionError")


@op(promote=True)
def remainder(xp, a, b):
    """The remainder of a / b, with the sign of b."""
    refuse_zero(a, b)
    return _left_over(xp, a, b), lambda g: g, lambda g: -g * (a // b)


@op(promote=True, name="RemainderBackward0")
def remainder_of_number(xp, a, b):
    """The remainder of a / b for a number a; has no derivative, as in PyTorch."""
    refuse_zero(a, b)
    return _left_over(xp, a, b), None, None


def _left_over(xp, a, b):
    """Return ``a % b``; a zero has the sign of `a`, as in PyTorch. NumPy gives it that of `b`."""
    rest = a % b
    return rest if rest.dtype.kind != "f" else xp.where(rest == 0, xp.copysign(rest, a), rest)


@op(promote=True)
def floor_divide(xp, a, b):
    """The quotient, rounded down."""
    refuse_zero(a, b)
    return a // b, None, None


@op(promote=True, name="DivBackward2")
def divide_down(xp, a, b):
    """The quotient, rounded down. Unlike `floor_divide` it has a derivative: 0."""
    refuse_zero(a, b)
    return a // b, lambda g: xp.zeros_like(g), lambda g: xp.zeros_like(g)


@op(promote=True, name="DivBackward2")
def divide_towards_zero(xp, a, b):
    """The quotient, rounded towards zero."""
    refuse_zero(a, b)
    if a.dtype.kind == "f" if hasattr(a, "dtype") else b.dtype.kind == "f":
        return xp.trunc(a / b), lambda g: xp.zeros_like(g), lambda g: xp.zeros_like(g)
    down = a // b  # of integers, so that large ones keep all their digits
    return down + ((down < 0) & (down * b != a)), None, None


@op
def neg(xp, x):
    """Minus x."""
    return -x, lambda g: -g


@op
def abs(xp, x):
    """The absolute value. At 0 and at NaN its gradient is 0."""
    return xp.abs(x), lambda g: g * sign.inside(xp, x)


@op
def sign(xp, x):
    """-1, 0 or 1; 0 also for NaN."""
    y = xp.where(x > 0, 1, 0) - (x < 0)
    return y.astype(x.dtype), lambda g: xp.zeros_like(g)


def _share(xp, g, lost, tied):
    """Return what one side gets of the gradient `g`: nothing where it lost, half at a tie."""
    d = kept(xp, g, ~lost)  # not "where it won": with a NaN nobody has lost, and both get `g`
    return d * (1 - tied * 0.5).astype(g.dtype, copy=False) if tied.any() else d


@op(promote=True)
def maximum(xp, a, b):
    """The larger of both; at a tie each side gets half of the gradient, as in PyTorch."""
    return (
        xp.maximum(a, b),
        lambda g: _share(xp, g, a < b, a == b),
        lambda g: _share(xp, g, a > b, a == b),
    )


@op(promote=True)
def minimum(xp, a, b):
    """The smaller of both; at a tie each side gets half of the gradient, as in PyTorch."""
    return (
        xp.minimum(a, b),
        lambda g: _share(xp, g, a > b, a == b),
        lambda g: _share(xp, g, a < b, a == b),
    )


@op(promote=True, name="ClampBackward1")
def clamp(xp, x, low, high):
    """Limit x to [low, high]. Both are numbers; an infinite one sets no limit."""
    inside = (x >= low) & (x <= high)
    return xp.clip(x, low, high), lambda g: kept(xp, g, inside), None, None


# ---- roots, exponentials, waves


@op(floating=True)
def sqrt(xp, x):
    """The square root."""
    y = xp.sqrt(x)
    return y, lambda g: g / (2 * y)


@op(floating=True)
def rsqrt(xp, x):
    """One over the square root."""
    y = 1 / xp.sqrt(x)
    return y, lambda g: g * -0.5 * y * y * y


@op(floating=True)
def reciprocal(xp, x):
    """One over x."""
    y = 1 / x
    return y, lambda g: -g * y * y


@op(floating=True)
def exp(xp, x):
    """The exponential."""
    y = over_elements(xp.exp, x)
    return y, lambda g: g * y


@op(floating=True)
def log(xp, x):
    """The natural logarithm."""
    return over_elements(xp.log, x), lambda g: g / x


@op(floating=True)
def log1p(xp, x):
    """The natural logarithm of 1 + x, accurate also near 0."""
    return xp.log1p(x), lambda g: g / (x + 1)


@op(floating=True)
def sin(xp, x):
    """The sine of x in radians."""
    return xp.sin(x), lambda g: g * xp.cos(x)


@op(floating=True)
def cos(xp, x):
    """The cosine of x in radians."""
    return xp.cos(x), lambda g: g * -xp.sin(x)


@op
def floor(xp, x):
    """The largest integer that is at most x."""
    return xp.floor(x).astype(x.dtype, copy=False), lambda g: xp.zeros_like(g)


@op
def ceil(xp, x):
    """The smallest integer that is at least x."""
    return xp.ceil(x).astype(x.dtype, copy=False), lambda g: xp.zeros_like(g)


@op
def round(xp, x, *, decimals=0):
    """The nearest number with so many decimals; ties go to the even digit."""
    return xp.round(x, decimals), lambda g: xp.zeros_like(g)


# ---- activations


@op
def relu(xp, x):
    """Positive elements and NaN stay, others become 0."""
    kind = x.dtype.kind
    if kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if kind != "f":
        y = xp.maximum(x, 0)
    elif x.size < MUCH:
        y = x.clip(0, math.inf)  # faster for floats
    else:
        y = over_elements(type(x).clip, x, 0, math.inf)
    return y, lambda g: relu_slope.inside(xp, g, y)


@op(name="ThresholdBackwardBackward0")
def relu_slope(xp, g, y):
    """What relu passes on: `g` where its result `y` is not 0. The gradient of `y` is 0."""
    # From the result, as in PyTorch: a `relu_` has overwritten the input.
    return kept(xp, g, y != 0), lambda h: kept(xp, h, y != 0), lambda h: xp.zeros_like(h)


@op(floating=True)
def tanh(xp, x):
    """The hyperbolic tangent."""
    y = over_elements(xp.tanh, x)
    return y, lambda g: g * (1 - y * y)


@op(floating=True)
def sigmoid(xp, x):
    """``1 / (1 + exp(-x))``: where the exponential overflows the quotient is 0, as it should be."""

    def share(x):
        e = xp.exp(-x)
        e += 1  # in place: one array less
        return 1 / e

    y = by_blocks(share, x)
    return y, lambda g: g * y * (1 - y)


# ---- choice and masks


@op
def where(xp, condition, a, b):
    """`a` where `condition` is True, else `b`. Both come in one type (see `Tensor.where`)."""
    return (
        xp.where(condition, a, b),
        None,
        lambda g: xp.where(condition, g, 0),
        lambda g: xp.where(condition, 0, g),
    )


@op(name="ToCopyBackward0")
def cast(xp, x, *, dtype):
    """`x` in another type. Backward casts the gradient back by itself."""
    return x.astype(dtype), lambda g: g


# ---- comparisons and logic: no derivatives


@op(promote=True)
def eq(xp, a, b):
    """Whether a equals b."""
    return a == b, None, None


@op(promote=True)
def ne(xp, a, b):
    """Whether a differs from b."""
    return a != b, None, None


@op(promote=True)
def lt(xp, a, b):
    """Whether a is less than b."""
    return a < b, None, None


@op(promote=True)
def le(xp, a, b):
    """Whether a is at most b."""
    return a <= b, None, None


@op(promote=True)
def gt(xp, a, b):
    """Whether a is greater than b."""
    return a > b, None, None


@op(promote=True)
def ge(xp, a, b):
    """Whether a is at least b."""
    return a >= b, None, None


@op(promote=True)
def overwritten_by_test(xp, a, b, *, test):
    """1 where ``test(a, b)`` holds, else 0: what a comparison in place leaves. Its derivative is 0."""
    out = test(a, b).astype(a.dtype, copy=False)
    return out, lambda g: xp.zeros_like(g), lambda g: xp.zeros_like(g)


@op(promote=True)
def bitwise_and(xp, a, b):
    """The bitwise and."""
    return a & b, None, None


@op(promote=True)
def bitwise_or(xp, a, b):
    """The bitwise or."""
    return a | b, None, None


@op(promote=True)
def bitwise_xor(xp, a, b):
    """The bitwise exclusive or."""
    return a ^ b, None, None


@op(promote=True)
def logical_and(xp, a, b):
    """Whether both differ from 0."""
    return xp.logical_and(a, b), None, None


@op(promote=True)
def logical_or(xp, a, b):
    """Whether at least one differs from 0."""
    return xp.logical_or(a, b), None, None


@op(promote=True)
def logical_xor(xp, a, b):
    """Whether exactly one differs from 0."""
    return xp.logical_xor(a, b), None, None


@op
def bitwise_not(xp, x):
    """The bitwise complement."""
    return ~x, None


@op
def logical_not(xp, x):
    """Whether x is 0."""
    return xp.logical_not(x), None


@op
def isnan(xp, x):
    """Whether x is not a number."""
    return xp.isnan(x), None


@op
def isinf(xp, x):
    """Whether x is infinite."""
    return xp.isinf(x), None


@op
def isfinite(xp, x):
    """Whether x is neither infinite nor NaN."""
    return xp.isfinite(x), None


# ---- copies


@op
def clone(xp, x, *, order="K"):
    """A copy in the memory layout of `x` ("K"), or in row-major order ("C").

    Or with its dimensions in `order`, from the slowest to the fastest.
    """
    if isinstance(order, tuple):
        back = sorted(range(x.ndim), key=lambda i: order[i])
        return x.transpose(order).copy("C").transpose(back), lambda g: g
    if order == "C" or x.flags.c_contiguous:
        return x.copy("C"), lambda g: g
    steps = tuple(max(n, -n) // x.dtype.itemsize for n in x.strides)  # those of a flip are negative
    y = empty_with_strides(xp, x.shape, x.dtype, strides_like(x.shape, steps))
    y[...] = x
    return y, lambda g: g


@op(name="CopyBackwards")
def filled(xp, x, value):
    """`value` broadcast to the shape of `x`, whose own values are lost."""
    y = xp.empty_like(x)
    y[...] = value
    return y, lambda g: xp.zeros_like(g), lambda g: g
