"""Checks of arguments that several topics share: integers, sizes given once or for each dimension, flags.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ParamSpec, TypeVar

from ..._errors import not_a_tensor
from ..._methods.pytorch_errors import pytorch_errors
from ..._tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def top_level(function: Callable[P, R]) -> Callable[P, R]:
    """Return the form that PyTorch has at its top level: ``nbmodule.kl_div`` for ``_kl_div``, with PyTorch's errors.

    It stands below the function that `nn.functional` shows by the same name, where the two take other arguments.
    """
    function.__name__ = function.__qualname__ = function.__name__.removeprefix("_")
    function.__module__ = "nbmodule"
    return pytorch_errors(function)


def check_flag(value: Any) -> None:
    """Check that `value` is a bool, where another one would pass for it.

    Raises:
        TypeError: it is none; a function that is marked with `top_level` says which in PyTorch's words.
    """
    if value is not True and value is not False:
        raise TypeError(f"expected True or False, got {value!r}")


def first_not_a_tensor(function: str, **arguments: Any) -> TypeError:
    """Return the error for the first of `arguments` that is no tensor."""
    return next(
        not_a_tensor(function, name, position + 1, value)
        for position, (name, value) in enumerate(arguments.items())
        if not isinstance(value, Tensor)
    )


def repeated(value: Any, times: int) -> tuple[Any, ...]:
    """Return what is iterable as a tuple, and anything else as many `times`."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * times


def filled_in(out_size: Any, defaults: Sequence[int]) -> Any:
    """Return the sizes of a result, with the last of `defaults` where None stands; one number stays one.

    Raises:
        ValueError: there are not more defaults than sizes.
    """
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    own = defaults[-len(out_size) :]
    return [n if wanted is None else wanted for wanted, n in zip(out_size, own, strict=False)]
