"""Activations: a curve for each element.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

import warnings
from typing import Any

from ..._ops import elementwise as e
from ..._tensor import Tensor
from .checks import first_not_a_tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``max(input, 0)`` element by element."""
    if not isinstance(input, Tensor):
        raise first_not_a_tensor("relu", input=input)
    return input.relu_() if inplace else e.relu(input)


def sigmoid(input: Tensor) -> Tensor:
    """Return ``1 / (1 + exp(-input))``."""
    return e.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent."""
    return e.tanh(input)


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """Return exponentials that sum to 1 along `dim`."""
    return input.softmax(_implicit_dim("softmax", input, dim, _stacklevel), dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:  # fmt: skip
    """Return the logarithm of `softmax`, computed without taking it."""
    return input.log_softmax(_implicit_dim("log_softmax", input, dim, _stacklevel), dtype)


def _implicit_dim(name: str, input: Tensor, dim: int | None, stacklevel: int) -> int:
    """Return `dim`; where it was left out, the one that PyTorch has always taken."""
    if dim is not None:
        return dim
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
        "argument.",
        stacklevel=stacklevel,
    )
    return 0 if input.dim() in (0, 1, 3) else 1
