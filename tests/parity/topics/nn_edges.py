"""Layers and functions at the edges: how results lie in memory, numbers that are not finite, sizes out of reach."""

import warnings

from casebook import case, error


def F(t):
    return t.nn.functional


@case
def channels_stay_last(t):
    """The strides of what is made from images whose channels lie next to each other."""
    f = F(t)
    x = t.ones(2, 4, 6, 6).contiguous(memory_format=t.channels_last)
    y = t.ones(2, 4, 6, 6, 6).contiguous(memory_format=t.channels_last_3d)
    images = [
        lambda a: a.clone(), lambda a: t.cat([a, a], 1), lambda a: t.cat([a, a.contiguous()], 1),
        lambda a: f.max_pool2d(a, 2), lambda a: f.max_pool2d(a, 2, return_indices=True)[1], lambda a: f.avg_pool2d(a, 2),
        lambda a: f.adaptive_avg_pool2d(a, 3), lambda a: f.adaptive_max_pool2d(a, 3), lambda a: f.lp_pool2d(a, 2.0, 2),
        lambda a: f.pad(a, (1, 1, 1, 1)), lambda a: f.pad(a, (1, 1, 1, 1), "reflect"), lambda a: f.pad(a, (1, 1, 1, 1), "replicate"),
        lambda a: f.interpolate(a, 4), lambda a: f.interpolate(a, scale_factor=2, mode="bilinear"), lambda a: f.interpolate(a, 4, mode="bicubic"),
        lambda a: f.interpolate(a, 6, mode="bilinear"), lambda a: f.interpolate(a, 4, mode="area"),
        lambda a: f.interpolate(a, 4, mode="bilinear", antialias=True), lambda a: f.pixel_shuffle(a, 2), lambda a: f.pixel_unshuffle(a, 2),
        lambda a: t.channel_shuffle(a, 2), lambda a: f.conv2d(a, t.ones(4, 4, 3, 3)),
    ]  # fmt: skip
    volumes = [
        lambda a: f.max_pool3d(a, 2), lambda a: f.avg_pool3d(a, 2), lambda a: f.interpolate(a, 4), lambda a: f.pad(a, (1,) * 6),
        lambda a: f.interpolate(a, 4, mode="trilinear"), lambda a: f.pad(a, (1,) * 6, "reflect"), lambda a: t.channel_shuffle(a, 2),
    ]  # fmt: skip
    found = []
    for function, given in [(g, x) for g in images] + [(g, y) for g in volumes]:
        a = given.detach().requires_grad_()
        out = function(a)
        if out.requires_grad:
            out.sum().backward()
        found.append([out.stride(), a.grad is not None and a.grad.stride()])
    return found


@case
def copies_keep_their_layout(t):
    x = t.arange(24.0).reshape(2, 3, 4)
    views = [x, x.permute(2, 0, 1), x.transpose(0, 1), x[:, ::2], x.mT, x[:, :1].expand(2, 5, 4), x[0].expand(3, 3, 4), x.permute(2, 1, 0)[::2]]  # fmt: skip
    found = [(v.clone().stride(), v.clone().equal(v)) for v in views]
    w = x.permute(2, 0, 1).requires_grad_()
    return found, t.autograd.grad((w * 2).sum(), w)[0].equal(t.full((4, 2, 3), 2.0))


@case
def samples_at_places_that_are_no_numbers(t):
    found = []
    nan, inf = float("nan"), float("inf")
    for mode in ("nearest", "bilinear", "bicubic"):
        for padding in ("zeros", "border", "reflection"):
            for align in (True, False):
                places = [[nan, 0.0], [nan, nan], [1e9, 0.0]]
                places += [[0.0, inf], [-inf, 0.1]] if mode != "bicubic" else []
                for place in places:
                    grid, x = t.tensor(place).view(1, 1, 1, 2), t.arange(1.0, 10.0).view(1, 1, 3, 3)
                    found.append(F(t).grid_sample(x, grid, mode, padding, align))
                    if mode != "bicubic":
                        grid = t.tensor([*place, 0.2]).view(1, 1, 1, 1, 3)
                        found.append(F(t).grid_sample(x[:, :, None], grid, mode, padding, align))
    far = F(t).affine_grid(t.tensor([[[-1e20, 0.0, 0.0], [0.0, -1e20, 0.0]]]), (1, 1, 4, 4), False)
    x = t.zeros(1, 1, 4, 4, requires_grad=True)
    F(t).grid_sample(x, far).sum().backward()
    return found, x.grad


