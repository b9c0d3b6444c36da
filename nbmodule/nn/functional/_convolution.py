"""What all convolutions have in common: how their arguments are read and checked, in PyTorch's order and words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._dtypes import float32
from ..._engine import renamed
from ..._errors import typed_name, warn_once
from ..._methods.common import kind_of
from ..._ops import conv as c
from ..._ops import shape as s
from ..._ops.sliding import Size, reach
from ..._tensor import Tensor
from ._checks import as_int, as_ints


def convolve(name: str, axes: int, input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: Any) -> Tensor:  # fmt: skip
    """Return the convolution `name` along `axes` axes; a single image comes and goes without its batch."""
    stride, dilation = as_ints(stride, axes), as_ints(dilation, axes)
    padding = padding if isinstance(padding, str) else as_ints(padding, axes)
    groups = as_int(groups)
    images = batched(name, axes, input, weight, bias)
    if padding == "same":
        out = _same(images, weight, bias, stride, dilation, groups)
    elif isinstance(padding, str) and padding != "valid":
        raise RuntimeError(f"Invalid padding string: '{padding}'\nIt is one of 'valid' and 'same'.")
    else:
        around = (0,) if padding == "valid" else padding
        out = convolution(images, weight, bias, stride, around, dilation, groups)
    return out if images is input else out.squeeze(0)


def convolve_back(name: str, axes: int, input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, output_padding: Any, groups: Any, dilation: Any) -> Tensor:  # fmt: skip
    """Return the transposed convolution `name` along `axes` axes."""
    stride, padding = as_ints(stride, axes), as_ints(padding, axes)
    dilation, output_padding = as_ints(dilation, axes), as_ints(output_padding, axes)
    groups = as_int(groups)
    images = batched(name, axes, input, weight, bias)
    out = transposed(images, weight, bias, stride, padding, dilation, output_padding, groups)
    return out if images is input else out.squeeze(0)


def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: Size, dilation: Size, groups: int) -> Tensor:  # fmt: skip
    """Return the convolution of a batch along as many axes as `weight` has behind its first two."""
    axes = _axes_of(weight, groups)
    stride, padding = expanded("stride", stride, axes), expanded("padding", padding, axes)
    dilation = expanded("dilation", dilation, axes)
    _check_shapes(input, weight, bias, stride, padding, dilation, (0,), groups, False)
    sizes, kernel = input._array.shape, weight._array.shape[2:]
    room = tuple(n + 2 * p for n, p in zip(sizes[2:], padding, strict=True))
    under = reach(kernel, dilation)
    if any(n < k for n, k in zip(room, under, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({_by(room)}). Kernel size: ({_by(under)}). Kernel size "
            "can't be greater than actual input size"
        )
    if 0 in (*sizes, *kernel, *dilation):
        _check_empty(input, kernel, dilation, False)
    _check_types(input, weight, None, stride, dilation, groups, False)
    out = c.conv(
        input, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups
    )
    if not sizes[1]:  # without channels PyTorch has no filters either
        return renamed(out[:, :0], "ConvolutionBackward0")
    return out


def transposed(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: Size, dilation: Size, output_padding: Size, groups: int) -> Tensor:  # fmt: skip
    """Return the transposed convolution of a batch: what the adjoint of a convolution makes of it."""
    axes = _axes_of(weight, groups)
    stride, padding = expanded("stride", stride, axes), expanded("padding", padding, axes)
    dilation = expanded("dilation", dilation, axes)
    output_padding = expanded("output_padding", output_padding, axes)
    _check_shapes(input, weight, bias, stride, padding, dilation, output_padding, groups, True)
    kernel = weight.shape[2:]
    if 0 in (*input.shape, *weight.shape, *dilation):
        _check_empty(input, kernel, dilation, True, weight)
    if input.shape[0] and any(
        o >= max(st, d) for o, st, d in zip(output_padding, stride, dilation, strict=True)
    ):
        raise RuntimeError(_TOO_MUCH + _sizes_by_name(output_padding, stride, dilation))
    under = reach(kernel, dilation)
    size = tuple(
        (n - 1) * st - 2 * p + k + o
        for n, st, p, k, o in zip(
            input.shape[2:], stride, padding, under, output_padding, strict=True
        )
    )
    if min(size) < 1:
        flat = (1,) if axes == 1 else ()  # PyTorch makes images of signals
        raise RuntimeError(
            f"Given input size per channel: ({_by((*flat, *input.shape[2:]))}). Calculated output size per "
            f"channel: ({_by((*flat, *size))}). Output size is too small"
        )
    _check_types(input, weight, bias, stride, dilation, groups, True)
    where = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    return c.conv_input(input, weight, bias, size=size, **where)


def _same(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, dilation: Size, groups: int) -> Tensor:  # fmt: skip
    """Pad so that the output has the size of the input; what is left of an odd total goes to the far end."""
    axes = _axes_of(weight, groups)
    if input.dim() != axes + 2:
        raise RuntimeError(
            f"Expected {axes + 2}-dimensional input for {axes + 2}-dimensional weight{list(weight.shape)}, but "
            f"got {input.dim()}-dimensional input of size {list(input.shape)} instead"
        )
    for name, given in (("stride", stride), ("dilation", dilation)):
        if len(given) not in (1, axes):
            raise RuntimeError(f"{name} cannot broadcast to {axes} dimensions")
    if any(n != 1 for n in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [n - 1 for n in reach(weight.shape[2:], expanded("dilation", dilation, axes))]
    if min(totals) >= 0 and any(n % 2 for n in totals):
        warn_once(_COPIED, 5)
        input = s.pad(input, widths=[(0, 0), (0, 0), *((0, n % 2) for n in totals)])
    padding = tuple(max(n, 0) // 2 for n in totals)
    return convolution(input, weight, bias, stride, padding, dilation, groups)


_COPIED = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input "
    "be created"
)

# ---- arguments


def expanded(name: str, value: Size, axes: int) -> Size:
    """Return one number for each of `axes` axes."""
    if len(value) == axes:
        return value
    if len(value) != 1:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {axes} values to match the convolution "
            f"dimensions, but got {name}={list(value)}"
        )
    return value * axes


def batched(name: str, axes: int, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return `input` as a batch: itself, or with an axis of length 1 in front."""
    for given in (input, weight) if bias is None else (input, weight, bias):
        if not isinstance(given, Tensor):
            raise TypeError(f"expected a tensor, got {type(given).__name__}")
    back = "transpose" in name  # there the filters are looked at first, in `_check_types`
    if bias is not None and bias._array.dtype != input._array.dtype and not back:
        raise RuntimeError(
            f"Input type ({input.dtype.c_name}) and bias type ({bias.dtype.c_name}) should be the same"
        )
    dims = input.dim()
    if dims == axes + 2:
        return input
    if dims != axes + 1:
        raise RuntimeError(
            f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    return input.unsqueeze(0)


def _axes_of(weight: Tensor, groups: int) -> int:
    if weight.dim() < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    return weight.dim() - 2


def _check_shapes(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: Size, dilation: Size, output_padding: Size, groups: int, back: bool) -> None:  # fmt: skip
    shape, sizes = list(weight._array.shape), list(input._array.shape)
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(output_padding) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) < 0:
        raise RuntimeError("dilation should be greater than zero")
    if len(sizes) != len(shape):
        raise RuntimeError(
            f"Expected {len(shape)}-dimensional input for {len(shape)}-dimensional weight {shape}, but got "
            f"{len(sizes)}-dimensional input of size {sizes} instead"
        )
    if shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of "
            f"size {shape} instead"
        )
    if shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight "
            f"of size [{shape}] instead"
        )
    given = "transposed=1" if back else f"groups={groups}"
    channels, filters = (shape[0], shape[1] * groups) if back else (shape[1] * groups, shape[0])
    if sizes[1] != channels:
        raise RuntimeError(
            f"Given {given}, weight of size {shape}, expected input{sizes} to have {channels} channels, but got "
            f"{sizes[1]} channels instead"
        )
    if bias is not None and bias._array.shape != (filters,):
        given = "transposed=1, weight" if back else "weight"
        raise RuntimeError(
            f"Given {given} of size {shape}, expected bias to be 1-dimensional with {filters} elements, but got "
            f"bias of size {list(bias.shape)} instead"
        )


