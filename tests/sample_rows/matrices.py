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
]
