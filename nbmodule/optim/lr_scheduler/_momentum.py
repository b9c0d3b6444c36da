"""Momentum that goes down while the learning rate goes up, and up while it goes down.

The optimizers of Adam's family have no option "momentum"; the first of their "betas" takes its part.
"""

from __future__ import annotations

from typing import Any

from ..optimizer import Optimizer


def uses_beta1(optimizer: Optimizer) -> bool:
    """Return whether the first of the "betas" is the momentum of `optimizer`.

    Raises:
        ValueError: it has neither.
    """
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError(
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
        )
    return "betas" in optimizer.defaults


def set_momentum(group: dict[str, Any], momentum: Any, beta1: bool) -> None:
    """Set the momentum of a group."""
    if beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def begin_momentum(optimizer: Optimizer, highest: list[Any], lowest: list[Any], beta1: bool) -> None:  # fmt: skip
    """Set the momentum of every group to its highest, and note both limits in the group."""
    for group, high, low in zip(optimizer.param_groups, highest, lowest, strict=True):
        set_momentum(group, high, beta1)
        group["max_momentum"] = high
        group["base_momentum"] = low
