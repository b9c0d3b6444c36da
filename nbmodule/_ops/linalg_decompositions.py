"""Decompositions of matrices (..., M, N): Cholesky, eigenvalues, singular values, QR, LU.

A rule has one result, so the factors of a decomposition lie in one array, beside or below one another.
Whoever calls the rule takes them apart by recorded slices, and the gradients come back together.
"""

from math import prod

from .._engine import op
from .linalg_solving import factor, inverse, raise_first, solve_triangular, transposed


def _over(xp, x, y):
    """Return x / y, with 0 for 0 / 0: what nobody asked a gradient of must not become NaN."""
    return x / xp.where((y == 0) & (x == 0), 1, y)


# ---- Cholesky


def _lower(xp, a):
    """Return the factor of one matrix and 0, or as far as it got and the order of the minor that failed."""
    try:
        return xp.linalg.cholesky(a), 0
    except ValueError:
        n, out = len(a), xp.tril(a)
        for k in range(n):
            try:
                xp.linalg.cholesky(a[: k + 1, : k + 1])
            except ValueError:
                if k:
                    out[:k, :k] = xp.linalg.cholesky(a[:k, :k])
                return out, k + 1
        return out, n


def cholesky_info(xp, a):
    """Return the factors of all matrices of `a`, and for each where it failed (0 if it did not)."""
    try:
        y = xp.linalg.cholesky(a)
        bad = xp.isnan(y.diagonal(0, -2, -1))
        if not bad.any():
            return y, xp.zeros(a.shape[:-2], xp.int32)
        return y, xp.where(bad.any(-1), bad.argmax(-1) + 1, 0).astype(xp.int32)
    except ValueError:
        parts = [_lower(xp, m) for m in a.reshape(-1, *a.shape[-2:])]
        info = xp.asarray([k for _, k in parts], xp.int32)
        return xp.stack([m for m, _ in parts]).reshape(a.shape), info.reshape(a.shape[:-2])


NOT_POSITIVE = (
    "The factorization could not be completed because the input is not positive-definite (the leading "
    "minor of order {} is not positive-definite)."
)


@op(name="LinalgCholeskyExBackward0")
def cholesky(xp, a, *, function: str | None = None):
    """The lower triangular L with ``L @ L.T == a``, from the lower triangle of `a`.

    An error gives the name `function`; without one there is no error.
    """
    y, info = cholesky_info(xp, a)
    if function:
        raise_first(info, NOT_POSITIVE, function)
    n = a.shape[-1]
    below, on = xp.tri(n, n, -1, dtype=bool), xp.eye(n, dtype=bool)

    def vjp(g):
        half = transposed(y) @ g
        half = xp.where(on, half / 2, xp.where(below, half, 0))
        back = inverse.inside(xp, y)
        d = transposed(back) @ half @ back
        return (d + transposed(d)) / 2

    return y, vjp


# ---- eigenvalues


@op(name="LinalgEighBackward0")
def eigh(xp, a, *, uplo: str = "L"):
    """Eigenvalues in rising order (the first row), and below them the eigenvectors in columns."""
    try:
        values, vectors = map(xp.asarray, xp.linalg.eigh(a, uplo))
        y = xp.concatenate([values[..., None, :], vectors], -2)
    except ValueError:  # NumPy's LinAlgError, for infinities and NaNs
        y = xp.full((*a.shape[:-2], a.shape[-1] + 1, a.shape[-1]), xp.nan, a.dtype)
    on = xp.eye(a.shape[-1], dtype=bool)

    def vjp(g):
        values, v = y[..., 0, :], y[..., 1:, :]
        gaps = values[..., None, :] - values[..., :, None]
        turned = transposed(v) @ g[..., 1:, :]
        turned = xp.where(on, 0, turned)
        middle = xp.where(on, g[..., :1, :], _over(xp, turned, xp.where(on, 1, gaps)))
        d = v @ middle @ transposed(v)
        return (d + transposed(d)) / 2

    return y, vjp


# ---- singular values


def split_svd(x, m: int, n: int, u: int, v: int):
    """Take U (..., m, u), S (..., k), and Vh (..., v, n) out of what `svd` returns."""
    k, batch = min(m, n), tuple(x.shape[:-1])
    first, second = m * u, m * u + k
    return (
        x[..., :first].reshape((*batch, m, u)),
        x[..., first:second],
        x[..., second:].reshape((*batch, v, n)),
    )


@op(name="LinalgSvdBackward0")
def svd(xp, a, *, full: bool):
    """U, S and Vh with ``a == U @ diag(S) @ Vh``, one after the other in one row."""
    *batch, m, n = a.shape
    parts = tuple(map(xp.asarray, xp.linalg.svd(a, full_matrices=full)))
    y = xp.concatenate([p.reshape(*batch, prod(p.shape[len(batch) :])) for p in parts], -1)
    k, wide = min(m, n), (m, n) if full else (min(m, n),) * 2
    on = xp.eye(k, dtype=bool)

    def vjp(g):
        u, s, vh = split_svd(y, m, n, *wide)
        gu, gs, gvh = split_svd(g, m, n, *wide)
        u, gu, vh, gvh = u[..., :k], gu[..., :k], vh[..., :k, :], gvh[..., :k, :]
        square = s * s
        gaps = xp.where(on, 1, square[..., None, :] - square[..., :, None])
        turned_u, turned_v = transposed(u) @ gu, gvh @ transposed(vh)
        middle = _over(xp, turned_u - transposed(turned_u), gaps) * s[..., None, :]
        middle = middle + s[..., :, None] * _over(xp, transposed(turned_v) - turned_v, gaps)
        d = u @ (middle + xp.where(on, gs[..., None, :], 0)) @ vh
        if m > k:
            rest = gu - u @ turned_u
            d = d + _over(xp, rest, s[..., None, :]) @ vh
        if n > k:
            rest = gvh - turned_v @ vh
            d = d + u @ _over(xp, rest, s[..., :, None])
        return d

    return y, vjp


