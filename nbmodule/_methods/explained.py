"""How a method that was called wrongly comes to say so in PyTorch's words."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from .._engine import TensorBase
from ._signature_shown import signature_of_method
from ._signatures import (
    bind_call,
    from_older_form,
    has_signature,
    may_take_bool,
    respelled,
    signatures_of,
)

C = TypeVar("C", bound=type)


_NEEDS_DIM = frozenset({"max", "min", "median", "nanmedian", "prod", "logsumexp"})
"""Functions that take no None for `dim`, though they may do without it."""


def _particular(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return `method`, which refuses numbers for True and False where PyTorch does.

    NumPy would take them without a word, so this is looked at beforehand.
    """
    if not may_take_bool(name):
        return method
    places = {
        (p.name, i) for s in signatures_of(name, True) for i, p in enumerate(s) if p.kind == "bool"
    }
    if not places or name in ("std", "var"):  # of which one form takes `unbiased` for `dim`
        return method
    needs_dim = name in _NEEDS_DIM

    @wraps(method)
    def call(self: Any, /, *args: Any, **named: Any) -> Any:
        if args or named:
            for title, i in places:
                value = args[i] if i < len(args) else named.get(title, True)
                if value is not True and value is not False and not _from_numpy(value):
                    bind_call(name, True, args, named)
            if needs_dim and ((args and args[0] is None) or named.get("dim", 0) is None):
                bind_call(name, True, args, named)
        return method(self, *args, **named)

    return call


def _from_numpy(value: Any) -> bool:
    return hasattr(value, "dtype") and not isinstance(value, TensorBase)


def explained(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return `method` with PyTorch's errors for arguments that do not fit.

    A right call costs one more call and nothing else. NumPy's names of arguments, such as ``x2``, are
    taken as PyTorch takes them.
    """
    plainly = getattr(method, "one_by_one", method)  # which takes no sizes in one argument
    particular = _particular(method, name)
    if particular is not method:
        method = plainly = particular

    @wraps(method)
    def call(self: Any, /, *args: Any, **named: Any) -> Any:
        try:
            return method(self, *args, **named) if named else plainly(self, *args)
        except Exception:  # PyTorch looks at the arguments before anything else
            if not named and (older := from_older_form(name, args)):
                return method(self, *older[0], **older[1])
            bound = bind_call(name, True, args, named)
            if bound is None or not respelled(named, bound):
                raise
        return method(self, **bound)

    call.__name__, call.__qualname__ = name, f"Tensor.{name}"
    call.__signature__ = signature_of_method(method, name)  # type: ignore[attr-defined]
    call.bare = method  # type: ignore[attr-defined]  # for a function that explains by itself
    return call


def explained_methods(cls: C) -> C:
    """Wrap every method of the class that PyTorch's table of signatures has."""
    for name, method in list(vars(cls).items()):
        if not name.startswith("_") and callable(method) and has_signature(name):
            setattr(cls, name, explained(method, name))
    return cls
