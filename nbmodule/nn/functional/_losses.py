"""Losses of regression: how far predicted numbers are from their targets.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

import warnings

from ..._engine import renamed
from ..._functions.shapes import broadcast_tensors
from ..._methods._signatures import bind_call
from ..._methods.common import not_implemented
from ..._ops import loss as losses
from ..._tensor import Tensor
from .._reduction import folded, legacy_get_string, name_of, number_of, reduction_of


def mse_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return the mean (or "sum", or "none") of the squared differences ``(input - target)**2``.

    Args:
        input: of any shape.
        target: of the same shape.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".
        weight: in the shape of `input`: how much each element counts; "mean" divides by their sum.

    Returns:
        A number, or for "none" the losses in the common shape.

    Raises:
        ValueError: `reduction` is unknown, or the weights do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.mse_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> x, y = nbmodule.tensor([1.0, 2.0, 4.0]), nbmodule.tensor([1.0, 2.5, 1.0])
        >>> F.mse_loss(x, y, reduction="none")
        tensor([0.0000, 0.2500, 9.0000])
    """
    x, y, reduction = _of_one_shape(input, target, size_average, reduce, reduction)
    if weight is not None:
        _check_weight(weight, input)
        return _fold_weighted((x - y) ** 2, weight, reduction)
    reduction = reduction_of(reduction)
    _only_floats("mse_cpu", x, y)
    return losses.mse_loss(x, y, reduction=reduction)


def l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return the mean (or "sum", or "none") of the absolute differences ``|input - target|``.

    Args:
        input: of any shape.
        target: of the same shape.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".
        weight: in the shape of `input`: how much each element counts; "mean" divides by their sum.

    Returns:
        A number, or for "none" the losses in the common shape.

    Raises:
        ValueError: `reduction` is unknown, or the weights do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.l1_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> x, y = nbmodule.tensor([1.0, 2.0, 4.0]), nbmodule.tensor([1.0, 2.5, 1.0])
        >>> F.l1_loss(x, y, reduction="none")
        tensor([0.0000, 0.5000, 3.0000])
    """
    x, y, reduction = _of_one_shape(input, target, size_average, reduce, reduction)
    if weight is not None:
        _check_weight(weight, input)
        return _fold_weighted((x - y).abs(), weight, reduction)
    number = number_of(reduction)
    if x._array.dtype != y._array.dtype or not x.is_floating_point():
        return folded((x - y).abs(), number)
    name = ("AbsBackward0", "MeanBackward0", "SumBackward0")[number]
    return renamed(losses.l1_loss(x, y, reduction=name_of(number)), name)


def smooth_l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0) -> Tensor:  # fmt: skip
    """Return the absolute differences d, rounded off to a parabola below `beta`.

    ``d**2 / (2 * beta)`` where d is below `beta`, ``d - beta / 2`` beyond.

    Args:
        input: of any shape.
        target: of the same shape.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".
        beta: where the parabola ends; 0 makes it `l1_loss`.

    Returns:
        A number, or for "none" the losses in the common shape.

    Raises:
        ValueError: `reduction` is unknown.
        RuntimeError: `beta` is negative.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.smooth_l1_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> x, y = nbmodule.tensor([1.0, 2.0, 4.0]), nbmodule.tensor([1.0, 2.5, 1.0])
        >>> F.smooth_l1_loss(x, y, reduction="none", beta=2.0)
        tensor([0.0000, 0.0625, 2.0000])
    """
    x, y, reduction = _of_one_shape(input, target, size_average, reduce, reduction)
    if beta == 0.0:
        return l1_loss(x, y, reduction=reduction)
    reduction = reduction_of(reduction)
    if not isinstance(beta, (int, float)):
        bind_call("smooth_l1_loss", False, (x, y, 1, beta), {})
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    _only_floats("smooth_l1_cpu", x, y)
    return losses.smooth_l1_loss(x, y, reduction=reduction, beta=beta)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return half the squared differences d, continued by straight lines beyond `delta`.

    ``d**2 / 2`` where d is below `delta`, ``delta * (d - delta / 2)`` beyond.

    Args:
        input: of any shape.
        target: of the same shape.
        reduction: "mean", "sum" or "none".
        delta: where the parabola ends.
        weight: in the shape of `input`: what the losses are multiplied by.

    Returns:
        A number, or for "none" the losses in the common shape.

    Raises:
        ValueError: `reduction` is unknown, or the weights do not fit.
        RuntimeError: `delta` is not positive.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.huber_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> x, y = nbmodule.tensor([1.0, 2.0, 4.0]), nbmodule.tensor([1.0, 2.5, 1.0])
        >>> F.huber_loss(x, y, reduction="none", delta=2.0)
        tensor([0.0000, 0.1250, 4.0000])
    """
    x, y, _ = _of_one_shape(input, target, None, None, reduction)
    if weight is not None:
        _check_weight(weight, input)
        rows = huber_loss(x, y, "none", delta) * weight
        return _fold_weighted(rows, None, reduction)
    reduction = reduction_of(reduction)
    if not isinstance(delta, (int, float)):
        bind_call("huber_loss", False, (x, y, 1, delta), {})
        delta = float(delta)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    _only_floats("huber_cpu", x, y)
    if not x.is_floating_point():
        names = (y.dtype.scalar_name, x.dtype.scalar_name)
        raise RuntimeError("result type {} can't be cast to the desired output type {}".format(*names))  # fmt: skip
    return losses.huber_loss(x, y, reduction=reduction, delta=delta)


def _of_one_shape(input: Tensor, target: Tensor, size_average: bool | None, reduce: bool | None, reduction: str) -> tuple[Tensor, Tensor, str]:  # fmt: skip
    """Return both tensors in their common shape, with a warning if they had two, and the reduction."""
    differ = target.size() != input.size()
    if differ:
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the "
            "same size.",
            stacklevel=3,
        )
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce, stacklevel=3)
    if differ:
        input, target = broadcast_tensors(input, target)
    return input, target, reduction


def _only_floats(kernel: str, *tensors: Tensor) -> None:
    """Raise, in PyTorch's words, if none of `tensors` holds floating-point numbers."""
    if not any(t._array.dtype.kind == "f" for t in tensors):
        raise not_implemented(kernel, tensors[0])


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
