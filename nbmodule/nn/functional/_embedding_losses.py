"""Losses of distances: examples that are alike should be close together, others far apart.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

from collections.abc import Callable

from ..._tensor import Tensor
from .._reduction import NONE, folded, number_of
from ._checks import check_flag, top_level
from ._distance import pairwise_distance

EPSILON = 9.999999960041972e-13
"""1e-12 as a float32 number: what keeps PyTorch's cosine of nothing from being 0 / 0."""


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
    return _margin_ranking_loss(input1, input2, target, margin, number)


@top_level
def _margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = NONE) -> Tensor:  # fmt: skip
    """Return ``max(0, -target * (input1 - input2) + margin)``.

    Args:
        input1: scores, of any shape.
        input2: scores, of the same shape.
        target: 1 where `input1` should be the larger, -1 where `input2` should.
        margin: by how much.
        reduction: 0 for none, 1 for the mean, 2 for the sum.

    Returns:
        A number, or for 0 the losses in the shape of the scores.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.margin_ranking_loss.html

    Example:
        >>> import nbmodule
        >>> a, b = nbmodule.tensor([2.0, 2.0]), nbmodule.tensor([1.0, 1.0])
        >>> nbmodule.margin_ranking_loss(a, b, nbmodule.tensor([1, -1]), 0.5, 0)
        tensor([0.0000, 1.5000])
    """
    for t in (input1, input2, target):
        if not isinstance(t, Tensor):  # numbers would do
            raise TypeError("expected three tensors")
    return folded((-target * (input1 - input2) + float(margin)).clamp_min(0), reduction)


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
    return _hinge_embedding_loss(input, target, margin, number)


@top_level
def _hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = NONE) -> Tensor:  # fmt: skip
    """Return `input` where `target` is 1, ``max(0, margin - input)`` where it is -1.

    Args:
        input: distances, of any shape.
        target: 1 for what is alike, -1 for what is not; of the same shape.
        margin: how far apart is far enough.
        reduction: 0 for none, 1 for the mean, 2 for the sum.

    Returns:
        A number, or for 0 the losses in the shape of `input`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.hinge_embedding_loss.html

    Example:
        >>> import nbmodule
        >>> distance, alike = nbmodule.tensor([0.3, 0.3, 2.0]), nbmodule.tensor([1, -1, -1])
        >>> nbmodule.hinge_embedding_loss(distance, alike, 1.0, 0)
        tensor([0.3000, 0.7000, 0.0000])
    """
    far = (input.new_full((), float(margin)) - input).clamp_min(0)
    nothing = input.new_zeros(())
    apart = far.where(target.ne(1), nothing)
    return folded(apart + input.where(target.ne(-1), nothing), reduction)


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
    return _cosine_embedding_loss(input1, input2, target, margin, number)


@top_level
def _cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = NONE) -> Tensor:  # fmt: skip
    """Return ``1 - cos`` where `target` is 1, ``max(0, cos - margin)`` where it is -1.

    Args:
        input1: vectors (N, D) or (D,)
        input2: vectors in the same shape.
        target: 1 for what is alike, -1 for what is not; (N,) or ()
        margin: which cosine is small enough.
        reduction: 0 for none, 1 for the mean, 2 for the sum.

    Returns:
        A number, or for 0 the losses in the shape of `target`.

    Raises:
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cosine_embedding_loss.html

    Example:
        >>> import nbmodule
        >>> a, b = nbmodule.tensor([[1.0, 0.0], [1.0, 0.0]]), nbmodule.tensor([[0.0, 2.0], [2.0, 0.0]])
        >>> nbmodule.cosine_embedding_loss(a, b, nbmodule.tensor([1, -1]), 0.5, 0)
        tensor([1.0000, 0.5000])
    """
    axis = target.dim()
    if axis > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if not input1.dim() == input2.dim() == axis + 1:
        raise RuntimeError(
            f"{axis}D target tensor expects {axis + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    product = (input1 * input2).sum(axis)
    square1, square2 = ((x * x).sum(axis) + EPSILON for x in (input1, input2))
    cosine = product / (square1 * square2).sqrt()
    nothing = cosine.new_zeros(())
    alike = (1 - cosine).where(target.eq(1), nothing)
    apart = (cosine - float(margin)).clamp_min(0).where(target.eq(-1), nothing)
    return folded(alike + apart, reduction)


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
    return _triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, number)


@top_level
def _triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6, swap: bool = False, reduction: int = NONE) -> Tensor:  # fmt: skip
    """Return ``max(0, margin + d(anchor, positive) - d(anchor, negative))``, where d is the p-norm of the difference.

    Args:
        anchor: (N, D) or (D,)
        positive: likewise; what should be near to the anchor.
        negative: likewise; what should be further away, by `margin`.
        margin: see there.
        p: of the norm.
        eps: added to the differences.
        swap: take ``d(positive, negative)`` if it is smaller than ``d(anchor, negative)``.
        reduction: 0 for none, 1 for the mean, 2 for the sum.

    Returns:
        A number, or for 0 the losses (N,) or ()

    Raises:
        RuntimeError: the numbers of dimensions differ.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_loss.html

    Example:
        >>> import nbmodule
        >>> a, near, far = nbmodule.tensor([[0.0], [0.0]]), nbmodule.ones(2, 1), nbmodule.tensor([[3.0], [1.5]])
        >>> nbmodule.triplet_margin_loss(a, near, far, eps=0.0, reduction=0)
        tensor([0.0000, 0.5000])
    """
    check_flag(swap)
    dims = [t.dim() for t in (anchor, positive, negative)]
    if len(set(dims)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs"
        )
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return folded((margin + near - far).clamp_min(0), reduction)


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
