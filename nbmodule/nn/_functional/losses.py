"""Losses, as functions; `nbmodule.nn.functional` shows them. They check shapes; the rules compute.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

import warnings

from ..._functions.shapes import broadcast_tensors
from ..._ops import loss as losses
from ..._tensor import Tensor
from .._reduction import legacy_reduction, reduction_of

# ---- losses of numbers


def mse_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return the mean (or "sum", or "none") of the squared differences.

    Args:
        input: of any shape.
        target: of the same shape.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".
        weight: in the shape of `input`: how much each element counts; "mean" divides by their sum.

    Raises:
        ValueError: `reduction` is unknown, or the weights do not fit.
    """
    _warn_of_broadcasting(target, input)
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    x, y = _broadcast(input, target)
    if weight is not None:
        _check_weight(weight, input)
        return _fold_weighted((x - y) ** 2, weight, reduction)
    reduction = reduction_of(reduction)
    _only_floats("mse_cpu", x, y)
    return losses.mse_loss(x, y, reduction=reduction)


def l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return the mean (or "sum", or "none") of the absolute differences; the arguments are those of `mse_loss`."""
    _warn_of_broadcasting(target, input)
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    x, y = _broadcast(input, target)
    if weight is not None:
        _check_weight(weight, input)
        return _fold_weighted((x - y).abs(), weight, reduction)
    reduction = reduction_of(reduction)
    errors = (x - y).abs()
    return errors if reduction == "none" else errors.mean() if reduction == "mean" else errors.sum()


def smooth_l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0) -> Tensor:  # fmt: skip
    """Return the absolute differences, rounded off to a parabola below `beta`.

    Args:
        input: of any shape.
        target: of the same shape.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".
        beta: where the parabola ends; 0 makes it `l1_loss`.

    Raises:
        ValueError: `reduction` is unknown.
        RuntimeError: `beta` is negative.
    """
    _warn_of_broadcasting(target, input)
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    x, y = _broadcast(input, target)
    if beta == 0.0:
        return l1_loss(x, y, reduction=reduction)
    reduction = reduction_of(reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    _only_floats("smooth_l1_cpu", x, y)
    return losses.smooth_l1_loss(x, y, reduction=reduction, beta=beta)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return half the squared differences, continued by straight lines beyond `delta`.

    Args:
        input: of any shape.
        target: of the same shape.
        reduction: "mean", "sum" or "none".
        delta: where the parabola ends.
        weight: in the shape of `input`: what the losses are multiplied by.

    Raises:
        ValueError: `reduction` is unknown, or the weights do not fit.
        RuntimeError: `delta` is not positive.
    """
    _warn_of_broadcasting(target, input)
    x, y = _broadcast(input, target)
    if weight is not None:
        _check_weight(weight, input)
        rows = huber_loss(x, y, "none", delta) * weight
        return _fold_weighted(rows, None, reduction)
    reduction = reduction_of(reduction)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    _only_floats("huber_cpu", x, y)
    return losses.huber_loss(x, y.to(x.dtype), reduction=reduction, delta=delta)


def _warn_of_broadcasting(target: Tensor, input: Tensor) -> None:
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the "
            "same size.",
            stacklevel=3,
        )


