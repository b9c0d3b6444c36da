"""Convolution and pooling over two spatial axes, by shifted views of the input.

For each position (i, j) in the kernel there is one strided view of the input with the shape of the
output: what that position sees, its "tap". Pooling is a maximum over the taps. A convolution is a sum of
matrix products over them: the taps of one kernel row lie side by side in a buffer, and the next row
is a view of the same buffer, shifted down, so that only the width of the kernel is ever copied. It goes
image by image, so that the buffer stays in the processor's cache.
"""

from itertools import product

from .._engine import kept, op

Pair = tuple[int, int]


def _tap(i: int, j: int, out: Pair, stride: Pair, dilation: Pair):
    """Return the slices that show what kernel position (i, j) sees, one element for each output."""
    (oh, ow), (sh, sw), top, left = out, stride, i * dilation[0], j * dilation[1]
    return (..., slice(top, top + sh * (oh - 1) + 1, sh), slice(left, left + sw * (ow - 1) + 1, sw))


def _output_size(size: Pair, kernel: Pair, stride: Pair, dilation: Pair) -> Pair:
    h, w = (
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(size, kernel, stride, dilation, strict=True)
    )
    return h, w


def _framed(xp, x, padding: Pair, value=0.0, extra: Pair = (0, 0)):
    """Return `x` with `padding` rows and columns of `value` around it, `extra` more at the far ends."""
    (ph, pw), (eh, ew) = padding, extra
    if not (ph or pw or eh or ew):
        return x
    n, c, h, w = x.shape
    y = xp.full((n, c, h + 2 * ph + eh, w + 2 * pw + ew), value, x.dtype)
    y[:, :, ph : ph + h, pw : pw + w] = x
    return y


@op(name="ConvolutionBackward0")
def conv2d(xp, x, w, b, *, stride: Pair, padding: Pair, dilation: Pair, groups: int):
    """x: (N, C, H, W), w: (F, C/groups, kh, kw), b: (F,) or None -> (N, F, oh, ow)."""
    framed = _framed(xp, x, padding)
    out = _output_size(framed.shape[2:], w.shape[2:], stride, dilation)
    y = _correlate(xp, framed, w, out, stride, dilation, groups)
    if b is not None:
        y += b[:, None, None]
    where = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    size, kernel = x.shape[2:], w.shape[2:]
    return (
        y,
        lambda g: conv2d_input.inside(xp, g, w, size=size, **where),
        lambda g: conv2d_weight.inside(xp, x, g, kernel=kernel, **where),
        lambda g: g.sum((0, 2, 3)),
    )


@op(name="ConvolutionBackward0")
def conv2d_input(xp, g, w, *, size: Pair, stride: Pair, padding: Pair, dilation: Pair, groups: int):
    """The gradient for the input of `conv2d`: (N, F, oh, ow), (F, C/groups, kh, kw) -> (N, C, *size).

    The kernel, turned around, slides over `g` with zeros where the stride skipped.
    """
    (top, left), (height, width) = padding, size
    framed = (height + 2 * top, width + 2 * left)
    turned = _swap_channels(w[:, :, ::-1, ::-1], groups)
    spread = _spread(xp, g, framed, w.shape[2:], stride, dilation)
    d = _correlate(xp, spread, turned, framed, (1, 1), dilation, groups)
    where = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    kernel = w.shape[2:]
    return (
        d[:, :, top : top + height, left : left + width],
        lambda h: conv2d.inside(xp, h, w, None, **where),
        lambda h: conv2d_weight.inside(xp, h, g, kernel=kernel, **where),
    )


