"""The orphans of a model: Modules, and tensors that need a gradient, which the model holds and its drawers do not.

`hidden_modules`, `plain_tensors` and `slots.misplaced` say of one Module that something is amiss, in a sentence each. This search
knows the whole model, so it gives each orphan with its place and its numbers; what only wants to know which ones there are needs
nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any

from nbmodule_widgets.facts.arrays import shape_of
from nbmodule_widgets.facts.careful import describe_module
from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.hidden import advice, plain_attributes
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.places import LONGEST
from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.facts.within import Inside, Looking, holder_words, is_open
from nbmodule_widgets.facts.words import joined, shape_text, visible
from nbmodule_widgets.protocol import (
    class_name,
    drawer,
    has_drawers,
    is_exactly,
    mro_of,
    namespace_of,
    package_of,
    read,
    type_name,
)

_REMEDY = {"list": "nn.ParameterList", "tuple": "nn.ParameterList", "dict": "nn.ParameterDict"}


@dataclass(frozen=True, slots=True)
class Orphan:
    """A Module or a tensor that a model uses, or could use, and that no drawer leads to.

    Attributes:
        path: How to get at it from the model: `"blocks.0.layers[1]"`. Of a Module that ran in a pass and has no place, what called it.
        kind: `"module"` or `"tensor"`.
        label: `"Linear(in_features=2, out_features=3, bias=True)"`, or class and shape of a tensor.
        class_name: Its class.
        holder: What it lies in: `"a plain list"`, `"an ordinary attribute"`, `"the class Net"`, `"a call"`.
        numbers: How many numbers of it need a gradient and are in no drawer of the model.
        advice: What to do about it.
        thing: The object itself; None if it was gone after the pass that created it.
    """

    path: str
    kind: str
    label: str
    class_name: str
    holder: str
    numbers: int
    advice: str
    thing: Any = field(default=None, compare=False, repr=False)


class Search:
    """The search of one model.

    Args:
        model: Any object with drawers.

    Attributes:
        reached: The Modules of the tree by identity, each with its path.
        held: What their drawers hold of tensors, by identity.
        found: The orphans, in the order of the tree.
        known: Identities of the Modules in the tree, of the orphans, and of all below these.
    """

    def __init__(self, model: object) -> None:
        self.model = model
        self.reached: dict[int, tuple[str, Any]] = {}
        self.held: dict[int, Any] = {}
        self.found: list[Orphan] = []
        for path, module in tree_of(model):
            self.reached[id(module)] = path, module
            self.held |= {id(t): t for t in _tensors(module)}
        self.known = set(self.reached)
        self._looking = Looking()
        self._classes: dict[int, type] = {}
        pending, met = list(self.reached.values()), set(self.reached)
        for path, module in pending:  # it grows
            for orphan in self._beside(path, module):
                self.found.append(orphan)
                below = tree_of(orphan.thing) if orphan.kind == "module" else ()
                for name, inner in below:
                    if id(inner) not in met:
                        met.add(id(inner))
                        at = joined(orphan.path, name) if name else orphan.path
                        pending.append((_longest(at), inner))
                self.known |= met

    def numbers_in(self, module: object) -> int:
        """How many numbers that need a gradient are in a Module and in no drawer of the model."""
        found = {id(t): t for _, m in tree_of(module) for t in _tensors(m)}
        return sum(
            _size(t) for key, t in found.items() if key not in self.held and needs_gradient(t)
        )

    def _beside(self, path: str, module: object) -> Iterator[Orphan]:
        """The orphans in the plain attributes of one Module and in its class."""
        for name, value in plain_attributes(module):
            for inside in self._inside(value):
                place = _longest(joined(path, key_text(name)) + inside.steps)
                single = inside.thing is value
                holder = "an ordinary attribute" if single else holder_words(inside.outer)
                yield self._orphan(
                    place, inside.thing, holder, _advice(inside.thing, value, single)
                )
        for cls in mro_of(type(module)):
            if id(cls) in self._classes or not is_open(cls):
                continue
            self._classes[id(cls)] = cls  # held, so that its identity stays its own
            for name, value in list(namespace_of(cls).items()):
                for inside in self._inside(value) if _may_hold(value) else ():
                    owner = visible(type_name(cls), 60)
                    tip = f"All instances of {owner} share it: create it in `__init__`, as `self.{visible(name, 60)}`"
                    place = f"{owner}.{key_text(name)}{inside.steps}"
                    yield self._orphan(place, inside.thing, f"the class {owner}", tip)

    def _inside(self, value: Any) -> list[Inside]:
        """The orphans in one value, each once; none in what only uses the model, such as its trainer."""
        found = self._looking.look(value, _wanted)
        if found and self._uses_the_model(value, found):
            return []
        fresh = []
        for inside in found:
            key = id(inside.thing)
            if has_drawers(inside.thing):
                if key not in self.known and not self._holds_the_model(inside.thing):
                    self.known.add(key)
                    fresh.append(inside)
            elif key not in self.held and needs_gradient(inside.thing):
                self.held[key] = inside.thing
                fresh.append(inside)
        return fresh

    def _uses_the_model(self, value: Any, found: list[Inside]) -> bool:
        """Whether an object of another package holds the model itself: it came to the model, and is no part of it."""
        if package_of(type(value)) in ("builtins", "collections", package_of(type(self.model))):
            return False
        return any(self._holds_the_model(inside.thing) for inside in found)

    def _holds_the_model(self, thing: Any) -> bool:
        """Whether it is the model, or a Module around it, which knows where the model is."""
        if thing is self.model or id(thing) in self.reached:
            return thing is self.model
        return any(m is self.model for _, m in tree_of(thing))

    def _orphan(self, place: str, thing: Any, holder: str, tip: str) -> Orphan:
        kind = visible(class_name(thing), 60)
        if not has_drawers(thing):
            label = f"{kind} of shape {shape_text(shape_of(thing))}"
            return Orphan(place, "tensor", label, kind, holder, _size(thing), tip, thing)
        numbers = self.numbers_in(thing)
        return Orphan(place, "module", describe_module(thing), kind, holder, numbers, tip, thing)


def tree_of(top: object) -> Iterator[tuple[str, Any]]:
    """The Modules of a tree, each once, with the path of its first place.

    Args:
        top: Its root; whatever is no Module is passed over.
    """
    pending: list[tuple[str, Any]] = [("", top)]
    met: set[int] = set()
    while pending:
        path, module = pending.pop()
        if id(module) in met or not (module is top or has_drawers(module)):
            continue
        met.add(id(module))
        yield path, module
        if is_scripted(module):
            continue
        below = [(key, child) for key, child in drawer(module, "_modules").entries]
        pending += [
            (_longest(joined(path, key_text(key))), child) for key, child in reversed(below)
        ]


def needs_gradient(tensor: Any) -> bool:
    """Whether a tensor asks for a gradient of its own, and was not computed from others."""
    return read(tensor, "requires_grad").value is True and read(tensor, "grad_fn").value is None


def _wanted(value: Any) -> bool:
    return has_drawers(value) or is_tensor(value)


def _may_hold(value: Any) -> bool:
    """Whether an entry of a class can hold an orphan; its functions and properties are code, and stay closed."""
    return _wanted(value) or is_exactly(value, list, tuple, dict, set, frozenset)


def _tensors(module: Any) -> list[Any]:
    """What lies in a Module's own drawers."""
    slots = ("_parameters", "_buffers")
    return [t for slot in slots for _, t in drawer(module, slot).entries if t is not None]


def _size(tensor: Any) -> int:
    """How many numbers a tensor has; none if it does not tell."""
    shape = shape_of(tensor)
    return 0 if shape is None else prod(shape)


def _advice(thing: Any, value: Any, single: bool) -> str:
    """What to do about an orphan in an attribute with this value."""
    if has_drawers(thing):
        return advice(value, single)
    remedy = _REMEDY.get(class_name(value))
    if remedy:
        return f"Use `{remedy}`"
    return "Assign it to an attribute of the Module as an `nn.Parameter`"


def _longest(path: str) -> str:
    return path if len(path) <= LONGEST else f"…{path[-LONGEST // 2 :]}"
