"""Pooling, as functions; `nbmodule.nn.functional` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._tensor import Tensor
from ._checks import filled_in
from ._native import adaptive_pooling, pooling, signal_pooling
from ._native.adaptive_pooling import adaptive_avg_pool1d
from ._native.pooling import avg_pool2d, avg_pool3d
from ._native.signal_pooling import avg_pool1d

__all__ = ["adaptive_avg_pool1d", "avg_pool1d", "avg_pool2d", "avg_pool3d"]


def either(with_indices: Callable[..., Any], without: Callable[..., Any], place: int) -> Callable[..., Any]:  # fmt: skip
    """Return the function that calls one or the other, as its argument `return_indices` (at `place`) says."""

    def pool(*args: Any, **kwargs: Any) -> Any:
        asked = kwargs.get("return_indices", args[place] if place < len(args) else False)
        return with_indices(*args, **kwargs) if asked else without(*args, **kwargs)

    pool.__doc__, pool.__name__ = with_indices.__doc__, without.__name__.lstrip("_")
    pool.__qualname__ = pool.__name__
    pool.__wrapped__ = with_indices  # type: ignore[attr-defined]  # where `inspect` finds the arguments
    return pool


# ---- the largest element


def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the largest element of each window of a signal.

    Args:
        input: (N, C, L) or (C, L)
        kernel_size: the length of the windows.
        stride: the distance between windows; by default their length.
        padding: minus infinity at both ends, at most half of the window.
        dilation: the distance between the elements of a window.
        ceil_mode: let the last window hang over the end.
        return_indices: return also where each maximum was.

    Returns:
        (N, C, ol) or (C, ol), with ``ol = floor((L + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1``;
        twice where indices are asked for.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool1d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[1.0, 4.0, 2.0, 3.0]])
        >>> nbmodule.nn.functional.max_pool1d(x, 2, stride=1)
        tensor([[4., 4., 3.]])
        >>> nbmodule.nn.functional.max_pool1d(x, 2, return_indices=True)
        (tensor([[4., 3.]]), tensor([[1, 3]]))
    """
    steps = () if stride is None else stride
    return signal_pooling.max_pool1d_with_indices(
        input, kernel_size, steps, padding, dilation, ceil_mode
    )


def _max_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Tensor:  # fmt: skip
    steps = () if stride is None else stride
    return signal_pooling.max_pool1d(input, kernel_size, steps, padding, dilation, ceil_mode)


