"""Nonlinear functions as modules: those with a bend, gates, smooth ones, softmax, and attention, which PyTorch has here too."""

from __future__ import annotations

import warnings
from typing import Any

from ... import _factories
from ..._creation import empty
from ..._engine import is_grad_enabled
from ..._functions.elementwise import sigmoid, tanh
from ..._tensor import Tensor
from ...backends import mha
from .. import functional as F
from ..functional._multi_head import _native_multi_head_attention
from ..init import constant_, xavier_normal_, xavier_uniform_
from ..parameter import Parameter
from .linear import NonDynamicallyQuantizableLinear
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

Mask = Tensor | None


def _in_place(module: Module) -> str:
    """Return what the representation of `module` says of ``inplace``."""
    return ", inplace=True" if module.inplace else ""


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


class Sigmoid(Module):
    """``1 / (1 + exp(-x))`` element by element.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Sigmoid.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Sigmoid()(nbmodule.tensor([-1.0, 0.0, 1.0]))
        tensor([0.2689, 0.5000, 0.7311])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the logistic sigmoid of `input`."""
        return sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent, element by element.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Tanh.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Tanh()(nbmodule.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.7616,  0.0000,  0.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the hyperbolic tangent of `input`."""
        return tanh(input)


class ELU(Module):
    """`x` where it is positive, else ``alpha * (exp(x) - 1)``.

    Args:
        alpha: large negative elements tend to ``-alpha``.
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: Clevert et al., https://arxiv.org/abs/1511.07289

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.ELU()(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-0.9999, -0.6321,  2.0000])
    """

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with its negative elements bent."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"alpha={self.alpha}{_in_place(self)}"


class CELU(Module):
    """``max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)``, whose slope has no jump at 0.

    Args:
        alpha: large negative elements tend to ``-alpha``; not 0.
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: Barron, https://arxiv.org/abs/1704.07483

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.CELU(2.0)(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-1.9778, -0.7869,  2.0000])
    """

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with its negative elements bent."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"alpha={self.alpha}{_in_place(self)}"


class SELU(Module):
    """``scale * elu(x, alpha)``, with constants that keep the mean at 0 and the variance at 1.

    They are scale = 1.0507009873554805 and alpha = 1.6732632423543772; weights want `init.kaiming_normal_` with
    ``nonlinearity="linear"`` for it.

    Args:
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.SELU()(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-1.7579, -1.1113,  2.1014])
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the scaled exponential unit of `input`."""
        return F.selu(input, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return "inplace=True" if self.inplace else ""


class LogSigmoid(Module):
    """``log(1 / (1 + exp(-x)))``, also where the sigmoid is too small for the type.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LogSigmoid.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.LogSigmoid()(nbmodule.tensor([-1000.0, 0.0, 2.0]))
        tensor([-1.0000e+03, -6.9315e-01, -1.2693e-01])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the logarithm of the sigmoid of `input`."""
        return F.logsigmoid(input)


class Softplus(Module):
    """``log(1 + exp(beta * x)) / beta``, a smooth `ReLU`.

    Where ``beta * x`` is above `threshold`, `x` itself.

    Args:
        beta: how close it is to `ReLU`.
        threshold: where the straight line begins.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Softplus.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Softplus()(nbmodule.tensor([-9.0, 0.0, 30.0]))
        tensor([1.2340e-04, 6.9315e-01, 3.0000e+01])
    """

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Return the smooth positive part of `input`."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Softsign(Module):
    """``x / (1 + |x|)`` element by element.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Softsign.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Softsign()(nbmodule.tensor([-3.0, 0.0, 1.0]))
        tensor([-0.7500,  0.0000,  0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return ``input / (1 + |input|)``."""
        return F.softsign(input)


class Tanhshrink(Module):
    """``x - tanh(x)`` element by element.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Tanhshrink.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Tanhshrink()(nbmodule.tensor([-3.0, 0.1, 3.0]))
        tensor([-2.0049e+00,  3.3201e-04,  2.0049e+00])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return ``input - tanh(input)``."""
        return F.tanhshrink(input)


# ---- shares of a whole


class _AlongDim(Module):
    """What normalises along one dimension."""

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle, which lacks `dim` if it is an old one."""
        super().__setstate__(state)
        if not hasattr(self, "dim"):
            self.dim = None

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"dim={self.dim}"


class Softmin(_AlongDim):
    """``softmax(-x)``: the smallest element gets the largest share.

    Args:
        dim: the dimension. Without it one is guessed, with a warning.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmin.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Softmin(dim=0)(nbmodule.tensor([1.0, 2.0, 3.0]))
        tensor([0.6652, 0.2447, 0.0900])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the softmin of `input`."""
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(_AlongDim):
    """``exp(x) / sum(exp(x))``: positive numbers that sum to 1 along a dimension.

    Args:
        dim: the dimension. Without it one is guessed, with a warning.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmax.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Softmax(dim=1)(nbmodule.tensor([[1.0, 2.0], [1000.0, 1000.0]]))
        tensor([[0.2689, 0.7311],
                [0.5000, 0.5000]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the softmax of `input`."""
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(_AlongDim):
    """``x - log(sum(exp(x)))``: the logarithm of `Softmax`, computed without taking it.

    Args:
        dim: the dimension. Without it one is guessed, with a warning.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LogSoftmax.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.LogSoftmax(dim=0)(nbmodule.tensor([1.0, 2.0, 1000.0]))
        tensor([-999., -998.,    0.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the log-softmax of `input`."""
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax over the channels, at each place of an image.

    Shape:
        Input (N, C, H, W) or (C, H, W); output in the shape of the input.

    Raises:
        ValueError: the input has another number of dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmax2d.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Softmax2d()(nbmodule.ones(2, 4, 3, 3)).sum(1)[0]
        tensor([[1., 1., 1.],
                [1., 1., 1.],
                [1., 1., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the softmax of `input` over the channels."""
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return F.softmax(input, -3, _stacklevel=5)


class MultiheadAttention(Module):
    """Lets every place of a sequence look at places of another, in several ways at once.

    Each head h has projections of its own; with ``d = embed_dim / num_heads``::

        head_h = softmax(q_h @ k_h.T / sqrt(d) + mask) @ v_h,    y = concat(head_1, ..., head_H) @ W.T + b

    Args:
        embed_dim: E, the size of queries and of the output; a multiple of `num_heads`.
        num_heads: how many heads there are.
        dropout: the probability with which a weight is set to 0 in training.
        bias: whether the projections have one.
        add_bias_kv: learn one more key and value, at which every query may look.
        add_zero_attn: add a key and a value of zeros.
        kdim: the size of keys, by default `embed_dim`.
        vdim: the size of values, likewise.
        batch_first: whether the batch is the first dimension of the sequences, not the second.
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        in_proj_weight: (3 * E, E), or None where the sizes differ; then there are
        q_proj_weight: (E, E), k_proj_weight: (E, kdim), v_proj_weight: (E, vdim).
        in_proj_bias: (3 * E,) or None.
        out_proj: the linear layer after the heads.
        bias_k: (1, 1, E) or None, as is `bias_v`.

    Raises:
        ValueError: `embed_dim` or `num_heads` is not positive.
        AssertionError: the one is no multiple of the other; on a call, shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html,
    Vaswani et al., https://arxiv.org/abs/1706.03762

    Example:
        >>> import nbmodule
        >>> attention = nbmodule.nn.MultiheadAttention(8, 2, batch_first=True)
        >>> words = nbmodule.randn(1, 5, 8)
        >>> y, weights = attention(words, words, words)
        >>> y.shape, weights.shape, weights.sum(-1).detach().round(decimals=4)
        (nbmodule.Size([1, 5, 8]), nbmodule.Size([1, 5, 5]), tensor([[1., 1., 1., 1., 1.]]))
    """

    __constants__ = ["batch_first"]

    in_proj_weight: Any
    in_proj_bias: Any
    q_proj_weight: Any
    k_proj_weight: Any
    v_proj_weight: Any
    bias_k: Any
    bias_v: Any

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != self.embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        like = {"device": device, "dtype": dtype}

        def parameter(*sizes: int) -> Parameter:
            return Parameter(_factories.empty(sizes, **like))

        if self._qkv_same_embed_dim:
            self.in_proj_weight = parameter(3 * embed_dim, embed_dim)
            for name in "qkv":
                self.register_parameter(f"{name}_proj_weight", None)
        else:
            for name, size in zip("qkv", (embed_dim, self.kdim, self.vdim), strict=True):
                setattr(self, f"{name}_proj_weight", parameter(embed_dim, size))
            self.register_parameter("in_proj_weight", None)
        if bias:
            self.in_proj_bias = parameter(3 * embed_dim)
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **like)
        if add_bias_kv:
            self.bias_k, self.bias_v = parameter(1, 1, embed_dim), parameter(1, 1, embed_dim)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        if self._qkv_same_embed_dim:
            xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            constant_(self.in_proj_bias, 0.0)
            constant_(self.out_proj.bias, 0.0)  # type: ignore[arg-type]
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                xavier_normal_(bias)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take `state` over; before PyTorch 1.2 all sizes were the same."""
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Mask = None, need_weights: bool = True, attn_mask: Mask = None, average_attn_weights: bool = True, is_causal: bool = False) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        """Return what the queries found, and the weights with which they looked, or None.

        Args:
            query: (L, N, E), with `batch_first` (N, L, E), or (L, E) for a single example; so below.
            key: (S, N, kdim)
            value: (S, N, vdim)
            key_padding_mask: (N, S), True for a key that nobody may look at, or numbers to be added.
            need_weights: whether to return the weights; without them it is quicker.
            attn_mask: (L, S) or (N * num_heads, L, S), True where a query may not look at a key, or numbers.
            average_attn_weights: return the mean of all heads, (N, L, S), not (N, num_heads, L, S).
            is_causal: a hint that `attn_mask` is the causal one.
        """
        short = self._may_go_the_short_way(query, key, value) and not any(
            mask is not None and mask.is_floating_point() for mask in (attn_mask, key_padding_mask)
        )
        key_padding_mask = F._canonical_mask(key_padding_mask, "key_padding_mask", F._none_or_dtype(attn_mask), "attn_mask", query.dtype)  # fmt: skip
        attn_mask = F._canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, False)
        if short:
            mask, mask_type = self.merge_masks(attn_mask, key_padding_mask, query)
            out = self.out_proj
            return _native_multi_head_attention(query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, out.weight, out.bias, mask, need_weights, average_attn_weights, mask_type)  # type: ignore[arg-type]  # fmt: skip
        turned = self.batch_first and query.dim() == 3
        if turned:
            query, key, value = _batch_second(query, key, value)
        y, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return y.transpose(1, 0) if turned else y, weights

    def _may_go_the_short_way(self, query: Tensor, key: Tensor, value: Tensor) -> bool:
        """Return whether PyTorch would compute self-attention in one go: where nothing learns."""
        if query.dim() != 3 or self.training or not (query is key is value):
            return False
        if not mha.get_fastpath_enabled() or self.in_proj_weight is None or self.in_proj_bias is None:  # fmt: skip
            return False
        tensors = (query, self.in_proj_weight, self.in_proj_bias, self.out_proj.weight, self.out_proj.bias)  # fmt: skip
        return (
            query.dtype == self.in_proj_weight.dtype == self.in_proj_bias.dtype
            and self.num_heads % 2 == 0
            and self.batch_first
            and self.bias_k is None
            and self.bias_v is None
            and not self.add_zero_attn
            and self._qkv_same_embed_dim
            and query.device.type in ("cpu", "cuda")
            and not (is_grad_enabled() and any(t.requires_grad for t in tensors if t is not None))
        )

    def merge_masks(self, attn_mask: Mask, key_padding_mask: Mask, query: Tensor) -> tuple[Mask, int | None]:  # fmt: skip
        """Return both masks in one, and its kind: 1 for keys alone, 2 for queries and keys, None for no mask.

        Args:
            attn_mask: (L, L) or (N * num_heads, L, L) or None.
            key_padding_mask: (N, L) or None.
            query: (N, L, E)
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            padding = key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
            merged = merged + padding
        return merged, 2


def _batch_second(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the three transposed; what was one tensor stays one."""
    turned = {id(x): x.transpose(1, 0) for x in (query, key, value)}
    return turned[id(query)], turned[id(key)], turned[id(value)]
