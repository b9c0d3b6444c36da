"""Convolution along one, two and three axes, padding, folding."""

from sample_row import F, Sample

X1, X2, X3 = (2, 4, 7), (2, 4, 5, 4), (1, 2, 4, 3, 4)


def conv(name, *shapes, axes=2, **options):
    def call(t, *tensors):
        return getattr(F(t), f"conv{axes}d")(*tensors, **options)

    return Sample(f"conv{axes}d_{name}", call, shapes)


def back(name, *shapes, axes=2, **options):
    def call(t, *tensors):
        return getattr(F(t), f"conv_transpose{axes}d")(*tensors, **options)

    return Sample(f"conv_transpose{axes}d_{name}", call, shapes)


def pad(name, shape, *widths, mode="constant", **options):
    return Sample(f"pad_{name}", lambda t, x: F(t).pad(x, widths, mode, **options), (shape,))


ROWS = [
    conv("plain", X1, (3, 4, 3), (3,), axes=1),
    conv("stride", X1, (3, 4, 2), (3,), axes=1, stride=2, padding=1),
    conv("same", X1, (2, 4, 3), axes=1, padding="same", dilation=2),
    conv("unbatched", X1[1:], (3, 4, 3), (3,), axes=1, dilation=2),
    conv("by_channel", X1, (8, 1, 2), (8,), axes=1, groups=4),
    conv("one_signal", (1, 3, 6), (2, 3, 3), axes=1),
    conv(
        "all_options",
        X2,
        (6, 2, 2, 3),
        (6,),
        stride=(2, 1),
        padding=(1, 2),
        dilation=(1, 2),
        groups=2,
    ),
    conv("by_channel", X2, (4, 1, 3, 2), (4,), groups=4),
    conv("many_filters", X2, (20, 4, 2, 2), padding=1),
    conv("pointwise", X2, (3, 4, 1, 1), (3,)),
    conv("pointwise_groups", X2, (4, 2, 1, 1), groups=2),
    conv("pointwise_stride", X2, (3, 4, 1, 1), stride=2),
    conv("shared_rows", (1, 2, 18, 17), (2, 2, 3, 2), (2,), dilation=(2, 1)),
    conv("valid", X2, (3, 4, 2, 2), padding="valid"),
    conv("plain", X3, (3, 2, 2, 2, 3), (3,), axes=3),
    conv(
        "all_options",
        X3,
        (4, 1, 2, 2, 2),
        (4,),
        axes=3,
        stride=(2, 1, 1),
        padding=1,
        dilation=(1, 2, 1),
        groups=2,
    ),
    conv("same", X3, (2, 2, 3, 1, 3), axes=3, padding="same"),
    back("plain", X1, (4, 3, 3), (3,), axes=1),
    back("stride", X1, (4, 3, 3), (3,), axes=1, stride=2, padding=1, output_padding=1),
    back("unbatched", X1[1:], (4, 3, 2), axes=1, stride=3),
    back("plain", X2, (4, 3, 2, 3), (3,)),
    back(
        "all_options",
        X2,
        (4, 3, 2, 3),
        (6,),
        stride=(2, 1),
        padding=(1, 0),
        output_padding=(1, 1),
        groups=2,
        dilation=(1, 2),
    ),
    back("pointwise", X2, (4, 3, 1, 1), (3,)),
    back("more_than_the_stride", (1, 2, 3, 3), (2, 2, 2, 2), output_padding=2, dilation=3),
    back("by_channel", X2, (4, 1, 2, 2), stride=2, groups=4),
    back("stride", X3, (2, 2, 2, 2, 1), (2,), axes=3, stride=2),
    back("plain", (2, 2, 2, 3, 2), (2, 3, 2, 1, 2), axes=3, padding=(1, 0, 0)),
    Sample("conv_tbc", lambda t, x, w, b: F(t).conv_tbc(x, w, b, 1), ((5, 2, 3), (2, 3, 4), (4,))),
    Sample(
        "convolution",
        lambda t, x, w: t.convolution(x, w, None, [2], [1], [1], True, [1], 1),
        ((1, 2, 3, 3), (2, 2, 3, 3)),
    ),
    Sample(
        "conv2d_transposed_view",
        lambda t, x, w: F(t).conv2d(x.permute(0, 3, 1, 2), w),
        ((2, 5, 4, 3), (2, 3, 2, 2)),
    ),
    Sample(
        "conv1d_input",
        lambda t, w, g: t.nn.grad.conv1d_input((2, 2, 7), w, g, 2, 1),
        ((3, 2, 3), (2, 3, 4)),
    ),
    Sample(
        "conv2d_weight",
        lambda t, x, g: t.nn.grad.conv2d_weight(x, (4, 1, 2, 2), g, groups=2),
        ((2, 2, 4, 3), (2, 4, 3, 2)),
    ),
    Sample(
        "conv3d_input",
        lambda t, w, g: t.nn.grad.conv3d_input((1, 2, 3, 3, 3), w, g),
        ((2, 2, 2, 2, 2), (1, 2, 2, 2, 2)),
    ),
    pad("number", (2, 3), 1, 2, value=0.5),
    pad("number_crop", (3, 4, 2), 0, 0, -1, 2, 1, -1),
    pad("reflect_1d", (2, 3, 4), 3, 1, mode="reflect"),
    pad("reflect_2d", (1, 3, 4), 2, 1, 0, 2, mode="reflect"),
    pad("reflect_3d", (1, 3, 2, 3), 2, 1, 1, 0, 1, 2, mode="reflect"),
    pad("reflect_crop", (1, 2, 5), -2, 3, mode="reflect"),
    pad("replicate_1d", (2, 3, 2), 3, 1, mode="replicate"),
    pad("replicate_2d", (1, 2, 3, 4), 2, -1, 1, 2, mode="replicate"),
    pad("replicate_3d", (2, 2, 1, 2), 2, 1, 1, 1, 0, 1, mode="replicate"),
    pad("circular_1d", (2, 2, 3), 3, 1, mode="circular"),
    pad("circular_2d", (2, 3, 4), 2, 1, -1, 2, mode="circular"),
    pad("circular_3d", (1, 2, 2, 2), 1, 2, 1, 1, 0, 1, mode="circular"),
    Sample("constant_pad_nd", lambda t, x: t.constant_pad_nd(x, (1, 0, -1, 1), 2), ((3, 2),)),
    Sample("im2col", lambda t, x: F(t).unfold(x, 2), ((2, 2, 3, 4),)),
    Sample(
        "im2col_all_options",
        lambda t, x: F(t).unfold(x, (2, 3), dilation=(2, 1), padding=1, stride=(1, 2)),
        ((2, 4, 5),),
    ),
    Sample("col2im", lambda t, x: F(t).fold(x, (3, 4), 2), ((2, 8, 6),)),
    Sample(
        "col2im_all_options",
        lambda t, x: F(t).fold(x, (4, 5), (2, 3), dilation=(2, 1), padding=1, stride=(1, 2)),
        ((12, 12),),
    ),
]
