"""Activations that bend smoothly, as modules."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


def _in_place(module: Module) -> str:
    """Return what the representation of `module` says of ``inplace``."""
    return ", inplace=True" if module.inplace else ""


class Sigmoid(Module):
    """``1 / (1 + exp(-x))`` element by element.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Sigmoid.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Sigmoid()(nbmodule.tensor([-1.0, 0.0, 1.0]))
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the logistic sigmoid of `input`."""
        return input.sigmoid()


class Tanh(Module):
    """The hyperbolic tangent, element by element.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Tanh.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Tanh()(nbmodule.tensor([-1.0, 0.0, 1.0]))
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the hyperbolic tangent of `input`."""
        return input.tanh()


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
    """

    __constants__ = ['inplace']

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
    """

    __constants__ = ['inplace']

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` times the tanh of its softplus."""
        return F.mish(input, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return "inplace=True" if self.inplace else ""


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
    """

    __constants__ = ['alpha', 'inplace']

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
    """

    __constants__ = ['alpha', 'inplace']

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
    """

    __constants__ = ['inplace']

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the scaled exponential unit of `input`."""
        return F.selu(input, self.inplace)

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
    """

    __constants__ = ['dim']

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
    """

    __constants__ = ['approximate']

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, gated by its own size."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"approximate={self.approximate!r}"


class LogSigmoid(Module):
    """``log(1 / (1 + exp(-x)))``, also where the sigmoid is too small for the type.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LogSigmoid.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.LogSigmoid()(nbmodule.tensor([-1000.0, 0.0, 2.0]))
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
    """

    __constants__ = ['beta', 'threshold']

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
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return ``input - tanh(input)``."""
        return F.tanhshrink(input)
