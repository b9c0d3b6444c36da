"""Activations that are piecewise linear, such as ReLU.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ... import _dtypes
from ..._backend import namespace_of
from ..._data import factor_number, fill_number
from ..._engine import grad_mode, refuse_recorded_write, renamed, wants_grad, wrap, write
from ..._functions._arguments import as_number, in_place, refuse_whole
from ..._functions._out import FOUND
from ..._functions._wrap import function
from ..._functions.elementwise import relu as _relu
from ..._generator import Generator, default_generator
from ..._methods._signatures import bind_call
from ..._methods.common import kind_of
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import activations as act
from ..._ops import elementwise as e
from ..._tensor import Tensor
from ._checks import top_level

P = ParamSpec("P")
R = TypeVar("R")

_leaky_in_place = in_place(act.leaky_relu, "LeakyReluBackward1")


def activation_errors(function: Callable[P, R]) -> Callable[P, R]:
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
        return relu_(input) if inplace else _relu(input)
    return e.relu(input)


@pytorch_errors
def relu_(input: Tensor) -> Tensor:
    """Set what is negative to 0, in place.

    Args:
        input: of any shape.

    Returns:
        `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.relu_.html

    Example:
        >>> import nbmodule
        >>> nbmodule.relu_(nbmodule.tensor([-2.0, 0.0, 3.0]))
        tensor([0., 0., 3.])
    """
    return input.relu_()


@activation_errors
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
        return threshold_(input, threshold, value)
    return act.threshold(input, **_threshold_options(input, threshold, value))


@top_level  # without an underscore: PyTorch gives that to the function of `nn.functional`
def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Return `input` where it is larger than `threshold`, else `value`.

    Args:
        input: of any shape.
        threshold: what an element must be above to stay.
        value: what takes the place of the others.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.threshold.html

    Example:
        >>> import nbmodule
        >>> nbmodule.threshold(nbmodule.tensor([-2.0, 0.0, 3.0]), 0.5, 9.0)
        tensor([9., 9., 3.])
    """
    return act.threshold(input, **_threshold_options(input, threshold, value))


@pytorch_errors
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Do what `threshold` does, in place.

    Args:
        input: of any shape.
        threshold: what an element must be above to stay.
        value: what takes the place of the others.

    Returns:
        `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.threshold_.html

    Example:
        >>> import nbmodule
        >>> nbmodule.threshold_(nbmodule.tensor([-2.0, 0.0, 3.0]), 0.5, 9.0)
        tensor([9., 9., 3.])
    """
    once = input  # to write the same number twice does no harm: an expanded tensor is written once
    for d, step in enumerate(input.stride()):
        if step == 0 and input.size(d) > 1:
            once = once.narrow(d, 0, 1)
    write(once, _threshold_in_place, **_threshold_options(input, threshold, value))
    return input


def _threshold_in_place(t: Tensor, **options: float) -> Tensor:
    return renamed(act.threshold(t, **options), "ThresholdBackward1")


def _threshold_options(input: Tensor, threshold: Any, value: Any) -> dict[str, Any]:
    kind = input._array.dtype.kind
    if kind == "b":
        raise NotImplementedError("\"threshold_cpu\" not implemented for 'Bool'")
    dtype = _dtypes.of_numpy[input._array.dtype]
    threshold = factor_number(as_number(threshold), dtype)
    return {"threshold": threshold, "value": fill_number(as_number(value), dtype)}


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


@activation_errors
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


@activation_errors
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


@activation_errors
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
        return rrelu_(input, lower, upper, training)
    return _rrelu(input, lower, upper, training)


@top_level
def _rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Return `input` where it is positive, else `input` times a slope.

    Args:
        input: of any shape.
        lower: the smallest slope.
        upper: the largest slope.
        training: draw a slope for each negative element; otherwise all have the mean of both.
        generator: draws them; the default one when left out.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: `lower` is above `upper`, or one of them is not finite.

    Source: Xu et al., https://arxiv.org/abs/1505.00853

    Example:
        >>> import nbmodule
        >>> nbmodule.rrelu(nbmodule.tensor([-2.0, 0.0, 3.0]), 0.1, 0.3)
        tensor([-0.4000,  0.0000,  3.0000])
    """
    for name, bound in (("lower", lower), ("upper", upper)):
        if isinstance(bound, (int, float)) and not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")
    lower, upper = _rrelu_bounds(input, lower, upper, training)
    if not training or input.is_meta:
        slope = (lower + upper) / 2
        return renamed(act.leaky_relu(input, negative_slope=slope), "RreluWithNoiseBackward0")
    return act.leak(input, wrap(_slopes(input._array, lower, upper, generator)))


@pytorch_errors
def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Do what `rrelu` does, in place.

    Args:
        input: of any shape.
        lower: the smallest slope.
        upper: the largest slope.
        training: draw a slope for each negative element; otherwise all have the mean of both.
        generator: draws them; the default one when left out.

    Returns:
        `input`.

    Raises:
        RuntimeError: `lower` is above `upper`.

    Source: Xu et al., https://arxiv.org/abs/1505.00853

    Example:
        >>> import nbmodule
        >>> nbmodule.rrelu_(nbmodule.tensor([-2.0, 0.0, 3.0]), 0.1, 0.3)
        tensor([-0.4000,  0.0000,  3.0000])
    """
    lower, upper = _rrelu_bounds(input, lower, upper, training)
    if not training:
        rule = in_place(act.leaky_relu, "RreluWithNoiseBackward1")
        slope: Any = (lower + upper) / 2
        return write(input, rule, negative_slope=slope)
    if grad_mode.enabled:  # before anything is drawn
        refuse_recorded_write(input, wants_grad(input))
    slopes = wrap(_slopes(input._array, lower, upper, generator))

    def leak(t: Tensor, s: Tensor) -> Tensor:
        return renamed(act.leak(t, s), "RreluWithNoiseBackward1")

    return write(input, leak, slopes)


def _rrelu_bounds(input: Tensor, lower: Any, upper: Any, training: bool) -> tuple[float, float]:
    """Return both slopes, after the checks."""
    if training is not True and training is not False:
        raise TypeError("expected True or False")
    low, high = as_number(lower), as_number(upper)
    if not low <= high:
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


@activation_errors
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


@activation_errors
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


def _hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return `input` where it is outside of [-lambd, lambd], else 0.

    Args:
        input: of any shape.
        lambd: how far from 0 an element must be to stay.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.hardshrink.html

    Example:
        >>> import nbmodule
        >>> nbmodule.hardshrink(nbmodule.tensor([-2.0, 0.3, 0.7]))
        tensor([-2.0000,  0.0000,  0.7000])
    """
    refuse_whole(input, "hardshrink_cpu")
    return input.hardshrink(as_number(lambd))


def _prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return `input` where it is positive, else `input` times `weight`.

    Args:
        input: (N, C, *), or of any shape where `weight` has one element.
        weight: (C,) or (1,).

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: the channels, or the dtypes, do not fit.

    Source: He et al., https://arxiv.org/abs/1502.01852

    Example:
        >>> import nbmodule
        >>> nbmodule.prelu(nbmodule.tensor([-2.0, 0.0, 3.0]), nbmodule.tensor([0.1]))
        tensor([-0.2000,  0.0000,  3.0000])
    """
    return input.prelu(weight)


hardshrink = function(_hardshrink, name="hardshrink", exact=FOUND)

softshrink = function(_softshrink, name="softshrink", exact=FOUND)
prelu = function(_prelu, name="prelu")
