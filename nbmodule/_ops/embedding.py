"""Rows of a table, looked up by number, and put together in bags.

What looks rows up on the way there adds rows to a table on the way back, and the other way around: `embedding` and `add_rows` are each other's
derivatives.
"""

from .._engine import op

FEW = 16
"""Rows that a number names up to so often are added in rounds: all first ones at once, then all second ones."""

SMALL = 32768
"""With fewer elements, sorting would take longer than adding them one by one."""


@op
def embedding(xp, w, *, index, by_frequency: bool = False, padding: int = -1):
    """``w[index]``, with w: (V, D) and `index` of any shape.

    The gradient of the row `padding` is 0. `by_frequency` divides that of a row by how often `index` names it.
    """
    count, places = len(w), index.reshape(-1)

    def vjp(g):
        rows, at = g.reshape(places.size, g.shape[-1]), places
        if padding >= 0:
            kept = places != padding
            rows, at = rows[kept], places[kept]
        if by_frequency:
            rows = rows / xp.bincount(places, minlength=count)[at][:, None].astype(g.dtype)
        return add_rows.inside(xp, rows, index=at, count=count)

    return w.take(places, 0).reshape(*index.shape, w.shape[1]), vjp


@op(name="EmbeddingDenseBackward0")
def add_rows(xp, x, *, index, count: int):
    """A table (`count`, D) of zeros, to which the rows of x: (n, D) are added at `index`: (n,)."""
    kind = x.dtype
    x = x.astype("f4") if kind.itemsize == 2 else x  # sums in float16 would be too coarse
    y = xp.zeros((count, x.shape[1]), x.dtype)
    if xp.__name__ != "numpy" or x.size < SMALL or not x.shape[1]:
        columns = xp.arange(x.shape[1])
        xp.add.at(y.reshape(-1), (index[:, None] * x.shape[1] + columns).reshape(-1), x.reshape(-1))
    else:
        _add_sorted(xp, y, x, index)
    return y.astype(kind, copy=False), lambda g: g[index]


def _add_sorted(xp, y, x, index):
    """Add the rows of x to those of y at `index`, of which some are named often.

    That is several times faster than ``add.at``, which goes element by element.
    """
    order = index.argsort(kind="stable")
    places = index.take(order)
    starts = xp.flatnonzero(xp.append(True, places[1:] != places[:-1]))
    counts = xp.diff(xp.append(starts, len(places)))
    often = counts > FEW
    for start, times in zip(starts[often].tolist(), counts[often].tolist(), strict=True):
        y[places[start]] = x[order[start : start + times]].sum(0)
    starts, counts = starts[~often], counts[~often]
    by_count = (-counts).argsort(kind="stable")
    starts, counts = starts[by_count], counts[by_count]
    sums = x.take(order.take(starts), 0)
    for turn in range(1, int(counts.max(initial=0))):
        going = xp.count_nonzero(counts > turn)
        sums[:going] += x.take(order.take(starts[:going] + turn), 0)
    y[places.take(starts)] = sums


@op(name="EmbeddingBagBackward0")
def sum_equal_bags(xp, x, *, count: int):
    """The sums of `count` bags of equally many rows each: (n, D) -> (`count`, D)."""
    shape = (count, len(x) // count, x.shape[1])
    return (
        xp.add.reduce(x.reshape(shape), 1, "f4" if x.itemsize == 2 else None).astype(x.dtype),
        lambda g: xp.broadcast_to(g[:, None], shape).reshape(shape[0] * shape[1], shape[2]),
    )


@op(name="EmbeddingBagBackward0")
def pick(xp, x, *, places):
    """For each bag and column the element of x: (n, D) in the row that `places`: (bags, D) names; 0 for -1."""
    if not len(x):
        return xp.zeros(places.shape, x.dtype), lambda g: xp.zeros(x.shape, g.dtype)
    keep = places >= 0
    key = (xp.where(keep, places, 0), xp.arange(x.shape[1])[None])
    shape = x.shape
    return (
        xp.where(keep, x[key], 0).astype(x.dtype),
        lambda g: add_elements.inside(xp, g * keep, key=key, shape=shape),
    )


@op(name="EmbeddingBagBackward0")
def add_elements(xp, g, *, key, shape):
    """Zeros of `shape`, to which `g` is added at `key`."""
    y = xp.zeros(shape, g.dtype)
    xp.add.at(y, key, g)
    return y, lambda h: h[key]
