"""The keys that a model expects, Module by Module as `load_state_dict` goes, and what it would find wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

from nbmodule_widgets.facts.outside import OutsideReader
from nbmodule_widgets.facts.records import TensorFacts
from nbmodule_widgets.facts.tensors import TensorReader, key_text
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.lesson_facts.keys_given import Given
from nbmodule_widgets.protocol import (
    class_attribute,
    class_name,
    definers,
    drawer,
    has_drawers,
    is_tensor_like,
    mro_of,
    of_a_library,
    own_dict,
    package_of,
    set_entries,
)

EXTRA = "_extra_state"
_OWN = "state of its own, outside the drawers"
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
        own: Whether it is state outside the drawers: whatever its Module takes there, fits.
    """

    key: str
    tensor: object
    facts: TensorFacts | None
    note: str = ""
    filled: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class Expected:
    """What a model expects, and what of a state does not fit.

    Attributes:
        wanted: The keys in the model's order.
        missing: Those that `load_state_dict` would call missing, in its order.
        unexpected: Keys of the state that it would call unexpected, in its order.
        ignored: Keys of the state that nobody looks at.
        untold: Keys of the state that are for a Module's own `_load_from_state_dict` to take or to leave.
        left_out: Tensors without a key, and why.
        notes: What could not be predicted.
    """

    wanted: tuple[Wanted, ...]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    ignored: tuple[str, ...]
    untold: tuple[str, ...]
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
        tuple(walk.untold),
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
    untold: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reader: TensorReader = field(default_factory=TensorReader)
    outside: OutsideReader = field(default_factory=lambda: OutsideReader(most=2**62))
    classes: dict[int, _Loading] = field(default_factory=dict)
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
        loading = self._loading(module)
        self._remark(module, prefix, loading)
        own = self._own(module, prefix, loading)
        beside = self._outside(module, prefix, loading)
        extra = prefix + EXTRA
        if loading.takes_extra:
            self.wanted.append(
                Wanted(extra, None, None, "an extra state: whatever `set_extra_state` takes")
            )
            self.missing += [extra] if extra not in self.given.by_key else []
        elif extra in self.given.by_key and extra not in beside:
            self.unexpected.append(extra)
        entries = drawer(module, "_modules").entries
        children = {key_text(key): child for key, child in entries}
        parts: dict[str, list[str]] = {}
        for key in below:
            name, dot, _ = key[len(prefix) :].partition(".")
            if dot:
                parts.setdefault(name, []).append(key)
            if key == extra or key in beside:
                continue
            if name not in (children if dot else own):
                (self.untold if loading.by_itself else self.unexpected).append(key)
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

    def _loading(self, module: object) -> _Loading:
        """What the Module's class does of its own while it is loaded."""
        cls = type(module)
        known = self.classes.get(id(cls))
        if known is None:
            known = self.classes[id(cls)] = _Loading(
                cls,
                takes_extra=_overridden(cls, "set_extra_state"),
                own=_overridden(cls, "_load_from_state_dict"),
                by_itself=_overridden(cls, "_load_from_state_dict", outside=True),
            )
        return known

    def _outside(self, module: object, prefix: str, loading: _Loading) -> set[str]:
        """Notes the keys that a Module expects beside its drawers; returns them."""
        state = self.outside.read(module)
        keys = {prefix + key_text(name) for name, _ in state.entries} - {prefix + EXTRA}
        for name, value in state.entries:
            key = prefix + key_text(name)
            if key in keys:
                tensor = is_tensor_like(value)
                facts = self.reader.entry(key_text(name), "buffer", value, True) if tensor else None
                self.wanted.append(Wanted(key, None, facts, _OWN, own=True))
        absent = [key for key in keys if key not in self.given.by_key]
        self.missing += absent
        place = f"`{visible(prefix[:-1], 80) or class_name(module)}`"
        if absent:
            self.notes.append(
                f"{place} loads its own state, and may raise a KeyError for a key that is missing there."
            )
        elif keys and loading.own and (noted := self._other_version(module, prefix)):
            self.notes.append(
                f"{place} reads its own state by itself, and {noted}: it may look for the keys of an older layout, and "
                "raise a KeyError for them."
            )
        if state.unasked and not state.method:
            self.notes.append(f"{place}: {state}.")
        return keys

    def _other_version(self, module: object, prefix: str) -> str:
        """That the state is not noted to be of the version that the Module's class has; or the empty string."""
        mine, noted = class_attribute(module, "_version"), self.given.version(prefix[:-1])
        if type(mine) is not int or mine == noted:
            return ""
        if noted is None:
            return "the state does not say of which version it is (a plain dict has no `_metadata`)"
        return "the state is of another version"

    def _own(self, module: object, prefix: str, loading: _Loading) -> set[str]:
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
                    filled = loading.own and self._is_filled(name, prefix)
                    self._tensor(slot, key, name, tensor, filled)
        return names

    def _tensor(self, slot: str, key: str, name: str, tensor: object, filled: bool) -> None:
        facts = self.reader.entry(
            name, "buffer" if slot == "_buffers" else "parameter", tensor, True
        )
        first = self.first.setdefault(id(tensor), key)
        both = first in self.given.by_key and key in self.given.by_key
        shared = f"one tensor with `{visible(first, 80)}`"
        notes = [shared + (": loaded twice, the last one stays" if both else "")] * (first != key)
        notes += ["lazy: it takes the shape that is loaded"] if facts.lazy else []
        if filled and key not in self.given.by_key:
            notes.append("the state is older, so the Module's own stays")
        elif key not in self.given.by_key:
            self.missing.append(key)
        self.wanted.append(Wanted(key, tensor, facts, "; ".join(notes), filled))

    def _is_filled(self, name: str, prefix: str) -> bool:
        """Normalisation layers count batches since version 2, and fill the count in for older states."""
        if name != "num_batches_tracked":
            return False
        version = self.given.version(prefix[:-1])
        return type(version) is not int or version < 2

    def _remark(self, module: object, prefix: str, loading: _Loading) -> None:
        """What a Module does itself while it is loaded, and nobody can know by reading."""
        hooks = drawer(module, "_load_state_dict_pre_hooks").entries
        if not (loading.by_itself or hooks):
            return
        place = f"`{visible(prefix[:-1], 80) or class_name(module)}`"
        if loading.by_itself:
            self.notes.append(
                f"{place} has its own `_load_from_state_dict`, which may behave differently."
            )
        lazy = any(
            class_name(t).startswith("Uninitialized")
            for _, t in drawer(module, "_parameters").entries
        )
        others = len(hooks) - lazy
        if others > 0:
            self.notes.append(
                f"{place} has {count(others, 'hook')} that may change the keys before they are loaded."
            )


