"""Inverses, equations, decompositions, norms: values, named tuples, errors."""

import warnings

from casebook import case, error

from topics.matrices import messages, numbers


def regular(t, n=3, *batch):
    """A matrix that is far from singular."""
    return numbers(t, *batch, n, n) + 5 * t.eye(n)


def positive(t, n=3):
    a = numbers(t, n, n)
    return a @ a.T + t.eye(n)


@case
def inverses(t):
    a = regular(t)
    return [
        t.linalg.inv(a), t.inverse(regular(t, 3, 2)), a.inverse(), list(t.linalg.inv_ex(a)),
        t.linalg.inv_ex(t.zeros(2, 2)).info, t.linalg.inv(t.zeros(0, 0)), repr(t.linalg.inv_ex(t.eye(2))),
        t.linalg.tensorinv(regular(t, 6).reshape(6, 2, 3), ind=1),
        *messages(
            lambda: t.linalg.inv(t.ones(2, 3)),
            lambda: t.linalg.inv(t.ones(3)),
            lambda: t.linalg.inv(t.ones(3, 3, dtype=t.int64)),
            lambda: t.linalg.inv(t.ones(3, 3, dtype=t.float16)),
            lambda: t.linalg.inv(t.zeros(2, 2)),
            lambda: t.linalg.inv(t.tensor([[1.0, 2.0], [2.0, 4.0]])),
            lambda: t.linalg.inv(t.stack([t.eye(2), t.zeros(2, 2)])),
            lambda: t.linalg.inv_ex(t.zeros(2, 2), check_errors=True),
            lambda: t.inverse(t.zeros(2, 2)),
            lambda: t.linalg.tensorinv(t.ones(2, 3, 5), ind=2),
            lambda: t.linalg.tensorinv(t.ones(2, 3, 6), ind=0),
        ),
        issubclass(t.linalg.LinAlgError, RuntimeError),
    ]  # fmt: skip


@case
def equations(t):
    a, b = regular(t), numbers(t, 3, 2)
    solve = t.linalg.solve
    return [
        solve(a, b), solve(a, b[:, 0]), solve(regular(t, 3, 2), b), solve(regular(t, 3, 2), b.T),
        solve(a, b.T, left=False), repr(t.linalg.solve_ex(t.eye(2), t.ones(2))),
        t.linalg.tensorsolve(regular(t, 6).reshape(2, 3, 6), numbers(t, 2, 3)),
        *messages(
            lambda: solve(a, t.ones(2, 3)),
            lambda: solve(a, t.ones(4)),
            lambda: solve(t.ones(2, 3), t.ones(3)),
            lambda: solve(t.ones(3), t.ones(3)),
            lambda: solve(t.zeros(2, 2), t.ones(2)),
            lambda: solve(t.stack([t.eye(2), t.zeros(2, 2)]), t.ones(2, 2)),
            lambda: solve(a, b.double()),
            lambda: solve(a.long(), b.long()),
            lambda: solve(a.half(), b.half()),
            lambda: t.linalg.tensorsolve(t.ones(2, 3, 5), t.ones(2, 3)),
        ),
    ]  # fmt: skip


@case
def triangular_equations(t):
    a, b = regular(t), numbers(t, 3, 2)
    solve = t.linalg.solve_triangular
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = t.triangular_solve(b, a, transpose=True)
    return [
        solve(a, b, upper=True), solve(a, b, upper=False), solve(a, b, upper=False, unitriangular=True),
        solve(a, b.T, upper=True, left=False), list(old), solve(t.zeros(2, 2), t.ones(2, 2), upper=True),
        t.cholesky_solve(b, a), t.cholesky_solve(b, a, upper=True), t.cholesky_inverse(a.tril()),
        *messages(
            lambda: solve(a, t.ones(3), upper=True),
            lambda: solve(a, t.ones(2, 3), upper=True),
            lambda: solve(t.ones(2, 3), t.ones(2, 3), upper=True),
            lambda: solve(a.long(), b.long(), upper=True),
            lambda: t.cholesky_solve(t.ones(3), a),
            lambda: t.cholesky_solve(t.ones(2, 2), a),
            lambda: t.cholesky_inverse(t.ones(2, 3)),
        ),
    ]  # fmt: skip


