"""Normalisation with the arguments of ``nbmodule.layer_norm`` and its siblings.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#normalization-functions
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..._engine import be_silent, grad_mode, renamed, wrap
from ..._functions._wrap import explained_function
from ..._functions.reductions import var_mean
from ..._methods.common import kind_of, library
from ..._ops import normalization as rules
from ..._ops.normalization_planes import Layout, Moments, moments
from ..._tensor import Tensor
from ...autograd import no_grad


def check_tensors(*given: Any) -> None:
    """Raise a TypeError, which `explained_function` puts into words, if one is neither a tensor nor None."""
    for t in given:
        if t is not None and not isinstance(t, Tensor):
            raise TypeError("expected a tensor")


def check_types(kernel: str, input: Tensor, *beside: Tensor | None) -> None:
    """Check that what lies beside the input has its dtype; beside float16 all may be float32."""
    own, others = input._array.dtype, [t for t in beside if t is not None]
    if others and others[0]._array.dtype != own:
        if any(t._array.dtype != "f4" for t in others):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if own != "f2":
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    elif own.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{kind_of(input)}'")
    else:
        for t in others:
            if t._array.dtype != own:
                raise RuntimeError(f"expected scalar type {kind_of(input)} but found {kind_of(t)}")


# ---- over the last dimensions


def _sizes(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, (tuple, list)):
        raise TypeError("expected sizes")
    return tuple(shape)


def _check_last(input: Tensor, shape: Sequence[int], bracket: str = "[*, ", **beside: Tensor | None) -> None:  # fmt: skip
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


@explained_function
def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5, cudnn_enable: bool = True) -> Tensor:  # fmt: skip
    """Do what `nbmodule.nn.functional.layer_norm` does; `cudnn_enable` changes nothing."""
    check_tensors(input, weight, bias)
    shape = _sizes(normalized_shape)
    _check_last(input, shape, weight=weight, bias=bias)
    check_types("LayerNormKernelImpl", input, weight, bias)
    size = math.prod(shape)
    return rules.layer_norm(input, weight, bias, size=size, eps=eps, name="NativeLayerNormBackward0")[0]  # fmt: skip


@explained_function
def native_layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Return what `layer_norm` returns, and the means and 1 / std, both (*, 1, ...)."""
    out = layer_norm(input, normalized_shape, weight, bias, eps)
    with no_grad():
        dims = tuple(range(-len(normalized_shape), 0))
        var, mean = var_mean(input.double(), dims, correction=0, keepdim=True)
        dtype = _type_beside(input, weight, bias)
        return out, mean.to(dtype), (var + eps).rsqrt().to(dtype)


@explained_function
def rms_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:  # fmt: skip
    """Divide the last dimensions by their root mean square: ``x / sqrt(mean(x**2) + eps) * weight``.

    Args:
        input: (*, *normalized_shape)
        normalized_shape: the sizes of the last dimensions.
        weight: of `normalized_shape`, or None for 1.
        eps: keeps the root away from 0; None for the distance from 1 to the next number.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.rms_norm.html

    Example:
        >>> import nbmodule
        >>> nbmodule.rms_norm(nbmodule.tensor([3.0, 4.0, 0.0, 0.0]), (4,))
        tensor([1.2000, 1.6000, 0.0000, 0.0000])
    """
    check_tensors(input, weight)
    shape = _sizes(normalized_shape)
    _check_last(input, shape, "[*", weight=weight)
    if not input.is_floating_point():
        raise NotImplementedError(f"\"rms_norm\" not implemented for '{kind_of(input)}'")
    if eps is None:
        eps = 2.0 ** (-52 if input._array.dtype.itemsize == 8 else -23)
    out = rules.rms_norm(input, weight, axes=tuple(range(-len(shape), 0)), eps=float(eps))
    return renamed(out, "ToCopyBackward0") if input._array.dtype.itemsize == 2 else out


# ---- over channels


def _check_size(name: str, t: Tensor | None, features: int) -> None:
    if t is not None and t.numel() != features:
        raise RuntimeError(f"{name} should contain {features} elements not {t.numel()}")


def _check_running(features: int, mean: Tensor | None, var: Tensor | None, training: bool) -> None:
    for name, t in (("running_mean", mean), ("running_var", var)):
        _check_size(name, t, features)
        if t is None and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")


