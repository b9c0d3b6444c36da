"""Reading one Module that may be half-built, broken or hostile: slowly, and with a sentence for what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.outside import OutsideReader
from nbmodule_widgets.facts.patterns import Pattern
from nbmodule_widgets.facts.records import HOOK_KINDS, Note
from nbmodule_widgets.facts.tensors import TensorReader
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    DRAWERS,
    STAND_IN,
    Drawer,
    Outcome,
    article,
    attempt,
    class_attribute,
    class_name,
    definers,
    drawer,
    is_module_like,
    of_a_library,
    own_dict,
    plain_text,
    read,
    type_name,
)

_SCRIPTED = (
    "a TorchScript program: it was asked what its drawers would hold. It does not tell which hooks run inside it, or what "
    "else it keeps"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found in one Module.

    Attributes:
        pattern: What it consists of.
        tensors: The objects behind the pattern's tensors.
        children: The keys of its children and the children; None where a place is registered but empty.
    """

    pattern: Pattern
    tensors: list[object]
    children: list[tuple[Any, object]]


class CarefulReader:
    """Reads Modules one by one, and remembers what it has said about their class.

    Args:
        tensors: Describes tensors.

    Attributes:
        outside: What was found outside of the drawers.
    """

    def __init__(self, tensors: TensorReader) -> None:
        self._tensors = tensors
        self.outside = OutsideReader()
        self._explained: set[tuple[int, str]] = set()
        self._parts: set[int] = set()  # of programs; the model keeps them alive

    def read(self, module: object, said: Outcome) -> Reading:
        """Everything about a Module; raises nothing.

        Args:
            module: The Module, or whatever lies in its place.
            said: What came of asking for its `extra_repr()`.
        """
        extra, problem = extra_text(said)
        sentences = [problem] if problem else []
        sentences += self._missing(module)
        pairs, complaints = self._tensors.read(module)
        opened = drawer(module, "_modules")
        sentences += [*complaints, opened.problem] if opened.problem else complaints
        notes = [Note("problem", sentence) for sentence in sentences]
        beside = self._program(module, opened), str(self.outside.read(module))
        notes += [Note("outside", sentence) for sentence in beside if sentence]
        pattern = Pattern(
            class_name=class_name(module),
            extra=extra,
            training=training(module),
            tensors=tuple(fact for fact, _ in pairs),
            notes=tuple(notes),
            hooks=hooks(module),
        )
        return Reading(
            pattern,
            tensors=[tensor for _, tensor in pairs],
            children=opened.entries,
        )

    def _program(self, module: object, children: Drawer) -> str:
        """What to say about a program of `torch.jit`; its parts are programs too, and nothing is said of them."""
        if not is_scripted(module):
            return ""
        known = id(module) in self._parts
        self._parts.update(id(child) for _, child in children.entries)
        return "" if known else _SCRIPTED

    def _missing(self, module: object) -> list[str]:
        """The drawers that do not exist yet, said once for each class."""
        if not is_module_like(module):
            return [_no_module(module)]
        own = own_dict(module)
        absent = [n for n in DRAWERS if n not in own and class_attribute(module, n) is None]
        absent = [] if STAND_IN in own else absent
        mark = (id(type(module)), " ".join(absent))
        if not absent or mark in self._explained:
            return []
        self._explained.add(mark)
        names = ", ".join(f"`{name}`" for name in absent)
        return [f"not created yet: {names}. Was `super().__init__()` called?"]


def _no_module(found: object) -> str:
    """What to say about a thing in `_modules` that is no Module."""
    if issubclass(type(found), type):
        name = visible(type_name(found), 60)  # type: ignore[arg-type]
        return f"this is the class {name} itself, not a Module: write {name}() to create one"
    return f"{article(visible(class_name(found), 60))} is not a Module: it has no drawers"


def training(module: object) -> bool | None:
    """The switch of this instance (or of its class); None when there is none or it is no bool."""
    own = own_dict(module)
    value = own["training"] if "training" in own else class_attribute(module, "training")
    if type(value) is not bool and "training" not in own and _a_library_answers(module, "training"):
        value = read(module, "training").value  # compiled Modules pass the question on
    return value if type(value) is bool else None


def _a_library_answers(module: object, name: str) -> bool:
    """Whether what answers for a name that is not in the `__dict__` is a library's own code alone."""
    asked = (definers(type(module), name) or definers(type(module), "__getattr__"))[:1]
    asked += definers(type(module), "__getattribute__")[:1]
    return (
        len(asked) == 2
        and of_a_library(asked[0])
        and (asked[1] is object or of_a_library(asked[1]))
    )


def hooks(module: object) -> tuple[tuple[str, int], ...]:
    """How many hooks each dictionary holds, the empty ones left out."""
    own = own_dict(module)
    counted = []
    for slot in HOOK_KINDS:
        found: Any = own.get(slot)
        number = dict.__len__(found) if issubclass(type(found), dict) else 0
        if number:
            counted.append((slot, number))
    return tuple(counted)


def describe_module(module: object) -> str:
    """`"Linear(2, 3)"`: class and extra_repr of one Module."""
    extra, _ = extra_text(ask_extra(module))
    return f"{visible(class_name(module), 80)}({extra})"


def ask_extra(module: object) -> Outcome:
    """What came of `extra_repr()`, which is the reader's code; an empty text if there is no such method."""
    if class_attribute(module, "extra_repr") is None:
        return Outcome("", "")
    return attempt(lambda: module.extra_repr())  # type: ignore[attr-defined]


def extra_text(said: Outcome) -> tuple[str, str]:
    """What `extra_repr()` said, fit to be shown on one line; and what was wrong with it."""
    if said.problem:
        return "", visible(f"`extra_repr` raised {said.problem}")
    if not issubclass(type(said.value), str):
        return "", f"`extra_repr` returned {class_name(said.value)}, not a str"
    text = plain_text(said.value)
    return visible(" ".join(text.split()) if "\n" in text else text), ""
