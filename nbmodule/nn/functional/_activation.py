"""Activations that are piecewise linear, such as ReLU.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ... import _dtypes
from ..._data import factor_number, fill_number
from ..._engine import renamed, write
from ..._functions import activations as top
from ..._functions._arguments import as_number, in_place, refuse_whole
from ..._functions._out import FOUND
from ..._functions._wrap import function
from ..._methods._signatures import bind_call
from ..._methods.common import kind_of
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import activations as act
from ..._ops import elementwise as e
from ..._tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")

_leaky_in_place = in_place(act.leaky_relu, "LeakyReluBackward1")


def explained_activation(function: Callable[P, R]) -> Callable[P, R]:
    """Return `function` with PyTorch's errors: of ``elu_(input, alpha)`` if called `inplace`, else of ``elu(input, alpha)``."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception:
            try:
                bound = signature(function).bind(*args, **kwargs)
            except TypeError:  # which the call has raised too, with the name of the function
                bound = None
            if bound is not None:
                bound.apply_defaults()
                ending = "_" if bound.arguments.pop("inplace", False) else ""
                bind_call(function.__name__.lstrip("_") + ending, False, bound.args, {})
            raise

    return call


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


def _limits(input: Tensor, low: Any, high: Any) -> dict[str, Any]:
    """Return the limits of hardtanh in the type of `input`."""
    low, high, kind = as_number(low), as_number(high), input._array.dtype.kind
    if kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if kind == "f":
        if max(abs(low), abs(high)) > 65504:  # where float16 ends
            low, high = (fill_number(end, input.dtype) for end in (low, high))
        return {"low": low, "high": high}
    low, high = (int(factor_number(end, _dtypes.int64)) for end in (low, high))
    if kind == "u" and (low < 0 or high < 0):
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    low, high = (factor_number(end, _dtypes.of_numpy[input._array.dtype]) for end in (low, high))
    return {"low": low, "high": high}


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
    return _hardtanh(input, min_val, max_val, inplace)


@explained_activation
def _hardtanh(input: Tensor, min_val: float, max_val: float, inplace: bool) -> Tensor:
    limits = _limits(input, min_val, max_val)
    return write(input, act.hardtanh, **limits) if inplace else act.hardtanh(input, **limits)


@pytorch_errors
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Bring `input` into [min_val, max_val], in place: see `hardtanh`.

    Args:
        input: of any shape.
        min_val: the lower end.
        max_val: the upper end.

    Returns:
        `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.hardtanh_.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.hardtanh_(nbmodule.tensor([-2.0, 0.0, 3.0]))
        tensor([-1.,  0.,  1.])
    """
    return _hardtanh(input, min_val, max_val, True)


@explained_activation
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
    limits = _limits(input, 0, 6)
    return write(input, act.hardtanh, **limits) if inplace else act.hardtanh(input, **limits)


@explained_activation
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
    slope = as_number(negative_slope)
    refuse_whole(input, "leaky_relu_cpu")
    if inplace:
        return write(input, _leaky_in_place, negative_slope=slope)
    return act.leaky_relu(input, negative_slope=slope)


@pytorch_errors
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Multiply what is negative by `negative_slope`, in place: see `leaky_relu`.

    Args:
        input: of any shape.
        negative_slope: the slope below 0; the gradient needs one that is not negative.

    Returns:
        `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.leaky_relu_.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.leaky_relu_(nbmodule.tensor([-2.0, 0.0, 3.0]), 0.1)
        tensor([-0.2000,  0.0000,  3.0000])
    """
    return leaky_relu(input, negative_slope, True)


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


@explained_activation
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
    refuse_whole(input, "hardsigmoid_cpu")
    return write(input, act.hardsigmoid) if inplace else act.hardsigmoid(input)


@explained_activation
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
    refuse_whole(input, "hardswish_cpu")
    return write(input, act.hardswish) if inplace else act.hardswish(input)


def _softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return `input` moved towards 0 by `lambd`, and no further than 0.

    Args:
        input: of any shape.
        lambd: how far; not negative.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: `lambd` is negative.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softshrink.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.softshrink(nbmodule.tensor([-2.0, 0.3, 0.7]))
        tensor([-1.5000,  0.0000,  0.2000])
    """
    lambd = as_number(lambd)
    refuse_whole(input, "softshrink_check")
    largest = float(np.finfo(input._array.dtype).max)
    if not 0 <= lambd <= largest:
        raise RuntimeError(
            f"lambda must be in range [0, {largest:g}] for input dtype {kind_of(input)}, but found {lambd:g}"
        )
    return renamed(act.softshrink(input, lambd=lambd), "SoftshrinkBackward0")


softshrink = function(_softshrink, name="softshrink", exact=FOUND)
