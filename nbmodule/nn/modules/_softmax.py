"""Softmax and its siblings, as modules."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class Softmin(Module):
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

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle, which lacks `dim` if it is an old one."""
        super().__setstate__(state)
        if not hasattr(self, "dim"):
            self.dim = None

    def forward(self, input: Tensor) -> Tensor:
        """Return the softmin of `input`."""
        return F.softmin(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"dim={self.dim}"


class Softmax(Module):
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

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle, which lacks `dim` if it is an old one."""
        super().__setstate__(state)
        if not hasattr(self, "dim"):
            self.dim = None

    def forward(self, input: Tensor) -> Tensor:
        """Return the softmax of `input`."""
        return F.softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
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

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle, which lacks `dim` if it is an old one."""
        super().__setstate__(state)
        if not hasattr(self, "dim"):
            self.dim = None

    def forward(self, input: Tensor) -> Tensor:
        """Return the log-softmax of `input`."""
        return F.log_softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"dim={self.dim}"


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
