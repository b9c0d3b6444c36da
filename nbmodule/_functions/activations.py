"""Activations that PyTorch has at the top level: some are methods of Tensor too, some are not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _dtypes
from .._backend import namespace_of
from .._data import factor_number, fill_number
from .._engine import grad_mode, refuse_recorded_write, renamed, wants_grad, wrap, write
from .._generator import Generator, default_generator
from .._methods.pytorch_errors import pytorch_errors
from .._ops import activations as act
from .._ops import smooth_activations as smooth
from .._tensor import Tensor
from ._arguments import as_number, in_place, refuse_whole
from ._out import EXPECTED, FOUND
from ._wrap import function

relu = function(Tensor.relu, name="relu")
softmax = function(Tensor.softmax, name="softmax", exact=EXPECTED)
log_softmax = function(Tensor.log_softmax, name="log_softmax", exact=EXPECTED)


# ---- straight pieces


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
prelu = function(_prelu, name="prelu")


def _threshold_in_place(t: Tensor, **options: float) -> Tensor:
    return renamed(act.threshold(t, **options), "ThresholdBackward1")


# ---- exponential units

_elu_in_place = in_place(smooth.elu, "EluBackward1")
_celu_in_place = in_place(smooth.elu, "CeluBackward1")

_SELU: dict[str, Any] = {
    "alpha": 1.6732632423543772,
    "scale": 1.0507009873554805,
    "input_scale": 1.0,
}


@pytorch_errors
def selu(input: Tensor) -> Tensor:
    """Return a scaled exponential unit, which keeps the mean at 0 and the variance at 1.

    Args:
        input: of any shape.

    Returns:
        a tensor in the shape of `input`.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    Example:
        >>> import nbmodule
        >>> nbmodule.selu(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-1.7579, -1.1113,  2.1014])
    """
    refuse_whole(input, "elu_cpu")
    return smooth.elu(input, **_SELU)


@pytorch_errors
def selu_(input: Tensor) -> Tensor:
    """Do what `selu` does, in place.

    Args:
        input: of any shape.

    Returns:
        `input`.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    Example:
        >>> import nbmodule
        >>> nbmodule.selu_(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-1.7579, -1.1113,  2.1014])
    """
    refuse_whole(input, "elu_cpu")
    return write(input, _elu_in_place, **_SELU)


@pytorch_errors
def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Return `input` where it is positive, else ``alpha * (exp(input / alpha) - 1)``.

    Args:
        input: of any shape.
        alpha: large negative elements tend to ``-alpha``; not 0.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: `alpha` is 0.

    Source: Barron, https://arxiv.org/abs/1704.07483

    Example:
        >>> import nbmodule
        >>> nbmodule.celu(nbmodule.tensor([-9.0, -1.0, 2.0]), 2.0)
        tensor([-1.9778, -0.7869,  2.0000])
    """
    return renamed(smooth.elu(input, **_celu_options(input, alpha)), "CeluBackward0")


@pytorch_errors
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Do what `celu` does, in place.

    Args:
        input: of any shape.
        alpha: large negative elements tend to ``-alpha``; not 0.

    Returns:
        `input`.

    Raises:
        RuntimeError: `alpha` is 0.

    Source: Barron, https://arxiv.org/abs/1704.07483

    Example:
        >>> import nbmodule
        >>> nbmodule.celu_(nbmodule.tensor([-9.0, -1.0, 2.0]), 2.0)
        tensor([-1.9778, -0.7869,  2.0000])
    """
    return write(input, _celu_in_place, **_celu_options(input, alpha))


def _celu_options(input: Tensor, alpha: float) -> dict[str, Any]:
    """Return what makes `celu` of the rule of `elu`, after the checks."""
    alpha = float(as_number(alpha))
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    refuse_whole(input, "elu_cpu")
    return {"alpha": alpha, "scale": 1.0, "input_scale": 1 / alpha}


@pytorch_errors
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


def _threshold_options(input: Tensor, threshold: Any, value: Any) -> dict[str, Any]:
    kind = input._array.dtype.kind
    if kind == "b":
        raise NotImplementedError("\"threshold_cpu\" not implemented for 'Bool'")
    dtype = _dtypes.of_numpy[input._array.dtype]
    threshold = factor_number(as_number(threshold), dtype)
    return {"threshold": threshold, "value": fill_number(as_number(value), dtype)}


@pytorch_errors
def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, generator: Generator | None = None) -> Tensor:  # fmt: skip
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
    return write(input, lambda t, s: renamed(act.leak(t, s), "RreluWithNoiseBackward1"), slopes)


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
