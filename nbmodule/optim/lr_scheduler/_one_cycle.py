"""Learning rates of one cycle: up, down, and far down.

Source: https://arxiv.org/abs/1708.07120
"""

from __future__ import annotations

import math
from typing import Any, Literal

from ..optimizer import Optimizer
from ._base import HOME, LRScheduler, _checked, _format_param, _warn_get_lr_called_within_step
from ._momentum import begin_momentum, set_momentum, uses_beta1


class OneCycleLR(LRScheduler):
    """Lets the learning rates go up to `max_lr` once, and then down to almost nothing.

    From ``max_lr / div_factor`` to `max_lr`, then to ``max_lr / div_factor / final_div_factor``: between
    two values a and b, p of the way, ``b + (a - b) / 2 * (1 + cos(pi * p))`` or ``a + (b - a) * p``. To be
    stepped after every batch, at most `total_steps` times.

    Args:
        optimizer: whose learning rates change.
        max_lr: the highest rate, or one for each group.
        total_steps: how many steps there are; left out, it is ``epochs * steps_per_epoch``.
        epochs: see `total_steps`.
        steps_per_epoch: see `total_steps`.
        pct_start: which part of the steps goes up, a float from 0 to 1.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: whether the momentum goes the other way: from `max_momentum` to `base_momentum` and back.
        base_momentum: the lowest momentum, or one for each group.
        max_momentum: the highest momentum, or one for each group.
        div_factor: what the highest rate is of the first one.
        final_div_factor: what the first rate is of the last one.
        three_phase: whether to go down to the first rate in as many steps as up, and further in the rest.
        last_epoch: the *step* that was the last one, to go on from there; -1 to begin.

    Raises:
        TypeError: `optimizer` is none.
        ValueError: the number of steps is missing or not positive; `pct_start` or `anneal_strategy` is not as
            above; there are more or fewer values than groups; the optimizer has no momentum that could cycle;
            or, from `step`, there are no steps left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.OneCycleLR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], momentum=0.9)
        >>> schedule, rates = nbmodule.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=10), []
        >>> for _ in range(10):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> [round(rate, 2) for rate in rates]
        [0.04, 0.52, 1.0, 0.95, 0.81, 0.61, 0.39, 0.19, 0.05, 0.0]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, max_lr: float | list[float], total_steps: int | None = None, epochs: int | None = None, steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: Literal["cos", "linear"] = "cos", cycle_momentum: bool = True, base_momentum: float | list[float] = 0.85, max_momentum: float | list[float] = 0.95, div_factor: float = 25.0, final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1) -> None:  # fmt: skip
        self.optimizer = _checked(optimizer)
        self.total_steps = _counted(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ["cos", "linear"]:
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        max_lrs = _format_param("max_lr", optimizer, max_lr)
        self.cycle_momentum = cycle_momentum
        highest, lowest = [], []
        if cycle_momentum:
            self.use_beta1 = uses_beta1(optimizer)
            highest = _format_param("max_momentum", optimizer, max_momentum)
            lowest = _format_param("base_momentum", optimizer, base_momentum)
        if last_epoch == -1:
            first_lrs = [high / div_factor for high in max_lrs]
            last_lrs = [first / final_div_factor for first in first_lrs]
            rates = zip(optimizer.param_groups, first_lrs, max_lrs, last_lrs, strict=True)
            for group, first, high, last in rates:  # from here on the optimizer changes
                group |= {"initial_lr": first, "max_lr": high, "min_lr": last}
            if cycle_momentum:
                begin_momentum(optimizer, highest, lowest, self.use_beta1)
        super().__init__(optimizer, last_epoch)

    def _anneal_func(self, *args: Any, **kwargs: Any) -> Any:
        """Return the value on the way from `start` to `end`, `pct` of it gone."""
        kind = getattr(self, "_anneal_func_type", None)
        if kind is None:  # a state of old, which held the function itself
            return self.anneal_func(*args, **kwargs)  # type: ignore[attr-defined]
        if kind not in ("cos", "linear"):
            raise ValueError(f"Unknown _anneal_func_type: {kind}")
        return (self._annealing_cos if kind == "cos" else self._annealing_linear)(*args, **kwargs)

    @staticmethod
    def _annealing_cos(start: Any, end: Any, pct: float) -> Any:
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    @staticmethod
    def _annealing_linear(start: Any, end: Any, pct: float) -> Any:
        return (end - start) * pct + start

    def get_lr(self) -> list[Any]:
        """Return the rates for the step `last_epoch`; sets the momentum on the way.

        Raises:
            ValueError: there are no steps left.
        """
        _warn_get_lr_called_within_step(self)
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. "
                f"The specified number of total steps is {self.total_steps}"
            )
        rates = []
        for group in self.optimizer.param_groups:
            phase, gone = self._where()
            rates.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], gone))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                set_momentum(group, self._anneal_func(*ends, gone), self.use_beta1)
        return rates

    def _where(self) -> tuple[dict[str, Any], float]:
        """Return the phase that the step `last_epoch` is in, and which part of it is gone."""
        start, step, phases = 0.0, self.last_epoch, self._schedule_phases
        for phase in phases[:-1]:
            if step <= phase["end_step"]:
                break
            start = phase["end_step"]
        else:
            phase = phases[-1]
        return phase, (step - start) / (phase["end_step"] - start)


def _counted(total_steps: Any, epochs: Any, steps_per_epoch: Any) -> int:
    """Return how many steps there are.

    Raises:
        ValueError: that cannot be told.
    """
    if total_steps is not None:
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return epochs * steps_per_epoch


def _phases(total_steps: int, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
    """Return the phases: the step that each ends with, and which options of a group it goes between."""

    def phase(end_step: float, lrs: tuple[str, str], momentums: tuple[str, str]) -> dict[str, Any]:
        return {
            "end_step": end_step,
            "start_lr": lrs[0],
            "end_lr": lrs[1],
            "start_momentum": momentums[0],
            "end_momentum": momentums[1],
        }

    down, up = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
    top, end = float(pct_start * total_steps) - 1, total_steps - 1
    found = [phase(top, ("initial_lr", "max_lr"), down)]
    if not three_phase:
        return [*found, phase(end, ("max_lr", "min_lr"), up)]
    back = float(2 * pct_start * total_steps) - 2
    level = ("max_momentum", "max_momentum")
    found.append(phase(back, ("max_lr", "initial_lr"), up))
    return [*found, phase(end, ("initial_lr", "min_lr"), level)]
