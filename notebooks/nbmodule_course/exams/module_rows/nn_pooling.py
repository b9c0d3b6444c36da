"""Pooling, resizing, shuffling."""

from ..module_row import Row

SIZES = {1: (2, 3, 9), 2: (2, 3, 7, 8), 3: (1, 2, 6, 5, 6)}


def layer(name, *args, label="", dims=None, shape=None, half=True, positive=False, **options):
    dims = dims or int(name[-2])
    return Row(
        f"{name}{label}",
        lambda t: getattr(t.nn, name)(*args, **options),
        (shape or SIZES[dims],),
        half=half,
        positive=positive,
    )


def there_and_back(dims):
    """Maxima put back to where they were found."""

    def make(t):
        class ThereAndBack(t.nn.Sequential):
            def forward(self, x):
                values, places = self[0](x)
                return self[1](values, places, output_size=x.shape)

        return ThereAndBack(
            getattr(t.nn, f"MaxPool{dims}d")(2, return_indices=True),
            getattr(t.nn, f"MaxUnpool{dims}d")(2),
        )

    return Row(
        f"MaxUnpool{dims}d",
        make,
        (SIZES[dims],),
        skip={"copies": "a local class cannot be pickled"},
    )


def fractional(dims, *args, label="", **options):
    """Windows at places that are the same in all types of numbers."""

    def make(t):
        places = t.arange(12.0)[: 6 if dims == 3 else 12].reshape(SIZES[dims][0], -1, dims) / 12
        return getattr(t.nn, f"FractionalMaxPool{dims}d")(*args, _random_samples=places, **options)

    return Row(f"FractionalMaxPool{dims}d{label}", make, (SIZES[dims],))


def each(name, *args, **options):
    return [layer(f"{name}{dims}d", *args, **options) for dims in (1, 2, 3)]


ROWS = [
    *each("MaxPool", 2),
    *each("MaxPool", 3, 2, 1, label="_overlap"),
    *each("MaxPool", 2, 1, dilation=2, return_indices=True, ceil_mode=True, label="_indices"),
    layer("MaxPool2d", (3, 2), stride=(2, 1), padding=(0, 1), label="_pairs"),
    *[layer(f"AvgPool{d}d", 2, half=d < 3) for d in (1, 2, 3)],
    *[layer(f"AvgPool{d}d", 3, 2, 1, True, False, label="_inside", half=d < 3) for d in (1, 2, 3)],
    layer("AvgPool2d", (2, 3), divisor_override=4, label="_divisor"),
    *each("AdaptiveAvgPool", 3),
    *each("AdaptiveAvgPool", 1, label="_one"),
    *each("AdaptiveMaxPool", 4),
    *each("AdaptiveMaxPool", 2, return_indices=True, label="_indices"),
    layer("AdaptiveAvgPool2d", (None, 2), label="_none"),
    layer("AdaptiveMaxPool3d", (2, None, 3), label="_none"),
    *[layer(f"LPPool{d}d", 2, 3, stride=2, half=d < 3) for d in (1, 2, 3)],
    layer("LPPool2d", 1.5, (2, 3), ceil_mode=True, label="_power", half=False, positive=True),
    fractional(2, 2, output_ratio=(0.5, 0.6)),
    fractional(2, (2, 3), output_size=(3, 4), return_indices=True, label="_size"),
    fractional(3, 2, output_size=(2, 3, 3)),
    *(there_and_back(dims) for dims in (1, 2, 3)),
    *(layer("Upsample", scale_factor=2, dims=dims, label=f"_nearest{dims}") for dims in (1, 2, 3)),
    layer("Upsample", size=(5, 9), mode="bilinear", dims=2, label="_bilinear"),
    layer(
        "Upsample",
        scale_factor=(1.5, 0.7),
        mode="bicubic",
        align_corners=True,
        dims=2,
        label="_bicubic",
    ),
    layer(
        "Upsample",
        scale_factor=1.3,
        mode="linear",
        recompute_scale_factor=True,
        dims=1,
        label="_linear",
    ),
    layer("Upsample", size=4, mode="trilinear", dims=3, label="_trilinear"),
    layer("UpsamplingNearest2d", scale_factor=2),
    layer("UpsamplingBilinear2d", size=(4, 9)),
    layer("PixelShuffle", 2, dims=2, shape=(1, 8, 2, 3)),
    layer("PixelUnshuffle", 2, dims=2, shape=(1, 2, 4, 6)),
    layer("ChannelShuffle", 2, dims=2, shape=(2, 4, 3)),
]