def _batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor | None, var: Tensor | None, training: bool, momentum: float, eps: float) -> tuple[Tensor, Moments | None]:  # fmt: skip
    """Return the normalised input, and the statistics that were found (None where they were given).

    In training the running `mean` and `var` are brought up to date.
    """
    check_tensors(input, weight, bias, mean, var)
    if not isinstance(momentum, (int, float)):
        raise TypeError("expected a number")
    if grad_mode.enabled:
        for name, t in (("running_mean", mean), ("running_var", var)):
            if t is not None and t.requires_grad:
                raise RuntimeError(
                    f"The function 'native_batch_norm' is not differentiable with respect to argument '{name}'. "
                    "This input cannot have requires_grad True."
                )
    shape = input._array.shape
    features = shape[1] if len(shape) > 1 else 0
    if not input._array.size:
        out = input.clone()
        out = out if weight is None else out * weight.select(0, 0)
        return (out if bias is None else out + bias.select(0, 0)), None
    _check_running(features, mean, var, training)
    _check_size("weight", weight, features)
    _check_size("bias", bias, features)
    if (mean is None) != (var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if len(shape) < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    if input._array.dtype.kind != "f":
        raise NotImplementedError(f"\"batch_norm\" not implemented for '{kind_of(input)}'")
    check_types("batch_norm", input, weight, bias, mean, var)
    at = Layout(shape[0], features, math.prod(shape[2:]))
    known = _moments(input, at) if training else _given(mean, var)
    out = rules.channel_norm(input, weight, bias, at=at, known=known, eps=eps, fixed=not training, name="NativeBatchNormBackward0")[0]  # fmt: skip
    if training and mean is not None and var is not None and not input.is_meta:
        n = at.per_mean
        _move(mean, known.mean, momentum)
        _move(var, known.var * (n / (n - 1) if n > 1 else math.nan), momentum)
    return out, known if training else None


def _moments(input: Tensor, at: Layout) -> Moments:
    """Return the statistics of the input; on the meta device there are none, and none are asked for."""
    if input.is_meta:
        return Moments(None, None)
    be_silent()
    return moments(library(input), input._array, at)


def _given(mean: Any, var: Any) -> Moments:
    """Return running statistics, in the form in which others are computed."""
    return Moments(*(t._array.reshape(1, -1).astype("f8") for t in (mean, var)))


def _move(running: Tensor, found: Any, momentum: float) -> None:
    """Move running statistics towards those that were `found`; as in PyTorch it does not count as a write."""
    old = running._array
    old[...] = (1 - momentum) * old.astype("f8") + momentum * found.reshape(old.shape)


@explained_function
def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:  # fmt: skip
    """Do what `nbmodule.nn.functional.batch_norm` does, for single values too; `cudnn_enabled` changes nothing."""
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


@explained_function
def native_batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: bool, momentum: float, eps: float) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Return what `batch_norm` returns, and in training the means (C,) and 1 / std (C,) of the batch."""
    out, found = _batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )
    dtype = _type_beside(input, weight, bias, running_mean, running_var)
    if found is None:
        return out, input.new_empty(0, dtype=dtype), input.new_empty(0, dtype=dtype)
    return out, *_as_tensors(found, (input.shape[1],), eps, dtype)


@explained_function
def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:  # fmt: skip
    """Do what `nbmodule.nn.functional.instance_norm` does; `cudnn_enabled` changes nothing.

    Each channel of each sample is a channel of one large sample, which `batch_norm` normalises.
    """
    check_tensors(input, weight, bias, running_mean, running_var)
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )
    n, c = (input.size(d) for d in (0, 1))
    model = weight if input._array.dtype.itemsize == 2 else input  # whose dtype the statistics get

    def repeated(t: Any, like: Tensor | None = None) -> Any:
        return t if t is None else (t if like is None else t.to(like.dtype)).repeat(n)

    mean, var = repeated(running_mean, model), repeated(running_var, model)
    large = input.contiguous().view(1, n * c, *input.shape[2:])
    out = _batch_norm(large, repeated(weight), repeated(bias), mean, var, use_input_stats, momentum, eps)[0]  # fmt: skip
    for t, moved in ((running_mean, mean), (running_var, var)):
        if use_input_stats and t is not None:
            t.copy_(moved.view(n, c).mean(0))
    return out.view(input.shape)


# ---- over groups of channels


def _group_norm(input: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None, eps: float) -> tuple[Tensor, Moments]:  # fmt: skip
    """Return the normalised input, and the statistics that were found."""
    check_tensors(input, weight, bias)
    if not isinstance(groups, int) or isinstance(groups, bool):
        raise TypeError("expected a whole number")
    n, c = (input.size(d) for d in (0, 1))
    shape = list(input.shape)
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if c % groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{shape} and num_groups={groups}"
        )
    for name, t in (
        ("weight", weight),
        ("bias", bias),
    ):  # PyTorch shows the weight's shape for both
        if t is not None and t._array.shape != (c,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got "
                f"{name} of shape {[0] if weight is None else list(weight.shape)} and input of shape {shape}"
            )
    check_types("GroupNormKernelImpl", input, weight, bias)
    at = Layout(n, c, math.prod(shape[2:]), groups)
    known = _moments(input, at)
    out = rules.channel_norm(input, weight, bias, at=at, known=known, eps=eps, name="NativeGroupNormBackward0")[0]  # fmt: skip
    return out, known


@explained_function
def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5, cudnn_enabled: bool = True) -> Tensor:  # fmt: skip
    """Do what `nbmodule.nn.functional.group_norm` does, for single values too; `cudnn_enabled` changes nothing."""
    return _group_norm(input, num_groups, weight, bias, eps)[0]


@explained_function
def native_group_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Return what `group_norm` returns, and the means and 1 / std, both (N, group)."""
    check_tensors(input, weight, bias)
    if C % group:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={group}"
        )
    if input.numel() != N * C * HxW:
        raise RuntimeError("Expected X.numel() == N * C * HxW to be true, but got false.")
    out, found = _group_norm(input.reshape(N, C, HxW), group, weight, bias, eps)
    dtype = _type_beside(input, weight, bias)
    return out.view(input.shape), *_as_tensors(found, (N, group), eps, dtype)


# ---- what the native functions return beside the result


def _type_beside(input: Tensor, *beside: Tensor | None) -> Any:
    """Return the dtype of the statistics: that of what lies beside the input, if anything does."""
    return next((t.dtype for t in beside if t is not None), input.dtype)


def _as_tensors(
    found: Moments, shape: Sequence[int], eps: float, dtype: Any
) -> tuple[Tensor, Tensor]:
    """Return the means and 1 / std."""
    mean, var = (wrap(a.reshape(shape)) for a in found[:2])
    return mean.to(dtype), (var + eps).rsqrt().to(dtype)


for _function in (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    native_batch_norm,
    native_group_norm,
    native_layer_norm,
    rms_norm,
):
    _function.__module__ = "nbmodule"
