"""Layers that slide filters over signals, images and volumes, and those that lay them down.

Source: https://docs.pytorch.org/docs/stable/nn.html#convolution-layers
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ... import _factories
from ..._formats import contiguous_format
from ..._tensor import Tensor
from ...autograd import no_grad
from .. import functional as F
from .. import init
from ..common_types import _size_1_t, _size_2_t, _size_3_t
from ..parameter import Parameter, UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module
from .utils import _pair, _reverse_repeat_tuple, _single, _triple

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d",
    "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
]  # fmt: skip

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


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
    if padding_mode not in _PADDING_MODES:
        known = ", ".join(map(repr, _PADDING_MODES))
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


class Conv1d(_ConvNd):
    """Slides `out_channels` filters over signals, from (N, C, L) to (N, F, out), or (C, L) to (F, out).

    ``out[n, f] = bias[f] + sum over c of weight[f, c] ⋆ input[n, c]``; the length is
    ``(L + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1``.

    Args:
        in_channels: C, how many channels the signals have.
        out_channels: F, how many filters there are.
        kernel_size: how long the filters are.
        stride: how far they move.
        padding: as in `Conv2d`; likewise the arguments that follow.
        dilation: the distance between the elements that a filter sees.
        groups: into how many groups the channels are split.
        bias: whether there is one.
        padding_mode: what is put at the ends.
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        weight: (F, C / groups, kernel_size), drawn evenly from ±1/sqrt(C / groups * kernel_size).
        bias: (F,), drawn likewise.

    Raises:
        ValueError: `groups` does not divide the channels, or a padding is unknown.
        RuntimeError: on a call, when the input does not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv1d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Conv1d(16, 33, 3, stride=2)
        >>> layer(nbmodule.randn(20, 16, 50)).shape
        nbmodule.Size([20, 33, 24])
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_1_t, stride: _size_1_t = 1, padding: str | _size_1_t = 0, dilation: _size_1_t = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        around = padding if isinstance(padding, str) else _single(padding)
        super().__init__(in_channels, out_channels, _single(kernel_size), _single(stride), around, _single(dilation), False, _single(0), groups, bias, padding_mode, device, dtype)  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return F.conv1d(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """Return what each filter sees at each place, (N, F, out)."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv2d(_ConvNd):
    """Slides `out_channels` filters over images, from (N, C, H, W) to (N, F, oh, ow).

    ``out[n, f] = bias[f] + sum over c of weight[f, c] ⋆ input[n, c]``, where ⋆ is the cross-correlation, and
    ``oh = (H + 2 * padding - dilation * (kh - 1) - 1) // stride + 1``; likewise `ow`.

    Args:
        in_channels: C, how many channels the images have.
        out_channels: F, how many filters there are.
        kernel_size: the size of the filters, one number or (height, width).
        stride: how far the filters move, likewise.
        padding: how much is put around the image, likewise; "same" keeps the size, "valid" means none.
        dilation: the distance between the pixels that a filter sees.
        groups: into how many groups the channels are split; filters see only theirs.
        bias: whether there is one; without it ``layer.bias`` is None.
        padding_mode: what is put around: "zeros", "reflect", "replicate" or "circular", as in `functional.pad`.
        device: where the parameters live.
        dtype: of the parameters; the default dtype when left out.

    Attributes:
        weight: (F, C / groups, kh, kw), drawn evenly from ±1/sqrt(C / groups * kh * kw).
        bias: (F,), drawn likewise.

    Raises:
        ValueError: `groups` does not divide the channels, or a padding is unknown.
        RuntimeError: on a call, when the input does not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Conv2d(1, 20, 5)
        >>> layer(nbmodule.randn(32, 1, 28, 28)).shape
        nbmodule.Size([32, 20, 24, 24])
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_2_t, stride: _size_2_t = 1, padding: str | _size_2_t = 0, dilation: _size_2_t = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        around = padding if isinstance(padding, str) else _pair(padding)
        super().__init__(in_channels, out_channels, _pair(kernel_size), _pair(stride), around, _pair(dilation), False, _pair(0), groups, bias, padding_mode, device, dtype)  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return F.conv2d(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """Return what each filter sees at each place, (N, F, oh, ow)."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv3d(_ConvNd):
    """Slides `out_channels` filters over volumes, from (N, C, D, H, W) to (N, F, od, oh, ow).

    The formula is that of `Conv2d`, with a depth before height and width.

    Args:
        in_channels: C, how many channels the volumes have.
        out_channels: F, how many filters there are.
        kernel_size: the size of the filters, one number or (depth, height, width).
        stride: how far they move, likewise.
        padding: as in `Conv2d`; likewise the arguments that follow.
        dilation: the distance between the elements that a filter sees.
        groups: into how many groups the channels are split.
        bias: whether there is one.
        padding_mode: what is put around.
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        weight: (F, C / groups, kd, kh, kw), drawn evenly from ±1/sqrt(C / groups * kd * kh * kw).
        bias: (F,), drawn likewise.

    Raises:
        ValueError: `groups` does not divide the channels, or a padding is unknown.
        RuntimeError: on a call, when the input does not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv3d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Conv3d(2, 4, (3, 5, 2), stride=(2, 1, 1), padding=(4, 2, 0))
        >>> layer(nbmodule.randn(3, 2, 5, 6, 7)).shape
        nbmodule.Size([3, 4, 6, 6, 6])
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_3_t, stride: _size_3_t = 1, padding: str | _size_3_t = 0, dilation: _size_3_t = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        around = padding if isinstance(padding, str) else _triple(padding)
        super().__init__(in_channels, out_channels, _triple(kernel_size), _triple(stride), around, _triple(dilation), False, _triple(0), groups, bias, padding_mode, device, dtype)  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return F.conv3d(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """Return what each filter sees at each place, (N, F, od, oh, ow)."""
        return self._conv_forward(input, self.weight, self.bias)


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


class ConvTranspose1d(_ConvTransposeNd):
    """Lays down `out_channels` filters, each times its element, and adds up: (N, C, L) to (N, F, out).

    The formula is that of `ConvTranspose2d`, along one axis.

    Args:
        in_channels: C, how many channels the signals have.
        out_channels: F, how many the result has.
        kernel_size: the size of the filters, one number.
        stride: how far apart they are laid.
        padding: as in `ConvTranspose2d`; likewise the arguments that follow.
        output_padding: how much more there is at the far end.
        groups: into how many groups the channels are split.
        bias: whether there is one.
        dilation: the distance between the elements of a filter.
        padding_mode: "zeros", nothing else.
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        weight: (C, F / groups, K), drawn evenly from ±1/sqrt(F / groups * K).
        bias: (F,), drawn likewise.

    Raises:
        ValueError: `groups` does not divide the channels, or the padding mode is another one.
        RuntimeError: on a call, when the input does not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose1d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.ConvTranspose1d(4, 2, 3, stride=2)
        >>> layer(nbmodule.randn(5, 4, 10)).shape
        nbmodule.Size([5, 2, 21])
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_1_t, stride: _size_1_t = 1, padding: _size_1_t = 0, output_padding: _size_1_t = 0, groups: int = 1, bias: bool = True, dilation: _size_1_t = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(in_channels, out_channels, _single(kernel_size), _single(stride), _single(padding), _single(dilation), True, _single(output_padding), groups, bias, padding_mode, device, dtype)  # fmt: skip

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Return the filters laid down and added up, (N, F, out).

        Args:
            input: (N, C, L)
            output_size: how large the result shall be, in place of `output_padding`.

        Raises:
            ValueError: no input of this size leads there.
        """
        return self._transposed(F.conv_transpose1d, 1, input, output_size)


class ConvTranspose2d(_ConvTransposeNd):
    """Lays down `out_channels` filters, each times its pixel, and adds up: (N, C, H, W) to (N, F, oh, ow).

    It does what the gradient of a `Conv2d` does, and so makes larger images of small ones:
    ``oh = (H - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1``; likewise `ow`.

    Args:
        in_channels: C, how many channels the images have.
        out_channels: F, how many the result has.
        kernel_size: the size of the filters, one number or (height, width).
        stride: how far apart they are laid, likewise.
        padding: how many rows and columns are cut off on all sides.
        output_padding: how many more rows and columns there are at the far ends; the image of a `Conv2d` with a
            stride may have had several sizes, and this picks one.
        groups: into how many groups the channels are split.
        bias: whether there is one; without it ``layer.bias`` is None.
        dilation: the distance between the pixels of a filter.
        padding_mode: "zeros", nothing else.
        device: where the parameters live.
        dtype: of the parameters; the default dtype when left out.

    Attributes:
        weight: (C, F / groups, kh, kw), drawn evenly from ±1/sqrt(F / groups * kh * kw).
        bias: (F,), drawn likewise.

    Raises:
        ValueError: `groups` does not divide the channels, or the padding mode is another one.
        RuntimeError: on a call, when the input does not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html

    Example:
        >>> import nbmodule
        >>> image = nbmodule.randn(1, 16, 12, 12)
        >>> down = nbmodule.nn.Conv2d(16, 16, 3, stride=2, padding=1)
        >>> up = nbmodule.nn.ConvTranspose2d(16, 16, 3, stride=2, padding=1)
        >>> small = down(image)
        >>> small.shape, up(small).shape, up(small, output_size=image.size()).shape
        (nbmodule.Size([1, 16, 6, 6]), nbmodule.Size([1, 16, 11, 11]), nbmodule.Size([1, 16, 12, 12]))
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_2_t, stride: _size_2_t = 1, padding: _size_2_t = 0, output_padding: _size_2_t = 0, groups: int = 1, bias: bool = True, dilation: _size_2_t = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(in_channels, out_channels, _pair(kernel_size), _pair(stride), _pair(padding), _pair(dilation), True, _pair(output_padding), groups, bias, padding_mode, device, dtype)  # fmt: skip

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Return the filters laid down and added up, (N, F, oh, ow).

        Args:
            input: (N, C, H, W)
            output_size: how large the result shall be, in place of `output_padding`.

        Raises:
            ValueError: no input of this size leads there.
        """
        return self._transposed(F.conv_transpose2d, 2, input, output_size)


class ConvTranspose3d(_ConvTransposeNd):
    """Lays down `out_channels` filters, each times its element, and adds up: (N, C, D, H, W) to (N, F, od, oh, ow).

    The formula is that of `ConvTranspose2d`, along three axes.

    Args:
        in_channels: C, how many channels the volumes have.
        out_channels: F, how many the result has.
        kernel_size: the size of the filters, one number or (depth, height, width).
        stride: how far apart they are laid.
        padding: as in `ConvTranspose2d`; likewise the arguments that follow.
        output_padding: how much more there is at the far end.
        groups: into how many groups the channels are split.
        bias: whether there is one.
        dilation: the distance between the elements of a filter.
        padding_mode: "zeros", nothing else.
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        weight: (C, F / groups, kd, kh, kw), drawn evenly from ±1/sqrt(F / groups * kd * kh * kw).
        bias: (F,), drawn likewise.

    Raises:
        ValueError: `groups` does not divide the channels, or the padding mode is another one.
        RuntimeError: on a call, when the input does not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose3d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.ConvTranspose3d(4, 2, 3, stride=(2, 1, 1), output_padding=(1, 0, 0))
        >>> layer(nbmodule.randn(1, 4, 3, 3, 3)).shape
        nbmodule.Size([1, 2, 8, 5, 5])
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_3_t, stride: _size_3_t = 1, padding: _size_3_t = 0, output_padding: _size_3_t = 0, groups: int = 1, bias: bool = True, dilation: _size_3_t = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(in_channels, out_channels, _triple(kernel_size), _triple(stride), _triple(padding), _triple(dilation), True, _triple(output_padding), groups, bias, padding_mode, device, dtype)  # fmt: skip

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Return the filters laid down and added up, (N, F, od, oh, ow).

        Args:
            input: (N, C, D, H, W)
            output_size: how large the result shall be, in place of `output_padding`.

        Raises:
            ValueError: no input of this size leads there.
        """
        return self._transposed(F.conv_transpose3d, 3, input, output_size)


class _LazyConvXdMixin(LazyModuleMixin):
    """Makes a convolution find out `in_channels` from its first input."""

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


class LazyConv1d(_LazyConvXdMixin, Conv1d):
    """A `Conv1d` that takes `in_channels` from its first input, (N, C, L), and becomes one.

    Args:
        out_channels: F, how many filters there are.
        kernel_size: the size of the filters; all arguments are those of `Conv1d`.
        stride: how far they move.
        padding: how much is put around.
        dilation: the distance between the elements that a filter sees.
        groups: into how many groups the channels are split.
        bias: whether there is one.
        padding_mode: what is put around.
        device: where the parameters are going to live.
        dtype: of the parameters.

    Attributes:
        cls_to_become: `Conv1d`.

    Raises:
        RuntimeError: on the first call, when the input has a wrong number of dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyConv1d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyConv1d(3, 2)
        >>> layer
        LazyConv1d(0, 3, kernel_size=(2,), stride=(1,))
        >>> _ = layer(nbmodule.randn(2, 5, 7))
        >>> type(layer).__name__, layer.weight.shape
        ('Conv1d', nbmodule.Size([3, 5, 2]))
    """

    cls_to_become = Conv1d

    def __init__(self, out_channels: int, kernel_size: _size_1_t, stride: _size_1_t = 1, padding: _size_1_t = 0, dilation: _size_1_t = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)  # fmt: skip
        self._put_off(out_channels, bias, device, dtype)

    def _get_num_spatial_dims(self) -> int:
        return 1


class LazyConv2d(_LazyConvXdMixin, Conv2d):
    """A `Conv2d` that takes `in_channels` from its first input, (N, C, H, W), and becomes one.

    Args:
        out_channels: F, how many filters there are.
        kernel_size: the size of the filters; all arguments are those of `Conv2d`.
        stride: how far they move.
        padding: how much is put around.
        dilation: the distance between the elements that a filter sees.
        groups: into how many groups the channels are split.
        bias: whether there is one.
        padding_mode: what is put around.
        device: where the parameters are going to live.
        dtype: of the parameters.

    Attributes:
        cls_to_become: `Conv2d`.

    Raises:
        RuntimeError: on the first call, when the input has a wrong number of dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyConv2d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyConv2d(3, 2)
        >>> layer
        LazyConv2d(0, 3, kernel_size=(2, 2), stride=(1, 1))
        >>> _ = layer(nbmodule.randn(4, 5, 7, 7))
        >>> type(layer).__name__, layer.weight.shape
        ('Conv2d', nbmodule.Size([3, 5, 2, 2]))
    """

    cls_to_become = Conv2d

    def __init__(self, out_channels: int, kernel_size: _size_2_t, stride: _size_2_t = 1, padding: _size_2_t = 0, dilation: _size_2_t = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)  # fmt: skip
        self._put_off(out_channels, bias, device, dtype)

    def _get_num_spatial_dims(self) -> int:
        return 2


class LazyConv3d(_LazyConvXdMixin, Conv3d):
    """A `Conv3d` that takes `in_channels` from its first input, (N, C, D, H, W), and becomes one.

    Args:
        out_channels: F, how many filters there are.
        kernel_size: the size of the filters; all arguments are those of `Conv3d`.
        stride: how far they move.
        padding: how much is put around.
        dilation: the distance between the elements that a filter sees.
        groups: into how many groups the channels are split.
        bias: whether there is one.
        padding_mode: what is put around.
        device: where the parameters are going to live.
        dtype: of the parameters.

    Attributes:
        cls_to_become: `Conv3d`.

    Raises:
        RuntimeError: on the first call, when the input has a wrong number of dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyConv3d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyConv3d(3, 2)
        >>> layer
        LazyConv3d(0, 3, kernel_size=(2, 2, 2), stride=(1, 1, 1))
        >>> _ = layer(nbmodule.randn(5, 4, 4, 4))
        >>> type(layer).__name__, layer.weight.shape
        ('Conv3d', nbmodule.Size([3, 5, 2, 2, 2]))
    """

    cls_to_become = Conv3d

    def __init__(self, out_channels: int, kernel_size: _size_3_t, stride: _size_3_t = 1, padding: _size_3_t = 0, dilation: _size_3_t = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)  # fmt: skip
        self._put_off(out_channels, bias, device, dtype)

    def _get_num_spatial_dims(self) -> int:
        return 3


class LazyConvTranspose1d(_LazyConvXdMixin, ConvTranspose1d):
    """A `ConvTranspose1d` that takes `in_channels` from its first input, (N, C, L), and becomes one.

    Args:
        out_channels: F, how many channels the result has.
        kernel_size: the size of the filters; all arguments are those of `ConvTranspose1d`.
        stride: how far apart they are laid.
        padding: how much is cut off on all sides.
        output_padding: how much more there is at the far ends.
        groups: into how many groups the channels are split.
        bias: whether there is one.
        dilation: the distance between the elements of a filter.
        padding_mode: "zeros", nothing else.
        device: where the parameters are going to live.
        dtype: of the parameters.

    Attributes:
        cls_to_become: `ConvTranspose1d`.

    Raises:
        RuntimeError: on the first call, when the input has a wrong number of dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyConvTranspose1d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyConvTranspose1d(3, 2)
        >>> layer
        LazyConvTranspose1d(0, 3, kernel_size=(2,), stride=(1,))
        >>> _ = layer(nbmodule.randn(2, 5, 7))
        >>> type(layer).__name__, layer.weight.shape
        ('ConvTranspose1d', nbmodule.Size([5, 3, 2]))
    """

    cls_to_become = ConvTranspose1d

    def __init__(self, out_channels: int, kernel_size: _size_1_t, stride: _size_1_t = 1, padding: _size_1_t = 0, output_padding: _size_1_t = 0, groups: int = 1, bias: bool = True, dilation: _size_1_t = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype)  # fmt: skip
        self._put_off(out_channels, bias, device, dtype)

    def _get_num_spatial_dims(self) -> int:
        return 1


class LazyConvTranspose2d(_LazyConvXdMixin, ConvTranspose2d):
    """A `ConvTranspose2d` that takes `in_channels` from its first input, (N, C, H, W), and becomes one.

    Args:
        out_channels: F, how many channels the result has.
        kernel_size: the size of the filters; all arguments are those of `ConvTranspose2d`.
        stride: how far apart they are laid.
        padding: how much is cut off on all sides.
        output_padding: how much more there is at the far ends.
        groups: into how many groups the channels are split.
        bias: whether there is one.
        dilation: the distance between the elements of a filter.
        padding_mode: "zeros", nothing else.
        device: where the parameters are going to live.
        dtype: of the parameters.

    Attributes:
        cls_to_become: `ConvTranspose2d`.

    Raises:
        RuntimeError: on the first call, when the input has a wrong number of dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyConvTranspose2d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyConvTranspose2d(3, 2)
        >>> layer
        LazyConvTranspose2d(0, 3, kernel_size=(2, 2), stride=(1, 1))
        >>> _ = layer(nbmodule.randn(4, 5, 7, 7))
        >>> type(layer).__name__, layer.weight.shape
        ('ConvTranspose2d', nbmodule.Size([5, 3, 2, 2]))
    """

    cls_to_become = ConvTranspose2d

    def __init__(self, out_channels: int, kernel_size: _size_2_t, stride: _size_2_t = 1, padding: _size_2_t = 0, output_padding: _size_2_t = 0, groups: int = 1, bias: bool = True, dilation: _size_2_t = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype)  # fmt: skip
        self._put_off(out_channels, bias, device, dtype)

    def _get_num_spatial_dims(self) -> int:
        return 2


class LazyConvTranspose3d(_LazyConvXdMixin, ConvTranspose3d):
    """A `ConvTranspose3d` that takes `in_channels` from its first input, (N, C, D, H, W), and becomes one.

    Args:
        out_channels: F, how many channels the result has.
        kernel_size: the size of the filters; all arguments are those of `ConvTranspose3d`.
        stride: how far apart they are laid.
        padding: how much is cut off on all sides.
        output_padding: how much more there is at the far ends.
        groups: into how many groups the channels are split.
        bias: whether there is one.
        dilation: the distance between the elements of a filter.
        padding_mode: "zeros", nothing else.
        device: where the parameters are going to live.
        dtype: of the parameters.

    Attributes:
        cls_to_become: `ConvTranspose3d`.

    Raises:
        RuntimeError: on the first call, when the input has a wrong number of dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyConvTranspose3d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyConvTranspose3d(3, 2)
        >>> layer
        LazyConvTranspose3d(0, 3, kernel_size=(2, 2, 2), stride=(1, 1, 1))
        >>> _ = layer(nbmodule.randn(5, 4, 4, 4))
        >>> type(layer).__name__, layer.weight.shape
        ('ConvTranspose3d', nbmodule.Size([5, 3, 2, 2, 2]))
    """

    cls_to_become = ConvTranspose3d

    def __init__(self, out_channels: int, kernel_size: _size_3_t, stride: _size_3_t = 1, padding: _size_3_t = 0, output_padding: _size_3_t = 0, groups: int = 1, bias: bool = True, dilation: _size_3_t = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype)  # fmt: skip
        self._put_off(out_channels, bias, device, dtype)

    def _get_num_spatial_dims(self) -> int:
        return 3
