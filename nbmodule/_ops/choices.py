"""Element by element: the larger, the smaller, and what lies within limits or among others."""

from .._engine import kept, op


@op(promote=True)
def fmax(xp, a, b):
    """The larger; a number wins over NaN. The gradient goes to a where it is at least b."""
    mine = (a >= b) | (b != b)
    return xp.fmax(a, b), lambda g: kept(xp, g, mine), lambda g: kept(xp, g, ~mine)


@op(promote=True)
def fmin(xp, a, b):
    """The smaller; a number wins over NaN. The gradient goes to a where it is at most b."""
    mine = (a <= b) | (b != b)
    return xp.fmin(a, b), lambda g: kept(xp, g, mine), lambda g: kept(xp, g, ~mine)


@op(promote=True, name="ClampMinBackward1")
def clamp_min(xp, x, low):
    """`x` where it is at least `low`, else `low`. At a tie x gets the gradient."""
    mine, lost = x >= low, x < low
    return xp.maximum(x, low), lambda g: kept(xp, g, mine), lambda g: kept(xp, g, lost)


@op(promote=True, name="ClampMaxBackward1")
def clamp_max(xp, x, high):
    """`x` where it is at most `high`, else `high`. At a tie x gets the gradient."""
    mine, lost = x <= high, x > high
    return xp.minimum(x, high), lambda g: kept(xp, g, mine), lambda g: kept(xp, g, lost)


@op(promote=True, name="ClampBackward0")
def clamp_between(xp, x, low, high):
    """`x` moved into [low, high]; where the limits cross, `high` wins."""
    free = (x >= low) & (x <= high)
    at_low, at_high = (x < low) & (low < high), (x > high) | (high < low)
    return (
        xp.minimum(xp.maximum(x, low), high),
        lambda g: kept(xp, g, free),
        lambda g: kept(xp, g, at_low),
        lambda g: kept(xp, g, at_high),
    )


@op
def isin(xp, x, tests, *, invert=False):
    """Whether each element of x is among `tests`."""
    return xp.isin(x, tests, invert=invert), None, None