@dataclass(frozen=True, slots=True)
class _Loading:
    """What a class does of its own while its instances are loaded.

    Attributes:
        cls: The class, kept so that its id stays its own.
        takes_extra: Whether it has a `set_extra_state`.
        own: Whether it has a `_load_from_state_dict` beside that of the base class.
        by_itself: Whether that is not the library's.
    """

    cls: type
    takes_extra: bool
    own: bool
    by_itself: bool


def _overridden(cls: type, method: str, outside: bool = False) -> bool:
    """Whether a class has a version of a method of its own, beside the base class's.

    Args:
        cls: The class.
        method: The name of the method.
        outside: Whether the libraries' own versions do not count, on whichever base class they stand.
    """
    found = definers(cls, method)
    if len(found) < 2:
        return False
    return not (outside and of_a_library(found[0]))


def families(value: object) -> frozenset[str]:
    """The packages from which a tensor's class and its bases come: tensors of one library share one."""
    cls = type(value)
    known = _FAMILIES.get(id(cls))
    if known is None or known[0] is not cls:
        packages = frozenset(map(package_of, mro_of(cls)))
        known = cls, packages - {"builtins", "abc", "typing", "collections", ""}
        if len(_FAMILIES) >= _MOST_FAMILIES:
            _FAMILIES.clear()
        _FAMILIES[id(cls)] = known
    return known[1]


_FAMILIES: dict[
    int, tuple[type, frozenset[str]]
] = {}  # by identity: a metaclass may forbid hashing its classes
_MOST_FAMILIES = 1000
