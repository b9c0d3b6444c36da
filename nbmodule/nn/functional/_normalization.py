"""Numbers brought to mean 0 and variance 1, then scaled and shifted.

All of these functions are one formula, and differ in which numbers share a mean::

    y = (x - mean) / sqrt(var + eps) * weight + bias

`_ops/normalization.py` computes it. ``nbmodule.layer_norm`` takes an argument more than ``nn.functional.layer_norm``: it is
`_layer_norm` here. One look at the arguments is enough for nearly every call (`_fits`); `_normalization_checks` has what
PyTorch says of the others.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#normalization-functions
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

from ..._backend import MetaArray, library_of
from ..._engine import be_silent, grad_mode, renamed, to_the_end, wants_grad, wrap
from ..._errors import not_a_tensor
from ..._functions.elementwise import div
from ..._functions.reductions import var_mean
from ..._methods.common import not_implemented
from ..._methods.layout import fresh
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import normalization as rules
from ..._ops.normalization_planes import Layout, Moments, moments
from ..._tensor import Tensor
from ...autograd import no_grad
from ._checks import top_level
from ._normalization_checks import (
    NOT_DIVISIBLE,
    check_batch,
    check_groups,
    check_last,
    check_types,
)
from ._padding import pad
from ._pooling import avg_pool2d, avg_pool3d

_MORE = "Expected more than 1 {} when training, got input size {}"


def _fits(input: Tensor, shape: tuple[int, ...], *beside: Tensor | None) -> bool:
    """Return whether `input` holds floats, and what lies beside it numbers of its dtype in this `shape`."""
    dtype = input._array.dtype
    return dtype.kind == "f" and all(
        t is None or (t._array.dtype == dtype and t._array.shape == shape) for t in beside
    )


def _moments(x: Any, at: Layout) -> Moments:
    """Return the means and variances of an array; on the meta device there are none."""
    if type(x) is MetaArray:
        return Moments(None, None)
    be_silent()
    return moments(library_of(x), x, at)


def _mean_and_rstd(x: Any, at: Layout, shape: Sequence[int], eps: float, dtype: Any) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the means and 1 / std of an array as tensors."""
    mean, var = (wrap(a.reshape(shape)) for a in _moments(x, at)[:2])
    return mean.to(dtype), (var + eps).rsqrt().to(dtype)


def _type_beside(input: Tensor, *beside: Tensor | None) -> Any:
    """Return the dtype of the statistics: that of what lies beside the input, if anything does."""
    return next((t.dtype for t in beside if t is not None), input.dtype)


# ---- over the batch


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5) -> Tensor:  # fmt: skip
    """Bring each channel to mean 0 and variance 1 over the batch: ``(x - mean) / sqrt(var + eps) * weight + bias``.

    Args:
        input: (N, C) or (N, C, *)
        running_mean: (C,) the mean to use; in training it moves towards that of the batch, in place. None is
            possible in training.
        running_var: (C,) the variance, likewise; it moves towards that of division by n - 1.
        weight: (C,) or None for 1.
        bias: (C,) or None for 0.
        training: use the mean and the variance of the batch.
        momentum: how far the running statistics move, from 0 to 1.
        eps: keeps the root away from 0.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: a channel has one value in training, or `eps` is not positive.
        RuntimeError: the shapes or the dtypes do not fit, or statistics are missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.batch_norm.html

    Example:
        >>> import nbmodule
        >>> F = nbmodule.nn.functional
        >>> x = nbmodule.tensor([[1.0, 10.0], [3.0, 50.0]])
        >>> mean, var = nbmodule.zeros(2), nbmodule.ones(2)
        >>> F.batch_norm(x, mean, var, training=True)
        tensor([[-1.0000, -1.0000],
                [ 1.0000,  1.0000]])
        >>> mean, var  # after one step of a tenth
        (tensor([0.2000, 3.0000]), tensor([ 1.1000, 80.9000]))
    """
    try:
        shape = input._array.shape
    except AttributeError:
        if training:
            input.size()  # PyTorch's first question, which says what is missing
        raise not_a_tensor("batch_norm", "input", 1, input) from None
    if training and shape[0] * math.prod(shape[2:]) == 1:  # of a single value the variance is 0
        raise ValueError(_MORE.format("value per channel", input.shape))
    if eps < 0.0 or (training and not eps):
        wanted = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {wanted}, but got {eps}")
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)  # fmt: skip


@top_level
def _batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:  # fmt: skip
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
    x, momentum = input._array, float(momentum)
    if not _batch_fits(input, weight, bias, running_mean, running_var, training):
        check_batch(input, weight, bias, running_mean, running_var, training)
        if not x.size:
            out = input.clone()
            out = out if weight is None else out * weight.select(0, 0)
            return out if bias is None else out + bias.select(0, 0)
    n, c, *plane = x.shape
    at = Layout(n, c, math.prod(plane))
    known = _moments(x, at) if training else _as_moments(running_mean, running_var)
    out = rules.channel_norm(input, weight, bias, at=at, known=known, eps=eps, fixed=not training, name="NativeBatchNormBackward0")[0]  # fmt: skip
    if training and running_mean is not None and known.mean is not None:
        _move(running_mean, running_var, known, at.per_mean, momentum)
    return out


