"""Losses of classifiers: cross entropy and the negative log-likelihood.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._backend import at_hand
from ..._engine import renamed
from ..._functions._arguments import as_index
from ..._methods._signatures import bind_call
from ..._methods.common import not_implemented
from ..._ops import loss as losses
from ..._tensor import Tensor
from .._reduction import get_enum, reduction_of

_INT64 = np.dtype("int64")


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return the negative log-likelihood of the classes in `target`.

    ``-weight[target] * input[target]`` for each row; their mean is divided by the weights that counted.

    Args:
        input: log-probabilities (N, C), (C,) or (N, C, d1, ...)
        target: class indices (N,), () or (N, d1, ...), int64
        weight: (C,) how much each class counts.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        ignore_index: a target that does not count.
        reduce: see `size_average`.
        reduction: "mean" (by the weights that counted), "sum" or "none".

    Returns:
        A number, or for "none" the losses in the shape of `target`.

    Raises:
        ValueError: the batch sizes differ, or `reduction` is unknown.
        RuntimeError: other shapes or dtypes do not fit.
        IndexError: a target is no class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.nll_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> likely = nbmodule.tensor([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]])
        >>> F.nll_loss(likely.log2(), nbmodule.tensor([0, 2]), reduction="none")  # in bits
        tensor([1., 3.])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    try:
        return _by_class(losses.nll_loss, input, target, weight, reduction, ignore_index)
    except Exception:  # PyTorch looks at the types of the arguments before anything else
        number = get_enum(reduction)
        bind_call("nll_loss_nd", False, (input, target, weight, number, ignore_index), {})
        raise


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:  # fmt: skip
    """Return ``nll_loss(log_softmax(input))``: how surprised the model is by the targets, in nats.

    Args:
        input: scores (N, C), (C,) or (N, C, d1, ...)
        target: class indices (N,), () or (N, d1, ...), int64; or probabilities in the shape of `input`.
        weight: (C,) how much each class counts.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        ignore_index: a target that does not count.
        reduce: see `size_average`.
        reduction: "mean" (by the weights that counted), "sum" or "none".
        label_smoothing: in [0, 1]; how much of each target is spread over all classes.

    Returns:
        A number, or for "none" the losses (N,), () or (N, d1, ...).

    Raises:
        ValueError: the batch sizes differ, or `reduction` is unknown.
        RuntimeError: other shapes or dtypes do not fit.
        IndexError: a target is no class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> scores = nbmodule.tensor([[0.0, 0.0], [5.0, -5.0]])  # undecided; sure
        >>> F.cross_entropy(scores, nbmodule.tensor([0, 1]), reduction="none")
        tensor([ 0.6931, 10.0000])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    try:
        if input._array.shape == target._array.shape:
            _check_probabilities(target, ignore_index)
            return _against_probabilities(input, target, weight, reduction, label_smoothing)
        if label_smoothing > 0:
            options = (weight, reduction, ignore_index, label_smoothing)
            return _against_smoothed_classes(input, target, *options)
        return _by_class(losses.cross_entropy, input, target, weight, reduction, ignore_index)
    except Exception:  # PyTorch looks at the types of the arguments before anything else
        options = (weight, get_enum(reduction), ignore_index, label_smoothing)
        bind_call("cross_entropy_loss", False, (input, target, *options), {})
        raise


def _by_class(rule: Any, input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, ignore_index: int) -> Tensor:  # fmt: skip
    """Return what `rule` makes of scores, or log-probabilities, and the classes `target`."""
    x, labels = input._array, target._array
    dims = x.ndim
    if dims == 1 and labels.size == 1 and labels.ndim < 2:  # one example is a batch of one
        row = _by_class(rule, input[None], target.reshape(1), weight, reduction, ignore_index)
        return renamed(row.reshape(()), "NllLossBackward0")
    shape = x.shape[:1] if dims == 2 else x.shape[:1] + x.shape[2:]
    fits = dims > 1 and labels.shape == shape and labels.dtype == _INT64 and x.dtype.kind == "f"
    if not fits or (weight is not None and not _is_weight(weight, x)):
        _check(rule, input, target, weight)
        labels = labels.astype(_INT64)  # bytes do, too
    ignored = _check_classes(labels, x.shape[1], ignore_index)
    if weight is None:
        out = rule(input, target=labels, ignore_index=ignored, reduction=reduction)
    else:
        out = rule(input, weight, target=labels, ignore_index=ignored, reduction=reduction)
    if dims == 2:
        return out
    # PyTorch brings other inputs to 4 dimensions, and back
    viewed = dims != 4 and out.dim() > 0
    return renamed(out, "ViewBackward0" if viewed else "NllLoss2DBackward0")


def _is_weight(weight: Tensor, scores: Any) -> bool:
    """Return whether `weight` is one constant for each class, in the dtype of `scores`."""
    w = weight._array
    alike = w.shape == scores.shape[1:2] and w.dtype == scores.dtype
    return alike and not weight.requires_grad


def _check_classes(labels: Any, classes: int, ignore_index: int) -> int | None:
    """Return `ignore_index` if one of `labels` may be ignored, else None.

    Raises:
        IndexError: a label is no class.
    """
    if type(ignore_index) is not int:
        ignore_index = as_index(ignore_index)
    if not at_hand(labels):
        return ignore_index
    inside = ignore_index if 0 <= ignore_index < classes else None
    if not labels.size:
        return inside
    unsigned = labels.view("uint64")  # what is negative is large there
    if unsigned.item(unsigned.argmax()) < classes:  # a third of the time of ``max``
        return inside
    bad = labels[((labels < 0) | (labels >= classes)) & (labels != ignore_index)]
    if bad.size:
        raise IndexError(
            f"Target {int(bad[0])} is out of bounds.\nThere are {classes} classes, 0 to {classes - 1}."
        )
    return ignore_index


