"""Activations with the arguments of PyTorch's own operations, before `nbmodule.nn.functional` adds ``inplace``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import _dtypes
from ...._data import factor_number, fill_number
from ...._engine import renamed, write
from ...._functions._arguments import as_number, in_place, refuse_whole
from ...._functions._out import FOUND
from ...._functions._wrap import explained_function, function
from ...._methods.common import kind_of
from ...._ops import activations as act
from ...._ops import smooth_activations as smooth
from ...._ops.reduce import axis_of
from ...._tensor import Tensor

_elu_in_place = in_place(smooth.elu, "EluBackward1")
_leaky_in_place = in_place(act.leaky_relu, "LeakyReluBackward1")


# ---- straight pieces


def _limits(name: str, input: Tensor, low: Any, high: Any) -> dict[str, Any]:
    """Return the limits of hardtanh in the type of `input`."""
    low, high, kind = as_number(low), as_number(high), input._array.dtype.kind
    if kind == "b":
        raise RuntimeError(f"Bool inputs not supported for {name}")
    if kind == "f":
        if max(abs(low), abs(high)) > 65504:  # where float16 ends
            low, high = (fill_number(end, input.dtype) for end in (low, high))
        return {"low": low, "high": high}
    low, high = (int(factor_number(end, _dtypes.int64)) for end in (low, high))
    if kind == "u" and (low < 0 or high < 0):
        raise RuntimeError(f"cannot do {name} on an unsigned type with negative limits")
    low, high = (factor_number(end, _dtypes.of_numpy[input._array.dtype]) for end in (low, high))
    return {"low": low, "high": high}


@explained_function
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Return `input` within [min_val, max_val]."""
    return act.hardtanh(input, **_limits("hardtanh", input, min_val, max_val))


@explained_function
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
    return write(input, act.hardtanh, **_limits("hardtanh", input, min_val, max_val))


@explained_function
def relu6(input: Tensor) -> Tensor:
    """Return `input` within [0, 6]."""
    return act.hardtanh(input, **_limits("hardtanh", input, 0, 6))


@explained_function
def relu6_(input: Tensor) -> Tensor:
    """Bring `input` into [0, 6], in place."""
    return write(input, act.hardtanh, **_limits("hardtanh", input, 0, 6))


