"""Learning rates that go down when a number no longer gets better."""

from __future__ import annotations

import warnings
from math import inf
from typing import Any, Literal, SupportsFloat

from ..optimizer import Optimizer
from ._base import (
    EPOCH_DEPRECATION_WARNING,
    HOME,
    LRScheduler,
    _checked,
    _update_param_group_val,
    all_or_nothing,
    as_it_was,
)


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the learning rates by `factor` when a number has not got better for `patience` epochs.

    Args:
        optimizer: whose learning rates change.
        mode: "min" if a smaller number is better, "max" if a larger one is.
        factor: below 1.
        patience: how many epochs in a row may go by without progress; one more brings the rates down.
        threshold: how much better counts as progress.
        threshold_mode: "rel", a part of the best number: better is ``< best * (1 - threshold)``, or
            ``> best * (1 + threshold)``; "abs": ``< best - threshold``, or ``> best + threshold``.
        cooldown: how many epochs after a reduction do not count.
        min_lr: below this the rates do not go; or one for each group.
        eps: a change that is not larger than this is left undone.

    Attributes:
        best: the best number so far.
        num_bad_epochs: how many epochs in a row were without progress.

    Raises:
        TypeError: `optimizer` is none.
        ValueError: `factor` is not below 1, a mode is unknown, or there are more or fewer `min_lr` than groups.
        RuntimeError: from `step`, when groups were added and `min_lr` is a list.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = nbmodule.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
        >>> for loss in [4.0, 3.0, 3.0, 3.0, 3.0]:
        ...     schedule.step(loss)
        >>> schedule.get_last_lr(), schedule.best, schedule.num_bad_epochs
        ([0.5], 3.0, 1)
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, mode: Literal["min", "max"] = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4, threshold_mode: Literal["rel", "abs"] = "rel", cooldown: int = 0, min_lr: list[float] | float = 0, eps: float = 1e-8) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        self.optimizer = _checked(optimizer)
        several, count = isinstance(min_lr, (list, tuple)), len(optimizer.param_groups)
        self.default_min_lr = None if several else min_lr
        self.min_lrs: list[Any] = list(min_lr) if several else [min_lr] * count  # type: ignore[arg-type]
        if len(self.min_lrs) != count:
            raise ValueError(f"expected {count} min_lrs, got {len(self.min_lrs)}")
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = self._current()
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _init_is_better(self, mode: str, threshold: float, threshold_mode: str) -> None:
        if mode not in {"min", "max"}:
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in {"rel", "abs"}:
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = inf if mode == "min" else -inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def _reset(self) -> None:
        """Begin to count anew."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Take a number, and bring the rates down if it has not got better for too long.

        Args:
            metrics: the number, or a tensor of one element.
            epoch: an older form, for jumping to an epoch.

        Warns:
            UserWarning: `epoch` is given.
        """
        current = float(metrics)
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        with as_it_was(self):
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            if self._is_better(current, self.best):
                self.best = current
                self.num_bad_epochs = 0
            else:
                self.num_bad_epochs += 1
            if self.in_cooldown:
                self.cooldown_counter -= 1
                self.num_bad_epochs = 0
            if self.num_bad_epochs > self.patience:
                self._reduce_lr(self.last_epoch)
                self.cooldown_counter = self.cooldown
                self.num_bad_epochs = 0
            self._last_lr = self._current()

    def _reduce_lr(self, epoch: int) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                    f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new param "
                    "group being added to the optimizer. Please modify the `min_lrs` field to match the "
                    "length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, lowest)
            if old - new > self.eps:
                _update_param_group_val(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Whether a reduction is so recent that epochs do not count."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        if self.threshold_mode == "rel":
            if self.mode == "min":
                return a < best * (1.0 - self.threshold)
            return a > best * (self.threshold + 1.0)
        return a < best - self.threshold if self.mode == "min" else a > best + self.threshold

    @all_or_nothing
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        self.__dict__.update(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)
