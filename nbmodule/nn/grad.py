"""The gradients of convolutions, by themselves.

Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/grad.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._ops import conv as c
from .._ops import sliding
from .._tensor import Tensor
from .common_types import _size_1_t, _size_2_t, _size_3_t


def conv1d_input(input_size: Sequence[int], weight: Tensor, grad_output: Tensor, stride: _size_1_t = 1, padding: _size_1_t = 0, dilation: _size_1_t = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Return the gradient of `functional.conv1d` for its input.

    Args:
        input_size: (N, C, L), the shape of that input.
        weight: (F, C / groups, K)
        grad_output: (N, F, out), the gradient for the output.
        stride: as for the convolution, likewise the next three.
        padding: zeros at both ends.
        dilation: the distance between the elements that a filter sees.
        groups: into how many groups the channels are split.

    Returns:
        (N, C, L)

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/grad.py

    Example:
        >>> import nbmodule
        >>> weight, g = nbmodule.tensor([[[1.0, 10.0]]]), nbmodule.tensor([[[1.0, 2.0]]])
        >>> nbmodule.nn.grad.conv1d_input((1, 1, 3), weight, g)
        tensor([[[ 1., 12., 20.]]])
    """
    return _input(1, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv1d_weight(input: Tensor, weight_size: Sequence[int], grad_output: Tensor, stride: _size_1_t = 1, padding: _size_1_t = 0, dilation: _size_1_t = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Return the gradient of `functional.conv1d` for its weight.

    Args:
        input: (N, C, L)
        weight_size: (F, C / groups, K), the shape of that weight.
        grad_output: (N, F, out), the gradient for the output.
        stride: as for the convolution, likewise the next three.
        padding: zeros at both ends.
        dilation: the distance between the elements that a filter sees.
        groups: into how many groups the channels are split.

    Returns:
        (F, C / groups, K)

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/grad.py

    Example:
        >>> import nbmodule
        >>> x, g = nbmodule.tensor([[[1.0, 10.0, 100.0]]]), nbmodule.tensor([[[1.0, 2.0]]])
        >>> nbmodule.nn.grad.conv1d_weight(x, (1, 1, 2), g)
        tensor([[[ 21., 210.]]])
    """
    return _weight(1, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv2d_input(input_size: Sequence[int], weight: Tensor, grad_output: Tensor, stride: _size_2_t = 1, padding: _size_2_t = 0, dilation: _size_2_t = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Return the gradient of `functional.conv2d` for its input.

    Args:
        input_size: (N, C, H, W), the shape of that input.
        weight: (F, C / groups, kh, kw)
        grad_output: (N, F, oh, ow), the gradient for the output.
        stride: as for the convolution, likewise the next three.
        padding: zeros around the image.
        dilation: the distance between the pixels that a filter sees.
        groups: into how many groups the channels are split.

    Returns:
        (N, C, H, W)

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/grad.py

    Example:
        >>> import nbmodule
        >>> weight, g = nbmodule.randn(4, 3, 2, 2), nbmodule.randn(1, 4, 5, 5)
        >>> nbmodule.nn.grad.conv2d_input((1, 3, 6, 6), weight, g).shape
        nbmodule.Size([1, 3, 6, 6])
    """
    return _input(2, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv2d_weight(input: Tensor, weight_size: Sequence[int], grad_output: Tensor, stride: _size_2_t = 1, padding: _size_2_t = 0, dilation: _size_2_t = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Return the gradient of `functional.conv2d` for its weight.

    Args:
        input: (N, C, H, W)
        weight_size: (F, C / groups, kh, kw), the shape of that weight.
        grad_output: (N, F, oh, ow), the gradient for the output.
        stride: as for the convolution, likewise the next three.
        padding: zeros around the image.
        dilation: the distance between the pixels that a filter sees.
        groups: into how many groups the channels are split.

    Returns:
        (F, C / groups, kh, kw)

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/grad.py

    Example:
        >>> import nbmodule
        >>> x, weight = nbmodule.randn(2, 3, 6, 6), nbmodule.randn(4, 3, 2, 2, requires_grad=True)
        >>> y = nbmodule.nn.functional.conv2d(x, weight)
        >>> y.sum().backward()
        >>> grad = nbmodule.nn.grad.conv2d_weight(x, weight.shape, nbmodule.ones_like(y))
        >>> nbmodule.allclose(grad, weight.grad)
        True
    """
    return _weight(2, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv3d_input(input_size: Sequence[int], weight: Tensor, grad_output: Tensor, stride: _size_3_t = 1, padding: _size_3_t = 0, dilation: _size_3_t = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Return the gradient of `functional.conv3d` for its input.

    Args:
        input_size: (N, C, D, H, W), the shape of that input.
        weight: (F, C / groups, kd, kh, kw)
        grad_output: (N, F, od, oh, ow), the gradient for the output.
        stride: as for the convolution, likewise the next three.
        padding: zeros around the volume.
        dilation: the distance between the elements that a filter sees.
        groups: into how many groups the channels are split.

    Returns:
        (N, C, D, H, W)

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/grad.py

    Example:
        >>> import nbmodule
        >>> weight, g = nbmodule.randn(4, 3, 2, 2, 2), nbmodule.randn(1, 4, 2, 2, 2)
        >>> nbmodule.nn.grad.conv3d_input((1, 3, 3, 4, 4), weight, g, stride=(1, 2, 2)).shape
        nbmodule.Size([1, 3, 3, 4, 4])
    """
    return _input(3, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv3d_weight(input: Tensor, weight_size: Sequence[int], grad_output: Tensor, stride: _size_3_t = 1, padding: _size_3_t = 0, dilation: _size_3_t = 1, groups: int = 1) -> Tensor:  # fmt: skip
    """Return the gradient of `functional.conv3d` for its weight.

    Args:
        input: (N, C, D, H, W)
        weight_size: (F, C / groups, kd, kh, kw), the shape of that weight.
        grad_output: (N, F, od, oh, ow), the gradient for the output.
        stride: as for the convolution, likewise the next three.
        padding: zeros around the volume.
        dilation: the distance between the elements that a filter sees.
        groups: into how many groups the channels are split.

    Returns:
        (F, C / groups, kd, kh, kw)

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/grad.py

    Example:
        >>> import nbmodule
        >>> x, g = nbmodule.randn(1, 3, 3, 3, 3), nbmodule.randn(1, 4, 2, 2, 2)
        >>> nbmodule.nn.grad.conv3d_weight(x, (4, 3, 2, 2, 2), g).shape
        nbmodule.Size([4, 3, 2, 2, 2])
    """
    return _weight(3, input, weight_size, grad_output, stride, padding, dilation, groups)


def _input(axes: int, input_size: Sequence[int], weight: Tensor, grad_output: Tensor, stride: Any, padding: Any, dilation: Any, groups: int) -> Tensor:  # fmt: skip
    size = tuple(input_size)[2:]
    where = _where(axes, stride, padding, dilation, groups)
    return c.conv_input(grad_output, weight, None, size=size, **where)


def _weight(axes: int, input: Tensor, weight_size: Sequence[int], grad_output: Tensor, stride: Any, padding: Any, dilation: Any, groups: int) -> Tensor:  # fmt: skip
    kernel = tuple(weight_size)[2:]
    where = _where(axes, stride, padding, dilation, groups)
    return c.conv_weight(input, grad_output, kernel=kernel, **where)


def _where(axes: int, stride: Any, padding: Any, dilation: Any, groups: int) -> dict[str, Any]:
    where: dict[str, Any] = {"stride": stride, "padding": padding, "dilation": dilation}
    for name, value in where.items():
        where[name] = size = sliding.as_size(value, axes)
        if len(size) != axes:
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of {axes} values to match the convolution "
                f"dimensions, but got {name}={list(size)}"
            )
    return {**where, "groups": groups}
