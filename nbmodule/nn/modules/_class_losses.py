"""Losses of classifiers, as modules.

`loss.py` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

import warnings

from ..._tensor import Tensor
from .. import functional as F
from ..functional._ctc import Lengths
from ._loss_base import Flag, _Loss, _WeightedLoss


class NLLLoss(_WeightedLoss):
    """The negative log-likelihood of the target classes: ``-weight[target] * input[target]`` for each row.

    Args:
        weight: (C,) how much each class counts.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        ignore_index: a target that does not count.
        reduce: see `size_average`.
        reduction: "mean" (by the weights that counted), "sum" or "none".

    Shape:
        input (N, C), (C,) or (N, C, d1, ...), target (N,), () or (N, d1, ...); the loss is a number, or in the shape
            of the target for "none"

    Raises:
        ValueError: on a call, if the batch sizes differ.
        IndexError: on a call, if a target is no class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.NLLLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> likely = nbmodule.tensor([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]])
        >>> nn.NLLLoss(reduction="none")(likely.log2(), nbmodule.tensor([0, 2]))  # in bits
        tensor([1., 3.])
    """

    __constants__ = ["ignore_index", "reduction"]

    def __init__(self, weight: Tensor | None = None, size_average: Flag = None, ignore_index: int = -100, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of log-probabilities (N, C) against classes (N,)."""
        return F.nll_loss(
            input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class NLLLoss2d(NLLLoss):
    """`NLLLoss` under a name of old; it warns.

    Args:
        weight: (C,) how much each class counts.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        ignore_index: a target that does not count.
        reduce: see `size_average`.
        reduction: "mean" (by the weights that counted), "sum" or "none".

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.NLLLoss.html

    Example:
        >>> import warnings
        >>> import nbmodule
        >>> with warnings.catch_warnings(action="ignore"):
        ...     loss = nbmodule.nn.NLLLoss2d()
        >>> loss(nbmodule.full((1, 2, 4, 4), -0.5), nbmodule.zeros(1, 4, 4, dtype=nbmodule.long))
        tensor(0.5000)
    """

    def __init__(self, weight: Tensor | None = None, size_average: Flag = None, ignore_index: int = -100, reduce: Flag = None, reduction: str = "mean") -> None:  # fmt: skip
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class CrossEntropyLoss(_WeightedLoss):
    """How surprised scores are by the target classes, in nats: `NLLLoss` of ``log_softmax(input)``.

    Args:
        weight: (C,) how much each class counts.
        size_average: an older form of `reduction`, as is `reduce`; leave them out.
        ignore_index: a target that does not count.
        reduce: see `size_average`.
        reduction: "mean" (by the weights that counted), "sum" or "none".
        label_smoothing: in [0, 1]; how much of each target is spread over all classes.

    Shape:
        input (N, C), (C,) or (N, C, d1, ...), target (N,), () or (N, d1, ...); or probabilities in the
            shape of `input`; the loss is a number, or one for each row for "none"

    Raises:
        ValueError: on a call, if the batch sizes differ.
        IndexError: on a call, if a target is no class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> scores = nbmodule.tensor([[0.0, 0.0], [5.0, -5.0]])  # undecided; sure
        >>> nn.CrossEntropyLoss(reduction="none")(scores, nbmodule.tensor([0, 1]))
        tensor([ 0.6931, 10.0000])
    """

    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

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


class CTCLoss(_Loss):
    """How surprising texts are whose letters may come at any time, for networks that write or listen.

    Minus the log of the probability of the text, which is what remains of the letters at all times when repetitions are
    merged and blanks dropped.

    Args:
        blank: the class that stands for no letter.
        reduction: "mean" (of the losses per letter), "sum" or "none".
        zero_infinity: whether what cannot be said in that time costs nothing instead of everything.

    Shape:
        log_probs (T, N, C) or (T, C), targets (N, S) or one after the other (sum of the lengths,), input_lengths and
            target_lengths (N,), tensors or tuples; the loss is a number, or (N,) or () for "none"

    Raises:
        RuntimeError: on a call, if the shapes or the lengths do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CTCLoss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> even = nbmodule.full((2, 1, 2), 0.5).log()  # two times, blank or "a": aa, a-, -a say "a"
        >>> nn.CTCLoss()(even, nbmodule.tensor([[1]]), (2,), (1,)).neg().exp()
        tensor(0.7500)
    """

    __constants__ = ["blank", "reduction"]

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:  # fmt: skip
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self, log_probs: Tensor, targets: Tensor, input_lengths: Lengths, target_lengths: Lengths
    ) -> Tensor:
        """Return the loss of log-probabilities (T, N, C) against texts."""
        lengths = (input_lengths, target_lengths)
        options = (self.blank, self.reduction, self.zero_infinity)
        return F.ctc_loss(log_probs, targets, *lengths, *options)
