"""Sequences of different lengths: packed without gaps, or padded to one length."""

from .._engine import op


@op(name="PackPaddedSequenceBackward0")
def take(xp, x, *, mask):
    """The rows of x: (T, N, ...) where `mask`, (T, N), is True, one after the other."""
    return x[mask], lambda g: put.inside(xp, g, mask=mask, value=0)


@op(name="CopySlices")
def put(xp, rows, *, mask, value):
    """An array (T, N, ...) with `rows` where `mask`, (T, N), is True, and `value` elsewhere."""
    y = xp.full((*mask.shape, *rows.shape[1:]), value, rows.dtype)
    y[mask] = rows
    return y, lambda g: take.inside(xp, g, mask=mask)


@op(name="CopySlices")
def pad(xp, *sequences, length: int, value, left: bool, axis: int):
    """Sequences (L, ...) side by side along `axis`, 0 or 1, filled up to `length` with `value`."""
    first, vjps = sequences[0], []
    shape = [len(sequences), *first.shape[1:]]
    shape.insert(1 - axis, length)
    y = xp.full(shape, value, first.dtype)
    for i, x in enumerate(sequences):
        there = slice(length - len(x), length) if left else slice(0, len(x))
        at = (there, i) if axis else (i, there)
        y[at] = x
        vjps.append(lambda g, at=at: g[at])
    return y, *vjps
