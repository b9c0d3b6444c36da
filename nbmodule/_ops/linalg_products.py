"""Products of matrices and vectors that add to a third operand, and cross products."""

from .._engine import op, product, wide


def _plus(c, beta, product, alpha):
    """Return ``beta * c + alpha * product``; a `beta` of 0 hides even the NaNs of `c`.

    The factors of float16 may be larger than it holds.
    """
    if product.dtype.char == "e" and not alpha == beta == 1:
        return _plus(wide(c), beta, wide(product), alpha).astype("f2")
    scaled = product if alpha == 1 else product * alpha
    if beta == 0:
        return scaled
    return scaled + (c if beta == 1 else c * beta)


def _times(g, factor):
    return g if factor == 1 else (wide(g) * factor).astype(g.dtype, copy=False)


@op
def addmm(xp, c, a, b, *, beta: float = 1, alpha: float = 1):
    """``beta * c + alpha * (a @ b)``, with c: broadcast to (N, M), a: (N, K), b: (K, M)."""
    return (
        _plus(c, beta, product(a, b), alpha),
        lambda g: _times(g, beta),
        lambda g: product(_times(g, alpha), b.swapaxes(-1, -2)),
        lambda g: product(a.swapaxes(-1, -2), _times(g, alpha)),
    )


@op
def baddbmm(xp, c, a, b, *, beta: float = 1, alpha: float = 1):
    """``beta * c + alpha * (a @ b)`` for batches of matrices."""
    return (
        _plus(c, beta, product(a, b), alpha),
        lambda g: _times(g, beta),
        lambda g: product(_times(g, alpha), b.swapaxes(-1, -2)),
        lambda g: product(a.swapaxes(-1, -2), _times(g, alpha)),
    )


@op
def addbmm(xp, c, a, b, *, beta: float = 1, alpha: float = 1):
    """``beta * c + alpha * sum_i (a[i] @ b[i])``, with c: (N, M), a: (B, N, K), b: (B, K, M)."""
    return (
        _plus(c, beta, (a @ b).sum(0, dtype=a.dtype), alpha),
        lambda g: _times(g, beta),
        lambda g: _times(g, alpha) @ b.swapaxes(-1, -2),
        lambda g: a.swapaxes(-1, -2) @ _times(g, alpha),
    )


@op
def addmv(xp, c, a, x, *, beta: float = 1, alpha: float = 1):
    """``beta * c + alpha * (a @ x)``, with c: (N,), a: (N, K), x: (K,)."""
    return (
        _plus(c, beta, a @ x, alpha),
        lambda g: _times(g, beta),
        lambda g: _times(g, alpha)[:, None] * x[None, :],
        lambda g: a.T @ _times(g, alpha),
    )


@op(promote=True)
def addr(xp, c, x, y, *, beta: float = 1, alpha: float = 1):
    """``beta * c + alpha * (x outer y)``, with c: (N, M), x: (N,), y: (M,)."""
    return (
        _plus(c, beta, x[:, None] * y[None, :], alpha),
        lambda g: _times(g, beta),
        lambda g: _times(g, alpha) @ y,
        lambda g: x @ _times(g, alpha),
    )


@op(name="LinalgCrossBackward0")
def cross(xp, a, b, *, axis: int):
    """The vector orthogonal to both, along an axis of length 3 counted from the back (negative)."""
    a1, a2, a3 = (a[(..., i) + (slice(None),) * (-1 - axis)] for i in range(3))
    b1, b2, b3 = (b[(..., i) + (slice(None),) * (-1 - axis)] for i in range(3))
    out = xp.stack([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], axis)
    return (
        out,
        lambda g: cross.inside(xp, b, g, axis=axis),
        lambda g: cross.inside(xp, g, a, axis=axis),
    )
