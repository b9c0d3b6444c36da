"""Reading images and volumes at places that a grid says, between the pixels too.

Along each axis a place sees one, two or four pixels, its taps, with weights that are polynomials of how far it lies
from the pixel before it. A value is the sum over all combinations of taps.
"""

from __future__ import annotations

import math
from functools import reduce
from itertools import product
from operator import mul
from typing import Any, NamedTuple

from .._engine import op
from .fused import fused


class Axis(NamedTuple):
    """Where the places lie along one axis of `size` pixels, as whole numbers and masks.

    A place is ``sign * (raw - low) + turns * span + low`` where it was reflected at the edges, else ``raw``; and
    0 or ``size - 1`` where `under` or `over`.
    """

    size: int
    base: Any  # the pixel before the place
    image: bool  # not a volume
    sign: Any = None
    turns: Any = None
    under: Any = None
    over: Any = None


# ---- where


def _scale(size: int, align: bool) -> float:
    """Return how many pixels a step of 1 is, where the image reaches from -1 to 1."""
    return (size - 1) / 2 if align else size / 2


def _edges(size: int, align: bool) -> tuple[float, float]:
    """Return where reflection happens: the first edge, and how far the second lies from it."""
    return (0.0, float(size - 1)) if align else (-0.5, float(size))


def _raw(xp, x, size: int, align: bool, image: bool):
    # In the steps of PyTorch: on the border of two pixels the rounding says to which one it belongs.
    p, scale = x + 1, _scale(size, align)
    if align:
        return p * scale
    if not image:
        return p * scale - 0.5
    if x.dtype == "float64":  # what is far away or infinite is too large to be cut into halves
        return xp.where(abs(p) < 1e9, fused(p, scale, -0.5), p * scale - 0.5)
    return (p.astype("float64") * scale - 0.5).astype(x.dtype)


def _look(xp, x, size: int, mode: str, padding: str, align: bool, image: bool) -> Axis:
    """Find out where the numbers `x` lie along an axis."""
    p = _raw(xp, x, size, align, image)
    axis = Axis(size, None, image)
    if mode != "bicubic" and padding != "zeros":  # there each tap is moved, not the place
        if padding == "reflection":
            axis = _reflect(xp, p, axis, align)
        p = _place(xp, x, axis, align)
        if image:  # where NaN, and infinity reflected, count as under; in a volume as over
            known = p < math.inf if padding == "reflection" else p == p
            axis = axis._replace(under=~(known & (p > 0)), over=known & (p >= size - 1))
        else:
            axis = axis._replace(under=p <= 0, over=~(p < size - 1))
        p = _place(xp, x, axis, align)
    rounded = xp.round(p) if mode == "nearest" else xp.floor(p)
    far = float(2**31)
    known = xp.where(rounded == rounded, xp.clip(rounded, -far, far), -far)
    return axis._replace(base=known.astype("int64"))


def _reflect(xp, p, axis: Axis, align: bool) -> Axis:
    """Note how often, and so in which direction, the places `p` are reflected."""
    low, span = _edges(axis.size, align)
    if not span:
        zeros = xp.zeros(p.shape, "int64")
        return axis._replace(sign=zeros, turns=zeros)
    flips = xp.floor(xp.abs(p - low) / span)
    flips = xp.where(abs(flips) < 2.0**62, flips, 0).astype("int64")
    even = flips % 2 == 0
    sign = xp.where(p < low, -1, 1) * xp.where(even, 1, -1)
    return axis._replace(sign=sign, turns=xp.where(even, -flips, flips + 1))


def _place(xp, x, axis: Axis, align: bool):
    """Return the places for the numbers `x`, along `axis`."""
    p = _raw(xp, x, axis.size, align, axis.image)
    if axis.sign is not None:
        low, span = _edges(axis.size, align)
        turned = axis.turns.astype(p.dtype) * span + low
        p = axis.sign.astype(p.dtype) * (p - low) + turned
    if axis.under is not None:
        p = xp.where(axis.over, float(axis.size - 1), xp.where(axis.under, 0.0, p))
    return p


def _speed(axis: Axis, align: bool, dtype) -> Any:
    """Return how fast the place moves with the number: the derivative of `_place`."""
    factor: Any = _scale(axis.size, align)
    if axis.sign is not None:
        factor = axis.sign.astype(dtype) * factor
    if axis.under is not None:
        factor = (~(axis.under | axis.over)).astype(dtype) * factor
    return factor


# ---- what is seen there

_A = -0.75


def _near(d):
    return ((_A + 2) * d - (_A + 3)) * d * d + 1


