"""Losses that ask for a distance: of scores, or of things that are alike from things that are not.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

from collections.abc import Callable

from ..._functions._wrap import explained_function
from ..._ops import loss_margins as rules
from ..._tensor import Tensor
from .._native import losses as native
from .._reduction import MEAN, folded, legacy_get_string, name_of, number_of
from .activation import logsigmoid
from .distance import pairwise_distance


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return ``max(0, -target * (input1 - input2) + margin)``: the wrong one is the larger, or nearly.

    Args:
        input1: scores, of any shape.
        input2: scores, of the same shape.
        target: 1 where `input1` should be the larger, -1 where `input2` should.
        margin: by how much.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses in the shape of the scores.

    Raises:
        ValueError: `reduction` is unknown.
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.margin_ranking_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> a, b = nbmodule.tensor([2.0, 2.0]), nbmodule.tensor([1.0, 1.0])
        >>> F.margin_ranking_loss(a, b, nbmodule.tensor([1, -1]), margin=0.5, reduction="none")
        tensor([0.0000, 1.5000])
    """
    number = number_of(reduction, size_average, reduce)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return native.margin_ranking_loss(input1, input2, target, margin, number)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return distances where `target` is 1, and what they lack to `margin` where it is -1.

    ``input`` for 1, ``max(0, margin - input)`` for -1.

    Args:
        input: distances, of any shape.
        target: 1 for what is alike, -1 for what is not; of the same shape.
        margin: how far apart is far enough.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses in the shape of `input`.

    Raises:
        ValueError: `reduction` is unknown.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.hinge_embedding_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> distance, alike = nbmodule.tensor([0.3, 0.3, 2.0]), nbmodule.tensor([1, -1, -1])
        >>> F.hinge_embedding_loss(distance, alike, reduction="none")
        tensor([0.3000, 0.7000, 0.0000])
    """
    number = number_of(reduction, size_average, reduce)
    return native.hinge_embedding_loss(input, target, margin, number)


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return ``1 - cos`` where `target` is 1, ``max(0, cos - margin)`` where it is -1.

    Args:
        input1: vectors (N, D) or (D,)
        input2: vectors in the same shape.
        target: 1 for what is alike, -1 for what is not; (N,) or ()
        margin: which cosine is small enough.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses in the shape of `target`.

    Raises:
        ValueError: `reduction` is unknown.
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cosine_embedding_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> a, b = nbmodule.tensor([[1.0, 0.0], [1.0, 0.0]]), nbmodule.tensor([[0.0, 2.0], [2.0, 0.0]])
        >>> F.cosine_embedding_loss(a, b, nbmodule.tensor([1, -1]), margin=0.5, reduction="none")
        tensor([1.0000, 0.5000])
    """
    number = number_of(reduction, size_average, reduce)
    return native.cosine_embedding_loss(input1, input2, target, margin, number)


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
    return _soft_margin_loss(input, target, number_of(reduction, size_average, reduce))


def _soft_margin_loss(input: Tensor, target: Tensor, reduction: int) -> Tensor:
    if target.requires_grad:
        raise RuntimeError(
            "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. This "
            "input cannot have requires_grad True."
        )
    shape, kind = input._array.shape, input._array.dtype.kind
    if kind == "b":
        return -input  # which raises what PyTorch raises
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
    return rules.soft_margin_loss(input, target, reduction=name_of(reduction))


_soft_margin_loss.__name__ = "soft_margin_loss"  # as the table of signatures has it
_soft_margin_loss = explained_function(_soft_margin_loss)


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
    return _multilabel_margin_loss(input, target, number_of(reduction, size_average, reduce))


def _multilabel_margin_loss(input: Tensor, target: Tensor, reduction: int) -> Tensor:
    size, found = list(input.shape), list(target.shape)
    _check_rows(size)
    if size != found and (len(size) > 1 or len(found) > 1 or target.numel() != input.numel()):
        raise RuntimeError(f"inconsistent target size: {found} for input of size: {size}")
    classes = size[-1] if size else 1
    labels = target._array
    if labels.size and not (labels.min() >= -1 and labels.max() < classes):
        raise RuntimeError("argument #2 'target' is out of range\nIt must hold classes, or -1.")
    _check_dtypes("multilabel_margin_loss_forward_out_frame", input, target)
    return rules.multilabel_margin_loss(input, target=labels, reduction=name_of(reduction))


