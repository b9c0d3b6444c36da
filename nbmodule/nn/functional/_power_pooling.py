"""Power averages of windows: between the mean and the largest magnitude.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

from math import inf, prod
from typing import Any

from ..._tensor import Tensor
from ._checks import repeated
from ._pooling import avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d


def _lp_pool(input: Tensor, norm_type: Any, kernel_size: Any, stride: Any, ceil_mode: bool, kernel: tuple[Any, ...], pools: Any) -> Tensor:  # fmt: skip
    """Return ``(sum of x ** p) ** (1 / p)`` over each window of the size `kernel`."""
    largest, mean = pools
    if isinstance(norm_type, (int, float)):
        if norm_type == inf:
            return largest(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
        if norm_type == -inf:
            return -largest(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    powers = input.pow(norm_type)
    if stride is not None:
        out = mean(powers, kernel_size, stride, 0, ceil_mode)
    else:
        out = mean(powers, kernel_size, padding=0, ceil_mode=ceil_mode)
    return (out.sign() * out.abs().relu()).mul(prod(kernel)).pow(1.0 / norm_type)


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:  # fmt: skip
    """Return the power average of each window of a signal, ``(sum of x ** p) ** (1 / p)``.

    Args:
        input: (N, C, L) or (C, L)
        norm_type: p; infinity for the largest magnitude.
        kernel_size: the length of the windows.
        stride: the distance between windows; by default their length.
        ceil_mode: let the last window hang over the end.

    Returns:
        (N, C, ol) or (C, ol)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool1d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.lp_pool1d(nbmodule.tensor([[3.0, 4.0, 6.0, 8.0]]), 2, 2)
        tensor([[ 5., 10.]])
    """
    pools = max_pool1d, avg_pool1d
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, (kernel_size,), pools)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:  # fmt: skip
    """Return the power average of each window of an image, ``(sum of x ** p) ** (1 / p)``.

    Args:
        input: (N, C, H, W) or (C, H, W)
        norm_type: p; infinity for the largest magnitude.
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        ceil_mode: let the last windows hang over the edge.

    Returns:
        (N, C, oh, ow) or (C, oh, ow)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool2d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.lp_pool2d(nbmodule.tensor([[[2.0, 4.0], [5.0, 6.0]]]), 2, 2)
        tensor([[[9.]]])
    """
    height, width = repeated(kernel_size, 2)
    pools = max_pool2d, avg_pool2d
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, (height, width), pools)


def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:  # fmt: skip
    """Return the power average of each window of a volume, ``(sum of x ** p) ** (1 / p)``.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        norm_type: p; infinity for the largest magnitude.
        kernel_size: the size of the windows, one number or (depth, height, width).
        stride: the distance between windows; by default their size.
        ceil_mode: let the last windows hang over the edge.

    Returns:
        (N, C, od, oh, ow) or (C, od, oh, ow)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool3d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.lp_pool3d(nbmodule.ones(1, 2, 2, 1), 2, (2, 2, 1))
        tensor([[[[2.]]]])
    """
    depth, height, width = repeated(kernel_size, 3)
    pools = max_pool3d, avg_pool3d
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, (depth, height, width), pools)
