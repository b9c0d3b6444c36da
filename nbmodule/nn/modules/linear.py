"""Layers that multiply by a matrix."""

from __future__ import annotations

import math
from typing import Any

from ... import _factories
from ..._tensor import Tensor
from ...autograd import no_grad
from .. import functional as F
from .. import init
from ..parameter import Parameter, UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Returns its input, whatever arguments it was made with: ``y = x``.

    Args:
        *args: ignored.
        **kwargs: ignored.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Identity.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.randn(128, 20)
        >>> nbmodule.nn.Identity(54, unused=0.1)(x) is x
        True
    """

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

    __constants__ = ["in_features", "out_features"]
    in_features: int
    out_features: int
    weight: Tensor
    bias: Parameter | Any  # None without one, and checkers shall not ask in every line

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        like = {"device": device, "dtype": dtype}
        self.weight = Parameter(_factories.empty((out_features, in_features), **like))
        if bias:
            self.bias = Parameter(_factories.empty(out_features, **like))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters again."""
        weight, bias = self.weight, self.bias
        init.kaiming_uniform_(weight, a=math.sqrt(5))  # = even between ±1/sqrt(in_features)
        if bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Return ``input @ weight.T + bias``."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """A `Linear` by a name that PyTorch's quantisation leaves alone; the last layer of attention is one.

    Args:
        in_features: the size of each input.
        out_features: the size of each output.
        bias: whether there is one.
        device: where the parameters live.
        dtype: of the parameters.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html

    Example:
        >>> from nbmodule import nn
        >>> nn.MultiheadAttention(4, 2).out_proj
        NonDynamicallyQuantizableLinear(in_features=4, out_features=4, bias=True)
    """


class Bilinear(Module):
    """``y[k] = x1 @ weight[k] @ x2 + bias[k]``: a matrix of weights for every output.

    Args:
        in1_features: the size of each first input, at least 1.
        in2_features: the size of each second input.
        out_features: the size of each output.
        bias: whether there is one; without it ``layer.bias`` is None.
        device: where the parameters live.
        dtype: of the parameters; the default dtype when left out.

    Attributes:
        weight: (out_features, in1_features, in2_features), drawn evenly from ±1/sqrt(in1_features).
        bias: (out_features,), drawn likewise.

    The inputs are (..., in1_features) and (..., in2_features) with the same leading sizes, the output is
    (..., out_features).

    Raises:
        ValueError: `in1_features` is not positive.
        RuntimeError: on a call, when the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Bilinear.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Bilinear(20, 30, 40)
        >>> layer(nbmodule.randn(128, 20), nbmodule.randn(128, 30)).shape
        nbmodule.Size([128, 40])
    """

    __constants__ = ["in1_features", "in2_features", "out_features"]
    in1_features: int
    in2_features: int
    out_features: int
    weight: Tensor
    bias: Parameter | Any  # None without one, and checkers shall not ask in every line

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        like = {"device": device, "dtype": dtype}
        self.weight = Parameter(
            _factories.empty((out_features, in1_features, in2_features), **like)
        )
        if bias:
            self.bias = Parameter(_factories.empty(out_features, **like))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters again.

        Raises:
            ValueError: `in1_features` is not positive.
        """
        if self.in1_features <= 0:
            raise ValueError(
                f"in1_features must be > 0, but got (in1_features={self.in1_features})"
            )
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Return both inputs multiplied with the matrix of every output."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` that takes its `in_features` from its first input, and is an ordinary one after it.

    Args:
        out_features: the size of each output.
        bias: whether there is one.
        device: where the parameters will live.
        dtype: of the parameters.

    Attributes:
        weight: an `UninitializedParameter`; (out_features, in_features) after the first call.
        bias: likewise; (out_features,).

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyLinear.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyLinear(30)
        >>> layer(nbmodule.randn(128, 20)).shape
        nbmodule.Size([128, 30])
        >>> layer
        Linear(in_features=20, out_features=30, bias=True)
    """

    cls_to_become = Linear
    weight: Any
    bias: Any

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters again, if there are any yet."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Take `in_features` from `input`, or compare it with the weights that were loaded before.

        Args:
            input: (..., in_features)
        """
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]
