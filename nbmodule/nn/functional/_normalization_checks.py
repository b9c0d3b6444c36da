"""What PyTorch checks of the arguments of normalisation, in its order and words.

A right call does not come here: `_normalization` has looked at its arguments once.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..._backend import mixed_devices
from ..._engine import grad_mode, wants_grad
from ..._methods.common import kind_of, not_implemented
from ..._tensor import Tensor

NOT_DIVISIBLE = (
    "Expected number of channels in input to be divisible by num_groups, but got input of shape "
    "{} and num_groups={}"
)


def check_types(kernel: str, input: Tensor, *beside: Tensor | None) -> None:
    """Check that what lies beside the input has its dtype; beside float16 all may be float32."""
    own, others = input._array.dtype, [t for t in beside if t is not None]
    if others and others[0]._array.dtype != own:
        if any(t._array.dtype != "f4" for t in others):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if own != "f2":
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    elif own.kind != "f":
        raise not_implemented(kernel, input)
    else:
        for t in others:
            if t._array.dtype != own:
                raise RuntimeError(f"expected scalar type {kind_of(input)} but found {kind_of(t)}")


def check_batch(input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor | None, var: Tensor | None, training: bool) -> None:  # fmt: skip
    """Raise what PyTorch says of arguments that do not fit, in its order."""
    named = {"running_mean": mean, "running_var": var, "weight": weight, "bias": bias}
    if not isinstance(training, bool):
        raise TypeError("expected True or False")
    for name, t in (("running_mean", mean), ("running_var", var)):
        if grad_mode.enabled and t is not None and wants_grad(t):
            raise RuntimeError(
                f"The function 'native_batch_norm' is not differentiable with respect to argument '{name}'. "
                "This input cannot have requires_grad True."
            )
    x = input._array
    if not x.size:
        return
    features = x.shape[1] if x.ndim > 1 else 0
    for name, t in named.items():
        if t is not None and t._array.size != features:
            raise RuntimeError(f"{name} should contain {features} elements not {t._array.size}")
        if t is None and name.startswith("running") and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    if (mean is None) != (var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if x.ndim < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    if x.dtype.kind != "f":
        raise not_implemented("batch_norm", input)
    check_types("batch_norm", input, weight, bias, mean, var)
    if error := mixed_devices([x, *(t._array for t in named.values() if t is not None)]):
        raise error


def check_last(input: Tensor, shape: Sequence[int], bracket: str = "[*, ", **beside: Tensor | None) -> None:  # fmt: skip
    """Check that `shape` is that of the last dimensions, and of all tensors `beside`."""
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
            f"but got normalized_shape = {list(shape)}"
        )
    for name, t in beside.items():
        if t is not None and t._array.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(t.shape)} and normalized_shape = {list(shape)}"
            )
    own = input._array.shape
    if own[-len(shape) :] != shape or len(own) < len(shape):
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape "
            f"{bracket}{', '.join(map(str, shape))}], but got input of size{list(own)}"
        )


def check_groups(input: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None) -> None:
    """Raise what PyTorch says of arguments that do not fit, in its order."""
    c, shape = input.size(1), list(input.shape)
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if c % groups:
        raise RuntimeError(NOT_DIVISIBLE.format(shape, groups))
    shown = [0] if weight is None else list(weight.shape)  # PyTorch shows it for the bias too
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and t._array.shape != (c,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got "
                f"{name} of shape {shown} and input of shape {shape}"
            )
    check_types("GroupNormKernelImpl", input, weight, bias)
