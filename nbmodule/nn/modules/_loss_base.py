"""What all losses have in common.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from ..._tensor import Tensor
from .._reduction import legacy_get_string
from .module import Module

Flag = bool | None


class _Loss(Module):
    """A loss that is reduced: "mean", "sum" or "none"."""

    reduction: str

    def __init__(self, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = legacy_get_string(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """A loss with a weight for each class or each element."""

    weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
