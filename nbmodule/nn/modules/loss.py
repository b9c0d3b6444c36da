"""What is to become small, as modules.

Where a class takes `size_average` and `reduce`, these are older forms of `reduction`; leave them out.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .._reduction import legacy_reduction
from .module import Module

Flag = bool | None


class _Loss(Module):
    def __init__(self, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = legacy_reduction(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """The mean absolute difference between input and target.

    Args:
        size_average: see above.
        reduce: see above.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`, both of one shape."""
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The mean squared difference between input and target.

    Args:
        size_average: see above.
        reduce: see above.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`, both of one shape."""
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """The mean absolute difference, rounded off to a parabola below `beta`.

    Args:
        size_average: see above.
        reduce: see above.
        reduction: "mean", "sum" or "none".
        beta: where the parabola ends; 0 makes it `L1Loss`.
    """

    def __init__(self, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean", beta: float = 1.0) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`, both of one shape."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the mean squared difference, continued by straight lines beyond `delta`.

    Args:
        reduction: "mean", "sum" or "none".
        delta: where the parabola ends.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`, both of one shape."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class BCELoss(_WeightedLoss):
    """How surprised probabilities are by yes (1) or no (0), in nats.

    Args:
        weight: how much each element counts; broadcast to the shape of the target.
        size_average: see above.
        reduce: see above.
        reduction: "mean", "sum" or "none".

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BCELoss.html
    """

    def __init__(self, weight: Tensor | None = None, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of probabilities against a target of the same shape."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """`BCELoss` of ``sigmoid(input)``, computed without overflow.

    Args:
        weight: how much each element counts; broadcast to the shape of the target.
        size_average: see above.
        reduce: see above.
        reduction: "mean", "sum" or "none".
        pos_weight: how much more a yes counts than a no; broadcast likewise.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean", pos_weight: Tensor | None = None) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores against a target of the same shape."""
        return F.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction)  # fmt: skip


class NLLLoss(_WeightedLoss):
    """The negative log-likelihood of the target classes.

    Args:
        weight: (C,) how much each class counts.
        size_average: see above.
        ignore_index: a target that does not count.
        reduce: see above.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, weight: Tensor | None = None, size_average: Flag = None, ignore_index: int = -100, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of log-probabilities (N, C) against classes (N,)."""
        options = {"ignore_index": self.ignore_index, "reduction": self.reduction}
        return F.nll_loss(input, target, self.weight, **options)  # type: ignore[arg-type]


class CrossEntropyLoss(_WeightedLoss):
    """How surprised scores (N, C) are by the target classes (N,), in nats.

    Args:
        weight: (C,) how much each class counts.
        size_average: see above.
        ignore_index: a target that does not count.
        reduce: see above.
        reduction: "mean", "sum" or "none".
        label_smoothing: in [0, 1]; how much of each target is spread over all classes.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
    """

    def __init__(self, weight: Tensor | None = None, size_average: Flag = None, ignore_index: int = -100, reduce: Flag = None, reduction: str = "mean", label_smoothing: float = 0.0) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores (N, C) against classes (N,) or probabilities (N, C)."""
        return F.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )
