"""Layers that slide filters over signals, images and volumes, and those that lay them down.

Source: https://docs.pytorch.org/docs/stable/nn.html#convolution-layers
"""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from ..common_types import _size_1_t, _size_2_t, _size_3_t
from ._conv_nd import _ConvNd, _ConvTransposeNd, _LazyConvXdMixin
from .utils import _pair, _single, _triple

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d",
    "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
]  # fmt: skip


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
