"""Losses of classifiers that ask for a distance between the scores of right and wrong classes, as modules.

`loss.py` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from ._loss_base import Flag, _Loss, _WeightedLoss


class SoftMarginLoss(_Loss):
    """The logistic loss of yes (1) or no (-1): ``log(1 + exp(-target * input))``.

    Args:
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        input and target (*), of one shape; the loss is a number, or (*) for "none"

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.SoftMarginLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.SoftMarginLoss(reduction="none")(nbmodule.tensor([0.0, 3.0]), nbmodule.tensor([1.0, -1.0]))
        tensor([0.6931, 3.0486])
    """

    __constants__ = ["reduction"]

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """Asks that the score of each class that applies is larger, by 1, than that of each class that does not.

    ``sum(max(0, 1 - input[j] + input[i])) / C`` over the targets j and the classes i that are none.

    Args:
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        input (N, C) or (C,); target of the same shape: the classes that apply, filled up with -1; the loss is a number,
            or (N,) or () for "none"

    Raises:
        RuntimeError: on a call, if shapes or dtypes do not fit, or a target is no class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiLabelMarginLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> scores = nbmodule.tensor([0.1, 0.2, 0.4, 0.8])
        >>> nn.MultiLabelMarginLoss()(scores, nbmodule.tensor([3, 0, -1, 1]))  # 3 and 0 apply
        tensor(0.8500)
    """

    __constants__ = ["reduction"]

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over classes of how surprised ``sigmoid(input)`` is by yes (1) or no (0).

    ``-target * log(sigmoid(input)) - (1 - target) * log(sigmoid(-input))``

    Args:
        weight: (C,) how much each class counts.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        input and target (N, C); the loss is a number, or (N,) for "none"

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiLabelSoftMarginLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.MultiLabelSoftMarginLoss()(nbmodule.tensor([[3.0, -3.0]]), nbmodule.tensor([[1.0, 0.0]]))
        tensor(0.0486)
    """

    __constants__ = ["reduction"]

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores against `target`."""
        return F.multilabel_soft_margin_loss(
            input, target, weight=self.weight, reduction=self.reduction
        )


class MultiMarginLoss(_WeightedLoss):
    """Asks that the score of the target is larger, by `margin`, than that of each other class.

    ``weight[target] * sum(max(0, margin - input[target] + input[i])**p) / C`` over the other classes i.

    Args:
        p: 1 or 2.
        margin: see above.
        weight: (C,) how much each class counts.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        input (N, C) or (C,), target (N,) or (); the loss is a number, or in the shape of the target for "none"

    Raises:
        ValueError: `p` is neither 1 nor 2, or `weight` has not one dimension.
        RuntimeError: on a call, if shapes or dtypes do not fit, or a target is no class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiMarginLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> scores = nbmodule.tensor([[0.1, 0.2, 0.4, 0.8]])
        >>> nn.MultiMarginLoss()(scores, nbmodule.tensor([3]))  # 0.3 + 0.4 + 0.6, for 4 classes
        tensor(0.3250)
    """

    __constants__ = ["p", "margin", "reduction"]

    def __init__(self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        if p != 1 and p != 2:
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead"
            )
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores (N, C) against classes (N,)."""
        options = {"p": self.p, "margin": self.margin, "weight": self.weight}
        return F.multi_margin_loss(input, target, **options, reduction=self.reduction)
