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
    Sample("nansum", lambda t, a: a.nansum(1), (A,)),
    Sample("nanmean", lambda t, a: a.nanmean(0), (A,)),
    Sample("aminmax", lambda t, a: t.stack(list(a.aminmax(dim=1))), (A,)),
    Sample("std_mean", lambda t, a: t.stack(t.std_mean(a, 1)), (A,)),
    Sample("var_mean", lambda t, a: t.stack(t.var_mean(a, 0, correction=0)), (A,)),
    Sample("var_correction", lambda t, a: a.var(correction=0.5), (A,)),
    Sample("cov", lambda t, a: a.cov(), (A,)),
    Sample("cov_weighted", lambda t, a, b: a.cov(aweights=b), (A, (4,)), positive=True),
    Sample("corrcoef", lambda t, a: a.corrcoef(), (A,)),
    Sample("dist", lambda t, a, b: a.dist(b, 3), (A, A)),
    Sample("norm_three", lambda t, a: a.norm(3, 1), (A,)),
    Sample("norm_half", lambda t, a: a.norm(0.5, 0), (A,)),
    Sample("norm_largest", lambda t, a: a.norm(float("inf"), 1), (A,)),
    Sample("renorm", lambda t, a: a.renorm(2, 0, 0.5), (A,)),
    Sample("prod_dim", lambda t, a: a.prod(1, keepdim=True), (B,)),
    Sample("count_nonzero", lambda t, a: a.count_nonzero(1), (A,), differentiable=False),
]
