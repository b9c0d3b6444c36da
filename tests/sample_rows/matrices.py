"""Matrix products."""

from sample_row import A, B, F, Sample

ROWS = [
    # matrices
    Sample("mm", lambda t, a, b: a @ b, (A, (4, 2))),
    Sample("matmul_batch", lambda t, a, b: a @ b, (B, (2, 4, 5))),
    Sample("matmul_broadcast", lambda t, a, b: a @ b, (B, (4, 5))),
    Sample("matmul_left_2d", lambda t, a, b: a @ b, ((2, 3), (5, 3, 4))),
    Sample("matvec", lambda t, a, b: a @ b, (A, (4,))),
    Sample("matvec_batch", lambda t, a, b: a @ b, (B, (4,))),
    Sample("vecmat", lambda t, a, b: a @ b, ((3,), A)),
    Sample("vecmat_batch", lambda t, a, b: a @ b, ((3,), B)),
    Sample("dot", lambda t, a, b: t.dot(a, b), ((4,), (4,))),
    Sample("linear", lambda t, x, w, b: F(t).linear(x, w, b), ((6, 4), (3, 4), (3,))),
    Sample("linear_3d", lambda t, x, w, b: F(t).linear(x, w, b), ((2, 5, 4), (3, 4), (3,))),
    Sample("linear_1d", lambda t, x, w, b: F(t).linear(x, w, b), ((4,), (3, 4), (3,))),
    Sample("linear_no_bias", lambda t, x, w: F(t).linear(x, w), ((6, 4), (3, 4))),
    # products of all kinds
    Sample("vdot", lambda t, a, b: t.vdot(a, b), ((4,), (4,))),
    Sample("inner", lambda t, a, b: t.inner(a, b), (B, (5, 4))),
    Sample("inner_0d", lambda t, a, b: t.inner(a, b), (A, ())),
    Sample("outer", lambda t, a, b: t.outer(a, b), ((3,), (4,))),
    Sample("kron", lambda t, a, b: t.kron(a, b), (A, (2, 1, 2))),
    Sample("addmm", lambda t, c, a, b: t.addmm(c, a, b, beta=0.5, alpha=2), ((2,), A, (4, 2))),
    Sample("addmm_beta_0", lambda t, c, a, b: t.addmm(c, a, b, beta=0), ((3, 2), A, (4, 2))),
    Sample("addmv", lambda t, c, a, x: t.addmv(c, a, x, beta=0.5, alpha=2), ((3,), A, (4,))),
    Sample("addr", lambda t, c, x, y: t.addr(c, x, y, beta=0.5, alpha=2), ((4,), (3,), (4,))),
    Sample(
        "baddbmm", lambda t, c, a, b: t.baddbmm(c, a, b, beta=0.5, alpha=2), ((5,), B, (2, 4, 5))
    ),
    Sample(
        "addbmm", lambda t, c, a, b: t.addbmm(c, a, b, beta=0.5, alpha=2), ((3, 5), B, (2, 4, 5))
    ),
    Sample("multi_dot", lambda t, *x: t.linalg.multi_dot(x), ((2,), (2, 5), (5, 3), (3,))),
    Sample("multi_dot_2", lambda t, *x: t.linalg.multi_dot(x), ((2, 5), (5, 3))),
    Sample("matrix_power", lambda t, a: t.matrix_power(a, 5), ((2, 3, 3),)),
    Sample("matrix_power_below_0", lambda t, a: t.matrix_power(a, -2), ((3, 3),)),
    Sample("matrix_exp", lambda t, a: t.matrix_exp(a), ((2, 3, 3),)),
    Sample("matrix_exp_large", lambda t, a: t.matrix_exp(a * 4), ((3, 3),)),
    Sample("cross", lambda t, a, b: t.linalg.cross(a, b), ((4, 3), (1, 3))),
    Sample("cross_dim", lambda t, a, b: t.cross(a, b, dim=0), ((3, 2), (3, 2))),
    Sample("vecdot", lambda t, a, b: t.linalg.vecdot(a, b, dim=1), (B, (2, 3, 1))),
    Sample("linalg_vander", lambda t, x: t.linalg.vander(x, N=4), ((2, 3),)),
    Sample("tensordot", lambda t, a, b: t.tensordot(a, b, dims=2), (B, (3, 4, 5))),
    Sample("tensordot_lists", lambda t, a, b: t.tensordot(a, b, ([0, 2], [2, 0])), (B, (4, 5, 2))),
    Sample("tensordot_0", lambda t, a, b: t.tensordot(a, b, dims=0), ((2,), A)),
    Sample("tensordot_length_1", lambda t, a, b: t.tensordot(a, b, ([1], [0])), ((2, 1), A)),
]
