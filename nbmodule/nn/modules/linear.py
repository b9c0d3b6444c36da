"""Layers that multiply by a matrix."""

from __future__ import annotations

import math
from typing import Any

from ... import _factories
from ..._tensor import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module


class Identity(Module):
    """Returns its input, whatever arguments it was made with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`."""
        return input


class Linear(Module):
    """``input @ weight.T + bias``, from (..., in_features) to (..., out_features).

    Args:
        in_features: the size of each input.
        out_features: the size of each output.
        bias: whether there is one; without it ``layer.bias`` is None.
        device: where the parameters live.
        dtype: of the parameters; the default dtype when left out.

    Attributes:
        weight: (out_features, in_features), drawn evenly from ±1/sqrt(in_features).
        bias: (out_features,), drawn likewise.

    Raises:
        RuntimeError: on a call, when the last dimension of the input is not `in_features`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Linear(20, 30)
        >>> layer(nbmodule.randn(128, 20)).shape
        nbmodule.Size([128, 30])
    """

    bias: Parameter | None

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        like = {"device": device, "dtype": dtype}
        self.weight = Parameter(_factories.empty(out_features, in_features, **like))
        if bias:
            self.bias = Parameter(_factories.empty(out_features, **like))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))  # = even between ±1/sqrt(in_features)
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Return ``input @ weight.T + bias``."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )
