"""Sigmoids, exponential units and softmax, as modules; `activation.py` shows them."""

from __future__ import annotations

from typing import Any

from ..._functions.elementwise import sigmoid, tanh
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
