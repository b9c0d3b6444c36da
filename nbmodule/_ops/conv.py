"""Convolution along any number of axes, and its two adjoints, which are each other's derivatives.

    y[n, f, p] = b[f] + sum over c, k of  w[f, c, k] * x[n, c, stride * p + dilation * k - padding]

It is linear in `x` and in `w`: `conv_input` and `conv_weight` are its adjoints in one and in the other, and the
derivative of each of the three is made of the other two. A transposed convolution is `conv_input`.

Source: https://arxiv.org/abs/1603.07285
"""

from operator import add

from .._engine import added_up, op, wide
from .correlation import correlate, is_better_spread, spread, weight_gradient, with_bias
from .sliding import Size, framed, inner, laid_out, output_size, reach


@op(name="ConvolutionBackward0")
def conv(xp, x, w, b, *, stride: Size, padding: Size, dilation: Size, groups: int, out: Size | None = None):  # fmt: skip
    """x: (N, C, *size), w: (F, C/groups, *kernel), b: (F,) or None -> (N, F, *out).

    `out` may be smaller than what there is room for.
    """
    seen = framed(xp, wide(x), padding)
    out = out or output_size(seen.shape[2:], w.shape[2:], stride, dilation)
    y = correlate(xp, seen, wide(w), b, out, stride, dilation, groups)
    where = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    size, kernel = x.shape[2:], w.shape[2:]
    return (
        laid_out(xp, y.astype(x.dtype, copy=False), x, w),
        lambda g: conv_input.inside(xp, g, w, None, size=size, **where),
        lambda g: conv_weight.inside(xp, x, g, kernel=kernel, **where),
        _bias_gradient,
    )


@op(name="ConvolutionBackward0")
def conv_input(xp, g, w, b, *, size: Size, stride: Size, padding: Size, dilation: Size, groups: int):  # fmt: skip
    """g: (N, F, *out), w: (F, C/groups, *kernel), b: (C,) or None -> (N, C, *size), the adjoint in `x`."""
    room = tuple(n + 2 * p for n, p in zip(size, padding, strict=True))
    given, filters = wide(g), wide(w)
    if is_better_spread(w, room, stride, groups):
        d = spread(xp, given, filters, room, stride, dilation, groups)
        d = with_bias(d[inner(padding, size)], b)
    else:  # the kernel, turned around, slides over `g`
        edge = tuple(n - 1 for n in reach(w.shape[2:], dilation))
        extra = tuple(n - m - e for n, m, e in zip(room, g.shape[2:], edge, strict=True))
        around = framed(xp, given, edge, extra=extra)
        around = around[inner(padding, tuple(map(add, size, edge)))]
        d = correlate(xp, around, _turned(xp, filters, groups), b, size, stride, dilation, groups)
    where = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    kernel, out = w.shape[2:], g.shape[2:]
    return (
        laid_out(xp, d.astype(g.dtype, copy=False), g, w),
        lambda h: conv.inside(xp, h, w, None, out=out, **where),
        lambda h: conv_weight.inside(xp, h, g, kernel=kernel, **where),
        _bias_gradient,
    )


@op(name="ConvolutionBackward0")
def conv_weight(xp, x, g, *, kernel: Size, stride: Size, padding: Size, dilation: Size, groups: int):  # fmt: skip
    """x: (N, C, *size), g: (N, F, *out) -> (F, C/groups, *kernel), the adjoint in `w`."""
    seen = framed(xp, wide(x), padding)
    d = weight_gradient(xp, seen, wide(g), kernel, stride, dilation, groups)
    where = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    size, out = x.shape[2:], g.shape[2:]
    return (
        d.astype(g.dtype, copy=False),
        lambda h: conv_input.inside(xp, g, h, None, size=size, **where),
        lambda h: conv.inside(xp, x, h, None, out=out, **where),
    )


def _turned(xp, w, groups: int):
    """Turn the kernel around and make inputs of outputs: (F, C/groups, *kernel) -> (C, F/groups, *kernel)."""
    f, c, *kernel = w.shape
    back = w[(..., *(slice(None, None, -1) for _ in kernel))]
    by_group = back.reshape(groups, f // groups, c, *kernel).swapaxes(1, 2)
    return xp.ascontiguousarray(by_group).reshape(groups * c, f // groups, *kernel)


def _bias_gradient(g):
    axes = (0, *range(2, g.ndim))
    return added_up(g, axes)


@op
def conv_tbc(xp, x, w, b, *, pad: int):
    """x: (T, N, C), w: (K, C, F), b: (F,) -> (T + 2 * pad - K + 1, N, F): a convolution with time in front."""
    where = {"stride": (1,), "padding": (pad,), "dilation": (1,), "groups": 1}
    length, kernel = x.shape[:1], w.shape[:1]

    def to_last(a):
        return a.transpose(1, 2, 0)

    def turned(a):
        return a.transpose(2, 1, 0)

    y = conv.inside(xp, to_last(x), turned(w), b, **where)
    return (
        xp.ascontiguousarray(y.transpose(2, 0, 1)),
        lambda g: conv_input.inside(
            xp, to_last(g), turned(w), None, size=length, **where
        ).transpose(2, 0, 1),
        lambda g: turned(conv_weight.inside(xp, to_last(x), to_last(g), kernel=kernel, **where)),
        lambda g: added_up(g, (0, 1)),
    )
