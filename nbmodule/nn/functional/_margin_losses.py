"""Losses of classifiers that ask for a distance between the scores of right and wrong classes.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

from ..._tensor import Tensor
from .._reduction import folded, legacy_get_string, number_of
from ._native import margin_losses as native
from ._smooth_activation import logsigmoid


def soft_margin_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return ``log(1 + exp(-target * input))``: the logistic loss of yes (1) or no (-1).

    Args:
        input: scores, of any shape.
        target: 1 or -1, of the same shape.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses in the shape of `input`; infinite where the score is wrong by more than
        88 in float32, as in PyTorch. `binary_cross_entropy_with_logits` has no such limit.

    Raises:
        ValueError: `reduction` is unknown.
        RuntimeError: the shapes do not fit, or `target` requires gradients.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.soft_margin_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> F.soft_margin_loss(nbmodule.tensor([0.0, 3.0]), nbmodule.tensor([1.0, -1.0]), reduction="none")
        tensor([0.6931, 3.0486])
    """
    return native.soft_margin_loss(input, target, number_of(reduction, size_average, reduce))


def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return the mean over classes of the surprise of ``sigmoid(input)`` at yes (1) or no (0).

    ``-target * log(sigmoid(input)) - (1 - target) * log(sigmoid(-input))``

    Args:
        input: scores (N, C) or (..., C)
        target: 1 for each class that applies, else 0; in the same shape.
        weight: (C,) how much each class counts.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses (N,) or (...)

    Raises:
        ValueError: `reduction` is unknown.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_soft_margin_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> F.multilabel_soft_margin_loss(nbmodule.tensor([[3.0, -3.0]]), nbmodule.tensor([[1.0, 0.0]]))
        tensor(0.0486)
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    axis = input.dim() - 1
    losses = losses.sum(axis) / input.size(axis)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    return folded(losses, number_of(reduction))


def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Ask that the score of each class that applies is larger, by 1, than that of each class that does not.

    ``sum(max(0, 1 - input[j] + input[i])) / C`` over the targets j and the classes i that are none.

    Args:
        input: scores (N, C), (C,) or ()
        target: the classes that apply, filled up with -1, int64, in the same shape.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses (N,) or ()

    Raises:
        ValueError: `reduction` is unknown.
        RuntimeError: shapes or dtypes do not fit, or a target is no class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_margin_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> scores = nbmodule.tensor([0.1, 0.2, 0.4, 0.8])
        >>> F.multilabel_margin_loss(scores, nbmodule.tensor([3, 0, -1, 1]))  # 3 and 0 apply
        tensor(0.8500)
    """
    return native.multilabel_margin_loss(input, target, number_of(reduction, size_average, reduce))


def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Ask that the score of the target is larger, by `margin`, than that of each other class.

    ``weight[target] * sum(max(0, margin - input[target] + input[i])**p) / C`` over the other classes i.

    Args:
        input: scores (N, C), (C,) or ()
        target: class indices (N,), () or (1,), int64
        p: 1 or 2.
        margin: see above.
        weight: (C,) how much each class counts.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses in the shape of `target`.

    Raises:
        ValueError: `p` or `reduction` is unknown.
        RuntimeError: shapes or dtypes do not fit, or a target is no class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.multi_margin_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> scores = nbmodule.tensor([[0.1, 0.2, 0.4, 0.8]])
        >>> F.multi_margin_loss(scores, nbmodule.tensor([3]))  # 0.3 + 0.4 + 0.6, for 4 classes
        tensor(0.3250)
    """
    number = number_of(reduction, size_average, reduce)
    if p != 1 and p != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return native.multi_margin_loss(input, target, p, margin, weight, number)
