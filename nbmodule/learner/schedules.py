"""Learning rates that change during a fit: any scheduler of `optim.lr_scheduler`, and one cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..optim.lr_scheduler import LRScheduler, OneCycleLR, ReduceLROnPlateau
from .batches import batches_in
from .callback import Callback, Learner
from .measuring import check_monitored, monitored


class Scheduler(Callback):
    """Calls ``scheduler.step()`` after each epoch, or after each step of the optimizer.

    Args:
        scheduler: one for the learner's optimizer, or what makes one of an optimizer: ``partial(StepLR, step_size=5)``.
        every: "epoch" or "step".
        monitor: the result that ReduceLROnPlateau looks at; "valid_loss", or "train_loss" for a learner that doesn't
            validate. After single steps it looks at the loss of the batch.

    Raises:
        TypeError: `scheduler` is neither.
        ValueError: it belongs to another optimizer, or there is no result `monitor`.

    Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate

    Example:
        >>> from functools import partial
        >>> import nbmodule
        >>> from nbmodule import nn, optim
        >>> from nbmodule.learner import Learner, Scheduler
        >>> halve = Scheduler(partial(optim.lr_scheduler.ExponentialLR, gamma=0.5))
        >>> learner = Learner(nn.Linear(1, 1), nn.MSELoss(), partial(optim.SGD, lr=0.8), [nbmodule.ones(2, 1)], callbacks=[halve])
        >>> learner.fit(3)["lr"]
        [0.8, 0.4, 0.2]
    """

    order = 20

    def __init__(self, scheduler: LRScheduler | Callable[[Any], LRScheduler], every: str = "epoch", monitor: str | None = None) -> None:  # fmt: skip
        if every not in ("epoch", "step"):
            raise ValueError(f"every must be 'epoch' or 'step', not {every!r}")
        if not (isinstance(scheduler, LRScheduler) or callable(scheduler)):
            raise TypeError(f"scheduler must be an LRScheduler, or make one of an optimizer, not {scheduler!r}")  # fmt: skip
        self.every, self.monitor = every, monitor
        self.scheduler: Any = scheduler if isinstance(scheduler, LRScheduler) else None
        self._make: Any = scheduler

    def before_fit(self, learner: Learner) -> None:
        """Make the scheduler, once, if that is still to be done."""
        if self.scheduler is None:
            self.scheduler = self._make(learner.optimizer)
        if self.scheduler.optimizer is not learner.optimizer:
            raise ValueError(
                f"this {type(self.scheduler).__name__} changes another optimizer than the learner's: give a function in its "
                "place, as partial(StepLR, step_size=5)"
            )
        if isinstance(self.scheduler, ReduceLROnPlateau) and self.every == "epoch":
            check_monitored(self.monitor, learner, self)

    def after_step(self, learner: Learner) -> None:
        """Change the rate, if it changes every step."""
        if self.every == "step":
            self._step(learner, learner.loss_value)

    def after_epoch(self, learner: Learner) -> None:
        """Change the rate, if it changes every epoch."""
        if self.every == "epoch":
            name = monitored(self.monitor, learner)
            self._step(learner, learner.results.get(name), name)

    def _step(self, learner: Learner, value: float | None, name: str = "loss") -> None:
        if not isinstance(self.scheduler, ReduceLROnPlateau):
            self.scheduler.step()
        elif value is None:
            raise ValueError(f"Scheduler monitors {name!r}, and the results of epoch {learner.epoch} are {list(learner.results)}")  # fmt: skip
        else:
            self.scheduler.step(value)

    def state_dict(self) -> dict[str, Any]:
        """Return the scheduler's state; empty before there is one."""
        return {} if self.scheduler is None else {"scheduler": self.scheduler.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        if self.scheduler is not None and state:
            self.scheduler.load_state_dict(state["scheduler"])


class OneCycle(Callback):
    """One cycle of OneCycleLR over a whole fit: the rate rises to `max_lr` and falls far below its start.

    ``learner.fit_one_cycle(epochs, max_lr)`` adds it for one fit. Afterwards learning rate and momentum are what they were.

    Args:
        max_lr: the highest rate, or a list with one for each group of parameters.
        options: `pct_start`, `anneal_strategy`, `div_factor`, ... of `optim.lr_scheduler.OneCycleLR`. The number of
            steps is known from the fit.

    Raises:
        TypeError: the loader doesn't say how many batches an epoch has.

    Source: https://docs.fast.ai/callback.schedule.html#learner.fit_one_cycle (the idea)

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn, optim
        >>> from nbmodule.learner import Learner
        >>> learner = Learner(nn.Linear(1, 1), nn.MSELoss(), optim.SGD, [nbmodule.ones(2, 1)] * 4)
        >>> [round(rate, 3) for rate in learner.fit_one_cycle(2, max_lr=0.5).lrs]
        [0.02, 0.41, 0.486, 0.406, 0.278, 0.142, 0.038, 0.0]
    """

    order = 20

    def __init__(self, max_lr: Any, **options: Any) -> None:
        known = {"optimizer", "total_steps", "epochs", "steps_per_epoch", "last_epoch"}
        if taken := known & set(options):
            raise TypeError(f"{sorted(taken)} are known from the fit: leave them out")
        self.options = {"max_lr": max_lr, **options}
        self.scheduler: OneCycleLR | None = None
        self._before: list[dict[str, Any]] = []
        self._total: int | None = None

    @classmethod
    def from_state(cls, found: dict[str, Any], present: Iterable[Callback]) -> list[OneCycle]:
        """Return the callback with which a fit that is to be resumed was begun, if it is not `present`."""
        state = found["callbacks"].get(cls.__name__)
        if state is None or any(type(callback) is cls for callback in present):
            return []
        try:
            return [cls(**state["options"])]
        except (LookupError, TypeError) as error:
            raise ValueError(f"the state of {cls.__name__} is damaged: {error!r}") from error

    def before_fit(self, learner: Learner) -> None:
        """Plan the cycle."""
        groups = learner.optimizer.param_groups
        self._before = [{k: v for k, v in group.items() if k != "params"} for group in groups]
        total = self._total or _steps(learner)
        self.scheduler = OneCycleLR(learner.optimizer, total_steps=total, **self.options) if total else None  # fmt: skip

    def after_step(self, learner: Learner) -> None:
        """Change the rate, but after the last step, which ends the plan."""
        scheduler = self.scheduler
        if scheduler is not None and scheduler.last_epoch + 1 < scheduler.total_steps:
            scheduler.step()

    def removed(self, learner: Learner) -> None:
        """Give the optimizer its learning rate and momentum back."""
        for group, before in zip(learner.optimizer.param_groups, self._before, strict=False):
            for key in set(group) - set(before) - {"params"}:
                del group[key]
            group.update(before)
        self.scheduler, self._before, self._total = None, [], None

    def state_dict(self) -> dict[str, Any]:
        """Return the options, the scheduler's state, and what the optimizer had before."""
        if self.scheduler is None:
            return {}
        return {"options": dict(self.options), "scheduler": self.scheduler.state_dict(), "before": self._before}  # fmt: skip

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` returned; the scheduler is there when the fit has begun."""
        self._total, self._before = state["scheduler"]["total_steps"], state["before"]
        if self.scheduler is not None:
            self.scheduler.load_state_dict(state["scheduler"])


def _steps(learner: Learner) -> int:
    """Return how many steps the fit is going to make."""
    batches = batches_in(learner.train_loader)
    if batches is None:
        raise TypeError(
            "one cycle needs to know how many batches an epoch has, and the train_loader has no len(): give OneCycleLR "
            "its total_steps in a Scheduler"
        )
    return (learner.epochs - learner.epoch) * -(-batches // learner.batches_per_step)
