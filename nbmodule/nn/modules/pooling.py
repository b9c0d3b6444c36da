"""Pooling layers: the largest element, or the mean, of each window.

Source: https://docs.pytorch.org/docs/stable/nn.html#pooling-layers
"""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from ..common_types import (
    _size_1_t,
    _size_2_opt_t,
    _size_2_t,
    _size_3_opt_t,
    _size_3_t,
    _size_any_opt_t,
    _size_any_t,
)
from ._pooling_irregular import (
    FractionalMaxPool2d,
    FractionalMaxPool3d,
    LPPool1d,
    LPPool2d,
    LPPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
    _LPPoolNd,
    _MaxUnpoolNd,
)
from .module import Module
from .utils import _single

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "_AdaptiveAvgPoolNd",
    "_AdaptiveMaxPoolNd",
    "_LPPoolNd",
    "_MaxUnpoolNd",
]


class _MaxPoolNd(Module):
    """What max pooling over one, two and three axes shares."""

    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]
    return_indices: bool
    ceil_mode: bool

    def __init__(self, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0, dilation: _size_any_t = 1, return_indices: bool = False, ceil_mode: bool = False) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The largest element of each window of a signal.

    Args:
        kernel_size: the size of the windows, a number.
        stride: the distance between windows; by default their size.
        padding: minus infinity around the input, at most half of the window.
        dilation: the distance between the elements of a window.
        return_indices: return also where each maximum was, for `MaxUnpool1d`.
        ceil_mode: let the last windows hang over the edge.

    Shape:
        (N, C, L) -> (N, C, ol), where a size n becomes
        ``floor((n + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1``; N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool1d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.MaxPool1d(2)(nbmodule.tensor([[1.0, 4.0, 2.0, 3.0]]))
        tensor([[4., 3.]])
    """

    kernel_size: _size_1_t
    stride: _size_1_t
    padding: _size_1_t
    dilation: _size_1_t

    def forward(self, input: Tensor) -> Any:
        """Return the maxima, and where they were if `return_indices` is set."""
        return F.max_pool1d(input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode, return_indices=self.return_indices)  # fmt: skip


class MaxPool2d(_MaxPoolNd):
    """The largest element of each window of an image.

    Args:
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        padding: minus infinity around the input, at most half of the window.
        dilation: the distance between the elements of a window.
        return_indices: return also where each maximum was, for `MaxUnpool2d`.
        ceil_mode: let the last windows hang over the edge.

    Shape:
        (N, C, H, W) -> (N, C, oh, ow), where a size n becomes
        ``floor((n + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1``; N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.MaxPool2d(2, return_indices=True)(nbmodule.arange(8.0).reshape(1, 2, 4))
        (tensor([[[5., 7.]]]), tensor([[[5, 7]]]))
    """

    kernel_size: _size_2_t
    stride: _size_2_t
    padding: _size_2_t
    dilation: _size_2_t

    def forward(self, input: Tensor) -> Any:
        """Return the maxima, and where they were if `return_indices` is set."""
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode, return_indices=self.return_indices)  # fmt: skip


class MaxPool3d(_MaxPoolNd):
    """The largest element of each window of a volume.

    Args:
        kernel_size: the size of the windows, one number or (depth, height, width).
        stride: the distance between windows; by default their size.
        padding: minus infinity around the input, at most half of the window.
        dilation: the distance between the elements of a window.
        return_indices: return also where each maximum was, for `MaxUnpool3d`.
        ceil_mode: let the last windows hang over the edge.

    Shape:
        (N, C, D, H, W) -> (N, C, od, oh, ow), where a size n becomes
        ``floor((n + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1``; N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool3d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.MaxPool3d((1, 2, 2), stride=(1, 2, 2))(nbmodule.arange(8.0).reshape(1, 2, 2, 2)).flatten()
        tensor([3., 7.])
    """

    kernel_size: _size_3_t
    stride: _size_3_t
    padding: _size_3_t
    dilation: _size_3_t

    def forward(self, input: Tensor) -> Any:
        """Return the maxima, and where they were if `return_indices` is set."""
        return F.max_pool3d(input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode, return_indices=self.return_indices)  # fmt: skip


class _AvgPoolNd(Module):
    """What average pooling over one, two and three axes shares."""

    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]
    kernel_size: Any
    stride: Any
    padding: Any

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of a signal.

    Args:
        kernel_size: the size of the windows, a number.
        stride: the distance between windows; by default their size.
        padding: zeros around the input, at most half of the window.
        ceil_mode: let the last windows hang over the edge.
        count_include_pad: whether the padding counts as elements.

    Shape:
        (N, C, L) -> (N, C, ol), where a size n becomes
        ``floor((n + 2 * padding - kernel_size) / stride) + 1``; N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AvgPool1d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.AvgPool1d(2)(nbmodule.tensor([[1.0, 4.0, 2.0, 3.0]]))
        tensor([[2.5000, 2.5000]])
    """

    kernel_size: _size_1_t
    stride: _size_1_t
    padding: _size_1_t
    ceil_mode: bool
    count_include_pad: bool

    def __init__(self, kernel_size: _size_1_t, stride: _size_1_t | None = None, padding: _size_1_t = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)  # fmt: skip


class AvgPool2d(_AvgPoolNd):
    """The mean of each window of an image.

    Args:
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        padding: zeros around the input, at most half of the window.
        ceil_mode: let the last windows hang over the edge.
        count_include_pad: whether the padding counts as elements.
        divisor_override: divide the sums by this number instead.

    Shape:
        (N, C, H, W) -> (N, C, oh, ow), where a size n becomes
        ``floor((n + 2 * padding - kernel_size) / stride) + 1``; N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AvgPool2d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.AvgPool2d(2, padding=1, count_include_pad=False)(nbmodule.arange(4.0).reshape(1, 2, 2))
        tensor([[[0., 1.],
                 [2., 3.]]])
    """

    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"]  # fmt: skip

    kernel_size: _size_2_t
    stride: _size_2_t
    padding: _size_2_t
    ceil_mode: bool
    count_include_pad: bool

    def __init__(self, kernel_size: _size_2_t, stride: _size_2_t | None = None, padding: _size_2_t = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override)  # fmt: skip


class AvgPool3d(_AvgPoolNd):
    """The mean of each window of a volume.

    Args:
        kernel_size: the size of the windows, one number or (depth, height, width).
        stride: the distance between windows; by default their size.
        padding: zeros around the input, at most half of the window.
        ceil_mode: let the last windows hang over the edge.
        count_include_pad: whether the padding counts as elements.
        divisor_override: divide the sums by this number instead.

    Shape:
        (N, C, D, H, W) -> (N, C, od, oh, ow), where a size n becomes
        ``floor((n + 2 * padding - kernel_size) / stride) + 1``; N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AvgPool3d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.AvgPool3d(2)(nbmodule.arange(8.0).reshape(1, 2, 2, 2))
        tensor([[[[3.5000]]]])
    """

    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"]  # fmt: skip

    kernel_size: _size_3_t
    stride: _size_3_t
    padding: _size_3_t
    ceil_mode: bool
    count_include_pad: bool

    def __init__(self, kernel_size: _size_3_t, stride: _size_3_t | None = None, padding: _size_3_t = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.avg_pool3d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override)  # fmt: skip

    def __setstate__(self, d: dict[str, Any]) -> None:
        super().__setstate__(d)
        self.__dict__.setdefault("padding", 0)  # what old checkpoints lack
        self.__dict__.setdefault("ceil_mode", False)
        self.__dict__.setdefault("count_include_pad", True)


class _AdaptiveMaxPoolNd(Module):
    """What adaptive max pooling over one, two and three axes shares."""

    __constants__ = ["output_size", "return_indices"]
    return_indices: bool

    def __init__(self, output_size: _size_any_opt_t, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        """Return the size."""
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest element of windows of a signal that are chosen so that the result is of one size.

    Window i of m over n elements goes from ``floor(i * n / m)`` to ``ceil((i + 1) * n / m)``.

    Args:
        output_size: the length of the result.
        return_indices: return also where each maximum was.

    Shape:
        (N, C, L) -> (N, C, output_size); N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool1d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.AdaptiveMaxPool1d(2)(nbmodule.tensor([[1.0, 5.0, 3.0, 4.0, 2.0]]))
        tensor([[5., 4.]])
    """

    output_size: _size_1_t

    def forward(self, input: Tensor) -> Any:
        """Return the maxima, and where they were if `return_indices` is set."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest element of windows of an image that are chosen so that the result is of one size.

    Window i of m over n elements goes from ``floor(i * n / m)`` to ``ceil((i + 1) * n / m)``.

    Args:
        output_size: (height, width), or one number for both; None keeps the size of the input.
        return_indices: return also where each maximum was.

    Shape:
        (N, C, H, W) -> (N, C, height, width); N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool2d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.AdaptiveMaxPool2d((None, 1))(nbmodule.arange(6.0).reshape(1, 2, 3))
        tensor([[[2.],
                 [5.]]])
    """

    output_size: _size_2_opt_t

    def forward(self, input: Tensor) -> Any:
        """Return the maxima, and where they were if `return_indices` is set."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest element of windows of a volume that are chosen so that the result is of one size.

    Window i of m over n elements goes from ``floor(i * n / m)`` to ``ceil((i + 1) * n / m)``.

    Args:
        output_size: (depth, height, width), or one number for all; None keeps the size of the input.
        return_indices: return also where each maximum was.

    Shape:
        (N, C, D, H, W) -> (N, C, depth, height, width); N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool3d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.AdaptiveMaxPool3d(1, return_indices=True)(nbmodule.arange(8.0).reshape(1, 2, 2, 2))
        (tensor([[[[7.]]]]), tensor([[[[7]]]]))
    """

    output_size: _size_3_opt_t

    def forward(self, input: Tensor) -> Any:
        """Return the maxima, and where they were if `return_indices` is set."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _AdaptiveAvgPoolNd(Module):
    """What adaptive average pooling over one, two and three axes shares."""

    __constants__ = ["output_size"]

    def __init__(self, output_size: _size_any_opt_t) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """Return the size."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of windows of a signal that are chosen so that the result is of one size.

    Window i of m over n elements goes from ``floor(i * n / m)`` to ``ceil((i + 1) * n / m)``.

    Args:
        output_size: the length of the result.

    Shape:
        (N, C, L) -> (N, C, output_size); N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool1d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.AdaptiveAvgPool1d(2)(nbmodule.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]]))
        tensor([[2., 4.]])
    """

    output_size: _size_1_t

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The mean of windows of an image that are chosen so that the result is of one size.

    Window i of m over n elements goes from ``floor(i * n / m)`` to ``ceil((i + 1) * n / m)``.

    Args:
        output_size: (height, width), or one number for both; None keeps the size of the input.

    Shape:
        (N, C, H, W) -> (N, C, height, width); N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.AdaptiveAvgPool2d((None, 1))(nbmodule.arange(6.0).reshape(1, 2, 3))
        tensor([[[1.],
                 [4.]]])
    """

    output_size: _size_2_opt_t

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The mean of windows of a volume that are chosen so that the result is of one size.

    Window i of m over n elements goes from ``floor(i * n / m)`` to ``ceil((i + 1) * n / m)``.

    Args:
        output_size: (depth, height, width), or one number for all; None keeps the size of the input.

    Shape:
        (N, C, D, H, W) -> (N, C, depth, height, width); N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool3d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.AdaptiveAvgPool3d(1)(nbmodule.arange(8.0).reshape(1, 2, 2, 2))
        tensor([[[[3.5000]]]])
    """

    output_size: _size_3_opt_t

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.adaptive_avg_pool3d(input, self.output_size)
