"""Learning rates that change from epoch to epoch.

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from __future__ import annotations

import types
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

from .._tensor import Tensor
from .optimizer import Optimizer

__all__ = ["ExponentialLR", "LRScheduler", "LambdaLR", "StepLR"]

_ADVICE = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
    "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
    f"{_ADVICE}"
)
_WRONG_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
    "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
    "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
    f"details at {_ADVICE}"
)
_NO_EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
    "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different "
    "from None, the closed form is used instead of the new chainable form, where available. Please open an "
    "issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)


class LRScheduler:
    """Sets the learning rate of each group of an optimizer; subclasses say to what.

    Args:
        optimizer: its groups get a key "initial_lr" beside "lr".
        last_epoch: the epoch that was the last one, to go on from there; -1 to begin.

    Raises:
        TypeError: `optimizer` is none.
        KeyError: going on, but a group has no "initial_lr".
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with last_epoch >= 0.\n"
                    "This typically happens when:\n"
                    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n"
                    "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
                )
        self.base_lrs = [_copied(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        self._step_count = 0
        with self._set("_is_initial"):
            self.step()

    def state_dict(self) -> dict[str, Any]:
        """Return everything that this scheduler knows, but for its optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """Return the learning rates of the groups, as last set."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Return the learning rates for the epoch `last_epoch`. `step` calls this."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Begin the next epoch: set its learning rates. To be called after the optimizer's `step`.

        Args:
            epoch: an older form, for jumping to an epoch.
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(_OVERRIDDEN, UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(_WRONG_ORDER, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(_NO_EPOCH, UserWarning, stacklevel=2)
        with self._set("_get_lr_called_within_step"):
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
            rates = self.get_lr() if closed is None else closed()
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        self._last_lr = self._current()

    def _current(self) -> list[Any]:
        """Return copies of the learning rates of the groups."""
        return [_copied(group["lr"]) for group in self.optimizer.param_groups]

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )

    @contextmanager
    def _set(self, flag: str) -> Iterator[None]:
        setattr(self, flag, True)
        try:
            yield
        finally:
            setattr(self, flag, False)


def _copied(rate: Any) -> Any:
    return rate.clone() if isinstance(rate, Tensor) else rate


def _note_steps(optimizer: Optimizer) -> None:
    """Have `optimizer` note that it made a step, for the warning about the order."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    itself, step = weakref.ref(optimizer), optimizer.step.__func__  # type: ignore[attr-defined]

    @wraps(step)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        alive: Any = itself()
        alive._opt_called = True
        return step(alive, *args, **kwargs)

    wrapper._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = wrapper  # type: ignore[method-assign]


class LambdaLR(LRScheduler):
    """The initial learning rate times a function of the epoch.

    Args:
        optimizer: whose learning rates change.
        lr_lambda: takes the number of the epoch; or one such function for each group.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: there are more or fewer functions than groups.
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]], last_epoch: int = -1) -> None:  # fmt: skip
        count = len(optimizer.param_groups)
        if isinstance(lr_lambda, (list, tuple)) and len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        several = isinstance(lr_lambda, (list, tuple))
        self.optimizer = optimizer
        self.lr_lambdas: list[Any] = list(lr_lambda) if several else [lr_lambda] * count
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return what this scheduler knows; of functions nothing, of callable objects their attributes."""
        found = super().state_dict()
        del found["lr_lambdas"]
        found["lr_lambdas"] = [
            None if isinstance(f, types.FunctionType) else f.__dict__.copy()
            for f in self.lr_lambdas
        ]
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        own = self.lr_lambdas
        self.__dict__.update(state_dict, lr_lambdas=own)
        for f, attributes in zip(own, state_dict["lr_lambdas"], strict=False):
            if attributes is not None:
                f.__dict__.update(attributes)

    def get_lr(self) -> list[Any]:
        """Return ``initial_lr * lr_lambda(last_epoch)`` of each group."""
        self._warn_outside_step()
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * f(self.last_epoch) for f, base in pairs]


class StepLR(LRScheduler):
    """Multiplies the learning rates by `gamma` every `step_size` epochs.

    Args:
        optimizer: whose learning rates change.
        step_size: how many epochs a rate lasts.
        gamma: the factor.
        last_epoch: see `LRScheduler`.
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:  # fmt: skip
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the current rates, times `gamma` where `step_size` divides the epoch."""
        self._warn_outside_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self._current()
        return [group["lr"] * self.gamma for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiplies the learning rates by `gamma` every epoch.

    Args:
        optimizer: whose learning rates change.
        gamma: the factor.
        last_epoch: see `LRScheduler`.
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the current rates times `gamma`; the current ones when the scheduler is made."""
        self._warn_outside_step()
        if self._is_initial:
            return self._current()
        return [group["lr"] * self.gamma for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]
