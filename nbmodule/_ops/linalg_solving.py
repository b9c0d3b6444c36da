"""Inverses, solutions of linear equations, determinants, and the exponential of a matrix.

All take batches of matrices (..., N, N). Each derivative is written with the operation itself or another
of this file, so it can be differentiated again.
"""

from math import prod

from .._engine import op


class _LinAlgError(RuntimeError):
    """A matrix that an algorithm cannot work with: singular, not positive-definite."""


_LinAlgError.__module__ = "nbmodule.linalg"
LinAlgError = _LinAlgError


def transposed(x):
    """Return the matrices `x` turned over."""
    return x.swapaxes(-1, -2)


def factor(xp, a):
    """Return ``(lu, pivots)`` of the elimination with row exchanges: L below the diagonal, U above.

    For a (..., M, N), L and U are one array (..., M, N), and the pivots (..., min(M, N)) say for each
    step which row, counted from 1, was exchanged with the row of the step.
    """
    *batch, m, n = a.shape
    lu = a.reshape(prod(batch), m, n).copy()
    each = xp.arange(len(lu))
    pivots = xp.zeros((len(lu), min(m, n)), xp.int32)
    for j in range(min(m, n) if len(lu) else 0):
        best = abs(lu[:, j:, j]).argmax(1) + j
        pivots[:, j] = best + 1
        row = lu[each, best].copy()
        lu[each, best] = lu[:, j]
        lu[:, j] = row
        pivot = lu[:, j, j][:, None]
        lu[:, j + 1 :, j] /= xp.where(pivot == 0, 1, pivot)
        lu[:, j + 1 :, j + 1 :] -= lu[:, j + 1 :, j, None] * lu[:, j, None, j + 1 :]
    return lu.reshape(a.shape), pivots.reshape(*batch, min(m, n))


def first_zero(xp, lu):
    """Return for each matrix of factors which diagonal element, counted from 1, is 0; 0 if none is."""
    diagonal = lu.diagonal(0, -2, -1) == 0
    if not diagonal.shape[-1]:
        return xp.zeros(diagonal.shape[:-1], xp.int32)
    return xp.where(diagonal.any(-1), diagonal.argmax(-1) + 1, 0).astype(xp.int32)


def raise_first(info, text: str, function: str):
    """Raise for the first matrix whose `info` is not 0, with that number for {} in `text`."""
    failed = info.reshape(-1).nonzero()[0]
    if len(failed):
        where = f"(Batch element {int(failed[0])}): " if info.ndim else ""
        raise LinAlgError(f"{function}: {where}" + text.format(int(info.reshape(-1)[failed[0]])))


@op(name="LinalgInvExBackward0")
def inverse(xp, a):
    """``a**-1``; all NaN where a matrix has none."""
    y = _tolerant(xp, a)
    return y, lambda g: -(transposed(y) @ g @ transposed(y))


def _tolerant(xp, a):
    try:
        return xp.linalg.inv(a)
    except ValueError:  # NumPy's LinAlgError: one of them is singular
        if a.ndim == 2:
            return xp.full(a.shape, xp.nan, a.dtype)
        parts = [_tolerant(xp, m) for m in a.reshape(-1, *a.shape[-2:])]
        return xp.stack(parts).reshape(a.shape)


@op(name="LinalgSolveExBackward0")
def solve(xp, a, b):
    """``a**-1 @ b``, with b: (..., N, K)."""
    try:
        y = xp.linalg.solve(a, b)
    except ValueError:
        y = inverse.inside(xp, a) @ b

    def vjp_b(g):
        return solve.inside(xp, transposed(a), g)

    return y, lambda g: -(vjp_b(g) @ transposed(y)), vjp_b


@op(name="LinalgSolveTriangularBackward0")
def solve_triangular(xp, a, b, *, upper: bool, unit: bool = False):
    """Solve by substitution, one row after the other. `unit`: the diagonal counts as 1."""
    n = a.shape[-1]
    shape = xp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    y = xp.broadcast_to(b, shape + b.shape[-2:]).copy()
    for i in reversed(range(n)) if upper else range(n):
        known = slice(i + 1, None) if upper else slice(i)
        y[..., i, :] -= (a[..., i, None, known] @ y[..., known, :])[..., 0, :]
        if not unit:
            y[..., i, :] /= a[..., i, i, None]
    used = xp.tri(n, n, -1 if unit else 0, dtype=bool)
    used = used.T if upper else used

    def vjp_b(g):
        return solve_triangular.inside(xp, transposed(a), g, upper=not upper, unit=unit)

    return y, lambda g: xp.where(used, -(vjp_b(g) @ transposed(y)), 0), vjp_b


