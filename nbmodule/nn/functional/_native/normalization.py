"""Normalisation with the arguments of ``nbmodule.layer_norm`` and its siblings.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#normalization-functions
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

from ...._engine import be_silent, renamed, wrap
from ...._functions._wrap import explained_function
from ...._functions.reductions import var_mean
from ...._methods.common import kind_of, library
from ...._methods.layout import fresh
from ...._ops import normalization as rules
from ...._ops.normalization_planes import Layout, Moments, moments
from ...._tensor import Tensor
from ....autograd import no_grad


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
    """Do what `nbmodule.nn.functional.layer_norm` does, with an argument more.

    Args:
        input: (*, *normalized_shape)
        normalized_shape: the sizes of the last dimensions, over which the mean and the variance are taken.
        weight: of `normalized_shape`, or None for 1.
        bias: of `normalized_shape`, or None for 0.
        eps: keeps the root away from 0.
        cudnn_enable: changes nothing.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: the shapes or the dtypes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.layer_norm.html

    Example:
        >>> import nbmodule
        >>> nbmodule.layer_norm(nbmodule.tensor([10.0, 50.0]), (2,))
        tensor([-1.,  1.])
    """
    check_tensors(input, weight, bias)
    shape = _sizes(normalized_shape)
    _check_last(input, shape, weight=weight, bias=bias)
    check_types("LayerNormKernelImpl", input, weight, bias)
    size = math.prod(shape)
    return rules.layer_norm(input, weight, bias, size=size, eps=eps, name="NativeLayerNormBackward0")[0]  # fmt: skip


@explained_function
def native_layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Return what `layer_norm` returns, and the means and 1 / std, both (*, 1, ...).

    Args:
        input: (*, *normalized_shape)
        normalized_shape: the sizes of the last dimensions, over which the mean and the variance are taken.
        weight: of `normalized_shape`, or None for 1.
        bias: of `normalized_shape`, or None for 0.
        eps: keeps the root away from 0.

    Raises:
        RuntimeError: the shapes or the dtypes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.layer_norm.html

    Example:
        >>> import nbmodule
        >>> _, mean, rstd = nbmodule.native_layer_norm(nbmodule.tensor([[10.0, 50.0]]), (2,), None, None, 0.0)
        >>> mean, rstd
        (tensor([[30.]]), tensor([[0.0500]]))
    """
    out = layer_norm(input, normalized_shape, weight, bias, eps)
    with no_grad():
        dims = tuple(range(-len(normalized_shape), 0))
        var, mean = var_mean(input.double(), dims, correction=0, keepdim=True)
        dtype = type_beside(input, weight, bias)
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
    if input.dim() < len(shape) and (weight is None or weight._array.shape == shape):
        raise ValueError(
            f"Input tensor must have at least {len(shape)} dimensions, but got {input.dim()}"
        )
    _check_last(input, shape, "[*", weight=weight)
    if not input.is_floating_point():
        raise NotImplementedError(f"\"rms_norm\" not implemented for '{kind_of(input)}'")
    if eps is None:
        eps = 2.0 ** (-52 if input._array.dtype.itemsize == 8 else -23)
    out = rules.rms_norm(input, weight, axes=tuple(range(-len(shape), 0)), eps=float(eps))
    own = input._array.dtype.itemsize
    cast = own == 2 or (
        weight is not None and weight.is_floating_point() and weight.element_size() > own
    )
    if cast:
        return renamed(out, "ToCopyBackward0")
    return out if out.is_contiguous() else out.contiguous()


# ---- over groups of channels


def _group_norm(input: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None, eps: float) -> tuple[Tensor, Moments]:  # fmt: skip
    """Return the normalised input, and the statistics that were found."""
    check_tensors(input, weight, bias)
    groups = index(groups)
    n, c = (input.size(d) for d in (0, 1))
    shape = list(input.shape)
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if c % groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{shape} and num_groups={groups}"
        )
    shown = [0] if weight is None else list(weight.shape)  # PyTorch shows it for the bias too
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and t._array.shape != (c,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got "
                f"{name} of shape {shown} and input of shape {shape}"
            )
    check_types("GroupNormKernelImpl", input, weight, bias)
    at = Layout(n, c, math.prod(shape[2:]), groups)
    known = found_moments(input, at)
    out = rules.channel_norm(input, weight, bias, at=at, known=known, eps=eps, name="NativeGroupNormBackward0")[0]  # fmt: skip
    return out, known


@explained_function
def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5, cudnn_enabled: bool = True) -> Tensor:  # fmt: skip
    """Do what `nbmodule.nn.functional.group_norm` does, for single values too.

    Args:
        input: (N, C, *)
        num_groups: into how many groups of neighbours the channels fall.
        weight: (C,) or None for 1.
        bias: (C,) or None for 0.
        eps: keeps the root away from 0.
        cudnn_enabled: changes nothing.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: the shapes or the dtypes do not fit, or the groups do not divide the channels.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.group_norm.html

    Example:
        >>> import nbmodule
        >>> nbmodule.group_norm(nbmodule.tensor([[10.0, 50.0, 2.0, 2.0]]), 2)
        tensor([[-1.,  1.,  0.,  0.]])
    """
    return _group_norm(input, num_groups, weight, bias, eps)[0]


@explained_function
def native_group_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Return what `group_norm` returns, and the means and 1 / std, both (N, group).

    Args:
        input: (N, C, *)
        weight: (C,) or None.
        bias: (C,) or None.
        N: the number of samples.
        C: the number of channels.
        HxW: how many elements a channel of a sample has.
        group: the number of groups.
        eps: keeps the root away from 0.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.group_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[10.0, 50.0, 1.0, 5.0]])
        >>> _, mean, rstd = nbmodule.native_group_norm(x, None, None, 1, 4, 1, 2, 0.0)
        >>> mean, rstd
        (tensor([[30.,  3.]]), tensor([[0.0500, 0.5000]]))
    """
    check_tensors(input, weight, bias)
    if C % group:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={group}"
        )
    if input.numel() != N * C * HxW:
        raise RuntimeError("Expected X.numel() == N * C * HxW to be true, but got false.")
    out, found = _group_norm(input.reshape(N, C, HxW), group, weight, bias, eps)
    dtype = type_beside(input, weight, bias)
    out = renamed(fresh(out.view(input.shape)), "NativeGroupNormBackward0")
    return out, *as_tensors(found, (N, group), eps, dtype)


# ---- statistics


def found_moments(input: Tensor, at: Layout) -> Moments:
    """Return the statistics of the input; on the meta device there are none, and none are asked for."""
    if input.is_meta:
        return Moments(None, None)
    be_silent()
    return moments(library(input), input._array, at)


def type_beside(input: Tensor, *beside: Tensor | None) -> Any:
    """Return the dtype of the statistics: that of what lies beside the input, if anything does."""
    return next((t.dtype for t in beside if t is not None), input.dtype)


def as_tensors(
    found: Moments, shape: Sequence[int], eps: float, dtype: Any
) -> tuple[Tensor, Tensor]:
    """Return the means and 1 / std."""
    mean, var = (wrap(a.reshape(shape)) for a in found[:2])
    return mean.to(dtype), (var + eps).rsqrt().to(dtype)


for _function in (group_norm, layer_norm, native_group_norm, native_layer_norm, rms_norm):
    _function.__module__ = "nbmodule"
