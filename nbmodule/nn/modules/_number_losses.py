"""Losses of numbers, as modules.

`loss.py` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from ._loss_base import Flag, _Loss


class L1Loss(_Loss):
    """The mean absolute difference ``|input - target|``.

    Args:
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        input and target (*), of one shape; the loss is a number, or (*) for "none"

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.L1Loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.L1Loss()(nbmodule.tensor([1.0, 2.0]), nbmodule.tensor([1.0, 5.0]))
        tensor(1.5000)
    """

    __constants__ = ["reduction"]

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`."""
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The mean squared difference ``(input - target)**2``.

    Args:
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        input and target (*), of one shape; the loss is a number, or (*) for "none"

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MSELoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.MSELoss()(nbmodule.tensor([1.0, 2.0]), nbmodule.tensor([1.0, 5.0]))
        tensor(4.5000)
    """

    __constants__ = ["reduction"]

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`."""
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """The mean absolute difference d, rounded off to a parabola below `beta`.

    ``d**2 / (2 * beta)`` where d is below `beta`, ``d - beta / 2`` beyond.

    Args:
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".
        beta: where the parabola ends; 0 makes it `L1Loss`.

    Shape:
        input and target (*), of one shape; the loss is a number, or (*) for "none"

    Raises:
        RuntimeError: on a call, if `beta` is negative.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.SmoothL1Loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.SmoothL1Loss(reduction="none")(nbmodule.tensor([0.5, 3.0]), nbmodule.zeros(2))
        tensor([0.1250, 2.5000])
    """

    __constants__ = ["reduction"]

    def __init__(self, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean", beta: float = 1.0) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the mean squared difference d, continued by straight lines beyond `delta`.

    ``d**2 / 2`` where d is below `delta`, ``delta * (d - delta / 2)`` beyond.

    Args:
        reduction: "mean", "sum" or "none".
        delta: where the parabola ends.

    Shape:
        input and target (*), of one shape; the loss is a number, or (*) for "none"

    Raises:
        TypeError: `delta` is no number.
        RuntimeError: on a call, if `delta` is not positive.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.HuberLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.HuberLoss("none", delta=2.0)(nbmodule.tensor([1.0, 3.0]), nbmodule.zeros(2))
        tensor([0.5000, 4.0000])
    """

    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:  # fmt: skip
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)
