"""Layers that normalise each sample by itself."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from ... import _factories
from ..._tensor import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter
from ._functions import CrossMapLRN2d as _cross_map_lrn2d
from .module import Module

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]

_shape_t = int | Sequence[int]


def _sizes(shape: Any) -> tuple[int, ...]:
    """Return `shape` as a tuple; a number is the size of one dimension."""
    return tuple(shape) if not isinstance(shape, numbers.Integral) else (shape,)  # type: ignore[return-value]


class LocalResponseNorm(Module):
    """Divides each channel by what its neighbours hold: ``x / (k + alpha * mean(x**2 over neighbours))**beta``.

    Args:
        size: how many channels count as neighbours, the channel itself among them; those beyond the ends are 0.
        alpha: the weight of the neighbours.
        beta: the exponent.
        k: what is added to them.

    Shape:
        (N, C, *), the input and the output.

    Raises:
        ValueError: on a call, when the input has less than 3 dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LocalResponseNorm.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LocalResponseNorm(2, alpha=1.0, beta=1.0)
        >>> layer(nbmodule.tensor([[[1.0], [2.0], [3.0]]]))[0, :, 0]  # 1 / (1 + 1/2), 2 / (1 + 5/2), 3 / (1 + 13/2)
        tensor([0.6667, 0.5714, 0.4000])
    """

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Return the arguments of the layer."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """`LocalResponseNorm` for images, by an older implementation.

    As in PyTorch the first channel stays a neighbour of all channels that come after it.

    Args:
        size, alpha, beta, k: as in `LocalResponseNorm`.

    Shape:
        (N, C, H, W), the input and the output.

    Raises:
        ValueError: on a call, when the input has not 4 dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LocalResponseNorm.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.CrossMapLRN2d(3, alpha=3.0, beta=1.0)
        >>> layer(nbmodule.ones(1, 4, 1, 1)).flatten()  # 1 / (1 + the number of neighbours)
        tensor([0.3333, 0.2500, 0.2000, 0.2500])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return _cross_map_lrn2d.apply(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Return the arguments of the layer."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LayerNorm(Module):
    """Brings the last dimensions of each sample to mean 0 and variance 1, then scales and shifts each element.

    ``(x - mean) / sqrt(var + eps) * weight + bias``, with the variance of division by n. Training and evaluation
    are the same.

    Args:
        normalized_shape: the sizes of the last dimensions; a number stands for the last alone.
        eps: keeps the root away from 0.
        elementwise_affine: whether there are a weight and a bias.
        bias: False leaves out the bias.
        device: where the parameters live.
        dtype: of the parameters; the default dtype when left out.

    Attributes:
        weight: of `normalized_shape`, ones at first; None without `elementwise_affine`.
        bias: of `normalized_shape`, zeros at first; None without `elementwise_affine` or `bias`.

    Shape:
        (*, *normalized_shape), the input and the output.

    Raises:
        RuntimeError: on a call, when the last dimensions of the input are not `normalized_shape`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LayerNorm.html and https://arxiv.org/abs/1607.06450

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LayerNorm(3)
        >>> layer(nbmodule.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 60.0]])).detach()
        tensor([[-1.2247,  0.0000,  1.2247],
                [-0.9258, -0.4629,  1.3887]])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]
    bias: Any
    weight: Any

    def __init__(self, normalized_shape: _shape_t, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = _sizes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        like = {"device": device, "dtype": dtype}
        for name, wanted in (("weight", True), ("bias", bias)):
            if elementwise_affine and wanted:
                setattr(self, name, Parameter(_factories.empty(self.normalized_shape, **like)))
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.elementwise_affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments of the layer."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(Module):
    """Brings each group of channels of each sample to mean 0 and variance 1, then scales and shifts each channel.

    ``(x - mean) / sqrt(var + eps) * weight + bias``, in training and in evaluation alike.

    Args:
        num_groups: into how many groups of neighbours the channels fall; 1 takes all together, C each by itself.
        num_channels: C.
        eps: keeps the root away from 0.
        affine: whether there are a weight and a bias.
        device: where the parameters live.
        dtype: of the parameters; the default dtype when left out.
        bias: False leaves out the bias.

    Attributes:
        weight: (C,), ones at first; None without `affine`.
        bias: (C,), zeros at first; None without `affine` or `bias`.

    Shape:
        (N, C, *), the input and the output.

    Raises:
        ValueError: the groups do not divide the channels; or, on a call, a group has one value.
        RuntimeError: on a call, when the input has not C channels.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html and https://arxiv.org/abs/1803.08494

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.GroupNorm(2, 4)
        >>> layer(nbmodule.tensor([[1.0, 3.0, 10.0, 50.0]])).detach()
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]
    bias: Any
    weight: Any

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        like = {"device": device, "dtype": dtype}
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            if wanted:
                setattr(self, name, Parameter(_factories.empty(num_channels, **like)))
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments of the layer."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divides the last dimensions by their root mean square: ``x / sqrt(mean(x**2) + eps) * weight``.

    Args:
        normalized_shape: the sizes of the last dimensions; a number stands for the last alone.
        eps: keeps the root away from 0; None for the distance from 1 to the next number.
        elementwise_affine: whether there is a weight.
        device: where the weight lives.
        dtype: of the weight; the default dtype when left out.

    Attributes:
        weight: of `normalized_shape`, ones at first; None without `elementwise_affine`.

    Shape:
        (*, *normalized_shape), the input and the output.

    Raises:
        RuntimeError: on a call, when the last dimensions of the input are not `normalized_shape`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RMSNorm.html and https://arxiv.org/abs/1910.07467

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.RMSNorm(4)
        >>> layer(nbmodule.tensor([3.0, 4.0, 0.0, 0.0])).detach()
        tensor([1.2000, 1.6000, 0.0000, 0.0000])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]
    weight: Any

    def __init__(self, normalized_shape: _shape_t, eps: float | None = None, elementwise_affine: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = _sizes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            weight = _factories.empty(self.normalized_shape, device=device, dtype=dtype)
            self.weight = Parameter(weight)
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments of the layer."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )
