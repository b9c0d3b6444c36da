"""Copies of views, copies with a part replaced, and differences over a grid."""

from sample_row import A, B, Sample

ROWS = [
    Sample("alias_copy", lambda t, a: t.alias_copy(a), (A,)),
    Sample("as_strided_copy", lambda t, a: t.as_strided_copy(a, (2, 2), (1, 2)), (A,)),
    Sample("diagonal_copy", lambda t, a: t.diagonal_copy(a, 1), (A,)),
    Sample("expand_copy", lambda t, a: t.expand_copy(a, (2, 3, 4)), (A,)),
    Sample("permute_copy", lambda t, a: t.permute_copy(a, (2, 0, 1)), (B,)),
    Sample("select_copy", lambda t, a: t.select_copy(a, 1, 2), (B,)),
    Sample("slice_copy", lambda t, a: t.slice_copy(a, 1, 0, 3, 2), (B,)),
    Sample("split_copy", lambda t, a: t.split_copy(a, 2)[1], (A,)),
    Sample("squeeze_copy", lambda t, a: t.squeeze_copy(a), ((1, 3),)),
    Sample("t_copy", lambda t, a: t.t_copy(a), (A,)),
    Sample("transpose_copy", lambda t, a: t.transpose_copy(a, 0, 2), (B,)),
    Sample("unbind_copy", lambda t, a: t.unbind_copy(a, 1)[1], (A,)),
    Sample("unfold_copy", lambda t, a: t.unfold_copy(a, 1, 2, 1), (A,)),
    Sample("view_copy", lambda t, a: t.view_copy(a, (2, 6)), (A,)),
    Sample("gradient", lambda t, a: t.gradient(a, dim=1)[0], (A,)),
    Sample("gradient_edge", lambda t, a: t.gradient(a, edge_order=2, spacing=0.5)[1], (A,)),
    Sample("gradient_uneven", lambda t, a, b: t.gradient(a, spacing=(b.cumsum(0),), dim=1)[0], (A, (4,)), positive=True),
    Sample("put", lambda t, a, b: t.put(a, t.tensor([0, 5]), b), (A, (2,))),
    Sample("as_strided_scatter", lambda t, a: t.as_strided_scatter(t.zeros_like(a).repeat(2, 1).detach(), a, (3, 4), (4, 1)), (A,)),
    Sample("fill_with", lambda t, a, b: t.fill(a, b), (A, ())),
    Sample("sum_to_size", lambda t, a: a.sum_to_size(3, 1), (B,)),
    Sample("reversed", lambda t, a: reversed(a), (A,)),
]  # fmt: skip
