"""How Python looks for `module.name`: predicted by reading the classes, then compared with what Python does.

Reading runs nothing of the reader's. Where only running their code can tell, a property's or a `__getattr__`'s,
that is done on a copy which the caller makes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any

from nbmodule_widgets.facts.careful import describe_module
from nbmodule_widgets.facts.slots import describe
from nbmodule_widgets.facts.tensors import TensorReader
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.following import classes_of, defined_in, library_of
from nbmodule_widgets.lesson_facts.ladder import LookupFacts, Rung, State
from nbmodule_widgets.lesson_facts.lookup_trial import (
    Trial,
    asked_to_list,
    names_in,
    on_a_copy,
    on_itself,
)
from nbmodule_widgets.lesson_facts.lookup_words import remarks, says, shadows
from nbmodule_widgets.protocol import (
    DRAWERS,
    article,
    class_attribute,
    class_name,
    drawer,
    is_exactly,
    of_a_library,
    own_dict,
    require_attributes,
    type_name,
)

_HARMLESS = (
    FunctionType, BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, ClassMethodDescriptorType,
    GetSetDescriptorType, MemberDescriptorType, classmethod, staticmethod,
)  # fmt: skip
_NOTHING = object()


@dataclass(frozen=True, slots=True)
class _Found:
    """What reading tells about a name in an object's class.

    Attributes:
        owner: The class that defines the name, or None.
        value: What it has there.
        first: Whether it is a data descriptor with a getter, which is asked before the object's `__dict__`.
        runs: Whether reading the attribute runs Python code of the class.
    """

    owner: type | None
    value: Any
    first: bool
    runs: bool


def lookup_facts(
    module: object,
    name: str,
    copy: Callable[[], tuple[object, str]] | None = None,
    called: str = "it",
) -> LookupFacts:
    """Climbs down the ladder for one name.

    Args:
        module: Any object with attributes of its own.
        name: The attribute's name.
        copy: Makes a copy to run the reader's code on; returns it with an empty string, or why there is none. It is
            called only if there is such code to run. Without it, that code is not run.
        called: The reader's own name for the object, which the sentences use.

    Raises:
        TypeError: If the object has no `__dict__`, or the name is no text.
    """
    require_attributes(module, "lookup")
    if type(name) is not str:
        raise TypeError(
            f"lookup() needs the name of an attribute as a str, as in lookup(model, 'fc'); got {article(class_name(name))}"
        )
    found = _in_class(module, name)
    asks = defined_in(module, "__getattr__")[0]
    library = library_of(module, "__getattr__")
    predicted = _predicted(module, name, found, asks, library)
    runs = _climbs_itself(module) or (found.runs and predicted in ("data descriptor", "class"))
    runs = runs or (predicted == "__getattr__" and not library)
    trial = _tried(module, name, found, runs, copy)
    known = "" if runs else predicted
    rungs, ended = _rungs(module, name, found, asks, library, trial, predicted, called)
    names = names_in(module, trial)
    listed, tab = asked_to_list(name, trial)
    return LookupFacts(
        label=describe_module(module),
        name=visible(name),
        rungs=rungs,
        ended=ended,
        result=trial.words if trial.subject is not None else rungs[ended].says,
        error=trial.error,
        predicted=known,
        tried=trial.tried,
        agrees=_agrees(trial, known, rungs, ended),
        hasattr=_hasattr(trial, predicted, runs),
        dir=listed,
        tab=tab,
        notes=_notes(module, name, found, rungs, rungs[ended], trial),
        source=trial.source,
        source_of=trial.source_of,
        near=_near(name, names) if rungs[ended].step == "–" else (),
        names=names,
        called=called,
    )


def _tried(
    module: object, name: str, found: _Found, runs: bool, copy: Callable[[], tuple[object, str]] | None
) -> Trial:  # fmt: skip
    """Lets Python look the name up, on the object itself where no code of the reader's runs, else on a copy."""
    if not (runs or _lists_itself(module)):
        return on_itself(module, name)
    if copy is None:
        return Trial(None, "not tried: this would run code of the class itself")
    made, problem = copy()
    if problem:
        why = visible(problem, 200)
        return Trial(None, f"not tried: this would run code of the class, and {why}")
    if type(made) is not type(module):
        kind = visible(class_name(made), 60)
        why = f"not tried: this would run code of the class, and its copy is of another one, {kind}"
        return Trial(None, why)
    return on_a_copy(made, name, found.value, found.runs)


