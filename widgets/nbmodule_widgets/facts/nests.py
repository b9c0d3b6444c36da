"""The tensors in what a call is given or returns: alone, or in tuples, lists, dicts and dataclasses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, is_exactly, is_tensor_like, own_dict

_MOST_TENSORS = 64  # of one nest
_MOST_LOOKS = 2000  # entries of a nest that are looked at
_DEEPEST = 8


def tensors_in(nest: Any, most: int = _MOST_TENSORS) -> list[tuple[str, Any]]:
    """The tensors of a nest with their places, in order; at most 64, or so many."""
    if is_tensor(nest):
        return [("", nest)]
    found: list[tuple[str, Any]] = []
    pending: list[tuple[str, Any, int]] = [("", nest, 0)]
    looked = 0
    while pending and len(found) < most and looked < _MOST_LOOKS:
        place, item, depth = pending.pop()
        looked += 1
        if is_tensor(item):
            found.append((place, item))
        elif depth < _DEEPEST:
            inside = attempt(lambda item=item: list(_inside(item))).value or []
            pending += [(place + step, value, depth + 1) for step, value in reversed(inside)]
    return found


def is_tensor(obj: Any) -> bool:
    """Whether the object is a tensor, for any library."""
    kind = type(obj)
    known = _TENSOR_CLASSES.get(id(kind))
    if known is not None and known[0] is kind:
        return known[1]
    found = not is_exactly(obj, *_NEVER) and is_tensor_like(obj)
    if len(_TENSOR_CLASSES) > 1000:
        _TENSOR_CLASSES.clear()
    if not (found and "shape" in own_dict(obj)):  # true of the object, not of its class
        _TENSOR_CLASSES[id(kind)] = (kind, found)
    return found


def _inside(item: Any) -> Iterator[tuple[str, Any]]:
    """What lies directly in a container, with the steps that lead there."""
    kind = type(item)
    if issubclass(kind, dict):
        items = list(dict.items(item))[:_MOST_LOOKS]
        return iter([(f"[{_key(key)}]", value) for key, value in items])
    if issubclass(kind, tuple):
        names = (
            getattr(kind, "_fields", None)
            if issubclass(kind, tuple) and kind is not tuple
            else None
        )
        entries = list(tuple.__iter__(item))[:_MOST_LOOKS]
        if type(names) is tuple and len(names) == len(entries):
            return iter([(f".{visible(n, 40)}", v) for n, v in zip(names, entries, strict=True)])
        return iter([(f"[{n}]", value) for n, value in enumerate(entries)])
    if issubclass(kind, list):
        return iter([(f"[{n}]", v) for n, v in enumerate(list(list.__iter__(item))[:_MOST_LOOKS])])
    if is_dataclass(item) and not issubclass(kind, type):
        own = own_dict(item)
        return iter([(f".{f.name}", own[f.name]) for f in fields(item) if f.name in own])
    return iter(())


def _key(key: object) -> str:
    return repr(visible(key, 40)) if issubclass(type(key), str) else visible(key, 40)


_NEVER = (type(None), int, float, bool, str, tuple, list, dict)
# By identity: a metaclass may forbid hashing its classes. The class is held, so that its id stays its own.
_TENSOR_CLASSES: dict[int, tuple[type, bool]] = {}
