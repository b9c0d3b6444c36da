"""Schedules along a half wave of the cosine, once or again and again.

Source: https://arxiv.org/abs/1608.03983
"""

from __future__ import annotations

import math
from typing import Any

from ..optimizer import Optimizer
from ._base import (
    HOME,
    LRScheduler,
    _enable_get_lr_call,
    _warn_get_lr_called_within_step,
    as_it_was,
)


class CosineAnnealingLR(LRScheduler):
    """Brings the learning rates down to `eta_min` along a half wave, and up again if training goes on.

    The rate of epoch t is ``eta_min + (initial_lr - eta_min) * (1 + cos(pi * t / T_max)) / 2``.

    Args:
        optimizer: whose learning rates change.
        T_max: how many epochs it takes to come down.
        eta_min: the lowest rate.
        last_epoch: see `LRScheduler`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CosineAnnealingLR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule, rates = nbmodule.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4), []
        >>> for _ in range(6):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> [round(rate, 3) for rate in rates]
        [1.0, 0.854, 0.5, 0.146, 0.0, 0.146]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # fmt: skip
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the current rates, what lies above `eta_min` times the new height of the wave over the old.

        At the bottom of the wave the old height is 0; there the rates go up by the height of the first step.
        """
        _warn_get_lr_called_within_step(self)
        epoch, low = self.last_epoch, self.eta_min
        if self._is_initial:
            return self._current()
        if self._step_count == 1 and epoch > 0:  # the first step after going on from elsewhere
            height = 1 + math.cos(epoch * math.pi / self.T_max)
            return [low + (base - low) * height / 2 for base in self.base_lrs]
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = 1 - math.cos(math.pi / self.T_max)
            pairs = zip(self.base_lrs, self.optimizer.param_groups, strict=True)
            return [group["lr"] + (base - low) * rise / 2 for base, group in pairs]
        before = 1 + math.cos(math.pi * (epoch - 1) / self.T_max)
        ratio = (1 + math.cos(math.pi * epoch / self.T_max)) / before
        return [ratio * (group["lr"] - low) + low for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[Any]:
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        low = self.eta_min
        return [low + (base - low) * height / 2 for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Brings the learning rates down to `eta_min` along a half wave, then starts anew from the top.

    ``eta_min + (initial_lr - eta_min) * (1 + cos(pi * T_cur / T_i)) / 2``, where `T_cur` epochs have gone by
    since the last start, and the next is due after `T_i`.

    Args:
        optimizer: whose learning rates change.
        T_0: how many epochs the first wave takes.
        T_mult: how many times longer each wave is than the one before.
        eta_min: the lowest rate.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: `T_0` or `T_mult` is no integer of at least 1, or `eta_min` no number.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CosineAnnealingWarmRestarts.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = nbmodule.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2, T_mult=2)
        >>> rates = []
        >>> for _ in range(7):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> [round(rate, 3) for rate in rates]
        [1.0, 0.5, 1.0, 0.854, 0.5, 0.146, 1.0]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # fmt: skip
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the rates of the wave at `T_cur`."""
        _warn_get_lr_called_within_step(self)
        height, low = 1 + math.cos(math.pi * self.T_cur / self.T_i), self.eta_min
        return [low + (base - low) * height / 2 for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Begin the next epoch, or go to `epoch`, which may be a fraction: once for each batch.

        Raises:
            ValueError: `epoch` is negative.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is not None and epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        with as_it_was(self):
            if epoch is None:
                epoch = self.last_epoch + 1
                self._next_epoch()
            else:
                self._go_to(epoch)
            self.last_epoch = math.floor(epoch)
            with _enable_get_lr_call(self):
                rates = self.get_lr()
            self._set_rates(rates)

    def _next_epoch(self) -> None:
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self.T_cur %= self.T_i
            self.T_i *= self.T_mult

    def _go_to(self, epoch: float) -> None:
        """Set `T_cur` and `T_i`; n waves take ``T_0 * (T_mult**n - 1) / (T_mult - 1)`` epochs together."""
        first, growth = self.T_0, self.T_mult
        if epoch < first:
            self.T_i, self.T_cur = first, epoch
        elif growth == 1:
            self.T_cur = epoch % first
        else:
            n = int(math.log((epoch / first * (growth - 1) + 1), growth))
            self.T_cur = epoch - first * (growth**n - 1) / (growth - 1)
            self.T_i = first * growth**n
