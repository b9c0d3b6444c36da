"""What convolution, pooling and folding share: windows that slide over any number of axes."""

from functools import lru_cache
from itertools import product
from typing import Any

Size = tuple[int, ...]
"""One number for each axis that the windows slide along: the last ones of an array."""

Pair = tuple[int, int]


def as_size(value: Any, axes: int = 1) -> Size:
    """Return whole numbers, which may be tensors, as a tuple; one number stands for each of `axes` axes.

    Raises:
        TypeError: it is something else.
    """
    if type(value) is int:
        return (value,) * axes
    if not isinstance(value, (tuple, list)):
        value = (value,)
    for n in value:
        if type(n) is not int:  # rarely: a tensor, or a number of NumPy
            value = [*map(_whole, value)]
            break
    return tuple(value) * axes if len(value) == 1 else tuple(value)


def _whole(n: Any) -> int:
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"expected a whole number, got {n!r}")
    return n.__index__()


def tap(at: Size, out: Size, stride: Size, dilation: Size):
    """Return the slices that show what kernel position `at` sees, one element for each output."""
    seen = [
        slice(i * d, i * d + s * (n - 1) + 1, s)
        for i, n, s, d in zip(at, out, stride, dilation, strict=True)
    ]
    return (..., *seen)


@lru_cache(512)
def places(kernel: Size, size: Size, stride: Size, dilation: Size) -> list[tuple[Any, Any]]:
    """Return for each position of the kernel where it lies in an array of taps, and what it sees of the images."""
    every = slice(None)
    return [
        ((every, every, *at), tap(at, size, stride, dilation))
        for at in product(*map(range, kernel))
    ]


def reach(kernel: Size, dilation: Size) -> Size:
    """Return how many elements lie under a window, along each axis."""
    return tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True))


def output_size(size: Size, kernel: Size, stride: Size, dilation: Size) -> Size:
    """Return how many windows there are along each axis."""
    return tuple(
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(size, kernel, stride, dilation, strict=True)
    )


def framed(xp, x, padding: Size, value=0.0, extra: Size = ()):
    """Return `x` with `padding` of `value` around its last axes, `extra` more at the far ends."""
    extra = extra or (0,) * len(padding)
    if not (any(padding) or any(extra)):
        return x
    lead, size = x.shape[: -len(padding)], x.shape[-len(padding) :]
    wide = (n + 2 * p + e for n, p, e in zip(size, padding, extra, strict=True))
    y = xp.full((*lead, *wide), value, x.dtype)
    y[inner(padding, size)] = x
    return y


def inner(padding: Size, size: Size):
    """Return the slices that show an array of `size` within its padding."""
    return (..., *(slice(p, p + n) for p, n in zip(padding, size, strict=True)))


def laid_out(xp, y, *likes):
    """Return `y` with its channels next to each other in memory if one of `likes` has them there."""
    if all(a.flags.c_contiguous for a in (y, *likes)):  # nearly always
        return y
    if y.ndim < 4 or not any(channels_together(a) for a in likes):
        return xp.ascontiguousarray(y)
    behind = (0, *range(2, y.ndim), 1)
    there = xp.ascontiguousarray(y.transpose(behind))
    return there.transpose(0, y.ndim - 1, *range(1, y.ndim - 1))


def channels_together(a) -> bool:
    """Return whether the channels of (N, C, ...) are the fastest axis in memory, gaps or not, and N the slowest."""
    if a.flags.c_contiguous or not a.size or not a.strides[1]:
        return False
    least = 0
    for axis in (1, *range(a.ndim - 1, 1, -1), 0):
        if a.strides[axis] < least or (axis == 0 and least == a.strides[1]):
            return False
        least = a.strides[axis] * a.shape[axis]
    return True
