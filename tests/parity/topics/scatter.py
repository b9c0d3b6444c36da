"""Writing to and reading from places given by index tensors and masks."""

from functools import partial

from casebook import case, error

from topics.sorting import given


@case
def scattering(t):
    g = given(t)
    found = [
        g.x.scatter(0, g.o, g.y[:2]),
        g.x.scatter(0, g.o, g.y),
        g.x.scatter(0, g.o, 1.5),
        g.x.scatter(1, g.j, g.y),
        g.x.scatter(dim=1, index=g.j, value=2),
        g.x.scatter(1, g.o, g.y, reduce="add"),
        g.x.scatter(1, g.o, g.y, reduce="multiply"),
        g.x.scatter(1, g.o, 2.0, reduce="add"),
        g.x.clone().scatter_(1, g.o, 2.0, reduce="multiply"),
        t.scatter(g.x, 0, g.o, g.y),
        t.zeros(3, 5, dtype=g.x.dtype).scatter_(0, g.o, g.y),
        g.s.scatter(0, t.tensor(0), g.v[0]),
        g.x.scatter_add(0, g.o, g.y),
        g.x.scatter_add(1, g.j, g.y),
        g.x.scatter_reduce(0, g.o, g.y, "sum"),
        g.x.scatter_reduce(0, g.o, g.y, "prod"),
        g.x.scatter_reduce(0, g.o, g.y, "mean"),
        g.x.scatter_reduce(0, g.o, g.y, "amax"),
        g.x.scatter_reduce(0, g.o, g.y, "amin"),
        g.x.scatter_reduce(0, g.o, g.y, "sum", include_self=False),
        g.x.scatter_reduce(0, g.o, g.y, "prod", include_self=False),
        g.x.scatter_reduce(0, g.o, g.y, "mean", include_self=False),
        g.x.scatter_reduce(0, g.o, g.y, "amax", include_self=False),
        g.x.scatter_reduce(0, g.o, g.y, "amin", include_self=False),
        g.z.scatter_reduce(0, g.o, g.z, "amin", include_self=False),
        g.z.scatter_reduce(0, g.o, g.z, "amax"),
        g.z.scatter_reduce(0, g.o, g.z, "prod"),
        g.l.scatter_reduce(0, g.o, g.l, "mean"),
    ]
    a = g.x.clone()
    a.scatter_(0, g.o, g.y)
    found.append(a)
    a = g.x * 1
    a.scatter_(1, g.o, 3.0)
    found.append(a)
    a = g.x * 1
    a.scatter_add_(1, g.j, g.y)
    found.append(a)
    a = g.x * 1
    a.scatter_reduce_(0, g.o, g.y, reduce="amax")
    found.append(a)
    return found


@case
def scattering_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.scatter(0, t.tensor([[9]]), 1.0),
        lambda: g.x.scatter(0, t.tensor([9]), 1.0),
        lambda: g.x.scatter(0, g.o.float(), 1.0),
        lambda: g.x.scatter(0, g.o, g.l),
        lambda: g.x.scatter(0, g.o, g.y[:1]),
        lambda: g.x.scatter(2, g.o, g.y),
        lambda: g.x.scatter(0, g.o, g.y, reduce="foo"),
        lambda: g.x.scatter_add(0, g.o, g.l),
        lambda: g.x.scatter_add(0, g.o, g.y[:1]),
        lambda: g.x.scatter_reduce(0, g.o, g.y, "foo"),
        lambda: g.x.scatter(0, g.o),
    ]
    return [error(call) for call in calls]


