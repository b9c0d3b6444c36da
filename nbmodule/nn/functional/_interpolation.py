"""Resizing: which elements an output is mixed from, and `interpolate`, which chooses how.

Output i lies at ``(i + 0.5) * scale - 0.5`` in the input, where pixels are squares; with `align_corners`, where they are
points, at ``i * scale``. Positions are computed in the type that PyTorch computes them in: rounding decides which
pixel is the nearest. Each mode makes an `AxisMap` for each axis.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#vision-functions; Keys, "Cubic convolution
interpolation for digital image processing", 1981; Turkowski, "Filters for common resampling tasks", 1990.
"""

from __future__ import annotations

import math
import warnings
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np

from ..._backend import namespace_of
from ..._engine import renamed, wrap
from ..._errors import invalid_call, name_of_type
from ..._methods.common import not_implemented
from ..._ops.resampling import AxisMap, resample
from ..._tensor import Tensor
from ..common_types import _ratio_any_t, _size_any_t
from ._adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

_PLAIN = ("nearest", "area", "nearest-exact")
_DIMENSIONS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5, "lanczos": 4}
_TOLD = ("linear", "bilinear", "trilinear")  # of which PyTorch says what input they need
_AREA = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}


def _is_integer(x: Any) -> bool:
    """Return whether `x` is a whole number, of Python, NumPy, or in a tensor."""
    return isinstance(x, (int, np.integer)) or (isinstance(x, Tensor) and not x.is_floating_point())


def interpolate(input: Tensor, size: _size_any_t | None = None, scale_factor: _ratio_any_t | None = None, mode: str = "nearest", align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:  # fmt: skip
    """Resize signals, images or volumes.

    Output i lies at ``(i + 0.5) / scale - 0.5`` in the input, or with `align_corners` at ``i * (n - 1) / (m - 1)`` of
    n elements that become m; it is the nearest element, or a weighted sum of elements near it.

    Args:
        input: (N, C, L), (N, C, H, W) or (N, C, D, H, W)
        size: of the result, one number or one for each axis.
        scale_factor: in its place, how much longer the axes get, likewise.
        mode: "nearest", "nearest-exact", "area" (means of windows), "linear" (3-D input), "bilinear", "bicubic",
            "lanczos" (4-D) or "trilinear" (5-D).
        align_corners: whether the centres of the first and the last elements stay where they are.
        recompute_scale_factor: compute the scale from the rounded size of the result.
        antialias: widen the filter where the image gets smaller; for "bilinear", "bicubic" and "lanczos".

    Returns:
        (N, C, *size), where a size is ``floor(n * scale_factor)`` unless given.

    Raises:
        ValueError: arguments contradict each other.
        NotImplementedError: the mode needs an input of other dimensions, or other numbers.
        RuntimeError: a size is 0.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[[1.0, 2.0, 4.0]]])
        >>> nbmodule.nn.functional.interpolate(x, scale_factor=2, mode="linear")
        tensor([[[1.0000, 1.2500, 1.7500, 2.5000, 3.5000, 4.0000]]])
        >>> nbmodule.nn.functional.interpolate(x, size=5)
        tensor([[[1., 1., 2., 2., 4.]]])
    """
    mode = mode if isinstance(mode, str) else str(mode)
    if mode in _PLAIN:
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
                "trilinear"
            )
    elif align_corners is None:
        align_corners = False
    dims = input.dim()
    output_size, factors = _given(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if recompute_scale_factor or (mode == "area" and output_size is None):
        output_size = [int(n * f) for n, f in zip(input.shape[2:], factors, strict=True)]
        factors = None
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and dims == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as "
            "input"
        )
    if dims in (3, 4, 5) and mode in ("nearest", "nearest-exact"):
        return _nearest(input, output_size, factors, mode == "nearest-exact")
    if dims in (3, 4, 5) and mode == "area":
        return _AREA[dims](input, output_size)
    if _DIMENSIONS.get(mode) == dims:
        if mode == "lanczos":
            _check_lanczos(align_corners, antialias)
        return _smooth(input, output_size, align_corners, factors, mode, antialias)  # type: ignore[arg-type]
    if dims in (3, 4, 5) and mode in _TOLD:
        raise NotImplementedError(
            f"Got {dims}D input, but {mode} mode needs {_DIMENSIONS[mode]}D input"
        )
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {dims}D) for the modes: nearest | linear | "
        f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


