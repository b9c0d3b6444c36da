"""Resizing, reading at the places of a grid, shuffling."""

from sample_row import F, Sample

SHAPES = {3: (1, 2, 5), 4: (1, 2, 4, 5), 5: (1, 2, 3, 2, 4)}


def resized(mode, dims, label, **options):
    return Sample(
        f"interpolate_{mode}_{dims}d{label}".replace("-", "_"),
        lambda t, x: F(t).interpolate(x, mode=mode, **options),
        (SHAPES[dims],),
    )


def read(mode, padding, align, dims=2):
    places = (1, 3, 2, 2) if dims == 2 else (1, 2, 1, 3, 3)
    return Sample(
        f"grid_sample_{mode}_{padding}_{'corners' if align else 'edges'}_{dims}d",
        lambda t, x, g: F(t).grid_sample(x, g * 0.7, mode, padding, align),
        (SHAPES[dims + 2], places),
    )


ROWS = [
    *(
        resized(mode, dims, label, **options)
        for mode in ("nearest", "nearest-exact", "area")
        for dims in (3, 4, 5)
        for label, options in {"": dict(size=3), "_up": dict(scale_factor=1.7)}.items()
    ),
    *(
        resized(mode, dims, f"{label}{'_corners' * align}", align_corners=align, **options)
        for mode, dims in (("linear", 3), ("bilinear", 4), ("bicubic", 4), ("trilinear", 5))
        for align in (False, True)
        for label, options in {"": dict(size=3), "_up": dict(scale_factor=2.3)}.items()
    ),
    *(
        resized(mode, 4, f"_antialias{label}", antialias=True, **options)
        for mode in ("bilinear", "bicubic", "lanczos")
        for label, options in {"": dict(size=(3, 2)), "_up": dict(scale_factor=1.5)}.items()
    ),
    *(
        read(mode, padding, align)
        for mode in ("bilinear", "bicubic", "nearest")
        for padding in ("zeros", "border", "reflection")
        for align in (False, True)
    ),
    *(read("bilinear", padding, True, 3) for padding in ("zeros", "border", "reflection")),
    read("nearest", "border", False, 3),
    Sample(
        "affine_grid_2d",
        lambda t, m: F(t).affine_grid(m, (2, 1, 3, 2), align_corners=False),
        ((2, 2, 3),),
    ),
    Sample(
        "affine_grid_3d",
        lambda t, m: F(t).affine_grid(m, (1, 1, 2, 3, 2), align_corners=True),
        ((1, 3, 4),),
    ),
    Sample("pixel_shuffle", lambda t, x: F(t).pixel_shuffle(x, 2), ((2, 8, 2, 3),)),
    Sample("pixel_unshuffle", lambda t, x: F(t).pixel_unshuffle(x, 2), ((2, 2, 4, 6),)),
    Sample("channel_shuffle", lambda t, x: F(t).channel_shuffle(x, 3), ((2, 6, 2),)),
]
