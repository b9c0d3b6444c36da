"""Schedules that multiply the learning rates, in steps or a little every epoch.

Each has two forms. `get_lr` goes from the current rates to the next ones; the closed form computes the
rates of any epoch from the first ones, for ``step(epoch)``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..optimizer import Optimizer
from ._base import HOME, LRScheduler, _warn_get_lr_called_within_step


class StepLR(LRScheduler):
    """Multiplies the learning rates by `gamma` every `step_size` epochs.

    The rate of epoch t is ``initial_lr * gamma ** (t // step_size)``.

    Args:
        optimizer: whose learning rates change.
        step_size: how many epochs a rate lasts.
        gamma: the factor.
        last_epoch: see `LRScheduler`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.StepLR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule, rates = nbmodule.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5), []
        >>> for _ in range(6):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> rates
        [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:  # fmt: skip
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the current rates, times `gamma` where `step_size` divides the epoch."""
        _warn_get_lr_called_within_step(self)
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._current()
        return self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiplies the learning rates by `gamma` at each of the epochs `milestones`.

    Args:
        optimizer: whose learning rates change.
        milestones: numbers of epochs; one that occurs twice counts twice.
        gamma: the factor.
        last_epoch: see `LRScheduler`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.MultiStepLR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule, rates = nbmodule.optim.lr_scheduler.MultiStepLR(optimizer, [1, 4], gamma=0.5), []
        >>> for _ in range(6):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> rates
        [1.0, 0.5, 0.5, 0.5, 0.25, 0.25]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1) -> None:  # fmt: skip
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the current rates, times `gamma` at a milestone."""
        _warn_get_lr_called_within_step(self)
        if self.last_epoch not in self.milestones:
            return self._current()
        return self._times(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Multiplies the learning rates by `factor` for the first `total_iters` epochs.

    Args:
        optimizer: whose learning rates change.
        factor: from 0 to 1.
        total_iters: how many epochs it lasts; then the rates are as they were.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: `factor` is not from 0 to 1.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ConstantLR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule, rates = nbmodule.optim.lr_scheduler.ConstantLR(optimizer, 0.5, total_iters=3), []
        >>> for _ in range(5):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> rates
        [0.5, 0.5, 0.5, 1.0, 1.0]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:  # fmt: skip
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the current rates, times `factor` at first and divided by it at the end."""
        _warn_get_lr_called_within_step(self)
        if self.last_epoch == 0:
            return self._times(self.factor)
        if self.last_epoch != self.total_iters:
            return self._current()
        return self._times(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        factor = self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)
        return [base * factor for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Brings the factor of the learning rates from `start_factor` to `end_factor` in equal steps.

    The rate of epoch t is ``initial_lr * (start + (end - start) * min(t, total_iters) / total_iters)``.

    Args:
        optimizer: whose learning rates change.
        start_factor: the factor of epoch 0, above 0 and at most 1.
        end_factor: the factor from epoch `total_iters` on, from 0 to 1.
        total_iters: how many epochs it takes.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: a factor is out of its range.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LinearLR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule, rates = nbmodule.optim.lr_scheduler.LinearLR(optimizer, 0.25, total_iters=3), []
        >>> for _ in range(5):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> [round(rate, 4) for rate in rates]
        [0.25, 0.5, 0.75, 1.0, 1.0]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5, last_epoch: int = -1) -> None:  # fmt: skip
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the current rates times the new factor over the old one."""
        _warn_get_lr_called_within_step(self)
        if self.last_epoch == 0:
            return self._times(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current()
        gap = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * gap
        return self._times(1.0 + gap / before)

    def _get_closed_form_lr(self) -> list[Any]:
        gap, epoch = self.end_factor - self.start_factor, min(self.total_iters, self.last_epoch)
        return [
            base * (self.start_factor + gap * epoch / self.total_iters) for base in self.base_lrs
        ]


class ExponentialLR(LRScheduler):
    """Multiplies the learning rates by `gamma` every epoch: ``initial_lr * gamma ** t``.

    Args:
        optimizer: whose learning rates change.
        gamma: the factor.
        last_epoch: see `LRScheduler`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ExponentialLR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule, rates = nbmodule.optim.lr_scheduler.ExponentialLR(optimizer, 0.5), []
        >>> for _ in range(4):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> rates
        [1.0, 0.5, 0.25, 0.125]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the current rates times `gamma`; the current ones when the schedule is made."""
        _warn_get_lr_called_within_step(self)
        return self._current() if self._is_initial else self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Brings the learning rates to 0 as a power: ``initial_lr * (1 - min(t, total_iters) / total_iters) ** power``.

    Args:
        optimizer: whose learning rates change.
        total_iters: how many epochs it takes.
        power: 1 for a straight line.
        last_epoch: see `LRScheduler`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.PolynomialLR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=16.0)
        >>> schedule, rates = nbmodule.optim.lr_scheduler.PolynomialLR(optimizer, 4, power=2.0), []
        >>> for _ in range(6):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> [round(rate, 4) for rate in rates]
        [16.0, 9.0, 4.0, 1.0, 0.0, 0.0]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:  # fmt: skip
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the current rates times what is left of the way now over what was left before."""
        _warn_get_lr_called_within_step(self)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current()
        left = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._times((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]
