"""Several schedules for one optimizer: one after the other, or all at the same time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ..optimizer import Optimizer
from ._base import (
    HOME,
    LRScheduler,
    _param_groups_val_list,
    _update_param_group_val,
    all_or_nothing,
    as_it_was,
)
from ._plateau import ReduceLROnPlateau


class _Combined(LRScheduler):
    """The base class of schedules that consist of others, `_schedulers`."""

    __module__ = HOME

    _schedulers: Sequence[LRScheduler]

    def _check(self, schedulers: Sequence[Any], optimizer: Optimizer) -> None:
        """Raise if one of the schedules does not belong here."""
        name = type(self).__name__
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs "
                    f"to be specified when calling `step`, but got one at index {i} in the given schedulers "
                    "sequence."
                )
            if optimizer != scheduler.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is different "
                    f"from {type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """Return what this schedule knows, and under "_schedulers" the states of the others."""
        state = super().state_dict()
        del state["_schedulers"]
        return state | {"_schedulers": [s.state_dict() for s in self._schedulers]}

    @all_or_nothing
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        saved, own = state_dict["_schedulers"], self._schedulers
        self.__dict__.update(state_dict, _schedulers=own)
        for i, state in enumerate(saved):
            own[i].load_state_dict(state)


class SequentialLR(_Combined):
    """One schedule after the other, each from epoch 0 on.

    Args:
        optimizer: whose learning rates change.
        schedulers: the schedules, made for this optimizer; not `ReduceLROnPlateau`.
        milestones: the epochs at which the second one begins, the third one, and so on.
        last_epoch: see `LRScheduler`.

    Raises:
        TypeError: one of the schedules is none.
        ValueError: there are none, one is for another optimizer, or the milestones are too many or too few.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.SequentialLR.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> warm_up, decay = ConstantLR(optimizer, 0.25, total_iters=2), ExponentialLR(optimizer, 0.5)
        >>> schedule, rates = SequentialLR(optimizer, [warm_up, decay], milestones=[2]), []
        >>> for _ in range(5):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> rates
        [0.25, 0.25, 1.0, 0.5, 0.25]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1) -> None:  # fmt: skip
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler, but got no scheduler."
            )
        self._check(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number "
                f"of milestone points, but got number of schedulers {len(schedulers)} and the number of "
                f"milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each schedule set the rates when it was made; now only the first one's turn has come.
        for group in optimizer.param_groups:
            _update_param_group_val(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take back the epoch that each of the schedules, or those of `sched`, counted when it was made."""
        combined = self if sched is None else sched
        if hasattr(combined, "_schedulers"):
            for part in combined._schedulers:
                self.recursive_undo(part)
        elif hasattr(combined, "last_epoch"):
            combined.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Begin the next epoch, with the schedule whose turn it is."""
        with as_it_was(self):
            self.last_epoch += 1
            turn = bisect_right(self._milestones, self.last_epoch)
            scheduler = self._schedulers[turn]
            if turn > 0 and self._milestones[turn - 1] == self.last_epoch:
                scheduler._update_lr(0)
            else:
                scheduler.step()
            self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Combined):
    """Several schedules at the same time: each changes the rates that the one before has set.

    Args:
        schedulers: the schedules, made for one optimizer; not `ReduceLROnPlateau`.
        optimizer: whose learning rates change; that of the schedules if left out.

    Raises:
        TypeError: one of the schedules is none.
        ValueError: there are none, or one is for another optimizer.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ChainedScheduler.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.optim.lr_scheduler import ChainedScheduler, ConstantLR, ExponentialLR
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> warm_up, decay = ConstantLR(optimizer, 0.25, total_iters=2), ExponentialLR(optimizer, 0.5)
        >>> schedule, rates = ChainedScheduler([warm_up, decay]), []
        >>> for _ in range(4):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> rates
        [0.25, 0.125, 0.25, 0.125]
    """

    __module__ = HOME

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:  # fmt: skip
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check(schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = _param_groups_val_list(schedulers[-1].optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Begin the next epoch: step all schedules, in turn."""
        with as_it_was(self):
            for scheduler in self._schedulers:
                scheduler.step()
            self._last_lr = _param_groups_val_list(self._schedulers[-1].optimizer, "lr")
