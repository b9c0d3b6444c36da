"""Dictionaries, lists and sets as they were, so that they can be put back: the same objects, entries and order."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from itertools import compress, filterfalse
from operator import is_, itemgetter
from types import SimpleNamespace
from typing import Any

from nbmodule_widgets.facts.dictionaries import Dictionaries
from nbmodule_widgets.protocol import is_written_in_c, may_be_module, own_dict

_MOST = 100_000  # entries of inner containers that are searched for more
_DEEPEST = 4
_MOST_OF_DATA = 1000  # values of one object
PLAIN = (type(None), bool, int, float, str, bytes)
# By identity, as everywhere here: a metaclass may forbid hashing its classes.
_PLAIN = frozenset(map(id, PLAIN))
_CONTAINERS: Any = (list, set, deque, tuple, dict)
EXACT = frozenset(map(id, (dict, OrderedDict, list, set, deque)))


class Containers:
    """The contents of containers at one moment. Nothing of the reader's is run to read or to write them.

    Attributes:
        empty: Those of the classes in `EXACT` that hold nothing: a model has thousands, which are kept by themselves.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[Any, tuple[Any, ...]]] = []
        self._dictionaries = Dictionaries()
        # Of classes that were met, by identity: what is no container. They are held, so that it stays theirs.
        self._opaque: dict[int, type] = {}
        self.empty: list[Any] = []
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
        if id(type(container)) in EXACT and not container:
            self.empty.append(container)
            return []
        if type(container) is dict and id(container) not in self._seen:
            values = tuple(container.values())
            if self._opaque.keys() >= {*map(id, map(type, values))}:  # as most drawers
                self._seen.add(id(container))
                self._dictionaries.keep(container, values)
                self._looked += len(values)
                return [value for value in values if id(type(value)) not in _PLAIN]
        found: list[Any] = []
        pending = [(container, depth)]
        while pending:
            item, depth = pending.pop()
            entries = contents(item)
            if entries is None:
                found.append(item)
                self._opaque[id(type(item))] = type(item)
                continue
            if id(item) in self._seen:
                continue
            self._seen.add(id(item))
            kind = type(item)
            if not issubclass(kind, tuple):  # which nobody can change
                self._kept.append((item, entries))
            inside = entries[len(entries) // 2 :] if issubclass(kind, dict) else entries
            self._looked += len(inside)
            if depth < _DEEPEST and self._looked < _MOST:
                pending += [(v, depth + 1) for v in reversed(inside) if id(type(v)) not in _PLAIN]
        return found

    def put_back(self) -> None:
        """Gives every container that changed its contents back."""
        for item in filter(None, self.empty):
            fill(item, ())
        self._dictionaries.put_back()
        for item, entries in self._kept:
            if not same_objects(contents(item), entries):
                fill(item, entries)


class Sieve:
    """What of the `__dict__` of each Module holds something.

    Which of its values could is asked once for all Modules that have values of the same classes.
    """

    def __init__(self) -> None:
        # By the classes of the values: the places of containers, and of what is neither container nor plain.
        self._places: dict[tuple[int, ...], tuple[Any, Any, list[int]]] = {}

    def sift(self, saved: tuple[Any, ...]) -> tuple[list[tuple[Any, Any]], list[Any]]:
        """What holds something, by name, and the containers of Python's own that are empty.

        Args:
            saved: The contents of a `__dict__`.
        """
        half = len(saved) // 2
        kinds = tuple(map(id, map(type, saved[half:])))
        places = self._places.get(kinds)
        if places is None:
            containers = [n for n, kind in enumerate(kinds) if kind in EXACT]
            others = [n for n, kind in enumerate(kinds) if kind not in EXACT and kind not in _PLAIN]
            places = self._places[kinds] = containers, _at([half + n for n in containers]), others
        containers, values_of, others = places
        values = values_of(saved)
        held = [(saved[n], saved[half + n]) for n in (*compress(containers, values), *others)]
        return held, list(filterfalse(None, values))


def _at(places: list[int]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """What stands at these places, asked in one call where there are several."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda saved: tuple(saved[place] for place in places)


def contents(item: Any) -> tuple[Any, ...] | None:
    """What a container holds, in order: of a dictionary the keys, then the values; None for what is none."""
    kind = type(item)
    if kind is dict:
        return (*item, *item.values())
    if not issubclass(kind, _CONTAINERS):
        return None
    if issubclass(kind, dict):
        # The order of an OrderedDict is its own, which `prepend=True` relies on.
        base: Any = OrderedDict if issubclass(kind, OrderedDict) else dict
        return (*base.keys(item), *base.values(item))
    base = next(base for base in _CONTAINERS if issubclass(kind, base))
    return tuple(base.__iter__(item))


def data_of(item: Any, is_tensor: Callable[[Any], bool]) -> dict[str, Any] | None:
    """The attributes of an object that is nothing but its data: plain values, tensors, and containers of these.

    What holds a lock, a file or another object has a life of its own and is left alone.

    Args:
        item: Anything but a container.
        is_tensor: Tells tensors from other values.
    """
    own = own_dict(item)
    foreign = is_written_in_c(type(item)) and type(item) is not SimpleNamespace
    if not own or foreign or not may_be_module(item):
        return None
    pending, looked = list(own.values()), 0
    while pending:
        value, looked = pending.pop(), looked + 1
        if id(type(value)) in _PLAIN or is_tensor(value):
            continue
        entries = contents(value)
        if entries is None or looked + len(entries) > _MOST_OF_DATA:
            return None
        pending += entries
    return own


def same_objects(now: Any, before: tuple[Any, ...]) -> bool:
    """Whether the same objects stand in the same order."""
    return len(now) == len(before) and all(map(is_, now, before))


def fill(item: Any, entries: tuple[Any, ...]) -> None:
    """Makes what `contents` returned the contents of a container.

    Args:
        item: A dictionary, list, set or deque.
        entries: Those contents.
    """
    kind = type(item)
    if kind is dict:  # each parameter after a pass: four times as fast as what follows
        half = len(entries) // 2
        item.clear()
        item.update(zip(entries[:half], entries[half:], strict=True))
    elif issubclass(kind, dict):
        base: Any = OrderedDict if issubclass(kind, OrderedDict) else dict
        base.clear(item)
        half = len(entries) // 2
        for key, value in zip(entries[:half], entries[half:], strict=True):
            base.__setitem__(item, key, value)
    elif issubclass(kind, list):
        list.__setitem__(item, slice(None), entries)
    elif issubclass(kind, set):
        set.clear(item)
        set.update(item, entries)
    elif issubclass(kind, deque):
        deque.clear(item)
        deque.extend(item, entries)