def _broadcast(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Return both in one shape."""
    if input._array.shape == target._array.shape:
        return input, target
    x, y = broadcast_tensors(input, target)
    return x, y


def _only_floats(kernel: str, *tensors: Tensor) -> None:
    """Raise, in PyTorch's words, if none of `tensors` holds floating-point numbers."""
    if not any(t._array.dtype.kind == "f" for t in tensors):
        found = tensors[0].dtype.scalar_name
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{found}'")


def _check_weight(weight: Tensor, input: Tensor) -> None:
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")


def _fold_weighted(errors: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    """Return weighted `errors` by `reduction`; "mean" divides by the sum of the weights, if there are any."""
    weighted = errors if weight is None else errors * weight
    if reduction == "none":
        return weighted
    if reduction == "sum":
        return weighted.sum()
    if reduction == "mean":
        return weighted.mean() if weight is None else weighted.sum() / weight.sum()
    raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


# ---- losses of probabilities


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return ``-target * log(input) - (1 - target) * log(1 - input)``: the surprise at yes or no.

    Args:
        input: probabilities, of any shape.
        target: likewise, of the same shape.
        weight: how much each element counts; broadcast to the shape of `target`.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: the shapes differ, or `reduction` is unknown.
        RuntimeError: an element is no probability, or the dtypes differ.
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = _fitting_weight("binary_cross_entropy", weight, target)
    for other in (target, *([] if weight is None else [weight])):
        if other._array.dtype != input._array.dtype:
            raise RuntimeError("Found dtype {} but expected {}".format(*(t.dtype.scalar_name for t in (other, input))))  # fmt: skip
    _only_floats("binary_cross_entropy", input)
    for name, t in (("input", input), ("target", target)):
        if not ((t._array >= 0) & (t._array <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    return losses.binary_cross_entropy(input, target, weight, reduction=reduction)


def _fitting_weight(function: str, weight: Tensor, target: Tensor) -> Tensor:
    """Return `weight` in the shape of `target`."""
    _refuse_gradient(function, "weight", weight)
    sizes, shape = weight._array.shape, target._array.shape
    for place in range(1, min(len(sizes), len(shape)) + 1):
        if sizes[-place] not in (1, shape[-place]) and shape[-place] != 1:
            raise RuntimeError(
                f"Attempting to broadcast a dimension of length {sizes[-place]} at -{place}! Mismatching "
                f"argument at index 1 had {weight.size()}; but expected shape should be broadcastable to "
                f"{list(shape)}"
            )
    _check_no_wider(sizes, shape)
    return weight.expand(shape)


def _check_no_wider(sizes: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Raise if something of `sizes` would broaden the losses beyond `shape`."""
    padded = (1,) * (len(sizes) - len(shape)) + shape
    wide = tuple(max(a, b) for a, b in zip((1,) * (len(padded) - len(sizes)) + sizes, padded, strict=True))  # fmt: skip
    if wide != shape:
        raise RuntimeError(
            f"output with shape {list(shape)} doesn't match the broadcast shape {list(wide)}"
        )


def _refuse_gradient(function: str, name: str, weight: Tensor) -> None:
    if weight.requires_grad:
        raise RuntimeError(
            f"The function '{function}' is not differentiable with respect to argument '{name}'. This "
            "input cannot have requires_grad True."
        )


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return ``binary_cross_entropy(sigmoid(input), target)``, computed without overflow.

    Args:
        input: scores, of any shape.
        target: probabilities, of the same shape.
        weight: how much each element counts; broadcast to the shape of `target`.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".
        pos_weight: how much more a yes counts than a no; broadcast likewise.

    Raises:
        ValueError: the shapes differ, or `reduction` is unknown.
        RuntimeError: the weights do not fit, or require gradients.
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    if input._array.dtype.kind != "f":
        found = input.dtype.scalar_name
        raise NotImplementedError(f"\"log_sigmoid_cpu\" not implemented for '{found}'")
    if target._array.dtype.kind != "f":
        kind, found = input.dtype.scalar_name, target.dtype.scalar_name
        raise RuntimeError(f"result type {kind} can't be cast to the desired output type {found}")
    for name, w in (("weight", weight), ("pos_weight", pos_weight)):
        if w is not None:
            _refuse_gradient("binary_cross_entropy_with_logits", name, w)
            _check_beside(w, input, weight_first=name == "pos_weight")
    return losses.binary_cross_entropy_with_logits(
        input, target, weight, pos_weight, reduction=reduction
    )


def _check_beside(weight: Tensor, input: Tensor, weight_first: bool) -> None:
    """Raise, in PyTorch's words, if `weight` cannot be multiplied by losses in the shape of `input`."""
    a, b = (weight, input) if weight_first else (input, weight)
    x, y = a._array.shape, b._array.shape
    for place in range(1, min(len(x), len(y)) + 1):
        if x[-place] != y[-place] and 1 not in (x[-place], y[-place]):
            raise RuntimeError(
                f"The size of tensor a ({x[-place]}) must match the size of tensor b ({y[-place]}) at "
                f"non-singleton dimension {max(len(x), len(y)) - place}"
            )
    _check_no_wider(weight._array.shape, input._array.shape)
