"""What lies in a plain value: in containers, in objects without drawers, and in what a function has kept.

Nothing of the reader's runs: no property, no `__iter__`, no `__getattr__`, no `__repr__`. Where an object of a library, or of
Python's own, would lead out of the model, the search ends.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from types import CellType, FunctionType, MemberDescriptorType, MethodType
from typing import Any, NamedTuple

from nbmodule_widgets.engines import is_a_library_s
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    LIBRARIES,
    article,
    attempt,
    class_name,
    has_drawers,
    is_exactly,
    mro_of,
    namespace_of,
    own_dict,
    package_of,
    set_entries,
)

_MOST = 1000  # entries of one attribute; a list of a million numbers is not searched to its end
_OBJECTS = 3  # that lie in one another, as a model in its trainer's callback
# Python's own objects lead everywhere, as a logger to all loggers. These are no more than what is put into them.
_OPEN = frozenset(("types", "collections", "argparse", "dataclasses"))
_CLOSED = (frozenset(sys.stdlib_module_names) - _OPEN) | {*LIBRARIES, "numpy", "nbmodule_widgets"}


class Inside(NamedTuple):
    """Something in a plain value.

    Attributes:
        steps: What to write behind the value's own name to get at it: `"[0]"`, `".head"`; empty for the value itself.
        thing: The object.
        outer: The last container or object on the way; the value itself if it is that.
    """

    steps: str
    thing: Any
    outer: Any


class Looking:
    """One search in many values, in which no container and no object is opened twice.

    Args:
        objects: How many objects that are no containers may lie in one another.

    Attributes:
        met: Whatever was opened, by identity. It is held, so that its identity stays its own.
    """

    def __init__(self, objects: int = _OBJECTS) -> None:
        self._objects = objects
        self.met: dict[int, Any] = {}

    def look(self, value: Any, wanted: Callable[[Any], bool]) -> list[Inside]:
        """What is wanted in a value, in order; what is found is not opened.

        Args:
            value: What a Module has under one of its names.
            wanted: Tells what is looked for.
        """
        found: list[Inside] = []
        pending: list[tuple[str, Any, Any, int]] = [("", value, value, 0)]
        looked = 0
        while pending and looked < _MOST:
            steps, item, outer, objects = pending.pop()
            looked += 1
            if is_exactly(item, *_NEVER):
                continue
            if wanted(item):
                found.append(Inside(steps, item, outer))
                continue
            if has_drawers(item) or id(item) in self.met or is_tensor(item):
                continue
            opened = entries(item, objects < self._objects)
            if opened is None:
                continue
            self.met[id(item)] = item
            deeper = objects + (not _is_container(item))
            below = [(steps + step, v, item, deeper) for step, v in islice(opened, _MOST)]
            pending += reversed(below)
        return found


def entries(item: Any, objects: bool = True) -> Iterator[tuple[str, Any]] | None:
    """What lies directly in a value, with the step that leads there; None for what cannot be opened.

    Args:
        item: The value.
        objects: Whether objects that are no containers are opened.
    """
    kind = type(item)
    if issubclass(kind, dict):
        pairs = list(islice(dict.items(item), _MOST))
        keys = [(".keys()", key) for key, _ in pairs if not is_exactly(key, *_NEVER)]
        return iter([(f"[{_key(key)}]", value) for key, value in pairs] + keys)
    for base in (list, tuple, deque):
        if issubclass(kind, base):
            held = islice(base.__iter__(item), _MOST)
            return iter([(f"[{number}]", value) for number, value in enumerate(held)])
    if issubclass(kind, (set, frozenset)):
        return iter([("{…}", value) for value in set_entries(item)[:_MOST]])
    return iter(_attributes(item)) if objects else None


def holder_words(value: Any) -> str:
    """`"a plain list"`, `"an object of class Head"`: what something lies in."""
    kind = class_name(value)
    if is_exactly(value, list, tuple, dict):
        return f"a plain {kind}"
    if _is_container(value):
        return article(visible(kind, 60))
    if is_exactly(value, FunctionType, MethodType, partial):
        return "a function"
    return f"an object of class {visible(kind, 60)}"


def is_open(cls: type) -> bool:
    """Whether instances of a class are opened: not those of a library, nor of Python's own that lead anywhere."""
    return package_of(cls) not in _CLOSED


def _is_container(item: Any) -> bool:
    return issubclass(type(item), (dict, list, tuple, set, frozenset, deque))


def _attributes(item: Any) -> list[tuple[str, Any]]:
    """What an object or a function has kept."""
    kind = type(item)
    if kind is MethodType:
        return [(".__self__", item.__self__)]
    if kind is partial:
        return [(".args", item.args), (".keywords", item.keywords), (".func", item.func)]
    if kind is FunctionType:
        return [] if is_a_library_s(item) else _kept_by(item)
    if issubclass(kind, type) or not is_open(kind):
        return []
    found = [(f".{_name(key)}", value) for key, value in list(own_dict(item).items())]
    for cls in mro_of(kind):
        for name, slot in list(namespace_of(cls).items()):
            if type(slot) is MemberDescriptorType:
                said = attempt(slot.__get__, item)  # Python's own code; raises if it is empty
                found += [] if said.problem else [(f".{_name(name)}", said.value)]
    return found


def _kept_by(function: FunctionType) -> list[tuple[str, Any]]:
    """The values in the closure and in the defaults of a function."""
    names, cells = function.__code__.co_freevars, function.__closure__ or ()
    held = [(f"'s {name}", _content(cell)) for name, cell in zip(names, cells, strict=False)]
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    return held + [("'s default", value) for value in defaults]


def _content(cell: CellType) -> Any:
    return attempt(lambda: cell.cell_contents).value  # empty before it is assigned


def _key(key: object) -> str:
    return repr(visible(key, 40)) if issubclass(type(key), str) else visible(key, 40)


def _name(name: object) -> str:
    return visible(name, 60)


_NEVER = (type(None), int, float, bool, str, bytes)
