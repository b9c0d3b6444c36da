"""What a function can get at: the Modules and tensors in its closure, its defaults, and the globals that it names."""

from __future__ import annotations

import inspect
from types import FunctionType, MethodType
from typing import Any

from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, has_drawers, is_module_like, own_dict, read

_MOST = 200


def reach(work: object) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
    """The Modules and the tensors that a function uses, with the names it has for them.

    Args:
        work: A function, a method, a `functools.partial`, or a Module, which reaches itself.
    """
    if has_drawers(work) or is_module_like(work):
        return [("", work)], []
    found: dict[int, tuple[str, Any]] = {}
    waiting: list[Any] = [work]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        function = waiting.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        for name, value in named_in(function):
            if is_tensor(value) or has_drawers(value):
                found.setdefault(id(value), (visible(name, 60), value))
            elif type(value) is FunctionType or type(value) is MethodType:
                waiting.append(value)
            elif callable(value):
                waiting += [f for f in (own_dict(value).get("func"),) if f is not None]
    modules = [(name, value) for name, value in found.values() if not is_tensor(value)]
    return modules, [(name, value) for name, value in found.values() if is_tensor(value)]


def named_in(function: Any) -> list[tuple[str, Any]]:
    """The values that a function's code has names for."""
    inner = read(function, "__func__").value or read(function, "func").value or function
    named: list[tuple[str, Any]] = []
    owner = read(function, "__self__").value
    if owner is not None:
        named.append(("self", owner))
    arguments = read(function, "args").value
    if type(arguments) is tuple:
        named += [("", value) for value in arguments]
    if inner is not function:
        named.append(("", inner))
    used = attempt(inspect.getclosurevars, inner).value
    if used is not None:
        named += [*used.globals.items(), *used.nonlocals.items()]
    return named + [("", value) for value in read(inner, "__defaults__").value or ()]
