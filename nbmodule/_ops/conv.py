"""Convolution over two spatial axes, by shifted views of the input.

A convolution is a sum of matrix products: for each position (i, j) in the kernel there is one strided view of
the input with the shape of the output. The views of one kernel row lie side by side in a buffer, and the next
row is a view of the same buffer, shifted down, so that only the width of the kernel is ever copied. It goes
image by image, so that the buffer stays in the processor's cache.
"""

from .._engine import op
from .sliding import Pair, framed, output_size


@op(name="ConvolutionBackward0")
def conv2d(xp, x, w, b, *, stride: Pair, padding: Pair, dilation: Pair, groups: int):
    """x: (N, C, H, W), w: (F, C/groups, kh, kw), b: (F,) or None -> (N, F, oh, ow)."""
    x_framed = framed(xp, x, padding)
    out = output_size(x_framed.shape[2:], w.shape[2:], stride, dilation)
    y = _correlate(xp, x_framed, w, out, stride, dilation, groups)
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
    room = (height + 2 * top, width + 2 * left)
    turned = _swap_channels(w[:, :, ::-1, ::-1], groups)
    spread = _spread(xp, g, room, w.shape[2:], stride, dilation)
    d = _correlate(xp, spread, turned, room, (1, 1), dilation, groups)
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
    x_framed = framed(xp, x, padding)
    shape = (g.shape[1], x.shape[1] // groups, *kernel)
    d = _weight_gradient(xp, x_framed, g, shape, g.shape[2:], stride, dilation, groups)
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
