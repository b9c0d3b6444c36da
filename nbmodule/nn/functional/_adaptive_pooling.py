"""Adaptive pooling: the output size is given, and the windows are chosen to fit it.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

import math
from typing import Any

from ..._engine import renamed
from ..._methods._signatures import bind_call
from ..._methods.common import not_implemented
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import picking
from ..._ops import pooling as p
from ..._ops.sliding import Size, as_size, channels_together
from ..._ops.windows import adaptive, adaptive_sums
from ..._tensor import Tensor
from ..common_types import _size_any_opt_t
from ._checks import filled_in, top_level
from ._pooling import check_signal

# ---- the mean


@pytorch_errors
def adaptive_avg_pool1d(input: Tensor, output_size: _size_any_opt_t) -> Tensor:
    """Return means of windows over a signal that are chosen so that the result has a given length.

    Args:
        input: (N, C, L) or (C, L)
        output_size: the length of the result.

    Returns:
        (N, C, output_size) or (C, output_size). Window i goes from ``floor(i * L / output_size)`` to
        ``ceil((i + 1) * L / output_size)``.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool1d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.adaptive_avg_pool1d(nbmodule.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]]), 2)
        tensor([[2., 4.]])
    """
    size = as_size(output_size)
    check_signal("adaptive_avg_pool1d", input, output_size=size)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, size[0])).squeeze(-2)


def adaptive_avg_pool2d(input: Tensor, output_size: _size_any_opt_t) -> Tensor:
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
    return _means("adaptive_avg_pool2d", 2, input, filled_in(output_size, input.size()))


def adaptive_avg_pool3d(input: Tensor, output_size: _size_any_opt_t) -> Tensor:
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
    return _means("adaptive_avg_pool3d", 3, input, filled_in(output_size, input.size()))


# ---- the largest element


def adaptive_max_pool1d(input: Tensor, output_size: _size_any_opt_t, return_indices: bool = False) -> Any:  # fmt: skip
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
    maxima = _adaptive_max_pool1d(input, output_size)
    return maxima if return_indices else maxima[0]


def adaptive_max_pool2d(input: Tensor, output_size: _size_any_opt_t, return_indices: bool = False) -> Any:  # fmt: skip
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
    maxima = _maxima("adaptive_max_pool2d", 2, input, filled_in(output_size, input.size()))
    return maxima if return_indices else maxima[0]


def adaptive_max_pool3d(input: Tensor, output_size: _size_any_opt_t, return_indices: bool = False) -> Any:  # fmt: skip
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
    maxima = _maxima("adaptive_max_pool3d", 3, input, filled_in(output_size, input.size()))
    return maxima if return_indices else maxima[0]


def adaptive_max_pool1d_with_indices(input: Tensor, output_size: _size_any_opt_t, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    return adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size: _size_any_opt_t, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(input: Tensor, output_size: _size_any_opt_t, return_indices: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    return adaptive_max_pool3d(input, output_size, True)


for _both, _with_indices in (
    (adaptive_max_pool1d, adaptive_max_pool1d_with_indices),
    (adaptive_max_pool2d, adaptive_max_pool2d_with_indices),
    (adaptive_max_pool3d, adaptive_max_pool3d_with_indices),
):
    _with_indices.__doc__ = _both.__doc__


@top_level
def _adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """Return the maxima of windows over a signal that are chosen so that there is a given number of them.

    Args:
        input: (N, C, L) or (C, L)
        output_size: the length of the result.

    Returns:
        (N, C, output_size) or (C, output_size), twice: the maxima, and where they were as int64.

    Raises:
        RuntimeError: the sizes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool1d.html

    Example:
        >>> import nbmodule
        >>> nbmodule.adaptive_max_pool1d(nbmodule.tensor([[1.0, 5.0, 3.0, 4.0]]), 2)
        (tensor([[5., 4.]]), tensor([[1, 3]]))
    """
    size = as_size(output_size)
    check_signal("adaptive_max_pool1d", input, output_size=size)
    _check_filled("adaptive_max_pool1d", input, range(1 - input.dim(), 0))
    values, index = adaptive_max_pool2d(input.unsqueeze(-2), (1, size[0]), True)
    return values.squeeze(-2), index.squeeze(-2)


# ---- what they share


def _sizes_of(name: str, dims: int, input: Tensor, output_size: Any) -> Size:
    """Return the size of the result along each axis, or PyTorch's words for one that is no size."""
    try:
        return as_size(output_size, dims if isinstance(output_size, int) else 1)
    except TypeError:
        bind_call(name, False, (input, output_size), {})
        raise


