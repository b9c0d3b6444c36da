"""Views, splits, joins, turns, triangles."""

from casebook import case, error

from topics.sorting import given


@case
def triangles_and_diagonals(t):
    g = given(t)
    found = [
        g.x.tril(),
        g.x.tril(1),
        g.x.triu(-1),
        g.b.triu(1),
        t.tril(g.x, diagonal=-1),
        g.l.tril(),
        g.m.triu(),
        (g.x / 0).tril(),
        g.x.diag(),
        g.x.diag(1),
        g.v.diag(),
        g.v.diag(-1),
        t.diag(g.v, 2),
        g.e.diag(),
        g.x.diagonal(),
        g.x.diagonal(1),
        g.x.diagonal(-1, 0, 1),
        g.b.diagonal(0, 1, 2),
        g.b.diagonal(offset=1, dim1=-1, dim2=0),
        g.x.diagonal(9),
        g.x.diagflat(),
        g.v.diagflat(1),
        g.s.diagflat(),
        g.v.diag_embed(),
        g.x.diag_embed(),
        g.x.diag_embed(1),
        g.x.diag_embed(-1, 0, 2),
        g.x.diag_embed(0, 1, 0),
        g.x.trace(),
        g.q.trace(),
        g.l.trace(),
        t.tril_indices(3, 4),
        t.tril_indices(3, 4, -1),
        t.triu_indices(3, 4, offset=1),
        t.triu_indices(4, 3, dtype=t.int32),
    ]
    a = g.x * 1
    a.tril_()
    found.append(a)
    a = g.x * 1
    a.triu_(1)
    found.append(a)
    a = g.x * 1
    a.fill_diagonal_(3.0)
    found.append(a)
    a = t.zeros(7, 3)
    a.fill_diagonal_(5, wrap=True)
    found.append(a)
    a = t.zeros(7, 3)
    a.fill_diagonal_(5)
    found.append(a)
    a = t.zeros(3, 3, 3)
    a.fill_diagonal_(5)
    found.append(a)
    return found


@case
def triangles_and_diagonals_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.diagonal(0, 0, 0),
        lambda: g.x.diagonal(0, 0, 5),
        lambda: g.v.diagonal(),
        lambda: g.b.diag(),
        lambda: g.v.tril(),
        lambda: g.v.trace(),
        lambda: g.x.diag_embed(0, 1, 1),
        lambda: t.zeros(3).fill_diagonal_(0),
        lambda: t.zeros(2, 3, 2).fill_diagonal_(0),
        lambda: t.tril_indices(-1, 1),
        lambda: g.x.tril("a"),
        lambda: g.x.diag("a"),
    ]
    return [error(call) for call in calls]


@case
def turns_and_repeats(t):
    g = given(t)
    found = [
        g.x.roll(1),
        g.x.roll(1, 0),
        g.x.roll((1, -1), (0, 1)),
        g.x.roll(shifts=5, dims=1),
        g.x.roll(-1, -1),
        g.s.roll(1),
        g.x.rot90(),
        g.x.rot90(2),
        g.x.rot90(3),
        g.x.rot90(-1, [1, 0]),
        g.x.rot90(4),
        g.b.rot90(1, [1, 2]),
        g.x.flip(0),
        g.x.flip((0, 1)),
        g.x.flip([]),
        g.x.flip(-1),
        g.x.fliplr(),
        g.x.flipud(),
        t.flip(g.x, dims=(0,)),
        t.flip(g.x, [0]),
        g.x.tile((2,)),
        g.x.tile(2, 2),
        g.x.tile((2, 1, 2)),
        t.tile(g.x, (2, 2)),
        g.x.tile(dims=(1, 2)),
        g.x.repeat(2, 1),
        g.x.repeat((2, 1, 1)),
        g.x.repeat(1, 1),
        g.x.repeat(0, 2),
        g.s.repeat(3),
        g.x.repeat_interleave(2),
        g.x.repeat_interleave(2, 0),
        g.x.repeat_interleave(2, 1),
        g.x.repeat_interleave(t.tensor([1, 0, 2]), 0),
        g.x.repeat_interleave(t.tensor([2]), 0),
        g.x.repeat_interleave(t.tensor(2), 0),
        t.repeat_interleave(g.x, 2, dim=1),
        t.repeat_interleave(t.tensor([1, 0, 2])),
        t.repeat_interleave(g.x, t.tensor([1, 0, 2]), dim=0, output_size=3),
        g.s.repeat_interleave(3),
    ]
    return found


