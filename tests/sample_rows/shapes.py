"""Views, parts, joining."""

from sample_row import A, B, Sample

ROWS = [
    # shapes
    Sample("reshape", lambda t, a: a.reshape(2, -1), (A,)),
    Sample("view_of_transpose", lambda t, a: a.t().reshape(12), (A,)),
    Sample("flatten", lambda t, a: a.flatten(1), (B,)),
    Sample("unflatten", lambda t, a: a.unflatten(1, (2, 2)), (A,)),
    Sample("permute", lambda t, a: a.permute(2, 0, 1), (B,)),
    Sample("transpose", lambda t, a: a.transpose(0, -1), (B,)),
    Sample("T", lambda t, a: a.T, (A,)),
    Sample("squeeze", lambda t, a: a.squeeze(), ((1, 3, 1),)),
    Sample("squeeze_dim", lambda t, a: a.squeeze(0), ((1, 3, 1),)),
    Sample("unsqueeze", lambda t, a: a.unsqueeze(-1), (A,)),
    Sample("expand", lambda t, a: a.expand(2, 3, -1), ((3, 1),)),
    Sample("repeat", lambda t, a: a.repeat(2, 1, 3), ((2, 2),)),
    Sample("flip", lambda t, a: a.flip(0, 1), (A,)),
    Sample("select", lambda t, a: a[1], (A,)),
    Sample("slice", lambda t, a: a[:, 1:4:2], (A,)),
    Sample("index_list", lambda t, a: a[[0, 2, 0]], (A,)),
    Sample("index_tensors", lambda t, a: a[t.tensor([0, 2]), t.tensor([1, 1])], (A,)),
    Sample("index_mask", lambda t, a: a[a > 0], (A,)),
    Sample("index_none", lambda t, a: a[:, None, ..., -1], (B,)),
    Sample("index_select", lambda t, a: t.index_select(a, 1, t.tensor([3, 0])), (A,)),
    Sample("gather", lambda t, a: a.gather(1, t.tensor([[0, 3], [1, 1], [2, 0]])), (A,)),
    Sample("narrow", lambda t, a: a.narrow(1, 1, 2), (A,)),
    Sample("split", lambda t, a: t.cat([2 * p for p in a.split(3, 1)], 1), (A,)),
    Sample("chunk", lambda t, a: a.chunk(2)[1], (A,)),
    Sample("unbind", lambda t, a: a.unbind(1)[2], (A,)),
    Sample("cat", lambda t, a, b: t.cat([a, b], 1), ((3, 2), (3, 1))),
    Sample("stack", lambda t, a, b: t.stack([a, b], -1), (A, A)),
    Sample("clone", lambda t, a: a.clone(), (A,)),
]
