"""Convolution, padding, folding."""

from ..module_row import Row

IMAGE = (2, 4, 5, 6)
SIZES = {1: (2, 4, 7), 2: IMAGE, 3: (1, 4, 4, 3, 5)}


def layer(label, name, *args, inputs=(IMAGE,), call=None, **options):
    def make(t):
        return getattr(t.nn, name)(*args, **options)

    return Row(f"{name}{label}", make, inputs, call)


def after_a_call(label, name, *args, size, **options):
    """A lazy layer that has seen its first input, and is no longer lazy."""

    def make(t):
        module = getattr(t.nn, name)(*args, **options)
        module(t.ones(*size))
        return module

    return Row(f"{name}{label}", make, (size,))


def to_size(*size):
    return lambda module, x: module(x, output_size=size)


def in_each_size(label, name, *args, **options):
    return [layer(label, f"{name}{n}d", *args, inputs=(SIZES[n],), **options) for n in SIZES]


def paddings(name, *extra):
    """One width for both ends of batches of signals; one for each side of an image, or of batches of volumes."""
    rows = []
    for n, size in SIZES.items():
        widths = 2 if n == 1 else (1, 2, 0, 1, -1, 1)[: 2 * n]
        rows.append(layer("", f"{name}Pad{n}d", widths, *extra, inputs=(size[n % 2 :],)))
    return rows


ROWS = [
    *in_each_size("", "Conv", 4, 3, 2),
    *in_each_size(
        "_all_options", "Conv", 4, 6, 2, stride=2, padding=1, dilation=2, groups=2, bias=False
    ),
    *in_each_size("_same", "Conv", 4, 2, 3, padding="same"),
    layer("_reflect", "Conv1d", 4, 2, 3, padding=1, padding_mode="reflect", inputs=(SIZES[1],)),
    layer("_replicate", "Conv2d", 4, 2, 3, padding=(1, 2), padding_mode="replicate"),
    layer("_circular", "Conv3d", 4, 2, 3, padding=1, padding_mode="circular", inputs=(SIZES[3],)),
    layer("_valid", "Conv2d", 4, 2, (2, 3), padding="valid"),
    layer(
        "_same_even_reflect",
        "Conv2d",
        4,
        2,
        (2, 4),
        padding="same",
        padding_mode="reflect",
        dilation=(2, 1),
    ),
    layer("_lists", "Conv2d", 4, 2, [2, 3], [1, 2], [1, 0]),
    layer("_by_channel", "Conv2d", 4, 8, 3, padding=1, groups=4),
    layer("_pointwise", "Conv2d", 4, 3, 1),
    layer("_unbatched", "Conv2d", 4, 3, 3, inputs=(IMAGE[1:],)),
    *in_each_size("", "ConvTranspose", 4, 3, 2),
    *in_each_size(
        "_all_options",
        "ConvTranspose",
        4,
        6,
        2,
        stride=3,
        padding=1,
        output_padding=1,
        groups=2,
        bias=False,
        dilation=2,
    ),
    layer("_output_size", "ConvTranspose1d", 4, 2, 3, 2, call=to_size(16), inputs=(SIZES[1],)),
    layer("_output_size", "ConvTranspose2d", 4, 2, 3, (2, 3), call=to_size(2, 2, 12, 20)),
    layer(
        "_unbatched_output_size",
        "ConvTranspose2d",
        4,
        2,
        3,
        2,
        call=to_size(11, 14),
        inputs=(IMAGE[1:],),
    ),
    *(after_a_call("", f"LazyConv{n}d", 3, 2, size=size) for n, size in SIZES.items()),
    *(after_a_call("", f"LazyConvTranspose{n}d", 3, 2, size=size) for n, size in SIZES.items()),
    after_a_call(
        "_options", "LazyConv2d", 4, 2, stride=2, padding=1, groups=2, bias=False, size=IMAGE
    ),
    after_a_call(
        "_options",
        "LazyConvTranspose2d",
        4,
        2,
        stride=2,
        padding=1,
        output_padding=1,
        groups=2,
        size=IMAGE[1:],
    ),
    *paddings("Constant", 1.5),
    *paddings("Zero"),
    *paddings("Reflection"),
    *paddings("Replication"),
    *paddings("Circular"),
    layer("", "Unfold", 2),
    layer("_all_options", "Unfold", (2, 3), dilation=(2, 1), padding=1, stride=(1, 2)),
    layer("", "Fold", (3, 4), 2, inputs=((2, 8, 6),)),
    layer(
        "_all_options",
        "Fold",
        (4, 5),
        (2, 3),
        dilation=(2, 1),
        padding=1,
        stride=(1, 2),
        inputs=((12, 12),),
    ),
]
