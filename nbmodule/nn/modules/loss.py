"""What is to become small, as modules."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class _Loss(Module):
    def __init__(self, reduction: str) -> None:
        super().__init__()
        self.reduction = reduction


class _WeightedLoss(_Loss):
    weight: Tensor | None

    def __init__(self, weight: Tensor | None, reduction: str) -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)


class MSELoss(_Loss):
    """The mean squared difference between input and target.

    Args:
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`, both of one shape."""
        return F.mse_loss(input, target, self.reduction)


class NLLLoss(_WeightedLoss):
    """The negative log-likelihood of the target classes.

    Args:
        weight: (C,) how much each class counts.
        ignore_index: a target that does not count.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of log-probabilities (N, C) against classes (N,)."""
        return F.nll_loss(input, target, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """How surprised scores (N, C) are by the target classes (N,), in nats.

    Args:
        weight: (C,) how much each class counts.
        ignore_index: a target that does not count.
        reduction: "mean", "sum" or "none".
        label_smoothing: in [0, 1]; how much of each target is spread over all classes.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
    """

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0) -> None:  # fmt: skip
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores (N, C) against classes (N,) or probabilities (N, C)."""
        return F.cross_entropy(input, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing)  # fmt: skip
