"""Reductions."""

from sample_row import A, B, Sample

ROWS = [
    # reductions
    Sample("sum", lambda t, a: a.sum(), (A,)),
    Sample("sum_dim", lambda t, a: a.sum(1), (B,)),
    Sample("sum_dims_keep", lambda t, a: a.sum((0, -1), keepdim=True), (B,)),
    Sample("mean", lambda t, a: a.mean(), (A,)),
    Sample("mean_dim", lambda t, a: a.mean(-1, keepdim=True), (B,)),
    Sample("var", lambda t, a: a.var(), (A,)),
    Sample("var_dim", lambda t, a: a.var(1, unbiased=False), (B,)),
    Sample("std", lambda t, a: a.std(0), (A,)),
    Sample("amax", lambda t, a: a.amax(1), (B,)),
    Sample("amin", lambda t, a: a.amin((0, 2)), (B,)),
    Sample("max_all", lambda t, a: a.max(), (A,)),
    Sample("max_dim", lambda t, a: a.max(1).values, (B,)),
    Sample("min_dim_keep", lambda t, a: a.min(0, keepdim=True)[0], (B,)),
    Sample("prod", lambda t, a: a.prod(), ((4,),)),
    Sample(
        "prod_with_zero", lambda t, a: (a * t.tensor([1.0, 0.0, 1.0]).to(a.dtype)).prod(), ((3,),)
    ),
    Sample("logsumexp", lambda t, a: t.logsumexp(a, 1), (A,)),
    Sample("cumsum", lambda t, a: a.cumsum(1), (B,)),
    Sample("norm", lambda t, a: a.norm(), (A,)),
    Sample("norm_one_dim", lambda t, a: a.norm(1, 1), (A,)),
    Sample("argmax", lambda t, a: a.argmax(1), (A,), differentiable=False),
    Sample("argmin", lambda t, a: a.argmin(), (A,), differentiable=False),
    Sample("compare", lambda t, a, b: (a > b) & (a <= 1) | (a == b), (A, A), differentiable=False),
]