def _far(d):
    return ((_A * d - 5 * _A) * d + 8 * _A) * d - 4 * _A


def _near_slope(d):
    return (3 * (_A + 2) * d - 2 * (_A + 3)) * d


def _far_slope(d):
    return (3 * _A * d - 10 * _A) * d + 8 * _A


WEIGHTS = {
    "nearest": ((0, lambda t: t * 0 + 1),),
    "bilinear": ((0, lambda t: 1 - t), (1, lambda t: t)),
    "bicubic": ((-1, lambda t: _far(t + 1)), (0, _near), (1, lambda t: _near(1 - t)), (2, lambda t: _far(2 - t))),
}  # fmt: skip
"""For each mode the taps: how many pixels after the one before the place, and the weight at the distance t from that."""

SLOPES = {
    "nearest": (lambda t: t * 0,),
    "bilinear": (lambda t: t * 0 - 1, lambda t: t * 0 + 1),
    "bicubic": (lambda t: _far_slope(t + 1), _near_slope, lambda t: -_near_slope(1 - t), lambda t: -_far_slope(2 - t)),
}  # fmt: skip
"""The derivatives of the weights."""


def _seen(xp, axis: Axis, step: int, mode: str, padding: str, align: bool):
    """Return the pixel `step` after the base, and whether it exists (None: they all do)."""
    pixel = axis.base + step
    if padding == "zeros":
        return pixel, (pixel >= 0) & (pixel < axis.size)
    if padding == "reflection" and mode == "bicubic":
        # in halves of pixels: `shift` from the first edge to the first pixel, `span` to the other edge
        shift, span = (0, 2 * (axis.size - 1)) if align else (1, 2 * axis.size)
        if not span:
            return pixel * 0, None
        flips, extra = divmod(abs(2 * pixel + shift), span)
        pixel = (xp.where(flips % 2 == 0, extra, span - extra) - shift) // 2
    return xp.clip(pixel, 0, axis.size - 1), None


def _combinations(xp, axes: tuple[Axis, ...], batch: int, mode: str, padding: str, align: bool) -> list[Any]:  # fmt: skip
    """Return for each combination of taps the pixels of `_lines` that it sees: whole numbers."""
    area = math.prod(a.size for a in axes)
    first = xp.arange(batch).reshape(-1, *(1,) * (axes[0].base.ndim - 1)) * area
    found = []
    seen = [[_seen(xp, a, step, mode, padding, align) for step, _ in WEIGHTS[mode]] for a in axes]
    for taps in product(*seen):
        row: Any = 0
        exists = None
        for axis, (pixel, inside) in zip(axes, taps, strict=True):
            row = row * axis.size + pixel
            exists = inside if exists is None or inside is None else exists & inside
        row = first + row
        found.append((row if exists is None else xp.where(exists, row, batch * area)).reshape(-1))
    return found


def _lines(xp, x):
    """x: (N, C, *size) -> (C, N * area + 1). The pixels of all images, channel by channel, and a pixel of zeros."""
    return xp.concatenate((_as_lines(x), xp.zeros((x.shape[1], 1), x.dtype)), 1)


def _as_lines(g):
    """g: (N, C, *out) -> (C, N * places)."""
    n, c, places = *g.shape[:2], math.prod(g.shape[2:])
    return g.reshape(n, c, places).transpose(1, 0, 2).reshape(c, n * places)


def _as_images(lines, n: int, size):
    """lines: (C, N * places) -> (N, C, *size)."""
    c, places = lines.shape[0], math.prod(size)
    return lines.reshape(c, n, places).transpose(1, 0, 2).reshape(n, c, *size)


def _weights(xp, grid, axes: tuple[Axis, ...], mode: str, align: bool):
    """Return for each axis the weights of its taps, and their derivatives by the number in the grid."""
    weights, slopes = [], []
    for i, axis in enumerate(axes):
        x = grid[..., len(axes) - 1 - i]  # the grid says (x, y), images lie as (y, x)
        t = (_place(xp, x, axis, align) - axis.base.astype(x.dtype)).reshape(-1)
        if mode == "nearest" or len(axes) == 3:  # NaN and infinity see no pixel, and spoil nothing
            t = xp.where(abs(t) < 2, t, 0)
        else:  # nor does what is further away than whole numbers reach
            t = xp.where((abs(t) >= 2) & (abs(t) < math.inf), 0, t)
        speed = _speed(axis, align, x.dtype)
        speed = speed if isinstance(speed, float) else speed.reshape(-1)
        weights.append([weight(t) for _, weight in WEIGHTS[mode]])
        slopes.append([slope(t) * speed for slope in SLOPES[mode]])
    return weights, slopes


