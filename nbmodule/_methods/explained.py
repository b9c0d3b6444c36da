"""How a method that was called wrongly comes to say so in PyTorch's words, and other small wrappers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from .. import _dtypes
from .._engine import TensorBase
from .._errors import not_a_tensor
from ._signatures import bind_call, has_signature
from .common import kind_of

C = TypeVar("C", bound=type)


def explained(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return `method` with PyTorch's errors for arguments that do not fit.

    A right call costs one more call and nothing else. NumPy's names of arguments, such as ``x2``, are
    taken as PyTorch takes them.
    """

    @wraps(method)
    def call(self: Any, /, *args: Any, **named: Any) -> Any:
        try:
            return method(self, *args, **named)
        except (TypeError, AttributeError):
            bound = bind_call(name, True, args, named)
            if bound is None or all(n in bound for n, v in named.items() if v is not None):
                raise
        return method(self, **bound)

    call.__name__, call.__qualname__ = name, f"Tensor.{name}"
    call.bare = method  # type: ignore[attr-defined]  # for a function that explains by itself
    return call


def explained_methods(cls: C) -> C:
    """Wrap every method of the class that PyTorch's table of signatures has."""
    for name, method in list(vars(cls).items()):
        if not name.startswith("_") and callable(method) and has_signature(name):
            setattr(cls, name, explained(method, name))
    return cls


def with_tensor(rule: Callable[..., Any], argument: str = "other") -> Callable[..., Any]:
    """Turn a rule of two tensors into a method that takes no number in place of the second."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        other = _only(rule.__name__, argument, args, named)
        return rule(self, other)

    method.__name__ = method.__qualname__ = rule.__name__
    method.__doc__ = rule.__doc__
    return method


def _only(name: str, argument: str, args: tuple[Any, ...], named: dict[str, Any]) -> TensorBase:
    """Return the only argument.

    Raises:
        TypeError: it is no tensor, or there are others.
    """
    found = args[0] if len(args) == 1 else named.get(argument)
    if len(args) + len(named) != 1 or not isinstance(found, TensorBase):
        raise not_a_tensor(name, argument, 1, found)
    return found


def only_for(kinds: str, kernel: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return `method` with PyTorch's refusal of other types.

    Args:
        kinds: the letters of NumPy's kinds of types that the method has an answer for.
        kernel: what PyTorch calls the part of it that refuses.
        method: takes one tensor or more, and options.
    """

    @wraps(method)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        if self._array.dtype.kind in kinds and not args:
            return method(self, **named)
        operands = [self, *(a for a in (*args, *named.values()) if isinstance(a, TensorBase))]
        common = _dtypes.result_type(*(t._array for t in operands))
        if common.numpy.kind not in kinds:
            raise NotImplementedError(
                f"\"{kernel}\" not implemented for '{kind_of(*operands)}'"
            )
        return method(self, *args, **named)

    return call
