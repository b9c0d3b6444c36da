"""Convolutions and transposed convolutions, along one, two or three axes.

The formulas are rules of `_ops/conv.py`. Here arguments are brought into their form: one number for each axis, images
in a batch. Whether shapes fit is asked once for each combination of them: `_output_size`.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#convolution-functions
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..._engine import renamed
from ..._errors import warn_once
from ..._functions._arguments import as_index
from ..._methods.common import not_implemented
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import conv as c
from ..._ops import shape as s
from ..._ops.sliding import Size, as_size, output_size, reach
from ..._tensor import Tensor
from ..common_types import _size_1_t, _size_2_t, _size_3_t
from ._checks import check_flag


@pytorch_errors
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _size_1_t = 1, padding: _size_1_t | str = 0, dilation: _size_1_t = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Slide the filters of `weight` over signals.

    ``out[n, f, p] = bias[f] + sum over c, k of weight[f, c, k] * input[n, c, stride * p + dilation * k - padding]``

    Args:
        input: (N, C, L) or (C, L)
        weight: (F, C / groups, K)
        bias: (F,) or None
        stride: how far the filters move.
        padding: zeros at both ends; or "valid" for none, "same" for an output of the size of the input.
        dilation: the distance between the elements that a filter sees.
        groups: into how many groups the channels are split; filters see only theirs.

    Returns:
        (N, F, out) or (F, out), with ``out = (L + 2 * padding - dilation * (K - 1) - 1) // stride + 1``

    Raises:
        RuntimeError: the shapes or types do not fit, or the filter is larger than the signal.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.conv1d.html

    Example:
        >>> import nbmodule
        >>> steps = nbmodule.tensor([[[1.0, 2.0, 4.0, 8.0, 16.0]]])
        >>> difference = nbmodule.tensor([[[-1.0, 1.0]]])
        >>> nbmodule.nn.functional.conv1d(steps, difference)
        tensor([[[1., 2., 4., 8.]]])
    """
    return _convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@pytorch_errors
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _size_2_t = 1, padding: _size_2_t | str = 0, dilation: _size_2_t = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Slide the filters of `weight` over images: `conv1d` along two axes.

    Args:
        input: (N, C, H, W) or (C, H, W)
        weight: (F, C / groups, kh, kw)
        bias: (F,) or None
        stride: how far the filters move, one number or (vertical, horizontal).
        padding: zeros around the image, likewise; or "valid" for none, "same" for an output of the
            size of the input.
        dilation: the distance between the pixels that a filter sees.
        groups: into how many groups the channels are split; filters see only theirs.

    Returns:
        (N, F, oh, ow) or (F, oh, ow)

    Raises:
        RuntimeError: the shapes or types do not fit, or the filter is larger than the image.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html

    Example:
        >>> import nbmodule
        >>> image = nbmodule.tensor([[[[0.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.0, 0.0, 0.0]]]])
        >>> corners = nbmodule.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> nbmodule.nn.functional.conv2d(image, corners)  # the pixel as each corner sees it
        tensor([[[[20., 15.],
                  [10.,  5.]]]])
    """
    return _convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@pytorch_errors
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _size_3_t = 1, padding: _size_3_t | str = 0, dilation: _size_3_t = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Slide the filters of `weight` over volumes: `conv1d` along three axes.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        weight: (F, C / groups, kd, kh, kw)
        bias: (F,) or None
        stride: how far the filters move, one number or (depth, vertical, horizontal).
        padding: zeros around the volume, likewise, or "valid", or "same".
        dilation: the distance between the elements that a filter sees.
        groups: into how many groups the channels are split; filters see only theirs.

    Returns:
        (N, F, od, oh, ow) or (F, od, oh, ow)

    Raises:
        RuntimeError: the shapes or types do not fit, or the filter is larger than the volume.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.conv3d.html

    Example:
        >>> import nbmodule
        >>> volume, sums = nbmodule.ones(1, 2, 4, 4, 4), nbmodule.ones(1, 2, 3, 3, 3)
        >>> out = nbmodule.nn.functional.conv3d(volume, sums, stride=(1, 1, 2), padding=(1, 0, 1))
        >>> out.shape, out.max()
        (nbmodule.Size([1, 1, 4, 2, 2]), tensor(54.))
    """
    return _convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@pytorch_errors
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _size_1_t = 1, padding: _size_1_t = 0, output_padding: _size_1_t = 0, groups: int = 1, dilation: _size_1_t = 1) -> Tensor:  # fmt: skip
    """Lay down the filters of `weight`, each times its element of a signal, and add up where they overlap.

    This is what the gradient of `conv1d` does, so it makes a longer signal of a shorter one: each product
    ``weight[c, f, k] * input[n, c, p]`` is added to element ``stride * p + dilation * k - padding`` of channel f.

    Args:
        input: (N, C, L) or (C, L)
        weight: (C, F / groups, K)
        bias: (F,) or None
        stride: how far apart the filters are laid.
        padding: how many elements are cut off at both ends.
        output_padding: how many more elements the far end has; less than the stride or the dilation.
        groups: into how many groups the channels are split.
        dilation: the distance between the elements of a filter.

    Returns:
        (N, F, out) or (F, out), with
        ``out = (L - 1) * stride - 2 * padding + dilation * (K - 1) + output_padding + 1``

    Raises:
        RuntimeError: the shapes or types do not fit, or nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose1d.html

    Example:
        >>> import nbmodule
        >>> signal = nbmodule.tensor([[[1.0, 10.0, 100.0]]])
        >>> nbmodule.nn.functional.conv_transpose1d(signal, nbmodule.ones(1, 1, 3), stride=2)
        tensor([[[  1.,   1.,  11.,  10., 110., 100., 100.]]])
    """
    return _lay_down("conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation)  # fmt: skip


@pytorch_errors
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _size_2_t = 1, padding: _size_2_t = 0, output_padding: _size_2_t = 0, groups: int = 1, dilation: _size_2_t = 1) -> Tensor:  # fmt: skip
    """Lay down filters, each times its pixel, and add up where they overlap: `conv_transpose1d` along two axes.

    Args:
        input: (N, C, H, W) or (C, H, W)
        weight: (C, F / groups, kh, kw)
        bias: (F,) or None
        stride: how far apart the filters are laid, one number or (vertical, horizontal).
        padding: how many rows and columns are cut off on all sides.
        output_padding: how many more rows and columns there are at the far ends.
        groups: into how many groups the channels are split.
        dilation: the distance between the pixels of a filter.

    Returns:
        (N, F, oh, ow) or (F, oh, ow)

    Raises:
        RuntimeError: the shapes or types do not fit, or nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose2d.html

    Example:
        >>> import nbmodule
        >>> image = nbmodule.tensor([[[1.0, 2.0], [3.0, 4.0]]])
        >>> nbmodule.nn.functional.conv_transpose2d(image, nbmodule.ones(1, 1, 2, 2), stride=2)
        tensor([[[1., 1., 2., 2.],
                 [1., 1., 2., 2.],
                 [3., 3., 4., 4.],
                 [3., 3., 4., 4.]]])
    """
    return _lay_down("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation)  # fmt: skip


@pytorch_errors
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _size_3_t = 1, padding: _size_3_t = 0, output_padding: _size_3_t = 0, groups: int = 1, dilation: _size_3_t = 1) -> Tensor:  # fmt: skip
    """Lay down filters in a volume and add up where they overlap: `conv_transpose1d` along three axes.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        weight: (C, F / groups, kd, kh, kw)
        bias: (F,) or None
        stride: how far apart the filters are laid, one number or three.
        padding: how much is cut off on all sides.
        output_padding: how much more there is at the far ends.
        groups: into how many groups the channels are split.
        dilation: the distance between the elements of a filter.

    Returns:
        (N, F, od, oh, ow) or (F, od, oh, ow)

    Raises:
        RuntimeError: the shapes or types do not fit, or nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose3d.html

    Example:
        >>> import nbmodule
        >>> volume, weight = nbmodule.ones(2, 3, 3, 3), nbmodule.ones(2, 4, 2, 2, 2)
        >>> nbmodule.nn.functional.conv_transpose3d(volume, weight, stride=2, output_padding=1).shape
        nbmodule.Size([4, 7, 7, 7])
    """
    return _lay_down("conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation)  # fmt: skip


@pytorch_errors
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolve sequences that lie as (time, batch, channels).

    ``out[p, n] = bias + sum over k of input[p + k - pad, n] @ weight[k]``

    Args:
        input: (T, N, C)
        weight: (K, C, F)
        bias: (F,)
        pad: zeros at both ends.

    Returns:
        (T + 2 * pad - K + 1, N, F)

    Raises:
        RuntimeError: the shapes or types do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.conv_tbc.html

    Example:
        >>> import nbmodule
        >>> x, weight, bias = nbmodule.ones(5, 2, 3), nbmodule.ones(2, 3, 4), nbmodule.zeros(4)
        >>> out = nbmodule.nn.functional.conv_tbc(x, weight, bias, pad=1)
        >>> out.shape, out[:, 0, 0]
        (nbmodule.Size([6, 2, 4]), tensor([3., 6., 6., 6., 6., 3.]))
    """
    pad = as_index(pad)
    if input.dim() != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.dim() != 3:
        raise RuntimeError(
            "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels."
        )
    if bias.dim() != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.shape[2] != weight.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if bias.shape[0] != weight.shape[2]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    if input._array.dtype != weight._array.dtype:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {input.dtype.scalar_name} and "
            f"{weight.dtype.scalar_name}"
        )
    if pad < 0:
        input, pad = s.pad(input, widths=[(pad, pad), (0, 0), (0, 0)]), 0
    if input.shape[0] + 2 * pad < weight.shape[0]:
        return input.new_zeros(0, input.shape[1], weight.shape[2])
    return c.conv_tbc(input, weight, bias, pad=pad)


@pytorch_errors
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
        groups: into how many groups the channels are split.

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
    if weight.dim() > 5:
        raise RuntimeError("unsupported ConvNd parameters\nThere are one, two or three axes.")
    check_flag(transposed)
    axes, groups = weight.dim() - 2, as_index(groups)
    stride, padding, dilation, more = (as_size(tuple(n), axes) for n in (stride, padding, dilation, output_padding))  # fmt: skip
    if transposed:
        return _transposed(input, weight, bias, stride, padding, dilation, more, groups)
    return _convolved(input, weight, bias, stride, padding, dilation, groups)


convolution.__module__ = "nbmodule"


# ---- what they share


def _convolve(name: str, axes: int, input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: Any) -> Tensor:  # fmt: skip
    """Return the convolution `name` along `axes` axes; a single image comes and goes without its batch."""
    single = input._array.ndim != axes + 2
    x = _as_batch(name, axes, input) if single else input
    stride, dilation = as_size(stride, axes), as_size(dilation, axes)
    if type(groups) is not int:
        groups = as_index(groups)
    if not isinstance(padding, str):
        padding = as_size(padding, axes)
    elif padding == "valid":
        padding = (0,) * axes
    elif padding == "same":
        x, padding = _padded_to_same(x, weight, stride, dilation, groups)
    else:
        raise RuntimeError(f"Invalid padding string: '{padding}'\nIt is one of 'valid' and 'same'.")
    out = _convolved(x, weight, bias, stride, padding, dilation, groups)
    return out.squeeze(0) if single else out


def _convolved(x: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: Size, dilation: Size, groups: int) -> Tensor:  # fmt: skip
    b = None if bias is None else bias._array.shape
    shapes = x._array.shape, weight._array.shape, b
    out = _output_size(*shapes, stride, padding, dilation, groups)
    _check_types(x, weight, bias, max(dilation) > 1)
    where = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    y = c.conv(x, weight, bias, out=out, **where)
    if not x._array.shape[1]:  # without channels PyTorch has no filters either
        return renamed(y[:, :0], "ConvolutionBackward0")
    return y


def _lay_down(name: str, axes: int, input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, output_padding: Any, groups: Any, dilation: Any) -> Tensor:  # fmt: skip
    """Return the transposed convolution `name` along `axes` axes."""
    single = input._array.ndim != axes + 2
    x = _as_batch(name, axes, input) if single else input
    stride, padding = as_size(stride, axes), as_size(padding, axes)
    dilation, more = as_size(dilation, axes), as_size(output_padding, axes)
    out = _transposed(x, weight, bias, stride, padding, dilation, more, as_index(groups))
    return out.squeeze(0) if single else out


def _transposed(x: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: Size, dilation: Size, output_padding: Size, groups: int) -> Tensor:  # fmt: skip
    b = None if bias is None else bias._array.shape
    shapes = x._array.shape, weight._array.shape, b
    size = _output_size(*shapes, stride, padding, dilation, groups, output_padding)
    _check_types(x, weight, bias, True)
    where = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    return c.conv_input(x, weight, bias, size=size, **where)


def _as_batch(name: str, axes: int, input: Tensor) -> Tensor:
    """Return a single image as a batch of one."""
    if input.dim() != axes + 1:
        raise RuntimeError(
            f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    return input.unsqueeze(0)


def _padded_to_same(x: Tensor, weight: Tensor, stride: Size, dilation: Size, groups: int) -> tuple[Tensor, Size]:  # fmt: skip
    """Return `x` and the padding with which the output has its size; an odd total goes to the far end of `x`."""
    axes = _axes_of(weight._array.shape, groups)
    if x.dim() != axes + 2:
        raise RuntimeError(
            f"Expected {axes + 2}-dimensional input for {axes + 2}-dimensional weight{list(weight.shape)}, but "
            f"got {x.dim()}-dimensional input of size {list(x.shape)} instead"
        )
    for name, numbers in (("stride", stride), ("dilation", dilation)):
        if len(numbers) != axes:
            raise RuntimeError(f"{name} cannot broadcast to {axes} dimensions")
    if any(n != 1 for n in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [n - 1 for n in reach(weight.shape[2:], dilation)]
    if min(totals) >= 0 and any(n % 2 for n in totals):
        warn_once(_COPIED, 5)
        x = s.pad(x, widths=[(0, 0), (0, 0), *((0, n % 2) for n in totals)])
    return x, tuple(max(n, 0) // 2 for n in totals)


_COPIED = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input "
    "be created"
)


def _axes_of(filters: Size, groups: int) -> int:
    """Return how many axes filters of this shape slide along."""
    if len(filters) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    return len(filters) - 2


@lru_cache(512)
def _output_size(shape: Size, filters: Size, bias: Size | None, stride: Size, padding: Size, dilation: Size, groups: int, output_padding: Size | None = None) -> Size:  # fmt: skip
    """Return the size that the output has along each axis; `output_padding` is that of a transposed convolution.

    Raises:
        RuntimeError: the sizes do not fit; PyTorch's order and words.
    """
    back = output_padding is not None
    more = (0,) * (len(filters) - 2) if output_padding is None else output_padding
    axes = _axes_of(filters, groups)
    for name, numbers in (("stride", stride), ("padding", padding), ("dilation", dilation), ("output_padding", more)):  # fmt: skip
        if len(numbers) not in (1, axes):
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of {axes} values to match the convolution "
                f"dimensions, but got {name}={list(numbers)}"
            )
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(more) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) < 0:
        raise RuntimeError("dilation should be greater than zero")
    _check_channels(list(shape), list(filters), bias, groups, back)
    size, kernel = shape[2:], filters[2:]
    under = reach(kernel, dilation)
    room = tuple(n + 2 * p for n, p in zip(size, padding, strict=True))
    if not back and any(n < k for n, k in zip(room, under, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({_by(room)}). Kernel size: ({_by(under)}). Kernel size "
            "can't be greater than actual input size"
        )
    if 0 in size and shape[0] and shape[1]:
        raise RuntimeError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {list(shape)}"
        )
    for what, numbers in (("kernel size", kernel), ("dilation", dilation)):
        if 0 in numbers:
            raise RuntimeError(f"{what} should be greater than zero, but got {list(numbers)}")
    if not back:
        return output_size(room, kernel, stride, dilation)
    if not filters[1]:
        raise RuntimeError(f"non-empty weight tensor expected, but got: {list(filters)}")
    if shape[0] and any(m >= max(s, d) for m, s, d in zip(more, stride, dilation, strict=True)):
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got output_padding={list(more)}, "
            f"stride={list(stride)} and dilation={list(dilation)}"
        )
    rows = zip(size, stride, padding, under, more, strict=True)
    out = tuple((n - 1) * s - 2 * p + k + m for n, s, p, k, m in rows)
    if min(out) < 1:
        raise RuntimeError(
            f"Given input size per channel: ({_by(size)}). Calculated output size per channel: ({_by(out)}). "
            "Output size is too small"
        )
    return out


def _check_channels(shape: list[int], filters: list[int], bias: Size | None, groups: int, back: bool) -> None:  # fmt: skip
    if len(shape) != len(filters):
        raise RuntimeError(
            f"Expected {len(filters)}-dimensional input for {len(filters)}-dimensional weight {filters}, but got "
            f"{len(shape)}-dimensional input of size {shape} instead"
        )
    if filters[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of "
            f"size {filters} instead"
        )
    if filters[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight "
            f"of size [{filters}] instead"
        )
    channels, results = filters[1] * groups, filters[0]
    given, weight = f"groups={groups}", "weight"
    if back:
        channels, results = filters[0], filters[1] * groups
        given, weight = "transposed=1", "transposed=1, weight"
    if shape[1] != channels:
        raise RuntimeError(
            f"Given {given}, weight of size {filters}, expected input{shape} to have {channels} channels, but got "
            f"{shape[1]} channels instead"
        )
    if bias is not None and bias != (results,):
        raise RuntimeError(
            f"Given {weight} of size {filters}, expected bias to be 1-dimensional with {results} elements, but got "
            f"bias of size {list(bias)} instead"
        )


def _by(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


def _check_types(x: Tensor, weight: Tensor, bias: Tensor | None, apart: bool) -> None:
    """Raise where NumPy would compute in a common type, or with types that PyTorch does not take.

    Of whole numbers PyTorch takes int64 alone where filters are laid down or see elements that lie `apart`.
    """
    kind = x._array.dtype
    if bias is not None and bias._array.dtype != kind:
        raise RuntimeError(
            f"Input type ({x.dtype.c_name}) and bias type ({bias.dtype.c_name}) should be the same"
        )
    if kind.kind != "f" and (kind.kind == "b" or (apart and kind != "int64")):
        raise not_implemented("convolution", x)
    if weight._array.dtype != kind:
        raise RuntimeError(
            f"expected scalar type {x.dtype.scalar_name} but found {weight.dtype.scalar_name}"
        )
