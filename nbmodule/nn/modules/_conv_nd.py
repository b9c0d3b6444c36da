"""What layers of convolution have in common, whatever the number of axes; `conv.py` holds the layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ... import _factories
from ..._formats import contiguous_format
from ..._tensor import Tensor
from ...autograd import no_grad
from .. import init
from ..parameter import Parameter, UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module
from .utils import _reverse_repeat_tuple, _single

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """The base class of all convolutions: checks, parameters, their first values, and the representation.

    ``isinstance(m, nn.modules.conv._ConvNd)`` finds them. The arguments are those of `Conv2d`, as tuples, and two more.

    Args:
        in_channels: C
        out_channels: F
        kernel_size: one number for each axis, as for the next four.
        stride: how far the filters move.
        padding: how much there is on both sides; or "same", or "valid".
        dilation: the distance between the elements that a filter sees.
        transposed: whether it goes in the other direction.
        output_padding: how much more there is at the far ends of a transposed one.
        groups: into how many groups the channels are split.
        bias: whether there is one.
        padding_mode: what the padding is made of.
        device: where the parameters live.
        dtype: of the parameters.

    Raises:
        ValueError: `groups` does not divide the channels, or a padding is unknown.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html

    Example:
        >>> from nbmodule import nn
        >>> layers = nn.Sequential(nn.Conv1d(1, 2, 3), nn.ReLU(), nn.ConvTranspose3d(1, 2, 3))
        >>> [isinstance(layer, nn.modules.conv._ConvNd) for layer in layers]
        [True, False, True]
    """

    __module__ = "nbmodule.nn.modules.conv"
    __constants__ = [
        "stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels",
        "out_channels", "kernel_size",
    ]  # fmt: skip
    in_channels: int
    _reversed_padding_repeated_twice: Sequence[int]
    out_channels: int
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: str | tuple[int, ...]
    dilation: tuple[int, ...]
    transposed: bool
    output_padding: tuple[int, ...]
    groups: int
    padding_mode: str
    weight: Any
    bias: Any

    def __init__(self, in_channels: int, out_channels: int, kernel_size: tuple[int, ...], stride: tuple[int, ...], padding: str | tuple[int, ...], dilation: tuple[int, ...], transposed: bool, output_padding: tuple[int, ...], groups: int, bias: bool, padding_mode: str, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        _check_channels(in_channels, out_channels, groups)
        _check_padding(padding, stride, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _widths_for_pad(padding, kernel_size, dilation)
        like = {"device": device, "dtype": dtype}
        outer, inner = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self.weight = Parameter(_factories.empty((outer, inner // groups, *kernel_size), **like))
        if bias:
            self.bias = Parameter(_factories.empty(out_channels, **like))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters again, evenly from ±1/sqrt(fan_in)."""
        drawn = self.weight
        if not drawn.is_contiguous():  # the numbers must not depend on where they lie in memory
            drawn = _factories.empty_like(drawn, memory_format=contiguous_format)
        init.kaiming_uniform_(drawn, a=math.sqrt(5))  # this `a` makes it just that
        if drawn is not self.weight:
            with no_grad():
                self.weight.copy_(drawn)
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Convolve with the settings of this layer; subclasses that change the weight call it."""
        raise NotImplementedError

    def extra_repr(self) -> str:
        """Return the channels and what differs from the defaults."""
        shown = [f"{self.in_channels}, {self.out_channels}"]
        shown += [f"kernel_size={self.kernel_size}", f"stride={self.stride}"]
        if self.padding != (0,) * len(self.padding):
            shown.append(f"padding={self.padding}")
        if self.dilation != (1,) * len(self.dilation):
            shown.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * len(self.output_padding):
            shown.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            shown.append(f"groups={self.groups}")
        if self.bias is None:
            shown.append("bias=False")
        if self.padding_mode != "zeros":
            shown.append(f"padding_mode={self.padding_mode}")
        return ", ".join(shown)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not hasattr(self, "padding_mode"):  # from before there were any
            self.padding_mode = "zeros"


def _check_channels(in_channels: int, out_channels: int, groups: int) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups:
        raise ValueError("out_channels must be divisible by groups")


def _check_padding(padding: Any, stride: tuple[int, ...], padding_mode: str) -> None:
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(
                f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}"
            )
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if padding_mode not in PADDING_MODES:
        known = ", ".join(map(repr, PADDING_MODES))
        raise ValueError(
            f"padding_mode must be one of {{{known}}}, but got padding_mode='{padding_mode}'"
        )


def _widths_for_pad(padding: Any, kernel_size: tuple[int, ...], dilation: tuple[int, ...]) -> Sequence[int]:  # fmt: skip
    """Return `padding` as `functional.pad` takes it: (before, after), the last axis first."""
    if not isinstance(padding, str):
        return _reverse_repeat_tuple(padding, 2)
    if padding == "valid":
        return [0, 0] * len(kernel_size)
    widths = []
    for d, k in zip(reversed(dilation), reversed(kernel_size), strict=False):
        total = d * (k - 1)
        widths += [total // 2, total - total // 2]
    return widths


class _ConvTransposeNd(_ConvNd):
    """The base class of the transposed convolutions; see `_ConvNd` for the arguments.

    Raises:
        ValueError: a padding mode other than "zeros".

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html

    Example:
        >>> from nbmodule import nn
        >>> isinstance(nn.ConvTranspose2d(1, 2, 3), nn.modules.conv._ConvTransposeNd)
        True
    """

    __module__ = "nbmodule.nn.modules.conv"

    def __init__(self, in_channels: int, out_channels: int, kernel_size: tuple[int, ...], stride: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...], transposed: bool, output_padding: tuple[int, ...], groups: int, bias: bool, padding_mode: str, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(
                f'Only "zeros" padding mode is supported for {self.__class__.__name__}'
            )
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups, bias, padding_mode, device, dtype)  # fmt: skip

    def _transposed(self, convolve: Any, axes: int, input: Tensor, output_size: Any) -> Tensor:
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for ConvTranspose{axes}d")
        more = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, axes, self.dilation)  # fmt: skip
        return convolve(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)  # fmt: skip

    def _output_padding(self, input: Tensor, output_size: Any, stride: Any, padding: Any, kernel_size: Any, num_spatial_dims: int, dilation: Any = None) -> Any:  # fmt: skip
        """Return how much more there must be at the far ends for the output to have `output_size`.

        Several sizes of an input lead to the same output where a stride skips; this is what tells them apart.
        """
        if output_size is None:
            return _single(self.output_padding)
        before = 2 if input.dim() == num_spatial_dims + 2 else 1
        if len(output_size) == before + num_spatial_dims:
            output_size = output_size[before:]
        if len(output_size) != num_spatial_dims:
            raise ValueError(
                f"ConvTranspose{num_spatial_dims}D: for {input.dim()}D input, output_size must have "
                f"{num_spatial_dims} or {before + num_spatial_dims} elements (got {len(output_size)})"
            )
        least = [
            (input.size(i + before) - 1) * stride[i]
            - 2 * padding[i]
            + (1 if dilation is None else dilation[i]) * (kernel_size[i] - 1)
            + 1
            for i in range(num_spatial_dims)
        ]
        most = [n + s - 1 for n, s in zip(least, stride, strict=False)]
        if any(not low <= n <= high for low, n, high in zip(least, output_size, most, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.size()[2:]})"
            )
        return [n - low for n, low in zip(output_size, least, strict=True)]


class _LazyConvXdMixin(LazyModuleMixin):
    """Makes a convolution find out `in_channels` from its first input."""

    __module__ = "nbmodule.nn.modules.conv"
    groups: int
    transposed: bool
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    weight: Any
    bias: Any

    def _put_off(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        """Take parameters without a shape; the layer was made without channels and without a bias."""
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters again, once they have a shape."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:  # type: ignore[override]
        """Give the parameters the shapes that `input` asks for, and draw them.

        Raises:
            ValueError: `groups` does not divide its channels.
            RuntimeError: it has a wrong number of dimensions.
        """
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        outer, inner = self.out_channels, self.in_channels
        if self.transposed:
            outer, inner = inner, outer
        self.weight.materialize((outer, inner // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self, input: Tensor) -> int:
        single = self._get_num_spatial_dims() + 1
        if input.dim() not in (single, single + 1):
            raise RuntimeError(
                f"Expected {single}D (unbatched) or {single + 1}D (batched) input to {self.__class__.__name__}, "
                f"but got input of size: {input.shape}"
            )
        return input.shape[1] if input.dim() > single else input.shape[0]

    def _get_num_spatial_dims(self) -> int:
        raise NotImplementedError