def _as_moments(mean: Any, var: Any) -> Moments:
    """Return running statistics in the form in which those of a batch are computed."""
    return Moments(*(t._array.reshape(1, -1).astype("f8") for t in (mean, var)))


def _move(mean: Any, var: Any, known: Moments, count: int, momentum: float) -> None:
    """Move running statistics towards those of a batch; as in PyTorch this does not count as a write."""
    unbiased = known.var * (count / (count - 1) if count > 1 else math.nan)
    moved = []
    for old, new in ((mean._array, known.mean), (var._array, unbiased)):
        moved.append((old, (1 - momentum) * old.astype("f8") + momentum * new.reshape(old.shape)))

    def store() -> None:
        for array, numbers in moved:
            array[...] = numbers

    to_the_end(store)  # both or none


def _batch_fits(input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor | None, var: Tensor | None, training: bool) -> bool:  # fmt: skip
    """Return whether nothing is unusual: a batch with elements, and statistics that may be used or moved."""
    x = input._array
    if x.ndim < 2 or not x.size or not _fits(input, x.shape[1:2], weight, bias, mean, var):
        return False
    if mean is None or var is None:
        return mean is var and training is True
    if grad_mode.enabled and (wants_grad(mean) or wants_grad(var)):
        return False
    return isinstance(training, bool) and type(mean._array) is type(var._array) is type(x)


@top_level
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
    out = _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)  # fmt: skip
    x, dtype = input._array, _type_beside(input, weight, bias, running_mean, running_var)
    if not training or not x.size:
        return out, input.new_empty(0, dtype=dtype), input.new_empty(0, dtype=dtype)
    n, c, *plane = x.shape
    return out, *_mean_and_rstd(x, Layout(n, c, math.prod(plane)), (c,), eps, dtype)


# ---- over each channel of each sample


def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5) -> Tensor:  # fmt: skip
    """Bring each channel of each sample to mean 0 and variance 1, by the formula of `batch_norm`.

    Args:
        input: (N, C, *)
        running_mean: (C,) or None; with `use_input_stats` it moves towards the mean of all samples' means.
        running_var: (C,) or None, likewise.
        weight: (C,) or None for 1.
        bias: (C,) or None for 0.
        use_input_stats: use the mean and the variance of each sample, otherwise the running ones.
        momentum: how far the running statistics move, from 0 to 1.
        eps: keeps the root away from 0.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: a channel of a sample has one value.
        RuntimeError: the shapes do not fit, or statistics are missing.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.instance_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[[1.0, 3.0], [5.0, 25.0]]])
        >>> nbmodule.nn.functional.instance_norm(x)
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])
    """
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise ValueError(_MORE.format("spatial element", input.shape))
    return _instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)  # fmt: skip


@top_level
def _instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:  # fmt: skip
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
    out = _batch_norm(large, repeated(weight), repeated(bias), mean, var, use_input_stats, momentum, eps, True)  # fmt: skip
    for t, moved in ((running_mean, mean), (running_var, var)):
        if use_input_stats and t is not None:
            t.copy_(moved.view(n, c).mean(0))
    return out.view(input.shape)


# ---- over the last dimensions


def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:  # fmt: skip
    """Bring the last dimensions to mean 0 and variance 1: ``(x - mean) / sqrt(var + eps) * weight + bias``.

    Args:
        input: (*, *normalized_shape)
        normalized_shape: the sizes of the last dimensions, over which the mean and the variance are taken.
        weight: of `normalized_shape`, or None for 1.
        bias: of `normalized_shape`, or None for 0.
        eps: keeps the root away from 0.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        RuntimeError: the shapes or the dtypes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.layer_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[1.0, 3.0], [10.0, 50.0]])
        >>> nbmodule.nn.functional.layer_norm(x, (2,))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])
    """
    return _layer_norm(input, normalized_shape, weight, bias, eps)


@top_level
def _layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5, cudnn_enable: bool = True) -> Tensor:  # fmt: skip
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
    shape, x = _sizes(normalized_shape), input._array
    if not shape or x.shape[-len(shape) :] != shape or not _fits(input, shape, weight, bias):
        check_last(input, shape, weight=weight, bias=bias)
        check_types("LayerNormKernelImpl", input, weight, bias)
    return rules.layer_norm(input, weight, bias, size=math.prod(shape), eps=eps, name="NativeLayerNormBackward0")[0]  # fmt: skip


def _sizes(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, (tuple, list)):
        raise TypeError("expected sizes")
    return tuple(shape)


@top_level
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
    out = _layer_norm(input, normalized_shape, weight, bias, eps)
    with no_grad():
        dims = tuple(range(-len(normalized_shape), 0))
        var, mean = var_mean(input.double(), dims, correction=0, keepdim=True)
        dtype = _type_beside(input, weight, bias)
        return out, mean.to(dtype), (var + eps).rsqrt().to(dtype)