@case
def determinants(t):
    a = regular(t)
    zero = t.zeros(3, 3, requires_grad=True)
    t.det(zero).backward()
    return [
        t.det(a), t.linalg.det(regular(t, 3, 2)), t.det(t.zeros(0, 0)), t.det(t.zeros(2, 2)), zero.grad,
        list(t.slogdet(-a)), list(t.linalg.slogdet(t.zeros(2, 2))), t.logdet(a), t.logdet(-t.eye(3)),
        repr(t.linalg.slogdet(t.eye(2))), repr(t.eye(2).slogdet()),
        *messages(
            lambda: t.det(t.ones(2, 3)),
            lambda: t.det(t.ones(3)),
            lambda: t.linalg.det(a.long()),
            lambda: t.slogdet(t.ones(2, 3)),
            lambda: t.logdet(t.ones(2, 3)),
        ),
    ]  # fmt: skip


@case
def factors_of_cholesky(t):
    a = positive(t)
    cholesky = t.linalg.cholesky
    return [
        cholesky(a), cholesky(a, upper=True), list(t.linalg.cholesky_ex(a)), cholesky(t.zeros(0, 0)),
        t.linalg.cholesky_ex(t.tensor([[1.0, 0.0], [0.0, -1.0]])).info, repr(t.linalg.cholesky_ex(t.eye(2))),
        *messages(
            lambda: cholesky(-t.eye(3)),
            lambda: cholesky(t.tensor([[1.0, 0.0], [0.0, -1.0]])),
            lambda: cholesky(t.stack([t.eye(2), -t.eye(2)])),
            lambda: cholesky(t.ones(2, 3)),
            lambda: cholesky(a.long()),
            lambda: t.linalg.cholesky_ex(-t.eye(3), check_errors=True),
        ),
    ]  # fmt: skip


@case
def eigenvalues(t):
    a = positive(t)
    values, vectors = t.linalg.eigh(a)
    return [
        values, vectors.abs(), t.linalg.eigvalsh(numbers(t, 3, 3)), t.linalg.eigvalsh(numbers(t, 3, 3), "U"),
        t.linalg.eigvalsh(t.full((2, 2), float("nan"))), repr(t.linalg.eigh(t.eye(2))),
        list(t.linalg.eigh(t.zeros(0, 0))),
        *messages(
            lambda: t.linalg.eigh(a, "X"),
            lambda: t.linalg.eigh(t.ones(2, 3)),
            lambda: t.linalg.eigh(t.ones(3)),
            lambda: t.linalg.eigh(a.long()),
        ),
    ]  # fmt: skip


@case
def singular_values(t):
    a = numbers(t, 3, 2)
    whole, short = t.linalg.svd(a), t.linalg.svd(a.T, full_matrices=False)
    return [
        [x.abs() for x in whole][1:], [list(x.shape) for x in (*whole, *short)], short.S,
        t.linalg.svdvals(numbers(t, 2, 3, 4)), t.linalg.svdvals(t.zeros(0, 3)),
        (short.U * short.S) @ short.Vh, repr(t.linalg.svd(t.eye(2))),
        *messages(
            lambda: t.linalg.svd(t.ones(3)),
            lambda: t.linalg.svd(a.long()),
            lambda: t.linalg.svd(a, driver="gesvd"),
            lambda: t.linalg.svd(t.full((2, 2), float("nan"))),
        ),
    ]  # fmt: skip


@case
def ranks_and_pseudoinverses(t):
    a = numbers(t, 3, 2)
    small = t.diag(t.tensor([1.0, 1e-3, 1e-9]))
    rank, pinv = t.linalg.matrix_rank, t.linalg.pinv
    return [
        rank(a), rank(t.ones(3, 3)), rank(t.ones(2, 3, 3)), rank(small, atol=1e-4), rank(small, rtol=1e-2),
        rank(small, 1e-2), rank(positive(t), hermitian=True), rank(t.zeros(2, 0)), pinv(a), pinv(t.ones(2, 2)),
        pinv(a, rtol=0.9), pinv(a, atol=1.0), pinv(positive(t), hermitian=True), t.pinverse(a, 0.9),
        pinv(t.zeros(0, 3)),
        *messages(lambda: rank(t.ones(3)), lambda: rank(a.long()), lambda: pinv(a[0]), lambda: pinv(a.long())),
    ]  # fmt: skip


