"""Pooling layers: the largest element, the mean, or a power average of each window, and back from maxima.

Source: https://docs.pytorch.org/docs/stable/nn.html#pooling-layers
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from ..common_types import (
    _ratio_2_t,
    _ratio_3_t,
    _size_1_t,
    _size_2_opt_t,
    _size_2_t,
    _size_3_opt_t,
    _size_3_t,
    _size_any_opt_t,
    _size_any_t,
)
from .module import Module
from .utils import _pair, _single, _triple

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

    def forward(self, input: Tensor) -> Tensor | Any:
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

    def forward(self, input: Tensor) -> Tensor | Any:
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

    def forward(self, input: Tensor) -> Tensor | Any:
        """Return the maxima, and where they were if `return_indices` is set."""
        return F.max_pool3d(input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode, return_indices=self.return_indices)  # fmt: skip


class _MaxUnpoolNd(Module):
    """What the inverse of max pooling over one, two and three axes shares."""

    kernel_size: Any
    stride: Any
    padding: Any

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts maxima back to where `MaxPool1d` found them, and zeros elsewhere.

    Args:
        kernel_size: of the pooling, a number.
        stride: of the pooling; by default `kernel_size`.
        padding: of the pooling.

    Shape:
        (N, C, L), twice -> (N, C, ol), where a size n becomes
        ``(n - 1) * stride + kernel_size - 2 * padding`` unless `output_size` is given; N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxUnpool1d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> values, places = nn.MaxPool1d(2, return_indices=True)(nbmodule.tensor([[1.0, 4.0, 3.0, 2.0]]))
        >>> nn.MaxUnpool1d(2)(values, places)
        tensor([[0., 4., 3., 0.]])
    """

    kernel_size: _size_1_t
    stride: _size_1_t
    padding: _size_1_t

    def __init__(self, kernel_size: _size_1_t, stride: _size_1_t | None = None, padding: _size_1_t = 0) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:  # fmt: skip
        """Return `input` at the places `indices`."""
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)  # fmt: skip


class MaxUnpool2d(_MaxUnpoolNd):
    """Puts maxima back to where `MaxPool2d` found them, and zeros elsewhere.

    Args:
        kernel_size: of the pooling, one number or (height, width).
        stride: of the pooling; by default `kernel_size`.
        padding: of the pooling.

    Shape:
        (N, C, H, W), twice -> (N, C, oh, ow), where a size n becomes
        ``(n - 1) * stride + kernel_size - 2 * padding`` unless `output_size` is given; N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxUnpool2d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> values, places = nn.MaxPool2d(2, return_indices=True)(nbmodule.arange(4.0).reshape(1, 2, 2))
        >>> nn.MaxUnpool2d(2)(values, places)
        tensor([[[0., 0.],
                 [0., 3.]]])
    """

    kernel_size: _size_2_t
    stride: _size_2_t
    padding: _size_2_t

    def __init__(self, kernel_size: _size_2_t, stride: _size_2_t | None = None, padding: _size_2_t = 0) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = _pair(kernel_size)
        self.stride = _pair(stride if stride is not None else kernel_size)
        self.padding = _pair(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:  # fmt: skip
        """Return `input` at the places `indices`."""
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)  # fmt: skip


class MaxUnpool3d(_MaxUnpoolNd):
    """Puts maxima back to where `MaxPool3d` found them, and zeros elsewhere.

    Args:
        kernel_size: of the pooling, one number or (depth, height, width).
        stride: of the pooling; by default `kernel_size`.
        padding: of the pooling.

    Shape:
        (N, C, D, H, W), twice -> (N, C, od, oh, ow), where a size n becomes
        ``(n - 1) * stride + kernel_size - 2 * padding`` unless `output_size` is given; N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxUnpool3d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> values, places = nn.MaxPool3d(2, return_indices=True)(nbmodule.arange(8.0).reshape(1, 2, 2, 2))
        >>> nn.MaxUnpool3d(2)(values, places).flatten()
        tensor([0., 0., 0., 0., 0., 0., 0., 7.])
    """

    kernel_size: _size_3_t
    stride: _size_3_t
    padding: _size_3_t

    def __init__(self, kernel_size: _size_3_t, stride: _size_3_t | None = None, padding: _size_3_t = 0) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = _triple(kernel_size)
        self.stride = _triple(stride if stride is not None else kernel_size)
        self.padding = _triple(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:  # fmt: skip
        """Return `input` at the places `indices`."""
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)  # fmt: skip


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


