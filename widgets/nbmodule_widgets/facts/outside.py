"""State that a Module keeps outside of its drawers, and puts into `state_dict()` by methods of its own.

A quantised layer packs its weights for the kernel that multiplies them; an `_extra_state` is whatever its class likes. The
methods that say so are asked where they are a library's own, which only answer. The reader's own may count, log or write files,
so they are not run to look; that is said instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nbmodule_widgets.facts.container_state import PLAIN
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.tensor_state import nbytes_of
from nbmodule_widgets.facts.words import count, size, visible
from nbmodule_widgets.protocol import (
    article,
    attempt,
    class_name,
    definers,
    drawer,
    is_exactly,
    of_a_library,
    own_dict,
    set_entries,
)

METHODS = ("_save_to_state_dict", "get_extra_state", "state_dict")
_MOST = 64_000_000  # bytes in one walk: packed weights are unpacked, that is copied, to be seen
_NAMED = 3


@dataclass(frozen=True, slots=True)
class OwnState:
    """What one Module saves beside its drawers.

    Attributes:
        entries: The keys below the Module's own path, and what lies there.
        nbytes: How much memory the tensors among it take.
        opaque: The class of what does not tell how much it takes, or the empty string.
        unasked: Why it is not known, or the empty string.
        method: The reader's method that would have to run for that, or the empty string.
    """

    entries: tuple[tuple[str, Any], ...] = ()
    nbytes: int = 0
    opaque: str = ""
    unasked: str = ""
    method: str = ""

    def __str__(self) -> str:
        """A sentence; the empty string if there is nothing to say."""
        if self.unasked:
            return f"it may have state of its own outside the drawers, which is not counted: {self.unasked}"
        if not self.entries:
            return ""
        names = ", ".join(f"`{visible(name, 40)}`" for name, _ in self.entries[:_NAMED])
        more = ", …" if len(self.entries) > _NAMED else ""
        keys = count(len(self.entries), "key")
        parts = [size(self.nbytes)] if self.nbytes or not self.opaque else []
        parts += [f"{article(self.opaque)} of unknown size"] if self.opaque else []
        takes = " and ".join(parts)
        return f"state of its own outside the drawers: {keys} ({names}{more}), {takes}, as `state_dict()` gives them"


@dataclass
class OutsideReader:
    """Asks the Modules of one walk.

    Args:
        most: Bytes after which no further Module is asked.

    Attributes:
        nbytes: What was found so far.
        keys: How many keys that were.
        opaque: In how many Modules something does not tell its size.
        unasked: How many Modules were not asked.
    """

    most: int = _MOST
    nbytes: int = 0
    keys: int = 0
    opaque: int = 0
    unasked: int = 0
    _known: dict[int, tuple[type, bool]] = field(default_factory=dict)

    def read(self, module: object) -> OwnState:
        """What a Module saves beside its drawers; nothing of the reader's runs."""
        known = self._known.get(id(type(module)))
        if known is None:
            known = self._known[id(type(module))] = (type(module), saves_itself(type(module)))
        if not known[1] and not any(name in own_dict(module) for name in METHODS):
            return _NONE
        found = self._ask(module)
        self.nbytes += found.nbytes
        self.keys += len(found.entries)
        self.opaque += bool(found.opaque)
        self.unasked += bool(found.unasked)
        return found

    def _ask(self, module: object) -> OwnState:
        own = _method_of_the_reader(module)
        if own:
            return OwnState(unasked=f"its own `{own}()` is not run to look", method=own)
        if self.nbytes > self.most:
            return OwnState(unasked=f"{size(self.nbytes)} was unpacked already")
        into: dict[str, Any] = {}
        said = attempt(lambda: module._save_to_state_dict(into, "", True))  # type: ignore[attr-defined]
        if said.problem:
            return OwnState(unasked=f"`_save_to_state_dict()` raised {visible(said.problem)}")
        unsaved = set_entries(own_dict(module).get("_non_persistent_buffers_set"))
        inside = {key for key, _ in drawer(module, "_parameters").entries}
        inside |= {key for key, _ in drawer(module, "_buffers").entries if key not in unsaved}
        entries = tuple((key, value) for key, value in into.items() if key not in inside)
        held = [[tensor for _, tensor in tensors_in(value)] for _, value in entries]
        silent = [
            v for (_, v), inside in zip(entries, held, strict=True) if not (inside or _is_small(v))
        ]
        opaque = visible(class_name(silent[0]), 60) if silent else ""
        return OwnState(entries, sum(nbytes_of(t) for inside in held for t in inside), opaque)


def saves_itself(cls: type) -> bool:
    """Whether a class has a version of its own of what fills the `state_dict`, beside that of the base class."""
    return any(len(definers(cls, name)) > 1 for name in METHODS)


def _method_of_the_reader(module: object) -> str:
    """The first method that would run if the Module were asked, and is not the library's; else the empty string."""
    for name in METHODS:
        owner = next(iter(definers(type(module), name)), None)
        if name in own_dict(module) or (owner is not None and not of_a_library(owner)):
            return name
    if not definers(type(module), "_save_to_state_dict"):
        return "state_dict"
    return ""


def _is_small(value: object) -> bool:
    """Whether a value takes next to nothing: a number, a text, a type of numbers."""
    return is_exactly(value, *PLAIN, complex) or class_name(value) in ("dtype", "qscheme", "device")


_NONE = OwnState()
