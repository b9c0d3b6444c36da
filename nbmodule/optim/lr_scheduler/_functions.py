"""Schedules that functions of the epoch give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..optimizer import Optimizer
from ._base import (
    HOME,
    LRScheduler,
    _warn_get_lr_called_within_step,
    all_or_nothing,
    attributes_of,
    restore,
)

Functions = Callable[[int], float] | Sequence[Callable[[int], float]]


class _OfFunctions(LRScheduler):
    """The base class of schedules with a function of the epoch for each group."""

    __module__ = HOME

    def _take(self, optimizer: Optimizer, lr_lambda: Functions) -> None:
        """Keep one function for each group.

        Raises:
            ValueError: there are more or fewer.
        """
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        several = isinstance(lr_lambda, (list, tuple))
        self.lr_lambdas: list[Any] = list(lr_lambda) if several else [lr_lambda] * count
        if len(self.lr_lambdas) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}")

    def state_dict(self) -> dict[str, Any]:
        """Return what this schedule knows; of functions nothing, of callable objects their attributes."""
        state = super().state_dict()
        del state["lr_lambdas"]
        return state | {"lr_lambdas": [attributes_of(f) for f in self.lr_lambdas]}

    @all_or_nothing
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned; the functions stay those of this schedule."""
        saved, own = state_dict["lr_lambdas"], self.lr_lambdas
        self.__dict__.update(state_dict, lr_lambdas=own)
        for i, attributes in enumerate(saved):
            if attributes is not None:
                restore(own[i], attributes)


class LambdaLR(_OfFunctions):
    """The initial learning rate times a function of the epoch: ``initial_lr * f(epoch)``.

    Args:
        optimizer: whose learning rates change.
        lr_lambda: takes the number of the epoch and returns a factor; or one such function for each group.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: there are more or fewer functions than groups.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LambdaLR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=8.0)
        >>> schedule = nbmodule.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     schedule.step()
        >>> schedule.get_last_lr()
        [1.0]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, lr_lambda: Functions, last_epoch: int = -1) -> None:
        self._take(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return ``initial_lr * lr_lambda(last_epoch)`` of each group."""
        _warn_get_lr_called_within_step(self)
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * f(self.last_epoch) for f, base in pairs]


class MultiplicativeLR(_OfFunctions):
    """The current learning rate times a function of the epoch: ``lr *= f(epoch)`` from epoch 1 on.

    Args:
        optimizer: whose learning rates change.
        lr_lambda: takes the number of the epoch and returns a factor; or one such function for each group.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: there are more or fewer functions than groups.
        TypeError: one of them cannot be called.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.MultiplicativeLR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = nbmodule.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: epoch)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     schedule.step()
        >>> schedule.get_last_lr()  # 4 factorial
        [24.0]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, lr_lambda: Functions, last_epoch: int = -1) -> None:
        self._take(optimizer, lr_lambda)
        for f in self.lr_lambdas:
            if not callable(f):
                raise TypeError(f"lr_lambda should be a function, but got {type(f).__name__}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return ``lr * lr_lambda(last_epoch)`` of each group; the current rates when the schedule is made."""
        _warn_get_lr_called_within_step(self)
        if self._is_initial:
            return self._current()
        pairs = zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        return [group["lr"] * f(self.last_epoch) for f, group in pairs]
