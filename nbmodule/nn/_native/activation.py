"""Activations with the arguments of PyTorch's own operations, before `nbmodule.nn.functional` adds ``inplace``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._engine import renamed, write
from ..._functions._out import FOUND
from ..._functions._wrap import explained_function, function
from ..._functions.activations import as_number, in_place, refuse_whole
from ..._methods.common import kind_of
from ..._ops import activations as act
from ..._ops import smooth_activations as smooth
from ..._ops.reduce import axis_of
from ..._tensor import Tensor

_elu_in_place = in_place(smooth.elu, "EluBackward1")
_leaky_in_place = in_place(act.leaky_relu, "LeakyReluBackward1")
_hardtanh_in_place = in_place(act.hardtanh, "HardtanhBackward1")


# ---- straight pieces


def _limits(name: str, input: Tensor, low: Any, high: Any) -> dict[str, Any]:
    """Return the limits of hardtanh in the type of `input`."""
    low, high, kind = as_number(low), as_number(high), input._array.dtype.kind
    if kind == "b":
        raise RuntimeError(f"Bool inputs not supported for {name}")
    if kind == "f":
        return {"low": low, "high": high}
    low, high = int(low), int(high)
    if kind == "u" and (low < 0 or high < 0):
        raise RuntimeError(f"cannot do {name} on an unsigned type with negative limits")
    return {"low": low, "high": high}


@explained_function
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Return `input` within [min_val, max_val]."""
    return act.hardtanh(input, **_limits("hardtanh", input, min_val, max_val))


@explained_function
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Bring `input` into [min_val, max_val], in place: see `hardtanh`."""
    return write(input, _hardtanh_in_place, **_limits("hardtanh", input, min_val, max_val))


@explained_function
def relu6(input: Tensor) -> Tensor:
    """Return `input` within [0, 6]."""
    return act.hardtanh(input, **_limits("hardtanh", input, 0, 6))


@explained_function
def relu6_(input: Tensor) -> Tensor:
    """Bring `input` into [0, 6], in place."""
    return write(input, _hardtanh_in_place, **_limits("hardtanh", input, 0, 6))


@explained_function
def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Return `input` where it is positive, else ``negative_slope * input``."""
    slope = as_number(negative_slope)
    refuse_whole(input, "leaky_relu_cpu")
    return act.leaky_relu(input, negative_slope=slope)


@explained_function
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Multiply what is negative by `negative_slope`, in place: see `leaky_relu`."""
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
    """Bend what is negative towards ``-alpha``, in place: see `elu`."""
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
    if not isinstance(approximate, str):
        raise TypeError("expected a string")
    if approximate not in ("none", "tanh"):
        raise RuntimeError(
            "approximate argument must be either none or tanh.\n" + f"It is {approximate!r}."
        )
    refuse_whole(input, "GeluKernelImpl")
    return smooth.gelu(input) if approximate == "none" else smooth.gelu_tanh(input)


def _softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    numbers = {"beta": as_number(beta), "threshold": as_number(threshold)}
    refuse_whole(input, "softplus_cpu")
    return smooth.softplus(input, **numbers)


def _softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    lambd = as_number(lambd)
    refuse_whole(input, "softshrink_check")
    largest = float(np.finfo(input._array.dtype).max)
    if not 0 <= lambd <= largest:
        raise RuntimeError(
            f"lambda must be in range [0, {largest:g}] for input dtype {kind_of(input)}, but found {lambd:g}"
        )
    return renamed(act.softshrink(input, lambd=lambd), "SoftshrinkBackward0")


def _log_sigmoid(input: Tensor) -> Tensor:
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
