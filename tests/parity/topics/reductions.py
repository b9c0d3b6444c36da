"""Sums, extremes, spread, norms, and what runs along a dimension."""

from casebook import case, error

from topics.sorting import given


@case
def sums(t):
    g = given(t)
    found = [
        t.count_nonzero(g.z),
        g.z.count_nonzero(0),
        g.z.count_nonzero((0, 1)),
        g.x.sum(),
        g.x.sum(0),
        g.x.sum((0, 1)),
        g.x.sum(()),
        g.x.sum(dim=[1], keepdim=True),
        g.x.sum(axis=1, keepdims=True),
        g.x.sum(dtype=t.float64),
        g.x.sum(1, dtype=t.float64),
        g.l.sum(),
        g.m.sum(0),
        g.u8.sum(),
        g.e.sum(),
        g.e2.sum(0),
        g.e2.mean(0),
        g.x.mean(),
        g.x.mean(0),
        g.x.mean((0, 1), True),
        g.x.mean(dtype=t.float64),
        g.l.mean(dtype=t.float32),
        g.x.prod(),
        g.x.prod(0),
        g.x.prod(1, True),
        g.z.prod(),
        g.z.prod(1),
        g.l.prod(),
        g.e.prod(),
        g.s.prod(0),
        g.x.nansum(),
        g.k.nansum(),
        g.k.nansum(1),
        g.k.nanmean(),
        g.k.nanmean(0, True),
        g.k.nanmean(1),
        g.l.nansum(),
        g.x.all(),
        g.z.all(0),
        g.z.any((0, 1)),
        g.z.any(1, True),
        g.z.all(dim=()),
        g.u8.all(),
        g.u8.any(0),
        g.m.all(0),
        g.e.all(),
        g.e.any(),
    ]
    return found


@case
def sums_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.sum(5),
        lambda: g.x.sum((0, 0)),
        lambda: g.x.sum("a"),
        lambda: g.x.sum(1.5),
        lambda: g.x.sum(foo=1),
        lambda: g.x.mean(5),
        lambda: g.l.mean(),
        lambda: g.l.mean(0),
        lambda: g.x.mean(dtype=t.int32),
        lambda: g.x.prod((0, 1)),
        lambda: g.x.all(5),
        lambda: g.x.any((0, 0)),
        lambda: t.sum(1),
        lambda: g.x.sum(0, 1, 2),
    ]
    return [error(call) for call in calls]


@case
def extremes(t):
    g = given(t)
    found = [
        g.x.amax(),
        g.x.amax(0),
        g.z.amax(1),
        g.z.amax((0, 1)),
        g.z.amin(0, keepdim=True),
        g.x.aminmax(),
        g.z.aminmax(dim=1),
        g.z.aminmax(dim=0, keepdim=True),
        g.x.max(),
        g.z.max(),
        g.z.max(1),
        g.z.min(0, True),
        g.z.min(dim=0),
        g.k.max(1),
        g.k.max(),
        g.k.amax(1),
        g.k.argmax(1),
        g.x.max(g.y),
        t.max(g.x, g.y),
        t.max(g.x, 0),
        t.min(g.z, 1, keepdim=True),
        g.x.argmax(),
        g.z.argmax(1),
        g.z.argmin(0, keepdim=True),
        g.x.argmax(dim=None, keepdim=True),
    ]
    return found


@case
def extremes_refused(t):
    g = given(t)
    calls = [
        lambda: g.e2.amax(0),
        lambda: g.e2.amax(),
        lambda: g.e2.max(),
        lambda: g.e2.max(0),
        lambda: g.e2.argmax(),
        lambda: g.e2.argmax(0),
        lambda: g.e2.aminmax(),
        lambda: g.m.argmax(),
        lambda: g.x.max((0, 1)),
        lambda: g.x.max(5),
        lambda: t.max(1),
        lambda: g.x.max(0, 1, 2),
        lambda: g.x.argmax("a"),
    ]
    return [error(call) for call in calls]


