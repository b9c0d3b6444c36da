"""How a method of Tensor becomes a top-level function, with ``out=`` and PyTorch's errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from inspect import CO_VARKEYWORDS
from typing import Any, Concatenate, ParamSpec, TypeVar

from .._data import as_array
from .._engine import wrap
from .._engine.signature import LazySignature
from .._errors import not_a_tensor
from .._methods._signatures import bind_call, from_older_form, respelled, signatures_of
from .._methods.elementwise import as_operand
from .._methods.pytorch_errors import signature_of
from .._tensor import Tensor
from ._out import check_out, unrecorded, write_out

P = ParamSpec("P")
R = TypeVar("R")

_NOTHING: Any = object()

_SIZES_TOGETHER = {"reshape": "shape", "permute": "dims", "flip": "dims", "tile": "dims"}
"""The argument of functions that must come as one tuple, where the methods take them one by one too."""


def function(method: Callable[Concatenate[Any, P], R], turned: Callable[[Any, Any], R] | None = None, *, name: str | None = None, exact: str = "") -> Callable[Concatenate[Any, P], R]:  # fmt: skip
    """Turn a method of Tensor into a function that says so when it is given something else.

    The function takes PyTorch's ``out=``, a tensor to write the result into, or a tuple of them.

    Args:
        method: takes the tensor first.
        turned: called as ``turned(other, input)`` where `input` is a number and `other` the tensor.
        name: what the function is called; by default as the method.
        exact: where ``out`` must have the very dtype of the result, PyTorch's words for one that has
            not, with places for the dtypes; see `EXPECTED`, `FOUND` and `BOOLEAN`.
    """
    title = name or method.__name__
    refuse_numbers = getattr(method, "refuse_numbers", None)
    bare: Any = getattr(method, "bare", method)  # without errors of its own: it gets a function's
    strict = title in _SIZES_TOGETHER

    def called(input: Any, args: Any, kwargs: Any) -> Any:
        if not isinstance(input, Tensor) and not (
            isinstance(input, (list, tuple)) and _takes_list(title)
        ):
            if not (isinstance(input, (int, float)) and args and _takes_numbers(title)):
                raise not_a_tensor(title, "input", 1, input)
            other = args[0] if isinstance(args[0], Tensor) else _checked_number(title, input, args)
            if turned and len(args) == 1 and not kwargs:
                return turned(other, input)
            input, args = as_operand(other, input), (other, *args[1:])
        if refuse_numbers:
            refuse_numbers(args, kwargs)
        return bare(input, *args, **kwargs)

    @wraps(bare)
    def call(input: Any = _NOTHING, *args: Any, **kwargs: Any) -> Any:
        try:
            if isinstance(input, Tensor) and "out" not in kwargs:  # nearly every call
                if strict and args and type(args[0]) is int:
                    raise TypeError(_sizes_apart(title, args))
                if refuse_numbers and (args or kwargs):
                    refuse_numbers(args, kwargs)
                return bare(input, *args, **kwargs)
            if "out" not in kwargs or not _takes_out(title):
                return called(input, args, kwargs)
            rest = dict(kwargs)
            out: Any = rest.pop("out")
            if out is None:
                return called(input, args, rest)
            given = input if isinstance(input, (list, tuple)) else (input,)
            check_out(title, out, (*given, *args, *rest.values()))
            return write_out(title, unrecorded(called, input, args, rest), out, exact)
        except Exception:  # PyTorch looks at the arguments before anything else
            given = () if input is _NOTHING else (input, *args)
            if not kwargs and (older := from_older_form(title, args)):
                return call(input, *older[0], **older[1])
            if not kwargs and args and (older := from_older_form(title, (input, *args[1:]))):
                return call(args[0], *older[0], **older[1])
            bound = bind_call(title, False, given, kwargs)
            if not bound or not (input is _NOTHING or respelled(kwargs, bound)):
                raise
        own = bound.pop("input" if "input" in bound else next(iter(bound)))
        return call(own, **bound)

    call.__name__ = call.__qualname__ = title
    call.__module__ = "nbmodule"
    call.__signature__ = LazySignature(signature_of, bare, title, False)  # type: ignore[attr-defined]
    call.__annotations__ = {}  # as PyTorch's have none: `typing` could not look up "Tensor"
    return call


def _sizes_apart(name: str, sizes: tuple[Any, ...]) -> str:
    """Return PyTorch's words for `sizes` that came one by one."""
    if len(sizes) > 1:
        return f"{name}() takes 2 positional arguments but {len(sizes) + 1} were given"
    return (
        f"{name}(): argument '{_SIZES_TOGETHER[name]}' (position 2) must be tuple of ints, not int"
    )


def _takes_out(name: str) -> bool:
    known = signatures_of(name, False)
    return not known or any(p.name == "out" for s in known for p in s)


def _takes_list(name: str) -> bool:
    """Return whether the first argument is a list of tensors."""
    return any(s[0].kind == "Tensors" for s in signatures_of(name, False))


def _takes_numbers(name: str) -> bool:
    """Return whether a number may stand in the place of the first tensor."""
    return any(s[0].kind in ("Tensor+", "Number") for s in signatures_of(name, False))


_PLAIN: dict[str, tuple[type, ...]] = {"int": (int,), "bool": (bool,), "float": (float, int)}
"""The types that need no closer look, for the kinds of parameters that Python would take anything for."""


def checked_function(function: Callable[P, R]) -> Callable[P, R]:
    """Return `function` with PyTorch's errors, also for what would pass: True for an int, 1 for a bool."""
    title = function.__name__

    @cache
    def plain_types() -> dict[Any, tuple[type, ...]]:
        """Return the types by place and by name."""
        types: dict[Any, tuple[type, ...]] = {}
        for signature in signatures_of(title, False):
            for place, p in enumerate(signature):
                if p.kind in _PLAIN:
                    types[place] = types[p.name] = _PLAIN[p.kind] + p.nullable * (type(None),)
        return types

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        known = plain_types()
        for key, value in (*enumerate(args), *kwargs.items()):
            if key in known and type(value) not in known[key]:
                bind_call(title, False, args, kwargs)
        try:
            return function(*args, **kwargs)
        except Exception:
            bind_call(title, False, args, kwargs)
            raise

    if function.__code__.co_flags & CO_VARKEYWORDS:  # PyTorch's table can say more than this `def`
        call.__signature__ = LazySignature(signature_of, function, title, False)  # type: ignore[attr-defined]
    return call


def _checked_number(name: str, input: Any, args: tuple[Any, ...]) -> Tensor:
    """Return the second of two numbers as a tensor, for functions that take numbers alone."""
    if not all(s[0].kind == "Tensor+" for s in signatures_of(name, False)[:1]):
        raise not_a_tensor(name, "input", 1, input)
    if not isinstance(args[0], (int, float)):
        raise not_a_tensor(name, "other", 2, args[0])
    return wrap(as_array(args[0]))


def numpy_names(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that has its own errors be called with NumPy's ``axis`` and ``keepdims`` too, as PyTorch does."""

    @wraps(method)
    def call(*args: Any, **named: Any) -> Any:
        if named:
            for theirs, ours in (("axis", "dim"), ("keepdims", "keepdim")):
                if theirs in named and ours not in named:
                    named[ours] = named.pop(theirs)
        return method(*args, **named)

    return call