@pytorch_errors
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
        >>> nbmodule.nn.functional.rms_norm(nbmodule.tensor([3.0, 4.0, 0.0, 0.0]), (4,))
        tensor([1.2000, 1.6000, 0.0000, 0.0000])
    """
    shape = _sizes(normalized_shape)
    if input.dim() < len(shape) and (weight is None or weight._array.shape == shape):
        raise ValueError(
            f"Input tensor must have at least {len(shape)} dimensions, but got {input.dim()}"
        )
    check_last(input, shape, "[*", weight=weight)
    if not input.is_floating_point():
        raise not_implemented("rms_norm", input)
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


def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:  # fmt: skip
    """Bring each group of channels of each sample to mean 0 and variance 1, then scale and shift each channel.

    Args:
        input: (N, C, *)
        num_groups: into how many groups of neighbours the channels fall.
        weight: (C,) or None for 1.
        bias: (C,) or None for 0.
        eps: keeps the root away from 0.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: a group has one value.
        RuntimeError: the shapes or the dtypes do not fit, or the groups do not divide the channels.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.group_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[1.0, 3.0, 10.0, 50.0]])
        >>> nbmodule.nn.functional.group_norm(x, 2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    if input.dim() < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {input.dim()}"
        )
    n, c, *plane = input.shape
    if n * c // num_groups * math.prod(plane) == 1:
        raise ValueError(
            _MORE.format("value per channel", [n * c // num_groups, num_groups, *plane])
        )
    return _group_norm(input, num_groups, weight, bias, eps)


@top_level
def _group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5, cudnn_enabled: bool = True) -> Tensor:  # fmt: skip
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
    groups, x = index(num_groups), input._array
    if x.ndim < 2 or groups <= 0 or x.shape[1] % groups or not _fits(input, x.shape[1:2], weight, bias):  # fmt: skip
        check_groups(input, groups, weight, bias)
    n, c, *plane = x.shape
    at = Layout(n, c, math.prod(plane), groups)
    return rules.channel_norm(input, weight, bias, at=at, known=_moments(x, at), eps=eps, name="NativeGroupNormBackward0")[0]  # fmt: skip


@top_level
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
    if C % group:
        raise RuntimeError(NOT_DIVISIBLE.format(list(input.shape), group))
    if input.numel() != N * C * HxW:
        raise RuntimeError("Expected X.numel() == N * C * HxW to be true, but got false.")
    planes = input.reshape(N, C, HxW)
    out = _group_norm(planes, group, weight, bias, eps)
    out = renamed(fresh(out.view(input.shape)), "NativeGroupNormBackward0")
    dtype = _type_beside(input, weight, bias)
    return out, *_mean_and_rstd(planes._array, Layout(N, C, HxW, group), (N, group), eps, dtype)


# ---- by a length


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:  # fmt: skip
    """Divide vectors by their length, the p-norm: ``v / max(‖v‖, eps)``.

    Args:
        input: of any shape.
        p: of the norm.
        dim: along which the vectors lie; several for matrices and more.
        eps: the smallest length to divide by.
        out: a tensor to write to; then no derivative is recorded.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: the input does not hold floats.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.functional.normalize(nbmodule.tensor([[3.0, 4.0], [0.0, 0.0]]))
        tensor([[0.6000, 0.8000],
                [0.0000, 0.0000]])
    """
    length = input.norm(p, dim, keepdim=True)
    if out is None:
        return input / length.clamp_min(eps).expand_as(input)
    divide: Any = div  # which takes `out`
    return divide(input, length.clamp_min_(eps).expand_as(input), out=out)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:  # fmt: skip
    """Divide each channel by what its neighbours hold: ``x / (k + alpha * mean(x**2 over neighbours))**beta``.

    Args:
        input: (N, C, *), with at least one further dimension.
        size: how many channels count as neighbours, the channel itself among them; those beyond the ends are 0.
        alpha: the weight of the neighbours.
        beta: the exponent.
        k: what is added to them.

    Returns:
        a tensor in the shape of `input`.

    Raises:
        ValueError: the input has less than 3 dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.local_response_norm.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[[1.0], [2.0], [3.0]]])
        >>> y = nbmodule.nn.functional.local_response_norm(x, 2, alpha=1.0, beta=1.0)
        >>> y[0, :, 0]  # 1 / (1 + 1/2), 2 / (1 + 5/2), 3 / (1 + 13/2)
        tensor([0.6667, 0.5714, 0.4000])
    """
    dim = input.dim()
    if dim < 3:
        gap = " " * 26  # PyTorch's own
        raise ValueError(f"Expected 3D or higher dimensionality{gap}input (got {dim} dimensions)")
    if input.numel() == 0:
        return input
    around = (size // 2, (size - 1) // 2)
    squares = input.mul(input)
    if dim == 3:
        rows = pad(squares.unsqueeze(1), (0, 0, *around))
        means = avg_pool2d(rows, (size, 1), stride=1).squeeze(1)
    else:
        n, c, h = input.shape[:3]
        planes = pad(squares.view(n, 1, c, h, -1), (0, 0, 0, 0, *around))
        means = avg_pool3d(planes, (size, 1, 1), stride=1).squeeze(1).view(input.shape)
    return input / means.mul(alpha).add(k).pow(beta)
