"""Convolutions and transposed convolutions, along one, two or three axes.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#convolution-functions
"""

from __future__ import annotations

from ..._functions._wrap import explained_function
from ..._tensor import Tensor
from ..common_types import _size_1_t, _size_2_t, _size_3_t
from ._convolution import convolve, convolve_back, time_batch_channels


@explained_function
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
        groups: in how many parts the channels are split; filters see only theirs.

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
    return convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@explained_function
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
        groups: in how many parts the channels are split; filters see only theirs.

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
    return convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@explained_function
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _size_3_t = 1, padding: _size_3_t | str = 0, dilation: _size_3_t = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Slide the filters of `weight` over volumes: `conv1d` along three axes.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        weight: (F, C / groups, kd, kh, kw)
        bias: (F,) or None
        stride: how far the filters move, one number or (depth, vertical, horizontal).
        padding: zeros around the volume, likewise, or "valid", or "same".
        dilation: the distance between the elements that a filter sees.
        groups: in how many parts the channels are split; filters see only theirs.

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
    return convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@explained_function
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
        groups: in how many parts the channels are split.
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
    return convolve_back("conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation)  # fmt: skip


@explained_function
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _size_2_t = 1, padding: _size_2_t = 0, output_padding: _size_2_t = 0, groups: int = 1, dilation: _size_2_t = 1) -> Tensor:  # fmt: skip
    """Lay down filters, each times its pixel, and add up where they overlap: `conv_transpose1d` along two axes.

    Args:
        input: (N, C, H, W) or (C, H, W)
        weight: (C, F / groups, kh, kw)
        bias: (F,) or None
        stride: how far apart the filters are laid, one number or (vertical, horizontal).
        padding: how many rows and columns are cut off on all sides.
        output_padding: how many more rows and columns there are at the far ends.
        groups: in how many parts the channels are split.
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
    return convolve_back("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation)  # fmt: skip


@explained_function
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _size_3_t = 1, padding: _size_3_t = 0, output_padding: _size_3_t = 0, groups: int = 1, dilation: _size_3_t = 1) -> Tensor:  # fmt: skip
    """Lay down filters in a volume and add up where they overlap: `conv_transpose1d` along three axes.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W)
        weight: (C, F / groups, kd, kh, kw)
        bias: (F,) or None
        stride: how far apart the filters are laid, one number or three.
        padding: how much is cut off on all sides.
        output_padding: how much more there is at the far ends.
        groups: in how many parts the channels are split.
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
    return convolve_back("conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation)  # fmt: skip


@explained_function
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
    return time_batch_channels(input, weight, bias, pad)
