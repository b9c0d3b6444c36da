"""Learning rates that go up and down in triangles.

Source: https://arxiv.org/abs/1506.01186
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from ..optimizer import Optimizer
from ._base import (
    HOME,
    LRScheduler,
    _checked,
    _format_param,
    _update_param_group_val,
    _warn_get_lr_called_within_step,
    all_or_nothing,
    attributes_of,
    restore,
)
from ._momentum import begin_momentum, set_momentum, uses_beta1


class CyclicLR(LRScheduler):
    """Lets the learning rates go up from `base_lr` to `max_lr` and down again, over and over.

    ``base_lr + (max_lr - base_lr) * height * scale``, where the height goes from 0 to 1 and back. To be
    stepped after every batch. The scale of a cycle c or a step s is 1 ("triangular"), ``1 / 2**(c - 1)``
    ("triangular2"), ``gamma**s`` ("exp_range"), or what `scale_fn` returns.

    Args:
        optimizer: whose learning rates change.
        base_lr: the lowest rate, or one for each group.
        max_lr: the highest rate before it is scaled, or one for each group.
        step_size_up: how many steps a cycle goes up.
        step_size_down: how many it goes down; as many if left out.
        mode: "triangular", "triangular2" or "exp_range".
        gamma: see above.
        scale_fn: takes the number of the cycle, from 1, or of the step, from 0; goes before `mode`.
        scale_mode: what `scale_fn` takes, "cycle" or "iterations".
        cycle_momentum: whether the momentum goes the other way: down from `max_momentum` to `base_momentum`.
        base_momentum: the lowest momentum, or one for each group.
        max_momentum: the highest momentum, or one for each group.
        last_epoch: the *step* that was the last one, to go on from there; -1 to begin.

    Raises:
        TypeError: `optimizer` is none.
        ValueError: an unknown `mode` without a `scale_fn`; there are more or fewer values than groups; or the
            optimizer has no momentum that could cycle.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CyclicLR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], momentum=0.9)
        >>> schedule = nbmodule.optim.lr_scheduler.CyclicLR(optimizer, 1.0, 3.0, step_size_up=2)
        >>> seen = []
        >>> for _ in range(5):
        ...     seen.append((schedule.get_last_lr()[0], round(optimizer.param_groups[0]["momentum"], 2)))
        ...     optimizer.step()
        ...     schedule.step()
        >>> seen
        [(1.0, 0.9), (2.0, 0.85), (3.0, 0.8), (2.0, 0.85), (1.0, 0.9)]
    """

    __module__ = HOME

    def __init__(self, optimizer: Optimizer, base_lr: float | list[float], max_lr: float | list[float], step_size_up: int = 2000, step_size_down: int | None = None, mode: Literal["triangular", "triangular2", "exp_range"] = "triangular", gamma: float = 1.0, scale_fn: Callable[[float], float] | None = None, scale_mode: Literal["cycle", "iterations"] = "cycle", cycle_momentum: bool = True, base_momentum: float = 0.8, max_momentum: float = 0.9, last_epoch: int = -1) -> None:  # fmt: skip
        self.optimizer = _checked(optimizer)
        base_lrs = _format_param("base_lr", optimizer, base_lr)
        self.max_lrs = _format_param("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ["triangular", "triangular2", "exp_range"] and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = uses_beta1(optimizer)
            self.base_momentums = _format_param("base_momentum", optimizer, base_momentum)
            self.max_momentums = _format_param("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:  # from here on the optimizer changes
            for group, low in zip(optimizer.param_groups, base_lrs, strict=True):
                _update_param_group_val(group, "lr", low)
            if cycle_momentum:
                begin_momentum(optimizer, self.max_momentums, self.base_momentums, self.use_beta1)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        """Choose the function of `mode`, and what it takes; a function of the user's stays."""
        if self._scale_fn_custom is not None:
            return
        self._scale_fn_ref: Callable[[float], float] = {
            "triangular": self._triangular_scale_fn,
            "triangular2": self._triangular2_scale_fn,
            "exp_range": partial(self._exp_range_scale_fn, self.gamma),
        }[self.mode]
        self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    def scale_fn(self, x: float) -> float:
        """Return the scale of the cycle or the step `x`."""
        own = self._scale_fn_custom
        return self._scale_fn_ref(x) if own is None else own(x)

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma**x

    def get_lr(self) -> list[Any]:
        """Return the rates for the step `last_epoch`; sets the momentum on the way."""
        _warn_get_lr_called_within_step(self)
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        ratio = self.step_ratio
        height = x / ratio if x <= ratio else (x - 1) / (ratio - 1)

        def way(low: Any, high: Any) -> Any:
            scaled = cycle if self.scale_mode == "cycle" else self.last_epoch
            return (high - low) * height * self.scale_fn(scaled)

        limits = zip(self.base_lrs, self.max_lrs, strict=True)
        rates = [low + way(low, high) for low, high in limits]
        if self.cycle_momentum:
            limits = zip(self.base_momentums, self.max_momentums, strict=True)
            momentums = [high - way(low, high) for low, high in limits]
            for group, momentum in zip(self.optimizer.param_groups, momentums, strict=True):
                set_momentum(group, momentum, self.use_beta1)
        return rates

    def state_dict(self) -> dict[str, Any]:
        """Return what this schedule knows; of a `scale_fn`, the attributes if it is a callable object."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        own = state.pop("_scale_fn_custom")
        return state | {"_scale_fn_custom": attributes_of(own)}

    @all_or_nothing
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned; a `scale_fn` stays that of this schedule."""
        own, attributes = self._scale_fn_custom, state_dict["_scale_fn_custom"]
        super().load_state_dict(state_dict)
        self._scale_fn_custom = own
        restore(own, attributes)
        self._init_scale_fn()
