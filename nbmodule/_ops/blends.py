"""Element by element: a third number added to, or between, two others."""

from .._engine import op


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
