"""What functions of networks ask of their arguments, and the form of a rule for a write in place."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np

from .._engine import renamed, wants_grad
from .._methods.common import not_implemented
from .._tensor import Tensor


def as_number(value: Any) -> Any:
    """Return the number that was given, also as a tensor of one element.

    Raises:
        TypeError: it is none; `pytorch_errors` puts that into PyTorch's words.
    """
    kind = type(value)
    if kind is float or (kind is int and -(2**63) <= value < 2**64):
        return value
    if kind is int:
        raise OverflowError("int too big to convert")
    if isinstance(value, Tensor) and not value._array.ndim and not wants_grad(value):
        return value.item()
    if isinstance(value, (int, float)) or (isinstance(value, np.generic) and value.dtype.kind in "biuf"):  # fmt: skip
        return float(value) if isinstance(value, (float, np.floating)) else int(value)
    raise TypeError(f"expected a number, not {kind.__name__}")


def as_double(value: Any) -> float:
    """Return the number that was given as a Python float; see `as_number`."""
    return float(value) if type(value) is int else float(as_number(value))


def as_index(value: Any) -> int:
    """Return the int that was given.

    Raises:
        TypeError: it is none, or a bool.
    """
    if type(value) is int:
        return value
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("expected an int, not a bool")
    return index(value)


def refuse_whole(input: Tensor, kernel: str) -> None:
    """Raise if `input` holds no floating point numbers; PyTorch names the `kernel` that refuses."""
    if input._array.dtype.kind != "f":
        raise not_implemented(kernel, input)


def in_place(rule: Callable[..., Tensor], node: str) -> Callable[..., Tensor]:
    """Return `rule` in the form for a write in place: its slope is told from the result, its node is `node`."""

    def written(t: Tensor, **options: Any) -> Tensor:
        return renamed(rule(t, in_place=True, **options), node)

    written.__name__ = rule.__name__  # observers are told it
    return written
