"""Trying a lookup: what Python really returns or raises, and which drawers the reader's `__getattr__` opens."""

from __future__ import annotations

import contextlib
import io
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nbmodule_widgets.facts.slots import describe
from nbmodule_widgets.facts.tensors import TensorReader
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.following import (
    CountedLine,
    Following,
    code_of,
    defined_in,
    library_of,
    said_of,
    source_lines,
)
from nbmodule_widgets.protocol import DRAWERS, is_exactly, mro_of, own_dict, plain_text, type_name

_NAMES = 400  # that the page offers
_OFTEN = 40  # calls of `__getattr__` in one lookup


@dataclass(slots=True)
class Trial:
    """What came of trying a lookup.

    Attributes:
        subject: The object on which it was tried, or None if it was not.
        tried: How, or why not.
        value: What came back.
        words: That in words.
        error: What was raised, or the empty string.
        asked: Whether `__getattr__` was called.
        fell_through: Whether a descriptor's getter raised an AttributeError, which sends Python on to `__getattr__`.
        inner: What that getter had raised.
        opened: The drawers in which `__getattr__` looked for the name, in order.
        repeated: Whether `__getattr__` was called again and again.
        listed: What `dir()` returned, or None if it was not asked or raised.
        unlisted: What `dir()` raised, or why it was not asked.
        source: The lines of the reader's code, with those that ran.
        source_of: Whose lines they are.
    """

    subject: object
    tried: str
    value: Any = None
    words: str = ""
    error: str = ""
    asked: bool = False
    fell_through: bool = False
    inner: str = ""
    opened: list[str] = field(default_factory=list)
    repeated: bool = False
    listed: list[str] | None = None
    unlisted: str = "not asked"
    source: tuple[CountedLine, ...] = ()
    source_of: str = ""


def on_itself(module: object, name: str) -> Trial:
    """Looks the name up on the object itself: right where only Python's and a library's own code runs.

    Args:
        module: The object.
        name: The attribute's name.
    """
    trial = Trial(module, "on the object itself, since no code of yours runs")
    getter = code_of(defined_in(module, "__getattr__")[1])
    with Following({getter} if getter else set()) as following:
        _look(trial, module, name)
    trial.asked = bool(following.calls)
    _list(trial, module)
    return trial


def on_a_copy(copy: object, name: str, in_class: object, runs: bool) -> Trial:
    """Looks the name up on a copy, where the reader's code may do what it likes.

    Args:
        copy: The copy; it is used up.
        name: The attribute's name.
        in_class: What the class has under this name.
        runs: Whether that runs code when it is read, as a property does.
    """
    trial = Trial(copy, "on a copy")
    with _quietly():
        _list(trial, copy)
        _watch_drawers(copy, name, trial)
        asks = defined_in(copy, "__getattr__")[1]
        getter = in_class.fget if type(in_class) is property else getattr(in_class, "func", None) if runs else None  # fmt: skip
        codes = {code for code in (code_of(asks), code_of(getter)) if code is not None}
        with Following(codes) as following:
            _look(trial, copy, name)
        trial.repeated = following.count > _OFTEN
        calls = [call for call in following.calls if any(type(v) is str and v == name for v in call.values[1:2])]  # fmt: skip
        trial.asked = any(call.code is code_of(asks) for call in calls)
        if runs and (trial.asked or trial.error.startswith("AttributeError")):
            again = Trial(copy, "")
            get = mro_of(type(in_class))
            bound = next(c.__dict__["__get__"] for c in get if "__get__" in c.__dict__)
            _attempt(again, lambda: bound(in_class, copy, type(copy)))
            if again.error.startswith("AttributeError"):
                trial.inner, trial.fell_through = again.error, True
    if not library_of(copy, "__getattr__") or code_of(getter) is not None:
        shown = next(iter(following.calls), None)
        if shown is not None:
            trial.source = source_lines(shown)
            owner = defined_in(copy, shown.name)[0]
            place = visible(type_name(owner), 60) + "." if owner is not None else ""
            trial.source_of = f"{place}{visible(shown.name, 60)}"
    return trial


def _look(trial: Trial, subject: object, name: str) -> None:
    _attempt(trial, lambda: getattr(subject, name))
    if not trial.error:
        trial.words = describe(trial.value, TensorReader())


def _attempt(trial: Trial, action: Callable[[], Any]) -> None:
    try:
        trial.value = action()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        trial.error = said_of(error)


def _list(trial: Trial, subject: object) -> None:
    """Asks `dir()`, which may be the reader's own."""
    asked = Trial(None, "")
    _attempt(asked, lambda: dir(subject))
    if asked.error:
        trial.unlisted = f"raises {asked.error}"
    else:
        trial.listed = [plain_text(n) for n in asked.value if issubclass(type(n), str)]


class _Watched(dict):
    """A drawer that tells when somebody asks it for the name."""

    note: Callable[[], None]

    def __contains__(self, key: object) -> bool:
        self.note()
        return super().__contains__(key)

    def __getitem__(self, key: Any) -> Any:
        self.note()
        return super().__getitem__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        """As that of a dict."""
        self.note()
        return super().get(key, default)

    def __iter__(self) -> Any:
        self.note()
        return super().__iter__()

    def items(self) -> Any:
        """As those of a dict."""
        self.note()
        return super().items()


def _watch_drawers(copy: object, name: str, trial: Trial) -> None:
    """Puts drawers into the copy that tell when they are opened."""
    own = own_dict(copy)
    for slot in DRAWERS:
        found = own.get(slot)
        if not is_exactly(found, dict, OrderedDict):
            continue
        watched = _Watched(found)  # type: ignore[arg-type]

        def note(slot: str = slot) -> None:
            if slot not in trial.opened:
                trial.opened.append(slot)

        watched.note = note
        own[slot] = watched


@contextlib.contextmanager
def _quietly() -> Any:
    """What the reader's code prints does not appear under a cell that it has nothing to do with."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def asked_to_list(name: str, trial: Trial) -> tuple[str, str]:
    """What `dir()` says about a name, and what the Tab key offers.

    Returns:
        Two short texts.
    """
    if trial.listed is None:
        return trial.unlisted, "offers nothing" if trial.unlisted.startswith("raises") else "not known"  # fmt: skip
    if name not in trial.listed:
        return "does not list it", "does not offer it"
    if not name.isidentifier():
        return "lists it", "does not offer it: it cannot be typed after a dot"
    if name.startswith("_"):
        return "lists it", "offers it once you have typed `_`"
    return "lists it", "offers it"


def names_in(module: object, trial: Trial) -> tuple[str, ...]:
    """Names that there are: what lies in the drawers and on the object, then what `dir()` lists.

    Args:
        module: The object.
        trial: What `dir()` said.
    """
    own = own_dict(module)
    found: dict[str, None] = {}
    for slot in DRAWERS:
        entries: Any = own.get(slot)
        if issubclass(type(entries), dict):
            found.update((key, None) for key in dict.keys(entries) if type(key) is str)
    found.update((key, None) for key in list(own) if type(key) is str and not key.startswith("_"))
    found.update((key, None) for key in trial.listed or () if not key.startswith("_"))
    found.update((key, None) for key in list(own) if type(key) is str)
    return tuple(visible(key, 100) for key in found)[:_NAMES]