@case
def spread(t):
    g = given(t)
    found = [
        g.x.std(),
        g.x.std(0),
        g.x.std((0, 1)),
        g.x.std(1, False),
        g.x.std(1, unbiased=False, keepdim=True),
        g.x.std(False),
        g.x.std(dim=1, correction=2),
        g.x.var(correction=0),
        g.x.var(dim=0, correction=0.5),
        g.x.var(0, keepdim=True),
        g.x.var(0, False, True),
        g.x.var(unbiased=False),
        g.x.var(dim=()),
        t.std_mean(g.x),
        t.std_mean(g.x, 0),
        t.std_mean(g.x, False),
        t.std_mean(g.x, 1, unbiased=False, keepdim=True),
        t.std_mean(g.x, dim=(0, 1), correction=0),
        t.var_mean(g.x, 1),
        t.var_mean(g.x, correction=0),
        g.s.var(),
        g.x[:1].var(0),
        g.x[:1].std(0),
        g.e.var(),
        g.x.cov(),
        g.x.cov(correction=0),
        g.v.cov(),
        g.x.cov(fweights=t.tensor([1, 2, 3, 1])),
        g.x.cov(aweights=g.v.abs()),
        g.x.cov(fweights=t.tensor([1, 2, 3, 1]), aweights=g.v.abs()),
        g.x.corrcoef(),
        g.v.corrcoef(),
        t.corrcoef(g.x),
        g.l.cov(),
    ]
    return found


@case
def spread_refused(t):
    g = given(t)
    calls = [
        lambda: g.b.cov(),
        lambda: g.b.corrcoef(),
        lambda: g.x.cov(fweights=g.v),
        lambda: g.l.var(),
        lambda: g.l.std(),
        lambda: g.x.var(5),
    ]
    return [error(call) for call in calls]


@case
def norms(t):
    g = given(t)
    found = [
        g.x.dist(g.y),
        g.x.dist(g.y, 1),
        g.x.dist(g.y, 3.5),
        g.x.dist(g.y, float("inf")),
        g.x.dist(g.y, 0),
        g.x.dist(g.x),
        g.x.norm(),
        g.x.norm(1),
        g.x.norm(3),
        g.x.norm(0.5),
        g.x.norm(0),
        g.x.norm(float("inf")),
        g.x.norm(-float("inf")),
        g.x.norm(2, 0),
        g.x.norm(3, 1, True),
        g.x.norm(p="fro", dim=(0, 1)),
        g.x.norm(dim=1, keepdim=True),
        g.x.norm(dtype=t.float64),
        (g.x * 0).norm(),
        (g.x * 0).norm(3),
        (g.x * 0).norm(1.5, 0),
        t.norm(g.x, 2, 0),
        t.norm(g.x, dim=0, p=1),
        g.x.renorm(2, 0, 1),
        g.x.renorm(1, 1, 0.5),
        t.renorm(g.b, 2, 1, 0.7),
        g.x.logsumexp(0),
        g.x.logsumexp((0, 1)),
        g.x.logsumexp(1, True),
        g.l.logsumexp(0),
        g.x.softmax(0),
    ]
    return found


@case
def norms_refused(t):
    g = given(t)
    calls = [
        lambda: g.l.softmax(0),
        lambda: g.x.dist(1),
        lambda: g.x.norm(dim=5),
        lambda: g.x.norm("foo"),
        lambda: g.l.norm(),
        lambda: g.x.renorm(-1, 0, 1),
        lambda: g.x.renorm(2, 0, -1),
        lambda: g.v.renorm(2, 0, 1),
        lambda: g.x.logsumexp(5),
    ]
    return [error(call) for call in calls]


