"""Convolutions that find out `in_channels` from their first input; `conv.py` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.html#convolution-layers
"""

from __future__ import annotations

from typing import Any

from ..common_types import _size_1_t, _size_2_t, _size_3_t
from ._conv_nd import _LazyConvXdMixin
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d


class LazyConv1d(_LazyConvXdMixin, Conv1d):
    """A `Conv1d` that takes `in_channels` from its first input, (N, C, L), and becomes one.

    Args:
        out_channels: F, how many filters there are.
        kernel_size: the size of the filters; all arguments are those of `Conv1d`.
        stride: how far they move.
        padding: how much is put around.
        dilation: the distance between the elements that a filter sees.
        groups: in how many parts the channels are split.
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

    __module__ = "nbmodule.nn.modules.conv"
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
        groups: in how many parts the channels are split.
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

    __module__ = "nbmodule.nn.modules.conv"
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
        groups: in how many parts the channels are split.
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

    __module__ = "nbmodule.nn.modules.conv"
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
        groups: in how many parts the channels are split.
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

    __module__ = "nbmodule.nn.modules.conv"
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
        groups: in how many parts the channels are split.
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

    __module__ = "nbmodule.nn.modules.conv"
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
        groups: in how many parts the channels are split.
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

    __module__ = "nbmodule.nn.modules.conv"
    cls_to_become = ConvTranspose3d

    def __init__(self, out_channels: int, kernel_size: _size_3_t, stride: _size_3_t = 1, padding: _size_3_t = 0, output_padding: _size_3_t = 0, groups: int = 1, bias: bool = True, dilation: _size_3_t = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype)  # fmt: skip
        self._put_off(out_channels, bias, device, dtype)

    def _get_num_spatial_dims(self) -> int:
        return 3
