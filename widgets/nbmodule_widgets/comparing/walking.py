"""The Modules of a model as objects, with the places where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.hidden import modules_in
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    SLOTS,
    as_text,
    attempt,
    class_attribute,
    class_name,
    drawer,
    is_exactly,
    own_dict,
    read,
)

MOST = 2000  # Modules that are listened to

_SLOTS = frozenset(SLOTS)


@dataclass(slots=True)
class Place:
    """A Module where it was met first.

    Attributes:
        index: Its number.
        module: The object.
        path: Its path; where it is out of reach, a path as one would write it.
        depth: Steps from the root.
        parent: Number of the Module that it lies in, -1 for the root.
        end: Number of the first Module that is no longer below it.
        reached: Whether the tree reaches it, and so `train()` and `eval()`.
    """

    index: int
    module: Any
    path: str
    depth: int
    parent: int
    end: int = 0
    reached: bool = True

    @property
    def is_leaf(self) -> bool:
        """Whether no Module lies in it."""
        return self.end == self.index + 1

    @property
    def label(self) -> str:
        """Class and `extra_repr`."""
        extra = ""
        if class_attribute(self.module, "extra_repr") is not None:
            said = read(self.module, "extra_repr")
            value = attempt(said.value).value if not said.problem else None
            extra = "" if value is None else as_text(value)
        return f"{visible(class_name(self.module), 60)}({visible(extra, 120)})"


def walked(model: object) -> tuple[list[Place], int]:
    """The Modules of a model, each once, parents before children; those out of reach stand at the end.

    Args:
        model: The model.

    Returns:
        The first `MOST` of them, and how many were left out.
    """
    places: list[Place] = []
    seen: set[int] = set()
    left = _walk(model, "", -1, 0, True, places, seen)
    for place in tuple(places):  # it grows
        if is_scripted(place.module):
            continue
        own = own_dict(place.module)
        plain = dict.keys(own) - _SLOTS
        for name, value in [(name, own[name]) for name in list(own) if name in plain]:
            if is_exactly(value, int, float, bool, str, type(None)):
                continue
            for number, module in enumerate(modules_in(value)):
                if id(module) not in seen:
                    key = visible(name, 60) + ("" if module is value else f"[{number}]")
                    path = f"{place.path}.{key}" if place.path else key
                    left += _walk(module, path, place.index, place.depth + 1, False, places, seen)
    return places, left


def _walk(
    top: object, path: str, parent: int, depth: int, reached: bool,
    places: list[Place], seen: set[int],
) -> int:  # fmt: skip
    """Adds a Module and those below it; returns how many did not fit."""
    left = 0
    pending: list[tuple[Any, str, int, int]] = [(top, path, parent, depth)]
    first = len(places)
    while pending:
        module, at, above, deep = pending.pop()
        if id(module) in seen:
            continue
        if len(places) >= MOST:
            left += 1
            continue
        seen.add(id(module))
        index = len(places)
        places.append(Place(index, module, at, deep, above, reached=reached))
        if is_scripted(module):  # nothing in a program of torch.jit can be heard: it is one thing
            continue
        children = []
        for key, child in drawer(module, "_modules").entries:
            if child is not None:
                name = key if type(key) is str else visible(key, 60)
                children.append((child, f"{at}.{name}" if at else name, index, deep + 1))
        pending += reversed(children)
    for place in places[first:]:
        place.end = place.index + 1
    for place in reversed(places[first:]):
        if place.parent >= first:
            above_it = places[place.parent]
            above_it.end = max(above_it.end, place.end)
    return left
