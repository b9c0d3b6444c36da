"""Fold a batch normalisation that no longer learns into the layer before it.

In evaluation a batch normalisation is ``(y - mean) / sqrt(var + eps) * w + b``, which is linear like the layer
that computes y: one layer does both.
"""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from ..._factories import ones_like, zeros_like
from ..._tensor import Tensor
from ..parameter import Parameter

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]

ConvT = TypeVar("ConvT", bound=Any)
LinearT = TypeVar("LinearT", bound=Any)


def fuse_conv_bn_eval(conv: ConvT, bn: Any, transpose: bool = False) -> ConvT:
    """Return a convolution that does what `conv` and then `bn` do, both in evaluation mode.

    Args:
        conv: a convolution, of any number of dimensions.
        bn: the batch normalisation after it, with running statistics.
        transpose: whether `conv` is a transposed one.

    Raises:
        AssertionError: one of them is in training mode, or `bn` keeps no statistics.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.fuse_conv_bn_eval.html

    Example:
        >>> from nbmodule import nn
        >>> net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)).eval()
        >>> nn.utils.fuse_conv_bn_eval(*net)
        Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1))
    """
    _check_evaluating(conv, bn)
    fused_conv = copy.deepcopy(conv)
    _check_statistics(bn)
    fused_conv.weight, fused_conv.bias = fuse_conv_bn_weights(
        fused_conv.weight, fused_conv.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias,
        transpose,
    )  # fmt: skip
    return fused_conv


def fuse_conv_bn_weights(conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor | None, bn_b: Tensor | None, transpose: bool = False) -> tuple[Parameter, Parameter]:  # fmt: skip
    """Return the weight and the bias of the layer that `fuse_conv_bn_eval` makes.

    Args:
        conv_w: the weight of the convolution, (C, ...), or (..., C, ...) if `transpose`.
        conv_b: its bias (C,), or None.
        bn_rm: the running mean (C,).
        bn_rv: the running variance (C,).
        bn_eps: what the normalisation adds to the variance.
        bn_w: its weight (C,); None stands for ones.
        bn_b: its bias (C,); None stands for zeros.
        transpose: whether the convolution is a transposed one.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.fuse_conv_bn_weights.html

    Example:
        >>> import nbmodule
        >>> w, mean, var = nbmodule.ones(1, 1, 1), nbmodule.tensor([1.0]), nbmodule.tensor([0.25])
        >>> fused = nbmodule.nn.utils.fuse_conv_bn_weights(w, None, mean, var, 0.0, None, None)
        >>> [p.tolist() for p in fused]
        [[[[2.0]]], [-2.0]]
    """
    weight_dtype = conv_w.dtype
    bias_dtype = conv_b.dtype if conv_b is not None else weight_dtype
    conv_b = zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = zeros_like(bn_rm) if bn_b is None else bn_b
    scale = (bn_rv + bn_eps).rsqrt()
    channels = [1, -1] if transpose else [-1, 1]
    shape = channels + [1] * (conv_w.dim() - 2)
    weight = (conv_w * (bn_w * scale).reshape(shape)).to(dtype=weight_dtype)
    bias = ((conv_b - bn_rm) * scale * bn_w + bn_b).to(dtype=bias_dtype)
    return _parameter(weight, conv_w), _parameter(bias, conv_b)


def fuse_linear_bn_eval(linear: LinearT, bn: Any) -> LinearT:
    """Return a Linear that does what `linear` and then `bn` do, both in evaluation mode.

    Args:
        linear: the layer.
        bn: the batch normalisation after it, with running statistics, of as many features or of one.

    Raises:
        AssertionError: one of them is in training mode, `bn` keeps no statistics, or the features do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.fuse_linear_bn_eval.html

    Example:
        >>> from nbmodule import nn
        >>> net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8)).eval()
        >>> nn.utils.fuse_linear_bn_eval(*net)
        Linear(in_features=4, out_features=8, bias=True)
    """
    _check_evaluating(linear, bn)
    fused_linear = copy.deepcopy(linear)
    # Either the channels of `bn` are the features of `linear`, or a single one goes with all of them.
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    _check_statistics(bn)
    fused_linear.weight, fused_linear.bias = fuse_linear_bn_weights(
        fused_linear.weight, fused_linear.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )  # fmt: skip
    return fused_linear


def fuse_linear_bn_weights(linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor, bn_b: Tensor) -> tuple[Parameter, Parameter]:  # fmt: skip
    """Return the weight and the bias of the layer that `fuse_linear_bn_eval` makes.

    Args:
        linear_w: the weight of the layer, (C, features).
        linear_b: its bias (C,), or None.
        bn_rm: the running mean (C,), as are the other tensors of the normalisation.
        bn_rv: the running variance.
        bn_eps: what the normalisation adds to the variance.
        bn_w: its weight.
        bn_b: its bias.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.fuse_linear_bn_weights.html

    Example:
        >>> import nbmodule
        >>> one, var = nbmodule.ones(1), nbmodule.tensor([0.25])
        >>> w, b = nbmodule.nn.utils.fuse_linear_bn_weights(one[None], None, one, var, 0.0, one, one)
        >>> w.tolist(), b.tolist()
        ([[2.0]], [-1.0])
    """
    weight_dtype = linear_w.dtype
    bias_dtype = linear_b.dtype if linear_b is not None else weight_dtype
    linear_b = zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * (bn_rv + bn_eps).rsqrt()
    weight = linear_w * scale.unsqueeze(-1).to(dtype=weight_dtype)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(dtype=bias_dtype)
    return _parameter(weight, linear_w), _parameter(bias, linear_b)


def _parameter(value: Tensor, like: Tensor) -> Parameter:
    return Parameter(value, like.requires_grad)


def _check_evaluating(layer: Any, bn: Any) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!\nCall eval() on both layers first.")


def _check_statistics(bn: Any) -> None:
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