@case
def slices_by_index(t):
    g = given(t)
    found = [
        g.x.index_add(0, g.i, g.y[:2]),
        g.x.index_add(1, g.i, g.y[:, :2]),
        g.x.index_add(0, g.i, g.y[:2], alpha=2),
        g.x.index_add(0, t.tensor([1, 1]), g.y[:2]),
        g.x.index_copy(0, g.i, g.y[:2]),
        g.x.index_copy(1, g.i, g.y[:, :2]),
        g.x.index_fill(0, g.i, -1),
        g.x.index_fill(1, g.i, -1.0),
        g.x.index_fill(1, g.i, g.s),
        g.x.index_fill(1, t.tensor([-1]), g.s),
        g.l.index_fill(1, g.i, 2),
        g.x.index_reduce(0, g.i, g.y[:2], "prod"),
        g.x.index_reduce(0, g.i, g.y[:2], "mean"),
        g.x.index_reduce(0, g.i, g.y[:2], "amax"),
        g.x.index_reduce(0, t.tensor([1, 1]), g.y[:2], "amin"),
        g.x.index_reduce(0, t.tensor([1, 1]), g.y[:2], "mean", include_self=False),
        g.x.index_reduce(0, t.tensor([1, 1]), g.y[:2], "amin", include_self=False),
        g.x.index_select(0, g.i),
        g.x.index_select(1, t.tensor([0, 0, 3])),
        t.index_select(g.x, 1, g.i),
        t.index_select(g.x, dim=0, index=g.i),
        g.s.index_select(0, t.tensor([0])),
        g.x.index_select(0, t.tensor(1)),
    ]
    a = g.x * 1
    a.index_add_(0, g.i, g.y[:2], alpha=-1)
    found.append(a)
    return found


@case
def slices_by_index_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.index_add(0, g.i, g.y),
        lambda: g.x.index_add(0, g.i, g.l[:2]),
        lambda: g.x.index_add(0, g.i.float(), g.y[:2]),
        lambda: g.x.index_add(0, t.tensor([0, 9]), g.y[:2]),
        lambda: g.x.index_add(0, g.o, g.y[:2]),
        lambda: g.x.index_add(0, g.i, g.y[:2, :3]),
        lambda: g.x.index_copy(0, g.i, g.y),
        lambda: g.x.index_copy(0, g.i, g.l[:2]),
        lambda: g.x.index_copy(0, g.i.float(), g.y[:2]),
        lambda: g.x.index_copy(0, t.tensor([0, 9]), g.y[:2]),
        lambda: g.x.index_copy(0, g.i, g.y[:2, :3]),
        lambda: g.x.index_fill(0, g.i.float(), 1),
        lambda: g.x.index_fill(0, t.tensor([9]), 1),
        lambda: g.x.index_fill(0, g.o, 1),
        lambda: g.x.index_fill(0, g.i, g.v),
        lambda: g.x.index_reduce(0, g.i, g.y[:2], "foo"),
        lambda: g.x.index_reduce(0, g.i.float(), g.y[:2], "mean"),
        lambda: g.x.index_reduce(0, g.i, g.l[:2], "mean"),
        lambda: g.x.index_select(0, g.o),
        lambda: g.x.index_select(0, g.v),
        lambda: g.x.index_select(0, t.tensor([9])),
        lambda: g.x.index_select(3, g.i),
        lambda: g.x.index_select(0, [0, 1]),
    ]
    return [error(call) for call in calls]


