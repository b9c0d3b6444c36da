"""Losses of predicted probabilities, counts and distributions, as modules.

`loss.py` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from ._loss_base import Flag, _Loss, _WeightedLoss


class BCELoss(_WeightedLoss):
    """How surprised probabilities are by yes (1) or no (0), in nats.

    ``-target * log(input) - (1 - target) * log(1 - input)``, where no logarithm goes below -100.

    Args:
        weight: how much each element counts; broadcast to the shape of the target.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        input and target (*), of one shape; the loss is a number, or (*) for "none"

    Raises:
        ValueError: on a call, if the shapes differ.
        RuntimeError: on a call, if an element is no probability, or the dtypes differ.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BCELoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.BCELoss(reduction="none")(nbmodule.tensor([0.5, 0.0]), nbmodule.ones(2))
        tensor([  0.6931, 100.0000])
    """

    __constants__ = ["reduction"]

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of probabilities against a target of the same shape."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """`BCELoss` of ``sigmoid(input)``, computed without overflow.

    Args:
        weight: how much each element counts; broadcast to the shape of the target.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".
        pos_weight: how much more a yes counts than a no; broadcast likewise.

    Shape:
        input and target (*), of one shape; the loss is a number, or (*) for "none"

    Raises:
        ValueError: on a call, if the shapes differ.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.BCEWithLogitsLoss(reduction="none")(nbmodule.tensor([0.0, -1000.0]), nbmodule.ones(2))
        tensor([6.9315e-01, 1.0000e+03])
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean", pos_weight: Tensor | None = None) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores against a target of the same shape."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class KLDivLoss(_Loss):
    """How far a predicted distribution is from the target: ``target * (log(target) - input)``.

    Args:
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        reduce: see `size_average`.
        reduction: "batchmean" (the sum, divided by the batch size: the divergence), "sum", "none"; or "mean", which
            divides by the number of elements.
        log_target: whether the target holds log-probabilities, as `input` does.

    Shape:
        input and target (*), of one shape; the loss is a number, or (*) for "none"

    Raises:
        RuntimeError: on a call, if the arguments hold integers.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.KLDivLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> p, q = nbmodule.tensor([[0.5, 0.5]]), nbmodule.tensor([[0.25, 0.75]])
        >>> nn.KLDivLoss(reduction="batchmean")(p.log(), q)
        tensor(0.1308)
    """

    __constants__ = ["reduction"]

    def __init__(self, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean", log_target: bool = False) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of log-probabilities against `target`."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """The negative log-likelihood of counts in a Poisson distribution.

    ``exp(input) - target * input``, or ``input - target * log(input + eps)`` where `input` is the count itself.

    Args:
        log_input: whether the input holds logarithms of expected counts.
        full: add Stirling's approximation of ``log(target!)`` where the target is above 1.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        eps: keeps the logarithm of an expected count of 0 finite.
        reduce: see `size_average`.
        reduction: "mean", "sum" or "none".

    Shape:
        input and target (*), of one shape; the loss is a number, or (*) for "none"

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.PoissonNLLLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> loss = nn.PoissonNLLLoss(log_input=False, reduction="none")
        >>> loss(nbmodule.tensor([1.0, 4.0]), nbmodule.tensor([1.0, 1.0]))
        tensor([1.0000, 2.6137])
    """

    __constants__ = ["log_input", "full", "eps", "reduction"]

    def __init__(self, log_input: bool = True, full: bool = False, size_average: Flag = None, eps: float = 1e-8, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of expected counts, or their logarithms, against `target`."""
        options = {"log_input": self.log_input, "full": self.full, "eps": self.eps}
        return F.poisson_nll_loss(log_input, target, **options, reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """The negative log-likelihood of numbers in normal distributions.

    ``(log(var) + (input - target)**2 / var) / 2``, with a variance of at least `eps`.

    Args:
        full: add ``log(2 * pi) / 2``.
        eps: the least variance; the gradient does not see it.
        reduction: "mean", "sum" or "none".

    Shape:
        input (N, *) or (*), target and var in the same shape; var may also lack the last dimension, have a 1
            there, or be a float

    Raises:
        ValueError: on a call, if a variance is negative, or the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.GaussianNLLLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> loss = nn.GaussianNLLLoss(reduction="none")
        >>> loss(nbmodule.zeros(2), nbmodule.ones(2), nbmodule.tensor([1.0, 4.0]))
        tensor([0.5000, 0.8181])
    """

    __constants__ = ["full", "eps", "reduction"]

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Return the loss of `target` in normal distributions around `input`."""
        return F.gaussian_nll_loss(
            input, target, var, full=self.full, eps=self.eps, reduction=self.reduction
        )
