"""Layers between images and the columns that windows make of them.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Unfold.html
"""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from ..common_types import _size_any_t
from .module import Module

__all__ = ["Fold", "Unfold"]


class Fold(Module):
    """Puts columns back to where `Unfold` took them from, and adds up where windows overlap (col2im).

    Args:
        output_size: the size of the images, one number or (height, width).
        kernel_size: the size of the windows, likewise.
        dilation: the distance between the pixels of a window.
        padding: zeros that were around the images.
        stride: the distance between windows.

    Shape:
        (N, C * kh * kw, L) or (C * kh * kw, L), where L is the number of windows -> (N, C, height, width)
        or (C, height, width).

    Raises:
        RuntimeError: on a call, when the number of columns or of their elements does not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Fold.html

    Example:
        >>> import nbmodule
        >>> fold = nbmodule.nn.Fold(output_size=(4, 5), kernel_size=(2, 2))
        >>> fold(nbmodule.randn(1, 3 * 2 * 2, 12)).shape
        nbmodule.Size([1, 3, 4, 5])
    """

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]
    output_size: _size_any_t
    kernel_size: _size_any_t
    dilation: _size_any_t
    padding: _size_any_t
    stride: _size_any_t

    def __init__(self, output_size: _size_any_t, kernel_size: _size_any_t, dilation: _size_any_t = 1, padding: _size_any_t = 0, stride: _size_any_t = 1) -> None:  # fmt: skip
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Return the images, (N, C, height, width)."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)  # fmt: skip

    def extra_repr(self) -> str:
        """Return all sizes."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """Lays out what each window of an image sees as a column (im2col).

    Args:
        kernel_size: the size of the windows, one number or (height, width).
        dilation: the distance between the pixels of a window.
        padding: zeros around the images.
        stride: the distance between windows.

    Shape:
        (N, C, H, W) or (C, H, W) -> (N, C * kh * kw, L) or (C * kh * kw, L), where L is the number of
        windows.

    Raises:
        RuntimeError: on a call, when no window fits.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Unfold.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> x, layer = nbmodule.randn(2, 3, 8, 9), nn.Conv2d(3, 4, (2, 5))
        >>> columns = nn.Unfold((2, 5))(x)
        >>> columns.shape
        nbmodule.Size([2, 30, 35])
        >>> product = layer.weight.reshape(4, -1) @ columns + layer.bias[:, None]
        >>> nbmodule.allclose(layer(x), product.reshape(2, 4, 7, 5), atol=1e-5)
        True
    """

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]
    kernel_size: _size_any_t
    dilation: _size_any_t
    padding: _size_any_t
    stride: _size_any_t

    def __init__(self, kernel_size: _size_any_t, dilation: _size_any_t = 1, padding: _size_any_t = 0, stride: _size_any_t = 1) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Return the columns, (N, C * kh * kw, L)."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Return all sizes."""
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )
