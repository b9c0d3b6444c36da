"""How the numbers in a fresh layer are chosen.

Source: https://docs.pytorch.org/docs/stable/nn.init.html
"""

from __future__ import annotations

import math
import warnings

from .. import _factories
from .._generator import Generator
from .._tensor import Tensor
from ..autograd import no_grad


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill `tensor` with numbers drawn evenly from [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill `tensor` with normally distributed numbers."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill `tensor` with `val`."""
    with no_grad():
        return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with 0."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with 1."""
    return constant_(tensor, 1.0)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return by how much a nonlinearity shrinks what passes through it, as a factor to make up for it.

    Raises:
        ValueError: `nonlinearity` is unknown.
    """
    fixed = {"linear": 1, "conv1d": 1, "conv2d": 1, "conv3d": 1, "sigmoid": 1, "selu": 3 / 4}
    fixed |= {"tanh": 5.0 / 3, "relu": math.sqrt(2.0)}
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in fixed:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return fixed[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return how many numbers flow into, and out of, one unit of a weight (out, in, ...)."""
    if tensor.dim() < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode.lower() == "fan_in" else fan_out


def _is_empty(tensor: Tensor) -> bool:
    """Return whether there is nothing to fill, and warn if so."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return 0 in tensor.shape


def eye_(tensor: Tensor) -> Tensor:
    """Fill the matrix `tensor` with 1 on the diagonal and 0 elsewhere."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        return tensor.copy_(_factories.eye(*tensor.shape))


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill `tensor` evenly from a range that keeps the variance through layers of ReLUs.

    Source: He et al., https://arxiv.org/abs/1502.01852
    """
    if _is_empty(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill `tensor` normally, with a variance that layers of ReLUs keep.

    Source: He et al., https://arxiv.org/abs/1502.01852
    """
    if _is_empty(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    return normal_(tensor, 0.0, std, generator)


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill `tensor` evenly, with a variance between what the way in and the way out would keep.

    Source: Glorot and Bengio, https://proceedings.mlr.press/v9/glorot10a.html
    """
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill `tensor` normally, with a variance between what the way in and the way out would keep.

    Source: Glorot and Bengio, https://proceedings.mlr.press/v9/glorot10a.html
    """
    std = gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return normal_(tensor, 0.0, std, generator)