def _check_empty(input: Tensor, kernel: Size, dilation: Size, back: bool, weight: Tensor | None = None) -> None:  # fmt: skip
    """Raise where a size is 0 that must not be; batches and channels may."""
    flat = (1,) if len(kernel) == 1 else ()  # PyTorch makes images of signals
    if 0 in input.shape[2:] and input.shape[0] and input.shape[1]:
        raise RuntimeError(
            "Only zero batch or zero channel inputs are supported, but got input shape: "
            f"{[*input.shape[:2], *flat, *input.shape[2:]]}"
        )
    two, steps = (*flat, *kernel), (*flat, *dilation)
    names = ("depth", "height", "width")[-len(two) :]
    if 0 in kernel and not (back and len(two) == 3):
        if max(dilation) > 1 and not back:
            found = f" {list(two)}"
        elif len(two) == 3:
            found = f": {_by(two)} (TxHxW)"
        else:
            found = "".join(f" kernel_{n}: {k}" for n, k in zip(names, two, strict=True))
        raise RuntimeError(f"kernel size should be greater than zero, but got{found}")
    if 0 in dilation:
        found = ", ".join(f"dilation_{n}: {d}" for n, d in zip(names, steps, strict=True))
        found = found if back else str(list(steps))
        raise RuntimeError(f"dilation should be greater than zero, but got {found}")
    if weight is not None and 0 in weight.shape[1:]:
        start, expected = "non-empty 2D or 4D weight tensor expected", list(weight.shape)
        if len(kernel) == 1:
            expected.insert(2, 1)
        elif len(kernel) == 3:
            start = (
                "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) "
                "tensor expected for weight"
            )
        raise RuntimeError(f"{start}, but got: {expected}")


