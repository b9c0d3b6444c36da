"""Nonlinear functions as modules: ReLU and others with a bend, and those that multiply their input by a gate.

Sigmoids, exponential units and softmax lie in `_smooth_activations.py`, attention, which PyTorch has here too, in `_attention.py`.
"""

from __future__ import annotations

import warnings
from typing import Any

from ..._creation import empty
from ..._tensor import Tensor
from .. import functional as F
from ..init import constant_
from ..parameter import Parameter
from ._attention import MultiheadAttention
from ._smooth_activations import (
    CELU,
    ELU,
    SELU,
    LogSigmoid,
    LogSoftmax,
    Sigmoid,
    Softmax,
    Softmax2d,
    Softmin,
    Softplus,
    Softsign,
    Tanh,
    Tanhshrink,
    _in_place,
)
from .module import Module

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "MultiheadAttention",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class ReLU(Module):
    """``max(x, 0)`` element by element; the gradient at 0 is 0.

    Args:
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.ReLU()(nbmodule.tensor([-2.0, 0.0, 3.0]))
        tensor([0., 0., 3.])
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return ``max(input, 0)``."""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return "inplace=True" if self.inplace else ""


class Threshold(Module):
    """Replaces what is not larger than a threshold.

    ``y = x if x > threshold else value``

    Args:
        threshold: what an element must be above to stay.
        value: what takes the place of the others.
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Threshold.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Threshold(0.5, 9.0)(nbmodule.tensor([-2.0, 0.5, 3.0]))
        tensor([9., 9., 3.])
    """

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with what is too small replaced."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"threshold={self.threshold}, value={self.value}{_in_place(self)}"


class Hardtanh(Module):
    """Moves what is outside of [min_val, max_val] to the nearer end; the gradient there is 0.

    Args:
        min_val: the lower end.
        max_val: the upper end.
        inplace: overwrite the input.
        min_value: an older name of `min_val`.
        max_value: an older name of `max_val`.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Raises:
        AssertionError: `min_val` is not below `max_val`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Hardtanh(-2, 2)(nbmodule.tensor([-3.0, 0.5, 3.0]))
        tensor([-2.0000,  0.5000,  2.0000])
    """

    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False, min_value: float | None = None, max_value: float | None = None) -> None:  # fmt: skip
        super().__init__()
        if min_value is not None:
            _warn_of_name("min_value", "min_val")
            min_val = min_value
        if max_value is not None:
            _warn_of_name("max_value", "max_val")
            max_val = max_value
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` within the limits."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"min_val={self.min_val}, max_val={self.max_val}{_in_place(self)}"


class ReLU6(Hardtanh):
    """``min(max(x, 0), 6)`` element by element.

    Args:
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU6.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.ReLU6()(nbmodule.tensor([-2.0, 3.0, 8.0]))
        tensor([0., 3., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return "inplace=True" if self.inplace else ""


class Hardsigmoid(Module):
    """``min(max(x + 3, 0), 6) / 6``, a sigmoid made of straight lines.

    Args:
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardsigmoid.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Hardsigmoid()(nbmodule.tensor([-4.0, 0.0, 1.5, 4.0]))
        tensor([0.0000, 0.5000, 0.7500, 1.0000])
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the straight sigmoid of `input`."""
        return F.hardsigmoid(input, self.inplace)


class Hardshrink(Module):
    """`x` where it is outside of [-lambd, lambd], else 0.

    Args:
        lambd: how far from 0 an element must be to stay.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardshrink.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Hardshrink()(nbmodule.tensor([-2.0, 0.3, 0.7]))
        tensor([-2.0000,  0.0000,  0.7000])
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with what is close to 0 set to 0."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"{self.lambd}"


class Softshrink(Module):
    """`x` moved towards 0 by `lambd`, and no further than 0.

    ``y = x - lambd`` above lambd, ``x + lambd`` below -lambd, 0 between them.

    Args:
        lambd: how far; not negative.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Softshrink.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Softshrink()(nbmodule.tensor([-2.0, 0.3, 0.7]))
        tensor([-1.5000,  0.0000,  0.2000])
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` moved towards 0."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return str(self.lambd)


def _warn_of_name(old: str, new: str) -> None:
    warnings.warn(
        f"keyword argument `{old}` is deprecated and renamed to `{new}`",
        FutureWarning,
        stacklevel=3,
    )


# ---- with a slope below 0


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


# ---- times a gate


class SiLU(Module):
    """``x * sigmoid(x)``; known as "swish" too.

    Args:
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.SiLU()(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-1.1106e-03, -2.6894e-01,  1.7616e+00])
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` times its sigmoid."""
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return "inplace=True" if self.inplace else ""


class Mish(Module):
    """``x * tanh(softplus(x))``.

    Args:
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: Misra, https://arxiv.org/abs/1908.08681

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Mish()(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-1.1106e-03, -3.0340e-01,  1.9440e+00])
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` times the tanh of its softplus."""
        return F.mish(input, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return "inplace=True" if self.inplace else ""


class GLU(Module):
    """The first half of `x` along a dimension, times the sigmoid of the second half.

    Args:
        dim: the dimension that is halved.

    Shape:
        Input (*, 2 N, *), with 2 N at `dim`; output (*, N, *).

    Source: Dauphin et al., https://arxiv.org/abs/1612.08083

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.GLU()(nbmodule.tensor([4.0, 4.0, 0.0, 9.0]))
        tensor([2.0000, 3.9995])
    """

    __constants__ = ["dim"]

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return one half of `input`, gated by the other."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"dim={self.dim}"


class GELU(Module):
    """`x` times the probability that a normal variable is below `x`.

    ``x * (1 + erf(x / sqrt(2))) / 2``, or with "tanh" ``x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2``.

    Args:
        approximate: "none" or "tanh".

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.GELU()(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-0.0000, -0.1587,  1.9545])
    """

    __constants__ = ["approximate"]

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, gated by its own size."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"approximate={self.approximate!r}"


class Hardswish(Module):
    """``x * min(max(x + 3, 0), 6) / 6``, a `SiLU` without exponentials.

    Args:
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: Howard et al., https://arxiv.org/abs/1905.02244

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Hardswish()(nbmodule.tensor([-4.0, -1.5, 1.5, 4.0]))
        tensor([-0.0000, -0.3750,  1.1250,  4.0000])
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` times its straight sigmoid."""
        return F.hardswish(input, self.inplace)


for _name in __all__:
    globals()[_name].__module__ = __name__
