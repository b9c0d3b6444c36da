"""Order: sorting, the k largest, medians, quantiles, different elements, places in an order."""

from types import SimpleNamespace

from casebook import case, error


def given(t):
    """Return tensors of several kinds, always the same."""
    k = [
        [float("nan") if (5 * r + c) % 7 == 3 else (3 * r + c) % 5 - 1.5 for c in range(4)]
        for r in range(3)
    ]
    return SimpleNamespace(
        x=t.tensor(ROWS), y=t.tensor(ROWS).flip(0, 1) * 0.75, v=t.tensor(ROWS[1]), s=t.tensor(1.5),
        b=t.arange(24.0).reshape(2, 3, 4) * 0.5 - 5, q=t.tensor([*ROWS, [0.5, 2.5, -0.75, 1.0]]),
        z=t.tensor([[0.0, 2.0, 1.0, 2.0], [1.0, 1.0, 0.0, 0.0], [2.0, 0.0, 2.0, 2.0]]), k=t.tensor(k),
        e=t.zeros(0), e2=t.zeros(0, 3), l=t.tensor([[3, -2, 0, 3], [-5, 4, 4, 1], [0, 2, -1, -1]]),
        m=t.tensor([[True, False, True, True], [False, False, True, False], [True, False, False, True]]),
        i=t.tensor([2, 0]), j=t.tensor([[0, 2, 1, 0], [2, 2, 0, 1], [1, 0, 0, 2]]),
        o=t.tensor([[0, 1, 1, 0], [2, 2, 0, 1]]), u8=t.tensor([1, 0, 1], dtype=t.uint8),
        bo=t.tensor([True, False, True]),
    )  # fmt: skip


ROWS = [[2.0, -2.5, 0.5, -0.75], [-0.5, -0.25, -2.0, 1.25], [-1.0, 3.5, 0.25, -0.3]]


@case
def sort(t):
    g = given(t)
    found = [
        g.x.sort(),
        g.x.sort(0, descending=True),
        g.x.sort(stable=True),
        g.x.sort(stable=True, dim=0, descending=True),
        t.sort(g.z, stable=True),
        t.sort(g.z, descending=True, stable=True),
        g.k.sort(),
        g.k.sort(descending=True),
        g.s.sort(),
        g.e.sort(),
        g.l.sort(1),
        g.m.sort(1),
        g.x.argsort(),
        g.x.argsort(0, True),
        g.x.argsort(dim=0, descending=True, stable=True),
        t.argsort(g.x, -2),
        g.s.argsort(),
        g.x.msort(),
        t.msort(g.b),
    ]
    return found


@case
def sort_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.sort(5),
        lambda: t.sort([1]),
        lambda: g.x.sort("a"),
    ]
    return [error(call) for call in calls]


@case
def top_k(t):
    g = given(t)
    found = [
        g.x.topk(2),
        g.x.topk(2, 0),
        g.x.topk(2, largest=False),
        g.x.topk(2, 1, True, True),
        g.x.topk(0),
        g.s.topk(1),
        t.topk(g.l, 1)[0],
        g.x.kthvalue(2),
        g.x.kthvalue(2, 0, True),
        g.x.kthvalue(k=1, dim=0, keepdim=True),
        g.s.kthvalue(1),
    ]
    return found


@case
def top_k_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.topk(9),
        lambda: g.x.topk(-1),
        lambda: g.x.topk(1, 5),
        lambda: g.x.kthvalue(9),
        lambda: g.x.kthvalue(0),
        lambda: g.e2.kthvalue(1, 0),
        lambda: g.x.topk("a"),
    ]
    return [error(call) for call in calls]


@case
def middle_and_mode(t):
    g = given(t)
    found = [
        g.x.median(),
        g.x.median(0),
        g.x.median(1, keepdim=True),
        g.z.median(),
        g.k.median(),
        g.k.median(1),
        g.k.nanmedian(),
        g.k.nanmedian(1),
        g.k.nanmedian(0, True),
        g.l.median(),
        g.l.median(1)[0],
        g.s.median(0),
        g.s.median(),
        g.e.median(),
        t.nanmedian(g.e),
        g.x.mode(),
        g.x.mode(0),
        g.z.mode(1),
        g.z.mode(0),
        g.z.mode(0, True),
        g.l.mode(),
        g.s.mode(),
    ]
    return found


@case
def middle_and_mode_refused(t):
    g = given(t)
    calls = [
        lambda: g.e2.median(0),
        lambda: g.e2.mode(0),
        lambda: g.x.median(5),
        lambda: g.x.mode(5),
    ]
    return [error(call) for call in calls]