@case
def anywhere(t):
    g = given(t)
    found = [
        g.x.index_put((g.i,), g.v),
        g.x.index_put((g.i, g.i), g.s),
        g.x.index_put((g.i, g.i), g.v[:2], accumulate=True),
        g.x.index_put((t.tensor([1, 1]),), g.v, True),
        g.x.index_put((g.m,), g.s),
        g.x.take(g.i),
        g.x.take(t.tensor([[0, -1], [5, 5]])),
        t.take_along_dim(g.x, g.j, 1),
        t.take_along_dim(g.x, g.o.new_zeros(1, 4), 0),
        t.take_along_dim(g.x, t.tensor([0, 5])),
        g.x.take_along_dim(g.x.argsort(1), dim=1),
        g.x.gather(0, g.o),
        g.x.gather(1, g.o),
        g.x.gather(1, g.j[:, :1]),
        g.s.gather(0, t.tensor([0])),
        g.s.gather(0, t.tensor(0)),
        g.x.gather(0, t.zeros(0, 4, dtype=t.int64)),
        g.x.masked_select(g.m),
        g.x.masked_select(g.m[0]),
        g.v.masked_select(g.m),
        g.s.masked_select(t.tensor(True)),
        g.x.masked_scatter(g.m, g.y),
        g.x.masked_scatter(g.m[0], g.y),
        g.x.masked_scatter(g.m[:, :1], g.b),
        g.x.masked_fill(g.m, 1),
        g.x.masked_fill(g.m, g.s),
        g.x.masked_fill(g.m[0], g.s),
        g.v.masked_fill(g.m, 0.0),
        g.x.nonzero(),
        g.z.nonzero(),
        g.z.nonzero(as_tuple=True),
        g.s.nonzero(),
        g.s.nonzero(as_tuple=True),
        t.nonzero(g.z),
        t.nonzero(g.z, as_tuple=False),
        t.argwhere(g.z),
        g.z.argwhere(),
        t.argwhere(g.s),
        g.z.nonzero_static(size=4),
        g.z.nonzero_static(size=20, fill_value=-2),
        t.where(g.m, g.x, g.y),
        t.where(g.m, g.x, 0),
        t.where(g.m, 0.0, g.x),
        t.where(g.m, 1, 2),
        t.where(g.m, 1.0, 2),
        t.where(g.m),
        t.where(g.m, g.x, g.s),
        t.where(g.m, g.v, g.x),
        g.x.where(g.m, g.y),
        g.x.where(g.m, 0),
        t.where(g.m, g.l, g.x),
    ]
    a = g.x * 1
    a.index_put_((g.i,), g.v)
    found.append(a)
    a = g.x * 1
    a.put_(g.i, g.v[:2])
    found.append(a)
    a = g.x * 1
    a.put_(t.tensor([1, 1, -1]), g.v[:3], accumulate=True)
    found.append(a)
    a = g.x * 1
    a.masked_scatter_(g.m, g.y)
    found.append(a)
    a = g.x * 1
    a.masked_fill_(g.m, g.s)
    found.append(a)
    return found


@case
def anywhere_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.index_put((None, g.i), g.s),
        lambda: g.x.gather(0, g.v.long()),
        lambda: g.x.gather(2, g.o),
        lambda: g.x.gather(0, g.o.float()),
        lambda: g.x.gather(0, t.tensor([[9, 0, 0, 0]])),
        lambda: g.x.gather(0, t.zeros(1, 5).long()),
        lambda: g.x.take(t.tensor([99])),
        lambda: g.x.take(g.v),
        lambda: g.x.masked_select(g.l),
        lambda: g.x.masked_scatter(g.m, g.y[:1, :1]),
        lambda: g.x.masked_scatter(g.m, g.l),
        lambda: g.x.masked_scatter(g.l, g.y),
        lambda: t.take_along_dim(g.x, g.i, 1),
        lambda: t.take_along_dim(g.x, t.tensor([99])),
        lambda: t.where(g.x, g.x, g.x),
        lambda: t.where(g.m, g.x),
        lambda: t.where(g.m, g.x, g.v[:3]),
        lambda: t.where(1, g.x, g.x),
        lambda: g.x.gather(0, 1),
        lambda: g.x.gather(0),
        lambda: g.x.masked_fill(1, 1),
        lambda: g.x.masked_select(1),
        lambda: g.x.take([0]),
    ]
    return [error(call) for call in calls]


@case
def parts_replaced(t):
    g = given(t)
    found = [
        t.select_scatter(g.x, g.v, 0, 1),
        g.x.select_scatter(g.v, 0, -1),
        g.x.slice_scatter(g.y[:2], 0, 1),
        g.x.slice_scatter(g.y[:, :2], 1, 0, 4, 2),
        g.x.slice_scatter(g.y[:, :2], dim=1, start=1, end=3),
        g.x.diagonal_scatter(g.v[:3]),
        g.x.diagonal_scatter(g.v[:3], 1),
        g.b.diagonal_scatter(g.y[:3, :2].t(), 0, 1, 2),
        g.b.diagonal_scatter(g.x.new_zeros(4, 2), 0, 0, 1),
    ]
    return found