_multilabel_margin_loss.__name__ = "multilabel_margin_loss"
_multilabel_margin_loss = explained_function(_multilabel_margin_loss)


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
    return _multi_margin_loss(input, target, p, margin, weight, number)


def _multi_margin_loss(input: Tensor, target: Tensor, p: int, margin: float, weight: Tensor | None, reduction: int) -> Tensor:  # fmt: skip
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
    if labels.size and not (labels.min() >= 0 and labels.max() < classes):
        raise RuntimeError(f"target out of range\nThere are {classes} classes, 0 to {classes - 1}.")
    options = {"p": int(p), "margin": float(margin), "reduction": name_of(reduction)}
    return rules.multi_margin_loss(input, weight, target=labels, **options)


_multi_margin_loss.__name__ = "multi_margin_loss"
_multi_margin_loss = explained_function(_multi_margin_loss)


def _check_rows(size: list[int]) -> None:
    if len(size) > 2 or (size and size[-1] == 0):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {size}"
        )


def _check_dtypes(kernel: str, input: Tensor, target: Tensor, weight: Tensor | None = None) -> None:
    if input._array.dtype.str not in ("<f4", "<f8"):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.scalar_name}'")
    if target._array.dtype.str != "<i8":
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.scalar_name}")
    if weight is not None and weight._array.dtype != input._array.dtype:
        expected, found = input.dtype.scalar_name, weight.dtype.scalar_name
        raise RuntimeError(f"expected scalar type {expected} but found {found}")


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6, swap: bool = False, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Ask that what is like the anchor is nearer to it, by `margin`, than what is not.

    ``max(0, margin + d(anchor, positive) - d(anchor, negative))``, where d is the p-norm of the difference.

    Args:
        anchor: (N, D) or (D,)
        positive: likewise; what should be near to the anchor.
        negative: likewise; what should be further away.
        margin: by how much.
        p: of the norm.
        eps: added to the differences.
        swap: take ``d(positive, negative)`` if it is smaller than ``d(anchor, negative)``.
        size_average: older than `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses (N,) or ()

    Raises:
        ValueError: `margin` is not positive, or `reduction` is unknown.
        RuntimeError: the numbers of dimensions differ.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> a, near, far = nbmodule.zeros(2, 1), nbmodule.ones(2, 1), nbmodule.tensor([[3.0], [1.5]])
        >>> F.triplet_margin_loss(a, near, far, eps=0.0, reduction="none")
        tensor([0.0000, 0.5000])
    """
    number = number_of(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return native.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, number)


def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False, reduction: str = "mean") -> Tensor:  # fmt: skip
    """Return `triplet_margin_loss` with any distance.

    Args:
        anchor: (N, ...)
        positive: likewise; what should be near to the anchor.
        negative: likewise; what should be further away.
        distance_function: of two such tensors; by default `pairwise_distance`.
        margin: by how much.
        swap: take the distance of `positive` and `negative` if it is smaller than that of `anchor` and `negative`.
        reduction: "mean", "sum" or "none".

    Returns:
        A number, or for "none" the losses, in the shape of the distances.

    Raises:
        ValueError: `margin` is not positive, or `reduction` is unknown.
        RuntimeError: the numbers of dimensions differ.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_with_distance_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> a, near, far = nbmodule.zeros(1, 2), nbmodule.ones(1, 2), nbmodule.tensor([[1.0, 2.0]])
        >>> city = lambda x, y: (x - y).abs().sum(1)
        >>> F.triplet_margin_with_distance_loss(a, near, far, distance_function=city, margin=2.0)
        tensor(1.)
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    a, p, n = anchor.ndim, positive.ndim, negative.ndim
    if not a == p == n:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {a}D, positive {p}D, and negative {n}D inputs"
        )
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return folded((margin + near - far).clamp_min(0), number_of(reduction))
