"""Activations that PyTorch has at the top level: some are methods of Tensor too, some are not."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _dtypes
from .._backend import namespace_of
from .._engine import renamed, wrap, write
from .._errors import not_a_tensor
from .._generator import Generator, default_generator
from .._methods._signatures import bind_call
from .._methods.common import kind_of
from .._methods.elementwise import as_operand
from .._ops import activations as act
from .._tensor import Tensor
from ._out import EXPECTED, FOUND
from ._wrap import explained_function, function

relu = function(Tensor.relu, name="relu")
softmax = function(Tensor.softmax, name="softmax", exact=EXPECTED)
log_softmax = function(Tensor.log_softmax, name="log_softmax", exact=EXPECTED)
hardshrink = function(Tensor.hardshrink, name="hardshrink", exact=FOUND)
prelu = function(Tensor.prelu, name="prelu")
relu_ = function(Tensor.relu_, name="relu_")


def _elu(input: Any, name: str, **options: float) -> Tensor:
    if not isinstance(input, Tensor):
        raise not_a_tensor(name, "input", 1, input)
    if not input.is_floating_point():
        raise NotImplementedError(f"\"elu_cpu\" not implemented for '{kind_of(input)}'")
    return act.elu(input, **options)


@explained_function
def selu(input: Tensor) -> Tensor:
    """Return a scaled exponential unit, which keeps the mean at 0 and the variance at 1."""
    scale = {"alpha": 1.6732632423543772, "scale": 1.0507009873554805, "input_scale": 1.0}
    return renamed(_elu(input, "selu", **scale), "EluBackward0")


@explained_function
def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Return `input` where it is positive, else ``alpha * (exp(input / alpha) - 1)``."""
    if not isinstance(input, Tensor):
        raise not_a_tensor("celu", "input", 1, input)
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    if not input.is_floating_point():
        raise NotImplementedError(f"\"elu_cpu\" not implemented for '{kind_of(input)}'")
    return act.celu(input, alpha=float(alpha))


@explained_function
def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Return `input` where it is larger than `threshold`, else `value`."""
    bind_call("threshold", False, (input, threshold, value), {})
    return act.threshold(input, threshold=threshold, value=value)


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
    bind_call("rrelu", False, (input, lower, upper, training), {})
    if not input.is_floating_point() or (training and input.dtype is _dtypes.float16):
        kernel = "rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{kind_of(input)}'")
    if not training:
        return act.leak(input, as_operand(input, (lower + upper) / 2))
    drawn = _slopes(input._array, lower, upper, generator or default_generator)
    return act.leak(input, wrap(drawn))


def _slopes(array: Any, lower: float, upper: float, generator: Generator) -> Any:
    """Return a slope for each element of `array`, drawn where that is not positive."""
    xp = namespace_of[type(array)]
    drawn = generator._uniform(int((array <= 0).sum()), np.dtype(np.float64))
    slopes = xp.ones(array.shape, array.dtype)
    slopes[array <= 0] = xp.asarray(drawn * (upper - lower) + lower)
    return slopes


@explained_function
def selu_(input: Tensor) -> Tensor:
    """Do what `selu` does, in place."""
    return write(input, selu)


@explained_function
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Do what `celu` does, in place."""
    return write(input, celu, alpha)


@explained_function
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Do what `threshold` does, in place."""
    return write(input, act.threshold, threshold=threshold, value=value)


@explained_function
def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Do what `rrelu` does, in place."""
    return write(input, rrelu, lower, upper, training, generator)
