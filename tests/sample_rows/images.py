"""Convolution and pooling."""

from sample_row import F, Sample

ROWS = [
    # convolution and pooling
    Sample("conv2d", lambda t, x, w, b: F(t).conv2d(x, w, b), ((2, 3, 6, 5), (4, 3, 3, 2), (4,))),
    Sample(
        "conv2d_stride_pad",
        lambda t, x, w, b: F(t).conv2d(x, w, b, stride=2, padding=(1, 2)),
        ((2, 2, 5, 6), (3, 2, 3, 3), (3,)),
    ),
    Sample(
        "conv2d_dilation",
        lambda t, x, w: F(t).conv2d(x, w, dilation=2),
        ((1, 2, 7, 7), (2, 2, 3, 2)),
    ),
    Sample(
        "conv2d_groups",
        lambda t, x, w, b: F(t).conv2d(x, w, b, groups=2),
        ((2, 4, 4, 4), (6, 2, 2, 2), (6,)),
    ),
    Sample(
        "conv2d_same",
        lambda t, x, w: F(t).conv2d(x, w, padding="same"),
        ((1, 2, 4, 5), (3, 2, 3, 1)),
    ),
    Sample("conv2d_unbatched", lambda t, x, w: F(t).conv2d(x, w), ((2, 4, 5), (3, 2, 2, 2))),
    Sample("conv2d_one_pixel", lambda t, x, w: F(t).conv2d(x, w), ((2, 3, 3, 3), (4, 3, 1, 1))),
    Sample("max_pool2d", lambda t, x: F(t).max_pool2d(x, 2), ((2, 2, 4, 6),)),
    Sample(
        "max_pool2d_overlap",
        lambda t, x: F(t).max_pool2d(x, 3, stride=2, padding=1),
        ((1, 2, 5, 5),),
    ),
    Sample("max_pool2d_ceil", lambda t, x: F(t).max_pool2d(x, 2, ceil_mode=True), ((1, 2, 5, 5),)),
    Sample(
        "max_pool2d_dilation", lambda t, x: F(t).max_pool2d(x, 2, 1, dilation=2), ((1, 1, 5, 5),)
    ),
    Sample(
        "max_pool2d_ties",
        lambda t, x: F(t).max_pool2d(t.round(x * 0) + x[..., :1, :1], 3, 1),
        ((1, 1, 4, 4),),
    ),
    Sample(
        "max_pool2d_indices",
        lambda t, x: F(t).max_pool2d(x, 3, 2, 1, return_indices=True)[1],
        ((1, 2, 5, 5),),
        differentiable=False,
    ),
    Sample("avg_pool2d", lambda t, x: F(t).avg_pool2d(x, 2), ((2, 2, 4, 6),)),
    Sample(
        "avg_pool2d_overlap", lambda t, x: F(t).avg_pool2d(x, (3, 2), 1, (1, 0)), ((1, 2, 5, 4),)
    ),
    Sample(
        "avg_pool2d_ceil",
        lambda t, x: F(t).avg_pool2d(x, 3, 2, 1, ceil_mode=True),
        ((1, 2, 6, 5),),
    ),
    Sample(
        "avg_pool2d_ceil_inside",
        lambda t, x: F(t).avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        ((1, 2, 6, 5),),
    ),
    Sample(
        "avg_pool2d_divisor", lambda t, x: F(t).avg_pool2d(x, 2, divisor_override=3), ((2, 4, 4),)
    ),
    Sample(
        "adaptive_avg_pool2d", lambda t, x: F(t).adaptive_avg_pool2d(x, (3, 2)), ((2, 2, 5, 4),)
    ),
    Sample("adaptive_avg_pool2d_one", lambda t, x: F(t).adaptive_avg_pool2d(x, 1), ((2, 2, 3, 4),)),
    Sample(
        "adaptive_avg_pool2d_more",
        lambda t, x: F(t).adaptive_avg_pool2d(x, (4, None)),
        ((2, 3, 2),),
    ),
]
