"""Matrix products."""

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


@op(name="AddmmBackward0")
def linear(xp, b, x, w):
    """``b + x @ w.T`` with b: (out,), x: (..., in), w: (out, in)."""
    y = x @ w.T
    y += b

    def vjp_w(g):
        return g.reshape(-1, g.shape[-1]).T @ x.reshape(-1, x.shape[-1])

    return y, lambda g: g, lambda g: g @ w, vjp_w


@op(name="MmBackward0")
def linear_without_bias(xp, x, w):
    """``x @ w.T`` with x: (..., in), w: (out, in)."""

    def vjp_w(g):
        return g.reshape(-1, g.shape[-1]).T @ x.reshape(-1, x.shape[-1])

    return x @ w.T, lambda g: g @ w, vjp_w