@case
def orthogonal_factors(t):
    a = numbers(t, 4, 3) + t.eye(4, 3)
    qr = t.linalg.qr
    reflections = t.geqrf(a)
    return [
        list(qr(a)), list(qr(a.T)), list(qr(a, mode="complete")), list(qr(a, mode="r")),
        list(qr(t.zeros(3, 0))), repr(qr(t.tensor([[-2.0]]))), list(reflections),
        t.linalg.householder_product(*reflections), t.ormqr(*reflections, t.ones(4, 2)),
        *messages(
            lambda: qr(a, "foo"),
            lambda: qr(t.ones(3)),
            lambda: qr(a.long()),
            lambda: qr(a.requires_grad_(), mode="complete").Q.sum().backward(),
            lambda: qr(a.requires_grad_(), mode="r").R.sum().backward(),
            lambda: t.linalg.householder_product(t.ones(3, 4), t.ones(3)),
            lambda: t.linalg.householder_product(t.ones(4, 3), t.ones(4)),
            lambda: t.linalg.householder_product(t.ones(4), t.ones(4)),
            lambda: t.linalg.householder_product(t.ones(4, 3), t.ones(3, dtype=t.float64)),
        ),
    ]  # fmt: skip


@case
def triangular_factors(t):
    a = numbers(t, 3, 3) + t.eye(3)
    data, pivots = t.linalg.lu_factor(a)
    return [
        list(t.linalg.lu(a)), list(t.linalg.lu(a[:, :2])), list(t.linalg.lu(a[:2])), data, pivots,
        list(t.linalg.lu_factor_ex(t.zeros(2, 2))), list(t.lu_unpack(data, pivots)),
        t.linalg.lu_solve(data, pivots, a[:, :2]), t.linalg.lu_solve(data, pivots, a[:2], left=False),
        t.linalg.lu_solve(data, pivots, a, adjoint=True), repr(t.linalg.lu(t.eye(2))),
        repr(t.linalg.lu_factor(t.eye(2))), repr(t.linalg.lu_factor_ex(t.eye(2))),
        *messages(
            lambda: t.linalg.lu_factor(t.zeros(2, 2)),
            lambda: t.linalg.lu(a, pivot=False),
            lambda: t.linalg.lu(t.ones(3)),
            lambda: t.linalg.lu_factor(a.long()),
            lambda: t.linalg.lu_solve(data, pivots, t.ones(3)),
        ),
    ]  # fmt: skip


@case
def least_squares(t):
    a, b = numbers(t, 4, 2), numbers(t, 4, 3)
    lstsq = t.linalg.lstsq
    return [
        list(lstsq(a, b)), list(lstsq(a, b, driver="gelsd")), list(lstsq(a, b, driver="gels")),
        lstsq(a.T, b[:2]).solution, lstsq(a, b[:, 0]).solution, list(lstsq(t.ones(4, 2), b)),
        repr(lstsq(t.eye(2), t.ones(2, 1))),
        *messages(
            lambda: lstsq(a, b, driver="foo"),
            lambda: lstsq(a, b[:3]),
            lambda: lstsq(a, b.double()),
            lambda: lstsq(a[:, 0], b),
            lambda: lstsq(a.long(), b.long()),
            lambda: lstsq(t.ones(3, 4, 2), t.ones(4, 3)),
        ),
    ]  # fmt: skip


