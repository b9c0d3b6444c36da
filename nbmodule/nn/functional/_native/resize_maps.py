"""How the modes of `interpolate` mix elements: an `AxisMap` for each axis.

Output i lies at ``(i + 0.5) * scale - 0.5`` in the input, where pixels are squares; with `align_corners`, where they are
points, at ``i * scale``. Positions are computed in the type that PyTorch computes them in: rounding decides which
pixel is the nearest.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html; Keys, "Cubic
convolution interpolation for digital image processing", 1981; Turkowski, "Filters for common resampling tasks", 1990.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ...._ops.resampling import AxisMap

_A = -0.75
"""The parameter of the cubic kernel; with antialias it is -0.5, as in Pillow."""


def _scale(size: int, count: int, align_corners: bool, factor: float | None, kind: Any) -> Any:
    """Return how far apart neighbouring outputs lie in the input."""
    if align_corners:
        return kind(size - 1) / kind(count - 1) if count > 1 else kind(0)
    if factor is not None and factor > 0:
        return kind(1.0 / factor)
    return kind(size) / kind(count)


def _positions(size: int, count: int, align_corners: bool, factor: float | None, kind: Any) -> Any:
    """Return where in the input each output lies."""
    scale, i = _scale(size, count, align_corners, factor, kind), np.arange(count, dtype=kind)
    return scale * i if align_corners else scale * (i + kind(0.5)) - kind(0.5)


@lru_cache(128)
def nearest(size: int, count: int, factor: float | None, exact: bool, image: bool, kind: Any) -> AxisMap | None:  # fmt: skip
    """Take one element: the one whose square an output begins in, or (`exact`) has its middle in."""
    if size == count and not (factor and (exact or not image)):
        return None
    if image and not exact and count == 2 * size:  # whatever the factor is that led to this size
        factor = None
    scale = _scale(size, count, False, factor, kind)
    i = np.arange(count, dtype=kind) + kind(0.5 if exact else 0)
    place = np.floor(np.float32(1) * (i * scale)).astype(np.int64)
    return AxisMap(size, np.clip(place, 0, size - 1)[None])


@lru_cache(128)
def linear(size: int, count: int, factor: float | None, align_corners: bool, kind: Any) -> AxisMap | None:  # fmt: skip
    """Mix the two neighbours of each output, by their distance."""
    if size == count:
        return None
    at = np.maximum(_positions(size, count, align_corners, factor, kind), 0)
    low = np.minimum(at.astype(np.int64), size - 1)
    high = np.minimum(low + 1, size - 1)
    part = np.clip(at - low.astype(kind), 0, 1).astype(kind)
    return AxisMap(size, np.stack([low, high]), np.stack([1 - part, part]))


@lru_cache(128)
def cubic(size: int, count: int, factor: float | None, align_corners: bool, kind: Any) -> AxisMap:
    """Mix the four neighbours of each output; what lies outside is the pixel at the edge."""
    at = _positions(size, count, align_corners, factor, kind)
    low = np.minimum(np.floor(at).astype(np.int64), size - 1)
    part = np.clip(at - low.astype(kind), 0, 1).astype(kind)
    taps = np.arange(-1, 3)[:, None]
    distance = np.abs(taps.astype(kind) - part)
    return AxisMap(size, np.clip(low + taps, 0, size - 1), _cubic_kernel(distance, kind(_A)))


def _cubic_kernel(d: Any, a: Any) -> Any:
    """Return the weight of an element at the distance `d`, up to 2."""
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0)).astype(d.dtype)


def _triangle(d: Any) -> Any:
    return np.maximum(1 - d, 0)


def _lanczos(d: Any) -> Any:
    return np.where(d < 3, np.sinc(d) * np.sinc(d / 3), 0)


_FILTERS = {
    "bilinear": (2, _triangle),
    "bicubic": (4, lambda d: _cubic_kernel(d, d.dtype.type(-0.5))),
    "lanczos": (6, _lanczos),
}
"""For each mode with antialias how many elements its filter sees, and the filter."""


@lru_cache(128)
def antialiased(size: int, count: int, factor: float | None, align_corners: bool, mode: str, kind: Any) -> AxisMap:  # fmt: skip
    """Mix all elements under a filter that is as much wider as the image gets smaller."""
    width, weigh = _FILTERS[mode]
    scale = _scale(size, count, align_corners, factor, kind)
    wider = max(scale, kind(1))
    support = kind(width * 0.5) * wider
    centre = scale * (np.arange(count, dtype=kind) + kind(0.5))
    low = np.maximum((centre - support + kind(0.5)).astype(np.int64), 0)
    high = np.minimum((centre + support + kind(0.5)).astype(np.int64), size)
    length = np.minimum(high - low, math.ceil(support) * 2 + 1)
    taps = np.arange(max(int(length.max()), 1))[:, None]
    place = low + taps
    weight = weigh(np.abs((place.astype(kind) - centre + kind(0.5)) / wider))
    weight = np.where(taps < length, weight, 0)
    total = weight.sum(0)
    weight = weight / np.where(total == 0, 1, total)
    return AxisMap(size, np.clip(place, 0, size - 1), weight.astype(kind))


def in_bytes(m: AxisMap) -> tuple[AxisMap, int]:
    """Return the map with weights that are whole numbers, and the power of two that they are multiples by."""
    bits, largest = 0, float(np.abs(m.weight).max())
    while bits < 22 and int(0.5 + largest * (1 << (bits + 1))) < 1 << 15:
        bits += 1
    weight = np.trunc(m.weight * (1 << bits) + np.copysign(0.5, m.weight)).astype(np.int32)
    return AxisMap(m.size, m.index, weight), bits