class FractionalMaxPool2d(Module):
    """The largest elements of windows of an image whose distances are random.

    The distances are 1 or 2 if the size is to be cut by less than half, and so on; see Graham, 2014,
    https://arxiv.org/abs/1412.6071

    Args:
        kernel_size: the size of the windows, one number or (height, width).
        output_size: of the result, one number or (height, width).
        output_ratio: in its place, the size of the result as a part of that of the input, in (0, 1).
        return_indices: return also where each maximum was.
        _random_samples: (N, C, 2), where the windows lie; by default drawn for each call.

    Shape:
        (N, C, H, W) -> (N, C, oh, ow); N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool2d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> _ = nbmodule.manual_seed(0)
        >>> nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.5))(nbmodule.rand(1, 3, 8, 6)).shape
        nbmodule.Size([1, 3, 4, 3])
    """

    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    kernel_size: _size_2_t
    return_indices: bool
    _random_samples: Tensor | None

    def __init__(self, kernel_size: _size_2_t, output_size: _size_2_t | None = None, output_ratio: _ratio_2_t | None = None, return_indices: bool = False, _random_samples: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = _pair(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = _pair(output_size) if output_size is not None else None
        self.output_ratio = _pair(output_ratio) if output_ratio is not None else None
        _check_one_size("FractionalMaxPool2d", output_size, output_ratio, self.output_ratio)

    def forward(self, input: Tensor) -> Tensor | Any:
        """Return the maxima, and where they were if `return_indices` is set."""
        return F.fractional_max_pool2d(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, _random_samples=self._random_samples)  # fmt: skip


class FractionalMaxPool3d(Module):
    """The largest elements of windows of a volume whose distances are random.

    The distances are 1 or 2 if the size is to be cut by less than half, and so on; see Graham, 2014,
    https://arxiv.org/abs/1412.6071

    Args:
        kernel_size: the size of the windows, one number or (depth, height, width).
        output_size: of the result, one number or (depth, height, width).
        output_ratio: in its place, the size of the result as a part of that of the input, in (0, 1).
        return_indices: return also where each maximum was.
        _random_samples: (N, C, 3), where the windows lie; by default drawn for each call.

    Shape:
        (N, C, D, H, W) -> (N, C, od, oh, ow); N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool3d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> _ = nbmodule.manual_seed(0)
        >>> nn.FractionalMaxPool3d(2, output_size=3)(nbmodule.rand(1, 3, 8, 6, 6)).shape
        nbmodule.Size([1, 3, 3, 3, 3])
    """

    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    kernel_size: _size_3_t
    return_indices: bool
    _random_samples: Tensor | None

    def __init__(self, kernel_size: _size_3_t, output_size: _size_3_t | None = None, output_ratio: _ratio_3_t | None = None, return_indices: bool = False, _random_samples: Any = None) -> None:  # fmt: skip
        super().__init__()
        given = kernel_size if isinstance(kernel_size, (tuple, list)) else (kernel_size,)
        if any(isinstance(k, int) and k <= 0 for k in given):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.kernel_size = _triple(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = _triple(output_size) if output_size is not None else None
        self.output_ratio = _triple(output_ratio) if output_ratio is not None else None
        _check_one_size("FractionalMaxPool3d", output_size, output_ratio, self.output_ratio)

    def forward(self, input: Tensor) -> Tensor | Any:
        """Return the maxima, and where they were if `return_indices` is set."""
        return F.fractional_max_pool3d(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, _random_samples=self._random_samples)  # fmt: skip


def _check_one_size(name: str, size: Any, given: Any, ratio: tuple[float, ...] | None) -> None:
    """Raise unless one of the size and the ratio is given, and possible."""
    if size is None and ratio is None:
        raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
    if size is not None and ratio is not None:
        raise ValueError("only one of output_size and output_ratio may be specified")
    if ratio is not None and not all(0 < r < 1 for r in ratio[: 2 if name.endswith("2d") else 3]):
        raise ValueError(f"output_ratio must be between 0 and 1 (got {given})")


class _LPPoolNd(Module):
    """What power averages over one, two and three axes share."""

    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]
    norm_type: float
    kernel_size: Any
    ceil_mode: bool

    def __init__(self, norm_type: float, kernel_size: _size_any_t, stride: _size_any_t | None = None, ceil_mode: bool = False) -> None:  # fmt: skip
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """The power average of each window of a signal: ``(sum of x ** p) ** (1 / p)``.

    Args:
        norm_type: p; infinity for the largest magnitude.
        kernel_size: the size of the windows, a number.
        stride: the distance between windows; by default their size.
        ceil_mode: let the last windows hang over the edge.

    Shape:
        (N, C, L) -> (N, C, ol); N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LPPool1d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.LPPool1d(2, 2)(nbmodule.tensor([[3.0, 4.0, 6.0, 8.0]]))
        tensor([[ 5., 10.]])
    """

    kernel_size: _size_1_t
    stride: _size_1_t

    def forward(self, input: Tensor) -> Tensor:
        """Return the power averages."""
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)  # fmt: skip


class LPPool2d(_LPPoolNd):
    """The power average of each window of an image: ``(sum of x ** p) ** (1 / p)``.

    Args:
        norm_type: p; infinity for the largest magnitude.
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        ceil_mode: let the last windows hang over the edge.

    Shape:
        (N, C, H, W) -> (N, C, oh, ow); N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LPPool2d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.LPPool2d(2, 2)(nbmodule.tensor([[[2.0, 4.0], [5.0, 6.0]]]))
        tensor([[[9.]]])
    """

    kernel_size: _size_2_t
    stride: _size_2_t

    def forward(self, input: Tensor) -> Tensor:
        """Return the power averages."""
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)  # fmt: skip


class LPPool3d(_LPPoolNd):
    """The power average of each window of a volume: ``(sum of x ** p) ** (1 / p)``.

    Args:
        norm_type: p; infinity for the largest magnitude.
        kernel_size: the size of the windows, one number or (depth, height, width).
        stride: the distance between windows; by default their size.
        ceil_mode: let the last windows hang over the edge.

    Shape:
        (N, C, D, H, W) -> (N, C, od, oh, ow); N may be missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LPPool3d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.LPPool3d(2, 2)(nbmodule.full((1, 2, 2, 2), 0.5)).round(decimals=4)
        tensor([[[[1.4142]]]])
    """

    kernel_size: _size_3_t
    stride: _size_3_t

    def forward(self, input: Tensor) -> Tensor:
        """Return the power averages."""
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)  # fmt: skip


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

    def forward(self, input: Tensor) -> Tensor | Any:
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

    def forward(self, input: Tensor) -> Tensor | Any:
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

    def forward(self, input: Tensor) -> Tensor | Any:
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
