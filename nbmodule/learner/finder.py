"""Which learning rate? Train with a growing one, and look where the loss falls fastest.

Source: https://arxiv.org/abs/1506.01186 (L. N. Smith, Cyclical Learning Rates for Training Neural Networks)
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

from .._tensor import Tensor
from .callback import Callback, CancelFit, Learner
from .state import Snapshot
from .stopping import NonFiniteLossError, explained


@dataclass(frozen=True)
class LRFinderResult:
    """What the search for a learning rate has found.

    Args:
        lrs: the rates, from small to large.
        losses: the loss of the batch at each of them.

    Source: https://docs.fast.ai/callback.schedule.html#learner.lr_find (the idea)

    Example:
        >>> from nbmodule.learner import LRFinderResult
        >>> found = LRFinderResult([0.001, 0.01, 0.1, 1.0, 10.0], [2.0, 1.9, 1.1, 0.4, 9.0])
        >>> found.suggestion
        0.1
    """

    lrs: list[float]
    losses: list[float]

    @property
    def window(self) -> int:
        """How many neighbouring losses are looked at together: a sixth, at least 3. One alone is noise."""
        return max(len(self.losses) // 6, 3)

    @property
    def suggestion(self) -> float | None:
        """The rate in the middle of the window in which a straight line through the losses falls steepest.

        The line is over the logarithm of the rate. Windows behind the least mean are left out: there the loss jumps.
        None if the loss never falls.
        """
        parts = [
            self.losses[i : i + self.window] for i in range(len(self.losses) - self.window + 1)
        ]
        means = [sum(part) for part in parts]
        slopes = [_slope(part) for part in parts[: means.index(min(means)) + 1]] if parts else []
        if not slopes or min(slopes) >= 0:
            return None
        return self.lrs[slopes.index(min(slopes)) + self.window // 2]

    def __repr__(self) -> str:
        advice = "none: the loss never falls" if self.suggestion is None else f"{self.suggestion:.2g}"  # fmt: skip
        tried = f"{len(self.lrs)} rates from {self.lrs[0]:.2g} to {self.lrs[-1]:.2g}" if self.lrs else "none"  # fmt: skip
        return f"LRFinderResult(suggestion: {advice}; tried: {tried})"


def _slope(losses: list[float]) -> float:
    """Return the slope of the line of least squares through `losses`, times a positive number."""
    middle = (len(losses) - 1) / 2
    return sum((i - middle) * loss for i, loss in enumerate(losses))


class LRFinder(Callback):
    """Sets a learning rate that grows by the same factor with each step, and notes the losses.

    ``lr_i = start_lr * (end_lr / start_lr) ** (i / (num_it - 1))``. ``learner.lr_find()`` uses it and puts everything back.

    Args:
        start_lr: the first rate.
        end_lr: the last rate.
        num_it: how many steps at most.
        stop_div: whether to stop when the smoothed loss is four times its least.

    Raises:
        ValueError: the rates are not positive and growing, or there are less than two steps.

    Source: https://docs.fast.ai/callback.schedule.html#lrfinder (the arguments)

    Example:
        >>> from nbmodule.learner import LRFinder
        >>> finder = LRFinder(0.01, 1.0, num_it=3)
        >>> [round(finder.rate(i), 4) for i in range(3)]
        [0.01, 0.1, 1.0]
    """

    order = 25

    def __init__(self, start_lr: float = 1e-7, end_lr: float = 10.0, num_it: int = 100, stop_div: bool = True) -> None:  # fmt: skip
        if not 0 < start_lr < end_lr:
            raise ValueError(f"learning rates must be positive and grow, not from {start_lr} to {end_lr}")  # fmt: skip
        if num_it < 2:
            raise ValueError(f"num_it must be at least 2, and is {num_it}")
        self.start_lr, self.end_lr, self.num_it, self.stop_div = start_lr, end_lr, num_it, stop_div
        self.result = LRFinderResult([], [])
        self._average, self._least = 0.0, math.inf

    def rate(self, i: int) -> float:
        """Return the learning rate of step `i`."""
        return self.start_lr * (self.end_lr / self.start_lr) ** (i / (self.num_it - 1))

    def before_batch(self, learner: Learner) -> None:
        """Set the rate."""
        rate = self.rate(len(self.result.lrs))
        for group in learner.optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    def after_loss(self, learner: Learner) -> None:
        """Note the loss; a loss that is no number ends the search.

        Raises:
            NonFiniteLossError: the very first loss is no number.
        """
        if not math.isfinite(learner.loss_value):
            if not self.result.losses:
                raise NonFiniteLossError(explained(learner))
            raise CancelFit
        self.result.lrs.append(self.rate(len(self.result.lrs)))
        self.result.losses.append(learner.loss_value)
        self._average = 0.9 * self._average + 0.1 * learner.loss_value

    def after_batch(self, learner: Learner) -> None:
        """End the search when it has seen enough."""
        count = len(self.result.losses)
        # the average began with 0; this is as if there had been such losses before the first
        smoothed = self._average / (1 - 0.9**count)
        self._least = min(self._least, smoothed)
        if count == self.num_it or (self.stop_div and smoothed > 4 * self._least):
            raise CancelFit


def find_learning_rate(learner: Learner, *options: Any) -> LRFinderResult:
    """Let an `LRFinder` see `learner` train, without its other callbacks and validation, and put everything back."""
    finder = LRFinder(*options)
    learner.give_up_fit()
    before = Snapshot(learner)
    callbacks, valid_loader = learner.callbacks, learner.valid_loader
    learner.callbacks, learner.valid_loader = [], None
    learner.add(finder)
    try:
        learner.fit(sys.maxsize - learner.epoch)
    finally:
        learner.callbacks, learner.valid_loader = callbacks, valid_loader
        learner.add()
        before.put_back()
    return finder.result
