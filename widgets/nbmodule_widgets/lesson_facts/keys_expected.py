"""The keys that a model expects, Module by Module as `load_state_dict` goes, and what it would find wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from nbmodule_widgets.facts.records import TensorFacts
from nbmodule_widgets.facts.tensors import TensorReader, key_text
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.lesson_facts.keys_given import Given
from nbmodule_widgets.protocol import (
    class_name,
    drawer,
    has_drawers,
    mro_of,
    namespace_of,
    own_dict,
    set_entries,
)

EXTRA = "_extra_state"
_DEEPEST = 500
_MOST = 200_000  # keys, and places of Modules


@dataclass(frozen=True, slots=True)
class Wanted:
    """A key that the model expects.

    Attributes:
        key: The key.
        tensor: What the model has there; None for an extra state.
        facts: What that is.
        note: That it is tied, lazy or an extra state; or the empty string.
        filled: Whether the Module fills it in where it is missing.
    """

    key: str
    tensor: object
    facts: TensorFacts | None
    note: str = ""
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Expected:
    """What a model expects, and what of a state does not fit.

    Attributes:
        wanted: The keys in the model's order.
        missing: Those that `load_state_dict` would call missing, in its order.
        unexpected: Keys of the state that it would call unexpected, in its order.
        ignored: Keys of the state that nobody looks at.
        left_out: Tensors without a key, and why.
        notes: What could not be predicted.
    """

    wanted: tuple[Wanted, ...]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    ignored: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def expected_of(model: object, given: Given) -> Expected:
    """Goes through a model as `load_state_dict` does, without loading.

    Args:
        model: The model.
        given: The state.
    """
    walk = _Walk(given)
    walk.go(model)
    return Expected(
        tuple(walk.wanted),
        tuple(walk.missing),
        tuple(walk.unexpected),
        tuple(walk.ignored),
        tuple(walk.left_out),
        tuple(dict.fromkeys(walk.notes)),
    )


@dataclass
class _Walk:
    """The state of one walk."""

    given: Given
    wanted: list[Wanted] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reader: TensorReader = field(default_factory=TensorReader)
    first: dict[int, str] = field(default_factory=dict)

    def go(self, model: object) -> None:
        """Visits every place, the keys of the state that lie below it at hand."""
        pending: list[tuple[object, str, list[str], tuple[int, ...]]] = [
            (model, "", list(self.given.by_key), ())
        ]
        places = 0
        while pending:
            module, prefix, below, above = pending.pop()
            places += 1
            if id(module) in above:
                self.notes.append(
                    f"`{visible(prefix, 80)}` leads back to a Module above it: `load_state_dict()` would end with a "
                    "RecursionError."
                )
                continue
            if len(above) > _DEEPEST or max(places, len(self.wanted)) > _MOST:
                self.notes.append(
                    "The model is too large or too deep: the rest of it was not compared."
                )
                if places > _MOST:
                    break
                continue
            children = self._module(module, prefix, below)
            pending += [(c, p, keys, (*above, id(module))) for c, p, keys in reversed(children)]

    def _module(
        self, module: object, prefix: str, below: list[str]
    ) -> list[tuple[object, str, list[str]]]:
        """One Module: what it misses, what nobody wants, and its children with their part of the keys."""
        self._remark(module, prefix)
        own = self._own(module, prefix)
        extra = prefix + EXTRA
        if _overridden(module, "set_extra_state"):
            self.wanted.append(
                Wanted(extra, None, None, "an extra state: whatever `set_extra_state` takes")
            )
            self.missing += [extra] if extra not in self.given.by_key else []
        elif extra in self.given.by_key:
            self.unexpected.append(extra)
        entries = drawer(module, "_modules").entries
        children = {key_text(key): child for key, child in entries}
        parts: dict[str, list[str]] = {}
        for key in below:
            name, dot, _ = key[len(prefix) :].partition(".")
            if dot:
                parts.setdefault(name, []).append(key)
            if key != extra and name not in (children if dot else own):
                self.unexpected.append(key)
            elif dot and children.get(name) is None and name in children:
                self.ignored.append(key)
        found = []
        for name, child in children.items():
            if child is not None and has_drawers(child):
                path = f"{prefix}{name}."
                keys = (
                    [key for key in below if key.startswith(path)]
                    if "." in name
                    else parts.get(name, [])
                )
                found.append((child, path, keys))
        return found

    def _own(self, module: object, prefix: str) -> set[str]:
        """Notes the tensors that a Module itself expects; returns their names."""
        unsaved = {
            key_text(k) for k in set_entries(own_dict(module).get("_non_persistent_buffers_set"))
        }
        names: set[str] = set()
        for slot in ("_parameters", "_buffers"):
            for raw, tensor in drawer(module, slot).entries:
                name = key_text(raw)
                key = prefix + name
                if tensor is None:
                    self.left_out.append((key, "registered as None: no key"))
                elif slot == "_buffers" and name in unsaved:
                    self.left_out.append((key, "a buffer with `persistent=False`: no key"))
                else:
                    names.add(name)
                    self._tensor(module, slot, key, name, tensor, prefix)
        return names

    def _tensor(
        self, module: object, slot: str, key: str, name: str, tensor: object, prefix: str
    ) -> None:
        facts = self.reader.entry(
            name, "buffer" if slot == "_buffers" else "parameter", tensor, True
        )
        first = self.first.setdefault(id(tensor), key)
        both = first in self.given.by_key and key in self.given.by_key
        shared = f"one tensor with `{visible(first, 80)}`"
        notes = [shared + (": loaded twice, the last one stays" if both else "")] * (first != key)
        notes += ["lazy: it takes the shape that is loaded"] if facts.lazy else []
        filled = self._is_filled(module, name, prefix)
        if filled and key not in self.given.by_key:
            notes.append(
                "not in the state, which is of an older version or says none: the Module keeps its own"
            )
        elif key not in self.given.by_key:
            self.missing.append(key)
        self.wanted.append(Wanted(key, tensor, facts, "; ".join(notes), filled))

    def _is_filled(self, module: object, name: str, prefix: str) -> bool:
        """Normalisation layers count batches since version 2, and fill the count in for older states."""
        if name != "num_batches_tracked" or not _overridden(module, "_load_from_state_dict"):
            return False
        version = self.given.version(prefix[:-1])
        return type(version) is not int or version < 2

    def _remark(self, module: object, prefix: str) -> None:
        """What a Module does itself while it is loaded, and nobody can know by reading."""
        place = f"`{visible(prefix[:-1], 80) or class_name(module)}`"
        if _overridden(module, "_load_from_state_dict", outside=True):
            self.notes.append(
                f"{place} has its own `_load_from_state_dict`, which may do otherwise."
            )
        lazy = any(
            class_name(t).startswith("Uninitialized")
            for _, t in drawer(module, "_parameters").entries
        )
        hooks = len(drawer(module, "_load_state_dict_pre_hooks").entries) - lazy
        if hooks > 0:
            self.notes.append(
                f"{place} has {count(hooks, 'hook')} that may change the keys before they are loaded."
            )


def _overridden(module: object, method: str, outside: bool = False) -> bool:
    """Whether a class has a version of a method of its own, beside the base class's.

    Args:
        module: An instance.
        method: The name of the method.
        outside: Whether the library's own versions do not count.
    """
    definers = [c for c in mro_of(type(module)) if method in namespace_of(c)]
    if len(definers) < 2:
        return False
    return not outside or _package(definers[0]) != _package(definers[-1])


def _package(cls: type) -> object:
    said: Any = _module_of(cls)
    return said.partition(".")[0] if type(said) is str else None


def families(value: object) -> frozenset[object]:
    """The packages from which a tensor's class and its bases come: tensors of one library share one."""
    packages: Iterable[object] = (_package(cls) for cls in mro_of(type(value)))
    return frozenset(packages) - {"builtins", "abc", "typing", "collections", None}


_module_of = type.__dict__["__module__"].__get__
