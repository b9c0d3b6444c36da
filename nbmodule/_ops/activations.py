"""Activations that PyTorch has also as functions of its own, outside of `nn.functional`."""

import math

from .._engine import op


@op
def elu(xp, x, *, alpha, scale, input_scale):
    """``scale * x`` above 0; below it tends to ``-scale * alpha``."""
    negative = xp.expm1(xp.where(x > 0, 0, x) * input_scale) * alpha
    y = (xp.where(x > 0, x, negative) * scale).astype(x.dtype, copy=False)

    def slope(g):
        below = xp.exp(xp.where(x <= 0, x, 0) * input_scale) * (alpha * input_scale)
        return g * (xp.where(x <= 0, below, 1) * scale).astype(x.dtype, copy=False)

    return y, slope


@op
def celu(xp, x, *, alpha):
    """`x` above 0; below it ``alpha * (exp(x / alpha) - 1)``."""
    negative = xp.expm1(xp.where(x > 0, 0, x) / alpha) * alpha
    y = xp.where(x > 0, x, negative).astype(x.dtype, copy=False)

    def slope(g):
        below = xp.exp(xp.where(x <= 0, x, 0) / alpha)
        return g * xp.where(x <= 0, below, 1).astype(x.dtype, copy=False)

    return y, slope


@op
def threshold(xp, x, *, threshold, value):
    """`x` above `threshold`, `value` elsewhere."""
    above = ~(x <= threshold)
    return xp.where(above, x, value).astype(x.dtype, copy=False), lambda g: g * above


@op
def hardshrink(xp, x, *, lambd):
    """`x` outside of [-lambd, lambd], 0 inside."""
    kept = ~((x >= -lambd) & (x <= lambd))
    return xp.where(kept, x, 0).astype(x.dtype, copy=False), lambda g: g * kept


@op(name="PreluKernelBackward0")
def prelu(xp, x, weight):
    """`x` above 0, ``weight * x`` below; the weight comes in a shape that broadcasts."""
    y = xp.where(x > 0, x, weight * x)
    return (
        y,
        lambda g: xp.where(x > 0, g, weight * g),
        lambda g: xp.where(x > 0, 0, x * g),
    )


@op(name="RreluWithNoiseBackward0")
def leak(xp, x, slopes):
    """`x` above 0, below it `x` times its own slope."""
    below = ~(x > 0)
    return xp.where(below, x * slopes, x), lambda g: xp.where(below, g * slopes, g), None


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
