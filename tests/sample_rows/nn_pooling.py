"""Pooling over one, two and three axes."""

from sample_row import F, Sample

SIGNAL, IMAGE, VOLUME = (2, 2, 7), (2, 2, 5, 6), (1, 2, 4, 3, 5)


def row(name, shape, *args, label="", **options):
    function = f"{name}{len(shape) - 2}d"
    return Sample(
        f"{function}{label}", lambda t, x: getattr(F(t), function)(x, *args, **options), (shape,)
    )


def values(t, found):
    return found[0]


ROWS = [
    row("max_pool", SIGNAL, 3, 2, 1),
    row("max_pool", SIGNAL, 2, 1, 0, 2, label="_dilation"),
    row("max_pool", IMAGE, (2, 3), 2, (1, 0), ceil_mode=True, label="_mixed"),
    row("max_pool", VOLUME, 2, label="_2"),
    row("max_pool", VOLUME, 3, (1, 2, 2), 1, label="_overlap"),
    Sample(
        "max_pool3d_with_indices",
        lambda t, x: F(t).max_pool3d(x, 2, 1, return_indices=True)[0],
        (VOLUME,),
    ),
    Sample(
        "max_pool1d_indices",
        lambda t, x: F(t).max_pool1d(x, 3, 2, 1, return_indices=True)[1],
        (SIGNAL,),
        differentiable=False,
    ),
    row("avg_pool", SIGNAL, 3, 2, 1),
    row("avg_pool", SIGNAL, 2, ceil_mode=True, count_include_pad=False, label="_ceil"),
    row("avg_pool", IMAGE, (3, 2), (1, 3), (1, 0), count_include_pad=False, label="_inside"),
    row("avg_pool", VOLUME, 2, 1, 1),
    row("avg_pool", VOLUME, (2, 3, 2), ceil_mode=True, divisor_override=5, label="_divisor"),
    row("adaptive_avg_pool", SIGNAL, 3),
    row("adaptive_avg_pool", SIGNAL, 9, label="_longer"),
    row("adaptive_avg_pool", VOLUME, (3, None, 2)),
    row("adaptive_avg_pool", VOLUME, 1, label="_one"),
    row("adaptive_max_pool", SIGNAL, 3),
    row("adaptive_max_pool", IMAGE, (3, 8)),
    row("adaptive_max_pool", VOLUME, 2),
    row("lp_pool", SIGNAL, 2.0, 3, 2),
    row("lp_pool", IMAGE, 2, (2, 3)),
    row("lp_pool", VOLUME, 4.0, 2),
    row("lp_pool", IMAGE, float("inf"), 2, label="_inf"),
    Sample(
        "fractional_max_pool2d",
        lambda t, x: F(t).fractional_max_pool2d(
            x, (2, 3), output_size=(3, 2), _random_samples=t.tensor([[[0.3, 0.8]] * 2] * 2).to(x)
        ),
        (IMAGE,),
    ),
    Sample(
        "fractional_max_pool3d",
        lambda t, x: F(t).fractional_max_pool3d(
            x, (2, 1, 2), output_size=2, _random_samples=t.tensor([[[0.3, 0.8, 0.5]] * 2]).to(x)
        ),
        (VOLUME,),
    ),
    Sample(
        "max_unpool1d",
        lambda t, x: F(t).max_unpool1d(x, t.tensor([[[1, 2], [0, 3]]]), 2, output_size=(5,)),
        ((1, 2, 2),),
    ),
    Sample(
        "max_unpool2d",
        lambda t, x: F(t).max_unpool2d(x, t.tensor([[[5, 2], [8, 15]]]), 2),
        ((1, 2, 2),),
    ),
    Sample(
        "max_unpool3d",
        lambda t, x: F(t).max_unpool3d(x, t.tensor([[[[1, 3]]]]), (1, 2, 1), (1, 1, 1)),
        ((1, 1, 1, 2),),
    ),
]