@op(name="GridSampler2DBackward0")
def grid_sample(xp, x, grid, *, mode: str, padding: str, align: bool):
    """x: (N, C, *size), grid: (N, *out, dims) -> (N, C, *out)."""
    n, _, *size = x.shape
    out = grid.shape[1:-1]
    axes = tuple(
        _look(xp, grid[..., len(size) - 1 - i], m, mode, padding, align, len(size) == 2)
        for i, m in enumerate(size)
    )
    seen = _combinations(xp, axes, n, mode, padding, align)
    taps = range(len(WEIGHTS[mode]))
    which = list(product(taps, repeat=len(size)))

    def weighted(g, grid, xp):
        weights, _ = _weights(xp, grid, axes, mode, align)
        parts = [reduce(mul, (w[k] for w, k in zip(weights, ks, strict=True))) for ks in which]
        return [g * part for part in parts]

    def vjp_x(g):
        moved = xp.concatenate(weighted(_as_lines(g), grid, xp), 1)
        summed = add_pixels.inside(xp, moved, xp.concatenate(seen), count=n * math.prod(size) + 1)
        return _as_images(summed[:, :-1], n, size)

    def vjp_grid(g):
        weights, slopes = _weights(xp, grid, axes, mode, align)
        pixels, above = _lines(xp, x), _as_lines(g)
        d: list[Any] = [0.0] * len(size)
        for pixel, ks in zip(seen, which, strict=True):
            pull = (above * take_pixels.inside(xp, pixels, pixel)).sum(0)
            for i in range(len(size)):
                factors = [(slopes if j == i else weights)[j][k] for j, k in enumerate(ks)]
                d[i] = d[i] + pull * reduce(mul, factors)
        return xp.stack(d[::-1], 1).reshape(grid.shape)

    weights, _ = _weights(xp, grid, axes, mode, align)
    pixels = _lines(xp, x)
    y: Any = 0.0
    for pixel, ks in zip(seen, which, strict=True):
        weight = reduce(mul, (w[k] for w, k in zip(weights, ks, strict=True)))
        y = y + pixels.take(pixel, 1) * weight
    return xp.ascontiguousarray(_as_images(y, n, out)), vjp_x, vjp_grid


@op
def take_pixels(xp, lines, index):
    """lines: (C, count), index: (places,) -> (C, places)."""
    count = lines.shape[1]
    return lines.take(index, 1), lambda g: add_pixels.inside(xp, g, index, count=count), None


@op
def add_pixels(xp, values, index, *, count: int):
    """values: (C, places), index: (places,) -> (C, count). Zeros, with each column of `values` added at its number."""
    d = xp.empty((len(values), count), values.dtype)
    for line, channel in zip(d, values, strict=True):
        line[:] = xp.bincount(index, weights=channel, minlength=count)
    return d, lambda h: take_pixels.inside(xp, h, index), None


@op
def affine_grid_generator(xp, theta, *, size: tuple[int, ...], align: bool):
    """theta: (N, dims, dims + 1) -> (N, *size, dims). Where a linear map sends the pixels of an image."""
    count, flat = len(theta), math.prod(size)

    def vjp(g):
        g = g.reshape(count, flat, len(size))
        return g.transpose(0, 2, 1) @ _pixels(xp, size, align, g.dtype)

    y = _pixels(xp, size, align, theta.dtype) @ theta.transpose(0, 2, 1)
    return y.reshape(count, *size, len(size)), vjp


def _line(xp, n: int, dtype):
    """Return `n` numbers from -1 to 1, to the last digit those of ``nbmodule.linspace``: see `_raw`."""
    if n == 1:
        return xp.zeros(1, dtype)
    step = float(xp.asarray(2 / (n - 1), dtype=dtype))
    i = xp.arange(n, dtype="float64")
    return xp.asarray(
        xp.where(i < n // 2, fused(i, step, -1.0), fused(n - 1 - i, -step, 1.0)), dtype=dtype
    )


def _pixels(xp, size: tuple[int, ...], align: bool, dtype):
    """Return (x, y, ..., 1) for each pixel, from -1 to 1: (pixels, dims + 1)."""
    columns = [xp.ones(size, dtype)]
    for axis, n in enumerate(size):
        line = _line(xp, n, dtype)
        line = line if align else line * (n - 1) / n
        shape = [n if i == axis else 1 for i in range(len(size))]
        columns.insert(0, xp.broadcast_to(line.reshape(shape), size))
    return xp.stack([xp.asarray(c, dtype=dtype).reshape(-1) for c in columns], -1)
