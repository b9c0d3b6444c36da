"""Dictionaries, lists and sets as they were, so that they can be put back: the same objects, entries and order."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Any

from nbmodule_widgets.protocol import is_exactly

_MOST = 100_000  # entries of inner containers that are searched for more
_DEEPEST = 4
PLAIN = (type(None), bool, int, float, str, bytes)


class Containers:
    """The contents of containers at one moment. Nothing of the reader's is run to read or to write them."""

    def __init__(self) -> None:
        self._kept: list[tuple[Any, Any]] = []
        self._empty: list[Any] = []
        self._seen: set[int] = set()
        self._looked = 0

    def keep(self, container: Any, depth: int = 0) -> list[Any]:
        """Remembers a container and those inside it.

        Args:
            container: Anything; what is no container is returned as it is.
            depth: How far inside another it lies.

        Returns:
            What lies in it and is neither a container nor a plain value.
        """
        kind = type(container)
        if (kind is dict or kind is OrderedDict or kind is set) and not container:
            self._empty.append(container)
            return []
        found: list[Any] = []
        pending = [(container, depth)]
        while pending:
            item, depth = pending.pop()
            entries = contents(item)
            if entries is None:
                found.append(item)
                continue
            if id(item) in self._seen:
                continue
            self._seen.add(id(item))
            if not entries:
                self._empty.append(item)
                continue
            self._kept.append((item, entries))
            inside = [value for _, value in entries] if type(entries) is list else list(entries)
            self._looked += len(inside)
            if depth < _DEEPEST and self._looked < _MOST:
                pending += [(v, depth + 1) for v in reversed(inside) if not is_exactly(v, *PLAIN)]
        return found

    def put_back(self) -> None:
        """Gives every container that changed its contents back."""
        for item in self._empty:
            if contents(item):
                _fill(item, ())
        for item, entries in self._kept:
            if not _same(contents(item), entries):
                _fill(item, entries)


def contents(item: Any) -> list[tuple[Any, Any]] | tuple[Any, ...] | None:
    """What a container holds: a list of pairs for a dictionary, else a tuple; None for what is none."""
    kind = type(item)
    if issubclass(kind, dict):
        # The order of an OrderedDict is its own, which `prepend=True` relies on.
        return list((OrderedDict if issubclass(kind, OrderedDict) else dict).items(item))
    if issubclass(kind, list):
        return tuple(list.__iter__(item))
    if issubclass(kind, set):
        return tuple(set.__iter__(item))
    if issubclass(kind, deque):
        return tuple(deque.__iter__(item))
    if issubclass(kind, tuple):
        return tuple(tuple.__iter__(item))
    return None


def _same(now: Any, before: Any) -> bool:
    """Whether the same objects stand in the same order."""
    if len(now) != len(before):
        return False
    if type(before) is list:
        return all(a is c and b is d for (a, b), (c, d) in zip(now, before, strict=True))
    return all(a is b for a, b in zip(now, before, strict=True))


def _fill(item: Any, entries: Any) -> None:
    kind = type(item)
    if issubclass(kind, dict):
        base: Any = OrderedDict if issubclass(kind, OrderedDict) else dict
        base.clear(item)
        for key, value in entries:
            base.__setitem__(item, key, value)
    elif issubclass(kind, list):
        list.__setitem__(item, slice(None), entries)
    elif issubclass(kind, set):
        set.clear(item)
        set.update(item, entries)
    elif issubclass(kind, deque):
        deque.clear(item)
        deque.extend(item, entries)
