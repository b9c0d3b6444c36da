"""The optimizers that hooks get at: a hook that steps one during the backward pass changes more than weights."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from nbmodule_widgets.facts.container_state import contents
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.reach import named_in
from nbmodule_widgets.protocol import (
    SLOTS,
    class_attribute,
    may_be_module,
    own_dict,
)

_MOST = 2000  # objects that are looked at
_DEEPEST = 6


def optimizers_behind(hooks: Iterable[Any]) -> list[Any]:
    """What hooks can step: optimizers, and schedulers of them.

    They are found by what the hooks' code has names for: in a closure, a global, an attribute of the object whose method a
    hook is, and in dictionaries and lists there.

    Args:
        hooks: Functions, methods, or any other values; none of their code runs.

    Returns:
        Each once.
    """
    found: list[Any] = []
    seen: set[int] = set()
    pending = [(hook, 0) for hook in hooks]
    while pending and len(seen) < _MOST:
        value, depth = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if _is_optimizer(value):
            found.append(value)
        if depth < _DEEPEST:
            pending += [(inner, depth + 1) for inner in _inside(value)]
    return found


def _is_optimizer(value: Any) -> bool:
    """Whether it steps, and has parameters, or an optimizer, for that."""
    own = own_dict(value)
    names = ("param_groups", "params", "optimizer")
    return any(name in own for name in names) and class_attribute(value, "step") is not None


def _inside(value: Any) -> list[Any]:
    """What a value gets at."""
    if type(value) in (FunctionType, MethodType, partial):
        named = [inner for _, inner in named_in(value)]
        return [*named, *value.keywords.values()] if type(value) is partial else named
    entries = contents(value)
    if entries is not None:
        return list(entries)
    if is_tensor(value) or not may_be_module(value):
        return []
    own = [inner for name, inner in own_dict(value).items() if name not in SLOTS]
    call = class_attribute(value, "__call__")
    return [*own, call] if type(call) is FunctionType else own