@case
def quantiles(t):
    g = given(t)
    found = [
        g.x.quantile(0.3),
        g.x.quantile(0.3, 0),
        g.x.quantile(0.3, 1, True),
        g.x.quantile(0.3, keepdim=True),
        g.x.quantile(t.tensor([0.1, 0.5, 0.9], dtype=g.x.dtype)),
        g.x.quantile(t.tensor([0.1, 0.5, 0.9], dtype=g.x.dtype), 0),
        g.x.quantile(t.tensor([0.1, 0.5, 0.9], dtype=g.x.dtype), 1, True),
        g.x.quantile(t.tensor([0.1, 0.5, 0.9], dtype=g.x.dtype), keepdim=True),
        g.x.quantile(0.3, 0, interpolation="lower"),
        g.x.quantile(0.3, 0, interpolation="higher"),
        g.x.quantile(0.3, 0, interpolation="midpoint"),
        g.x.quantile(0.3, 0, interpolation="nearest"),
        g.b.quantile(0.7, 1),
        g.b.quantile(t.tensor([0.1, 0.7], dtype=g.b.dtype), 1),
        g.k.quantile(0.3, 1),
        g.k.nanquantile(0.3, 1),
        g.k.nanquantile(0.3),
        g.k.nanquantile(t.tensor([0.1, 0.7], dtype=g.k.dtype), 0, True),
        g.s.quantile(0.3),
    ]
    return found


@case
def quantiles_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.quantile(2.0),
        lambda: g.x.quantile(-0.1),
        lambda: g.x.quantile(g.x),
        lambda: g.x.quantile(0.5, interpolation="foo"),
        lambda: g.e.quantile(0.5),
        lambda: g.l.quantile(0.5),
    ]
    return [error(call) for call in calls]


@case
def unique(t):
    g = given(t)
    found = [
        g.x.unique(),
        g.z.unique(),
        g.z.unique(return_inverse=True),
        g.z.unique(return_counts=True),
        g.z.unique(return_inverse=True, return_counts=True),
        g.l.unique(True, True, True),
        t.unique(g.l, dim=1),
        t.tensor([[1, 2], [1, 2], [0, 5]]).unique(dim=0, return_inverse=True, return_counts=True),
        t.unique(t.tensor([[1, 2], [1, 2], [0, 5]]), dim=0),
        g.z.unique_consecutive(),
        g.z.unique_consecutive(return_inverse=True, return_counts=True),
        t.unique_consecutive(t.tensor([[1, 2], [1, 2], [0, 5]]), dim=0, return_inverse=True),
        g.e.unique(return_counts=True, return_inverse=True),
        g.s.unique(return_inverse=True),
        g.m.unique(),
    ]
    return found


@case
def places_in_an_order(t):
    g = given(t)
    found = [
        t.tensor([1, 3, 1]).bincount(),
        t.tensor([1, 3, 1]).bincount(minlength=8),
        t.tensor([1, 3, 1]).bincount(t.tensor([0.5, 0.5, 2.0])),
        t.bincount(t.tensor([1, 3, 1]), weights=t.tensor([1, 2, 3])),
        t.bincount(t.tensor([], dtype=t.int64)),
        t.bincount(t.tensor([], dtype=t.int64), minlength=3),
        g.x.histc(),
        g.x.histc(4),
        g.x.histc(4, -1, 1),
        t.histc(g.x, bins=4, min=-1, max=1),
        t.histogram(g.x, 4),
        t.histogram(g.x, bins=4, range=(-1.0, 1.0)),
        t.histogram(g.x, 4, range=(-1.0, 1.0), density=True),
        t.histogram(g.x, t.tensor([-1.0, 0.0, 2.0], dtype=g.x.dtype)),
        t.histogram(g.x, 4, weight=g.y.abs()),
        t.searchsorted(g.v.sort()[0], g.x),
        t.searchsorted(g.v.sort()[0], g.x, right=True),
        t.searchsorted(g.x.sort()[0], g.y),
        t.searchsorted(g.x.sort()[0], g.y, out_int32=True, side="right"),
        t.searchsorted(g.v, g.x, sorter=g.v.argsort()),
        t.searchsorted(g.v.sort()[0], 0.3),
        t.bucketize(g.x, g.v.sort()[0]),
        t.bucketize(g.x, g.v.sort()[0], right=True, out_int32=True),
        t.bucketize(0.3, g.v.sort()[0]),
        t.searchsorted(g.v, g.l),
    ]
    return found


@case
def places_in_an_order_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.bincount(),
        lambda: g.l.bincount(),
        lambda: t.bincount(t.tensor([1]), minlength=-1),
        lambda: t.bincount(t.tensor([1]), weights=g.v),
        lambda: g.x.histc(0),
        lambda: g.x.histc(3, 2, 1),
        lambda: g.l.histc(),
        lambda: t.searchsorted(g.x, g.v),
        lambda: t.searchsorted(g.x, 1.0),
        lambda: t.searchsorted(g.v, 1.0, side="foo"),
        lambda: t.searchsorted(g.v, 1.0, side="left", right=True),
        lambda: t.bucketize(g.x, g.x),
    ]
    return [error(call) for call in calls]
