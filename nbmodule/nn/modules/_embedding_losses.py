"""Losses of what should be near and what should be far, as modules.

`loss.py` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from collections.abc import Callable

from ..._tensor import Tensor
from .. import functional as F
from ._loss_base import Flag, _Loss
from .distance import PairwiseDistance


class HingeEmbeddingLoss(_Loss):
    """Distances where the target is 1, and what they lack to `margin` where it is -1.

    ``input`` for 1, ``max(0, margin - input)`` for -1.

    Args:
        margin: how far apart is far enough.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        input and target (*), of one shape; the loss is a number, or (*) for "none"

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.HingeEmbeddingLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> distance, alike = nbmodule.tensor([0.3, 0.3, 2.0]), nbmodule.tensor([1, -1, -1])
        >>> nn.HingeEmbeddingLoss(reduction="none")(distance, alike)
        tensor([0.3000, 0.7000, 0.0000])
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin: float = 1.0, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of distances against 1 and -1."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """``1 - cos`` where the target is 1, ``max(0, cos - margin)`` where it is -1.

    Args:
        margin: which cosine is small enough.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        input1 and input2 (N, D) or (D,), target (N,) or (); the loss is a number, or in the shape of the target for
            "none"

    Raises:
        RuntimeError: on a call, if the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CosineEmbeddingLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> a, b = nbmodule.tensor([[1.0, 0.0], [1.0, 0.0]]), nbmodule.tensor([[0.0, 2.0], [2.0, 0.0]])
        >>> nn.CosineEmbeddingLoss(margin=0.5, reduction="none")(a, b, nbmodule.tensor([1, -1]))
        tensor([1.0000, 0.5000])
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin: float = 0.0, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Return the loss of two vectors, or of N, against 1 and -1."""
        return F.cosine_embedding_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class MarginRankingLoss(_Loss):
    """What is lacking to a distance of `margin` between two scores: ``max(0, -target * (input1 - input2) + margin)``.

    Args:
        margin: by how much the one should be the larger.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        input1, input2 and target (*), of one shape: 1 where the first should be the larger, else -1; the loss is a
            number, or (*) for "none"

    Raises:
        RuntimeError: on a call, if the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MarginRankingLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> a, b = nbmodule.tensor([2.0, 2.0]), nbmodule.tensor([1.0, 1.0])
        >>> nn.MarginRankingLoss(margin=0.5, reduction="none")(a, b, nbmodule.tensor([1, -1]))
        tensor([0.0000, 1.5000])
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin: float = 0.0, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Return the loss of two sets of scores against 1 and -1."""
        return F.margin_ranking_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class TripletMarginLoss(_Loss):
    """Asks that what is like the anchor is nearer to it, by `margin`, than what is not.

    ``max(0, margin + d(anchor, positive) - d(anchor, negative))``, where d is the p-norm of the difference.

    Args:
        margin: by how much.
        p: of the norm.
        eps: added to the differences.
        swap: take ``d(positive, negative)`` if it is smaller than ``d(anchor, negative)``.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        anchor, positive and negative (N, D) or (D,); the loss is a number, or (N,) or () for "none"

    Raises:
        ValueError: `margin` is not positive.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.TripletMarginLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> a, near, far = nbmodule.zeros(2, 1), nbmodule.ones(2, 1), nbmodule.tensor([[3.0], [1.5]])
        >>> nn.TripletMarginLoss(eps=0.0, reduction="none")(a, near, far)
        tensor([0.0000, 0.5000])
    """

    __constants__ = ["margin", "p", "eps", "swap", "reduction"]

    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Return the loss of triples."""
        options = {"margin": self.margin, "p": self.p, "eps": self.eps, "swap": self.swap}
        return F.triplet_margin_loss(
            anchor, positive, negative, **options, reduction=self.reduction
        )


class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` with any distance.

    Args:
        distance_function: of two tensors; by default `PairwiseDistance`. A module becomes a child of this one.
        margin: by how much.
        swap: take the distance of positive and negative if it is smaller than that of anchor and negative.
        reduction: "mean", "sum" or "none".

    Shape:
        anchor, positive and negative (N, *), as the distance takes them; the loss is a number, or in the shape of the
            distances for "none"

    Raises:
        ValueError: `margin` is not positive.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.TripletMarginWithDistanceLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> a, near, far = nbmodule.zeros(1, 2), nbmodule.ones(1, 2), nbmodule.tensor([[1.0, 2.0]])
        >>> city = lambda x, y: (x - y).abs().sum(1)
        >>> nn.TripletMarginWithDistanceLoss(distance_function=city, margin=2.0)(a, near, far)
        tensor(1.)
    """

    __constants__ = ["margin", "swap", "reduction"]

    def __init__(self, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function = (
            PairwiseDistance() if distance_function is None else distance_function
        )
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Return the loss of triples."""
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
