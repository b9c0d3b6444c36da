"""Activations made of straight pieces.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

from ..._functions import activations as top
from ..._ops import elementwise as e
from ..._tensor import Tensor
from ._native import activation as native


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``max(input, 0)`` element by element. The gradient at 0 is 0.

    Args:
        input: of any shape.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.relu.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.relu(nbmodule.tensor([-2.0, 0.0, 3.0]))
        tensor([0., 0., 3.])
    """
    if inplace or not isinstance(input, Tensor):
        return top.relu_(input) if inplace else top.relu(input)
    return e.relu(input)


def _threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return `input` where it is larger than `threshold`, else `value`.

    Args:
        input: of any shape.
        threshold: what an element must be above to stay.
        value: what takes the place of the others.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.threshold.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.threshold(nbmodule.tensor([-2.0, 0.5, 3.0]), 0.5, 9.0)
        tensor([9., 9., 3.])
    """
    if inplace:
        return top.threshold_(input, threshold, value)
    return top.threshold(input, threshold, value)


threshold = _threshold


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:  # fmt: skip
    """Return `input`, with what is outside of [min_val, max_val] moved to the nearer end.

    The gradient at both ends, and outside, is 0.

    Args:
        input: of any shape.
        min_val: the lower end.
        max_val: the upper end.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: the lower end is above the upper one.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.hardtanh.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.hardtanh(nbmodule.tensor([-2.0, 0.5, 3.0]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise ValueError(
            f"min_val cannot be greater than max_val\nThey are {min_val} and {max_val}."
        )
    if inplace:
        return native.hardtanh_(input, min_val, max_val)
    return native.hardtanh(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``min(max(input, 0), 6)`` element by element.

    Args:
        input: of any shape.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.relu6.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.relu6(nbmodule.tensor([-2.0, 3.0, 8.0]))
        tensor([0., 3., 6.])
    """
    return native.relu6_(input) if inplace else native.relu6(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return ``max(input, 0) + negative_slope * min(input, 0)`` element by element.

    Args:
        input: of any shape.
        negative_slope: the slope below 0, and at 0.
        inplace: overwrite `input`. The gradient then needs a slope that is not negative.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.leaky_relu.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.leaky_relu(nbmodule.tensor([-2.0, 0.0, 3.0]), 0.1)
        tensor([-0.2000,  0.0000,  3.0000])
    """
    if inplace:
        return native.leaky_relu_(input, negative_slope)
    return native.leaky_relu(input, negative_slope)


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False) -> Tensor:  # fmt: skip
    """Return `input` where it is positive, else `input` times a slope that training draws at random.

    Args:
        input: of any shape.
        lower: the smallest slope.
        upper: the largest slope.
        training: draw a slope for each element; otherwise all have ``(lower + upper) / 2``.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: `lower` is above `upper`.

    Source: Xu et al., https://arxiv.org/abs/1505.00853

    Example:
        >>> import nbmodule
        >>> _ = nbmodule.manual_seed(0)
        >>> nbmodule.nn.functional.rrelu(nbmodule.tensor([-1.0, -1.0, 3.0]), training=True)
        tensor([-0.3271, -0.2725,  3.0000])
    """
    if inplace:
        return top.rrelu_(input, lower, upper, training)
    return top.rrelu(input, lower, upper, training)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``min(max(input + 3, 0), 6) / 6``, a sigmoid made of straight lines.

    Args:
        input: of any shape.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.hardsigmoid.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.hardsigmoid(nbmodule.tensor([-4.0, 0.0, 1.5, 4.0]))
        tensor([0.0000, 0.5000, 0.7500, 1.0000])
    """
    return native.hardsigmoid_(input) if inplace else native.hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``input * min(max(input + 3, 0), 6) / 6``, a `silu` without exponentials.

    Args:
        input: of any shape.
        inplace: overwrite `input`.

    Returns:
        a tensor in the shape of `input`.

    Source: Howard et al., https://arxiv.org/abs/1905.02244

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.hardswish(nbmodule.tensor([-4.0, -1.5, 1.5, 4.0]))
        tensor([-0.0000, -0.3750,  1.1250,  4.0000])
    """
    return native.hardswish_(input) if inplace else native.hardswish(input)
