"""Element by element: a third number added to, or between, two others."""

from .._engine import op, wide


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
        (wide(x) + value * wide(a) * wide(b)).astype(x.dtype, copy=False),
        lambda g: g,
        lambda g: g * _times(b, value),
        lambda g: g * _times(a, value),
    )


@op(promote=True)
def addcdiv(xp, x, a, b, *, value):
    """``x + value * a / b``."""
    return (
        (wide(x) + value * wide(a) / wide(b)).astype(x.dtype, copy=False),
        lambda g: g,
        lambda g: g * (value / wide(b)).astype(b.dtype, copy=False),
        lambda g: -g * _times(a / b / b, value),
    )


def _times(x, value):
    """Return `x` times a number, which may be larger than float16 holds."""
    return (wide(x) * value).astype(x.dtype, copy=False)