def _means(name: str, dims: int, input: Tensor, output_size: Any) -> Tensor:
    size = _sizes_of(name, dims, input, output_size)
    if len(size) != dims:
        raise RuntimeError(f"{name}: output_size must be {dims}")
    if min(size) < 0:
        shown = ", ".join(map(str, size[:2])) + "".join(f",{n}" for n in size[2:])
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{shown}}}"
        )
    if size == (1,) * dims:
        return _channels_as_in(input, input.mean(tuple(range(-1, -1 - dims, -1)), keepdim=True))
    if dims == 3:
        _check_filled(name, input, range(1 - input.dim(), 0))
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got {list(input.shape)}"
        )
    if dims == 2:
        _check_filled(name, input, range(-2, 0))
    if input._array.dtype.kind != "f" and input._array.size:
        raise not_implemented(name if dims == 2 else f"{name}_cpu", input)
    shape = (*input.shape[:-dims], *size)
    if math.prod(shape) >= 2**63:
        raise RuntimeError("numel: integer multiplication overflow")
    _check_room(shape)
    if 0 in shape[1 - input.dim() :]:
        return renamed(
            p.empty_pool(input, shape=shape, name=name), f"AdaptiveAvgPool{dims}DBackward0"
        )
    windows = tuple(adaptive_sums(n, m) for n, m in zip(input.shape[-dims:], size, strict=True))
    return renamed(p.avg_pool(input, windows=windows), f"AdaptiveAvgPool{dims}DBackward0")


def _channels_as_in(input: Tensor, out: Tensor) -> Tensor:
    """Return `out`, of one pixel, with the strides of one whose channels lie side by side if those of `input` do."""
    if input.dim() < 4 or input.is_contiguous() or not channels_together(input._array):
        return out
    c = out.shape[1]
    return out.as_strided_(out.shape, (c, 1, *(c,) * (input.dim() - 2)))


def _check_room(shape: tuple[int, ...]) -> None:
    if math.prod(shape) >= 2**60:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")


def _check_filled(name: str, input: Tensor, places: range) -> None:
    """Raise if one of the dimensions `places`, negative numbers, has no elements."""
    for place in places:
        if not input.shape[place]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {input.dim() + place} being empty"
            )


def _maxima(name: str, dims: int, input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    size = _sizes_of(name, dims, input, output_size)
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(input.shape)}"
        )
    _check_filled(name, input, range(1 - input.dim(), 0))
    if len(size) != dims:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {dims}")
    whole = [*input.shape[:-dims], *size]
    if min(size) < 0:
        negative = next(n for n in size if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative}: {whole}")
    if input._array.dtype.kind != "f":
        raise not_implemented(name if dims == 2 else f"{name}_cpu", input)
    _check_room(tuple(whole))
    windows = tuple(adaptive(n, m) for n, m in zip(input.shape[-dims:], size, strict=True))
    index = p.max_pool_places(input.detach(), windows=windows)
    node = f"AdaptiveMaxPool{dims}DBackward0"
    if dims == 3:
        index = index.contiguous()
    if 0 in size:
        return renamed(p.empty_pool(input, shape=index.shape, name=name), node), index
    return renamed(picking.pick(input, index, dims=dims), node), index