def _against_probabilities(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, label_smoothing: float) -> Tensor:  # fmt: skip
    """Return the mean of the losses for all classes, each of which counts as much as it is likely."""
    axis = 0 if input.dim() == 1 else 1
    classes = input.size(axis)
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(f"cross_entropy: {_wrong_weight(weight, classes)}")
    logs = input.log_softmax(axis)
    if label_smoothing > 0:
        _check_smoothing(label_smoothing)
        target = target * (1 - label_smoothing) + label_smoothing / classes
    product = logs * target
    if weight is not None:
        product = product * weight.reshape(-1, *[1] * (input.dim() - 1 - axis))
    if reduction == "none":
        return -product.sum(axis)
    if reduction == "mean":
        if not input.numel():
            return -product.sum().fill_(math.nan)
        # the sum may be too large for float16
        wide = product.float() if product.element_size() == 2 else product
        mean = -wide.sum() / (input.numel() // classes)
        return renamed(mean.to(product.dtype), "DivBackward1")
    return -product.sum()


def _against_smoothed_classes(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, ignore_index: int, label_smoothing: float) -> Tensor:  # fmt: skip
    """Return a mix of the losses for the target and for a guess among all classes."""
    _check_smoothing(label_smoothing)
    axis = 0 if input.dim() == 1 else 1
    logs = input.log_softmax(axis)
    hard = _by_class(losses.nll_loss, logs, target, weight, reduction, ignore_index)
    classes = input.size(axis)
    if weight is not None:
        logs = logs * weight.reshape(-1, *[1] * (input.dim() - 1 - axis))
    ignored = target.eq(ignore_index)
    spread = (-logs.sum(axis)).masked_fill_(ignored, 0.0)
    if reduction == "mean":
        counted = ~ignored
        total = counted.sum() if weight is None else weight[target[counted]].sum()
        spread = spread.sum() / total
    elif reduction == "sum":
        spread = spread.sum()
    return (1 - label_smoothing) * hard + spread * (label_smoothing / classes)


# ---- what does not fit, in PyTorch's order and words


def _check(rule: Any, input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    """Raise PyTorch's error, if there is one."""
    if rule is losses.cross_entropy and not input.is_floating_point():
        input.log_softmax(1 if input.dim() > 1 else 0)  # which refuses them
    classes = _check_sizes(input, target)
    if target._array.dtype.str not in ("<i8", "|u1"):
        name = target.dtype.scalar_name
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {name}")
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(_wrong_weight(weight, classes, input.dim()))
    _check_dtypes(input, target, weight)


def _check_probabilities(target: Tensor, ignore_index: int) -> None:
    if not target.is_floating_point():
        raise RuntimeError(
            "Expected floating point type for target with class probabilities, got "
            f"{target.dtype.scalar_name}\nClass indices have the shape of the input without its classes."
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")


def _check_smoothing(label_smoothing: float) -> None:
    if label_smoothing > 1:
        raise RuntimeError(
            f"label_smoothing must be between 0.0 and 1.0. Got: {float(label_smoothing):g}"
        )


def _wrong_weight(weight: Tensor, classes: int, dims: int = 2) -> str:
    given = f" but got weight tensor of shape: {list(weight.shape)}"
    start = "weight tensor should be defined either for all"
    if dims > 2:
        return f"{start} or no classes\nThere are {classes} classes,{given}"
    return f"{start} {classes} classes or no classes{given}"


_SEVERAL_TARGETS = "0D or 1D target tensor expected, multi-target not supported"


def _check_sizes(input: Tensor, target: Tensor) -> int:
    """Return the number of classes."""
    size, given = input._array.shape, target._array.shape
    if not size:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(size) == 1:
        if len(given) > 1:
            raise RuntimeError(_SEVERAL_TARGETS)
        if target.numel() != 1:
            raise ValueError(
                f"For 1D input, 1D target must have size 1, but got target size: {target.numel()}"
            )
        return size[0]
    if size[0] != (given[0] if given else 0):
        raise ValueError(
            f"Expected input batch_size ({size[0]}) to match target batch_size "
            f"({given[0] if given else 0})."
        )
    if not given:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if size[2:] == given[1:]:
        return size[1]
    if len(size) == 2:
        raise RuntimeError(
            f"{_SEVERAL_TARGETS}\nThe input has size {list(size)}, the target {list(given)}."
        )
    if len(size) == 4 and len(given) != 3:
        raise RuntimeError(
            "only batches of spatial targets supported (3D tensors) but got targets of dimension: "
            f"{len(given)}"
        )
    if len(size) == 4:
        raise RuntimeError(f"size mismatch (got input: {list(size)} , target: {list(given)}")
    raise RuntimeError(f"Expected target size {[size[0], *size[2:]]}, got {list(given)}")


def _check_dtypes(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    is_image = input.dim() > 2
    if not input.is_floating_point():
        kernel = "nll_loss2d_forward_out_frame" if is_image else "nll_loss_out_frame"
        raise not_implemented(kernel, input)
    if is_image and target._array.dtype.itemsize == 1:
        raise RuntimeError("expected scalar type Long but found Byte")
    if weight is None:
        return
    if weight.dtype is not input.dtype:
        names = (input.dtype.scalar_name, weight.dtype.scalar_name)
        raise RuntimeError("expected scalar type {} but found {}".format(*names))
    if weight.requires_grad:
        function = "nll_loss2d_forward" if is_image else "nll_loss_forward"
        raise RuntimeError(
            f"The function '{function}' is not differentiable with respect to argument 'weight'. This input "
            "cannot have requires_grad True."
        )
