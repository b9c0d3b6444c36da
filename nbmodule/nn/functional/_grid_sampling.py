"""Sampling images at the points of a grid, and making such grids.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#vision-functions
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..._engine import renamed
from ..._errors import batches_text
from ..._functions._arguments import as_index
from ..._methods.common import not_implemented
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import grid_sampling as g
from ..._ops.sliding import as_size
from ..._tensor import Tensor

MODES = ("bilinear", "nearest", "bicubic")
PADDING = ("zeros", "border", "reflection")
"""In the order of PyTorch's numbers for them."""

GRID_SAMPLE_INTERPOLATION_MODES = {name: number for number, name in enumerate(MODES)}
GRID_SAMPLE_PADDING_MODES = {name: number for number, name in enumerate(PADDING)}

_DEFAULT = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)


def grid_sample(input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None) -> Tensor:  # fmt: skip
    """Read images at the places that a grid says, with interpolation.

    A place is given as numbers from -1 to 1 for each axis, the last axis first: (x, y) or (x, y, z).

    Args:
        input: (N, C, H, W) or (N, C, D, H, W)
        grid: (N, oh, ow, 2) or (N, od, oh, ow, 3)
        mode: "bilinear" (in volumes: trilinear), "nearest", or "bicubic" for images.
        padding_mode: what lies outside: "zeros", the nearest pixel of the "border", or a "reflection".
        align_corners: whether -1 and 1 are the centres of the outer pixels, or their outer edges.

    Returns:
        (N, C, oh, ow) or (N, C, od, oh, ow)

    Raises:
        ValueError: there is no such mode.
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html and Jaderberg et al.,
        "Spatial Transformer Networks", 2015, https://arxiv.org/abs/1506.02025

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> grid = nbmodule.tensor([[[[-1.0, -1.0], [0.0, 0.0], [1.0, 0.0]]]])
        >>> nbmodule.nn.functional.grid_sample(x, grid, align_corners=True)
        tensor([[[[1.0000, 2.5000, 3.0000]]]])
    """
    if mode not in MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
            f"'{mode}'"
        )
    if padding_mode not in PADDING:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warnings.warn(_DEFAULT, stacklevel=2)
        align_corners = False
    numbers = MODES.index(mode), PADDING.index(padding_mode)
    return grid_sampler(input, grid, *numbers, align_corners)


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Return where linear maps send the pixels of an image: a grid for `grid_sample`.

    Pixel (x, y), with numbers from -1 to 1, comes from ``theta @ (x, y, 1)``.

    Args:
        theta: (N, 2, 3) or (N, 3, 4), a matrix for each image or volume.
        size: of the images, (N, C, H, W) or (N, C, D, H, W).
        align_corners: whether -1 and 1 are the centres of the outer pixels, or their outer edges.

    Returns:
        (N, H, W, 2) or (N, D, H, W, 3)

    Raises:
        ValueError: `theta` is not of floating point, or does not fit to `size`.
        NotImplementedError: `size` has another length.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.affine_grid.html

    Example:
        >>> import nbmodule
        >>> double = nbmodule.tensor([[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]])
        >>> nbmodule.nn.functional.affine_grid(double, (1, 1, 1, 3), align_corners=False).shape
        nbmodule.Size([1, 1, 3, 2])
    """
    if align_corners is None:
        warnings.warn(_DEFAULT, stacklevel=2)
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    dims = len(size) - 2
    if dims not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (dims, dims + 1):
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. Got "
            f"{theta.shape}."
        )
    if align_corners and min(size[-dims:]) == 1:
        warnings.warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
            stacklevel=2,
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return affine_grid_generator(theta, size, align_corners)


# ---- the forms at the top level


@pytorch_errors
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:  # fmt: skip
    """Do what `nbmodule.nn.functional.grid_sample` does, with numbers in the place of names.

    Args:
        input: (N, C, H, W) or (N, C, D, H, W)
        grid: (N, oh, ow, 2) or (N, od, oh, ow, 3)
        interpolation_mode: 0 for bilinear, 1 for nearest, 2 for bicubic.
        padding_mode: 0 for zeros, 1 for border, 2 for reflection.
        align_corners: whether -1 and 1 are the centres of the outer pixels, or their outer edges.

    Returns:
        (N, C, oh, ow) or (N, C, od, oh, ow)

    Raises:
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[[[1.0, 3.0]]]])
        >>> nbmodule.grid_sampler(x, nbmodule.zeros(1, 1, 1, 2), 0, 0, False)
        tensor([[[[2.]]]])
    """
    _check(input, grid)
    dims = 2 if input.dim() == 4 else 3
    return _sample(input, grid, interpolation_mode, padding_mode, align_corners, dims)


@pytorch_errors
def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:  # fmt: skip
    """Do what `grid_sampler` does, for images.

    Args:
        input: (N, C, H, W)
        grid: (N, oh, ow, 2)
        interpolation_mode: as in `grid_sampler`, and so are the others.
        padding_mode: a number.
        align_corners: True or False.

    Returns:
        (N, C, oh, ow)

    Raises:
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[[[1.0, 3.0]]]])
        >>> nbmodule.grid_sampler_2d(x, nbmodule.ones(1, 1, 1, 2), 1, 0, True)
        tensor([[[[3.]]]])
    """
    _check(input, grid)
    return _sample(input, grid, interpolation_mode, padding_mode, align_corners, 2)


@pytorch_errors
def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:  # fmt: skip
    """Do what `grid_sampler` does, for volumes.

    Args:
        input: (N, C, D, H, W)
        grid: (N, od, oh, ow, 3)
        interpolation_mode: as in `grid_sampler`, and so are the others.
        padding_mode: a number.
        align_corners: True or False.

    Returns:
        (N, C, od, oh, ow)

    Raises:
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[[[[1.0, 3.0]]]]])
        >>> nbmodule.grid_sampler_3d(x, nbmodule.zeros(1, 1, 1, 1, 3), 0, 0, False)
        tensor([[[[[2.]]]]])
    """
    _check(input, grid)
    return _sample(input, grid, interpolation_mode, padding_mode, align_corners, 3)


def _check(input: Tensor, grid: Tensor) -> None:
    if not input.dim() or not grid.dim():
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    shown = f"input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
    if input.shape[:1] != grid.shape[:1]:
        raise RuntimeError(
            f"grid_sampler(): expected grid and input to have same batch size, but got {shown}"
        )
    if grid.shape[-1] != input.dim() - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.dim() - 2} in last dimension, but got grid with "
            f"sizes {list(grid.shape)}"
        )
    for place in range(2, input.dim()):
        if not input.shape[place]:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {place} being empty"
            )


def _sample(input: Tensor, grid: Tensor, mode: Any, padding: Any, align: Any, dims: int) -> Tensor:
    mode, padding = as_index(mode), as_index(padding)
    if align is not True and align is not False:
        raise TypeError("align_corners must be bool")
    if input.dim() != dims + 2 or input.dim() != grid.dim():
        raise RuntimeError(
            f"grid_sampler(): expected {dims + 2}D input and grid with same number of dimensions, but got input with "
            f"sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if dims == 3 and mode == 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    whole = input._array.dtype.kind != "f"
    if not input.shape[0] and (
        whole or input.dtype is not grid.dtype
    ):  # there is nothing to refuse
        return input.new_zeros((*input.shape[:2], *grid.shape[1:-1]))
    if whole:
        kernel = "grid_sampler_2d_cpu_kernel_impl" if dims == 2 else "grid_sampler3d_cpu"
        raise not_implemented(kernel, input)
    if input._array.dtype != grid._array.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype.scalar_name} but found {grid.dtype.scalar_name}"
        )
    out = g.grid_sample(input, grid, mode=MODES[mode], padding=PADDING[padding], align=align)
    return renamed(out, f"GridSampler{dims}DBackward0")


_RANGE = "Dimension out of range (expected to be in range of"


@pytorch_errors
def affine_grid_generator(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """Return where linear maps send the pixels of an image, as `nbmodule.nn.functional.affine_grid` does.

    Args:
        theta: (N, 2, 3) or (N, 3, 4), a matrix for each image.
        size: (N, C, H, W) or (N, C, D, H, W) of the images.
        align_corners: whether -1 and 1 are the centres of the outer pixels, or their outer edges.

    Returns:
        (N, H, W, 2) or (N, D, H, W, 3)

    Raises:
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.affine_grid.html

    Example:
        >>> import nbmodule
        >>> theta = nbmodule.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> nbmodule.affine_grid_generator(theta, (1, 1, 1, 2), False)
        tensor([[[[-0.5000,  0.0000],
                  [ 0.5000,  0.0000]]]])
    """
    if align_corners is not True and align_corners is not False:
        raise TypeError("align_corners must be bool")
    n, *rest = as_size(size) or (0,)
    dims = len(rest) - 1
    if dims not in (2, 3):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    grid = [n, *rest[1:], dims + 1]
    if min(grid) < 0:
        least = next(m for m in grid if m < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {least}: {grid}")
    if theta._array.dtype.kind == "b":
        raise not_implemented("linspace_cpu", theta)
    if theta.dim() < 2:
        raise IndexError(f"{_RANGE} [-1, 0], but got 1)")
    if theta.dim() == 2:
        raise IndexError(f"{_RANGE} [-2, 1], but got 2)")
    if theta.dim() > 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    if theta.shape[0] != n or theta.shape[2] != dims + 1:
        raise RuntimeError(batches_text([n, dims + 1], [theta.shape[0], theta.shape[2]]))
    return g.affine_grid_generator(theta, size=tuple(rest[1:]), align=align_corners)


for _function in (affine_grid_generator, grid_sampler, grid_sampler_2d, grid_sampler_3d):
    _function.__module__ = "nbmodule"