@case
def running(t):
    g = given(t)
    found = [
        g.x.cumsum(0),
        g.x.cumsum(-1),
        g.x.cumsum(1, dtype=t.float64),
        g.l.cumsum(0),
        g.s.cumsum(0),
        g.e.cumsum(0),
        g.x.cumprod(0),
        g.x.cumprod(1),
        g.z.cumprod(1),
        g.z.cumprod(0),
        g.b.cumprod(1),
        (g.b * (g.b > 0)).cumprod(1),
        g.l.cumprod(1),
        g.s.cumprod(0),
        g.e.cumprod(0),
        g.x.cummax(0),
        g.x.cummin(1),
        g.z.cummax(1),
        g.z.cummin(0),
        g.k.cummax(1),
        g.k.cummin(1),
        g.s.cummax(0),
        g.l.cummax(1),
        g.m.cummax(1),
        g.e.cummax(0),
        g.x.logcumsumexp(0),
        g.x.logcumsumexp(1),
        g.b.logcumsumexp(1),
        g.s.logcumsumexp(0),
        g.x.diff(),
        g.x.diff(2),
        g.x.diff(1, 0),
        g.x.diff(n=0),
        g.x.diff(9),
        g.x.diff(dim=0, prepend=g.v[None]),
        g.x.diff(dim=0, prepend=g.v[None], append=g.v[None]),
        g.m.diff(),
        g.l.diff(),
        t.trapezoid(g.x),
        t.trapz(g.x, dx=0.5),
        t.trapezoid(g.x, g.v),
        t.trapezoid(g.x, g.y, dim=0),
        t.trapezoid(g.l),
        t.cumulative_trapezoid(g.x),
        t.cumulative_trapezoid(g.x, g.v),
        t.cumulative_trapezoid(g.x, dx=2, dim=0),
    ]
    return found


@case
def running_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.cumsum(5),
        lambda: g.x.cumsum(),
        lambda: g.x.cummax(5),
        lambda: g.l.logcumsumexp(0),
        lambda: g.x.diff(-1),
        lambda: g.s.diff(),
        lambda: g.x.diff(prepend=g.v),
        lambda: t.trapezoid(g.x, g.v[:2]),
        lambda: g.x.cumsum("a"),
    ]
    return [error(call) for call in calls]


WHOLE_KINDS = ("bool", "uint8", "int8", "int16", "int32", "int64")


def told(found):
    """Return a result, or several, in one line."""
    several = found if isinstance(found, tuple) else (found,)
    return " ".join(f"{str(y.dtype).split('.')[-1]}{y.tolist()}" for y in several)


@case
def whole_numbers(t):
    """Values, dtypes and overflow of every reduction, for every kind of whole number and of result."""
    found = {}
    for kind in WHOLE_KINDS:
        x = t.tensor([[100, 127, 3], [0, 101, 99]]).to(getattr(t, kind))
        plain = [x.sum(), x.prod(), x.nansum(), x.any(), x.all(), x.cumsum(0), x.cumprod(1)]
        chosen = [x.amax(0), x.amin(1, True), x.max(0), x.min(), x.aminmax()]
        cast = [
            getattr(x, name)(**dim, dtype=getattr(t, dtype))
            for name in ("sum", "prod", "nansum")
            for dim in ({}, {"dim": 1})
            for dtype in ("bool", "uint8", "int8", "int32", "float32")
        ]
        running = [getattr(x, name)(0, dtype=t.int8) for name in ("cumsum", "cumprod")]
        found[kind] = [told(y) for y in (*plain, *chosen, *cast, *running)]
    nothing = [t.zeros(0, dtype=getattr(t, kind)).median() for kind in WHOLE_KINDS]
    return [found, [told(y) for y in nothing]]


@case
def whole_numbers_refused(t):
    x, m = t.tensor([[1, 2], [3, 4]]), t.tensor([[True, False]])
    calls = [
        lambda: m.median(),
        lambda: m.nanmedian(),
        lambda: m.median(1),
        lambda: m.median(2),
        lambda: x[:, :0].nanmedian(1),
        lambda: x.mean(),
        lambda: x.std(0),
    ]
    by_bool = ["sum", "prod", "all", "argmax", "amax", "max", "median", "cumsum", "sort", "softmax"]
    kinds = [error(lambda name=name: getattr(x, name)(dim=True)).split(":")[0] for name in by_bool]
    return [[error(call) for call in calls], kinds]
