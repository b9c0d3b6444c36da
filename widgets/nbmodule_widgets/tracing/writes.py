"""What a hook does to its Module: parameters that it makes, attributes that it sets, tensors that it writes to."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.facts.container_state import contents
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import shape_text, without_ticks
from nbmodule_widgets.protocol import (
    DRAWERS,
    HOOK_SLOTS,
    STATE_DICT_HOOK_SLOTS,
    article,
    attempt,
    own_dict,
    type_name,
)

_OF_LAZY_ONES = ("_initialize_hook", "_load_hook")  # which they forget when they are lazy no more
_NOT_READ = frozenset({*HOOK_SLOTS, *STATE_DICT_HOOK_SLOTS, *DRAWERS, *_OF_LAZY_ONES, "forward"})
_NAMED = 4
_MOST = 1000  # entries of a Module

# Name -> the object, its class, and how often it was written to, or how long it is.
Holdings = dict[str, tuple[Any, type, int]]


def holdings(module: Any) -> Holdings:
    """What a Module holds just now, by name; none of its code runs.

    Args:
        module: Any object.
    """
    own = own_dict(module)
    found: Holdings = {}
    entries = [(n, v) for n, v in own.items() if type(n) is str and n not in _NOT_READ]
    for name in DRAWERS:
        if isinstance(drawer := own.get(name), dict):
            entries += [(n, v) for n, v in dict.items(drawer) if type(n) is str]
    for name, value in entries[:_MOST]:
        found[name] = value, type(value), _writes(value)
    found[""] = None, type(module), 0
    return found


def written(before: Holdings, after: Holdings) -> str:
    """What became of a Module, in words: `"made weight (4, 3), bias (4,)"`; empty if nothing did.

    Args:
        before: What it held.
        after: What it holds now.
    """
    made, put, wrote = [], [], []
    for name, (value, kind, writes) in after.items():
        was = before.get(name, (before, dict, 0))  # `before` is no value of the Module's
        if not name:
            continue
        if is_to_come(was[1]) and not is_to_come(kind):
            shape = shape_text(attempt(lambda value=value: tuple(value.shape)).value)
            made.append(f"{_name(name)} {shape}")
        elif was[0] is not value:
            put.append(_name(name))
        elif was[2] != writes:
            wrote.append(_name(name))
    gone = [_name(name) for name in before if name not in after]
    parts = [
        f"{did} {', '.join(names[:_NAMED])}{', …' if len(names) > _NAMED else ''}"
        for did, names in (
            ("made", made), ("set", put), ("wrote to", wrote),
            ("removed", gone),
        )
        if names
    ]  # fmt: skip
    (_, was, _), (_, now, _) = before[""], after[""]
    if was is not now:
        parts.append(f"turned its module into {article(_name(type_name(now)))}")
    return "; ".join(parts)


def _writes(value: Any) -> int:
    """How often a tensor was written to, or how many entries a container has."""
    if is_tensor(value):
        version = attempt(getattr, value, "_version", 0).value
        return version if type(version) is int else 0
    inside = contents(value)
    return 0 if inside is None else len(inside)


def is_to_come(kind: type) -> bool:
    """Whether tensors of a class have no shape until the first forward gives them one."""
    return type_name(kind).startswith("Uninitialized")


def _name(name: str) -> str:
    return without_ticks(name, 60)
