"""Pooling over two spatial axes: summaries of windows.

For each position (i, j) in a window there is one strided view of the input with the shape of the output: what
that position sees, its "tap". Pooling is a maximum, or a sum, over the taps.
"""

from itertools import product

from .._engine import kept, op
from .sliding import Pair, framed, output_size, tap


@op(name="MaxPool2DWithIndicesBackward0")
def max_pool2d(xp, x, *, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, extra: Pair):
    """x: (N, C, H, W). The first of equal maxima in a window gets the gradient, as in PyTorch.

    `extra` rows and columns at the far ends make room for windows that hang over (ceil_mode).
    """
    h, w = x.shape[2:]
    lowest = -float("inf") if x.dtype.kind == "f" else xp.iinfo(x.dtype).min
    wide = framed(xp, x, padding, lowest, extra)
    out = output_size(wide.shape[2:], kernel, stride, dilation)
    taps = [tap(i, j, out, stride, dilation) for i, j in product(*map(range, kernel))]
    y = wide[taps[0]].copy()
    for seen_at in taps[1:]:
        xp.maximum(y, wide[seen_at], out=y)

    def vjp(g):
        wide = framed(xp, x, padding, lowest, extra)
        d = xp.zeros(wide.shape, g.dtype)
        free = True  # windows whose maximum has not been met yet
        for seen_at in taps:
            seen = wide[seen_at]
            here = ((seen == y) | (seen != seen)) & free
            d[seen_at] += kept(xp, g, here)
            free = free & ~here
        return d[:, :, padding[0] : padding[0] + h, padding[1] : padding[1] + w]

    return y, vjp


@op
def max_pool2d_indices(
    xp, x, *, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, extra: Pair
):
    """Return where in the (H, W) plane each maximum was, as flat int64 positions."""
    h, w = x.shape[2:]
    wide = framed(xp, x, padding, -float("inf"), extra)
    places = xp.arange(h * w).reshape(1, 1, h, w)
    places = framed(xp, places, padding, 0, extra)
    out = output_size(wide.shape[2:], kernel, stride, dilation)
    best = index = None
    for i, j in product(*map(range, kernel)):
        seen_at = tap(i, j, out, stride, dilation)
        seen, place = wide[seen_at], xp.broadcast_to(places[seen_at], wide[seen_at].shape)
        if best is None:
            best, index = seen.copy(), place.copy()
        else:
            better = (seen > best) | ((seen != seen) & (best == best))
            best, index = xp.where(better, seen, best), xp.where(better, place, index)
    return index, None


@op(name="AvgPool2DBackward0")
def avg_pool2d(
    xp,
    x,
    *,
    kernel: Pair,
    stride: Pair,
    padding: Pair,
    extra: Pair,
    padded: bool,
    divisor: int | None,
):
    """x: (N, C, H, W). The mean of each window; `padded` says whether the padding counts as elements.

    `extra` rows and columns at the far ends make room for windows that hang over (ceil_mode). They
    never count.
    """
    size = h, w = x.shape[2:]
    wide = framed(xp, x, padding, 0, extra)
    shape, out = wide.shape, output_size(wide.shape[2:], kernel, stride, (1, 1))
    taps = [tap(i, j, out, stride, (1, 1)) for i, j in product(*map(range, kernel))]
    y = wide[taps[0]].copy()
    for seen_at in taps[1:]:
        y += wide[seen_at]

    def counts(dtype):
        """How many elements each window has, in the shape of one result."""
        if divisor:
            return xp.full(out, divisor, dtype)
        rows, columns = (
            xp.asarray(_window_sizes(*sizes, padded), dtype)
            for sizes in zip(out, size, kernel, stride, padding, strict=True)
        )
        return rows[:, None] * columns

    def vjp(g):
        share = g / counts(x.dtype)
        d = xp.zeros(shape, g.dtype)
        for seen_at in taps:
            d[seen_at] += share
        return d[:, :, padding[0] : padding[0] + h, padding[1] : padding[1] + w]

    return (y / counts(x.dtype)).astype(x.dtype, copy=False), vjp


def _window_sizes(
    out: int, size: int, kernel: int, stride: int, padding: int, padded: bool
) -> list[int]:
    """Return how much of each window lies inside the image, or inside its padding, along one axis."""
    low, high = (-padding, size + padding) if padded else (0, size)
    starts = [i * stride - padding for i in range(out)]
    return [min(start + kernel, high) - max(start, low) for start in starts]


@op(name="AdaptiveAvgPool2DBackward0")
def adaptive_avg_pool2d(xp, x, *, size: Pair):
    """x: (..., H, W) -> (..., *size). Means over windows that cover the image and may overlap."""
    shape = x.shape
    windows = [
        ((..., i, j), (..., slice(*rows), slice(*columns)))
        for i, rows in enumerate(_windows(shape[-2], size[0]))
        for j, columns in enumerate(_windows(shape[-1], size[1]))
    ]
    y = xp.empty((*shape[:-2], *size), x.dtype)
    for place, window in windows:
        y[place] = x[window].mean((-2, -1))

    def vjp(g):
        d = xp.zeros(shape, g.dtype)
        for place, window in windows:
            rows, columns = window[1:]
            count = (rows.stop - rows.start) * (columns.stop - columns.start)
            d[window] += g[place][..., None, None] / count
        return d

    return y, vjp


def _windows(size: int, count: int) -> list[Pair]:
    """Return where each of `count` windows over `size` elements begins and ends."""
    return [(i * size // count, -((i + 1) * size // -count)) for i in range(count)]