def _check_lanczos(align_corners: Any, antialias: bool) -> None:
    if align_corners:
        raise ValueError("Lanczos mode does not support align_corners=True")
    if not antialias:
        raise ValueError("Lanczos mode requires antialias=True")


def _given(input: Tensor, size: Any, scale_factor: Any) -> tuple[Any, Any]:
    """Return the size and the factors for each axis; one of the two is None."""
    dims, spatial = input.dim() - 2, list(input.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if not isinstance(size, (list, tuple)):
            return [size] * dims, None
        if len(size) != dims:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {spatial} and output size of {size}. Please provide input tensor in (N, C, d1, d2, "
                "...,dK) format and output size in (o1, o2, ...,oK) format."
            )
        if not all(map(_is_integer, size)):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got "
                f"size with types {[type(x) for x in size]}"
            )
        return size, None
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if not isinstance(scale_factor, (list, tuple)):
        return None, [scale_factor] * dims
    if len(scale_factor) != dims:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {spatial} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, "
            "C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
        )
    return None, scale_factor


def _warn(name: str) -> None:
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=3,
    )


def upsample(input: Tensor, size: _size_any_t | None = None, scale_factor: _ratio_any_t | None = None, mode: str = "nearest", align_corners: bool | None = None) -> Tensor:  # fmt: skip
    """Do what `interpolate` does, under an older name, with a warning.

    Args:
        input: (N, C, L), (N, C, H, W) or (N, C, D, H, W)
        size: of the result.
        scale_factor: in its place, how much longer the axes get.
        mode: as in `interpolate`.
        align_corners: as in `interpolate`.

    Returns:
        (N, C, *size)

    Raises:
        ValueError: arguments contradict each other.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.upsample.html

    Example:
        >>> import nbmodule, warnings
        >>> warnings.simplefilter("ignore")
        >>> nbmodule.nn.functional.upsample(nbmodule.tensor([[[1.0, 2.0]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])
    """
    _warn("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: _size_any_t | None = None, scale_factor: _ratio_any_t | None = None) -> Tensor:  # fmt: skip
    """Do what ``interpolate(..., mode="nearest")`` does, with a warning.

    Args:
        input: (N, C, L), (N, C, H, W) or (N, C, D, H, W)
        size: of the result.
        scale_factor: in its place, how much longer the axes get.

    Returns:
        (N, C, *size)

    Raises:
        ValueError: arguments contradict each other.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.upsample_nearest.html

    Example:
        >>> import nbmodule, warnings
        >>> warnings.simplefilter("ignore")
        >>> nbmodule.nn.functional.upsample_nearest(nbmodule.tensor([[[1.0, 2.0]]]), size=3)
        tensor([[[1., 1., 2.]]])
    """
    _warn("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: _size_any_t | None = None, scale_factor: _ratio_any_t | None = None) -> Tensor:  # fmt: skip
    """Do what ``interpolate(..., mode="bilinear", align_corners=True)`` does, with a warning.

    Args:
        input: (N, C, H, W)
        size: of the result, one number or (height, width).
        scale_factor: in its place, how much longer the axes get.

    Returns:
        (N, C, height, width)

    Raises:
        ValueError: arguments contradict each other.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.upsample_bilinear.html

    Example:
        >>> import nbmodule, warnings
        >>> warnings.simplefilter("ignore")
        >>> nbmodule.nn.functional.upsample_bilinear(nbmodule.tensor([[[[0.0, 2.0]]]]), size=(1, 3))
        tensor([[[[0., 1., 2.]]]])
    """
    _warn("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


# ---- the modes

_AXES = {1: "W", 2: "HW", 3: "DHW"}
_KERNELS = {
    "linear": "compute_indices_weights_linear",
    "bilinear": "upsample_bilinear2d_channels_last",
    "trilinear": "compute_indices_weights_linear",
    "bicubic": "compute_indices_weights_cubic",
    "antialias": "compute_index_ranges_weights",
}
"""What PyTorch names when it refuses a type."""
_NAMES = {"linear": "Linear", "bilinear": "Bilinear", "trilinear": "Trilinear", "bicubic": "Bicubic", "lanczos": "Lanczos"}  # fmt: skip


def _nearest(input: Tensor, output_size: Any, scale_factors: Any, exact: bool = False) -> Tensor:
    """Take for each output the nearest element: (N, C, *size) -> (N, C, *out)."""
    dims = input.dim() - 2
    name = f"_upsample_nearest_exact{dims}d" if exact else f"upsample_nearest{dims}d"
    size, factors = _sizes(name, input, output_size, scale_factors)
    refused = "compute_indices_weights_nearest"
    if dims == 2:
        refused = "upsample_nearest2d_channels_last"
    kind = _kind(input, refused)
    if input._array.dtype.kind == "i":
        raise not_implemented(refused, input)
    maps = tuple(
        _nearest_map(n, m, f, exact, dims == 2, kind)
        for n, m, f in zip(input.shape[2:], size, factors, strict=True)
    )
    back = ()
    if dims != 2 and not exact and output_size is None:  # the gradient forgets factors near 1 and 2
        back = tuple(
            _nearest_map(n, m, None if m in (n, 2 * n) else f, exact, False, kind)
            for n, m, f in zip(input.shape[2:], size, factors, strict=True)
        )
    node = f"UpsampleNearest{'Exact' if exact else ''}{dims}DBackward0"
    return renamed(resample(input, maps=maps, back=back), node)


def _smooth(input: Tensor, output_size: Any, align_corners: bool, scale_factors: Any, mode: str, antialias: bool = False) -> Tensor:  # fmt: skip
    """Mix for each output elements near it: (N, C, *size) -> (N, C, *out)."""
    dims, tail = input.dim() - 2, "_aa" if antialias else ""
    name = f"{'_' * antialias}upsample_{mode}{dims}d{tail}"
    size, factors = _sizes(name, input, output_size, scale_factors, align_corners)
    refused = _KERNELS["antialias" if antialias else mode]
    if antialias and size == input.shape[2:]:  # a copy, whatever it holds
        return renamed(input.clone(), f"Upsample{_NAMES[mode]}{dims}DAaBackward0")
    kind = _kind(input, refused)
    if input._array.dtype.kind == "i" or (antialias and input._array.dtype == "float16"):
        raise not_implemented(refused, input)
    if input._array.dtype == "uint8":
        kind = np.float64
    maps = tuple(
        _axis_map(n, m, f, align_corners, mode, antialias, kind)
        for n, m, f in zip(input.shape[2:], size, factors, strict=True)
    )
    if input._array.dtype == "uint8":
        if dims != 2:
            raise not_implemented(refused, input)
        return _rounded(input, maps)
    node = f"Upsample{_NAMES[mode]}{dims}D{'Aa' * antialias}Backward0"
    if input._array.dtype == "float16":
        return renamed(resample(input.float(), maps=maps).half(), node)
    return renamed(resample(input, maps=maps), node)


def _axis_map(size: int, count: int, factor: Any, align_corners: bool, mode: str, antialias: bool, kind: Any) -> AxisMap | None:  # fmt: skip
    if antialias:
        return _antialiased_map(size, count, factor, align_corners, mode, kind)
    make = _cubic_map if mode == "bicubic" else _linear_map
    return make(size, count, factor, align_corners, kind)


def _kind(input: Tensor, refused: str) -> Any:
    """Return the type that places and weights are computed in."""
    if input._array.dtype.kind == "b":
        raise not_implemented(refused, input)
    return np.float64 if input._array.dtype == "float64" else np.float32


def _sizes(name: str, input: Tensor, output_size: Any, scale_factors: Any, *flag: Any) -> tuple[Any, Any]:  # fmt: skip
    """Return the size of the result along each axis, and the factors that were asked for, or None.

    Raises:
        TypeError: they are no numbers.
        RuntimeError: a size is 0, or out of reach.
    """
    dims = input.dim() - 2
    try:
        if flag and type(flag[0]) is not bool:
            raise TypeError("not a bool")
        if output_size is not None:
            if any(isinstance(n, (bool, float)) for n in output_size):
                raise TypeError("not a tuple of ints")
            size: Any = tuple(map(index, output_size))
            factors: Any = (None,) * dims
        else:
            if not all(isinstance(f, (int, float)) for f in scale_factors):
                raise TypeError("not a tuple of floats")
            factors = tuple(map(float, scale_factors))
            reached = [n * f for n, f in zip(input.shape[2:], factors, strict=True)]
            if not all(abs(r) < 2**63 for r in reached):
                raise RuntimeError("value cannot be converted to type int64_t without overflow")
            size = tuple(map(int, reached))
    except TypeError:
        if (
            flag[:1] in ((), (True,), (False,))
            and output_size is None
            and isinstance(scale_factors[0], (int, float))
        ):
            at, value = next((i, f) for i, f in enumerate(scale_factors, 1) if not isinstance(f, (int, float)))  # fmt: skip
            raise TypeError(
                f"{name}(): argument 'scale_factors' must be tuple of floats, but found element of type "
                f"{name_of_type(value)} at pos {at}"
            ) from None
        raise invalid_call(name, (input, output_size, *flag, scale_factors), {}) from None
    if min((*input.shape[2:], *size)) <= 0:
        before, after = (
            ", ".join(f"{a}: {n}" for a, n in zip(_AXES[dims], s, strict=True))
            for s in (input.shape[2:], size)
        )
        between = ") and output (" if dims == 1 else ") output ("
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({before}{between}{after})"
        )
    if not input.shape[1]:
        raise RuntimeError(
            f"Non-empty {dims + 2}D data tensor expected but got a tensor with sizes {list(input.shape)}"
        )
    return size, factors


def _rounded(input: Tensor, maps: tuple[AxisMap | None, ...]) -> Tensor:
    """Resize an image of bytes: one axis after the other, with whole weights, each rounded to bytes."""
    xp = namespace_of[type(input._array)]
    x = input._array
    for place in reversed(range(len(maps))):
        axis_map = maps[place]
        if axis_map is None:
            continue
        whole, bits = _in_bytes(axis_map)
        only = tuple(whole if i == place else None for i in range(len(maps)))
        mixed = resample(wrap(x.astype("int32")), maps=only)._array
        x = xp.clip((mixed + (1 << (bits - 1))) >> bits, 0, 255).astype("uint8")
    return input.clone() if x is input._array else wrap(x)


# ---- which elements an output is mixed from

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
def _nearest_map(size: int, count: int, factor: float | None, exact: bool, image: bool, kind: Any) -> AxisMap | None:  # fmt: skip
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
def _linear_map(size: int, count: int, factor: float | None, align_corners: bool, kind: Any) -> AxisMap | None:  # fmt: skip
    """Mix the two neighbours of each output, by their distance."""
    if size == count:
        return None
    at = np.maximum(_positions(size, count, align_corners, factor, kind), 0)
    low = np.minimum(at.astype(np.int64), size - 1)
    high = np.minimum(low + 1, size - 1)
    part = np.clip(at - low.astype(kind), 0, 1).astype(kind)
    return AxisMap(size, np.stack([low, high]), np.stack([1 - part, part]))


@lru_cache(128)
def _cubic_map(
    size: int, count: int, factor: float | None, align_corners: bool, kind: Any
) -> AxisMap:
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
def _antialiased_map(size: int, count: int, factor: float | None, align_corners: bool, mode: str, kind: Any) -> AxisMap:  # fmt: skip
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


def _in_bytes(m: AxisMap) -> tuple[AxisMap, int]:
    """Return the map with weights that are whole numbers, and the power of two that they are multiples by."""
    bits, largest = 0, float(np.abs(m.weight).max())
    while bits < 22 and int(0.5 + largest * (1 << (bits + 1))) < 1 << 15:
        bits += 1
    weight = np.trunc(m.weight * (1 << bits) + np.copysign(0.5, m.weight)).astype(np.int32)
    return AxisMap(m.size, m.index, weight), bits