# ---- QR


@op(name="LinalgQrBackward0")
def qr(xp, a, *, mode: str = "reduced"):
    """Q (..., M, K) and to its right the transpose of R (..., N, K) below it: ``a == Q @ R``."""
    m, n = a.shape[-2:]
    q, r = map(xp.asarray, xp.linalg.qr(a, mode))
    y = xp.concatenate([q, transposed(r)], -2)

    def vjp(g):
        if mode == "complete" and m > n:
            raise RuntimeError(
                "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
            )
        k = min(m, n)
        q, whole = y[..., :m, :], transposed(y[..., m:, :])
        r = whole[..., :k]
        gq, gr = g[..., :m, :], transposed(g[..., m:, :])
        if m < n:  # a = [Q R1, Q R2]: what comes to R2 = Q^T a2 goes on to Q and to a2
            more = gr[..., k:]
            gq, gr = gq + q @ (whole[..., k:] @ transposed(more)), gr[..., :k]
            return xp.concatenate([_square_qr(xp, q, r, gq, gr), q @ more], g.ndim - 1)
        return _square_qr(xp, q, r, gq, gr)

    return y, vjp


@op(name="LinalgQrBackward0")
def upper_factor(xp, a):
    """R alone. Its derivative would need Q."""

    def vjp(g):
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )

    return xp.asarray(xp.linalg.qr(a, "r")), vjp


def _square_qr(xp, q, r, gq, gr):
    """Return the gradient of a = q @ r (M >= N), with r: (..., N, N)."""
    n = r.shape[-1]
    x = gr @ transposed(r) - transposed(q) @ gq
    x = xp.where(xp.tri(n, n, dtype=bool).T, x, 0)
    x = xp.where(xp.eye(n, dtype=bool), x, x + transposed(x))
    d = gq + q @ x
    return transposed(solve_triangular.inside(xp, r, transposed(d), upper=True))


# ---- LU


@op(name="LinalgLuFactorExBackward0")
def lu_factor(xp, a, *, order):
    """L (below the diagonal, which is 1) and U in one array: ``a[order] == L @ U``.

    The `order` (..., M) is that in which elimination took the rows of `a`.
    """
    m, n = a.shape[-2:]
    k = min(m, n)
    y = factor(xp, a)[0]
    back = order.argsort(-1)[..., None]
    below, above = xp.tri(k, k, -1, dtype=bool), xp.tri(k, k, dtype=bool).T

    def vjp(g):
        lu, gl, gu = y[..., :k, :k], g[..., :k, :k], g[..., :k, :k]
        upper = xp.where(above, lu, 0)
        lower = xp.where(below, lu, 0) + xp.eye(k, dtype=y.dtype)
        right, tall = None, None
        if m > k:  # L2 = a2 U^-1
            tall = transposed(
                solve_triangular.inside(xp, lu, transposed(g[..., k:, :]), upper=True)
            )
            gu = gu - transposed(y[..., k:, :]) @ tall
        if n > k:  # U2 = L^-1 a2
            right = solve_triangular.inside(
                xp, transposed(lu), g[..., :, k:], upper=True, unit=True
            )
            gl = gl - right @ transposed(y[..., :, k:])
        phi = xp.where(below, transposed(lower) @ xp.where(below, gl, 0), 0)
        phi = phi + xp.where(above, xp.where(above, gu, 0) @ transposed(upper), 0)
        d = solve_triangular.inside(xp, transposed(lu), phi, upper=True, unit=True)
        d = transposed(solve_triangular.inside(xp, lu, transposed(d), upper=True))
        if tall is not None:
            d = xp.concatenate([d, tall], g.ndim - 2)
        if right is not None:
            d = xp.concatenate([d, right], g.ndim - 1)
        return _rows(xp, d, back)

    return y, vjp


def _rows(xp, x, order):
    """Return the rows of each matrix in `order` (..., M, 1)."""
    batch = x.shape[:-2]
    where = [xp.arange(n).reshape((-1,) + (1,) * (len(batch) - i)) for i, n in enumerate(batch)]
    return x[(*where, order[..., 0])]


def order_of(xp, pivots, m: int):
    """Return in which order the exchanges `pivots` (..., K) leave the rows 0 to m - 1: (..., M)."""
    *batch, k = pivots.shape
    flat = pivots.reshape(prod(batch), k)
    order = xp.zeros((len(flat), m), xp.int64) + xp.arange(m)
    each = xp.arange(len(flat))
    for j in range(k):
        other = flat[:, j] - 1
        moved = order[each, other].copy()
        order[each, other] = order[:, j]
        order[:, j] = moved
    return order.reshape(*batch, m)
