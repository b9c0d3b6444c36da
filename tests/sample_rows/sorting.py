"""Order: sorting, the k largest, medians, quantiles, what runs along a dimension."""

from sample_row import A, B, Sample

ROWS = [
    Sample("sort", lambda t, a: a.sort(1).values, (B,)),
    Sample("sort_down", lambda t, a: a.sort(-1, descending=True)[0], (A,)),
    Sample("sort_stable", lambda t, a: t.sort(a, dim=0, stable=True)[0], (A,)),
    Sample("argsort", lambda t, a: a.argsort(1), (A,), differentiable=False),
    Sample("msort", lambda t, a: t.msort(a), (A,)),
    Sample("topk", lambda t, a: a.topk(2).values, (B,)),
    Sample("topk_smallest", lambda t, a: a.topk(2, 0, largest=False)[0], (A,)),
    Sample("kthvalue", lambda t, a: a.kthvalue(2, 1).values, (B,)),
    Sample("kthvalue_keep", lambda t, a: a.kthvalue(3, 0, True).values, (A,)),
    Sample("median", lambda t, a: a.median(), (A,)),
    Sample("median_dim", lambda t, a: a.median(1).values, (B,)),
    Sample("nanmedian_dim", lambda t, a: a.nanmedian(0, keepdim=True).values, (A,)),
    Sample("mode", lambda t, a: a.mode(1).values, (A,)),
    Sample("quantile", lambda t, a: a.quantile(0.3), (A,)),
    Sample("quantile_dim", lambda t, a: a.quantile(0.6, 1, keepdim=True), (B,)),
    Sample("quantile_several", lambda t, a: a.quantile(t.tensor([0.25, 0.5]).to(a.dtype), 0), (A,)),
    Sample("quantile_midpoint", lambda t, a: a.quantile(0.4, 1, interpolation="midpoint"), (A,)),
    Sample("nanquantile", lambda t, a: a.nanquantile(0.3, 0), (A,)),
    Sample("cumprod", lambda t, a: a.cumprod(1), (B,)),
    Sample("cumprod_with_zeros", lambda t, a: (a * (a > 0)).cumprod(1), (A,)),
    Sample("cummax", lambda t, a: a.cummax(1).values, (B,)),
    Sample("cummin", lambda t, a: a.cummin(0).values, (A,)),
    Sample("logcumsumexp", lambda t, a: a.logcumsumexp(1), (B,)),
    Sample("diff", lambda t, a: a.diff(), (A,)),
    Sample("diff_twice", lambda t, a, b: a.diff(2, 0, prepend=b), (A, (1, 4))),
    Sample("trapezoid", lambda t, a: t.trapezoid(a, dx=0.5), (A,)),
    Sample("trapezoid_at", lambda t, a, b: t.trapezoid(a, b), (A, (4,))),
    Sample("cumulative_trapezoid", lambda t, a: t.cumulative_trapezoid(a, dim=0), (A,)),
]
