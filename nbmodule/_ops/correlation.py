"""The three products behind every convolution, on plain arrays and over any number of axes.

A convolution multiplies filters with what they see. What the positions of a kernel see is copied side by side
(im2col), and a matrix product does the rest. Four things make that quick:

* The copy is made in blocks that fit into the processor's cache.
* Along the first axis, positions of the kernel see the same rows, shifted: one copy of the rows serves them all.
* Where such a copy is too thin for a product, it is copied on, several rows at a time: long runs cost little.
* Images of which several fit into a block are copied together. Many tiny ones have a way of their own, at
  the end of this file. Where that does not go (groups, gaps between rows) they become one image, with a further
  axis that the kernel does not reach along; it comes last, so that whole runs of memory are copied.

Some images each are the work of one core.
"""

import math
from operator import mul

from .._engine import in_parts, products, sum_of_parts
from .sliding import Size, places

BLOCK = 1 << 19
"""How many elements are copied at a time: about what a processor's second cache holds."""

TINY = 128
"""With fewer outputs in an image than this, many images are taken as one."""

FLAT = 256
"""With fewer outputs in an image than this, one long product is quicker than several short ones."""

THIN = 16
"""Over fewer elements than this, a product costs more than copying what it multiplies."""

MANY = 16
"""How many tiny images are unfolded together at least."""

RUN = 32
"""Over runs of fewer outputs than this, products are slow."""

FEW = 1 << 13
"""Fewer elements than this are copied in one call: a second one costs more than it saves."""

SHORT = 128
"""A row of fewer outputs than this costs more for being a row than for its elements."""


def correlate(xp, x, w, b, out: Size, stride: Size, dilation: Size, groups: int):
    """Return at each place the sum of the kernel times what it sees, and `b`.

    x: (N, C, *size), w: (F, C/groups, *kernel), b: (F,) or None -> (N, F, *out)
    """
    y = xp.empty((len(x), len(w), *out), x.dtype)
    steps = products(w.size, len(x), *out)
    in_parts(xp, lambda n: _fill(y[n], xp, x[n], w, b, stride, dilation, groups), len(x), steps)
    return y


