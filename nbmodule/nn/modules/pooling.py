"""Layers that summarise windows of an image."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from ..common_types import _size_2_t
from .module import Module


class MaxPool2d(Module):
    """The largest element of each window, from (N, C, H, W) to (N, C, oh, ow).

    Args:
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        padding: rows and columns of minus infinity around the image.
        dilation: the distance between the pixels of a window.
        return_indices: return also where each maximum was.
        ceil_mode: let the last windows hang over the edge.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html
    """

    def __init__(self, kernel_size: _size_2_t, stride: _size_2_t | None = None, padding: _size_2_t = 0, dilation: _size_2_t = 1, return_indices: bool = False, ceil_mode: bool = False) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """Return the maxima, and where they were if `return_indices` is set."""
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices)  # fmt: skip

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class AvgPool2d(Module):
    """The mean of each window, from (N, C, H, W) to (N, C, oh, ow).

    Args:
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        padding: rows and columns of zeros around the image.
        ceil_mode: let the last windows hang over the edge.
        count_include_pad: whether the padding counts as elements.
        divisor_override: divide the sums by this number instead.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AvgPool2d.html
    """

    def __init__(self, kernel_size: _size_2_t, stride: _size_2_t | None = None, padding: _size_2_t = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override)  # fmt: skip

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2d(Module):
    """Means of windows that are chosen so that each result is of one size, whatever the image.

    Args:
        output_size: (height, width), or one number for both; None keeps the size of the image.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html
    """

    def __init__(self, output_size: int | tuple[int | None, ...] | None) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """Return the size."""
        return f"output_size={self.output_size}"
