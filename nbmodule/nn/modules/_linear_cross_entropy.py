"""The loss of a linear layer with very many classes.

`loss.py` shows it.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LinearCrossEntropyLoss.html
"""

from __future__ import annotations

import math
from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from ._loss_base import _WeightedLoss
from .linear import Linear
from .linear_cross_entropy_options import LinearCrossEntropyOptions


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
