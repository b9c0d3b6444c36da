"""Matrix products."""

from math import prod

from .._engine import op


@op(name="MmBackward0")
def mm(xp, a, b):
    return a @ b, lambda g: g @ b.T, lambda g: a.T @ g


@op(name="UnsafeViewBackward0")
def matmul(xp, a, b):
    """NumPy's ``@``: vectors are promoted, leading axes broadcast."""
    row, column = a.ndim == 1, b.ndim == 1  # a vjp keeps the other side, and not its own

    def vjp_a(g):
        if row and column:
            return g * b
        rows = g[..., None, :] if row else g[..., None] if column else g
        d = rows @ (b[None, :] if column else b.swapaxes(-1, -2))
        return d.sum(tuple(range(d.ndim - 1))) if row else d

    def vjp_b(g):
        if row and column:
            return g * a
        rows = g[..., None, :] if row else g[..., None] if column else g
        d = (a[:, None] if row else a.swapaxes(-1, -2)) @ rows
        return d.sum((*range(d.ndim - 2), d.ndim - 1)) if column else d

    return a @ b, vjp_a, vjp_b


def _rows(x):
    """Return `x`, (..., n), as a matrix: one product with it is up to four times faster than one for each part."""
    if x.ndim == 2:
        return x
    return x.reshape(prod(x.shape[:-1]), x.shape[-1])


def _times(x, w):
    """Return ``x @ w`` for a matrix `w` and `x` of any number of dimensions.

    ``x.dot(w)`` is the same product; for small matrices NumPy begins it in a third less time.
    """
    if x.ndim < 3:
        return x.dot(w)
    return _rows(x).dot(w).reshape(*x.shape[:-1], w.shape[-1])


FEW = 16
"""Up to so many rows, a product with a large matrix is made in blocks."""

LARGE = 1 << 18
"""How many elements a matrix has that is large."""

SHORT = 10**6
"""A product of no more multiplications than this: OpenBLAS makes it without copying the matrix to another order."""


def _few(xp, x, count: int):
    """Return whether products of up to `FEW` rows `x` with a matrix of `count` columns are worth making in blocks."""
    return len(x) > 1 and count * x.shape[1] >= LARGE and xp.__name__ == "numpy"


def _blocks(x, count: int):
    """Cut `count` outputs for few rows `x` into blocks of short products."""
    step = max(4, min(16 if len(x) < 8 else 32, SHORT // x.size))
    return tuple(slice(i, min(i + step, count)) for i in range(0, count, step))


def _features(xp, x, w):
    """Return ``x @ w.T``; with few rows and a large `w`, memory is what takes the time, and `w` is read once."""
    if x.ndim != 2 or len(x) > FEW or not _few(xp, x, len(w)):
        return _times(x, w.T)
    y = xp.empty((len(x), len(w)), x.dtype)
    for at in _blocks(x, len(w)):
        y[:, at] = x @ w[at].T
    return y


def _input_gradient(xp, g, w):
    """Return ``g @ w``, for few rows as in `_features`: block by block what the outputs `at` send back."""
    if g.ndim != 2 or len(g) > FEW or not _few(xp, g, w.shape[1]):
        return _times(g, w)
    d = xp.zeros((len(g), w.shape[1]), g.dtype)
    for at in _blocks(d, len(w)):
        d += g[:, at] @ w[at]
    return d


@op(name="MmBackward0")
def sum_of_outer_products(xp, g, x):
    """``g.T @ x`` with g: (n, out), x: (n, in): the gradient of a weight."""
    if len(x) > FEW or not _few(xp, x, g.shape[1]):
        d = g.T.dot(x)
    else:
        d = xp.empty((g.shape[1], x.shape[1]), x.dtype)
        for at in _blocks(x, g.shape[1]):
            xp.matmul(g[:, at].T, x, out=d[at])
    return d, lambda h: x @ h.T, lambda h: g @ h


@op(name="AddmmBackward0")
def linear(xp, b, x, w):
    """``b + x @ w.T`` with b: (out,), x: (..., in), w: (out, in)."""
    y = _features(xp, x, w)
    y += b
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