@case
def turns_and_repeats_refused(t):
    g = given(t)
    calls = [
        lambda: t.repeat_interleave(g.x, t.tensor([1, 0, 2]), dim=0, output_size=4),
        lambda: g.x.roll((1, 2), 0),
        lambda: g.x.roll(1, (0, 1)),
        lambda: g.x.roll(1, 5),
        lambda: g.x.roll(()),
        lambda: g.x.rot90(1, (0, 0)),
        lambda: g.x.rot90(1, (0,)),
        lambda: g.v.rot90(),
        lambda: g.x.flip(5),
        lambda: g.x.flip(0, 0),
        lambda: g.v.fliplr(),
        lambda: g.s.flipud(),
        lambda: g.x.repeat(2),
        lambda: g.x.repeat(-1, 2),
        lambda: g.x.repeat_interleave(g.i),
        lambda: g.x.repeat_interleave(-1),
        lambda: g.x.repeat_interleave(t.tensor([-1])),
        lambda: g.x.repeat_interleave(2, 5),
        lambda: g.x.repeat("a"),
        lambda: g.x.flip("a"),
        lambda: g.x.roll(),
        lambda: g.x.roll("a"),
    ]
    return [error(call) for call in calls]


@case
def dimensions(t):
    g = given(t)
    found = [
        g.x.expand(2, 3, 4),
        g.x.expand(-1, -1),
        g.v.expand(3, 4),
        g.s.expand(2, 2),
        g.x[:, :1].expand(3, 5),
        g.x.expand_as(g.b),
        g.v.broadcast_to((2, 4)),
        t.broadcast_to(g.v, (2, 4)),
        g.b.movedim(0, 1),
        g.b.movedim((0, 1), (2, 0)),
        g.b.moveaxis(-1, 0),
        t.movedim(g.b, 1, 0),
        t.moveaxis(g.b, (0,), (1,)),
        g.b.swapaxes(0, 1),
        g.b.swapdims(0, -1),
        t.swapaxes(g.b, axis0=0, axis1=1),
        t.swapdims(g.b, 0, 1),
        t.transpose(g.b, 0, 1),
        g.b.permute(2, 0, 1),
        t.permute(g.b, (2, 0, 1)),
        g.b.permute(dims=(2, 0, 1)),
        g.b.permute(-1, 0, 1),
        g.b.T,
        g.x.T,
        g.b.mT,
        g.x.H,
        g.x.mH,
        g.b.mH,
        g.x.adjoint(),
        t.adjoint(g.b),
        g.v.t(),
        g.x.t(),
        t.t(g.x),
        g.b[:1].squeeze(),
        g.b[:1].squeeze(0),
        g.b.squeeze(0),
        g.b[:1, :1].squeeze((0, 1)),
        g.b[:1, :1].squeeze((0, 2)),
        g.x.unsqueeze(1),
        g.x.t().unsqueeze(1),
        g.x.t().unsqueeze(0),
        g.x.t().unsqueeze(-1),
        t.unsqueeze(g.x, 0),
        g.s.unsqueeze(0),
        g.s.squeeze(),
        g.b.transpose(0, 1).view(3, 2, 2, 2),
        g.x.t().reshape(12),
        g.x.t().ravel(),
        g.x.t().unfold(0, 3, 1),
        g.x.t().as_strided((3, 4), (4, 1)),
        g.x.t().stride(),
        g.x.t().is_contiguous(),
        g.x.t().contiguous(),
        g.x.t()[0],
        g.x.t()[g.i],
        g.s.mT,
    ]
    a = g.x * 1
    a.t_()
    found.append(a)
    a = g.x * 1
    a.transpose_(0, 1)
    found.append(a)
    a = g.x * 1
    a.swapaxes_(0, 1)
    found.append(a)
    a = g.x * 1
    a.swapdims_(0, 1)
    found.append(a)
    a = g.x * 1
    a.unsqueeze_(0)
    found.append(a)
    a = g.x * 1
    a.unsqueeze_(-1)
    found.append(a)
    a = g.x[:, :1] * 1
    a.squeeze_()
    found.append(a)
    a = g.x[:, :1] * 1
    a.squeeze_(1)
    found.append(a)
    a = g.x[:1, :1] * 1
    a.squeeze_((0, 1))
    found.append(a)
    return found


