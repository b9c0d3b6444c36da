"""The `__dict__` of one Module as drawers: what Anatomy shows."""

from __future__ import annotations

from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Literal

from nbmodule_widgets.facts.careful import describe_module, training
from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.hidden import modules_in, unseen_by
from nbmodule_widgets.facts.records import TensorFacts
from nbmodule_widgets.facts.tensors import TensorReader
from nbmodule_widgets.facts.words import count, number_text, shape_text, visible
from nbmodule_widgets.protocol import (
    DRAWERS,
    SLOTS,
    STAND_IN,
    article,
    class_attribute,
    class_name,
    drawer,
    has_drawers,
    is_exactly,
    is_tensor_like,
    not_its_own,
    own_dict,
    read,
    require_attributes,
    set_entries,
)

Group = Literal["drawer", "switch", "hooks"]

_MEANING = {
    "_parameters": "what the optimizer trains",
    "_buffers": "what is remembered but not trained",
    "_modules": "the children: Modules inside this one",
    "training": "the switch that train() and eval() turn",
    "_non_persistent_buffers_set": "names of buffers that state_dict() leaves out",
}
_COMPLETE = (
    "forward",
    "parameters",
    "state_dict",
    "load_state_dict",
)  # of a class that is written to its end


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """One thing in a drawer or among the plain attributes.

    Attributes:
        name: Its name.
        class_name: Class of the object.
        summary: What it is, in a few words.
        note: A warning, or the empty string.
    """

    name: str
    class_name: str
    summary: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class SlotFacts:
    """One of the slots that every Module has.

    Attributes:
        name: `"_modules"`.
        group: Where it is shown: `"drawer"`, `"switch"` or `"hooks"`.
        meaning: What it is for.
        present: Whether the instance has it.
        summary: `"2 entries"`, `"True"`, or why it is missing.
        entries: What lies in it, if it is a collection.
        problem: What could not be read, or the empty string.
    """

    name: str
    group: Group
    meaning: str
    present: bool
    summary: str
    entries: tuple[EntryFacts, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class StateFacts:
    """The whole `__dict__` of one object.

    Attributes:
        class_name: Class of the object.
        label: Class and extra_repr, as PyTorch prints it.
        slots: The seventeen slots of a Module, in the order in which PyTorch creates them.
        plain: All other attributes.
        blind: The methods that do not see these, such as `"state_dict()"`; none of a program of `torch.jit`.
    """

    class_name: str
    label: str
    slots: tuple[SlotFacts, ...]
    plain: tuple[EntryFacts, ...]
    blind: tuple[str, ...] = ()

    def group(self, group: Group) -> tuple[SlotFacts, ...]:
        """The slots of one group; the three big drawers come in the order of DRAWERS."""
        found = [slot for slot in self.slots if slot.group == group]
        if group == "drawer":
            found.sort(key=lambda slot: DRAWERS.index(slot.name))
        return tuple(found)

    @property
    def untouched(self) -> bool:
        """Whether there is no slot at all, as when `super().__init__()` was forgotten."""
        return not any(slot.present for slot in self.slots)

    @property
    def plain_summary(self) -> str:
        """`"invisible to parameters(), state_dict() and .to()"`."""
        if not self.blind:
            return "parts of its program"
        *others, last = self.blind
        return "invisible to " + " and ".join(filter(None, (", ".join(others), last)))

    @property
    def hooks_summary(self) -> str:
        """`"12 hook drawers, all empty"`."""
        slots = self.group("hooks")
        there = [slot for slot in slots if slot.present]
        absent = next((slot.summary for slot in slots if not slot.present), "")
        if not there:
            return f"{len(slots)} hook drawers, {absent}"
        hooks = sum(len(slot.entries) for slot in there)
        missing = f", {len(slots) - len(there)} {absent}" if len(there) < len(slots) else ""
        return (
            f"{len(there)} hook drawers, {count(hooks, 'hook') if hooks else 'all empty'}{missing}"
        )


def state_facts(module: object) -> StateFacts:
    """Reads the `__dict__` of an object; changes nothing.

    Args:
        module: Any object with attributes of its own.

    Raises:
        TypeError: If it has none.
    """
    require_attributes(module, "anatomy")
    own = own_dict(module)
    reader = TensorReader()
    slots = tuple(_slot(module, own, name, reader) for name in SLOTS)
    plain = tuple(
        entry(name, value, reader, plain=name != STAND_IN)
        for name, value in list(own.items())
        if not (type(name) is str and name in SLOTS)
    )
    blind = () if is_scripted(module) else unseen_by(type(module))
    return StateFacts(class_name(module), describe_module(module), slots, plain, blind)


def _slot(module: object, own: dict[str, Any], name: str, reader: TensorReader) -> SlotFacts:
    group: Group = "drawer" if name in DRAWERS else "hooks"
    if name in ("training", "_non_persistent_buffers_set"):
        group = "switch"
    meaning = _MEANING.get(name, "")
    if name not in own:
        return _absent(module, own, name, group)
    value = own[name]
    kind = type(value)
    opened = drawer(module, name) if name in DRAWERS else None
    if issubclass(kind, dict):
        entries = tuple(entry(key, item, reader) for key, item in list(dict.items(value)))
    elif opened is not None and not opened.problem:
        entries = tuple(entry(key, item, reader) for key, item in opened.entries)
    elif issubclass(kind, (set, frozenset)):
        names = sorted(visible(key) for key in set_entries(value))
        entries = tuple(EntryFacts(key, "str", "") for key in names)
    else:
        expected = name in (*DRAWERS, "_non_persistent_buffers_set")
        wanted = "set" if name.endswith("_set") else "dict"
        problem = f"`{name}` is {article(class_name(value))}, not a {wanted}" if expected else ""
        return SlotFacts(name, group, meaning, True, describe(value, reader), problem=problem)
    summary = count(len(entries), "entry") if entries else "empty"
    return SlotFacts(name, group, meaning, True, summary, entries)


def _absent(module: object, own: dict[str, Any], name: str, group: Group) -> SlotFacts:
    """A slot that the instance does not have: not yet, or not at all."""
    meaning = _MEANING.get(name, "")
    if STAND_IN in own or (name == "training" and training(module) is not None):
        return SlotFacts(name, group, meaning, False, "not in its `__dict__`: passed on")
    shared = class_attribute(module, name)
    problem = not_its_own(name, shared, class_name(module)) if shared is not None else ""
    complete = all(class_attribute(module, method) is not None for method in _COMPLETE)
    complete = complete and all(slot in own for slot in DRAWERS) and shared is None
    registers = class_attribute(module, "register_forward_hook") is not None
    unneeded = group == "hooks" and complete and not registers
    summary = "not needed by this class" if unneeded else "not created yet"
    return SlotFacts(name, group, meaning, False, summary, problem=problem)


def entry(name: object, value: object, reader: TensorReader, plain: bool = False) -> EntryFacts:
    """One object under its name.

    Args:
        name: Its key.
        value: The object.
        reader: What has been read so far.
        plain: Whether it is a plain attribute, where Modules and Parameters should not be.
    """
    note = misplaced(value, reader) if plain else ""
    return EntryFacts(visible(name), class_name(value), describe(value, reader), note)


def misplaced(value: object, reader: TensorReader) -> str:
    """Why a plain attribute may be a mistake, or the empty string."""
    if has_drawers(value):
        return "a Module outside `_modules`"
    inside = modules_in(value)
    if inside:
        remedy = "nn.ModuleDict" if type(value) is dict else "nn.ModuleList"
        return f"holds {count(len(inside), 'Module')} that parameters() cannot find: use {remedy}"
    if is_tensor_like(value) and read(value, "requires_grad").value is True:
        return "requires a gradient, but is outside `_parameters`"
    return ""


def describe(value: object, reader: TensorReader) -> str:
    """What an object is, in a few words; runs no `__repr__` but those of Python's own plain types."""
    kind = type(value)
    if is_exactly(value, int, float, complex, bool, type(None)):
        return visible(number_text(value), 100)
    if is_exactly(value, str, bytes):
        return visible(repr(value[:80]), 100)  # type: ignore[index]
    if has_drawers(value):
        return describe_module(value)
    if is_tensor_like(value):
        return tensor_words(reader.describe(value))
    if is_exactly(value, list, tuple, set, frozenset, dict):
        return f"{kind.__name__}, {count(len(value), 'entry')}"  # type: ignore[arg-type]
    if is_exactly(value, FunctionType, BuiltinFunctionType, MethodType):
        return visible(f"function {value.__qualname__}", 80)  # type: ignore[attr-defined]
    return visible(class_name(value), 80)


def tensor_words(tensor: TensorFacts) -> str:
    """`"(10, 784) float32"`, and `", frozen"` for a parameter that takes no gradient."""
    if tensor.empty:
        return "None"
    if tensor.problem:
        return tensor.problem
    shape = shape_text(tensor.shape)
    place = f" on {tensor.device}" if tensor.device not in ("", "cpu") else ""
    frozen = ", frozen" if tensor.kind == "parameter" and tensor.requires_grad is False else ""
    return f"{shape} {tensor.dtype}{place}{frozen}"
