"""Sums of products by equations."""

from sample_row import A, B, Sample


def row(name, equation, *shapes):
    """A row that applies `equation` to tensors of the given shapes."""
    return Sample(f"einsum_{name}", lambda t, *x: t.einsum(equation, *x), shapes)


ROWS = [
    row("product", "ij,jk->ik", A, (4, 2)),
    row("implied", "ij,jk", A, (4, 2)),
    row("batch", "bij,bjk->bik", B, (2, 4, 5)),
    row("trace", "ii", (3, 3)),
    row("diagonal", "ii->i", (3, 3)),
    row("diagonal_inside", "iji->ji", (3, 2, 3)),
    row("diagonal_of_three", "iii->i", (2, 2, 2)),
    row("transpose", "ij->ji", A),
    row("sum", "ij->", A),
    row("sum_one", "ijk->ki", B),
    row("outer", "i,j->ij", (3,), (2,)),
    row("pointwise", "ij,ij->ij", A, A),
    row("length_1", "ij,jk->ik", (2, 1), A),
    row("length_1_in_sum", "ij,ij->", A, (3, 1)),
    row("bilinear", "bn,anm,bm->ba", (2, 4), (3, 4, 5), (2, 5)),
    row("four", "ij,jk,kl,lm->mi", A, (4, 2), (2, 3), (3, 2)),
    row("apart", "ij,kl->ik", A, (2, 3)),
    row("dots", "...ij,...jk->...ik", B, (5, 1, 4, 2)),
    row("dots_first", "i...->...", B),
    row("dots_implied", "i...j,j", B, (4,)),
    row("dots_diagonal", "...ii->...i", (2, 3, 3)),
    row("attention", "bqhd,bkhd->bhqk", (2, 3, 2, 4), (2, 5, 2, 4)),
    row("number", "i,->i", (3,), ()),
    Sample("einsum_lists", lambda t, a, b: t.einsum(a, [0, 1], b, [1, 2], [2, 0]), (A, (4, 2))),
    Sample("einsum_lists_dots", lambda t, a: t.einsum(a, [..., 0, 1], [1, ...]), (B,)),
]
