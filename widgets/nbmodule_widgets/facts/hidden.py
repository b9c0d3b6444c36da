"""Modules that a model holds where `parameters()` cannot find them."""

from __future__ import annotations

from collections.abc import Container
from itertools import islice
from typing import Any

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import SLOTS, class_name, has_drawers, is_exactly, own_dict

_LOOK_AT = 1000  # entries of one attribute; a list of a million numbers is not searched to its end
_SLOTS = frozenset(SLOTS)
_REMEDY = {"list": "nn.ModuleList", "tuple": "nn.ModuleList", "dict": "nn.ModuleDict"}


def hidden_modules(module: object, reached: Container[int]) -> list[str]:
    """One sentence for each plain attribute that holds Modules which the tree does not reach.

    Args:
        module: The Module whose plain attributes are searched.
        reached: Identities of the Modules that are in the tree anyway.
    """
    sentences = []
    for name, value in list(own_dict(module).items()):
        if type(name) is str and name in _SLOTS:
            continue
        if is_exactly(value, int, float, bool, str, type(None)):  # nothing can hide in these
            continue
        found = [m for m in modules_in(value) if id(m) not in reached]
        if found:
            sentences.append(
                f"{_place(name, value, found)}: invisible to `parameters()`. {_advice(value)}"
            )
    return sentences


def modules_in(value: object) -> list[object]:
    """The Modules in a plain value: the value itself, or those in lists, tuples and dicts."""
    found: list[object] = []
    pending: list[Any] = [value]
    looked, seen = 0, set()
    while pending and looked < _LOOK_AT:
        item = pending.pop()
        looked += 1
        if has_drawers(item):
            found.append(item)
        elif is_exactly(item, list, tuple, dict) and id(item) not in seen:
            seen.add(id(item))
            inside = item.values() if type(item) is dict else item
            pending.extend(reversed(list(islice(inside, _LOOK_AT))))
    return found


def _place(name: object, value: object, found: list[object]) -> str:
    kinds = ", ".join(dict.fromkeys(visible(class_name(module), 40) for module in found))
    if len(found) == 1 and found[0] is value:
        return f"`{visible(name)}` is a Module ({kinds}) in a plain attribute"
    noun = "Module" if len(found) == 1 else "Modules"
    return f"`{visible(name)}` is a plain {class_name(value)} with {len(found)} {noun} ({kinds})"


def _advice(value: object) -> str:
    remedy = _REMEDY.get(class_name(value))
    if remedy:
        return f"Use `{remedy}`"
    return "It belongs into `_modules`: that is the work of `__setattr__`"
