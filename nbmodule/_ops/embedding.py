"""Rows of a table, looked up by number, and put together in bags.

What looks rows up on the way there adds rows to a table on the way back, and the other way around: `embedding` and `add_rows` are each other's
derivatives.
"""

from .._engine import op

FEW = 16
"""Rows that a number names up to so often are added in rounds: all first ones at once, then all second ones."""

SMALL = 8192
"""With fewer elements, sorting would take longer than adding them one by one."""


@op
def embedding(xp, w, *, index, by_frequency: bool = False, padding: int = -1):
    """``w[index]``, with w: (V, D) and `index` of any shape.

    The gradient of the row `padding` is 0. `by_frequency` divides that of a row by how often `index` names it.
    """
    count, places = len(w), index.reshape(-1)

    def vjp(g):
        rows = g.reshape(-1, g.shape[-1])
        factor = _factor(xp, places, count, by_frequency, padding)
        if factor is not None:
            rows = rows * factor[places][:, None].astype(g.dtype)
        return add_rows.inside(xp, rows, index=places, count=count)

    return w[index], vjp


def _factor(xp, places, count: int, by_frequency: bool, padding: int):
    """Return what the gradient of each row is multiplied by, or None for 1."""
    if not by_frequency and padding < 0:
        return None
    factor = xp.ones(count)
    if by_frequency:
        factor = 1 / xp.maximum(xp.bincount(places, minlength=count), 1)
    if padding >= 0:
        factor[padding] = 0
    return factor


@op(name="EmbeddingDenseBackward0")
def add_rows(xp, x, *, index, count: int):
    """A table (`count`, D) of zeros, to which the rows of x: (n, D) are added at `index`: (n,)."""
    y = xp.zeros((count, x.shape[1]), x.dtype)
    if xp.__name__ != "numpy" or x.size < SMALL or not x.shape[1]:
        columns = xp.arange(x.shape[1])
        xp.add.at(y.reshape(-1), (index[:, None] * x.shape[1] + columns).reshape(-1), x.reshape(-1))
    else:
        _add_sorted(xp, y, x, index)
    return y, lambda g: g[index]


def _add_sorted(xp, y, x, index):
    """Add the rows of x to those of y at `index`, of which some are named often.

    That is several times faster than ``add.at``, which goes element by element.
    """
    order = index.argsort()
    places = index[order]
    starts = xp.flatnonzero(xp.append(True, places[1:] != places[:-1]))
    counts = xp.diff(xp.append(starts, len(places)))
    often = counts > FEW
    for start, times in zip(starts[often].tolist(), counts[often].tolist(), strict=True):
        y[places[start]] = x[order[start : start + times]].sum(0)
    starts, counts = starts[~often], counts[~often]
    for turn in range(int(counts.max(initial=0))):
        if turn:
            starts, counts = starts[counts > turn], counts[counts > turn]
        at = order[starts + turn]
        y[index[at]] += x[at]


@op(name="EmbeddingBagBackward0")
def sum_equal_bags(xp, x, *, count: int):
    """The sums of `count` bags of equally many rows each: (n, D) -> (`count`, D)."""
    shape = (count, len(x) // count, x.shape[1])
    return (
        x.reshape(shape).sum(1),
        lambda g: xp.broadcast_to(g[:, None], shape).reshape(-1, shape[2]),
    )


@op(name="EmbeddingBagBackward0")
def pick(xp, x, *, places):
    """For each bag and column the element of x: (n, D) in the row that `places`: (bags, D) names; 0 for -1."""
    keep = places >= 0
    key = (xp.where(keep, places, 0), xp.arange(x.shape[1])[None])
    shape = x.shape
    found = x[key] if len(x) else 0  # where all bags are empty
    return (
        xp.where(keep, found, 0).astype(x.dtype),
        lambda g: add_elements.inside(xp, g * keep, key=key, shape=shape),
    )


@op(name="EmbeddingBagBackward0")
def add_elements(xp, g, *, key, shape):
    """Zeros of `shape`, to which `g` is added at `key`."""
    y = xp.zeros(shape, g.dtype)
    xp.add.at(y, key, g)
    return y, lambda h: h[key]
