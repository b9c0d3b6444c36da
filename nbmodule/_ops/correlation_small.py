"""The three products behind a convolution, for many small images: `correlation.py` says what they are.

The rows of the images are the first axis of an array, the images its last one. So what a position of the kernel
sees are long runs of memory, and what a whole kernel sees are rows next to each other:

    rows: (H, C * kernel[1:], out[1:] * N)    seen by output row r: rows[r * stride : r * stride + kernel[0]]

Only along the other axes of the kernel something is copied; along the first one, what two outputs see overlaps.
"""

import math

from .sliding import Size, places

BLOCK = 1 << 19
"""How many elements are unfolded at a time, if that is enough for MANY images."""

MANY = 16

TINY = 128
"""With fewer outputs in an image than this, products of one image are short."""

RUN = 32
"""Over runs of fewer outputs than this, products are slow."""


def are_small(n: int, out: Size, weights: int, dilation: Size, groups: int) -> bool:
    """Return whether images are so small, and so many, that it is quickest to multiply row by row."""
    if groups > 1 or dilation[0] > 1 or not weights:
        return False
    return n > 7 and 0 < math.prod(out) < TINY and n * math.prod(out[1:]) >= RUN


def correlate_small(xp, x, w, b, out: Size, stride: Size, dilation: Size):
    """x: (N, C, *size), w: (F, C, *kernel), b: (F,) or None -> (N, F, *out): the kernel times what it sees, and `b`."""
    (f, _, *kernel), y = w.shape, xp.empty((len(x), len(w), *out), x.dtype)
    filters = xp.moveaxis(w, 2, 1).reshape(f, -1)
    for images in _pieces(x, kernel, out):
        rows = _unfolded(xp, x[images], kernel, out, stride, dilation)
        found = xp.matmul(filters, _seen(xp, rows, kernel[0], out[0], stride[0]))
        if b is not None:
            found += b.reshape(f, 1)
        _rows_first(y[images])[...] = found.reshape(out[0], f, *out[1:], -1)
    return y


def weight_gradient_small(xp, x, g, kernel: Size, stride: Size, dilation: Size):
    """x: (N, C, *size), g: (N, F, *out) -> (F, C, *kernel): the gradient times what each weight saw."""
    c, f, out = x.shape[1], g.shape[1], g.shape[2:]
    d = xp.zeros((c * math.prod(kernel), f), g.dtype)
    at_once = max(1, BLOCK // max(1, d.size))
    for images in _pieces(x, kernel, out):
        rows = _unfolded(xp, x[images], kernel, out, stride, dilation)
        seen = _seen(xp, rows, kernel[0], out[0], stride[0])
        above = xp.ascontiguousarray(_rows_first(g[images])).reshape(out[0], f, -1).swapaxes(1, 2)
        for r in range(0, out[0], at_once):
            d += (seen[r : r + at_once] @ above[r : r + at_once]).sum(0)
    d = d.reshape(kernel[0], c, *kernel[1:], f)
    return xp.ascontiguousarray(xp.moveaxis(d, (-1, 0), (0, 2)))


def spread_small(xp, g, w, room: Size, stride: Size, dilation: Size):
    """g: (N, F, *out), w: (F, C, *kernel) -> (N, C, *room): what the kernels leave where they stood; stride[0]: 1.

    The rows that see a place are next to each other too, in the reverse order.
    """
    (f, c, *kernel), out = w.shape, g.shape[2:]
    d, edge = xp.zeros((len(g), c, *room), g.dtype), kernel[0] - 1
    turned = xp.moveaxis(w[:, :, ::-1], (2, 0), (-2, -1)).reshape(-1, kernel[0] * f)
    for images in _pieces(g, kernel, out):
        given = g[images]
        rows = xp.zeros((room[0] + edge, f, *out[1:], len(given)), g.dtype)
        rows[edge : edge + out[0]] = _rows_first(given)
        left = xp.matmul(turned, _seen(xp, rows.reshape(len(rows), f, -1), kernel[0], room[0], 1))
        left = left.reshape(room[0], c, *kernel[1:], 1, *out[1:], len(given))
        into = xp.zeros((room[0], c, *room[1:], len(given)), g.dtype)
        for place, seen in _other_places(kernel, out, len(given), stride, dilation):
            into[seen] += left[place]
        _rows_first(d[images])[...] = into
    return d


def _rows_first(x):
    """Return a view of x: (N, C, H, ...) as (H, C, ..., N)."""
    return x.transpose(2, 1, *range(3, x.ndim), 0)


def _pieces(x, kernel, out: Size):
    """Yield which images are unfolded together."""
    each = math.prod(x.shape[1:3]) * math.prod(kernel[1:]) * math.prod(out[1:])
    several = max(MANY, BLOCK // max(1, each))
    return [slice(n, n + several) for n in range(0, len(x), several)]


def _unfolded(xp, x, kernel, out: Size, stride: Size, dilation: Size):
    """Unfold x: (N, C, H, ...) along all axes but the first one -> (H, C * kernel[1:], out[1:] * N)."""
    there = xp.ascontiguousarray(_rows_first(x))
    rows = xp.empty((*there.shape[:2], *kernel[1:], 1, *out[1:], len(x)), x.dtype)
    for place, seen in _other_places(kernel, out, len(x), stride, dilation):
        rows[place] = there[seen]
    return rows.reshape(len(rows), math.prod(rows.shape[1 : len(kernel) + 2]), -1)


def _other_places(kernel, out: Size, n: int, stride: Size, dilation: Size):
    """Return what each position of the kernel sees along all axes but the first; nothing moves along the last, N."""
    return places((*kernel[1:], 1), (*out[1:], n), (*stride[1:], 1), (*dilation[1:], 1))


def _seen(xp, rows, kernel: int, count: int, stride: int):
    """Return a view of rows: (H, depth, run), which lie close together -> (count, kernel * depth, run)."""
    _, depth, run = rows.shape
    item = rows.itemsize
    strides = (stride * depth * run * item, run * item, item)
    return xp.lib.stride_tricks.as_strided(rows, (count, kernel * depth, run), strides)