@case
def norms(t):
    x, inf = numbers(t, 2, 3, 2), float("inf")
    norm, vector, matrix = t.linalg.norm, t.linalg.vector_norm, t.linalg.matrix_norm
    orders = "fro", "nuc", 1, -1, 2, -2, inf, -inf
    return [
        [matrix(x, p) for p in orders], [matrix(x, p, dim=(0, 1), keepdim=True) for p in orders],
        [norm(x[0], p) for p in orders], [vector(x, p) for p in (0, 0.5, 1, 2, 3.5, inf, -inf, -1)],
        [norm(x[0, 0], p) for p in (0, 1, 2, 3, -1, inf)], vector(x, 3, dim=(0, -1), keepdim=True),
        norm(x), norm(x, dim=1), norm(x, 1, (0, 2)), norm(t.zeros(0)), matrix(t.zeros(0, 2)),
        matrix(t.zeros(0, 2), 2), vector(x, dtype=t.float64), norm(x[0], "nuc", dim=(0, 1), keepdim=True),
        [t.linalg.cond(x[0, :2], p) for p in (None, *orders)], t.linalg.cond(t.zeros(2, 2), "fro"),
    ]  # fmt: skip


@case
def norms_that_do_not_fit(t):
    x, inf = numbers(t, 2, 3, 2), float("inf")
    norm, vector, matrix, cond = (
        t.linalg.norm,
        t.linalg.vector_norm,
        t.linalg.matrix_norm,
        t.linalg.cond,
    )
    return messages(
        lambda: norm(x[0, 0], "fro"), lambda: norm(x, 2), lambda: norm(x, dim=(0, 1, 2)),
        lambda: norm(x, "nuc", dim=0), lambda: norm(x[0], "foo"), lambda: norm(x[0], 3),
        lambda: norm(x.long()), lambda: norm(x.double(), dtype=t.float32), lambda: norm(t.zeros(0), inf),
        lambda: vector(x, dim=5), lambda: vector(x.long()), lambda: vector(x, "fro"),
        lambda: vector(t.zeros(0, 2), inf, dim=0), lambda: vector(x, dtype=t.int64),
        lambda: matrix(x[0, 0], 2), lambda: matrix(x, 3), lambda: matrix(x, "x"),
        lambda: matrix(x, dim=(0, 0)), lambda: matrix(x, dim=(0, 1, 2)), lambda: matrix(x.long()),
        lambda: cond(x[0], "fro"), lambda: cond(t.eye(2), "foo"), lambda: cond(t.ones(3)),
        lambda: cond(t.eye(2), 3), lambda: t.linalg.inv(3),
    )  # fmt: skip


@case
def names_of_nodes(t):
    def a(*shape):
        return (numbers(t, *shape) + t.eye(*shape)).requires_grad_()

    made = [
        t.linalg.inv(a(3, 3)), t.det(a(3, 3)), *t.linalg.slogdet(a(3, 3)), t.linalg.solve(a(3, 3), t.ones(3)),
        t.linalg.cholesky(a(3, 3) @ a(3, 3).T + t.eye(3)), *t.linalg.qr(a(3, 2)), *t.linalg.eigh(a(3, 3)),
        *t.linalg.svd(a(3, 2)), t.linalg.svdvals(a(3, 2)), t.linalg.pinv(a(3, 2)), *t.linalg.lu(a(3, 3))[1:],
        t.linalg.lu_factor(a(3, 3)).LU, t.linalg.norm(a(3, 2)), t.linalg.norm(a(3, 2), "nuc"),
        t.linalg.norm(a(3, 2), 2), t.linalg.solve_triangular(a(3, 3), t.ones(3, 2), upper=True),
        t.linalg.householder_product(a(4, 3), t.ones(3)), t.linalg.lstsq(a(4, 2), t.ones(4, 2)).solution,
    ]  # fmt: skip
    return [x.grad_fn.name() for x in made]


@case
def results_are_tuples(t):
    found = t.linalg.eigh(t.eye(2))
    values, vectors = found
    return [
        isinstance(found, tuple), type(found).__name__, found[0] is found.eigenvalues,
        found.eigenvectors is vectors, found.n_fields, len(found), list(values.shape),
        error(lambda: t.return_types.linalg_eigh((1, 2, 3))),
        repr(t.return_types.linalg_eigh((1, 2))), found.eigenvalues is values,
    ]  # fmt: skip