@case
def dimensions_refused(t):
    g = given(t)
    calls = [
        lambda: g.b.transpose(0, 1).view(3, 8),
        lambda: g.b.transpose(1, 2).view(2, 12),
        lambda: g.x.expand(4),
        lambda: g.x.expand(-1, 3, 4),
        lambda: g.x.expand(5, 4),
        lambda: g.x.expand(-2, 4),
        lambda: g.x.movedim(0, 5),
        lambda: g.x.movedim((0, 0), (0, 1)),
        lambda: g.x.movedim((0, 1), (0, 0)),
        lambda: g.x.permute(0),
        lambda: g.x.permute(0, 0),
        lambda: g.x.permute(0, 5),
        lambda: g.x.transpose(0, 5),
        lambda: g.b.t(),
        lambda: g.b.H,
        lambda: g.v.H,
        lambda: g.v.mT,
        lambda: g.v.adjoint(),
        lambda: g.x.t().view(12),
        lambda: g.x.squeeze(5),
        lambda: g.x.unsqueeze(5),
        lambda: g.x.squeeze((0, 0)),
        lambda: g.x.permute("a"),
        lambda: g.x.permute(),
        lambda: g.x.transpose(0),
        lambda: g.x.squeeze("a"),
        lambda: g.x.unsqueeze(),
        lambda: g.x.unsqueeze("a"),
        lambda: g.x.expand("a"),
    ]
    return [error(call) for call in calls]


@case
def views(t):
    g = given(t)
    found = [
        g.x.view(12),
        g.x.view(-1, 2),
        g.x.view((2, 6)),
        g.x.view(size=(2, 6)),
        g.b.view(6, -1),
        g.x.view_as(g.x.reshape(4, 3)),
        g.x.reshape_as(g.x.t()),
        g.s.reshape(1, 1),
        g.s.view(()),
        g.e.view(-1),
        g.e.view(2, 0),
        t.ones(2, 3).view(t.int32),
        t.ones(2, 4).view(t.float64),
        t.ones(2, 4).view(t.uint8),
        t.ones(2, 4).view(t.int16).shape,
        t.tensor(1.0).view(t.int32),
        t.arange(8).view(dtype=t.int32),
        g.x.flatten(),
        g.b.flatten(1),
        g.b.flatten(0, 1),
        g.b.flatten(start_dim=1, end_dim=2),
        g.s.flatten(),
        g.v.flatten(),
        g.b.unflatten(2, (2, 2)),
        g.b.unflatten(-1, (2, -1)),
        t.unflatten(g.b, 1, (3, 1)),
        g.x.ravel(),
        t.ravel(g.x),
        g.x.unfold(0, 2, 1),
        g.x.unfold(1, 2, 2),
        g.b.unfold(1, 2, 1),
        g.v.unfold(0, 2, 1),
        g.s.unfold(0, 1, 1),
        g.x.as_strided((2, 2), (1, 2)),
        g.x.as_strided((2, 2), (1, 2), 1),
        g.x.as_strided((3, 3), (1, 1)),
        t.as_strided(g.x, (2,), (3,), storage_offset=2),
        g.x[1:].as_strided((2, 2), (4, 1)),
        g.x.stride(),
        g.x.stride(0),
        g.x.stride(dim=1),
        g.x.is_contiguous(),
        g.x[:, ::2].contiguous(),
        g.x[1:].storage_offset(),
        g.x[1:, 2:].storage_offset(),
        g.x.size(),
        g.x.size(0),
        g.x.size(dim=-1),
        g.x.size()[1:],
        g.x.numel(),
        g.x.size().numel(),
        t.numel(g.x),
        g.x.shape == (3, 4),
        g.x.shape + (1,),
        g.x.shape * 2,
        t.Size([1, 2]).count(1),
        t.Size((1, 2)).index(2),
        t.Size(),
        g.x.resize_(3),
    ]
    a = t.zeros(2, 3)
    a.resize_(6)
    found.append(a)
    a = t.zeros(2, 3)
    a.resize_(2, 2)
    found.append(a)
    a = t.zeros(2, 3)
    a.resize_((1, 2))
    found.append(a)
    a = t.zeros(2, 3)
    a.resize_as_(t.zeros(3, 2))
    found.append(a)
    return found