@op(name="LinalgDetBackward0")
def det(xp, a):
    """The determinant. Where it is 0 no gradient goes on, as in PyTorch."""
    y = xp.asarray(xp.linalg.det(a))

    def vjp(g):
        singular = (y == 0)[..., None, None]
        regular = xp.where(singular, xp.eye(a.shape[-1], dtype=a.dtype), a)
        return (g * y)[..., None, None] * transposed(inverse.inside(xp, regular))

    return y, vjp


@op(name="LinalgSlogdetBackward0")
def logabsdet(xp, a):
    """The logarithm of the size of the determinant."""
    y = xp.asarray(xp.linalg.slogdet(a)[1])
    return y, lambda g: g[..., None, None] * transposed(inverse.inside(xp, a))


@op(name="LinalgSlogdetBackward0")
def sign_of_det(xp, a):
    """The sign of the determinant: 1, -1, or 0. It does not change, except by a jump."""
    return xp.asarray(xp.linalg.slogdet(a)[0]), lambda g: xp.zeros_like(a)


@op
def cholesky_solve(xp, b, f, *, upper: bool = False):
    """``(f @ f.T)**-1 @ b`` for a lower triangle f (..., N, N), ``(f.T @ f)**-1 @ b`` for an upper one."""
    low = transposed(f) if upper else f
    half = solve_triangular.inside(xp, low, b, upper=False)
    y = solve_triangular.inside(xp, transposed(low), half, upper=True)

    def vjp_b(g):
        return cholesky_solve.inside(xp, g, f, upper=upper)

    def vjp_f(g):
        common = vjp_b(g) @ transposed(y)
        common = common + transposed(common)
        return -(f @ common) if upper else -(common @ f)

    return y, vjp_b, vjp_f


_PADE = (64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
         10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1)  # fmt: skip
"""The coefficients of the quotient of polynomials of degree 13 that is closest to exp near 0."""


def _exponential(xp, a):
    """Return exp(a): that of a small matrix by a quotient of polynomials, then squared again and again."""
    n = a.shape[-1]
    if n <= 1:
        return xp.exp(a)
    largest = float(abs(a).sum(-2).max())
    halvings = 0
    while largest > 5.4 and halvings < 1000:
        largest, halvings = largest / 2, halvings + 1
    x = a / 2**halvings
    one, x2 = xp.eye(n, dtype=a.dtype), x @ x
    power, even, odd = one, one * float(_PADE[0]), one * float(_PADE[1])
    for k in range(2, 14, 2):
        power = power @ x2
        even = even + power * float(_PADE[k])
        odd = odd + power * float(_PADE[k + 1])
    odd = x @ odd
    y = xp.linalg.solve((even - odd) / float(_PADE[0]), (even + odd) / float(_PADE[0]))
    for _ in range(halvings):
        y = y @ y
    return y.astype(a.dtype, copy=False)


@op(name="LinalgMatrixExpBackward0")
def matrix_exp(xp, a):
    """The exponential: ``1 + a + a @ a / 2 + a @ a @ a / 6`` and so on."""
    n = a.shape[-1]

    def vjp(g):
        """The upper right block of exp([[a^T, g], [0, a^T]])."""
        turned, last = transposed(a), g.ndim - 1
        above = xp.concatenate([turned, g], last)
        below = xp.concatenate([xp.zeros_like(g), turned], last)
        return matrix_exp.inside(xp, xp.concatenate([above, below], last - 1))[..., :n, n:]

    return _exponential(xp, a), vjp


@op(name="LinalgPinvBackward0")
def pinv(xp, a, *, cut, hermitian: bool = False):
    """The pseudoinverse (..., N, M) of a (..., M, N).

    Singular values s (..., K) up to ``cut(s)`` (..., 1) count as 0. With `hermitian`, `a` is taken for
    symmetric, and its lower triangle alone is looked at.
    """
    if hermitian:
        s, u = map(xp.asarray, xp.linalg.eigh(a))
        vh, size = transposed(u), abs(s)
    else:
        u, s, vh = map(xp.asarray, xp.linalg.svd(a, full_matrices=False))
        size = s
    kept = size > cut(size)
    turned = xp.where(kept, 1 / xp.where(kept, s, 1), 0).astype(a.dtype)
    y = (transposed(vh) * turned[..., None, :]) @ transposed(u)

    def vjp(g):
        gt, yt = transposed(g), transposed(y)
        left = (gt - a @ (y @ gt)) @ y @ yt
        right = yt @ y @ (gt - (gt @ y) @ a)
        return left + right - yt @ g @ yt

    return y, vjp
