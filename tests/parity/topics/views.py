"""Which results share memory with what they were made from, and writing through those that do."""

from casebook import case

from topics.sorting import given


@case
def views_begin_where_pytorchs_do(t):
    x = given(t).x
    views = [
        x[1], x[:, 1:], x[1:, 2:], x[...], x[None], x.t(), x.T, x.mT, x.adjoint(), x.view(12),
        x.reshape(4, 3), x.diagonal(1), x.unfold(1, 2, 1), x.as_strided((2,), (1,), 3), x.flatten(),
        x.ravel(), x.squeeze(), x.unsqueeze(1), x.expand(2, 3, 4), x.movedim(0, 1), x.narrow(1, 2, 1),
        x.select(1, 2), x.detach(), x.swapaxes(0, 1), x.unflatten(1, (2, 2)), x.contiguous(),
        x.chunk(2)[1], x.split(1)[2], x.unbind()[1], x.hsplit(2)[1], x.tensor_split(3, 1)[1],
        t.atleast_2d(x), t.broadcast_to(x, (3, 4)), x.permute(1, 0),
    ]  # fmt: skip
    return [[v.data_ptr() - x.data_ptr(), list(v.stride()), v.is_contiguous()] for v in views]


@case
def copies_have_memory_of_their_own(t):
    g = given(t)
    x = g.x
    copies = [
        x.clone(), x.t().reshape(12), x.flip(0), x.repeat(1, 1), x.tile(1, 1), x.t().contiguous(),
        x[[0, 1]], x[t.tensor([0])], x.roll(0), x.rot90(4), x.tril(), x.diag(), x.sort()[0],
        x.gather(0, g.o), x.index_select(0, g.i), x.masked_select(g.m), x.take(g.i), t.cat([x]),
        t.stack([x]), x.narrow_copy(0, 0, 1), x.t().flatten(), x.diff(n=0), x.cumsum(0), g.s.repeat(3),
    ]  # fmt: skip
    return [[c.data_ptr() == x.data_ptr(), list(c.stride())] for c in copies]


@case
def writes_go_through_views(t):
    def changed(write):
        a = t.zeros(3, 4)
        write(a)
        return a

    return [
        changed(lambda a: a.diagonal().fill_(1)),
        changed(lambda a: a.unfold(1, 2, 2)[0].fill_(1)),
        changed(lambda a: a.as_strided((2, 2), (4, 1), 1).fill_(1)),
        changed(lambda a: a.t()[1].add_(1)),
        changed(lambda a: a.view(2, 6).__setitem__(0, 2)),
        changed(lambda a: a.expand(3, 4).__setitem__(0, 2)),
        changed(lambda a: a.unsqueeze(0).__setitem__((0, 1), 3)),
        changed(lambda a: a.split(2)[1].fill_(3)),
        changed(lambda a: a.unbind(1)[2].fill_(3)),
        changed(lambda a: a.movedim(0, 1)[1].fill_(3)),
        changed(lambda a: a.flatten().__setitem__(slice(1, 3), 5)),
        changed(lambda a: a.view(t.int32).__setitem__(0, 1065353216)),
    ]


@case
def recorded_writes_go_through_views(t):
    def slopes(write):
        x = given(t).x.requires_grad_()
        a = x * 1
        write(a)
        (a * given(t).y).sum().backward()
        return [a, x.grad]

    y = given(t).y
    return [
        slopes(lambda a: a.diagonal().mul_(2)),
        slopes(lambda a: a.t()[1].mul_(y[:, 1])),
        slopes(lambda a: a.unfold(1, 2, 2)[0].mul_(3)),
        slopes(lambda a: a.as_strided((2, 2), (4, 1), 1).mul_(3)),
        slopes(lambda a: a.narrow(1, 1, 2).copy_(y[:, :2])),
        slopes(lambda a: a.select(0, 1).zero_()),
        slopes(lambda a: a[0].scatter_(0, t.tensor([1, 2]), 5.0)),
        slopes(lambda a: a[:, 1].masked_fill_(given(t).m[:, 1], 0)),
        slopes(lambda a: a.cumsum_(0)),
        slopes(lambda a: a.index_add_(0, given(t).i, y[:2]).mul_(2)),
    ]


@case
def gradients_of_leaves_with_gaps_have_none(t):
    leaves = t.zeros(4, 6)[:, ::2], t.zeros(4, 6)[::2].t(), t.zeros(4, 6).t(), t.zeros(2, 3, 4, 5).to(memory_format=t.channels_last)[:, ::2]  # fmt: skip
    found = []
    for leaf in leaves:
        leaf.requires_grad_()
        (leaf * t.ones(leaf.shape)).sum().backward()
        found.append(leaf.grad.stride())
    return found
