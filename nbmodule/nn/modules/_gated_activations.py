"""Activations that let through a part of their input, the larger the more, as modules."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


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