def _near(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Names that may have been meant."""
    return tuple(get_close_matches(name, [other for other in names if other != name], 3, 0.7))


def _in_class(module: object, name: str) -> _Found:
    """What the object's class has under a name, and how Python would use it."""
    owner, value = defined_in(module, name)
    if owner is None:
        return _Found(None, None, False, False)
    gets = class_attribute(value, "__get__") is not None
    sets = any(class_attribute(value, m) is not None for m in ("__set__", "__delete__"))
    runs = gets and not is_exactly(value, *_HARMLESS)
    return _Found(owner, value, gets and sets, runs)


def _climbs_itself(module: object) -> bool:
    """Whether the class has a `__getattribute__` of its own, which is the ladder itself."""
    return defined_in(module, "__getattribute__")[0] is not object


def _lists_itself(module: object) -> bool:
    """Whether `dir()` of this object runs code of its class."""
    lists = defined_in(module, "__dir__")[0]
    if lists is not object and not library_of(module, "__dir__"):
        return True
    odd = (defined_in(module, name)[1] for name in ("__class__", "__dict__"))
    return any(not is_exactly(found, GetSetDescriptorType) for found in odd)


def _predicted(module: object, name: str, found: _Found, asks: type | None, library: str) -> str:
    """The rung where the search ends if everything does what it looks like."""
    if found.first:
        return "data descriptor"
    if name in _keys(own_dict(module)):
        return "__dict__"
    if found.owner is not None:
        return "class"
    if asks is None:
        return "AttributeError"
    if not library:
        return "__getattr__"
    own = own_dict(module)
    return next((d for d in DRAWERS if d in own and name in _entries(module, d)), "AttributeError")


def _keys(own: dict[str, Any]) -> dict[str, Any]:
    """The entries whose keys are plain texts: others compare as they like."""
    return {key: value for key, value in list(own.items()) if type(key) is str}


def _entries(module: object, slot: str) -> dict[str, Any]:
    return {key: value for key, value in drawer(module, slot).entries if type(key) is str}


def _rungs(
    module: object, name: str, found: _Found, asks: type | None, library: str, trial: Trial, predicted: str,
    called: str,
) -> tuple[tuple[Rung, ...], int]:  # fmt: skip
    """The ladder with what is known about each rung, and the position where the search ended."""
    reader = TensorReader()
    quoted = f"`{visible(name, 60)}`"
    classes = classes_of(module)
    line = ", ".join(classes[:6]) + (f" and {len(classes) - 6} more" if len(classes) > 6 else "")
    subject = trial.subject if trial.subject is not None else module
    end = _end(name, found, predicted, library, trial, subject)
    raised = bool(trial.error) and end not in ("AttributeError", "__getattr__")
    own_class = visible(class_name(module), 60)
    rows: list[tuple[str, str, str, str, str]] = []  # step, key, title, where, there

    def of_class() -> str:
        owner = visible(type_name(found.owner), 60)  # type: ignore[arg-type]
        return f"{describe(found.value, reader)} of class {owner}"

    rows.append(("1", "data descriptor", "properties of the class", line, of_class() if found.first else ""))  # fmt: skip
    # Of the object itself: a getter may have put its answer into that of the copy, as cached_property does.
    own = _keys(own_dict(module)).get(name, _NOTHING)
    rows.append(
        ("2", "__dict__", "the object's own __dict__", f"vars({called})", _there(own, reader))
    )
    has = found.owner is not None and not found.first
    rows.append(("3", "class", "everything else in the class", line, of_class() if has else ""))
    asked = f"defined in {visible(type_name(asks), 60)}{f' ({library})' if library else ''}" if asks else ""  # fmt: skip
    rows.append(("4", "__getattr__", "__getattr__", asked, asked))
    slots = [d for d in DRAWERS if library or drawer(module, d).present]
    slots.sort(key=lambda d: trial.opened.index(d) if d in trial.opened else len(DRAWERS))
    for letter, slot in zip("abc", slots, strict=False):
        entry = _entries(subject, slot).get(name, _NOTHING)
        rows.append((f"4{letter}", slot, slot, "opened by __getattr__", _there(entry, reader)))
    rows.append(("–", "AttributeError", "nothing left", "", ""))
    ended = next(at for at, row in enumerate(rows) if row[1] == end)
    rungs = []
    for at, (step, key, title, where, there) in enumerate(rows):
        state = _state(at, ended, key, there, trial, library, raised, asks, found)
        sentence = says(key, state, quoted, there, where, trial, own_class)
        rungs.append(Rung(step, key, title, where, state, there, sentence))
    return tuple(rungs), ended


def _there(value: object, reader: TensorReader) -> str:
    return "" if value is _NOTHING else describe(value, reader)


def _end(
    name: str, found: _Found, predicted: str, library: str, trial: Trial, subject: object
) -> str:
    """The rung where the search ended, from what was seen if it was tried."""
    if trial.subject is None:
        return predicted
    if not trial.asked and not trial.fell_through:
        missing = trial.error.startswith("AttributeError") and predicted == "__getattr__"
        return "AttributeError" if missing else predicted
    if trial.error:
        missing = trial.error.startswith("AttributeError")
        return "AttributeError" if missing else "__getattr__"
    for slot in DRAWERS:
        entry = _entries(subject, slot).get(name, _NOTHING)
        if entry is trial.value and entry is not None:
            return slot
        if entry is None and trial.value is None and (library or slot in trial.opened):
            return slot
    return "__getattr__"


def _state(
    at: int, ended: int, key: str, there: str, trial: Trial, library: str, raised: bool, asks: object, found: _Found
) -> State:  # fmt: skip
    """What became of one rung."""
    if at == ended:
        own_raise = key == "__getattr__" and bool(trial.error)
        return "raised" if raised or own_raise or key == "AttributeError" else "found"
    if key in DRAWERS:
        by_library = bool(library) and (at < ended)
        opened = by_library or key in trial.opened
        if there and not opened:
            return "hidden"
        if opened:
            return "empty" if not there else "passed"
        return "unasked"
    if at > ended:
        return "hidden" if there and key not in ("__getattr__", "AttributeError") else "unasked"
    if key == "__getattr__":
        return "passed" if asks is not None else "absent"
    if there:
        return "passed"  # a descriptor whose getter raised an AttributeError
    if key == "class" and found.first and trial.fell_through:
        return "unasked"
    if key == "__dict__" and found.first and trial.fell_through:
        return "unasked"
    return "empty"


def _agrees(trial: Trial, known: str, rungs: tuple[Rung, ...], ended: int) -> bool | None:
    """Whether Python did what reading had predicted."""
    if trial.subject is None or not known:
        return None
    if known == "AttributeError" or trial.error:
        return known == "AttributeError" and trial.error.startswith("AttributeError")
    return rungs[ended].key == known


def _hasattr(trial: Trial, predicted: str, runs: bool) -> str:
    """What `hasattr` makes of it: it climbs the same ladder and looks only at how that ends."""
    if trial.subject is None:
        return "not tried" if runs else str(predicted != "AttributeError")
    if trial.error.startswith("AttributeError"):
        return "False"
    return f"raises {trial.error}" if trial.error else "True"


def _notes(
    module: object, name: str, found: _Found, rungs: tuple[Rung, ...], end: Rung, trial: Trial
) -> tuple[str, ...]:
    """What is worth knowing about this lookup."""
    shown = visible(name, 60)
    notes = shadows(shown, rungs, end)
    asks = defined_in(module, "__getattr__")[0]
    notes += remarks(
        shown, class_name(found.value), end, trial, asks is not None and of_a_library(asks)
    )
    if _climbs_itself(module):
        notes.insert(
            0,
            "The class has a `__getattribute__` of its own. It runs at every access and may search in another order.",
        )
    if end.step == "–" and asks is None and any(name in _entries(module, d) for d in DRAWERS):
        notes.append(f"`{shown}` is in a drawer, but there is no `__getattr__` to fetch it.")
    return tuple(notes)
