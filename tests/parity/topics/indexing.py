"""Square brackets, for reading and for writing."""

from casebook import case, error

from topics.sorting import given


@case
def reading(t):
    g = given(t)
    found = [
        g.x[0],
        g.x[-1],
        g.x[0, 1],
        g.x[:, 1],
        g.x[1:],
        g.x[::2],
        g.x[:, ::2],
        g.x[...],
        g.x[..., 0],
        g.x[None],
        g.x[:, None],
        g.x[None, ..., None],
        g.x[0, None],
        g.x[g.i],
        g.x[[0, 2]],
        g.x[[0, 2], [1, 1]],
        g.x[g.i, g.i],
        g.x[:, g.i],
        g.x[g.i, :],
        g.x[g.i, 1],
        g.x[1, g.i],
        g.x[0, :, None],
        g.x[g.m],
        g.x[~g.m],
        g.x[:, g.m[0]],
        g.x[g.bo],
        g.x[g.u8],
        g.x[g.bo, 1],
        g.x[g.bo, :2],
        g.x[g.bo, g.i],
        g.b[0, :, g.i],
        g.b[:, g.i, g.i],
        g.b[g.i[:1] * 0, :, g.i],
        g.b[g.i[:1] * 0, 1, g.i],
        g.b[:, g.i, 1],
        g.b[0, g.i],
        g.b[..., g.i],
        g.b[:, g.m],
        g.b[0, g.m],
        g.b[g.m[0, :2]],
        g.b[None, g.i[:1] * 0],
        g.b[g.i[:1] * 0, None],
        g.b[g.i[:1] * 0, None, g.i],
        g.b[g.i[:1] * 0, ..., g.i],
        g.b[[0]],
        g.b[[0], [1]],
        g.b[[[0]]],
        g.b[[[0, 1], [1, 2]]],
        g.b[[[0, 1]], [[1, 2]]],
        g.x[[True, False, True]],
        g.x[True],
        g.x[False],
        g.x[t.tensor(True)],
        g.x[t.tensor(False)],
        g.x[t.tensor(1)],
        g.x[t.tensor(1), t.tensor(2)],
        g.x[t.tensor([[0, 1], [1, 2]])],
        g.x[t.tensor([], dtype=t.int64)],
        g.x[[]],
        g.x[()],
        g.s[()],
        g.s[...],
        g.s[None],
        g.s[True],
        g.x[5:],
        g.x[..., ...],
        g.x[t.tensor([-1, 0])],
        g.x[g.i.int()],
        g.x[slice(1, None)],
        g.x[t.tensor(1) :],
        g.x[: t.tensor(2)],
        g.x[0][1],
        g.x[range(2)],
        g.x[(0, 1),],
        g.x[(0, 1)],
        g.x[[0, 1],],
        g.x[[slice(1), 1]],
        g.x[[g.i, g.i]],
        g.x[:, [0, 2]],
        g.x[:, [0, 2]][1],
        g.x[[1], :],
        g.x[[1], None, :],
        g.x[1:, [0, 1]],
        g.x[g.i][:, g.i],
        g.x[g.i[:, None], g.i],
        g.x[g.m.any(1)],
        g.x[1, ...],
        g.x[..., 1:3],
        g.x[:, -1:],
        g.x[-2:],
        g.x[10:2],
        g.x[2:1],
        g.x[:, 1:1],
        g.x[0, 0] in g.x,
    ]
    return found


@case
def reading_refused(t):
    g = given(t)
    calls = [
        lambda: g.x[g.m[0]],
        lambda: g.x[[True]],
        lambda: g.s[0],
        lambda: g.x[3],
        lambda: g.x[-4],
        lambda: g.x[0, 0, 0],
        lambda: g.x[0, 4],
        lambda: g.x[::-1],
        lambda: g.x[::0],
        lambda: g.x["a"],
        lambda: g.x[1.5],
        lambda: g.x[{}],
        lambda: g.x[g.i.float()],
        lambda: g.x[t.tensor([0, 9])],
        lambda: g.x[[0, 9]],
        lambda: g.x[[0, 1], [0, 1, 2]],
        lambda: g.x[t.tensor([True, False])],
        lambda: g.x[1:2:0],
        lambda: g.x[g.i.to(t.int16)],
        lambda: g.x[g.i.to(t.uint8)],
    ]
    return [error(call) for call in calls]


