"""Pooling to a given size: the builtin functions, which `nn.functional` is made of.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

import math
from typing import Any

from ...._engine import renamed
from ...._functions._wrap import explained_function
from ...._ops import picking
from ...._ops import pooling as p
from ...._ops.sliding import channels_together
from ...._ops.windows import adaptive, adaptive_sums
from ...._tensor import Tensor
from .._checks import as_ints
from . import pool_checks as check


@explained_function
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Return means of windows over an image: (N, C, H, W) -> (N, C, height, width)."""
    check.check_tensor("adaptive_avg_pool2d", input)
    size = as_ints(output_size, 2)
    if len(size) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    if min(size) < 0:
        raise RuntimeError(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{size[0]}, {size[1]}}}"
        )
    return _means(input, size)


@explained_function
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Return means of windows over a volume: (N, C, D, H, W) -> (N, C, depth, height, width)."""
    check.check_tensor("adaptive_avg_pool3d", input)
    size = as_ints(output_size, 3)
    if len(size) != 3:
        raise RuntimeError("adaptive_avg_pool3d: output_size must be 3")
    if min(size) < 0:
        raise RuntimeError(
            "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{size[0]}, {size[1]},{size[2]}}}"
        )
    return _means(input, size)


def _means(input: Tensor, size: tuple[int, ...]) -> Tensor:
    dims = len(size)
    if size == (1,) * dims:
        return _channels_as_in(input, input.mean(tuple(range(-1, -1 - dims, -1)), keepdim=True))
    name = f"adaptive_avg_pool{dims}d"
    if dims == 3:
        _check_filled(name, input, range(1 - input.dim(), 0))
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got {list(input.shape)}"
        )
    if dims == 2:
        _check_filled(name, input, range(-2, 0))
    if input._array.dtype.kind != "f" and input._array.size:
        raise check.not_implemented(name if dims == 2 else f"{name}_cpu", input)
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


@explained_function
def adaptive_max_pool2d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """Return the maxima of windows over an image, and their numbers in the (H, W) plane."""
    check.check_tensor("adaptive_max_pool2d", input)
    return _maxima(input, as_ints(output_size, 2), 2)


@explained_function
def adaptive_max_pool3d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """Return the maxima of windows over a volume, and their numbers in it."""
    check.check_tensor("adaptive_max_pool3d", input)
    return _maxima(input, as_ints(output_size, 3), 3)


def _maxima(input: Tensor, size: tuple[int, ...], dims: int) -> tuple[Tensor, Tensor]:
    name = f"adaptive_max_pool{dims}d"
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(input.shape)}"
        )
    _check_filled(name, input, range(1 - input.dim(), 0))
    if len(size) != dims:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {dims}")
    whole = [*input.shape[:-dims], *size]
    if min(size) < 0:
        found = next(n for n in size if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {found}: {whole}")
    if input._array.dtype.kind != "f":
        raise check.not_implemented(name if dims == 2 else f"{name}_cpu", input)
    _check_room(tuple(whole))
    windows = tuple(adaptive(n, m) for n, m in zip(input.shape[-dims:], size, strict=True))
    index = p.max_pool_places(input.detach(), windows=windows)
    node = f"AdaptiveMaxPool{dims}DBackward0"
    if dims == 3:
        index = index.contiguous()
    if 0 in size:
        return renamed(p.empty_pool(input, shape=index.shape, name=name), node), index
    return renamed(picking.pick(input, index, dims=dims), node), index


@explained_function
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
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
    check.check_tensor("adaptive_avg_pool1d", input)
    size = as_ints(output_size, 1)
    check.check_range("adaptive_avg_pool1d", input)
    check.check_single("adaptive_avg_pool1d", output_size=size)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, size[0])).squeeze(-2)


@explained_function
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
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
    check.check_tensor("adaptive_max_pool1d", input)
    size = as_ints(output_size, 1)
    check.check_range("adaptive_max_pool1d", input)
    check.check_single("adaptive_max_pool1d", output_size=size)
    _check_filled("adaptive_max_pool1d", input, range(1 - input.dim(), 0))
    values, index = adaptive_max_pool2d(input.unsqueeze(-2), (1, size[0]))
    return values.squeeze(-2), index.squeeze(-2)


adaptive_max_pool1d.__module__ = "nbmodule"
