"""Convolution: filters that slide over signals, images and volumes.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

from typing import Any

from ..._ops import conv as c
from ..._ops import shape as s
from ..._tensor import Tensor
from ..common_types import _size_2_t
from .checks import first_not_a_tensor
from .pooling import pair


def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _size_2_t = 1, padding: _size_2_t | str = 0, dilation: _size_2_t = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Slide the filters of `weight` over images.

    Args:
        input: (N, C, H, W) or (C, H, W)
        weight: (F, C / groups, kh, kw)
        bias: (F,) or None
        stride: how far the filters move, one number or (vertical, horizontal).
        padding: zeros around the image, likewise; or "valid" for none, "same" for an output of the
            size of the input.
        dilation: the distance between the pixels that a filter sees.
        groups: in how many parts the channels are split; filters see only theirs.

    Returns:
        (N, F, oh, ow) or (F, oh, ow)

    Raises:
        RuntimeError: the shapes do not fit, or the filter is larger than the image.
    """
    if not (isinstance(input, Tensor) and isinstance(weight, Tensor)):
        raise first_not_a_tensor("conv2d", input=input, weight=weight)
    if input.dim() == 3:
        return conv2d(input[None], weight, bias, stride, padding, dilation, groups)[0]
    strides, dilations = pair(stride, "stride"), pair(dilation, "dilation")
    _check_conv(input, weight, bias, strides, dilations, groups)
    if padding == "same":
        input, padding = _pad_same(input, weight, strides, dilations)
    elif isinstance(padding, str) and padding != "valid":
        raise RuntimeError(f"Invalid padding string: '{padding}'\nIt is one of 'valid' and 'same'.")
    around = (0, 0) if padding == "valid" else pair(padding, "padding")  # type: ignore[arg-type]
    _check_fits(input, weight, around, dilations)
    arrays = (input, weight, bias)
    return c.conv(*arrays, stride=strides, padding=around, dilation=dilations, groups=groups)


def _check_conv(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, dilation: Any, groups: int) -> None:  # fmt: skip
    if input.dim() != 4:
        raise RuntimeError(
            "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: "
            f"{list(input.shape)}"
        )
    if weight.dim() != 4:
        raise RuntimeError(f"weight should have four dimensions, got {list(weight.shape)}")
    for name, other in (("bias", bias), ("weight", weight)):
        if other is not None and input._array.dtype != other._array.dtype:
            raise RuntimeError(
                f"Input type ({input.dtype.c_name}) and {name} type ({other.dtype.c_name}) should be the same"
            )
    filters, per_group = weight.shape[:2]
    if groups <= 0 or filters % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got "
            f"weight of size [{list(weight.shape)}] instead"
        )
    if input.shape[1] != per_group * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected "
            f"input{list(input.shape)} to have {per_group * groups} channels, but got "
            f"{input.shape[1]} channels instead"
        )
    if bias is not None and tuple(bias.shape) != (filters,):
        raise RuntimeError(
            f"Given weight of size {list(weight.shape)}, expected bias to be 1-dimensional with {filters} "
            f"elements, but got bias of size {list(bias.shape)} instead"
        )
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) <= 0:
        raise RuntimeError(
            f"dilation should be greater than zero, but got [{dilation[0]}, {dilation[1]}]"
        )


def _check_fits(input: Tensor, weight: Tensor, padding: tuple[int, int], dilation: tuple[int, int]) -> None:  # fmt: skip
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    room = [n + 2 * p for n, p in zip(input.shape[2:], padding, strict=True)]
    reach = [d * (k - 1) + 1 for k, d in zip(weight.shape[2:], dilation, strict=True)]
    if any(n < k for n, k in zip(room, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({room[0]} x {room[1]}). Kernel size: "
            f"({reach[0]} x {reach[1]}). Kernel size can't be greater than actual input size"
        )


def _pad_same(input: Tensor, weight: Tensor, stride: Any, dilation: Any) -> tuple[Tensor, int]:
    """Pad so that the output has the size of the input; an odd total goes below and to the right."""
    if max(stride) > 1:
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for k, d in zip(weight.shape[2:], dilation, strict=True)]
    widths = [(0, 0), (0, 0), *((n // 2, n - n // 2) for n in totals)]
    return s.pad(input, widths=widths), 0