_TOO_MUCH = "output padding must be smaller than either stride or dilation, but got "


def _sizes_by_name(output_padding: Size, stride: Size, dilation: Size) -> str:
    names = ("depth", "height", "width")[-max(len(stride), 2) :]
    if len(stride) == 1:
        output_padding, stride, dilation = (0, *output_padding), (1, *stride), (1, *dilation)
    rows = (("output_padding", output_padding), ("stride", stride), ("dilation", dilation))
    return " ".join(f"{row}_{n}: {v}" for row, values in rows for n, v in zip(names, values, strict=True))  # fmt: skip


def _check_types(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, dilation: Size, groups: int, back: bool) -> None:  # fmt: skip
    kind, axes = input._array.dtype.kind, len(stride)
    if kind != "f" and (
        kind == "b" or ((back or max(dilation) > 1) and input.dtype.scalar_name != "Long")
    ):
        kernel = "slow_conv2d_cpu" if axes < 3 else "compute_columns3d"
        if back:
            kernel = f"slow_conv_transpose{max(axes, 2)}d_out_cpu"
        elif max(dilation) > 1:
            kernel = "slow_conv_dilated<>"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{kind_of(input)}'")
    for name, t in (("weight", weight), ("bias", bias)):
        if t is None or t._array.dtype == input._array.dtype:
            continue
        if _is_for_onednn(input, weight, stride, dilation, groups):
            raise RuntimeError(
                f"Input type ({typed_name(input._array)}) and {name} type ({typed_name(t._array)}) should be the same "
                f"or input should be a MKLDNN tensor and {name} is a dense tensor"
            )
        raise RuntimeError(
            f"expected scalar type {input.dtype.scalar_name} but found {t.dtype.scalar_name}"
        )


def _is_for_onednn(input: Tensor, weight: Tensor, stride: Size, dilation: Size, groups: int) -> bool:  # fmt: skip
    """Return whether PyTorch leaves the work to oneDNN, where one thread does it; it then has other words."""
    if input.dtype is not float32 or not input.numel():
        return False
    kernel = (1, *weight.shape[2:])[-2:]
    many = input.size(0)
    worth = max(*stride, *dilation) > 1 or many >= 16 or max(kernel) > 1
    return worth and (groups > 1 or many > 1 or min(kernel) > 3 or input.numel() > 20480)


def _by(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


def time_batch_channels(input: Tensor, weight: Tensor, bias: Tensor, pad: int) -> Tensor:
    """Return the convolution of (T, N, C) by (K, C, F)."""
    pad = as_int(pad)
    for given in (input, weight, bias):
        if not isinstance(given, Tensor):
            raise TypeError(f"expected a tensor, got {type(given).__name__}")
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
