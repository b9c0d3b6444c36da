"""Matrix products, and the linear layer.

A product of a small batch with a large weight takes as long as reading the weight from memory. `_features`,
`_input_gradient` and `sum_of_outer_products` then go through it in blocks; the sums are the same. `product` is ``@``, with a large
result cut into parts for the cores of the machine.
"""

from math import prod

from .._engine import are_cut, in_parts, op, product, products, sum_of_parts


@op(name="MmBackward0")
def mm(xp, a, b):
    return product(a, b), lambda g: product(g, b.T), lambda g: product(a.T, g)


@op(name="UnsafeViewBackward0")  # PyTorch multiplies stacks as one matrix, and ends with a view
def matmul(xp, a, b):
    """NumPy's ``@``: vectors are promoted, leading axes broadcast."""
    row, column = a.ndim == 1, b.ndim == 1  # asked here: neither vjp needs to keep its own side

    def vjp_a(g):
        if row and column:
            return g * b
        rows = g[..., None, :] if row else g[..., None] if column else g
        d = product(rows, b[None, :] if column else b.swapaxes(-1, -2))
        return d.sum(tuple(range(d.ndim - 1))) if row else d

    def vjp_b(g):
        if row and column:
            return g * a
        rows = g[..., None, :] if row else g[..., None] if column else g
        d = product(a[:, None] if row else a.swapaxes(-1, -2), rows)
        return d.sum((*range(d.ndim - 2), d.ndim - 1)) if column else d

    return a @ b if row or column else product(a, b), vjp_a, vjp_b


def _rows(x):
    """Return `x`, (..., n), as a matrix: one large product is up to four times faster than a stack of small ones."""
    if x.ndim == 2:
        return x
    return x.reshape(prod(x.shape[:-1]), x.shape[-1])


def _times(x, w):
    """Return ``x @ w`` for a matrix `w` and `x` of any number of dimensions.

    ``x.dot(w)`` is the same product; for small matrices NumPy starts it in a third less time.
    """
    rows = x if x.ndim < 3 else _rows(x)
    steps = products(rows.size, w.shape[-1])
    y = product(rows, w) if rows.ndim == 2 and are_cut(steps) else rows.dot(w)
    return y if x.ndim < 3 else y.reshape(*x.shape[:-1], w.shape[-1])


FEW = 16
"""Up to this many rows, a product with a large matrix is computed in blocks."""

LARGE = 1 << 18
"""From this many elements on a matrix is large: one megabyte of float32."""

SHORT = 10**6
"""Up to this many multiplications OpenBLAS computes a product without copying the matrix into an order of its own."""


def _few(xp, x, count: int):
    """Return whether products of up to `FEW` rows `x` with a matrix of `count` columns are worth cutting into blocks."""
    return len(x) > 1 and count * x.shape[1] >= LARGE and xp.__name__ == "numpy"


def _blocks(x, outputs: slice):
    """Cut `outputs` into slices: the product of `x` with each is short, and has at least 4 columns."""
    step, end = max(4, min(16 if len(x) < 8 else 32, SHORT // x.size)), outputs.stop
    return tuple(slice(i, min(i + step, end)) for i in range(outputs.start, end, step))


def _features(xp, x, w):
    """Return ``x @ w.T``; for few rows and a large `w` in blocks, so that `w` is read from memory only once."""
    if x.ndim != 2 or len(x) > FEW or not _few(xp, x, len(w)):
        return _times(x, w.T)
    y = xp.empty((len(x), len(w)), x.dtype)

    def some(outputs: slice) -> None:
        for at in _blocks(x, outputs):
            y[:, at] = x @ w[at].T

    in_parts(xp, some, len(w), w.size)
    return y


def _input_gradient(xp, g, w):
    """Return ``g @ w``; for few rows in blocks as in `_features`, a sum of what each block of outputs sends back."""
    if g.ndim != 2 or len(g) > FEW or not _few(xp, g, w.shape[1]):
        return _times(g, w)

    def some(outputs: slice):
        d = xp.zeros((len(g), w.shape[1]), g.dtype)
        for at in _blocks(d, outputs):
            d += g[:, at] @ w[at]
        return d

    return sum_of_parts(xp, some, len(w), w.size)


@op(name="MmBackward0")
def sum_of_outer_products(xp, g, x):
    """``g.T @ x`` with g: (n, out), x: (n, in): the gradient of a weight."""
    if len(x) > FEW or not _few(xp, x, g.shape[1]):
        d = product(g.T, x) if are_cut(products(x.size, g.shape[1])) else g.T.dot(x)
    else:
        d = xp.empty((g.shape[1], x.shape[1]), x.dtype)

        def some(outputs: slice) -> None:
            for at in _blocks(x, outputs):
                xp.matmul(g[:, at].T, x, out=d[at])

        in_parts(xp, some, g.shape[1], d.size)
    return d, lambda h: x @ h.T, lambda h: g @ h


@op(name="AddmmBackward0")
def linear(xp, b, x, w):
    """``b + x @ w.T`` with b: (out,), x: (..., in), w: (out, in)."""
    # The bias comes first, because it does in PyTorch's `addmm`, whose `next_functions` are in this order.
    y = _features(xp, x, w)
    y += b  # in place: the product is ours
    return (
        y,
        lambda g: g,
        lambda g: _input_gradient(xp, g, w),
        lambda g: sum_of_outer_products.inside(xp, _rows(g), _rows(x)),
    )


@op(name="MmBackward0")
def linear_without_bias(xp, x, w):
    """``x @ w.T`` with x: (..., in), w: (out, in)."""
    return (
        _features(xp, x, w),
        lambda g: _input_gradient(xp, g, w),
        lambda g: sum_of_outer_products.inside(xp, _rows(g), _rows(x)),
    )
