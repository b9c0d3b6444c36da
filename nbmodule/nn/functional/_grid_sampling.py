"""Reading images at the places of a grid, as functions; `nbmodule.nn.functional` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#vision-functions
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from ..._tensor import Tensor
from ._native.grid_sampling import MODES, PADDING, affine_grid_generator, grid_sampler

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
