"""Convolution and padding as PyTorch's own operations take them, before `nbmodule.nn.functional`."""

from __future__ import annotations

from collections.abc import Sequence

from ...._functions._wrap import explained_function
from ...._methods._signatures import bind_call
from ...._tensor import Tensor
from .. import _convolution as conv
from .._checks import as_int, as_ints
from .._padding import constant_pad


@explained_function
def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int) -> Tensor:  # fmt: skip
    """Return a convolution, or a transposed one, along as many axes as `weight` has behind its first two.

    Args:
        input: (N, C, *size)
        weight: (F, C / groups, *kernel), or (C, F / groups, *kernel) for a transposed one.
        bias: (F,) or None
        stride: one number for each axis, or one for all; likewise the next two and `output_padding`.
        padding: zeros around the input, or what is cut off the output of a transposed one.
        dilation: the distance between the elements of a filter.
        transposed: whether it goes in the other direction.
        output_padding: how much more there is at the far ends of the output of a transposed one.
        groups: in how many parts the channels are split.

    Returns:
        (N, F, *out)

    Raises:
        RuntimeError: the shapes or types do not fit.

    Source: https://docs.pytorch.org/docs/stable/nn.functional.html#convolution-functions

    Example:
        >>> import nbmodule
        >>> x, weight = nbmodule.ones(1, 2, 5, 5), nbmodule.ones(3, 2, 3, 3)
        >>> nbmodule.convolution(x, weight, None, [2], [1], [1], False, [0], 1).shape
        nbmodule.Size([1, 3, 3, 3])
    """
    given = (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    bind_call("convolution", False, given, {})
    steps, around, apart = map(as_ints, (stride, padding, dilation))
    groups = as_int(groups)
    if weight.dim() > 5:
        raise RuntimeError("unsupported ConvNd parameters\nThere are one, two or three axes.")
    if transposed:
        more = as_ints(output_padding)
        return conv.transposed(input, weight, bias, steps, around, apart, more, groups)
    return conv.convolution(input, weight, bias, steps, around, apart, groups)


@explained_function
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    """Put a number around a tensor: `nbmodule.nn.functional.pad` without its other modes.

    Args:
        input: of any shape.
        pad: (before, after) for the last dimension, then for the one before it, and so on; negative ones crop.
        value: what to put there.

    Returns:
        a new tensor

    Raises:
        RuntimeError: an odd number of widths, more than there are dimensions, or nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pad.html

    Example:
        >>> import nbmodule
        >>> nbmodule.constant_pad_nd(nbmodule.ones(2, 2), (1, 0, 0, 1), 7)
        tensor([[7., 1., 1.],
                [7., 1., 1.],
                [7., 7., 7.]])
    """
    bind_call("constant_pad_nd", False, (input, pad, value), {})
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * input.dim():
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {input.dim()}dimensions."
        )
    return constant_pad(input, as_ints(pad), value)


for _function in (convolution, constant_pad_nd):
    _function.__module__ = "nbmodule"
