"""Options that are out of range, in PyTorch's words."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor


def check_rate(lr: Any, message: str = "Invalid learning rate: {}") -> None:
    """Raise if `lr` is negative, or a tensor of several elements.

    Raises:
        ValueError: with `message`, in which {} stands for `lr`.
    """
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check_reaches(0.0, lr, message)


def check_reaches(least: float, value: Any, message: str) -> None:
    """Raise if `value` is less than `least`, or NaN.

    Raises:
        ValueError: with `message`, in which {} stands for `value`.
    """
    if not least <= value:
        raise ValueError(message.format(value))


def check_options(**options: Any) -> None:
    """Raise if one of these options, by its name, is negative: the first of them.

    Raises:
        ValueError: it says which.
    """
    for name, value in options.items():
        named = "epsilon" if name == "eps" else name
        check_reaches(0.0, value, f"Invalid {named} value: {{}}")


def check_betas(betas: Any) -> None:
    """Raise if one of two `betas` does not lie from 0 to below 1.

    Raises:
        ValueError: it names the first that does not.
    """
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
