"""Matrix products."""

from math import prod

from .._engine import op


@op(name="MmBackward0")
def mm(xp, a, b):
    return a @ b, lambda g: g @ b.T, lambda g: a.T @ g


@op(name="UnsafeViewBackward0")
def matmul(xp, a, b):
    """NumPy's ``@``: vectors are promoted, leading axes broadcast."""

    def vjp_a(g):
        if a.ndim == b.ndim == 1:
            return g * b
        rows = g[..., None, :] if a.ndim == 1 else g[..., None] if b.ndim == 1 else g
        d = rows @ (b[None, :] if b.ndim == 1 else b.swapaxes(-1, -2))
        return d.sum(tuple(range(d.ndim - 1))) if a.ndim == 1 else d

    def vjp_b(g):
        if a.ndim == b.ndim == 1:
            return g * a
        rows = g[..., None, :] if a.ndim == 1 else g[..., None] if b.ndim == 1 else g
        d = (a[:, None] if a.ndim == 1 else a.swapaxes(-1, -2)) @ rows
        return d.sum((*range(d.ndim - 2), d.ndim - 1)) if b.ndim == 1 else d

    return a @ b, vjp_a, vjp_b


def _rows(x):
    """Return `x`, (..., n), as a matrix: one product with it is up to four times faster than one for each part."""
    return x.reshape(prod(x.shape[:-1]), x.shape[-1])


def _times(x, w):
    """Return ``x @ w`` for a matrix `w` and `x` of any number of dimensions."""
    if x.ndim < 3:
        return x @ w
    return (_rows(x) @ w).reshape(*x.shape[:-1], w.shape[-1])


@op(name="AddmmBackward0")
def linear(xp, b, x, w):
    """``b + x @ w.T`` with b: (out,), x: (..., in), w: (out, in)."""
    y = _times(x, w.T)
    y += b
    return y, lambda g: g, lambda g: _times(g, w), lambda g: _rows(g).T @ _rows(x)


@op(name="MmBackward0")
def linear_without_bias(xp, x, w):
    """``x @ w.T`` with x: (..., in), w: (out, in)."""
    return _times(x, w.T), lambda g: _times(g, w), lambda g: _rows(g).T @ _rows(x)
