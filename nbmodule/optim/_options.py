"""Checks of options that several optimizers have, in PyTorch's words."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor


def checked_lr(lr: Any) -> None:
    """Check a learning rate.

    Raises:
        ValueError: it is negative, or a tensor of several numbers.
    """
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not 0.0 <= lr:  # noqa: SIM300 - the order shows in Python's own errors
        raise ValueError(f"Invalid learning rate: {lr}")


def checked(**options: Any) -> None:
    """Check options, one after the other, that may not be negative.

    Raises:
        ValueError: one of them is.
    """
    for name, value in options.items():
        if not 0.0 <= value:  # noqa: SIM300
            raise ValueError(f"Invalid {'epsilon' if name == 'eps' else name} value: {value}")


def checked_betas(betas: Any) -> None:
    """Check how slowly two running means forget.

    Raises:
        ValueError: one is outside of [0, 1).
    """
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