def _fill(y, xp, x, w, b, stride: Size, dilation: Size, groups: int) -> None:
    n, (f, c), kernel, out = len(x), w.shape[:2], w.shape[2:], y.shape[2:]
    if _is_pointwise(kernel, stride):
        seen = _under_points(x, out).reshape(n, groups, c, math.prod(out))
        into = y.reshape(n, groups, f // groups, math.prod(out))
        xp.matmul(w.reshape(groups, f // groups, c), seen, out=into)
        with_bias(y, b)
    elif _are_small(n, out, w.size, dilation, groups):
        _correlate_small(y, xp, x, w, b, stride, dilation)
    elif _are_tiny(n, out, groups):
        there = xp.empty((1, f, *out, n), y.dtype)
        where = ((*stride, 1), (*dilation, 1), groups)
        _correlate(there, xp, _as_one(xp, x), w[..., None], b, *where)
        y[...] = xp.moveaxis(there[0], -1, 0)
    else:
        _correlate(y, xp, x, w, b, stride, dilation, groups)


def _correlate(y, xp, x, w, b, stride: Size, dilation: Size, groups: int) -> None:
    (f, c), kernel, out = w.shape[:2], w.shape[2:], y.shape[2:]
    first, seen_by = _shared(kernel, out, stride, c)
    step = dilation[0]
    y = y.reshape(len(x), groups, f // groups, out[0], math.prod(out[1:]))
    rows = w if first == 1 else xp.moveaxis(w, 2, 0)
    rows = rows.reshape(first, groups, f // groups, c * math.prod(seen_by))
    extra = step * (first - 1)
    buffer = None
    for n, at, taps in _blocks(xp, x, seen_by, out, stride, dilation, groups, extra):
        into = _flat(y[n, :, :, at])
        count = at.stop - at.start
        xp.matmul(rows[0], _flat(taps[..., :count, :]), out=into)
        for i in range(1, first):
            buffer, more = _cut(xp, buffer, into.shape, into.dtype)
            into += xp.matmul(rows[i], _flat(taps[..., i * step : i * step + count, :]), out=more)
        if b is not None:  # while it is in the cache
            into += b.reshape(groups, f // groups, 1)


def weight_gradient(xp, x, g, kernel: Size, stride: Size, dilation: Size, groups: int):
    """Return for each weight the sum of the gradient times what it saw.

    x: (N, C, *size), g: (N, F, *out) -> (F, C/groups, *kernel)
    """
    steps = products(g.size, x.shape[1] // groups, *kernel)
    where = (kernel, stride, dilation, groups)
    d = sum_of_parts(xp, lambda n: _sum_over(xp, x[n], g[n], *where), len(x), steps)
    return xp.ascontiguousarray(d)


def _sum_over(xp, x, g, kernel: Size, stride: Size, dilation: Size, groups: int):
    n, c, f, out = len(x), x.shape[1] // groups, g.shape[1], g.shape[2:]
    if _is_pointwise(kernel, stride):
        seen = _under_points(x, out).reshape(n, groups, c, math.prod(out))
        above = g.reshape(n, groups, f // groups, math.prod(out))
        return xp.matmul(above, seen.swapaxes(2, 3)).sum(0).reshape(f, c, *kernel)
    if _are_small(n, out, c * f * math.prod(kernel), dilation, groups):
        return _weight_gradient_small(xp, x, g, kernel, stride, dilation)
    if _are_tiny(n, out, groups):
        where = ((*kernel, 1), (*stride, 1), (*dilation, 1), groups)
        d = _weight_gradient(xp, _as_one(xp, x), _as_one(xp, g), *where)
        return d.reshape(f, c, *kernel)
    return _weight_gradient(xp, x, g, kernel, stride, dilation, groups)


def _weight_gradient(xp, x, g, kernel: Size, stride: Size, dilation: Size, groups: int):
    c, f, out = x.shape[1] // groups, g.shape[1], g.shape[2:]
    first, seen_by = _shared(kernel, out, stride)
    step = dilation[0]
    d = xp.zeros((first, groups, c * math.prod(seen_by), f // groups), g.dtype)
    extra = step * (first - 1)
    for n, at, taps in _blocks(xp, x, seen_by, out, stride, dilation, groups, extra):
        count = at.stop - at.start
        above = g[n, :, at].reshape(len(taps), groups, f // groups, count * taps.shape[-1])
        for i in range(first):
            seen = _flat(taps[..., i * step : i * step + count, :])
            found = seen @ above.swapaxes(2, 3)  # the quicker way round: many rows, few columns
            d[i] += found[0] if len(found) == 1 else found.sum(0)
    d = d.swapaxes(2, 3).reshape(first, f, c, math.prod(seen_by))
    return xp.moveaxis(d, 0, 2).reshape(f, c, *kernel)


def spread(xp, g, w, room: Size, stride: Size, dilation: Size, groups: int):
    """Return what the kernels, each times its output, leave where they stood: the adjoint of `correlate`.

    g: (N, F, *out), w: (F, C/groups, *kernel) -> (N, C, *room)
    """
    d = xp.zeros((len(g), w.shape[1] * groups, *room), g.dtype)
    steps = products(g.size, *w.shape[1:]) + g.size * math.prod(w.shape[2:])
    in_parts(xp, lambda n: _leave(d[n], xp, g[n], w, stride, dilation, groups), len(g), steps)
    return d


def _leave(d, xp, g, w, stride: Size, dilation: Size, groups: int) -> None:
    n, out = len(g), g.shape[2:]
    if stride[0] == 1 and _are_small(n, out, w.size, dilation, groups):
        _spread_small(d, xp, g, w, stride, dilation)
    elif _are_tiny(n, out, groups):
        there = xp.zeros((1, *d.shape[1:], n), g.dtype)
        _spread(there, xp, _as_one(xp, g), w[..., None], (*stride, 1), (*dilation, 1), groups)
        d[...] = xp.moveaxis(there[0], -1, 0)
    else:
        _spread(d, xp, g, w, stride, dilation, groups)


def is_better_spread(w, room: Size, stride: Size, groups: int) -> bool:
    """Return whether `spread` is quicker than sliding the turned kernel of `w` over what it is given.

    The one adds up what the positions of the kernel leave, the other copies what they see, zeros of the stride
    among it.
    """
    (f, c), kernel = w.shape[:2], w.shape[2:]
    if max(stride) > 1:
        return True
    _, seen_by = _shared(kernel, room, stride, f // groups)
    return math.prod(kernel) > 1 and groups * c * math.prod(kernel) < f * math.prod(seen_by)


def _spread(d, xp, g, w, stride: Size, dilation: Size, groups: int) -> None:
    (f, c, *kernel), out = w.shape, g.shape[2:]
    columns = w.reshape(groups, f // groups, c * math.prod(kernel)).swapaxes(1, 2)
    rest = math.prod(out[1:])
    buffer = None
    for n, at in _pieces(len(g), d.shape[1] * math.prod(kernel) * rest, out[0]):
        above = g[n, :, at]
        size = above.shape[2:]
        shape = (len(above), groups, columns.shape[1], size[0] * rest)
        buffer, taps = _cut(xp, buffer, shape, g.dtype)
        xp.matmul(columns, above.reshape(len(above), groups, f // groups, shape[3]), out=taps)
        taps = taps.reshape(len(above), d.shape[1], *kernel, *size)
        into = d[n, :, at.start * stride[0] :]
        for place, seen in places(tuple(kernel), size, stride, dilation):
            into[seen] += taps[place]


def _blocks(xp, x, kernel: Size, out: Size, stride: Size, dilation: Size, groups: int, extra: int):
    """Yield (images, rows of the output, taps): what the kernel sees from there.

    taps: (images, groups, C/groups * kernel, rows + extra, the other outputs); overwritten by the next ones.
    """
    depth, rest = x.shape[1] * math.prod(kernel), math.prod(out[1:])
    buffer = row_buffer = None
    in_two_steps = min(math.prod(kernel[1:]), kernel[0]) > 1 and out[-1] < SHORT
    in_two_steps = in_two_steps and len(x) * depth * rest * out[0] > FEW
    for n, at in _pieces(len(x), depth * rest, out[0], extra):
        images = x[n, :, at.start * stride[0] :]
        size = (at.stop - at.start + extra, *out[1:])
        shape = (len(images), x.shape[1], *kernel, *size)
        buffer, taps = _cut(xp, buffer, shape, x.dtype)
        if in_two_steps:
            around = stride[0] * (size[0] - 1) + dilation[0] * (kernel[0] - 1) + 1
            shape = (len(images), x.shape[1], 1, *kernel[1:], around, *out[1:])
            row_buffer, rows = _cut(xp, row_buffer, shape, x.dtype)
            _unfold(xp, rows, images, (1, *kernel[1:]), (around, *out[1:]), (1, *stride[1:]), dilation)  # fmt: skip
            _unfold_rows(xp, taps, rows, stride[0], dilation[0])
        else:
            _unfold(xp, taps, images, kernel, size, stride, dilation)
        yield n, at, taps.reshape(len(images), groups, depth // groups, size[0], rest)


def _cut(xp, buffer, shape: tuple[int, ...], dtype):
    """Return a buffer, and an array of this shape in it. The first shape is the largest, and makes the buffer."""
    many = math.prod(shape)
    if buffer is None:
        buffer = xp.empty(many, dtype)
    return buffer, buffer[:many].reshape(shape)


def _unfold(xp, taps, images, kernel: Size, size: Size, stride: Size, dilation: Size) -> None:
    """Copy what each position of the kernel sees into taps: (N, C, *kernel, *size)."""
    (n, c), (over_n, over_c, *along) = images.shape[:2], images.strides
    steps = (*map(mul, dilation, along), *map(mul, stride, along))
    taps[...] = _view(xp, images, (n, c, *kernel, *size), (over_n, over_c, *steps))


def _unfold_rows(xp, taps, rows, stride: int, dilation: int) -> None:
    """Copy what each position of the kernel sees out of rows that are unfolded along the other axes.

    rows: (N, C, 1, *kernel[1:], rows, *size[1:]), taps: (N, C, *kernel, *size)
    """
    n, c, _, *others = rows.strides
    along = taps.ndim // 2 - 2  # where the rows lie among the others
    down, others[along] = others[along], stride * others[along]
    taps[...] = _view(xp, rows, taps.shape, (n, c, dilation * down, *others))


def _view(xp, x, shape: Size, strides: Size):
    """Return a view, for one long copy: many short ones cost more, and each may have to wait for Python's lock."""
    return xp.lib.stride_tricks.as_strided(x, shape, strides)


def _pieces(images: int, row: int, count: int, extra: int = 0):
    """Yield (images, rows of the output) that are worked on together; a row unfolds to `row` elements.

    Whole images if one fits into a block, otherwise rows of one.
    """
    most = _rows_at_once(row, count, extra)
    several = max(1, BLOCK // max(1, row * (count + extra))) if most == count else 1
    for start in range(0, count, most):
        at = slice(start, min(start + most, count))
        for n in range(0, images, several):
            yield slice(n, n + several), at


def _rows_at_once(row: int, count: int, extra: int = 0) -> int:
    """Return how many outputs of the first axis a block holds: what is copied twice must stay the smaller part."""
    return min(max(1, BLOCK // max(row, 1) - extra, 2 * extra), count)


def _shared(kernel: Size, out: Size, stride: Size, channels: int = THIN) -> tuple[int, Size]:
    """Return how many positions along the first axis share a copy, and the kernel that the copy is for."""
    is_worth_it = math.prod(out) >= FLAT and channels * math.prod(kernel[1:]) >= THIN
    if is_worth_it and len(kernel) > 1 and kernel[0] > 1 and stride[0] == 1:
        return kernel[0], (1, *kernel[1:])
    return 1, tuple(kernel)


def with_bias(y, b):
    """Add b: (F,) or None to y: (N, F, *out) in place; return it."""
    if b is not None:
        y += b.reshape(-1, *(1 for _ in y.shape[2:]))
    return y


def _flat(taps):
    """Make one axis of the last two."""
    return taps.reshape(*taps.shape[:-2], taps.shape[-2] * taps.shape[-1])


def _is_pointwise(kernel: Size, stride: Size) -> bool:
    return all(n == 1 for n in (*kernel, *stride))


def _under_points(x, out: Size):
    """Return what a pointwise kernel sees: all of `x`, unless there is to be less of an output."""
    return x if x.shape[2:] == out else x[(..., *map(slice, out))]


def _are_tiny(n: int, out: Size, groups: int) -> bool:
    return n > 7 and math.prod(out) < (TINY if groups == 1 else 2 * TINY)


def _as_one(xp, x):
    """Make the images the last axis of one image: (N, C, *size) -> (1, C, *size, N)."""
    return xp.ascontiguousarray(xp.moveaxis(x, 0, -1))[None]


# ---- many tiny images
#
# The rows of the images are the first axis of an array, the images its last one. So what a position of the kernel sees
# are long runs of memory, and what a whole kernel sees are rows next to each other:
#
#     rows: (H, C * kernel[1:], out[1:] * N)    seen by output row r: rows[r * stride : r * stride + kernel[0]]
#
# Only along the other axes of the kernel something is copied; along the first one, what two outputs see overlaps.


def _are_small(n: int, out: Size, weights: int, dilation: Size, groups: int) -> bool:
    """Return whether images are so small, and so many, that it is quickest to multiply row by row."""
    if groups > 1 or dilation[0] > 1 or not weights:
        return False
    return n > 7 and 0 < math.prod(out) < TINY and n * math.prod(out[1:]) >= RUN


def _correlate_small(y, xp, x, w, b, stride: Size, dilation: Size) -> None:
    """x: (N, C, *size), w: (F, C, *kernel), b: (F,) or None -> y: (N, F, *out): the kernel times what it sees, and `b`."""
    (f, _, *kernel), out = w.shape, y.shape[2:]
    filters = xp.moveaxis(w, 2, 1).reshape(f, -1)
    for images in _images_at_once(x, kernel, out):
        rows = _unfolded(xp, x[images], kernel, out, stride, dilation)
        found = xp.matmul(filters, _seen(xp, rows, kernel[0], out[0], stride[0]))
        if b is not None:
            found += b.reshape(f, 1)
        _rows_first(y[images])[...] = found.reshape(out[0], f, *out[1:], -1)


def _weight_gradient_small(xp, x, g, kernel: Size, stride: Size, dilation: Size):
    """x: (N, C, *size), g: (N, F, *out) -> (F, C, *kernel): the gradient times what each weight saw."""
    c, f, out = x.shape[1], g.shape[1], g.shape[2:]
    d = xp.zeros((c * math.prod(kernel), f), g.dtype)
    at_once = max(1, BLOCK // max(1, d.size))
    for images in _images_at_once(x, kernel, out):
        rows = _unfolded(xp, x[images], kernel, out, stride, dilation)
        seen = _seen(xp, rows, kernel[0], out[0], stride[0])
        above = xp.ascontiguousarray(_rows_first(g[images])).reshape(out[0], f, -1).swapaxes(1, 2)
        for r in range(0, out[0], at_once):
            d += (seen[r : r + at_once] @ above[r : r + at_once]).sum(0)
    d = d.reshape(kernel[0], c, *kernel[1:], f)
    return xp.ascontiguousarray(xp.moveaxis(d, (-1, 0), (0, 2)))


def _spread_small(d, xp, g, w, stride: Size, dilation: Size) -> None:
    """g: (N, F, *out), w: (F, C, *kernel) -> d: (N, C, *room): what the kernels leave where they stood; stride[0]: 1.

    The rows that see a place are next to each other too, in the reverse order.
    """
    (f, c, *kernel), out, room = w.shape, g.shape[2:], d.shape[2:]
    edge = kernel[0] - 1
    turned = xp.moveaxis(w[:, :, ::-1], (2, 0), (-2, -1)).reshape(-1, kernel[0] * f)
    for images in _images_at_once(g, kernel, out):
        given = g[images]
        rows = xp.zeros((room[0] + edge, f, *out[1:], len(given)), g.dtype)
        rows[edge : edge + out[0]] = _rows_first(given)
        left = xp.matmul(turned, _seen(xp, rows.reshape(len(rows), f, -1), kernel[0], room[0], 1))
        left = left.reshape(room[0], c, *kernel[1:], 1, *out[1:], len(given))
        into = xp.zeros((room[0], c, *room[1:], len(given)), g.dtype)
        for place, seen in _other_places(kernel, out, len(given), stride, dilation):
            into[seen] += left[place]
        _rows_first(d[images])[...] = into


def _rows_first(x):
    """Return a view of x: (N, C, H, ...) as (H, C, ..., N)."""
    return x.transpose(2, 1, *range(3, x.ndim), 0)


def _images_at_once(x, kernel, out: Size):
    """Yield which images are unfolded together."""
    each = math.prod(x.shape[1:3]) * math.prod(kernel[1:]) * math.prod(out[1:])
    several = max(MANY, BLOCK // max(1, each))
    return [slice(n, n + several) for n in range(0, len(x), several)]


def _unfolded(xp, x, kernel, out: Size, stride: Size, dilation: Size):
    """Unfold x: (N, C, H, ...) along all axes but the first one -> (H, C * kernel[1:], out[1:] * N)."""
    there = xp.ascontiguousarray(_rows_first(x))
    rows = xp.empty((*there.shape[:2], *kernel[1:], 1, *out[1:], len(x)), x.dtype)
    n = len(x)  # nothing moves along the last axis
    _unfold(xp, rows, there, (*kernel[1:], 1), (*out[1:], n), (*stride[1:], 1), (*dilation[1:], 1))
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
