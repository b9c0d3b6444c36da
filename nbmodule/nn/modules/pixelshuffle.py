"""Layers that make pixels of channels, and channels of pixels.

Source: https://docs.pytorch.org/docs/stable/nn.html#vision-layers
"""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """Makes blocks of r by r pixels of r * r channels; see Shi et al., 2016, https://arxiv.org/abs/1609.05158.

    Args:
        upscale_factor: r

    Shape:
        (*, C * r * r, H, W) -> (*, C, H * r, W * r)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.PixelShuffle.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.PixelShuffle(2)(nbmodule.arange(4.0).reshape(4, 1, 1))
        tensor([[[0., 1.],
                 [2., 3.]]])
    """

    __constants__ = ["upscale_factor"]
    upscale_factor: int

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the larger images."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Makes r * r channels of blocks of r by r pixels: the inverse of `PixelShuffle`.

    Args:
        downscale_factor: r

    Shape:
        (*, C, H * r, W * r) -> (*, C * r * r, H, W)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.PixelUnshuffle.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.PixelUnshuffle(2)(nbmodule.zeros(1, 1, 12, 12)).shape
        nbmodule.Size([1, 4, 6, 6])
    """

    __constants__ = ["downscale_factor"]
    downscale_factor: int

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the smaller images with more channels."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"downscale_factor={self.downscale_factor}"
