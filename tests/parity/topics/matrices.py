"""Products of matrices, einsum: values, node names, errors."""

import warnings

from casebook import case, error


def numbers(t, *shape):
    """Small floats of both signs in the given shape."""
    n = 1
    for m in shape:
        n *= m
    return (t.arange(n * 1.0) * 7 % 5 - 1.5).reshape(shape)


def messages(*calls):
    """What each of the calls raises."""
    return [error(call) for call in calls]


def quietly(call):
    """The result of `call`, which warns of an older function."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def node(x):
    return x.grad_fn.name()


@case
def products_of_wrong_shapes(t):
    def a(*shape):
        return t.ones(shape)

    return messages(
        lambda: a(2, 3) @ a(2, 3),
        lambda: a(2, 3).mm(a(3)),
        lambda: a(3).mm(a(2, 3)),
        lambda: a(3) @ a(4),
        lambda: a(2, 3) @ a(4),
        lambda: a(2) @ a(3, 4),
        lambda: a(2, 3, 4) @ a(3),
        lambda: a(2, 3, 4) @ a(3, 4),
        lambda: a(2, 3, 4) @ a(2, 3, 4),
        lambda: a(2, 3, 4) @ a(3, 4, 5),
        lambda: a(5, 2, 3, 4) @ a(2, 3, 4),
        lambda: a(2, 3) @ a(5, 4, 2),
        lambda: a(2) @ a(2, 3, 4),
        lambda: t.tensor(1.0) @ a(3),
        lambda: a(2, 3).mv(a(2)),
        lambda: a(2, 3).mv(a(3, 2)),
        lambda: t.dot(a(3), a(4)),
        lambda: t.dot(a(3, 2), a(3)),
        lambda: t.vdot(a(3, 2), a(3)),
        lambda: t.inner(a(2, 3), a(4, 2)),
        lambda: t.outer(a(3, 1), a(4)),
        lambda: t.ger(a(3), a(3, 4)),
        lambda: t.bmm(a(2, 3, 4), a(3, 4, 5)),
        lambda: t.bmm(a(3, 4), a(2, 3, 5)),
        lambda: t.bmm(a(2, 3, 4), a(4, 5)),
    )


@case
def products_of_wrong_types(t):
    f, d, i, b = t.float32, t.float64, t.int64, t.bool

    def a(kind, *shape):
        return t.ones(shape, dtype=kind)

    return messages(
        lambda: a(f, 2, 3) @ a(d, 3, 2),
        lambda: a(f, 2, 3) @ a(i, 3, 2),
        lambda: a(f, 2, 3, 4) @ a(d, 2, 4, 3),
        lambda: a(f, 2, 3, 4) @ a(d, 4, 3),
        lambda: a(f, 3) @ a(d, 3),
        lambda: a(f, 2, 3) @ a(d, 3),
        lambda: a(f, 3) @ a(d, 3, 2),
        lambda: a(f, 2, 3) @ a(d, 5, 3, 2),
        lambda: a(b, 2, 3) @ a(b, 3, 2),
        lambda: a(b, 2, 3) @ a(b, 3),
        lambda: a(b, 3) @ a(b, 3),
        lambda: a(b, 2, 3, 3) @ a(b, 2, 3, 3),
        lambda: t.matmul(a(f, 2, 3), 2),
        lambda: t.mm(a(f, 2, 3), 3),
        lambda: t.spmm(a(f, 2, 3), 3),
        lambda: t.spmm(a(f, 2, 3), a(f, 3, 1)),
        lambda: t.mv(a(f, 2, 3), 1),
        lambda: t.dot(a(f, 3), 2),
        lambda: t.bmm(a(f, 2, 3, 4), 2),
        lambda: t.inner(a(f, 2, 3), a(d, 2, 3)),
        lambda: t.matrix_power(a(f, 3, 3), 2.5),
        lambda: a(f, 2, 3) @ 2,
    )


@case
def products_of_nothing(t):
    return [
        t.zeros(0, 3) @ t.zeros(3, 0),
        t.zeros(2, 0) @ t.zeros(0, 3),
        t.zeros(0) @ t.zeros(0),
        t.zeros(2, 0) @ t.zeros(0),
        t.bmm(t.zeros(0, 3, 4), t.zeros(0, 4, 5)),
        t.addmm(t.ones(2, 2), t.zeros(2, 0), t.zeros(0, 2)),
        t.cdist(t.zeros(2, 0), t.zeros(3, 0)),
        t.einsum("ij->i", t.zeros(2, 0)),
    ]


@case
def products_of_integers(t):
    a, x = t.arange(6).reshape(2, 3), t.arange(3)
    return [
        a @ a.T, a @ x, x @ x, a.mm(a.T), t.inner(a, a), t.outer(x, x), t.kron(a, x),
        t.addmm(t.ones(2, 2, dtype=t.int64), a, a.T, beta=2, alpha=2.5),
        t.addmv(t.arange(2), a, x), t.addr(t.ones(2, 3, dtype=t.int64), t.arange(2), x),
        t.einsum("ij,kj->ik", a, a), t.tensordot(a, a.T, 1), t.matrix_power(a @ a.T, 3),
        t.outer(x, x * 0.5), t.vander(x), t.linalg.vander(x),
    ]  # fmt: skip


@case
def names_of_product_nodes(t):
    def g(*shape):
        return t.ones(shape, requires_grad=True)

    return [
        node(x)
        for x in (
            g(2, 3) @ g(3, 2), g(2, 3) @ g(3), g(3) @ g(3, 2), g(3) @ g(3), g(2, 3, 4) @ g(2, 4, 2),
            g(2, 3, 4) @ g(4, 2), t.vdot(g(3), g(3)), t.outer(g(3), g(4)), t.bmm(g(2, 3, 4), g(2, 4, 5)),
            t.inner(g(2, 3), g(4, 3)), t.kron(g(2, 2), g(3, 2)), t.addmm(g(2, 2), g(2, 3), g(3, 2)),
            t.addmv(g(2), g(2, 3), g(3)), t.addr(g(2, 3), g(2), g(3)), t.matrix_exp(g(3, 3)),
            t.baddbmm(g(2, 3, 5), g(2, 3, 4), g(2, 4, 5)), t.addbmm(g(3, 5), g(2, 3, 4), g(2, 4, 5)),
            t.linalg.multi_dot([g(2, 3), g(3, 4), g(4, 5)]), t.linalg.cross(g(2, 3), g(2, 3)),
            t.cdist(g(2, 3), g(4, 3)), t.pdist(g(4, 3)), t.tensordot(g(2, 3), g(3, 5), dims=1),
            t.einsum("ij,jk->ik", g(2, 3), g(3, 4)), t.einsum("ij->ji", g(2, 3)),
            t.einsum("ii", g(3, 3)), t.einsum("i,j->ij", g(2), g(3)),
        )
    ]  # fmt: skip


@case
def sums_with_products(t):
    a, b, c = numbers(t, 2, 3), numbers(t, 3, 2), numbers(t, 2, 2)
    three, five = numbers(t, 2, 3, 4), numbers(t, 2, 4, 5)
    nothing = t.full((2, 2), float("nan"))
    return [
        t.addmm(c, a, b), t.addmm(c[0], a, b, beta=2, alpha=3), t.addmm(nothing, a, b, beta=0),
        c.addmm(mat1=a, mat2=b, alpha=0.5), c.clone().addmm_(a, b, beta=0.5),
        t.addmv(c[0], a, b[:, 0], alpha=2), c[0].clone().addmv_(a, b[:, 0]),
        t.addr(a, c[0], a[0], beta=0.5), a.clone().addr_(c[0], a[0], alpha=2),
        t.baddbmm(numbers(t, 5), three, five, beta=0.5, alpha=2),
        numbers(t, 2, 3, 5).baddbmm_(three, five), t.addbmm(numbers(t, 3, 5), three, five, beta=2),
        numbers(t, 3, 5).addbmm_(three, five, alpha=0.5),
    ]  # fmt: skip


@case
def sums_with_products_that_do_not_fit(t):
    def a(*shape):
        return t.ones(shape)

    d = t.float64
    return messages(
        lambda: t.addmm(a(3), a(2, 3), a(3, 2)),
        lambda: t.addmm(a(2, 2), a(2, 3), a(2, 2)),
        lambda: t.addmm(a(2, 2), a(2), a(2, 2)),
        lambda: t.addmm(a(1, 2, 2), a(2, 2), a(2, 2)),
        lambda: t.addmm(a(2, 2).to(d), a(2, 3), a(3, 2)),
        lambda: t.addmm(a(2, 2), a(2, 3).to(d), a(3, 2)),
        lambda: a(2).addmm_(a(2, 3), a(3, 2)),
        lambda: t.addmm(2.0, a(2, 3), a(3, 2)),
        lambda: t.addmv(a(3), a(2, 3), a(3)),
        lambda: t.addmv(a(2), a(2, 3), a(2)),
        lambda: t.addmv(a(2, 2), a(2, 3), a(3)),
        lambda: t.addmv(a(2), a(2, 3), a(3).to(d)),
        lambda: t.addr(a(2, 2), a(2), a(3)),
        lambda: t.addr(a(2, 3), a(2, 1), a(3)),
        lambda: t.addr(*(t.ones(n, dtype=t.int64) for n in ((2, 3), 2, 3)), alpha=2.5),
        lambda: a(3).addr_(a(2), a(3)),
        lambda: t.baddbmm(a(2), a(2, 3, 4), a(2, 4, 5)),
        lambda: t.baddbmm(a(2, 3, 5), a(2, 3, 4), a(4, 5)),
        lambda: t.baddbmm(a(2, 3, 5), a(2, 3, 4), a(2, 3, 5)),
        lambda: t.baddbmm(a(2, 3, 5).to(d), a(2, 3, 4), a(2, 4, 5)),
        lambda: t.addbmm(a(3, 5), a(2, 3, 4), a(2, 3, 5)),
        lambda: t.addbmm(a(3, 5), a(2, 3, 4), a(3, 4, 5)),
        lambda: t.addbmm(a(2, 5), a(2, 3, 4), a(2, 4, 5)),
    )


@case
def several_matrices(t):
    def a(*shape):
        return t.ones(shape)

    dot = t.linalg.multi_dot
    return [
        dot([numbers(t, 3), numbers(t, 3, 4), numbers(t, 4)]),
        dot([numbers(t, 2, 3), numbers(t, 3, 4), numbers(t, 4, 2), numbers(t, 2)]),
        quietly(lambda: t.chain_matmul(numbers(t, 2, 3), numbers(t, 3, 4))),
        *messages(
            lambda: dot([a(2, 3)]),
            lambda: dot([]),
            lambda: dot([a(2, 3), a(4, 3)]),
            lambda: dot([a(2, 3), a(3, 4, 1)]),
            lambda: dot([a(2, 3), a(3, 1, 4), a(4, 4)]),
            lambda: dot([a(2, 3), a(3, 4).double()]),
            lambda: dot(a(2, 3)),
            lambda: t.chain_matmul(),
        ),
    ]


@case
def powers_and_exponentials(t):
    a = numbers(t, 3, 3)
    return [
        t.matrix_power(a, 0), t.matrix_power(a, 1), t.matrix_power(a, 5),
        t.linalg.matrix_power(a + 5 * t.eye(3), -2), t.matrix_exp(a / 5), t.linalg.matrix_exp(a.double()),
        t.matrix_exp(t.zeros(0, 0)), t.matrix_exp(t.full((2, 1, 1), 2.0)),
        *messages(
            lambda: t.matrix_power(t.ones(2, 3), 2),
            lambda: t.matrix_power(t.ones(3), 2),
            lambda: t.matrix_power(t.ones(2, 2), -1),
            lambda: t.matrix_power(t.ones(2, 2, dtype=t.int64), -1),
            lambda: t.matrix_exp(t.ones(2, 3)),
            lambda: t.matrix_exp(t.ones(2, 2, dtype=t.int64)),
        ),
    ]  # fmt: skip


@case
def cross_products(t):
    a, b = numbers(t, 2, 3), numbers(t, 2, 3) * 2 + 1
    return [
        t.linalg.cross(a, b), t.cross(a, b, dim=1), a.cross(b, dim=-1), t.linalg.cross(a, b[:1]),
        t.linalg.cross(a.T, b.T, dim=0), t.linalg.vecdot(a, b), t.linalg.vecdot(a, b, dim=0),
        *messages(
            lambda: t.linalg.cross(a.T, b.T),
            lambda: t.linalg.cross(a, b[0]),
            lambda: t.linalg.cross(a, b.double()),
            lambda: quietly(lambda: t.cross(t.ones(2, 4), t.ones(2, 4))),
            lambda: t.linalg.vecdot(a, b.double()),
            lambda: t.linalg.vecdot(a, b[:, :2]),
            lambda: t.linalg.vecdot(a.long(), b.long()),
        ),
    ]  # fmt: skip


@case
def tensordots(t):
    a, b = numbers(t, 2, 3, 4), numbers(t, 3, 4, 5)
    return [
        t.tensordot(a, b), t.tensordot(a, b, dims=([1, 2], [0, 1])), t.tensordot(a[0, 0], b[0, 0], 0),
        t.tensordot(a, b.permute(2, 0, 1), ([1, -1], [1, 2])), t.tensordot(a, b, t.tensor([[1], [0]])),
        *messages(
            lambda: t.tensordot(a, b, dims=1),
            lambda: t.tensordot(a, b, dims=-1),
            lambda: t.tensordot(a, b, dims=4),
            lambda: t.tensordot(a, b, dims=([1], [0, 1])),
            lambda: t.tensordot(a, b, dims=([5], [0])),
            lambda: t.tensordot(a, b.double()),
        ),
    ]  # fmt: skip


@case
def distances(t):
    a, b = numbers(t, 3, 2), numbers(t, 4, 2) * 1.5
    return [
        *(t.cdist(a, b, p=p) for p in (0.0, 0.5, 1.0, 2.0, 3.0, float("inf"))),
        t.cdist(a.expand(2, 3, 2), b), t.pdist(a), t.pdist(a, 1.0), t.cdist(t.zeros(0, 2), b),
        *messages(
            lambda: t.cdist(a, b[:, :1]),
            lambda: t.cdist(a[0], b),
            lambda: t.cdist(a, b.double()),
            lambda: t.cdist(a.long(), b.long()),
            lambda: t.cdist(a, b, p=-1.0),
            lambda: t.cdist(a, b, compute_mode="x"),
            lambda: t.cdist(a.expand(5, 3, 2), b.expand(2, 4, 2)),
            lambda: t.pdist(a[0]),
            lambda: t.pdist(a.long()),
            lambda: t.pdist(a, -1.0),
        ),
    ]  # fmt: skip


@case
def vandermonde(t):
    x = numbers(t, 3)
    return [
        t.vander(x), t.vander(x, 2, True), t.vander(x, N=5), t.vander(x, 0), t.linalg.vander(x),
        t.linalg.vander(numbers(t, 2, 3), N=4),
        *messages(
            lambda: t.vander(t.ones(2, 3)),
            lambda: t.vander(x, -1),
            lambda: t.linalg.vander(x, N=0),
            lambda: t.linalg.vander(t.tensor(1.0)),
        ),
    ]  # fmt: skip


@case
def einsum_values(t):
    a, b, square = numbers(t, 2, 3), numbers(t, 3, 4), numbers(t, 3, 3)
    cube = numbers(t, 2, 3, 4)
    return [
        t.einsum("ij,jk", a, b), t.einsum(" i j , j k -> k i ", a, b), t.einsum("ii", square),
        t.einsum("ii->i", square), t.einsum("ba", a), t.einsum("bA", a), t.einsum("ij->", a),
        t.einsum("...ij->...ji", cube), t.einsum("...ij,jk", cube, numbers(t, 4, 2)),
        t.einsum("i...->...", cube), t.einsum("...", a), t.einsum("", t.tensor(2.0)),
        t.einsum(",->", t.tensor(2.0), t.tensor(3.0)), t.einsum("ij,ij->ij", a, a[:1]),
        t.einsum("ij,jk->ik", a[:, :1], b), t.einsum("ij,jk->ik", [a, b]),
        t.einsum(a, [0, 1], b, [1, 2], [2, 0]), t.einsum(a, [1, 0]), t.einsum(cube, [..., 0, 1], [1, ...]),
        t.einsum("ij->ji", a > 0), t.einsum("i,j->ij", a[0], b[0].double()),
    ]  # fmt: skip


@case
def einsum_errors(t):
    a, b = t.ones(2, 3), t.ones(3, 4)
    calls = [
        ("ij,jk->ik", a, t.ones(2, 4)), ("ii->i", a), ("ij,jk->iz", a, b), ("ij,jk->ii", a, b),
        ("ij,jk->ik->", a, b), ("ij,jk", a), ("ij", a, b), ("ijk", a), ("ij...", t.ones(2)), ("..ij", a),
        ("...i...", a), ("i.j", a), ("i1", a), ("i-j", a), ("i-", t.ones(2)), ("ij->i.", a), ("ij->i1", a),
        ("ij->...ij...", a), ("",), ("ij,jk->ik", a, 3), (a, [0, 60]), (a, [0, -1]), (3, "ij"),
        ("ij,jk->ik", a, b.double()), ("ij,jk->ik", a, b.long()), ("i...,j...", a, t.ones(2, 4)),
    ]  # fmt: skip
    return [error(lambda call=call: t.einsum(*call)) for call in calls]
