"""PyTorch's words for a call that has failed: how methods and functions come to say them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import CO_VARKEYWORDS
from typing import Any, ParamSpec, TypeVar

from .._engine import TensorBase
from .._engine.signature import LazySignature
from ._signatures import (
    bind_call,
    from_older_form,
    has_signature,
    may_take_bool,
    respelled,
    signatures_of,
)

C = TypeVar("C", bound=type)
P = ParamSpec("P")
R = TypeVar("R")


def pytorch_errors(function: Callable[P, R]) -> Callable[P, R]:
    """Return `function` with PyTorch's errors for arguments that do not fit."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception:  # PyTorch looks at the arguments before anything else
            bind_call(function.__name__, False, args, kwargs)
            raise

    if function.__code__.co_flags & CO_VARKEYWORDS:  # PyTorch's table can say more than this `def`
        call.__signature__ = LazySignature(signature_of, function, function.__name__, False)  # type: ignore[attr-defined]
    return call


def signature_of(*about: Any) -> Any:
    """Return what `shown_signature` does, which is loaded when somebody looks."""
    from ._signature_shown import shown_signature

    return shown_signature(*about)


def pytorch_errors_in_methods(cls: C) -> C:
    """Give PyTorch's errors to every method of the class that PyTorch's table of signatures has."""
    for name, method in list(vars(cls).items()):
        if not name.startswith("_") and callable(method) and has_signature(name):
            if method.__qualname__ == f"{cls.__name__}.{name}":
                method.__qualname__ = f"Tensor.{name}"
            setattr(cls, name, _with_pytorch_errors(method, name))
    return cls


def _with_pytorch_errors(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return `method` with PyTorch's errors for arguments that do not fit.

    A right call costs one more call and nothing else. NumPy's names of arguments, such as ``x2``, are
    taken as PyTorch takes them.
    """
    with_sizes = getattr(method, "one_by_one", method)  # which takes no sizes in one argument
    refuse_numbers = _refusal_of_numbers(name)

    @wraps(method)
    def call(self: Any, /, *args: Any, **named: Any) -> Any:
        try:
            if not named:
                if args and refuse_numbers:
                    refuse_numbers(args, named)
                return with_sizes(self, *args)
            if refuse_numbers:
                refuse_numbers(args, named)
            return method(self, *args, **named)
        except Exception:  # PyTorch looks at the arguments before anything else
            if not named and (older := from_older_form(name, args)):
                return method(self, *older[0], **older[1])
            bound = bind_call(name, True, args, named)
            if bound is None or not respelled(named, bound):
                raise
        return method(self, **bound)

    call.__name__, call.__qualname__ = name, f"Tensor.{name}"
    call.__signature__ = LazySignature(signature_of, method, name, True)  # type: ignore[attr-defined]
    call.__annotations__ = {}  # as PyTorch's have none: `typing` could not look up "Tensor"
    # for a function that has PyTorch's errors by itself
    call.bare, call.refuse_numbers = method, refuse_numbers  # type: ignore[attr-defined]
    return call


_NEEDS_DIM = frozenset({"max", "min", "median", "nanmedian", "prod", "logsumexp"})
"""Functions that take no None for `dim`, though they may do without it."""


def _refusal_of_numbers(name: str) -> Callable[[tuple[Any, ...], dict[str, Any]], None] | None:
    """Return what raises for numbers in place of True and False, which NumPy would take without a word.

    None where the method called `name` takes neither.
    """
    if not may_take_bool(name):
        return None
    places = {
        (p.name, i) for s in signatures_of(name, True) for i, p in enumerate(s) if p.kind == "bool"
    }
    if not places or name in ("std", "var"):  # of which one form takes `unbiased` for `dim`
        return None
    needs_dim = name in _NEEDS_DIM

    def refuse(args: tuple[Any, ...], named: dict[str, Any]) -> None:
        for title, i in places:
            value = args[i] if i < len(args) else named.get(title, True)
            if value is not True and value is not False and not _from_numpy(value):
                bind_call(name, True, args, named)
        if needs_dim and ((args and args[0] is None) or named.get("dim", 0) is None):
            bind_call(name, True, args, named)

    return refuse


def _from_numpy(value: Any) -> bool:
    return hasattr(value, "dtype") and not isinstance(value, TensorBase)
