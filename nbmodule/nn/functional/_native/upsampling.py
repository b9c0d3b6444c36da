"""Resizing signals, images and volumes: the builtin functions that `interpolate` chooses from.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html
"""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from ...._backend import namespace_of
from ...._engine import renamed, wrap
from ...._errors import invalid_call, name_of_type
from ...._ops.resampling import AxisMap, resample
from ...._tensor import Tensor
from . import resize_maps
from .pool_checks import not_implemented

_AXES = {1: "W", 2: "HW", 3: "DHW"}
_NAMES = {"linear": "Linear", "bilinear": "Bilinear", "trilinear": "Trilinear", "bicubic": "Bicubic", "lanczos": "Lanczos"}  # fmt: skip


def nearest(input: Tensor, output_size: Any, scale_factors: Any, exact: bool = False) -> Tensor:
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
        resize_maps.nearest(n, m, f, exact, dims == 2, kind)
        for n, m, f in zip(input.shape[2:], size, factors, strict=True)
    )
    back = ()
    if dims != 2 and not exact and output_size is None:  # the gradient forgets factors near 1 and 2
        back = tuple(
            resize_maps.nearest(n, m, None if m in (n, 2 * n) else f, exact, False, kind)
            for n, m, f in zip(input.shape[2:], size, factors, strict=True)
        )
    node = f"UpsampleNearest{'Exact' if exact else ''}{dims}DBackward0"
    return renamed(resample(input, maps=maps, back=back), node)


def smooth(input: Tensor, output_size: Any, align_corners: bool, scale_factors: Any, mode: str, antialias: bool = False) -> Tensor:  # fmt: skip
    """Mix for each output elements near it: (N, C, *size) -> (N, C, *out)."""
    dims, tail = input.dim() - 2, "_aa" if antialias else ""
    name = f"{'_' * antialias}upsample_{mode}{dims}d{tail}"
    size, factors = _sizes(name, input, output_size, scale_factors, align_corners)
    refused = "upsample_bilinear2d_channels_last" if mode == "bilinear" else "compute_indices_weights_cubic" if mode == "bicubic" else "compute_indices_weights_linear"  # fmt: skip
    if antialias:
        refused = "compute_index_ranges_weights"
        if size == tuple(input.shape[2:]):  # a copy, whatever it holds
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
        return resize_maps.antialiased(size, count, factor, align_corners, mode, kind)
    make = resize_maps.cubic if mode == "bicubic" else resize_maps.linear
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
            at, found = next((i, f) for i, f in enumerate(scale_factors, 1) if not isinstance(f, (int, float)))  # fmt: skip
            raise TypeError(
                f"{name}(): argument 'scale_factors' must be tuple of floats, but found element of type "
                f"{name_of_type(found)} at pos {at}"
            ) from None
        raise invalid_call(name, (input, output_size, *flag, scale_factors), {}) from None
    before, after = (
        ", ".join(f"{a}: {n}" for a, n in zip(_AXES[dims], s, strict=True))
        for s in (input.shape[2:], size)
    )
    if min((*input.shape[2:], *size)) <= 0:
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
        whole, bits = resize_maps.in_bytes(axis_map)
        only = tuple(whole if i == place else None for i in range(len(maps)))
        mixed = resample(wrap(x.astype("int32")), maps=only)._array
        x = xp.clip((mixed + (1 << (bits - 1))) >> bits, 0, 255).astype("uint8")
    return input.clone() if x is input._array else wrap(x)
