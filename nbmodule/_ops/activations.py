"""Activations made of straight pieces: each has a slope that is constant from one kink to the next.

At a kink the slope is PyTorch's. NumPy's `where` waits at every branch that it guesses wrongly, so on random
signs sums and products of masks are several times faster: they stand here wherever they give the same numbers.
For the larger of `x` and 0, `clip` is the fastest way to ask.
"""

from math import inf, isfinite

from .._engine import kept, op


def _pass_on(name, slopes):
    """Return the operation that multiplies a gradient by ``slopes(xp, x, **options)``.

    The slopes, a mask or numbers, are constant between the kinks: their own derivative is 0.
    """

    def times(xp, g, slope):
        return kept(xp, g, slope) if slope.dtype.kind == "b" else g * slope

    @op(name=name)
    def pass_on(xp, g, x, **options):
        def again(h):
            return times(xp, h, slopes(xp, x, **options))

        return times(xp, g, slopes(xp, x, **options)), again, lambda h: xp.zeros_like(h)

    return pass_on.inside  # type: ignore[attr-defined]


def _one_or(positive, slope):
    """Return 1 where `positive`, a mask as 1 and 0, is 1, elsewhere `slope`, each of them exactly."""
    if isinstance(slope, float) and 0 <= slope <= 1:
        return positive.clip(slope, 1)
    return positive + (1 - positive) * slope


# ---- a limit above or below


@op
def threshold(xp, x, *, threshold, value):
    """`x` above `threshold`, `value` elsewhere. NaN stays."""
    below = x <= threshold
    if x.dtype.char in "fd" and isfinite(threshold) and isfinite(value):
        y = x.clip(threshold, inf)
        y *= ~below
        y += below * x.dtype.type(value)
    else:
        y = xp.where(below, value, x).astype(x.dtype, copy=False)
    return y, lambda g: _threshold_slope(xp, g, x, threshold=threshold)


_threshold_slope = _pass_on(
    "ThresholdBackwardBackward0", lambda xp, x, threshold: ~(x <= threshold)
)


@op
def hardtanh(xp, x, *, low, high):
    """`x` within [low, high]. The slope at both ends is 0."""
    return x.clip(low, high), lambda g: _hardtanh_slope(xp, g, x, low=low, high=high)


_hardtanh_slope = _pass_on(
    "HardtanhBackwardBackward0", lambda xp, x, low, high: ~((x <= low) | (x >= high))
)


# ---- another slope below 0


@op
def leaky_relu(xp, x, *, negative_slope, in_place=False):
    """`x` above 0, below it ``negative_slope * x``."""
    if 0 < negative_slope <= 1:
        y = xp.maximum(x, x * negative_slope)
    else:
        y = x.clip(-inf, 0)
        y *= negative_slope
        y += x.clip(0, inf)
    seen = y if in_place else x

    def slope(g):
        if in_place and negative_slope < 0:  # the result no longer tells on which side of 0 it was
            raise RuntimeError(NEGATIVE_SLOPE)
        return _leaky_slope(xp, g, seen, negative_slope=negative_slope)

    return y, slope


_leaky_slope = _pass_on(
    "LeakyReluBackwardBackward0",
    lambda xp, x, negative_slope: _one_or((x > 0).astype(x.dtype), negative_slope),
)

NEGATIVE_SLOPE = (
    "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This "
    "is caused by calling in-place forward function with a negative slope, please call out-of-place version "
    "instead. File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place "
    "leakRelu backward calculation with negative slope"
)


@op(name="PreluKernelBackward0")
def prelu(xp, x, weight):
    """`x` above 0, ``weight * x`` below; the weight comes in a shape that broadcasts."""
    y = x.clip(-inf, 0) * weight
    y += x.clip(0, inf)
    return (
        y,
        lambda g: prelu_slope.inside(xp, g, x, weight),
        lambda g: prelu_weight_slope.inside(xp, g, x, weight),
    )


@op(name="PreluKernelBackwardBackward0")
def prelu_slope(xp, g, x, weight):
    """What `prelu` passes on: `g`, times the weight where `x` is not positive."""

    def slope(h):
        return h * _one_or((x > 0).astype(x.dtype), weight)

    return slope(g), slope, lambda h: xp.zeros_like(h), lambda h: kept(xp, h * g, ~(x >= 0))


@op(name="PreluKernelBackwardBackward0")
def prelu_weight_slope(xp, g, x, weight):
    """What reaches the weight of `prelu`: `g` times `x` below 0, whatever the weight is."""

    def slope(h):
        return h * xp.minimum(x, 0)

    return slope(g), slope, lambda h: kept(xp, h * g, ~(x >= 0)), lambda h: xp.zeros_like(h)


@op(name="RreluWithNoiseBackward0")
def leak(xp, x, slopes):
    """`x` above 0, below it `x` times its own slope, which is no parameter."""
    y = x.clip(-inf, 0) * slopes
    y += x.clip(0, inf)
    return y, lambda g: prelu_slope.inside(xp, g, x, slopes), None


# ---- 0 around 0


@op
def hardshrink(xp, x, *, lambd):
    """`x` outside of [-lambd, lambd], 0 inside."""
    outside = ~((x >= -lambd) & (x <= lambd))
    return kept(xp, x, outside) + 0, lambda g: _shrink_slope(xp, g, x, lambd=lambd)


@op
def softshrink(xp, x, *, lambd):
    """`x` moved towards 0 by `lambd`, and no further than 0."""
    return x - x.clip(-lambd, lambd), lambda g: _shrink_slope(xp, g, x, lambd=lambd)


_shrink_slope = _pass_on(
    "HardshrinkBackwardBackward0", lambda xp, x, lambd: ~((x >= -lambd) & (x <= lambd))
)


# ---- straight lines in the place of smooth curves


@op
def hardsigmoid(xp, x):
    """``(x + 3) / 6`` within [0, 1]."""
    y = (x + 3).clip(0, 6)
    y *= x.dtype.type(1 / 6)
    return y, lambda g: _hardsigmoid_slope(xp, g, x)


_hardsigmoid_slope = _pass_on(
    "HardsigmoidBackwardBackward0",
    lambda xp, x: ((x > -3) & (x < 3)).astype(x.dtype) * _SIXTH,
)

_SIXTH = 0.1666666716337204
"""1 / 6 as PyTorch has it here: rounded to float32."""


@op
def hardswish(xp, x):
    """``x * (x + 3) / 6`` between -3 and 3, 0 below and `x` above."""
    y = (x + 3).clip(0, 6)
    y *= x.dtype.type(1 / 6)
    y *= x
    return y, lambda g: hardswish_slope.inside(xp, g, x)


@op(name="HardswishBackwardBackward0")
def hardswish_slope(xp, g, x):
    """What hardswish passes on: ``g * (x / 3 + 1 / 2)`` between -3 and 3, else 0 or `g`."""
    slope = xp.asarray(x.clip(-3, 3))
    slope /= 3
    slope += 0.5
    slope[x <= -3] = 0  # few elements: that is quick
    slope[~(x < 3)] = 1  # NaN too
    slope *= g

    def again(h):
        return hardswish_slope.inside(xp, h, x)

    return slope, again, lambda h: kept(xp, h * g, (x > -3) & (x < 3)) / 3
