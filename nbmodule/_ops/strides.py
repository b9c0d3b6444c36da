"""Views that NumPy has no method for: diagonals, sliding windows, strides of one's own."""

from .._engine import op


def lay_out(xp, x, shape, strides, start: int):
    """Return a writable view of the memory of `x`; `strides` and `start` count elements from its base."""
    root = x if not isinstance(x.base, type(x)) or x.base.dtype != x.dtype else x.base
    flat = root.reshape(-1) if root.flags.c_contiguous else root.ravel(order="K")
    size = x.itemsize
    steps = tuple(n * size for n in strides)
    if hasattr(x, "__array_interface__"):
        y = xp.ndarray(shape, x.dtype, flat, start * size, steps).view(type(x))
        y.flags.writeable = x.flags.writeable
        return y
    return xp.lib.stride_tricks.as_strided(flat[start:], shape, steps)


@op
def as_strided(xp, x, *, shape, strides, start: int, own_strides, own_start: int, numel: int):
    """The elements of a storage of `numel` elements at ``start + strides * index``.

    Elements that lie in the memory of `x` twice share what comes back.
    """

    def places(sizes, steps, first):
        where = xp.full(sizes, first, "i8")
        for axis, (n, step) in enumerate(zip(sizes, steps, strict=True)):
            where += (xp.arange(n) * step).reshape((n,) + (1,) * (len(sizes) - axis - 1))
        return where

    own, shown = places(x.shape, own_strides, own_start), places(shape, strides, start)
    held = xp.zeros((numel,), "i8")
    xp.add.at(held, own, 1)
    sharing = held[own]

    def vjp(g):
        memory = xp.zeros((numel,), g.dtype)
        xp.add.at(memory, (shown,), g)
        return memory[(own,)] / sharing

    return lay_out(xp, x, shape, strides, start), vjp


@op
def diagonal(xp, x, *, offset: int, dim0: int, dim1: int):
    """A view of the elements ``i, i + offset``, along a new last axis."""
    y = x.diagonal(offset, dim0, dim1)
    if hasattr(y, "__array_interface__"):  # NumPy's is read-only for no reason of ours
        y.flags.writeable = x.flags.writeable
    n, shape = y.shape[-1], x.shape
    first = xp.arange(n) + max(-offset, 0)

    def vjp(g):
        rest = [a for a in range(len(shape)) if a not in (dim0, dim1)]
        d = xp.zeros([shape[a] for a in rest] + [shape[dim0], shape[dim1]], g.dtype)
        d[..., first, first + offset] = g
        back = [0] * len(shape)
        for position, a in enumerate((*rest, dim0, dim1)):
            back[a] = position
        return d.transpose(back)

    return y, vjp


@op
def unfold(xp, x, *, axis: int, size: int, step: int):
    """A view of windows along `axis`, each `size` long; they lie along a new last axis."""
    n = (x.shape[axis] - size) // step + 1
    item = x.itemsize
    strides = [s // item for s in x.strides]
    shape = (*x.shape[:axis], n, *x.shape[axis + 1 :], size)
    steps = (*strides[:axis], strides[axis] * step, *strides[axis + 1 :], strides[axis])
    key = (slice(None),) * axis + (xp.arange(n)[:, None] * step + xp.arange(size),)
    old = x.shape

    def vjp(g):
        d = xp.zeros(old, g.dtype)
        xp.add.at(d, key, xp.moveaxis(g, -1, axis + 1))
        return d

    return lay_out(xp, x, shape, steps, first_element(x)), vjp


def first_element(x) -> int:
    """Return how many elements lie before the first of `x` in the memory of its base."""
    root = x.base
    if not isinstance(root, type(x)) or root.dtype != x.dtype:
        return 0
    address = "__array_interface__"
    if hasattr(x, address):
        return (
            x.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        ) // x.itemsize
    return (x.data.ptr - root.data.ptr) // x.itemsize
