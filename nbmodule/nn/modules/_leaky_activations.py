"""Activations with a slope of their own below 0, as modules."""

from __future__ import annotations

from typing import Any

from ..._creation import empty
from ..._tensor import Tensor
from .. import functional as F
from ..init import constant_
from ..parameter import Parameter
from ._straight_activations import _in_place
from .module import Module


class LeakyReLU(Module):
    """``max(x, 0) + negative_slope * min(x, 0)`` element by element.

    Args:
        negative_slope: the slope below 0, and at 0.
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LeakyReLU.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.LeakyReLU(0.1)(nbmodule.tensor([-2.0, 0.0, 3.0]))
        tensor([-0.2000,  0.0000,  3.0000])
    """

    __constants__ = ["inplace", "negative_slope"]

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with its negative elements shrunk."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"negative_slope={self.negative_slope}{_in_place(self)}"


class RReLU(Module):
    """`x` where it is positive, else `x` times a slope that is drawn at random in training.

    In eval mode the slope is ``(lower + upper) / 2``.

    Args:
        lower: the smallest slope.
        upper: the largest slope.
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: Xu et al., https://arxiv.org/abs/1505.00853

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.RReLU(0.1, 0.3).eval()(nbmodule.tensor([-1.0, 0.0, 3.0]))
        tensor([-0.2000,  0.0000,  3.0000])
    """

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:  # fmt: skip
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with its negative elements shrunk."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"lower={self.lower}, upper={self.upper}{_in_place(self)}"


class PReLU(Module):
    """``max(x, 0) + weight * min(x, 0)``, with a slope that is learned.

    Args:
        num_parameters: 1 slope for all elements, or one for each channel.
        init: what the slopes begin as.
        device: of the slopes.
        dtype: of the slopes.

    Attributes:
        weight: the slopes, (num_parameters,).

    Shape:
        Input (N, C, *), or of any shape where there is 1 slope; output in the shape of the input.

    Source: He et al., https://arxiv.org/abs/1502.01852

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.PReLU()(nbmodule.tensor([-2.0, 0.0, 3.0])).tolist()
        [-0.5, 0.0, 3.0]
        >>> nn.PReLU(3).weight.shape
        nbmodule.Size([3])
    """

    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        self.num_parameters = num_parameters
        super().__init__()
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set all slopes to `init`."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with its negative elements times the slope of their channel."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"num_parameters={self.num_parameters}"
