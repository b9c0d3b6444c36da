"""Batch and instance normalisation with the arguments of ``nbmodule.batch_norm`` and its siblings.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#normalization-functions
"""

from __future__ import annotations

import math
from typing import Any

from ...._backend import mixed_devices
from ...._engine import grad_mode, to_the_end
from ...._functions._wrap import explained_function
from ...._methods.common import kind_of
from ...._ops import normalization as rules
from ...._ops.normalization_planes import Layout, Moments
from ...._tensor import Tensor
from .normalization import as_tensors, check_tensors, check_types, found_moments, type_beside


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
    if not isinstance(training, bool):
        raise TypeError("expected True or False")
    momentum = float(momentum)
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
    known = found_moments(input, at) if training else _given(mean, var)
    out = rules.channel_norm(input, weight, bias, at=at, known=known, eps=eps, fixed=not training, name="NativeBatchNormBackward0")[0]  # fmt: skip
    if training and mean is not None and var is not None and not input.is_meta:
        n = at.per_mean
        spread = known.var * (n / (n - 1) if n > 1 else math.nan)
        _move((mean, known.mean), (var, spread), momentum=momentum)
    return out, known if training else None


def _given(mean: Any, var: Any) -> Moments:
    """Return running statistics, in the form in which others are computed."""
    return Moments(*(t._array.reshape(1, -1).astype("f8") for t in (mean, var)))


def _move(*pairs: tuple[Tensor, Any], momentum: float) -> None:
    """Move running statistics towards those that were found, all or none; as in PyTorch it does not count as a write."""
    moved = []
    for running, found in pairs:
        old = running._array
        if type(old) is not type(found) and (error := mixed_devices((found, old))):
            raise error
        moved.append((old, (1 - momentum) * old.astype("f8") + momentum * found.reshape(old.shape)))
    to_the_end(_store, moved)


def _store(pairs: list[tuple[Any, Any]]) -> None:
    for array, numbers in pairs:
        array[...] = numbers


@explained_function
def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:  # fmt: skip
    """Do what `nbmodule.nn.functional.batch_norm` does, for single values too.

    Args:
        input: (N, C) or (N, C, *)
        weight: (C,) or None for 1.
        bias: (C,) or None for 0.
        running_mean: (C,) or None: the means to use; in training they move towards those of the batch, in place.
        running_var: (C,) or None, likewise the variances.
        training: use the mean and the variance of the batch.
        momentum: how far the running statistics move, from 0 to 1.
        eps: keeps the root away from 0.
        cudnn_enabled: changes nothing.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: the shapes or the dtypes do not fit, or statistics are missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.batch_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[10.0, 1.0], [50.0, 1.0]])
        >>> nbmodule.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
        tensor([[-1.,  0.],
                [ 1.,  0.]])
    """
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


@explained_function
def native_batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: bool, momentum: float, eps: float) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Return what `batch_norm` returns, and in training the means (C,) and 1 / std (C,) of the batch.

    Args:
        input: (N, C) or (N, C, *)
        weight: (C,) or None for 1.
        bias: (C,) or None for 0.
        running_mean: (C,) or None: the means to use; in training they move towards those of the batch, in place.
        running_var: (C,) or None, likewise the variances.
        training: use the mean and the variance of the batch.
        momentum: how far the running statistics move, from 0 to 1.
        eps: keeps the root away from 0.

    Returns:
        a tensor in the shape of `input`, and two of shape (C,), or (0,) where nothing was computed.

    Raises:
        RuntimeError: the shapes or the dtypes do not fit, or statistics are missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.batch_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[10.0, 1.0], [50.0, 5.0]])
        >>> _, mean, rstd = nbmodule.native_batch_norm(x, None, None, None, None, True, 0.1, 0.0)
        >>> mean, rstd
        (tensor([30.,  3.]), tensor([0.0500, 0.5000]))
    """
    out, found = _batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )
    dtype = type_beside(input, weight, bias, running_mean, running_var)
    if found is None:
        return out, input.new_empty(0, dtype=dtype), input.new_empty(0, dtype=dtype)
    return out, *as_tensors(found, (input.shape[1],), eps, dtype)


@explained_function
def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:  # fmt: skip
    """Do what `nbmodule.nn.functional.instance_norm` does, for single values too.

    Each channel of each sample is a channel of one large sample, which `batch_norm` normalises.

    Args:
        input: (N, C, *)
        weight: (C,) or None for 1.
        bias: (C,) or None for 0.
        running_mean: (C,) or None; with `use_input_stats` it moves towards the mean of all samples' means.
        running_var: (C,) or None, likewise.
        use_input_stats: use the mean and the variance of each sample, otherwise the running ones.
        momentum: how far the running statistics move, from 0 to 1.
        eps: keeps the root away from 0.
        cudnn_enabled: changes nothing.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: the shapes do not fit, or statistics are missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.instance_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[[10.0, 50.0], [1.0, 1.0]]])
        >>> nbmodule.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
        tensor([[[-1.,  1.],
                 [ 0.,  0.]]])
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


for _function in (batch_norm, instance_norm, native_batch_norm):
    _function.__module__ = "nbmodule"
