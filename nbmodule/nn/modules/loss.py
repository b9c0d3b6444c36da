"""What is to become small, as modules, in PyTorch's order. Each keeps its options and calls its function.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ..._tensor import Tensor
from .. import _reduction as _Reduction
from .. import functional as F
from .distance import PairwiseDistance
from .linear import Linear
from .linear_cross_entropy_options import LinearCrossEntropyOptions
from .module import Module

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LinearCrossEntropyLoss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class _Loss(Module):
    """A loss that is reduced: "mean", "sum" or "none"."""

    reduction: str

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = _Reduction.legacy_get_string(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """A loss with a weight for each class or each element."""

    weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


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

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean") -> None:  # fmt: skip
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

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean") -> None:  # fmt: skip
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


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

    def __init__(self, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-8, reduce: bool | None = None, reduction: str = "mean") -> None:  # fmt: skip
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

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", log_target: bool = False) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of log-probabilities against `target`."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


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

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores against a target of the same shape."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


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

    def __init__(self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of distances against 1 and -1."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


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

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0) -> None:  # fmt: skip
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

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0) -> None:  # fmt: skip
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


class LinearCrossEntropyLoss(_WeightedLoss):
    """`CrossEntropyLoss` of what a `Linear` layer of its own makes of the input.

    Args:
        in_features: how many features an example has.
        num_classes: how many classes there are, C.
        out_features: further dimensions of the scores, d1, ...
        bias: whether the layer has one.
        device: where the parameters are made.
        dtype: their dtype.
        reduction: "mean" (by the weights that counted), "sum" or "none".
        weight: (C,) how much each class counts.
        ignore_index: a target that does not count; by default -100.
        label_smoothing: in [0, 1]; how much of each target is spread over all classes.
        options: a `LinearCrossEntropyOptions`, to go through the batch piece by piece.

    Shape:
        input (N, in_features) or (in_features,), target (N,), () or (N, d1, ...), or probabilities (N, C, d1, ...);
            the loss is a number, or one for each row for "none"

    Attributes:
        linear: the layer, with C * d1 * ... outputs.

    Raises:
        RuntimeError: `weight` or `label_smoothing` does not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LinearCrossEntropyLoss.html

    Example:
        >>> import nbmodule
        >>> loss = nbmodule.nn.LinearCrossEntropyLoss(2, 10)
        >>> loss(nbmodule.zeros(4, 2), nbmodule.tensor([1, 2, 3, 4]))  # scores that are all 0: log(10)
        tensor(2.3026, grad_fn=<NllLossBackward0>)
    """

    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]

    def __init__(self, in_features: int, num_classes: int, *, out_features: tuple[int, ...] = (), bias: bool = False, device: Any = None, dtype: Any = None, reduction: str = "mean", weight: Tensor | None = None, ignore_index: int | None = None, label_smoothing: float = 0.0, options: LinearCrossEntropyOptions | None = None) -> None:  # fmt: skip
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(
                f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}"
            )
        if label_smoothing < 0 or label_smoothing > 1.0:
            raise RuntimeError(
                f"expected label_smoothing to be in range [0, 1], got {label_smoothing}"
            )
        super().__init__(weight=weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        outputs = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, outputs, bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of the scores for `input` against classes or probabilities."""
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape(*shape, self.linear.in_features),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )


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

    def __init__(self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:  # fmt: skip
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

    def __init__(self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Return the loss of two sets of scores against 1 and -1."""
        return F.margin_ranking_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
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

    def __init__(self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:  # fmt: skip
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

    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:  # fmt: skip
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
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: Tensor | Sequence[int],
        target_lengths: Tensor | Sequence[int],
    ) -> Tensor:
        """Return the loss of log-probabilities (T, N, C) against texts."""
        lengths = (input_lengths, target_lengths)
        options = (self.blank, self.reduction, self.zero_infinity)
        return F.ctc_loss(log_probs, targets, *lengths, *options)
