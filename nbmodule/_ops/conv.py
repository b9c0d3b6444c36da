"""Convolution and pooling over two spatial axes, by shifted views of the input.

For each position (i, j) in the kernel there is one strided view of the input, with the shape of the
output: its "tap". A convolution is a matrix product over the taps; pooling is a maximum over them. There is
no index arithmetic beyond `_tap`, and the same slice takes gradients back.
"""

from itertools import product

from .._engine import op

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
    n, c, h, wide = x.shape
    f, _, kh, kw = w.shape
    framed = _framed(xp, x, padding)
    out = oh, ow = _output_size(framed.shape[2:], (kh, kw), stride, dilation)
    columns = _columns(xp, framed, (kh, kw), out, stride, dilation, groups)
    weights = w.reshape(groups, f // groups, -1)
    y = (weights @ columns).reshape(n, f, oh, ow)
    if b is not None:
        y += b[:, None, None]

    def by_group(g):
        return g.reshape(n, groups, f // groups, oh * ow)

    def vjp_x(g):
        d_columns = weights.swapaxes(1, 2) @ by_group(g)
        d_columns = d_columns.reshape(n, c, kh, kw, oh, ow)
        d = xp.zeros(framed.shape, g.dtype)
        for i, j in product(range(kh), range(kw)):
            d[_tap(i, j, out, stride, dilation)] += d_columns[:, :, i, j]
        return d[:, :, padding[0] : padding[0] + h, padding[1] : padding[1] + wide]

    def vjp_w(g):
        return (by_group(g) @ columns.swapaxes(2, 3)).sum(0).reshape(w.shape)

    return y, vjp_x, vjp_w, lambda g: g.sum((0, 2, 3))


def _columns(xp, x, kernel: Pair, out: Pair, stride: Pair, dilation: Pair, groups: int):
    """Lay the taps side by side: (N, groups, C/groups * kh * kw, oh * ow)."""
    n, c = x.shape[:2]
    columns = xp.empty((n, c, *kernel, *out), x.dtype)
    for i, j in product(*map(range, kernel)):
        columns[:, :, i, j] = x[_tap(i, j, out, stride, dilation)]
    return columns.reshape(n, groups, -1, out[0] * out[1])


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
        d = xp.zeros(framed.shape, g.dtype)
        open_ = xp.ones(y.shape, bool)  # windows whose maximum has not been met yet
        for tap in taps:
            seen = framed[tap]
            here = ((seen == y) | (seen != seen)) & open_
            d[tap] += g * here
            open_ &= ~here
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