@case
def views_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.reshape(()),
        lambda: g.e.view(0, -1),
        lambda: g.e.reshape(0, 3, -1),
        lambda: t.tensor(1.0).view(t.int16),
        lambda: g.x.view(5),
        lambda: g.x.view(-1, -1),
        lambda: g.x.view(-2, 6),
        lambda: g.x.view(5, -1),
        lambda: g.e.view(0, -1, 0),
        lambda: g.x.reshape(5),
        lambda: g.x.flatten(1, 0),
        lambda: g.x.flatten(5),
        lambda: g.x.unflatten(0, (2, 2)),
        lambda: g.x.unflatten(0, ()),
        lambda: g.x.unflatten(5, (1,)),
        lambda: g.x.unflatten(1, (3, -1)),
        lambda: g.x.unfold(0, 5, 1),
        lambda: g.x.unfold(0, 2, 0),
        lambda: g.x.unfold(5, 2, 1),
        lambda: g.x.unfold(0, -1, 1),
        lambda: g.x.as_strided((2,), (1, 1)),
        lambda: g.x.as_strided((5, 5), (5, 1)),
        lambda: g.x.as_strided((2,), (-1,)),
        lambda: g.x.stride(5),
        lambda: g.x.size(5),
        lambda: t.Size([1.5]),
        lambda: t.Size("ab"),
        lambda: t.Size(3),
        lambda: g.x.reshape("a"),
        lambda: g.x.reshape(),
        lambda: g.x.view(),
        lambda: g.x.view("a"),
    ]
    return [error(call) for call in calls]


@case
def splits(t):
    g = given(t)
    found = [
        g.x.split(2),
        g.x.split(3, 1),
        g.x.split([1, 2]),
        g.x.split([1, 3], 1),
        g.x.split(split_size=2, dim=1),
        t.split(g.x, 2),
        t.split(g.x, [1, 3], dim=1),
        t.split(tensor=g.x, split_size_or_sections=2),
        g.x.split_with_sizes([1, 2]),
        t.split_with_sizes(g.x, [1, 3], 1),
        g.x.tensor_split(2),
        g.x.tensor_split(3, 1),
        g.x.tensor_split((1, 3), 1),
        g.x.tensor_split(t.tensor([1, 2])),
        g.x.tensor_split(t.tensor(2), dim=1),
        t.tensor_split(g.x, 2),
        g.x.hsplit(2),
        g.x.hsplit([1, 3]),
        g.v.hsplit(2),
        g.x.vsplit(3),
        g.x.vsplit([1]),
        g.b.dsplit(2),
        g.b.dsplit((1, 2)),
        t.hsplit(g.x, 2),
        g.x.chunk(2),
        g.x.chunk(3, 1),
        g.x.chunk(5),
        t.chunk(g.x, 2, dim=1),
        g.x.unsafe_chunk(2),
        g.x.unsafe_split(2),
        t.unsafe_chunk(g.x, 2),
        g.x.unbind(),
        g.x.unbind(1),
        t.unbind(g.x, dim=1),
        g.x.narrow(0, 1, 2),
        g.x.narrow(1, -2, 2),
        t.narrow(g.x, 0, 0, 0),
        g.x.narrow_copy(0, 1, 2),
        g.x.select(0, 1),
        g.x.select(1, -1),
        t.select(g.x, 0, 1),
        g.x.narrow(0, -1, 1),
    ]
    return found


@case
def splits_refused(t):
    g = given(t)
    calls = [
        lambda: g.x.select(0, 3),
        lambda: g.x.select(2, 0),
        lambda: g.s.select(0, 0),
        lambda: g.x.narrow(0, 1, 5),
        lambda: g.x.narrow(0, 5, 1),
        lambda: g.x.narrow(0, 0, -1),
        lambda: g.x.split(0),
        lambda: g.x.split([1, 1]),
        lambda: g.x.split([4, -1]),
        lambda: g.x.split(-1),
        lambda: g.s.split(1),
        lambda: g.x.chunk(0),
        lambda: g.s.chunk(1),
        lambda: g.s.unbind(),
        lambda: g.x.unbind(2),
        lambda: g.x.tensor_split(0),
        lambda: g.x.tensor_split(-1),
        lambda: g.s.tensor_split(1),
        lambda: g.x.hsplit(3),
        lambda: g.s.hsplit(1),
        lambda: g.v.vsplit(1),
        lambda: g.x.dsplit(1),
        lambda: g.x.vsplit(2),
        lambda: g.x.chunk("a"),
        lambda: g.x.narrow(0, 1),
    ]
    return [error(call) for call in calls]