@case
def writing(t):
    g = given(t)
    found = []
    a = g.x * 1
    a[0] = 1.0
    found.append(a)
    a = g.x * 1
    a[0, 1] = g.s
    found.append(a)
    a = g.x * 1
    a[:, 1] = g.v[:3]
    found.append(a)
    a = g.x * 1
    a[1:] = g.y[1:]
    found.append(a)
    a = g.x * 1
    a[g.m] = 0
    found.append(a)
    a = g.x * 1
    a[g.m] = g.y[g.m]
    found.append(a)
    a = g.x * 1
    a[g.m] = g.s
    found.append(a)
    a = g.x * 1
    a[g.i] = g.v
    found.append(a)
    a = g.x * 1
    a[g.i, g.i] = g.v[:2]
    found.append(a)
    a = g.x * 1
    a[[0, 0]] = g.y[:2]
    found.append(a)
    a = g.x * 1
    a[...] = 3
    found.append(a)
    a = g.x * 1
    a[:] = g.y
    found.append(a)
    a = g.x * 1
    a[None] = g.y
    found.append(a)
    a = g.x * 1
    a[0] = g.v[None]
    found.append(a)
    a = g.x * 1
    a[0] = g.v[None, None]
    found.append(a)
    a = g.x * 1
    a[0] = g.l[0]
    found.append(a)
    a = g.x * 1
    a[0, 0] = True
    found.append(a)
    a = g.x * 1
    a[::2] = 0
    found.append(a)
    a = g.x * 1
    a[:, ::2] = -1
    found.append(a)
    a = g.x * 1
    a[g.bo] = g.v
    found.append(a)
    a = g.x * 1
    a[g.u8] = g.v
    found.append(a)
    a = g.x * 1
    a[True] = 0
    found.append(a)
    a = g.x * 1
    a[False] = 0
    found.append(a)
    a = g.x * 1
    a[t.tensor(1)] = 0
    found.append(a)
    a = g.x * 1
    a[1, g.i] = g.v[:2]
    found.append(a)
    a = g.x * 1
    a[g.i, 1] = g.v[:2]
    found.append(a)
    a = g.x * 1
    a[:, g.i] = g.v[:2]
    found.append(a)
    a = g.x * 1
    a[()] = 0
    found.append(a)
    a = g.s * 1
    a[()] = 2
    found.append(a)
    a = g.s * 1
    a[...] = 2
    found.append(a)
    a = g.l * 1
    a[0] = 1.7
    found.append(a)
    a = g.l * 1
    a[0] = g.x[0]
    found.append(a)
    a = g.m.clone()
    a[0] = 2
    found.append(a)
    a = g.m.clone()
    a[0] = g.x[0]
    found.append(a)
    a = g.x * 1
    a[0] += 1
    found.append(a)
    a = g.x * 1
    a[g.m] *= 2
    found.append(a)
    a = g.x * 1
    a[g.i] -= g.v
    found.append(a)
    a = g.b * 1
    a[:, 0] = g.v
    found.append(a)
    a = g.b * 1
    a[..., 0] = g.v[:3]
    found.append(a)
    a = g.b * 1
    a[:, [0, 1]] = 0
    found.append(a)
    a = g.b * 1
    a[0][1] = 5
    found.append(a)
    a = g.b * 1
    a[g.m[0, :2]] = 1
    found.append(a)
    a = g.b * 1
    a[:, g.m] = 1
    found.append(a)
    a = g.x * 1
    a[1:3, 1:3] = 0
    found.append(a)
    a = g.x * 1
    a[0, [1, 2]] = g.v[:2]
    found.append(a)
    a = g.x * 1
    a[:2][:, 1:] = 0
    found.append(a)
    return found


@case
def writing_refused(t):
    g = given(t)
    calls = [
        lambda: (g.x * 1).__setitem__(0, [1, 2, 3, 4]),
        lambda: (g.x * 1).__setitem__(0, "a"),
        lambda: (g.x * 1).__setitem__(0, None),
        lambda: (g.x * 1).__setitem__(g.m, g.v[:3]),
        lambda: (g.x * 1).__setitem__(g.i, g.y),
        lambda: (g.x * 1).__setitem__(9, 0),
        lambda: (g.s * 1).__setitem__(0, 2),
        lambda: (g.x * 1).__setitem__("a", 0),
        lambda: (g.x * 1).__setitem__(1.0, 0),
    ]
    return [error(call) for call in calls]
