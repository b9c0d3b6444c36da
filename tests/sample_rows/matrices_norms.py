"""Norms of vectors and matrices, distances."""

from math import inf

from sample_row import A, B, Sample


def vector(name, p, dim=None, shape=B):
    """A row for the norm of order `p`."""
    return Sample(f"vector_norm_{name}", lambda t, x: t.linalg.vector_norm(x, p, dim), (shape,))


def matrix(name, p, shape=(2, 4, 3)):
    """A row for the norm of order `p` of matrices."""
    return Sample(f"matrix_norm_{name}", lambda t, x: t.linalg.matrix_norm(x, p), (shape,))


def distance(p):
    """A row for the distances of order `p`."""
    return Sample(f"cdist_{p}", lambda t, a, b: t.cdist(a, b, p=p), ((2, 3, 4), (5, 4)))


ROWS = [
    vector("2", 2),
    vector("1", 1, 1),
    vector("3", 3, (0, 2)),
    vector("half", 0.5, -1),
    vector("1.5", 1.5, 0),
    vector("inf", inf, 1),
    vector("below_inf", -inf, 1),
    vector("below_0", -1.5, 1),
    Sample("vector_norm_keepdim", lambda t, x: t.linalg.vector_norm(x, 3, 1, True), (A,)),
    matrix("fro", "fro"),
    matrix("nuc", "nuc"),
    matrix("2", 2),
    matrix("below_2", -2),
    matrix("1", 1),
    matrix("inf", inf),
    Sample("linalg_norm", lambda t, x: t.linalg.norm(x), (B,)),
    Sample("linalg_norm_dims", lambda t, x: t.linalg.norm(x, 1, (0, 2)), (B,)),
    Sample("cond", lambda t, a: t.linalg.cond(a), ((2, 3, 3),)),
    *map(distance, (1.0, 1.5, 2.0, 3.0, inf)),
    Sample("pdist", lambda t, x: t.pdist(x), ((4, 3),)),
    Sample("pdist_1", lambda t, x: t.pdist(x, 1.0), ((4, 3),)),
]
