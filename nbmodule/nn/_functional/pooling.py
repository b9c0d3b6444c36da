"""Pooling, as functions; `nbmodule.nn.functional` shows them. They check shapes; the rules compute.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#pooling-functions
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..._errors import not_a_tensor
from ..._ops import pooling as p
from ..._tensor import Tensor
from ..common_types import _size_2_t


def max_pool2d(input: Tensor, kernel_size: _size_2_t, stride: _size_2_t | None = None, padding: _size_2_t = 0, dilation: _size_2_t = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:  # fmt: skip
    """Return the largest element of each window.

    Args:
        input: (N, C, H, W) or (C, H, W)
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        padding: rows and columns of minus infinity around the image, at most half of the window.
        dilation: the distance between the pixels of a window.
        ceil_mode: let the last windows hang over the edge.
        return_indices: return also where in the (H, W) plane each maximum was.

    Returns:
        (N, C, oh, ow) or (C, oh, ow), twice where indices are asked for.

    Raises:
        RuntimeError: the shapes do not fit.
    """
    if input.dim() not in (3, 4):
        raise RuntimeError(
            "non-empty 3D or 4D (batch mode) tensor expected for input\n"
            f"Got one of size {list(input.shape)}."
        )
    if input.dim() == 3:
        found = max_pool2d(
            input[None], kernel_size, stride, padding, dilation, ceil_mode, return_indices
        )
        return (found[0][0], found[1][0]) if return_indices else found[0]
    kernel = pair(kernel_size, "kernel_size")
    steps = kernel if stride is None or stride == [] else pair(stride, "stride")
    around, dilations = pair(padding, "padding"), pair(dilation, "dilation")
    extra = _check_pool(input, kernel, steps, around, dilations, ceil_mode)
    options = dict(kernel=kernel, stride=steps, padding=around, dilation=dilations, extra=extra)
    out = p.max_pool2d(input, **options)
    return (out, p.max_pool2d_indices(input.detach(), **options)) if return_indices else out


def _check_pool(input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> tuple[int, int]:  # fmt: skip
    """Return how many rows and columns the last windows hang over."""
    if min(stride) <= 0:
        raise RuntimeError("stride should not be zero")
    if min(kernel) <= 0:
        raise RuntimeError("kernel size should be greater than zero")
    if min(dilation) <= 0:
        raise RuntimeError("dilation should be greater than zero")
    if min(padding) < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {min(padding)}")
    if any(2 * p > d * (k - 1) + 1 for p, k, d in zip(padding, kernel, dilation, strict=True)):
        raise RuntimeError(
            "pad should be at most half of effective kernel size, but got pad="
            f"{max(padding)}, kernel_size={max(kernel)} and dilation={max(dilation)}"
        )
    counts, extra = [], []
    for n, k, s_, pad, d in zip(input.shape[2:], kernel, stride, padding, dilation, strict=True):
        room = n + 2 * pad - d * (k - 1) - 1
        count = (math.ceil(room / s_) if ceil_mode else room // s_) + 1
        if ceil_mode and (count - 1) * s_ >= n + pad:
            count -= 1  # the last window must begin inside the image
        counts.append(count)
        extra.append(max(0, (count - 1) * s_ - room))
    if min(counts) < 1:
        channels, height, width = input.shape[1:]
        raise RuntimeError(
            f"Given input size: ({channels}x{height}x{width}). Calculated output size: "
            f"({channels}x{counts[0]}x{counts[1]}). Output size is too small"
        )
    return extra[0], extra[1]


def pair(value: Any, name: str) -> tuple[int, int]:
    """Return (vertical, horizontal) of one number or two.

    Raises:
        TypeError: `value` is neither.
    """
    if isinstance(value, int):
        return value, value
    try:
        numbers = tuple(int(v) for v in value)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) == 1:
        numbers *= 2
    if len(numbers) != 2:
        raise TypeError(f"{name} must be an int or two of them, got {value!r}")
    return numbers[0], numbers[1]


def avg_pool2d(input: Tensor, kernel_size: _size_2_t, stride: _size_2_t | None = None, padding: _size_2_t = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:  # fmt: skip
    """Return the mean of each window.

    Args:
        input: (N, C, H, W) or (C, H, W)
        kernel_size: the size of the windows, one number or (height, width).
        stride: the distance between windows; by default their size.
        padding: rows and columns of zeros around the image, at most half of the window.
        ceil_mode: let the last windows hang over the edge.
        count_include_pad: whether the padding counts as elements.
        divisor_override: divide the sums by this number instead.

    Returns:
        (N, C, oh, ow) or (C, oh, ow)

    Raises:
        RuntimeError: the shapes do not fit.
    """
    if not isinstance(input, Tensor):
        raise not_a_tensor("avg_pool2d", "input", 1, input)
    kernel = _two("avg_pool2d", "kernel_size", 2, kernel_size)
    steps = kernel if stride is None or stride in ([], ()) else _two("avg_pool2d", "stride", 3, stride)  # fmt: skip
    around = _two("avg_pool2d", "padding", 4, padding)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    _check_image(input)
    images = input if input.dim() == 4 else input[None]
    extra = _check_pool(images, kernel, steps, around, (1, 1), ceil_mode)
    if input._array.dtype.kind == "b":
        raise NotImplementedError("\"avg_pool2d\" not implemented for 'Bool'")
    where = dict(kernel=kernel, stride=steps, padding=around, extra=extra)
    out = p.avg_pool2d(images, **where, padded=count_include_pad, divisor=divisor_override)
    return out if input.dim() == 4 else out[0]


def _two(function: str, name: str, position: int, value: Any) -> tuple[int, int]:
    """Return `value`, one number or a sequence of one or two, as (vertical, horizontal)."""
    numbers = (value,) if isinstance(value, int) else value
    if not isinstance(numbers, Sequence) or isinstance(numbers, str):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be tuple of ints, not "
            f"{type(value).__name__}"
        )
    if len(numbers) not in (1, 2):
        kind = "either be omitted, a single int," if name == "stride" else "either be a single int,"
        raise RuntimeError(f"{function}: {name} must {kind} or a tuple of two ints")
    return numbers[0], numbers[-1]


def _check_image(input: Tensor) -> None:
    if input.dim() < 3:
        reach = max(input.dim(), 1)
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-reach}, {reach - 1}], but got -3)"
        )
    if input.dim() > 4 or not all(input.shape[1 if input.dim() == 4 else 0 :]):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(input.shape)}"
        )


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Return means of windows that are chosen so that the result has a given size.

    Args:
        input: (N, C, H, W) or (C, H, W)
        output_size: (height, width), or one number for both; None keeps the size of the image.

    Returns:
        (N, C, height, width) or (C, height, width)

    Raises:
        RuntimeError: the shapes do not fit.
    """
    size = _output_size(output_size, input.size())
    if size == (1, 1):
        return input.mean((-1, -2), keepdim=True)
    if input.dim() not in (3, 4):
        raise RuntimeError(
            f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input.shape)}"
        )
    for place in (-2, -1):
        if not input.shape[place]:
            raise RuntimeError(
                "adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch dimensions, but "
                f"input has sizes {list(input.shape)} with dimension {input.dim() + place} being empty"
            )
    if input._array.dtype.kind != "f":
        found = input.dtype.scalar_name
        raise NotImplementedError(f"\"adaptive_avg_pool2d\" not implemented for '{found}'")
    if math.prod((*input.shape[:-2], *size)) >= 2**60:
        raise RuntimeError("numel: integer multiplication overflow")
    return p.adaptive_avg_pool2d(input, size=size)


def _output_size(asked: Any, sizes: Sequence[int]) -> tuple[int, int]:
    """Return the two sizes that were `asked` for, with those of the image where None stands."""
    if isinstance(asked, int):
        asked = (asked, asked)
    if len(asked) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    size = [n if wanted is None else wanted for wanted, n in zip(asked, sizes[-2:], strict=True)]
    for place, n in enumerate(size):
        if not isinstance(n, int):
            raise TypeError(
                "adaptive_avg_pool2d(): argument 'output_size' (position 2) must be tuple of ints, but "
                f"found element of type {type(n).__name__} at pos {place}"
            )
    if min(size) < 0:
        raise RuntimeError(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{size[0]}, {size[1]}}}"
        )
    return size[0], size[1]