@case
def joins(t):
    g = given(t)
    found = [
        t.cat([g.x, g.y]),
        t.cat((g.x, g.y), 1),
        t.cat([g.x, g.y], dim=-1),
        t.cat([g.e, g.v]),
        t.cat([g.x, g.l]),
        t.cat([g.l, g.l]),
        t.cat(tensors=[g.x, g.y]),
        t.concat([g.x, g.y]),
        t.concatenate([g.x, g.y], axis=1),
        t.concatenate([g.x, g.y], dim=1),
        t.cat([g.x.t(), g.y.t()]),
        t.stack([g.x, g.y]),
        t.stack([g.x, g.y], 1),
        t.stack([g.x, g.y], dim=-1),
        t.stack((g.x, g.l)),
        t.hstack([g.x, g.y]),
        t.hstack((g.v, g.v)),
        t.hstack((g.s, g.s)),
        t.vstack([g.x, g.v]),
        t.vstack([g.v, g.v]),
        t.row_stack([g.v, g.v]),
        t.dstack([g.x, g.y]),
        t.dstack([g.v, g.v]),
        t.dstack([g.s, g.s]),
        t.column_stack([g.v, g.v]),
        t.column_stack([g.x, g.v[:3]]),
        t.column_stack((g.s, g.s)),
        t.block_diag(g.x, g.v, g.s),
        t.block_diag(g.l, g.x),
        t.block_diag(),
        t.atleast_1d(g.s),
        t.atleast_1d(g.s, g.x),
        t.atleast_1d((g.s, g.x)),
        t.atleast_2d(g.s),
        t.atleast_2d(g.v),
        t.atleast_3d(g.v),
        t.atleast_3d(g.x),
        t.atleast_3d(g.s),
        t.meshgrid(g.v, g.v[:2], indexing="ij"),
        t.meshgrid(g.v, g.v[:2], indexing="xy"),
        t.meshgrid([g.v, g.v[:2]], indexing="ij"),
        t.meshgrid(g.v, g.s, g.v[:2], indexing="xy"),
        t.meshgrid(g.v, g.v),
        t.meshgrid(g.s, indexing="xy"),
        t.cartesian_prod(g.v, g.v[:2]),
        t.cartesian_prod(g.v),
        t.cartesian_prod(g.v, g.v, g.v),
        t.combinations(g.v),
        t.combinations(g.v, 3),
        t.combinations(g.v, r=2, with_replacement=True),
        t.combinations(g.v, 0),
        t.combinations(g.v, 5),
        t.combinations(g.v, 1),
        t.broadcast_tensors(g.x, g.v),
        t.broadcast_tensors(g.x, g.v, g.s),
        t.broadcast_shapes((2, 1), (3,)),
        t.broadcast_shapes((), (3,)),
        t.broadcast_shapes(3, (2, 1)),
        t.broadcast_shapes(),
        t.vander(g.v),
        t.vander(g.v, 3),
        t.vander(g.v, N=3, increasing=True),
        t.vander(g.v, 0),
        t.vander(g.v, 1),
        t.vander(t.tensor([1, 2, 3])),
    ]
    return found


@case
def joins_refused(t):
    g = given(t)
    calls = [
        lambda: t.cat([]),
        lambda: t.cat([g.x, 1]),
        lambda: t.cat([g.x, g.b]),
        lambda: t.cat([g.x, g.x.t()]),
        lambda: t.cat([g.s]),
        lambda: t.cat(g.x),
        lambda: t.cat(1),
        lambda: t.cat([g.x], 5),
        lambda: t.stack([]),
        lambda: t.stack([g.x, g.v]),
        lambda: t.stack([g.x], 5),
        lambda: t.stack(g.x),
        lambda: t.hstack([]),
        lambda: t.hstack([g.x, g.v]),
        lambda: t.hstack(g.x),
        lambda: t.vstack([g.x, g.v[:2]]),
        lambda: t.dstack([]),
        lambda: t.meshgrid(g.v, g.v, indexing="foo"),
        lambda: t.meshgrid(),
        lambda: t.meshgrid(g.v, g.l[0]),
        lambda: t.cartesian_prod(g.x),
        lambda: t.combinations(g.x),
        lambda: t.combinations(g.v, -1),
        lambda: t.broadcast_tensors(g.x, g.v[:3]),
        lambda: t.broadcast_shapes((2, 3), (4,)),
        lambda: t.broadcast_shapes((2, -1)),
        lambda: t.vander(g.x),
        lambda: t.vander(g.v, -1),
        lambda: t.block_diag(g.b),
    ]
    return [error(call) for call in calls]