@case
def empty_matrices(t):
    def z(*shape):
        return t.zeros(shape)

    return [
        t.linalg.solve(z(0, 0), z(0)), t.linalg.solve(z(0, 2, 2), z(0, 2)), t.linalg.inv(z(0, 3, 3)),
        t.linalg.det(z(0, 3, 3)), list(t.linalg.svd(z(0, 3))), list(t.linalg.svd(z(2, 0, 3), False)),
        list(t.linalg.qr(z(0, 3))), list(t.linalg.qr(z(3, 0), "complete")), list(t.linalg.eigh(z(0, 3, 3))),
        t.linalg.cholesky(z(0, 3, 3)), t.linalg.pinv(z(3, 0)), list(t.linalg.lu(z(3, 0))),
        list(t.linalg.lu_factor(z(0, 0))), t.linalg.matrix_rank(z(0, 0)), t.linalg.cond(z(0, 0)),
        t.linalg.norm(z(0, 0)), t.linalg.norm(z(2, 0), "nuc"), t.linalg.norm(z(2, 0), 1),
        list(t.linalg.slogdet(z(0, 0))), t.pdist(z(1, 3)), t.linalg.cross(z(0, 3), z(0, 3)),
    ]  # fmt: skip


@case
def numbers_that_lapack_does_not_take(t):
    half, bad = t.eye(3, dtype=t.float16), t.full((3, 3), float("nan"))
    linalg = t.linalg
    return messages(
        *(
            lambda f=f, x=x: f(x)
            for x in (half, bad)
            for f in (linalg.svd, linalg.eigh, linalg.cholesky, linalg.pinv)
        ),
        *(lambda f=f: f(half) for f in (linalg.qr, linalg.det, linalg.lu, linalg.inv, t.geqrf)),
        lambda: linalg.solve(half, half),
        lambda: linalg.matrix_rank(half),
        lambda: linalg.lstsq(half, half),
        lambda: linalg.solve_triangular(half, half, upper=True),
        lambda: linalg.solve_triangular(t.ones(2, 3, 3), t.ones(3, 3, 2), upper=True),
        lambda: linalg.solve(t.ones(2, 3, 3), t.ones(3, 3, 2)),
        lambda: linalg.lu_factor(t.stack([t.eye(2), t.zeros(2, 2)])),
        lambda: t.lu_unpack(t.eye(2), t.tensor([1, 2])),
    )


@case
def calls_that_do_not_fit(t):
    a = t.eye(2)
    return messages(
        lambda: t.linalg.inv(),
        lambda: t.linalg.inv(a, 3),
        lambda: t.linalg.inv(a, foo=3),
        lambda: t.linalg.solve(a),
        lambda: t.linalg.solve_triangular(a, a),
        lambda: t.linalg.eigh(A=a),
        lambda: t.linalg.svd(a, True, 2),
        lambda: t.linalg.norm(a, foo=1),
        lambda: t.linalg.norm(3),
        lambda: t.linalg.lstsq(A=a, B=a),
        lambda: t.det(A=a),
        lambda: t.mm(a),
        lambda: t.dot(a[0], other=a[0]),
        lambda: t.pdist(3),
    )


@case
def written_to_out(t):
    a = positive(t)
    out, empty = t.zeros(3, 3), t.zeros(0)
    pair = t.zeros(3), t.zeros(3, 3)
    found = t.linalg.eigh(a, out=pair)
    return [
        t.linalg.inv(a, out=out) is out, out, t.mm(a, a, out=empty), t.addmm(a, a, a, out=out),
        found[0] is pair[0], type(found).__name__, pair[0], t.linalg.norm(a, out=t.zeros(())),
        t.cholesky_solve(a, a, out=t.zeros(3, 3)), t.linalg.norm(input=a, axis=0, keepdims=True),
        *messages(
            lambda: t.linalg.inv(a, out=out.double()),
            lambda: t.linalg.inv(a, out=3),
            lambda: t.mm(a, a, out=out.double()),
            lambda: t.mv(a, a[0], out=t.zeros(3).double()),
            lambda: t.dot(a[0], a[0], out=t.zeros(()).double()),
            lambda: t.inner(a, a, out=out.double()),
            lambda: t.addbmm(a, a[None], a[None], out=out.double()),
            lambda: t.linalg.norm(a, out=t.zeros(()).double()),
            lambda: t.mm(a.requires_grad_(), a, out=out),
        ),
    ]  # fmt: skip
