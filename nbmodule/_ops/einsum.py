"""The two steps that every `einsum` is made of; the derivative of each is such a step again."""

from math import prod

from .._engine import op

Labels = tuple[int, ...]


@op(name="DiagonalBackward0")
def diagonal_of(xp, x, *, first: int, second: int):
    """The elements whose places along two axes are the same; that axis comes last."""
    n, shape = x.shape[first], x.shape
    order = [axis for axis in range(x.ndim) if axis not in (first, second)] + [first, second]
    back = [order.index(axis) for axis in range(x.ndim)]

    def vjp(g):
        d = xp.zeros([shape[axis] for axis in order], g.dtype)
        d[..., xp.arange(n), xp.arange(n)] = g
        return d.transpose(back)

    return x.diagonal(0, first, second), vjp


@op(name="ViewBackward0")
def contract(xp, a, b, *, left: Labels, right: Labels, out: Labels):
    """``out[o] = sum over the labels that are not in o of a[left] * b[right]``, as one batched product.

    `left`, `right` and `out` hold a label for each axis of `a`, of `b` and of the result. No label is
    twice in one of them, and each is in at least two of the three.
    """
    batch = [n for n in left if n in right and n in out]
    summed = [n for n in left if n in right and n not in out]
    rows = [n for n in left if n not in right]
    columns = [n for n in right if n not in left]
    size = dict(zip((*left, *right), a.shape + b.shape, strict=True))

    def block(x, labels, *groups):
        order = [labels.index(n) for group in groups for n in group]
        return x.transpose(order).reshape([prod(size[n] for n in group) for group in groups])

    y = block(a, left, batch, rows, summed) @ block(b, right, batch, summed, columns)
    found = [*batch, *rows, *columns]
    y = y.reshape([size[n] for n in found]).transpose([found.index(n) for n in out])
    return (
        y,
        lambda g: contract.inside(xp, g, b, left=out, right=right, out=left),
        lambda g: contract.inside(xp, a, g, left=left, right=out, out=right),
    )
