"""Pooling layers of other kinds: back from maxima, windows at random places, power averages.

Source: https://docs.pytorch.org/docs/stable/nn.html#pooling-layers
"""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from ..common_types import _ratio_2_t, _ratio_3_t, _size_1_t, _size_2_t, _size_3_t, _size_any_t
from .module import Module
from .utils import _pair, _single, _triple

_PUBLIC = "nbmodule.nn.modules.pooling"


class _MaxUnpoolNd(Module):
    """What the inverse of max pooling over one, two and three axes shares."""

    __module__ = _PUBLIC
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

    __module__ = _PUBLIC
    kernel_size: _size_1_t
    stride: _size_1_t
    padding: _size_1_t

    def __init__(self, kernel_size: _size_1_t, stride: _size_1_t | None = None, padding: _size_1_t = 0) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:  # fmt: skip
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

    __module__ = _PUBLIC
    kernel_size: _size_2_t
    stride: _size_2_t
    padding: _size_2_t

    def __init__(self, kernel_size: _size_2_t, stride: _size_2_t | None = None, padding: _size_2_t = 0) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = _pair(kernel_size)
        self.stride = _pair(stride if stride is not None else kernel_size)
        self.padding = _pair(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:  # fmt: skip
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

    __module__ = _PUBLIC
    kernel_size: _size_3_t
    stride: _size_3_t
    padding: _size_3_t

    def __init__(self, kernel_size: _size_3_t, stride: _size_3_t | None = None, padding: _size_3_t = 0) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = _triple(kernel_size)
        self.stride = _triple(stride if stride is not None else kernel_size)
        self.padding = _triple(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:  # fmt: skip
        """Return `input` at the places `indices`."""
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)  # fmt: skip


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

    __module__ = _PUBLIC
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

    def forward(self, input: Tensor) -> Any:
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

    __module__ = _PUBLIC
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

    def forward(self, input: Tensor) -> Any:
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

    __module__ = _PUBLIC
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

    __module__ = _PUBLIC
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

    __module__ = _PUBLIC
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

    __module__ = _PUBLIC
    kernel_size: _size_3_t
    stride: _size_3_t

    def forward(self, input: Tensor) -> Tensor:
        """Return the power averages."""
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)  # fmt: skip
