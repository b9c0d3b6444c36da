"""Normalisation, as functions; `nbmodule.nn.functional` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#normalization-functions
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..._functions.elementwise import div
from ..._tensor import Tensor
from ._native import batch_normalization as batches
from ._native import normalization as native
from ._padding import pad
from ._pooling import avg_pool2d, avg_pool3d

_MORE = "Expected more than 1 {} when training, got input size {}"


def _check_batch_size(size: Sequence[int]) -> None:
    """Check that a channel has several values: of a single one the variance is 0."""
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(_MORE.format("value per channel", size))


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5) -> Tensor:  # fmt: skip
    """Bring each channel to mean 0 and variance 1 over the batch: ``(x - mean) / sqrt(var + eps) * weight + bias``.

    Args:
        input: (N, C) or (N, C, *)
        running_mean: (C,) the mean to use; in training it moves towards that of the batch, in place. None is
            possible in training.
        running_var: (C,) the variance, likewise; it moves towards that of division by n - 1.
        weight: (C,) or None for 1.
        bias: (C,) or None for 0.
        training: use the mean and the variance of the batch.
        momentum: how far the running statistics move, from 0 to 1.
        eps: keeps the root away from 0.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: a channel has one value in training, or `eps` is not positive.
        RuntimeError: the shapes or the dtypes do not fit, or statistics are missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.batch_norm.html

    Example:
        >>> import nbmodule
        >>> F = nbmodule.nn.functional
        >>> x = nbmodule.tensor([[1.0, 10.0], [3.0, 50.0]])
        >>> mean, var = nbmodule.zeros(2), nbmodule.ones(2)
        >>> F.batch_norm(x, mean, var, training=True)
        tensor([[-1.0000, -1.0000],
                [ 1.0000,  1.0000]])
        >>> mean, var  # after one step of a tenth
        (tensor([0.2000, 3.0000]), tensor([ 1.1000, 80.9000]))
    """
    if training:
        _check_batch_size(input.size())
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return batches.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)  # fmt: skip


def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5) -> Tensor:  # fmt: skip
    """Bring each channel of each sample to mean 0 and variance 1, by the formula of `batch_norm`.

    Args:
        input: (N, C, *)
        running_mean: (C,) or None; with `use_input_stats` it moves towards the mean of all samples' means.
        running_var: (C,) or None, likewise.
        weight: (C,) or None for 1.
        bias: (C,) or None for 0.
        use_input_stats: use the mean and the variance of each sample, otherwise the running ones.
        momentum: how far the running statistics move, from 0 to 1.
        eps: keeps the root away from 0.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: a channel of a sample has one value.
        RuntimeError: the shapes do not fit, or statistics are missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.instance_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[[1.0, 3.0], [5.0, 25.0]]])
        >>> nbmodule.nn.functional.instance_norm(x)
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])
    """
    if use_input_stats and math.prod(input.size()[2:]) == 1:
        raise ValueError(_MORE.format("spatial element", input.size()))
    return batches.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)  # fmt: skip


def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:  # fmt: skip
    """Bring the last dimensions to mean 0 and variance 1: ``(x - mean) / sqrt(var + eps) * weight + bias``.

    Args:
        input: (*, *normalized_shape)
        normalized_shape: the sizes of the last dimensions, over which the mean and the variance are taken.
        weight: of `normalized_shape`, or None for 1.
        bias: of `normalized_shape`, or None for 0.
        eps: keeps the root away from 0.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: the shapes or the dtypes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.layer_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[1.0, 3.0], [10.0, 50.0]])
        >>> nbmodule.nn.functional.layer_norm(x, (2,))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])
    """
    return native.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:  # fmt: skip
    """Bring each group of channels of each sample to mean 0 and variance 1, then scale and shift each channel.

    Args:
        input: (N, C, *)
        num_groups: into how many groups of neighbours the channels fall.
        weight: (C,) or None for 1.
        bias: (C,) or None for 0.
        eps: keeps the root away from 0.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: a group has one value.
        RuntimeError: the shapes or the dtypes do not fit, or the groups do not divide the channels.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.group_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[1.0, 3.0, 10.0, 50.0]])
        >>> nbmodule.nn.functional.group_norm(x, 2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    if input.dim() < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {input.dim()}"
        )
    n, c = input.shape[:2]
    _check_batch_size([n * c // num_groups, num_groups, *input.shape[2:]])
    return native.group_norm(input, num_groups, weight, bias, eps)


def rms_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:  # fmt: skip
    """Divide the last dimensions by their root mean square: ``x / sqrt(mean(x**2) + eps) * weight``.

    Args:
        input: (*, *normalized_shape)
        normalized_shape: the sizes of the last dimensions.
        weight: of `normalized_shape`, or None for 1.
        eps: keeps the root away from 0; None for the distance from 1 to the next number.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.rms_norm.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.rms_norm(nbmodule.tensor([3.0, 4.0, 0.0, 0.0]), (4,))
        tensor([1.2000, 1.6000, 0.0000, 0.0000])
    """
    return native.rms_norm(input, normalized_shape, weight, eps)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:  # fmt: skip
    """Divide vectors by their length, the p-norm: ``v / max(‖v‖, eps)``.

    Args:
        input: of any shape.
        p: of the norm.
        dim: along which the vectors lie; several for matrices and more.
        eps: the smallest length to divide by.
        out: a tensor to write to; then no derivative is recorded.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: the input does not hold floats.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.normalize(nbmodule.tensor([[3.0, 4.0], [0.0, 0.0]]))
        tensor([[0.6000, 0.8000],
                [0.0000, 0.0000]])
    """
    length = input.norm(p, dim, keepdim=True)
    if out is None:
        return input / length.clamp_min(eps).expand_as(input)
    divide: Any = div  # which takes `out`
    return divide(input, length.clamp_min_(eps).expand_as(input), out=out)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:  # fmt: skip
    """Divide each channel by what its neighbours hold: ``x / (k + alpha * mean(x**2 over neighbours))**beta``.

    Args:
        input: (N, C, *), with at least one further dimension.
        size: how many channels count as neighbours, the channel itself among them; those beyond the ends are 0.
        alpha: the weight of the neighbours.
        beta: the exponent.
        k: what is added to them.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: the input has less than 3 dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.local_response_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[[1.0], [2.0], [3.0]]])
        >>> y = nbmodule.nn.functional.local_response_norm(x, 2, alpha=1.0, beta=1.0)
        >>> y[0, :, 0]  # 1 / (1 + 1/2), 2 / (1 + 5/2), 3 / (1 + 13/2)
        tensor([0.6667, 0.5714, 0.4000])
    """
    dim = input.dim()
    if dim < 3:
        gap = " " * 26  # PyTorch's own
        raise ValueError(f"Expected 3D or higher dimensionality{gap}input (got {dim} dimensions)")
    if input.numel() == 0:
        return input
    around = (size // 2, (size - 1) // 2)
    squares = input.mul(input)
    if dim == 3:
        rows = pad(squares.unsqueeze(1), (0, 0, *around))
        means = avg_pool2d(rows, (size, 1), stride=1).squeeze(1)
    else:
        n, c, h = input.shape[:3]
        planes = pad(squares.view(n, 1, c, h, -1), (0, 0, 0, 0, *around))
        means = avg_pool3d(planes, (size, 1, 1), stride=1).squeeze(1).view(input.shape)
    return input / means.mul(alpha).add(k).pow(beta)
