"""Margin losses: the score of the right class should exceed the others by a margin.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

from ..._methods._signatures import bind_call
from ..._methods.common import not_implemented
from ..._ops import loss_margins as rules
from ..._tensor import Tensor
from .._reduction import folded, get_enum, legacy_get_string, number_of, reduction_of
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
    reduction = reduction_of(reduction, size_average, reduce)
    try:
        _check_signs(input, target)
        return rules.soft_margin_loss(input, target, reduction=reduction)
    except Exception:  # PyTorch looks at the types of the arguments before anything else
        bind_call("soft_margin_loss", False, (input, target, get_enum(reduction)), {})
        raise


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
    reduction = reduction_of(reduction, size_average, reduce)
    try:
        _check_lists(input, target)
        return rules.multilabel_margin_loss(input, target=target._array, reduction=reduction)
    except Exception:  # PyTorch looks at the types of the arguments before anything else
        bind_call("multilabel_margin_loss", False, (input, target, get_enum(reduction)), {})
        raise


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
    reduction = reduction_of(reduction, size_average, reduce)
    if p != 1 and p != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    try:
        _check_targets(input, target, weight)
        options = {"p": int(p), "margin": float(margin), "reduction": reduction}
        return rules.multi_margin_loss(input, weight, target=target._array, **options)
    except Exception:  # PyTorch looks at the types of the arguments before anything else
        given = (input, target, p, margin, weight, get_enum(reduction))
        bind_call("multi_margin_loss", False, given, {})
        raise


# ---- what does not fit, in PyTorch's order and words


def _check_signs(input: Tensor, target: Tensor) -> None:
    if target.requires_grad:
        raise RuntimeError(
            "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. This "
            "input cannot have requires_grad True."
        )
    shape, kind = input._array.shape, input._array.dtype.kind
    if kind == "b":
        input.neg()  # which refuses it
    if target._array.shape != shape:
        wide = (input.detach() * target).shape
        if wide != shape:
            raise RuntimeError(
                f"output with shape {list(shape)} doesn't match the broadcast shape {list(wide)}"
            )
    if kind != "f":
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {input.dtype.scalar_name}"
        )


def _check_lists(input: Tensor, target: Tensor) -> None:
    size, given = list(input.shape), list(target.shape)
    _check_rows(size)
    if size != given and (len(size) > 1 or len(given) > 1 or target.numel() != input.numel()):
        raise RuntimeError(f"inconsistent target size: {given} for input of size: {size}")
    classes = size[-1] if size else 1
    labels = target._array
    if labels.size and not target.is_meta and not (labels.min() >= -1 and labels.max() < classes):
        raise RuntimeError("argument #2 'target' is out of range\nIt must hold classes, or -1.")
    _check_dtypes("multilabel_margin_loss_forward_out_frame", input, target)


def _check_targets(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    size = list(input.shape)
    _check_rows(size)
    rows, classes = size[0] if len(size) > 1 else 1, size[-1] if size else 1
    if target.dim() > 1 or target.numel() != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples "
            f"(batch size). Expected target size [{rows}], but got {list(target.shape)}. Input has shape {size}."
        )
    if weight is not None:
        if weight.requires_grad:
            raise RuntimeError(
                "The function 'multi_margin_loss' is not differentiable with respect to argument 'weight'. "
                "This input cannot have requires_grad True."
            )
        if weight.numel() != classes:
            raise RuntimeError(
                f"inconsistent weight size, expected {classes} but got {list(weight.shape)}"
            )
    _check_dtypes("multi_margin_loss_cpu_kernel", input, target, weight)
    labels = target._array
    if labels.size and not target.is_meta and not (labels.min() >= 0 and labels.max() < classes):
        raise RuntimeError(f"target out of range\nThere are {classes} classes, 0 to {classes - 1}.")


def _check_rows(size: list[int]) -> None:
    if len(size) > 2 or (size and size[-1] == 0):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {size}"
        )


def _check_dtypes(kernel: str, input: Tensor, target: Tensor, weight: Tensor | None = None) -> None:
    if input._array.dtype.str not in ("<f4", "<f8"):
        raise not_implemented(kernel, input)
    if target._array.dtype.str != "<i8":
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.scalar_name}")
    if weight is not None and weight._array.dtype != input._array.dtype:
        names = (input.dtype.scalar_name, weight.dtype.scalar_name)
        raise RuntimeError("expected scalar type {} but found {}".format(*names))
