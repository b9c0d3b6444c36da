"""What convolution and pooling share: windows that slide over an image."""

Pair = tuple[int, int]


def tap(i: int, j: int, out: Pair, stride: Pair, dilation: Pair):
    """Return the slices that show what kernel position (i, j) sees, one element for each output."""
    (oh, ow), (sh, sw), top, left = out, stride, i * dilation[0], j * dilation[1]
    return (..., slice(top, top + sh * (oh - 1) + 1, sh), slice(left, left + sw * (ow - 1) + 1, sw))


def output_size(size: Pair, kernel: Pair, stride: Pair, dilation: Pair) -> Pair:
    h, w = (
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(size, kernel, stride, dilation, strict=True)
    )
    return h, w


def framed(xp, x, padding: Pair, value=0.0, extra: Pair = (0, 0)):
    """Return `x` with `padding` rows and columns of `value` around it, `extra` more at the far ends."""
    (ph, pw), (eh, ew) = padding, extra
    if not (ph or pw or eh or ew):
        return x
    n, c, h, w = x.shape
    y = xp.full((n, c, h + 2 * ph + eh, w + 2 * pw + ew), value, x.dtype)
    y[:, :, ph : ph + h, pw : pw + w] = x
    return y
