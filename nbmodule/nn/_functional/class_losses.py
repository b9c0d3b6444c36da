"""Losses of classifiers, as functions; `nbmodule.nn.functional` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

from typing import Any

from ..._errors import not_a_tensor
from ..._ops import elementwise as e
from ..._ops import loss as losses
from ..._tensor import Tensor
from .._reduction import reduction_of


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return the negative log-likelihood of the classes in `target`.

    Args:
        input: log-probabilities (N, C), (C,) or (N, C, d1, ...)
        target: class indices (N,), () or (N, d1, ...), int64
        weight: (C,) how much each class counts.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        ignore_index: a target that does not count.
        reduce: see `size_average`.
        reduction: "mean" (by the weights that counted), "sum" or "none".

    Raises:
        ValueError: the batch sizes differ, or `reduction` is unknown.
        RuntimeError: other shapes or dtypes do not fit.
        IndexError: a target is no class.
    """
    reduction = reduction_of(reduction, size_average, reduce)
    _check_tensors("nll_loss_nd", input, target)
    if input.dim() == 1 and target.numel() == 1:
        out = nll_loss(
            input[None], target.reshape(1), weight, ignore_index=ignore_index, reduction=reduction
        )
        return out.reshape(())
    _check_classes(input, target, weight, ignore_index)
    return losses.nll_loss(input, weight, **_loss_options(target, ignore_index, reduction))


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

    Raises:
        ValueError: the batch sizes differ, or `reduction` is unknown.
        RuntimeError: other shapes or dtypes do not fit.
        IndexError: a target is no class.
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    _check_tensors("cross_entropy_loss", input, target)
    if not input.is_floating_point():
        found = input.dtype.scalar_name
        raise NotImplementedError(
            f"\"log_softmax_lastdim_kernel_impl\" not implemented for '{found}'"
        )
    if (target.is_floating_point() and target.shape == input.shape) or label_smoothing:
        return _soft_cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    if input.dim() == 1 and target.numel() == 1:
        out = cross_entropy(
            input[None], target.reshape(1), weight, ignore_index=ignore_index, reduction=reduction
        )
        return out.reshape(())
    _check_classes(input, target, weight, ignore_index)
    return losses.cross_entropy(input, weight, **_loss_options(target, ignore_index, reduction))


def _soft_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, smoothing: float) -> Tensor:  # fmt: skip
    """Cross entropy against probabilities, or against classes of which a part is smoothed away."""
    axis = 0 if input.dim() == 1 else 1
    classes = input.shape[axis]
    logp = input.log_softmax(axis)
    column = [1] * input.dim()
    column[axis] = classes
    if weight is not None:
        logp = logp * weight.reshape(column)
    if target.is_floating_point():
        if target.shape != input.shape:
            raise RuntimeError(
                f"Expected floating point target with class probabilities to have the same shape as input: "
                f"got {list(target.shape)} and {list(input.shape)}"
            )
        soft = target * (1 - smoothing) + smoothing / classes
        rows = -(logp * soft).sum(axis)
        count = input.numel() // classes
        return (
            rows
            if reduction == "none"
            else rows.sum() / count
            if reduction == "mean"
            else rows.sum()
        )
    logs = input.log_softmax(axis)
    hard = nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    kept = target.ne(ignore_index)
    spread = -logp.sum(axis) * kept
    if reduction != "none":
        counts = kept.to(input.dtype)
        if weight is not None:
            counts = counts * weight[e.where(kept, target, target * 0)]
        spread = spread.sum() / counts.sum() if reduction == "mean" else spread.sum()
    return hard * (1 - smoothing) + spread * (smoothing / classes)


def _check_classes(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> None:  # fmt: skip
    if input.dim() < 1:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if input.dim() == 1:
        raise ValueError(
            "For 1D input, 1D target must have size 1, but got target size: "
            f"{target.shape[0] if target.dim() else 1}"
        )
    if input.dim() == 2 and target.dim() > 1 and input.shape[0] == target.shape[0]:
        raise RuntimeError(
            "0D or 1D target tensor expected, multi-target not supported\n"
            f"The input has size {list(input.shape)}, the target {list(target.shape)}."
        )
    if target.dim() and input.shape[0] != target.shape[0]:
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]})."
        )
    if (input.shape[0], *input.shape[2:]) != tuple(target.shape):
        raise RuntimeError(
            f"Expected target size {[input.shape[0], *input.shape[2:]]}, got {list(target.shape)}"
        )
    if target._array.dtype.kind not in "iu" or target._array.dtype.itemsize not in (8, 1):
        found = target.dtype.scalar_name
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {found}")
    if weight is not None and tuple(weight.shape) != (input.shape[1],):
        raise RuntimeError(
            f"weight tensor should be defined either for all {input.shape[1]} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )
    found = target._array[(target._array < 0) | (target._array >= input.shape[1])]
    bad = found[found != ignore_index]
    if bad.size:
        raise IndexError(
            f"Target {int(bad[0])} is out of bounds.\nThere are {input.shape[1]} classes, 0 to "
            f"{input.shape[1] - 1}."
        )


def _loss_options(target: Tensor, ignore_index: int, reduction: str) -> dict[str, Any]:  # fmt: skip
    raw = target._array.astype("int64", copy=False)
    return dict(target=raw, ignore_index=ignore_index, reduction=reduction)


def _check_tensors(function: str, input: Any, target: Any) -> None:
    for position, (name, value) in enumerate((("input", input), ("target", target)), 1):
        if not isinstance(value, Tensor):
            raise not_a_tensor(function, name, position, value)
