"""A copy of a Module to play with, made without asking the Module.

`copy.deepcopy` asks every object for `__deepcopy__` first, and so runs the `__getattr__` that the reader is
still writing. A Module is what lies in its `__dict__`, so each Module of the tree gets an empty twin first, and
then a deep copy of its `__dict__`, in which the twins stand for the Modules. That needs no recursion along the
tree either. Classes that say themselves how they are copied are left to `copy.deepcopy`.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from types import MemberDescriptorType
from typing import Any

from nbmodule_widgets.facts.tensors import refuse_freed
from nbmodule_widgets.protocol import (
    article,
    attempt,
    class_attribute,
    class_name,
    drawer,
    error_text,
    has_drawers,
    has_own_dict,
    mro_of,
    namespace_of,
    own_dict,
)

_WAYS_TO_COPY = ("__deepcopy__", "__reduce_ex__", "__reduce__", "__getstate__")
_BARE = object()


@dataclass(frozen=True, slots=True)
class Copied:
    """What became of a Module.

    Attributes:
        module: The copy, or None if there is none.
        problem: Why there is none, or the empty string.
        twins: Identity of each object in the original -> its copy.
        originals: The Modules of the original; kept, so that their identities stay theirs.
    """

    module: object
    problem: str
    twins: dict[int, Any]
    originals: list[object]

    def stand_ins(self, names: dict[str, Any]) -> dict[str, Any]:
        """The same names, with the copy and its parts in the place of the original and its parts."""
        return {name: self.twins.get(id(value), value) for name, value in names.items()}


def copied(original: object) -> Copied:
    """Copies a Module with everything in it; never raises.

    Args:
        original: The Module. It is not changed, unless its own `__deepcopy__` does that.
    """
    originals = modules_below(original)
    twins: dict[int, Any] = {}
    try:
        made = _made(original, originals, twins)
    except Exception as error:
        return Copied(None, error_text(error), {}, [])
    if made is original:
        return Copied(None, "deepcopy returned the object itself", {}, [])
    if has_drawers(original) > has_drawers(made) or not has_own_dict(made):
        return Copied(None, f"deepcopy made {article(class_name(made))} of it", {}, [])
    kept = {id(thing) for module in originals for thing in (module, *_drawers(module))}
    for module in modules_below(made):
        if any(id(thing) in kept for thing in (module, *_drawers(module))):
            return Copied(None, f"its copy shares {class_name(module)} with it", {}, [])
    return Copied(made, "", twins, originals)


def _made(original: object, originals: list[object], twins: dict[int, Any]) -> Any:
    plain = []
    for module in originals:
        for slot in ("_parameters", "_buffers"):
            for _, tensor in drawer(module, slot).entries:
                refuse_freed(tensor)
        twin = attempt(object.__new__, type(module)) if _is_plain(module) else None
        if twin is not None and not twin.problem:
            twins[id(module)] = twin.value
            plain.append(module)
    for module in plain:
        own_dict(twins[id(module)]).update(copy.deepcopy(own_dict(module), twins))
    return copy.deepcopy(original, twins)


def modules_below(top: object) -> list[object]:
    """The Module and all that can be reached from it through `_modules`, each once."""
    seen, found, pending = {id(top)}, [top], [top]
    while pending:
        for _, child in drawer(pending.pop(), "_modules").entries:
            if id(child) not in seen and has_drawers(child):
                seen.add(id(child))
                found.append(child)
                pending.append(child)
    return found


def _is_plain(module: object) -> bool:
    """Whether the object is copied as any object of Python is, and has no `__slots__`."""
    if any(class_attribute(module, w) is not class_attribute(_BARE, w) for w in _WAYS_TO_COPY):
        return False
    bases = mro_of(type(module))
    spaces = (namespace_of(base) for base in bases)
    return not any(type(item) is MemberDescriptorType for s in spaces for item in s.values())


def _drawers(module: object) -> list[object]:
    """The dictionaries and sets in which a Module keeps things: what a copy may not share."""
    return [v for v in list(own_dict(module).values()) if issubclass(type(v), (dict, set))]
