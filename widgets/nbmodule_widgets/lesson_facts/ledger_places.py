"""Every place in a model that holds a tensor: the drawers, and where nobody looks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import numpy as np

from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.outside import OutsideReader
from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.facts.words import count, joined, visible
from nbmodule_widgets.protocol import (
    SLOTS,
    STAND_IN,
    class_name,
    drawer,
    has_drawers,
    is_exactly,
    is_tensor_like,
    mro_of,
    namespace_of,
    own_dict,
    set_entries,
    type_name,
)

MOST = 40_000  # places
_DEEPEST = 500  # levels of Modules
_LONGEST = 4000  # characters of a path
_LOOK_AT = 1000  # entries of one plain list, and what lies in them
_SLOTS = frozenset((*SLOTS, STAND_IN))
_SAID = 3  # sentences about Modules that were not asked
_SIMPLE = (int, float, complex, bool, str, bytes, type(None))


@dataclass(frozen=True, slots=True)
class Found:
    """A tensor in its place.

    Attributes:
        path: `"fc1.weight"`, `"cache[0]"`.
        name: The last name of it.
        owner: Class of the Module that holds it.
        kind: As in `LedgerRow`.
        tensor: The object; None for a place that is registered but empty.
        saved: Whether `state_dict()` would keep it, if it lies in a drawer.
    """

    path: str
    name: str
    owner: str
    kind: Literal["parameter", "buffer", "own", "plain", "listed", "hidden", "class"]
    tensor: object
    saved: bool = True


def tensors_of(model: object) -> tuple[list[Found], list[str]]:
    """All places in order, and sentences about what was left out.

    A Module that lies in several places is read at each of them, as `state_dict()` does; a cycle ends.
    """
    walk = _Walk(model)
    found = list(islice(walk.below(model, "", hidden=False), MOST + 1))
    if len(found) > MOST:
        found.pop()
        walk.left_out.add(f"Only the first {count(MOST, 'tensor')} are listed.")
    more = len(walk.unasked) - _SAID
    rest = [f"The same of {count(more, 'other Module')}."] if more > 0 else []
    return found, [*sorted(walk.left_out), *walk.unasked[:_SAID], *rest]


class _Walk:
    """One walk over Modules, and what it has met."""

    def __init__(self, model: object) -> None:
        self.left_out: set[str] = set()
        self.unasked: list[str] = []
        self._met: set[int] = set()
        self._classes: set[int] = set()
        self._places = 0
        self._reachable = _reachable(model)
        self._outside = OutsideReader()

    def below(self, top: object, path: str, hidden: bool) -> Iterator[Found]:
        """The tensors of a Module and of what its `_modules` lead to."""
        yield from self._own(top, path, hidden)
        open_ids, stack = [id(top)], [_children(top, path)]
        while stack:
            for child, at in stack[-1]:
                self._places += 1
                if self._places > MOST or len(stack) > _DEEPEST or len(at) > _LONGEST:
                    self.left_out.add(
                        f"Beyond {MOST:,} Modules or {_DEEPEST} levels nothing is listed."
                    )
                elif id(child) in open_ids:
                    self.left_out.add(
                        f"`{visible(at, 80)}` leads back to a Module above it: a cycle."
                    )
                else:
                    yield from self._own(child, at, hidden)
                    open_ids.append(id(child))
                    stack.append(_children(child, at))
                    break
            else:
                stack.pop()
                open_ids.pop()

    def _own(self, module: object, path: str, hidden: bool) -> Iterator[Found]:
        """What lies in one Module: its two drawers, and at its first place its plain attributes."""
        owner = visible(class_name(module), 60)
        unsaved = {
            key_text(key)
            for key in set_entries(own_dict(module).get("_non_persistent_buffers_set"))
        }
        drawers: tuple[tuple[Literal["parameter", "buffer"], str], ...] = (
            ("parameter", "_parameters"),
            ("buffer", "_buffers"),
        )
        for kind, slot in drawers:
            for key, tensor in drawer(module, slot).entries:
                name = key_text(key)
                saved = kind == "parameter" or name not in unsaved
                place = "hidden" if hidden else kind
                yield Found(joined(path, name), name, owner, place, tensor, saved)
        if not hidden:
            yield from self._beside(module, path, owner)
        if id(module) in self._met:
            return
        self._met.add(id(module))
        for key, value in list(own_dict(module).items()):
            if not (type(key) is str and key in _SLOTS) and not is_exactly(value, *_SIMPLE):
                yield from self._attribute(value, joined(path, key_text(key)), owner)
        yield from self._of_class(type(module))

    def _beside(self, module: object, path: str, owner: str) -> Iterator[Found]:
        """The tensors that a Module saves beside its drawers, as it gives them to `state_dict()`."""
        state = self._outside.read(module)
        for key, value in state.entries:
            for place, tensor in tensors_in(value):
                yield Found(
                    joined(path, key_text(key)) + place, key_text(key), owner, "own", tensor
                )
        where = f"`{visible(path, 80)}`" if path else "The model"
        if state.opaque:
            self.left_out.add(f"{where} has {state}.")
        elif state.unasked:
            self.unasked.append(f"{where}: {state}.")

    def _attribute(self, value: object, path: str, owner: str) -> Iterator[Found]:
        """The tensors in one plain attribute, those of Modules that no drawer holds included."""
        name = path.rpartition(".")[2]
        for item, at in _inside(value, path):
            if not has_drawers(item):
                yield Found(at, name, owner, "plain" if at == path else "listed", item)
            elif id(item) not in self._reachable and id(item) not in self._met:
                yield from self.below(item, at, hidden=True)

    def _of_class(self, cls: type) -> Iterator[Found]:
        """Tensors that lie in a class, and so in all of its instances at once."""
        for base in mro_of(cls):
            if id(base) in self._classes:
                continue
            self._classes.add(id(base))
            for key, value in list(namespace_of(base).items()):
                if _is_tensor(value):
                    owner = visible(type_name(base), 60)
                    yield Found(f"{owner}.{key_text(key)}", key_text(key), owner, "class", value)


def _inside(value: object, path: str) -> Iterator[tuple[object, str]]:
    """The tensors and Modules in a plain value, with their paths: itself, or those in lists, tuples, dicts and sets."""
    pending: list[tuple[Any, str]] = [(value, path)]
    looked, seen = 0, set()
    while pending and looked < _LOOK_AT:
        item, at = pending.pop()
        looked += 1
        if has_drawers(item) or _is_tensor(item):
            yield item, at
        elif is_exactly(item, list, tuple, dict, set, frozenset) and id(item) not in seen:
            seen.add(id(item))
            pairs = item.items() if type(item) is dict else enumerate(item)
            inside = [(each, f"{at}[{_key(key)}]") for key, each in islice(pairs, _LOOK_AT)]
            pending += reversed([pair for pair in inside if not is_exactly(pair[0], *_SIMPLE)])


def _key(key: object) -> str:
    """A key between brackets, as it is written in Python."""
    return visible(repr(key), 60) if is_exactly(key, str, int) else visible(key, 60)


def _is_tensor(value: object) -> bool:
    """Whether a value outside of the drawers is a tensor or an array; single numbers of NumPy are not."""
    if is_exactly(value, *_SIMPLE) or issubclass(type(value), np.generic):
        return False
    return is_tensor_like(value)


def _children(module: object, path: str) -> Iterator[tuple[object, str]]:
    """The children of a Module with their paths, every place of them."""
    return iter(
        [
            (child, joined(path, key_text(key)))
            for key, child in drawer(module, "_modules").entries
            if child is not None and has_drawers(child)
        ]
    )


def _reachable(model: object) -> set[int]:
    """Identities of the Modules to which `_modules` leads."""
    seen, pending = {id(model)}, [model]
    while pending:
        for _, child in drawer(pending.pop(), "_modules").entries:
            if id(child) not in seen and has_drawers(child):
                seen.add(id(child))
                pending.append(child)
    return seen
