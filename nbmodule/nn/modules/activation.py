"""Nonlinear functions as modules."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class ReLU(Module):
    """``max(x, 0)`` element by element.

    Args:
        inplace: overwrite the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU.html
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return ``max(input, 0)``."""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        """Return "inplace=True" where it is."""
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """``1 / (1 + exp(-x))`` element by element."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the logistic sigmoid of `input`."""
        return F.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent, element by element."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the hyperbolic tangent of `input`."""
        return F.tanh(input)


class Softmax(Module):
    """Exponentials that sum to 1 along a dimension.

    Args:
        dim: the dimension.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the softmax of `input`."""
        return F.softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of `Softmax`, computed without taking it.

    Args:
        dim: the dimension.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the log-softmax of `input`."""
        return F.log_softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"dim={self.dim}"
