"""Element by element, for whole numbers alone: shifts of their bits, common divisors and multiples.

A shift that leaves the number has PyTorch's answer.
"""

from .._engine import op


def _only_integers(name, a):
    """Raise what PyTorch does for numbers that are not whole."""
    if a.dtype.kind not in "iu":
        kinds = {"b": "Bool", 2: "Half", 4: "Float", 8: "Double"}
        kind = kinds["b" if a.dtype.kind == "b" else a.dtype.itemsize]
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{kind}'")


def _outside(a, b):
    """Return where `b` is no number of places that the bits of `a` can move."""
    return (b < 0) | (b >= 8 * a.dtype.itemsize)


@op(promote=True)
def shift_left(xp, a, b):
    """The bits moved `b` places up; 0 where nothing is left."""
    a, b = xp.asarray(a), xp.asarray(b)
    _only_integers("lshift", a)
    gone = _outside(a, b)
    return xp.where(gone, 0, a << xp.where(gone, 0, b)).astype(a.dtype, copy=False), None, None


@op(promote=True)
def shift_right(xp, a, b):
    """The bits moved `b` places down; the sign alone where nothing is left."""
    a, b = xp.asarray(a), xp.asarray(b)
    _only_integers("rshift", a)
    last = 8 * a.dtype.itemsize - 1
    places = xp.where(_outside(a, b), last, b).astype(b.dtype, copy=False)
    y = a >> places
    if a.dtype.kind == "u":
        y = xp.where(_outside(a, b), 0, y)
    return y.astype(a.dtype, copy=False), None, None


@op(promote=True)
def gcd(xp, a, b):
    """The greatest common divisor."""
    _only_integers("gcd", a)
    return xp.gcd(a, b), None, None


@op(promote=True)
def lcm(xp, a, b):
    """The least common multiple."""
    _only_integers("lcm", a)
    return xp.lcm(a, b), None, None
