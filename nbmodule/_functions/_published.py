"""How a function of matrices is published: with ``out=``, NumPy's names of arguments, PyTorch's errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from .._errors import not_a_tensor
from .._tensor import Tensor
from ._out import EXPECTED, check_out, unrecorded, write_out

ALIASES = {
    "input": ("x", "a", "x1"),
    "other": ("x2",),
    "dim": ("axis",),
    "keepdim": ("keepdims",),
}
"""What PyTorch lets some arguments be called, besides their own names."""


def published(function: Callable[..., Any], name: str, *, out: bool = True, exact: str = EXPECTED, forms: bool = False) -> Any:  # fmt: skip
    """Return `function` as PyTorch publishes it.

    Args:
        function: takes a tensor first; a method's `self` becomes "input".
        name: what PyTorch's errors call it.
        out: whether there is ``out=``, a tensor to write the result into, or a tuple of them.
        exact: what to say where ``out`` has another dtype than the result; "" where that is allowed.
        forms: whether PyTorch has several functions of this name, and so other words for a wrong call.
    """
    bare = getattr(function, "bare", function)
    parameters = list(inspect.signature(bare).parameters.values())
    if parameters[0].name == "self":
        parameters[0] = parameters[0].replace(name="input")
    first, known = parameters[0].name, {p.name for p in parameters}
    other_names = {a: p for p in known for a in ALIASES.get(p, ()) if a not in known}
    takes_list = first in ("tensors", "matrices")

    def named(given: dict[str, Any]) -> dict[str, Any]:
        given = {other_names.get(k, k): v for k, v in given.items()}
        return (
            {"self": given.pop("input"), **given} if "self" in own and "input" in given else given
        )

    own = set(inspect.signature(bare).parameters)

    def run(args: Any, given: dict[str, Any]) -> Any:
        try:
            return bare(*args, **named(given)) if given else bare(*args)
        except (TypeError, AttributeError):
            if text := misfit(name, parameters, args, given, other_names, forms):
                raise TypeError(text) from None
            value = args[0] if args else given.get(first)
            if not isinstance(value, Tensor) and not takes_list:
                raise not_a_tensor(name, first, 1, value) from None
            raise

    @wraps(bare)
    def call(*args: Any, **given: Any) -> Any:
        if not out or "out" not in given:
            return run(args, given)
        place = given.pop("out")
        if place is None:
            return run(args, given)
        tensors = args[0] if takes_list and args else (*args, *given.values())
        check_out(name, place, tuple(tensors))
        return write_out(name, unrecorded(run, args, given), place, exact)

    call.__name__ = call.__qualname__ = name
    call.__module__ = "nbmodule"
    return call


def misfit(name: str, parameters: list[inspect.Parameter], args: Any, given: dict[str, Any], other_names: dict[str, str], forms: bool) -> str:  # fmt: skip
    """Say what is wrong with a call of a function with `parameters`; "" if each argument has a place."""
    given = {other_names.get(k, k): v for k, v in given.items()}
    positional = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return ""
    required = [p for p in positional if p.default is p.empty]
    taken = {p.name for p in positional[: len(args)]} | given.keys()
    missing = [p.name for p in parameters if p.default is p.empty and p.name not in taken]
    unknown = [k for k in given if k not in {p.name for p in parameters}]
    if not missing and not unknown and len(args) <= len(positional):
        return ""
    if forms:
        shown = [type(a).__name__ for a in args]
        shown += [f"{k}={type(v).__name__}" for k, v in sorted(given.items())]
        return (
            f"{name}() received an invalid combination of arguments - got ({', '.join(shown)}), but expected "
            "one of:\nthe forms in its documentation."
        )
    if len(args) > len(positional):
        count, few = len(positional), len(required)
        takes = f"from {few} to {count}" if few < count else str(count)
        plural = "" if takes == "1" else "s"
        return f"{name}() takes {takes} positional argument{plural} but {len(args)} were given"
    if missing:
        names = ", ".join(f'"{n}"' for n in missing)
        plural = "s" if len(missing) == 1 else ""  # so PyTorch has it
        return f"{name}() missing {len(missing)} required positional argument{plural}: {names}"
    return f"{name}() got an unexpected keyword argument '{unknown[0]}'"
