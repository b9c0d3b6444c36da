"""Layers that slide filters over images."""

from __future__ import annotations

import math
from typing import Any

from ... import _factories
from ..._tensor import Tensor
from .. import functional as F
from .. import init
from .._functional.pooling import pair
from ..common_types import _size_2_t
from ..parameter import Parameter
from .module import Module


class Conv2d(Module):
    """Slides `out_channels` filters over images, from (N, C, H, W) to (N, F, oh, ow).

    Args:
        in_channels: C, how many channels the images have.
        out_channels: F, how many filters there are.
        kernel_size: the size of the filters, one number or (height, width).
        stride: how far the filters move.
        padding: zeros around the image; "same" keeps the size, "valid" means none.
        dilation: the distance between the pixels that a filter sees.
        groups: in how many parts the channels are split; filters see only theirs.
        bias: whether there is one.
        padding_mode: only "zeros" in this version.
        device: where the parameters live.
        dtype: of the parameters; the default dtype when left out.

    Attributes:
        weight: (F, C / groups, kh, kw), drawn evenly from ±1/sqrt(C / groups * kh * kw).
        bias: (F,), drawn likewise.

    Raises:
        ValueError: `groups` does not divide the channels, or a padding is unknown.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Conv2d(1, 20, 5)
        >>> layer(nbmodule.randn(32, 1, 28, 28)).shape
        nbmodule.Size([32, 20, 24, 24])
    """

    bias: Parameter | None

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_2_t, stride: _size_2_t = 1, padding: _size_2_t | str = 0, dilation: _size_2_t = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        _check_arguments(in_channels, out_channels, groups, padding, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = pair(kernel_size, "kernel_size")
        self.stride = pair(stride, "stride")
        self.padding = padding if isinstance(padding, str) else pair(padding, "padding")
        self.dilation = pair(dilation, "dilation")
        if padding == "same" and max(self.stride) > 1:
            raise ValueError("padding='same' is not supported for strided convolutions")
        self.transposed = False  # this and the next are for convolutions in the other direction
        self.output_padding = (0, 0)
        self.groups = groups
        self.padding_mode = padding_mode
        like = {"device": device, "dtype": dtype}
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = Parameter(_factories.empty(shape, **like))
        if bias:
            self.bias = Parameter(_factories.empty(out_channels, **like))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))  # = even between ±1/sqrt(fan_in)
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Return what each filter sees at each place, (N, F, oh, ow)."""
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)  # fmt: skip

    def extra_repr(self) -> str:
        """Return the channels and what differs from the defaults."""
        parts = [f"{self.in_channels}, {self.out_channels}"]
        parts += [f"kernel_size={self.kernel_size}", f"stride={self.stride}"]
        if self.padding != (0, 0):
            parts.append(f"padding={self.padding}")
        if self.dilation != (1, 1):
            parts.append(f"dilation={self.dilation}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)


def _check_arguments(in_channels: int, out_channels: int, groups: int, padding: Any, padding_mode: str) -> None:  # fmt: skip
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str) and padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding string '{padding}', should be one of 'same', 'valid'")
    if padding_mode != "zeros":
        raise ValueError(f"padding_mode must be 'zeros', but got padding_mode='{padding_mode}'")
