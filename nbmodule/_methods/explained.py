"""How a method that was called wrongly comes to say so in PyTorch's words."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from ._signatures import bind_call, from_older_form, has_signature, respelled

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
        except Exception:  # PyTorch looks at the arguments before anything else
            if not named and (older := from_older_form(name, args)):
                return method(self, *older[0], **older[1])
            bound = bind_call(name, True, args, named)
            if bound is None or not respelled(named, bound):
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