def max_pool2d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the largest element of each window of an image.

    Args:
        input: (N, C, H, W) or (C, H, W)
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        padding: rows and columns of minus infinity around the image, at most half of the window.
        dilation: the distance between the pixels of a window.
        ceil_mode: let the last windows hang over the edge.
        return_indices: return also the number of each maximum in the (H, W) plane, counted row by row.

    Returns:
        (N, C, oh, ow) or (C, oh, ow), with ``oh = floor((H + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1``;
        twice where indices are asked for.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool2d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(16.0).reshape(1, 4, 4)
        >>> nbmodule.nn.functional.max_pool2d(x, 2, return_indices=True)
        (tensor([[[ 5.,  7.],
                 [13., 15.]]]), tensor([[[ 5,  7],
                 [13, 15]]]))
    """
    steps = () if stride is None else stride
    return pooling.max_pool2d_with_indices(input, kernel_size, steps, padding, dilation, ceil_mode)


def _max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Tensor:  # fmt: skip
    steps = () if stride is None else stride
    return pooling.max_pool2d(input, kernel_size, steps, padding, dilation, ceil_mode)


def max_pool3d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the largest element of each window of a volume.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        kernel_size: the size of the windows, one number or (depth, height, width).
        stride: as in `max_pool2d`, and so are the others.
        padding: minus infinity around the volume.
        dilation: the distance between the elements of a window.
        ceil_mode: let the last windows hang over the edge.
        return_indices: return also the number of each maximum in the (D, H, W) volume.

    Returns:
        (N, C, od, oh, ow) or (C, od, oh, ow), twice where indices are asked for.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool3d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(16.0).reshape(1, 2, 2, 4)
        >>> nbmodule.nn.functional.max_pool3d(x, 2)
        tensor([[[[13., 15.]]]])
    """
    steps = () if stride is None else stride
    return pooling.max_pool3d_with_indices(input, kernel_size, steps, padding, dilation, ceil_mode)


def _max_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Tensor:  # fmt: skip
    steps = () if stride is None else stride
    return pooling.max_pool3d(input, kernel_size, steps, padding, dilation, ceil_mode)


max_pool1d = either(max_pool1d_with_indices, _max_pool1d, 6)
max_pool2d = either(max_pool2d_with_indices, _max_pool2d, 6)
max_pool3d = either(max_pool3d_with_indices, _max_pool3d, 6)


# ---- to a given size


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Return means of windows that are chosen so that the result has a given size.

    Args:
        input: (N, C, H, W) or (C, H, W)
        output_size: (height, width), or one number for both; None keeps the size of the image.

    Returns:
        (N, C, height, width) or (C, height, width). Window i of m over n rows goes from ``floor(i * n / m)`` to
        ``ceil((i + 1) * n / m)``.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool2d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.adaptive_avg_pool2d(nbmodule.arange(9.0).reshape(1, 3, 3), (2, 1))
        tensor([[[2.5000],
                 [5.5000]]])
    """
    return adaptive_pooling.adaptive_avg_pool2d(input, filled_in(output_size, input.size()))


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Return means of windows over a volume that are chosen so that the result has a given size.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        output_size: (depth, height, width), or one number for all; None keeps the size of the input.

    Returns:
        (N, C, depth, height, width) or (C, depth, height, width)

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool3d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.adaptive_avg_pool3d(nbmodule.arange(8.0).reshape(1, 2, 2, 2), (2, 1, 1))
        tensor([[[[1.5000]],
        <BLANKLINE>
                 [[5.5000]]]])
    """
    return adaptive_pooling.adaptive_avg_pool3d(input, filled_in(output_size, input.size()))


def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return maxima of windows over a signal that are chosen so that there is a given number of them.

    Args:
        input: (N, C, L) or (C, L)
        output_size: the length of the result.
        return_indices: return also where each maximum was.

    Returns:
        (N, C, output_size) or (C, output_size), twice where indices are asked for.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool1d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.adaptive_max_pool1d(nbmodule.tensor([[1.0, 5.0, 3.0, 4.0]]), 2)
        tensor([[5., 4.]])
    """
    return adaptive_pooling.adaptive_max_pool1d(input, output_size)


def _adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Tensor:
    return adaptive_max_pool1d_with_indices(input, output_size)[0]


def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return maxima of windows over an image that are chosen so that the result has a given size.

    Args:
        input: (N, C, H, W) or (C, H, W)
        output_size: (height, width), or one number for both; None keeps the size of the image.
        return_indices: return also the number of each maximum in the (H, W) plane.

    Returns:
        (N, C, height, width) or (C, height, width), twice where indices are asked for.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool2d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.adaptive_max_pool2d(nbmodule.arange(9.0).reshape(1, 3, 3), (2, 1))
        tensor([[[5.],
                 [8.]]])
    """
    return adaptive_pooling.adaptive_max_pool2d(input, filled_in(output_size, input.size()))


def _adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Tensor:
    return adaptive_max_pool2d_with_indices(input, output_size)[0]


def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return maxima of windows over a volume that are chosen so that the result has a given size.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        output_size: (depth, height, width), or one number for all; None keeps the size of the input.
        return_indices: return also the number of each maximum in the (D, H, W) volume.

    Returns:
        (N, C, depth, height, width) or (C, depth, height, width), twice where indices are asked for.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool3d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.adaptive_max_pool3d(nbmodule.arange(8.0).reshape(1, 2, 2, 2), 1)
        tensor([[[[7.]]]])
    """
    return adaptive_pooling.adaptive_max_pool3d(input, filled_in(output_size, input.size()))


def _adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Tensor:
    return adaptive_max_pool3d_with_indices(input, output_size)[0]


adaptive_max_pool1d = either(adaptive_max_pool1d_with_indices, _adaptive_max_pool1d, 2)
adaptive_max_pool2d = either(adaptive_max_pool2d_with_indices, _adaptive_max_pool2d, 2)
adaptive_max_pool3d = either(adaptive_max_pool3d_with_indices, _adaptive_max_pool3d, 2)
