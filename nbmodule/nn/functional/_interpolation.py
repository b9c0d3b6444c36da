"""Resizing, as functions; `nbmodule.nn.functional` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#vision-functions
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..._tensor import Tensor
from ._native import upsampling
from ._pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

_PLAIN = ("nearest", "area", "nearest-exact")
_DIMENSIONS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5, "lanczos": 4}
_TOLD = ("linear", "bilinear", "trilinear")  # of which PyTorch says what input they need
_AREA = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}


def _is_integer(x: Any) -> bool:
    """Return whether `x` is a whole number, of Python, NumPy, or in a tensor."""
    return isinstance(x, (int, np.integer)) or (isinstance(x, Tensor) and not x.is_floating_point())


def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:  # fmt: skip
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
        return upsampling.nearest(input, output_size, factors, mode == "nearest-exact")
    if dims in (3, 4, 5) and mode == "area":
        return _AREA[dims](input, output_size)
    if _DIMENSIONS.get(mode) == dims:
        if mode == "lanczos":
            _check_lanczos(align_corners, antialias)
        return upsampling.smooth(input, output_size, align_corners, factors, mode, antialias)  # type: ignore[arg-type]
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


def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None) -> Tensor:  # fmt: skip
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


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
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


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
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
