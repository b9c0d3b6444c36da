"""Arguments that hardly anybody gives to layers with windows, and what they leave behind."""

from casebook import case, error

HUGE = 2**63


def shown(t, function):
    """Return what `function` gives, as shape, strides, type and name of its node, or its error."""

    def called():
        y = function()
        shown.last = list(y.shape), list(y.stride()), str(y.dtype).rpartition(".")[2]
        shown.last += (y.grad_fn and y.grad_fn.name(),)
        raise StopIteration

    text = error(called)
    return shown.last if text.startswith("StopIteration") else text


@case
def numbers_beyond_64_bits(t):
    F, x = t.nn.functional, t.ones(1, 1, 4, 4)
    calls = [
        lambda: t.sum(x, HUGE), lambda: t.sum(x, (0, HUGE)), lambda: F.unfold(x, HUGE), lambda: F.pad(x, (1, HUGE)),
        lambda: F.pad(x, (-HUGE - 1, 1)), lambda: t.pixel_shuffle(x, HUGE), lambda: F.max_pool2d(x, (1, HUGE)),
        lambda: F.avg_pool2d(x, HUGE), lambda: F.max_pool2d(x, 2, HUGE), lambda: F.conv2d(x, x, groups=HUGE),
    ]  # fmt: skip
    return [error(f) for f in calls]


@case
def sequences_that_begin_well(t):
    """What is wrong further behind is said when every argument has its type."""
    F, x = t.nn.functional, t.ones(1, 1, 4, 4)
    calls = [
        lambda: F.avg_pool2d(x, (2, "a"), 1.5), lambda: F.max_pool2d(x, (2, "a"), dilation=b"x"),
        lambda: F.lp_pool2d(x, 2, (2, "a")), lambda: F.lp_pool2d(x, 2, None), lambda: F.lp_pool1d(x[0], 2, (2,)),
        lambda: F.interpolate(x, scale_factor=(1, "a")), lambda: F.interpolate(x, scale_factor=(1, None), mode="bilinear"),
        lambda: F.conv2d(x, x, None, (1, "a")),
    ]  # fmt: skip
    return [error(f) for f in calls]


@case
def nothing_to_pad(t):
    F, x = t.nn.functional, t.ones(2, 3).t().requires_grad_()
    b, s = t.ones(3, dtype=t.int8), t.ones(())
    calls = [
        lambda: F.pad(x, ()), lambda: F.pad(x, (0, 0)), lambda: F.pad(b, (0, 0), value=1e9), lambda: F.pad(b, (-1, 0), value=1e9),
        lambda: F.pad(s, (1, 1), "odd"), lambda: F.pad(x, (1,), "odd"), lambda: F.pad(x, (1, 1), "odd", 2.0), lambda: F.pad(x, (1, 1), "reflect", 2.0),
    ]  # fmt: skip
    return [shown(t, f) for f in calls]


@case
def affine_grids_that_do_not_fit(t):
    make = t.affine_grid_generator
    sizes = [
        ((2, 3), (2, 1, 2, 2)), ((2, 2, 2), (2, 1, 2, 2)), ((2, 2, 3), (2, 1, 2, 2, 2)), ((), (2, 1, 2, 2)),
        ((1, 2, 2, 3), (1, 1, 2, 2)), ((2, 2, 3), (2, 1, -1, 2)), ((2, 2, 3), (2, 1, 0, 2)), ((2, 2, 3), (0, 1, 2, 2)), ((2, 2, 3), ()),
    ]  # fmt: skip
    found = [shown(t, lambda s=s, n=n: make(t.ones(s), n, False)) for s, n in sizes]
    flags = [error(lambda a=a: make(t.ones(1, 2, 3), (1, 1, 1, 1), a)) for a in (None, 1, "x")]
    return found, flags, error(lambda: make(t.ones(1, 2, 3) > 0, (1, 1, 2, 2), False))


@case
def batches_of_none(t):
    """Where there is nothing to compute, no type is refused."""
    F, found = t.nn.functional, []
    for dtype in (t.float32, t.int64, t.bool):
        x = t.ones(0, 1, 2, 2).to(dtype)
        x = x.requires_grad_() if dtype is t.float32 else x
        i = t.zeros(0, 1, 2, 2, dtype=t.int64)
        found += [
            shown(t, f)
            for f in (
                lambda x=x: F.adaptive_avg_pool2d(x, 3),
                lambda x=x, i=i: F.max_unpool2d(x, i, 2),
                lambda x=x: F.grid_sample(x, t.zeros(0, 2, 2, 2), align_corners=True),
                lambda x=x: F.pixel_unshuffle(x, 2),
                lambda x=x: F.channel_shuffle(x.reshape(1, 0, 2, 2), 1),
            )
        ]
    x = t.ones(1, 1, 2, 2).requires_grad_()
    i = t.zeros(1, 1, 2, 2, dtype=t.int64)
    found.append(shown(t, lambda: F.max_unpool2d(x, i, (1, 2), padding=(1, 0))))
    found.append(
        shown(t, lambda: F.conv2d(t.ones(2, 0, 4, 4), t.ones(3, 0, 2, 2).requires_grad_()))
    )
    return found


@case
def places_without_dimensions(t):
    x, grid = t.ones(1, 1, 2, 2), t.zeros(1, 1, 1, 2)
    sample = t.nn.functional.grid_sample
    return [error(lambda a=a, b=b: sample(a, b)) for a, b in ((t.ones(()), grid), (x, t.ones(())))]


@case
def gradients_of_nearest(t):
    """Along one and three axes the gradient takes another way back where a factor makes the size double."""
    F, found = t.nn.functional, []
    for dims in (1, 2, 3):
        x = t.arange(float(3**dims)).reshape(1, 1, *(3,) * dims).requires_grad_()
        for factor in (1.2, 1.9, 2.0, 2.3):
            y = F.interpolate(x, scale_factor=factor)
            (g,) = t.autograd.grad(y, x, t.arange(float(y.numel())).reshape(y.shape))
            found.append([y.sum().item(), g.flatten()[:9]])
    return found


@case
def modes_that_are_none(t):
    F, x = t.nn.functional, t.ones(1, 1, 2, 2)
    calls = [
        lambda: F.interpolate(x, 3, mode=["nearest"]), lambda: F.interpolate(x, 3, mode={}), lambda: F.interpolate(x, 3, mode=None),
    ]  # fmt: skip
    flags = [
        error(lambda a=a: F.interpolate(x, 3, mode="bilinear", align_corners=a))
        for a in (1, "x", ())
    ]
    return [error(f) for f in calls], flags


@case
def means_into_a_tensor(t):
    F, found = t.nn.functional, []
    for pool, dims in ((F.avg_pool2d, 2), (F.avg_pool3d, 3)):
        x, out = t.arange(float(4**dims)).reshape(1, *(4,) * dims), t.zeros(0)
        found += [
            pool(x, 2, out=out) is out,
            out,
            error(lambda p=pool, x=x: p(x.requires_grad_(), 2, out=t.zeros(1))),
        ]
    return found


@case
def shuffles_lie_in_a_row(t):
    x = t.arange(24.0).reshape(1, 4, 3, 2).transpose(2, 3).requires_grad_()
    names = "pixel_shuffle", "pixel_unshuffle", "channel_shuffle"
    found = [shown(t, lambda n=name: getattr(t.nn.functional, n)(x, 1)) for name in names]
    y = t.native_channel_shuffle(x, 2)
    return found, list(y.stride()), error(lambda: y.sum().backward())
