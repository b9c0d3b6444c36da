"""By how much a layer changes the variance of what passes through it; `nn.init` shows these.

Source: https://docs.pytorch.org/docs/stable/nn.init.html
"""

from __future__ import annotations

import math

from .._tensor import Tensor

_GAINS = {
    **dict.fromkeys(("linear", "conv1d", "conv2d", "conv3d"), 1),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid"), 1),
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return by how much a nonlinearity shrinks what passes through it, as a factor to make up for it.

    It is 1 for linear layers and "sigmoid", 5/3 for "tanh", sqrt(2) for "relu", 3/4 for "selu", and
    ``sqrt(2 / (1 + slope**2))`` for "leaky_relu".

    Args:
        nonlinearity: the name of a function of `nn.functional`.
        param: the slope of "leaky_relu"; 0.01 by default.

    Raises:
        ValueError: `nonlinearity` is unknown, or the slope is no number.

    Source: https://docs.pytorch.org/docs/stable/nn.init.html

    Example:
        >>> import nbmodule
        >>> round(nbmodule.nn.init.calculate_gain("leaky_relu", 0.2), 4)
        1.3868
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if not isinstance(nonlinearity, str) or nonlinearity not in _GAINS:
        raise ValueError(
            f"Unsupported nonlinearity {nonlinearity}\nThere are {', '.join(_GAINS)} and leaky_relu."
        )
    return _GAINS[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return how many numbers flow into, and out of, one unit of a weight (out, in, *)."""
    shape = tensor.shape
    if len(shape) < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    fan_out, fan_in, *field = shape
    size = math.prod(field)
    return fan_in * size, fan_out * size


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out