@case
def parts_replaced_refused(t):
    g = given(t)
    calls = [
        lambda: g.b.diagonal_scatter(g.y[:, :2], 0, 0, 1),
        lambda: g.x.select_scatter(g.v[:3], 0, 0),
        lambda: g.x.slice_scatter(g.v, 0, 0),
        lambda: g.x.diagonal_scatter(g.v),
    ]
    return [error(call) for call in calls]


def tried(t, calls, *dtypes):
    """Return what comes of each call with a small tensor of each type: a list of numbers, or the error."""
    found = []
    for dtype in dtypes:
        for call in calls:
            x = t.arange(6.0).reshape(2, 3).to(dtype)
            found.append(error(lambda x=x, call=call: call(x).tolist()))
    return found


@case
def numbers_that_do_not_fit(t):
    i = t.tensor([[0, 1, 1]])
    calls = [
        lambda x: x.scatter_(0, i, -1),
        lambda x: x.scatter_(0, i, -1.5, reduce="add"),
        lambda x: x.scatter_(0, i, -1.5, reduce="multiply"),
        lambda x: x.scatter_(0, i, 300),
        lambda x: x.index_fill_(0, i[0, :1], -1),
        lambda x: x.index_fill_(0, i[0, :1], t.tensor(300.5)),
        lambda x: x.index_add_(0, i[0, :2], x.clone(), alpha=-1),
        lambda x: x.index_add_(0, i[0, :2], x.clone(), alpha=0.5),
        lambda x: x.masked_scatter_(x > 2, x + 1),
    ]
    return tried(t, calls, t.uint8, t.int8, t.int64, t.bool)


@case
def indices_of_every_type(t):
    i = t.tensor([[0], [-1]])
    uses = [
        lambda k, x: x.gather(1, k * k),
        lambda k, x: x.take_along_dim(k, 1),
        lambda k, x: x.take_along_dim(k * k * 9, 0),
        lambda k, x: x.take_along_dim(k.reshape(-1)[:1]),
        lambda k, x: x.take(k),
        lambda k, x: x.index_select(1, k[:1, 0]),
        lambda k, x: x.scatter(1, k[:1], 7.0),
        lambda k, x: x.index_add(1, k[:1, 0], x[:, :1]),
        lambda k, x: x.index_copy(1, k[:1, 0], x[:, :1]),
        lambda k, x: x.index_fill(1, k[:, 0], 9),
        lambda k, x: x.put_(k, x[:, :1].clone()),
        lambda k, x: x.index_put((k[:, 0],), x[0]),
        lambda k, x: x.index_put_((k[:, 0], k[:, 0]), x[0, :2].clone(), accumulate=True),
    ]
    types = (t.int64, t.int32, t.int16, t.uint8, t.bool)
    calls = [partial(use, i.to(dtype)) for dtype in types for use in uses]
    calls += [lambda x: x.gather(0, t.tensor([])), lambda x: x.scatter(0, t.tensor([]), x)]
    return tried(t, calls, t.float32)


@case
def without_dimensions(t):
    places = [t.tensor(0), t.tensor([0]), t.tensor([0, 0]), t.tensor([1])]
    sources = [t.tensor(7.0), t.tensor([7.0]), t.tensor([7.0, 3.0])]
    uses = [
        lambda i, v, s: s.scatter_reduce(0, i, v, "prod"),
        lambda i, v, s: s.scatter_reduce(0, i, v, "amax"),
        lambda i, v, s: s.scatter_reduce(0, i, v, "amin", include_self=False),
        lambda i, v, s: s.scatter(0, i, v),
        lambda i, v, s: s.scatter_add(0, i, v),
        lambda i, v, s: s.index_add(0, i, v),
        lambda i, v, s: s.index_copy(0, i, v),
        lambda i, v, s: s.index_select(0, i),
    ]
    calls = [partial(use, i, v) for i in places for v in sources for use in uses]
    calls += [partial(lambda k, s: s.topk(k).values, k) for k in (0, 1, 2)]
    return [error(lambda call=call: call(t.tensor(5.0)).tolist()) for call in calls]
