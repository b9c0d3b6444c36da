"""The schedule that goes with averaged weights; `swa_utils` shows it.

Source: https://arxiv.org/abs/1803.05407
"""

from __future__ import annotations

import math
from typing import Any, Literal

from ..optimizer import Optimizer
from ._base import LRScheduler, _format_param, _warn_get_lr_called_within_step, all_or_nothing


class SWALR(LRScheduler):
    """Brings the learning rates to a constant one, with which the averaging goes on.

    From the rates that it finds, in `anneal_epochs` steps: ``a * swa_lr + (1 - a) * lr``, where a goes from
    0 to 1 along a half wave of the cosine, or a straight line.

    Args:
        optimizer: whose learning rates change; its groups get a key "swa_lr".
        swa_lr: the rate to come to, or one for each group.
        anneal_epochs: how many epochs it takes.
        anneal_strategy: "cos" or "linear".
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: there are more or fewer rates than groups, an unknown strategy, or `anneal_epochs` is no
            integer of at least 0.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.swa_utils.SWALR.html

    Example:
        >>> import nbmodule
        >>> optimizer = nbmodule.optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = nbmodule.optim.swa_utils.SWALR(optimizer, 0.2, 4, "linear")
        >>> rates = []
        >>> for _ in range(6):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> [round(rate, 3) for rate in rates]
        [1.0, 0.8, 0.6, 0.4, 0.2, 0.2]
    """

    __module__ = "nbmodule.optim.swa_utils"

    def __init__(self, optimizer: Optimizer, swa_lr: float, anneal_epochs: int = 10, anneal_strategy: Literal["cos", "linear"] = "cos", last_epoch: int = -1) -> None:  # fmt: skip
        swa_lrs = _format_param("swa_lr", optimizer, swa_lr)
        if anneal_strategy not in ["cos", "linear"]:
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._set_anneal_func(anneal_strategy)
        self.anneal_epochs = anneal_epochs
        for rate, group in zip(swa_lrs, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _linear_anneal(t: float) -> float:
        return t

    @staticmethod
    def _cosine_anneal(t: float) -> float:
        return (1 - math.cos(math.pi * t)) / 2

    @staticmethod
    def _get_initial_lr(lr: Any, swa_lr: Any, alpha: float) -> Any:
        """Return the rate that the way began at, from the current one, `alpha` of the way gone."""
        return swa_lr if alpha == 1 else (lr - alpha * swa_lr) / (1 - alpha)

    def get_lr(self) -> list[Any]:
        """Return the rates on the way from the first ones, which follow from the current ones, to "swa_lr"."""
        _warn_get_lr_called_within_step(self, stacklevel=3)
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, alpha = self._gone(step - 1), self._gone(step)
        rates = []
        for group in self.optimizer.param_groups:
            first = self._get_initial_lr(group["lr"], group["swa_lr"], before)
            rates.append(group["swa_lr"] * alpha + first * (1 - alpha))
        return rates

    def _gone(self, step: int) -> float:
        """Return which part of the way is gone at `step`."""
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def _set_anneal_func(self, anneal_strategy: str) -> None:
        self._anneal_strategy = anneal_strategy
        is_cosine = anneal_strategy == "cos"
        self.anneal_func = self._cosine_anneal if is_cosine else self._linear_anneal

    def state_dict(self) -> dict[str, Any]:
        """Return what this schedule knows, but for its optimizer and the function."""
        return {key: value for key, value in super().state_dict().items() if key != "anneal_func"}

    @all_or_nothing
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        self.__dict__.update(state_dict)
        self._set_anneal_func(self._anneal_strategy)
