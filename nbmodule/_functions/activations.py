"""Activations that PyTorch has at the top level: some are methods of Tensor too, some are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _dtypes
from .._backend import namespace_of
from .._engine import renamed, wants_grad, wrap, write
from .._generator import Generator, default_generator
from .._methods.common import kind_of
from .._methods.elementwise import as_operand
from .._ops import activations as act
from .._ops import smooth_activations as smooth
from .._tensor import Tensor
from ._out import EXPECTED, FOUND
from ._wrap import explained_function, function

relu = function(Tensor.relu, name="relu")
softmax = function(Tensor.softmax, name="softmax", exact=EXPECTED)
log_softmax = function(Tensor.log_softmax, name="log_softmax", exact=EXPECTED)
hardshrink = function(Tensor.hardshrink, name="hardshrink", exact=FOUND)
prelu = function(Tensor.prelu, name="prelu")
relu_ = function(Tensor.relu_, name="relu_")


def as_number(value: Any) -> Any:
    """Return the number that was given, also as a tensor of one element.

    Raises:
        TypeError: it is none; `explained_function` puts that into PyTorch's words.
    """
    kind = type(value)
    if kind is float or kind is int:
        return value
    if isinstance(value, Tensor) and not value._array.ndim and not wants_grad(value):
        return value.item()
    if isinstance(value, (int, float)) or (isinstance(value, np.generic) and value.dtype.kind in "biuf"):  # fmt: skip
        return float(value) if isinstance(value, (float, np.floating)) else int(value)
    raise TypeError(f"expected a number, not {kind.__name__}")


def refuse_whole(input: Tensor, kernel: str) -> None:
    """Raise if `input` holds no floating point numbers; PyTorch names the `kernel` that refuses."""
    if input._array.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{kind_of(input)}'")


def in_place(rule: Callable[..., Tensor], node: str) -> Callable[..., Tensor]:
    """Return `rule` in the form for a write in place: its slope is told from the result, its node is `node`."""
    return lambda t, **options: renamed(rule(t, in_place=True, **options), node)


_elu_in_place = in_place(smooth.elu, "EluBackward1")
_celu_in_place = in_place(smooth.elu, "CeluBackward1")
_threshold_in_place = in_place(act.threshold, "ThresholdBackward1")

_SELU = {"alpha": 1.6732632423543772, "scale": 1.0507009873554805, "input_scale": 1.0}


@explained_function
def selu(input: Tensor) -> Tensor:
    """Return a scaled exponential unit, which keeps the mean at 0 and the variance at 1."""
    refuse_whole(input, "elu_cpu")
    return smooth.elu(input, **_SELU)


@explained_function
def selu_(input: Tensor) -> Tensor:
    """Do what `selu` does, in place."""
    refuse_whole(input, "elu_cpu")
    return write(input, _elu_in_place, **_SELU)


@explained_function
def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Return `input` where it is positive, else ``alpha * (exp(input / alpha) - 1)``."""
    return renamed(smooth.elu(input, **_celu_options(input, alpha)), "CeluBackward0")


@explained_function
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Do what `celu` does, in place."""
    return write(input, _celu_in_place, **_celu_options(input, alpha))


def _celu_options(input: Tensor, alpha: float) -> dict[str, float]:
    """Return what makes `celu` of the rule of `elu`, after the checks."""
    alpha = float(as_number(alpha))
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    refuse_whole(input, "elu_cpu")
    return {"alpha": alpha, "scale": 1.0, "input_scale": 1 / alpha}


@explained_function
def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Return `input` where it is larger than `threshold`, else `value`."""
    return act.threshold(input, **_threshold_options(input, threshold, value))


@explained_function
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Do what `threshold` does, in place."""
    return write(input, _threshold_in_place, **_threshold_options(input, threshold, value))


def _threshold_options(input: Tensor, threshold: Any, value: Any) -> dict[str, float]:
    kind = input._array.dtype.kind
    if kind == "b":
        raise NotImplementedError("\"threshold_cpu\" not implemented for 'Bool'")
    numbers = as_number(threshold), as_number(value)
    if kind != "f":
        numbers = int(numbers[0]), int(numbers[1])
    return {"threshold": numbers[0], "value": numbers[1]}


@explained_function
def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Return `input` where it is positive, else `input` times a slope.

    Args:
        input: of any shape.
        lower: the smallest slope.
        upper: the largest slope.
        training: draw a slope for each negative element; otherwise all have the mean of both.
        generator: draws them.
    """
    lower, upper = _rrelu_bounds(input, lower, upper, training)
    if not training:
        return act.leak(input, as_operand(input, (lower + upper) / 2))
    return act.leak(input, wrap(_slopes(input._array, lower, upper, generator)))


@explained_function
def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Do what `rrelu` does, in place."""
    lower, upper = _rrelu_bounds(input, lower, upper, training)
    if not training:
        rule = in_place(act.leaky_relu, "RreluWithNoiseBackward1")
        return write(input, rule, negative_slope=(lower + upper) / 2)
    slopes = wrap(_slopes(input._array, lower, upper, generator))
    return write(input, lambda t, s: renamed(act.leak(t, s), "RreluWithNoiseBackward1"), slopes)


def _rrelu_bounds(input: Tensor, lower: Any, upper: Any, training: bool) -> tuple[float, float]:
    """Return both slopes, after the checks."""
    if training is not True and training is not False:
        raise TypeError("expected True or False")
    low, high = as_number(lower), as_number(upper)
    if low > high:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    refuse_whole(input, "rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu")
    if training and input.dtype is _dtypes.float16:
        raise NotImplementedError("\"rrelu_with_noise_out_cpu\" not implemented for 'Half'")
    return low, high


def _slopes(array: Any, lower: float, upper: float, generator: Generator | None) -> Any:
    """Return a slope for each element of `array`, drawn where that is not positive."""
    xp, below = namespace_of[type(array)], array <= 0
    drawn = (generator or default_generator)._uniform(int(below.sum()), np.dtype(np.float64))
    slopes = xp.ones(array.shape, array.dtype)
    slopes[below] = xp.asarray(drawn * (upper - lower) + lower)
    return slopes