@explained_function
def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Return `input` where it is positive, else ``negative_slope * input``."""
    slope = as_number(negative_slope)
    refuse_whole(input, "leaky_relu_cpu")
    return act.leaky_relu(input, negative_slope=slope)


@explained_function
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
    slope = as_number(negative_slope)
    refuse_whole(input, "leaky_relu_cpu")
    return write(input, _leaky_in_place, negative_slope=slope)


@explained_function
def hardsigmoid(input: Tensor) -> Tensor:
    """Return ``(input + 3) / 6`` within [0, 1]."""
    refuse_whole(input, "hardsigmoid_cpu")
    return act.hardsigmoid(input)


@explained_function
def hardsigmoid_(input: Tensor) -> Tensor:
    """Do what `hardsigmoid` does, in place."""
    refuse_whole(input, "hardsigmoid_cpu")
    return write(input, act.hardsigmoid)


@explained_function
def hardswish(input: Tensor) -> Tensor:
    """Return `input` times its `hardsigmoid`."""
    refuse_whole(input, "hardswish_cpu")
    return act.hardswish(input)


@explained_function
def hardswish_(input: Tensor) -> Tensor:
    """Do what `hardswish` does, in place."""
    refuse_whole(input, "hardswish_cpu")
    return write(input, act.hardswish)


# ---- smooth curves


def _elu_options(input: Tensor, alpha: Any, scale: Any, input_scale: Any) -> dict[str, Any]:
    numbers = as_number(alpha), as_number(scale), as_number(input_scale)
    refuse_whole(input, "elu_cpu")
    return dict(zip(("alpha", "scale", "input_scale"), numbers, strict=True))


@explained_function
def elu(input: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    """Return `input` where it is positive, else ``alpha * (exp(input) - 1)``."""
    return smooth.elu(input, **_elu_options(input, alpha, scale, input_scale))


@explained_function
def elu_(input: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    """Bend what is negative towards ``-alpha``, in place: see `elu`.

    Args:
        input: of any shape.
        alpha: how far down; the gradient needs one that is not negative.
        scale: a factor for the result.
        input_scale: a factor for what is negative, before the exponential.

    Returns:
        `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.elu_.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.elu_(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-0.9999, -0.6321,  2.0000])
    """
    return write(input, _elu_in_place, **_elu_options(input, alpha, scale, input_scale))


@explained_function
def silu(input: Tensor) -> Tensor:
    """Return `input` times its sigmoid."""
    refuse_whole(input, "silu_cpu")
    return smooth.silu(input)


@explained_function
def silu_(input: Tensor) -> Tensor:
    """Do what `silu` does, in place."""
    refuse_whole(input, "silu_cpu")
    return write(input, smooth.silu)


@explained_function
def mish(input: Tensor) -> Tensor:
    """Return ``input * tanh(softplus(input))``."""
    refuse_whole(input, "mish_cpu")
    return smooth.mish(input)


@explained_function
def mish_(input: Tensor) -> Tensor:
    """Do what `mish` does, in place."""
    refuse_whole(input, "mish_cpu")
    return write(input, smooth.mish)


def _gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """Return `input` times the probability that a normal variable is below it: ``x * (1 + erf(x / sqrt(2))) / 2``.

    Args:
        input: of any shape.
        approximate: "none", or "tanh" for ``x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2``.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: `approximate` is neither of the two.

    Source: Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.gelu(nbmodule.tensor([-9.0, -1.0, 2.0]))
        tensor([-0.0000, -0.1587,  1.9545])
    """
    if not isinstance(approximate, str):
        raise TypeError("expected a string")
    if approximate not in ("none", "tanh"):
        raise RuntimeError(
            "approximate argument must be either none or tanh.\n" + f"It is {approximate!r}."
        )
    refuse_whole(input, "GeluKernelImpl")
    return smooth.gelu(input) if approximate == "none" else smooth.gelu_tanh(input)


def _softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """Return ``log(1 + exp(beta * input)) / beta``, a smooth `relu`.

    Args:
        input: of any shape.
        beta: how close it is to `relu`.
        threshold: where ``beta * input`` is above it, `input` itself is returned.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softplus.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.softplus(nbmodule.tensor([-9.0, 0.0, 30.0]))
        tensor([1.2340e-04, 6.9315e-01, 3.0000e+01])
    """
    numbers = {"beta": as_number(beta), "threshold": as_number(threshold)}
    refuse_whole(input, "softplus_cpu")
    return smooth.softplus(input, **numbers)


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


def _log_sigmoid(input: Tensor) -> Tensor:
    """Return ``log(1 / (1 + exp(-input)))``, also where the sigmoid is too small for the type.

    Args:
        input: of any shape.

    Returns:
        a tensor in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.logsigmoid.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.logsigmoid(nbmodule.tensor([-1000.0, 0.0, 2.0]))
        tensor([-1.0000e+03, -6.9315e-01, -1.2693e-01])
    """
    refuse_whole(input, "log_sigmoid_cpu")
    return smooth.log_sigmoid(input)


@explained_function
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return the first half along `dim`, times the sigmoid of the second half."""
    if not hasattr(dim, "__index__"):
        raise TypeError("expected a whole number")
    axis = axis_of(int(dim), input._array.ndim)
    size = input._array.shape[axis]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {size}")
    refuse_whole(input, "glu_cpu")
    return smooth.glu(input, axis=axis)


gelu = function(_gelu, name="gelu", exact=FOUND)
softplus = function(_softplus, name="softplus", exact=FOUND)
softshrink = function(_softshrink, name="softshrink", exact=FOUND)
log_sigmoid = function(_log_sigmoid, name="log_sigmoid", exact=FOUND)
log_sigmoid.__module__ = __name__  # where pickle finds it: `nn.functional` calls it `logsigmoid`