@op(name="ConvolutionBackward0")
def conv2d_weight(
    xp, x, g, *, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, groups: int
):
    """The gradient for the weight of `conv2d`: (N, C, H, W), (N, F, oh, ow) -> (F, C/groups, *kernel)."""
    framed = _framed(xp, x, padding)
    shape = (g.shape[1], x.shape[1] // groups, *kernel)
    d = _weight_gradient(xp, framed, g, shape, g.shape[2:], stride, dilation, groups)
    where = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    size = x.shape[2:]
    return (
        d,
        lambda h: conv2d_input.inside(xp, g, h, size=size, **where),
        lambda h: conv2d.inside(xp, x, h, None, **where),
    )


def _correlate(xp, x, w, out: Pair, stride: Pair, dilation: Pair, groups: int):
    """Return at each place the sum of the kernel times what it sees: (N, F, oh, ow)."""
    f, c, kh, kw = w.shape
    rows = w.transpose(2, 0, 1, 3).reshape(kh, groups, f // groups, c * kw)
    y = xp.empty((x.shape[0], groups, f // groups, out[0] * out[1]), x.dtype)
    for image, into in zip(x, y, strict=True):
        taps = _side_by_side(xp, image, kw, out, stride, dilation, groups)
        xp.matmul(rows[0], _kernel_row(taps, 0, out, stride, dilation), out=into)
        for i in range(1, kh):
            into += rows[i] @ _kernel_row(taps, i, out, stride, dilation)
    return y.reshape(-1, f, *out)


def _weight_gradient(xp, x, g, shape, out: Pair, stride: Pair, dilation: Pair, groups: int):
    """Return for each weight the sum of the gradient times what it saw: (F, C/groups, kh, kw)."""
    f, c, kh, kw = shape
    d = xp.zeros((kh, groups, f // groups, c * kw), g.dtype)
    for image, above in zip(x, g.reshape(-1, groups, f // groups, out[0] * out[1]), strict=True):
        taps = _side_by_side(xp, image, kw, out, stride, dilation, groups)
        for i in range(kh):
            d[i] += above @ _kernel_row(taps, i, out, stride, dilation).swapaxes(1, 2)
    return d.reshape(kh, f, c, kw).transpose(1, 2, 0, 3)


def _side_by_side(xp, image, kw: int, out: Pair, stride: Pair, dilation: Pair, groups: int):
    """Copy the taps of one kernel row: (C, H, W) -> (groups, C/groups * kw, H, ow)."""
    c, h, _ = image.shape
    taps = xp.empty((c, kw, h, out[1]), image.dtype)
    for j in range(kw):
        start = j * dilation[1]
        taps[:, j] = image[..., start : start + stride[1] * (out[1] - 1) + 1 : stride[1]]
    return taps.reshape(groups, -1, h, out[1])


def _kernel_row(taps, i: int, out: Pair, stride: Pair, dilation: Pair):
    """Return what row `i` of the kernel sees, (groups, C/groups * kw, oh * ow); a view for stride 1."""
    start = i * dilation[0]
    seen = taps[:, :, start : start + stride[0] * (out[0] - 1) + 1 : stride[0]]
    return seen.reshape(*seen.shape[:2], -1)


def _swap_channels(w, groups: int):
    """Make inputs of outputs, group by group: (F, C/groups, kh, kw) -> (C, F/groups, kh, kw)."""
    f, c, kh, kw = w.shape
    return w.reshape(groups, f // groups, c, kh, kw).swapaxes(1, 2).reshape(-1, f // groups, kh, kw)


def _spread(xp, g, size: Pair, kernel: Pair, stride: Pair, dilation: Pair):
    """Put the gradient where the kernel stood, with room for the turned kernel on all sides."""
    (h, w), (sh, sw) = size, stride
    top, left = (d * (k - 1) for k, d in zip(kernel, dilation, strict=True))
    oh, ow = g.shape[2:]
    y = xp.zeros((*g.shape[:2], h + top, w + left), g.dtype)
    y[:, :, top : top + sh * (oh - 1) + 1 : sh, left : left + sw * (ow - 1) + 1 : sw] = g
    return y


@op(name="MaxPool2DWithIndicesBackward0")
def max_pool2d(xp, x, *, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, extra: Pair):
    """x: (N, C, H, W). The first of equal maxima in a window gets the gradient, as in PyTorch.

    `extra` rows and columns at the far ends make room for windows that hang over (ceil_mode).
    """
    h, w = x.shape[2:]
    lowest = -float("inf") if x.dtype.kind == "f" else xp.iinfo(x.dtype).min
    framed = _framed(xp, x, padding, lowest, extra)
    out = _output_size(framed.shape[2:], kernel, stride, dilation)
    taps = [_tap(i, j, out, stride, dilation) for i, j in product(*map(range, kernel))]
    y = framed[taps[0]].copy()
    for tap in taps[1:]:
        xp.maximum(y, framed[tap], out=y)

    def vjp(g):
        framed = _framed(xp, x, padding, lowest, extra)
        d = xp.zeros(framed.shape, g.dtype)
        free = True  # windows whose maximum has not been met yet
        for tap in taps:
            seen = framed[tap]
            here = ((seen == y) | (seen != seen)) & free
            d[tap] += kept(xp, g, here)
            free = free & ~here
        return d[:, :, padding[0] : padding[0] + h, padding[1] : padding[1] + w]

    return y, vjp


@op
def max_pool2d_indices(
    xp, x, *, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, extra: Pair
):
    """Return where in the (H, W) plane each maximum was, as flat int64 positions."""
    h, w = x.shape[2:]
    framed = _framed(xp, x, padding, -float("inf"), extra)
    places = xp.arange(h * w).reshape(1, 1, h, w)
    places = _framed(xp, places, padding, 0, extra)
    out = _output_size(framed.shape[2:], kernel, stride, dilation)
    best = index = None
    for i, j in product(*map(range, kernel)):
        tap = _tap(i, j, out, stride, dilation)
        seen, place = framed[tap], xp.broadcast_to(places[tap], framed[tap].shape)
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
    framed = _framed(xp, x, padding, 0, extra)
    shape, out = framed.shape, _output_size(framed.shape[2:], kernel, stride, (1, 1))
    taps = [_tap(i, j, out, stride, (1, 1)) for i, j in product(*map(range, kernel))]
    y = framed[taps[0]].copy()
    for tap in taps[1:]:
        y += framed[tap]

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
        for tap in taps:
            d[tap] += share
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
