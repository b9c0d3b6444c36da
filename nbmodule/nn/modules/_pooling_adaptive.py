"""Adaptive pooling layers: windows that are chosen so that the result has a given size.

Source: https://docs.pytorch.org/docs/stable/nn.html#pooling-layers
"""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from ..common_types import _size_1_t, _size_2_opt_t, _size_3_opt_t, _size_any_opt_t
from .module import Module

_PUBLIC = "nbmodule.nn.modules.pooling"


class _AdaptiveMaxPoolNd(Module):
    """What adaptive max pooling over one, two and three axes shares."""

    __module__ = _PUBLIC
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

    __module__ = _PUBLIC
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

    __module__ = _PUBLIC
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

    __module__ = _PUBLIC
    output_size: _size_3_opt_t

    def forward(self, input: Tensor) -> Any:
        """Return the maxima, and where they were if `return_indices` is set."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _AdaptiveAvgPoolNd(Module):
    """What adaptive average pooling over one, two and three axes shares."""

    __module__ = _PUBLIC
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

    __module__ = _PUBLIC
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

    __module__ = _PUBLIC
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

    __module__ = _PUBLIC
    output_size: _size_3_opt_t

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.adaptive_avg_pool3d(input, self.output_size)
