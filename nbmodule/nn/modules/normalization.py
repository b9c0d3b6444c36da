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
from .module import Module

__all__ = ["LayerNorm"]

_shape_t = int | Sequence[int]


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

    Returns:
        (*, *normalized_shape), the shape of the input.

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
    bias: Parameter | None
    weight: Parameter | None

    def __init__(self, normalized_shape: _shape_t, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        if isinstance(normalized_shape, numbers.Integral):
            normalized_shape = (normalized_shape,)  # type: ignore[assignment]
        self.normalized_shape = tuple(normalized_shape)  # type: ignore[arg-type]
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