@case
def sizes_out_of_reach(t):
    f, x, huge = F(t), t.ones(1, 2, 4, 4), 2**63 - 1
    functions = [
        lambda: f.avg_pool2d(x, (huge, 100), 1), lambda: f.avg_pool2d(x, 2, (1, 2**31)), lambda: f.max_pool2d(x, 2, 1, (huge, 0)),
        lambda: f.max_pool1d(x[0], 2**31), lambda: f.avg_pool3d(x, 2**31), lambda: f.avg_pool2d(x, 2, (-1, 2)), lambda: f.avg_pool2d(x, 2, 0),
        lambda: f.interpolate(x, scale_factor=-1e20, mode="bilinear"), lambda: f.interpolate(x, scale_factor=1e20),
        lambda: f.interpolate(x, scale_factor=float("nan")), lambda: f.pixel_shuffle(x, 3037000500), lambda: f.pixel_shuffle(x, 3037000499),
        lambda: f.pixel_unshuffle(x, 3037000500), lambda: f.fold(t.ones(3, 7), 16, 7318349394477056),
        lambda: f.fold(t.ones(1, 12, 12), (4, 5), 2, dilation=8),
    ]  # fmt: skip
    return [error(g) for g in functions]


@case
def sizes_of_other_types(t):
    x = t.ones(2, 3)
    functions = [
        lambda: t.empty((2.0, 3)), lambda: t.zeros((2, 3.0)), lambda: t.ones(("a", 3)), lambda: t.empty(2.0, 3), lambda: x.reshape((2.0, 3)),
        lambda: x.repeat((2.0, 3)), lambda: x.permute((1.0, 0)), lambda: x.expand(2.0, 3), lambda: x.flip((0.0,)), lambda: x.tile((2.0,)),
        lambda: t.nn.Linear(2, 3.0), lambda: t.nn.Linear(2.0, 3), lambda: t.nn.LayerNorm((2.0,)), lambda: t.nn.Embedding(2.0, 3),
        lambda: t.nn.AdaptiveLogSoftmaxWithLoss(16, 20, [5.0, 10]), lambda: t.rand(2.0, 3),
    ]  # fmt: skip
    return [error(g) for g in functions]


@case
def steps_of_cells_with_other_sizes(t):
    x, h = t.ones(4, 8), t.ones(4, 16)
    found = []
    for step, gates in (
        (t.lstm_cell, 4),
        (t.gru_cell, 3),
        (t.rnn_relu_cell, 1),
        (t.rnn_tanh_cell, 1),
    ):
        state = (h, h) if gates == 4 else h
        for rows, more, hidden in ((1, 0, 16), (0, 1, 16), (0, 0, 15)):
            w, v = t.ones(gates * 16 + rows, 8), t.ones(gates * 16 + more, hidden)
            found.append(error(lambda f=step, given=(x, state, w, v): f(*given)))
    return found


@case
def bounds_of_random_slopes(t):
    inf, nan = float("inf"), float("nan")
    found = []
    for low, high in [(0.1, 0.3), (inf, 0.3), (0.1, inf), (nan, 0.3), (0.1, nan), (-inf, 0.3), (0.5, 0.3)]:  # fmt: skip
        found.append(error(lambda low=low, high=high: F(t).rrelu(t.ones(2), low, high)))
    found.append(error(lambda: F(t).rrelu_(t.ones(2), nan, 0.3)))
    t.manual_seed(0)
    found.append(error(lambda: t.nn.RReLU(inplace=True)(t.ones(3, requires_grad=True))))
    return found, t.rand(2)  # the refused call has drawn nothing


@case
def small_things(t):
    f, nn = F(t), t.nn
    wide = t.tensor([[0.2, 0.7]]).expand(3, 2)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        p = t.ones(4, dtype=t.float64, requires_grad=True)
        p.grad = t.full((4,), 2e200, dtype=t.float64)
        norm = nn.utils.clip_grad_norm_([p], 1.0)
    x = t.rand(0, 3, requires_grad=True)
    (slope,) = t.autograd.grad(x.softmax(1), x, t.rand(0, 3), create_graph=True)
    return [
        error(lambda: f.cosine_similarity(t.ones(2, 2), t.ones(2, 2), eps=-1e-8)),
        error(lambda: f.binary_cross_entropy_with_logits(t.ones(2), t.ones(2, dtype=t.bool))),
        error(lambda: f.grid_sample(t.ones(1, 1, 2, 2, dtype=t.long), t.ones(1, 1, 1, 2))),
        f.threshold_(wide, 0.5, 0.5), f.one_hot(t.empty(3, dtype=t.long, device="meta"), 5).shape, norm, len(said), slope.requires_grad,
        nn.LSTM(3, 5)(t.ones(6, 0, 3))[0].grad_fn.name(),
        f.interpolate(t.arange(4).view(1, 1, 2, 2), 2, mode="bilinear", antialias=True),
    ]  # fmt: skip


@case
def a_buffer_that_stands_for_a_tensor(t):
    class Like:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise NotImplementedError

    m, a, b = t.nn.Module(), Like(), Like()
    m.register_buffer("b", a)
    same = m.b is a and m.get_buffer("b") is a
    m.b = b
    return same, m.b is b, error(lambda: m.register_buffer("c", object()))


@case
def conversions_that_make_new_parameters(t):
    choices, found = t.__future__, []
    found.append([choices.get_overwrite_module_params_on_conversion(), choices.get_swap_module_params_on_conversion()])  # fmt: skip
    for overwrite, swap in ((False, False), (True, False), (True, True), (False, True)):
        m = t.nn.Linear(4, 3)
        m.weight.grad = t.ones(3, 4)
        w, g, view = m.weight, m.weight.grad, m.weight[:]
        choices.set_overwrite_module_params_on_conversion(overwrite)
        choices.set_swap_module_params_on_conversion(swap)
        try:
            if swap:
                del view  # PyTorch refuses to swap what is in use
            m.double()
        finally:
            choices.set_overwrite_module_params_on_conversion(False)
            choices.set_swap_module_params_on_conversion(False)
        found.append([m.weight is w, w.dtype.itemsize, m.weight.dtype.itemsize, g.dtype.itemsize, m.weight.grad.dtype.itemsize, m.weight.requires_grad])  # fmt: skip
    return found


@case
def which_layouts_are_whose(t):
    formats = t.contiguous_format, t.channels_last, t.channels_last_3d
    images = t.ones(2, 4, 3, 3).contiguous(memory_format=t.channels_last)
    volumes = t.ones(2, 4, 3, 3, 3).contiguous(memory_format=t.channels_last_3d)
    given = [
        images,
        volumes,
        images.contiguous(),
        images[:, :1],
        images[0],
        volumes[0],
        t.ones(2, 1, 3, 3),
    ]
    return [[x.is_contiguous(memory_format=f) for f in formats] for x in given]


@case
def filters_of_another_type(t):
    """The type of the error counts: its words depend on the library that PyTorch leaves the work to."""
    f, found = F(t), []
    for name, d in (("conv1d", 1), ("conv2d", 2), ("conv3d", 3), ("conv_transpose2d", 2)):
        x, w, b = t.ones((2, 2) + (4,) * d), t.ones((2, 2) + (3,) * d), t.ones(2)
        calls = (
            (x, w.double()),
            (x.double(), w),
            (x, w.double(), b),
            (x, w, b.double()),
            (x.double(), w, b),
        )
        function = getattr(f, name)
        found += [
            error(lambda g=function, given=given: g(*given)).partition(":")[0] for given in calls
        ]
    return found
