"""How a method of Tensor becomes a top-level function."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from .._errors import not_a_tensor
from .._tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def function(method: Callable[Concatenate[Any, P], R], turned: Callable[[Any, Any], R] | None = None) -> Callable[Concatenate[Any, P], R]:  # fmt: skip
    """Turn a method of Tensor into a function that says so when it is given something else.

    Args:
        method: takes the tensor first.
        turned: called as ``turned(other, input)`` where `input` is a number and `other` the tensor.
    """

    @wraps(method)
    def call(input: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        if isinstance(input, Tensor):
            return method(input, *args, **kwargs)
        if turned and len(args) == 1 and isinstance(input, (int, float)):
            return turned(args[0], input)
        raise not_a_tensor(method.__name__, "input", 1, input)

    return call
