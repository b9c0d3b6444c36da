"""Inverses, equations, determinants, decompositions. The shifted matrices are far from singular."""

from sample_row import Sample

N, BN = (3, 3), (2, 3, 3)


def shifted(t, a):
    """`a` plus 4 on the diagonal."""
    n = a.shape[-1]
    return a + t.tensor([[4.0 if i == j else 0.0 for i in range(n)] for j in range(n)])


def positive(t, a):
    """A positive-definite matrix made from `a`."""
    return shifted(t, a @ a.transpose(-1, -2))


def eigen(t, a):
    """What does not depend on the signs of the eigenvectors of a symmetric matrix."""
    values, vectors = t.linalg.eigh(a + a.transpose(-1, -2))
    return values.sum() + (vectors**2 * values.unsqueeze(-2)).sum(-1)


def singular(t, a, full=False):
    """What does not depend on the signs of the singular vectors."""
    u, s, vh = t.linalg.svd(a, full_matrices=full)
    k = s.shape[-1]
    return (u[..., :k] ** 2 @ s.unsqueeze(-1)).sum() + (
        vh[..., :k, :] ** 2 * s.unsqueeze(-1) ** 2
    ).sum(-2)


def product_of_qr(t, a):
    """Q and R beside one another in one number for each row."""
    q, r = t.linalg.qr(a)
    return (q**3).sum(-1).sum() + (r**2).sum(-1)


def lower_and_upper(t, a):
    """L and U in one number for each row."""
    _, low, up = t.linalg.lu(a)
    return (low**3).sum(-1).sum() + (up**2).sum(-1)


ROWS = [
    Sample("inv", lambda t, a: t.linalg.inv(shifted(t, a)), (BN,)),
    Sample("inverse", lambda t, a: shifted(t, a).inverse(), (N,)),
    Sample("solve_vector", lambda t, a, b: t.linalg.solve(shifted(t, a), b), (N, (3,))),
    Sample("solve", lambda t, a, b: t.linalg.solve(shifted(t, a), b), (BN, (3, 2))),
    Sample("solve_vectors", lambda t, a, b: t.linalg.solve(shifted(t, a), b), (BN, (2, 3))),
    Sample(
        "solve_right", lambda t, a, b: t.linalg.solve(shifted(t, a), b, left=False), (N, (2, 3))
    ),
    Sample(
        "solve_triangular",
        lambda t, a, b: t.linalg.solve_triangular(shifted(t, a), b, upper=True),
        (BN, (3, 2)),
    ),
    Sample(
        "solve_triangular_unit",
        lambda t, a, b: t.linalg.solve_triangular(a, b, upper=False, unitriangular=True),
        (N, (3, 2)),
    ),
    Sample(
        "solve_triangular_right",
        lambda t, a, b: t.linalg.solve_triangular(shifted(t, a), b, upper=False, left=False),
        (N, (2, 3)),
    ),
    Sample("det", lambda t, a: t.det(a), (BN,)),
    Sample("slogdet", lambda t, a: t.linalg.slogdet(a)[1], (BN,)),
    Sample("logdet", lambda t, a: t.logdet(positive(t, a)), (N,)),
    Sample("pinv_tall", lambda t, a: t.linalg.pinv(a), ((4, 2),)),
    Sample("pinv_wide", lambda t, a: t.pinverse(a), ((2, 2, 4),)),
    Sample("pinv_hermitian", lambda t, a: t.linalg.pinv(positive(t, a), hermitian=True), (N,)),
    Sample("lstsq", lambda t, a, b: t.linalg.lstsq(a, b).solution, ((5, 2), (5, 3))),
    Sample("cholesky", lambda t, a: t.linalg.cholesky(positive(t, a)), (BN,)),
    Sample("cholesky_upper", lambda t, a: t.linalg.cholesky(positive(t, a), upper=True), (N,)),
    Sample(
        "cholesky_solve", lambda t, b, f: t.cholesky_solve(b, shifted(t, f).tril()), ((3, 2), N)
    ),
    Sample("cholesky_inverse", lambda t, f: t.cholesky_inverse(shifted(t, f).tril()), (N,)),
    Sample("eigvalsh", lambda t, a: t.linalg.eigvalsh(a + a.transpose(-1, -2)), (BN,)),
    Sample("eigh", eigen, (BN,)),
    Sample("svdvals", lambda t, a: t.linalg.svdvals(a), ((2, 4, 3),)),
    Sample("svd_tall", singular, ((4, 3),)),
    Sample("svd_wide", singular, ((2, 3, 4),)),
    Sample("svd_full", lambda t, a: singular(t, a, full=True), ((3, 4),)),
    Sample("qr_tall", product_of_qr, ((2, 4, 3),)),
    Sample("qr_square", product_of_qr, (N,)),
    Sample("qr_wide", product_of_qr, ((3, 5),)),
    Sample("lu_square", lower_and_upper, (BN,)),
    Sample("lu_tall", lower_and_upper, ((4, 3),)),
    Sample("lu_wide", lower_and_upper, ((3, 4),)),
    Sample("lu_factor", lambda t, a: t.linalg.lu_factor(a)[0], (N,)),
    Sample(
        "lu_solve",
        lambda t, a, b: t.linalg.lu_solve(*t.linalg.lu_factor(shifted(t, a)), b),
        (N, (3, 2)),
    ),
    Sample(
        "householder_product",
        lambda t, a, tau: t.linalg.householder_product(a, tau),
        ((2, 4, 3), (2, 2)),
    ),
    Sample("tensorinv", lambda t, a: t.linalg.tensorinv(a, ind=1), ((6, 2, 3),)),
    Sample("tensorsolve", lambda t, a, b: t.linalg.tensorsolve(a, b), ((2, 3, 6), (2, 3))),
]
