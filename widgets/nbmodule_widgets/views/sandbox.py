"""Trying a line on a copy of a Module, and saying in a sentence where things landed.

The line is the reader's own, typed by them; nothing that comes from a model or a file is ever run. It runs on a
deep copy, in a copy of the reader's names, and the random generators are put back afterwards: whatever the
line does to `self`, the original stays as it was.
"""

from __future__ import annotations

import contextlib
import io
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nbmodule_widgets.facts.hidden import modules_in
from nbmodule_widgets.facts.random_state import generators_kept
from nbmodule_widgets.facts.slots import describe, misplaced
from nbmodule_widgets.facts.tensors import TensorReader
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    DRAWERS,
    SLOTS,
    article,
    class_name,
    error_text,
    has_drawers,
    own_dict,
    set_entries,
)
from nbmodule_widgets.views.copying import Copied, copied

PLAIN = "__dict__"
_OURS = ("self", "super")
_SENTENCES = 4  # more changes than these are only counted
_PRINTED = 10_000  # characters of a line's output that are kept
_PLAIN_NOTE = "invisible to parameters(), state_dict() and .to()"


@dataclass(frozen=True, slots=True)
class Move:
    """One name that changed its place.

    Attributes:
        name: The name.
        before: The drawer it was in: `"_modules"`, `"__dict__"` for a plain attribute, or None for nowhere.
        after: The drawer it is in now, or None if it is gone.
    """

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Landing:
    """What a line did to the copy.

    Attributes:
        line: The line.
        name: The name that landed or left; the empty string if none did.
        before: Where it was: `"_modules"`, `"__dict__"` for a plain attribute, None for nowhere.
        after: Where it is now.
        sentence: What happened, in words.
        error: `"TypeError: ..."` if the line raised, otherwise the empty string.
        moves: Every name that changed its place, the first of them being `name`.
    """

    line: str
    name: str
    before: str | None
    after: str | None
    sentence: str
    error: str = ""
    moves: tuple[Move, ...] = ()


class Sandbox:
    """A module and, from the first line on, a copy of it to play with.

    Args:
        original: The module. It is read and copied, never changed.
        namespace: Names that the lines may use.
    """

    def __init__(self, original: object, namespace: dict[str, Any]) -> None:
        self.original = original
        self._namespace = namespace
        self._names: dict[str, Any] = {}
        self._copied: Copied | None = None

    @property
    def current(self) -> object:
        """The copy if there is one, otherwise the original."""
        return self.original if self._copied is None else self._copied.module

    @property
    def is_copy(self) -> bool:
        """Whether a line has been run since the last reset."""
        return self._copied is not None

    def reset(self) -> None:
        """Throws the copy away."""
        self._copied, self._names = None, {}

    def run(self, line: str, reader_names: dict[str, Any]) -> Landing:
        """Runs a line on the copy.

        Args:
            line: Python, with `self` standing for the module.
            reader_names: The reader's notebook variables. Those that stand for the module or for a part
                of it stand for the copy's part, so that `model.fc = ...` does not reach the original.
        """
        with generators_kept():
            if self._copied is None:
                made = copied(self.original)
                if made.problem:
                    return _uncopied(line, self.original, made.problem)
                self._copied = made
            self_ = self._copied.module
            given = self._copied.stand_ins({**reader_names, **self._namespace})
            names = {**given, **self._names, "self": self_, "super": _super_of(self_)}
            before = _contents(self_)
            said, error = _execute(line, names)
            self._names = {
                k: v for k, v in names.items() if given.get(k) is not v and k not in _OURS
            }
        moves = _moves(before, _contents(self_))
        return self._landing(line, moves, said, error, before)

    def _landing(
        self, line: str, moves: list[Move], said: str, error: str, before: dict[str, dict[str, Any]]
    ) -> Landing:
        sentences = self._sentences(moves, before)
        if error:
            sentences.insert(
                0, "The line raised an exception" + ("." if moves else ", and nothing moved.")
            )
        elif not moves:
            sentences.append("No drawer changed. (Only this module's own drawers are compared.)")
        if said:
            sentences.append(said)
        first = moves[0] if moves else Move("", None, None)
        text = " ".join(sentences)
        return Landing(line, first.name, first.before, first.after, text, error, tuple(moves))

    def _sentences(self, moves: list[Move], before: dict[str, dict[str, Any]]) -> list[str]:
        """A sentence for each move; many new slots, as `super().__init__()` makes them, share one."""
        created = [move for move in moves if move.name in SLOTS and move.before is None]
        sentences = []
        if len(created) > 2:
            names = ", ".join(f"`{move.name}`" for move in created)
            sentences.append(f"{len(created)} slots were created: {names}.")
            moves = [move for move in moves if move not in created]
        sentences += [self._sentence(move, before) for move in moves[:_SENTENCES]]
        if len(moves) > _SENTENCES:
            sentences.append(f"And {len(moves) - _SENTENCES} more changes.")
        return sentences

    def _sentence(self, move: Move, before: dict[str, dict[str, Any]]) -> str:
        name = f"`{visible(move.name, 60)}`"
        if move.name in SLOTS:
            return _slot_sentence(move, self.current)
        if move.after is None:
            home = "the plain attributes" if move.before == PLAIN else f"`{move.before}`"
            return f"{name} was removed from {home}."
        contents = _contents(self.current)
        homes = [place for place in (*DRAWERS, PLAIN) if move.name in contents.get(place, {})]
        if len(homes) > 1:
            listed = " and ".join(f"`{home}`" for home in homes)
            return f"{name} is in {len(homes)} places now: {listed}. One name should have one home."
        value = contents[move.after][move.name]
        return f"{name} {_arrival(value, move)}{_departure(value, move, before)}"


def _super_of(module: object) -> Callable[..., Any]:
    """`super()` as it works in a method of the module's class; a line on its own is in no method."""

    def bound(*arguments: Any) -> Any:
        return super(*arguments) if arguments else super(type(module), module)  # type: ignore[arg-type]

    return bound


def _arrival(value: object, move: Move) -> str:
    """`is a Module: it went to ...`: the sentence after the name."""
    if move.after == PLAIN:
        return _plain_arrival(value)
    if value is None:
        return f"is None now, and stays registered in `{move.after}`."
    if move.after == "_modules":
        return "is a Module: it went to `_modules`, not to `__dict__`."
    kind = article(visible(class_name(value), 60))
    if move.after == "_parameters":
        return f"is {kind}: it went to `_parameters`, where the optimizer finds it."
    if move.after == "_buffers":
        return f"is {kind}: it went to `_buffers`, saved and moved but not trained."
    return f"is {kind}: it went to `{move.after}`."


def _plain_arrival(value: object) -> str:
    kind = article(visible(class_name(value), 60))
    if has_drawers(value):
        return (
            "is a Module, but it stayed a plain attribute in `__dict__`: this class has no `__setattr__` that "
            f"would put it into `_modules`, so it is {_PLAIN_NOTE}."
        )
    inside = modules_in(value)
    if inside:
        remedy = "nn.ModuleDict" if type(value) is dict else "nn.ModuleList"
        holds = "a Module" if len(inside) == 1 else f"{len(inside)} Modules"
        return f"is {kind} that holds {holds}: a plain attribute, {_PLAIN_NOTE}. Use `{remedy}`."
    if misplaced(value, TensorReader()):
        return f"is {kind} that requires a gradient, but a plain attribute in `__dict__`: {_PLAIN_NOTE}."
    return f"is {kind}: it stayed in `__dict__` as a plain attribute, {_PLAIN_NOTE}."


def _departure(value: object, move: Move, before: dict[str, dict[str, Any]]) -> str:
    """What became of the entry that had the name before."""
    if move.before is None:
        return ""
    old = article(visible(class_name(before[move.before][move.name]), 60))
    if move.before == move.after:
        return f" It replaced {old}."
    home = "the plain attributes" if move.before == PLAIN else f"`{move.before}`"
    return f" The entry that was in {home} ({old}) was evicted."


def _slot_sentence(move: Move, module: object) -> str:
    """A slot itself came, went or changed."""
    if move.after is None:
        return f"The slot `{move.name}` was removed."
    value = own_dict(module).get(move.name)
    words = describe(value, TensorReader())
    if move.before is None:
        return f"The slot `{move.name}` was created: {words}."
    return f"`{move.name}` is {words} now."


def _contents(module: object) -> dict[str, dict[str, Any]]:
    """Everything in a module's `__dict__`: the plain attributes and slots, and each dictionary's entries."""
    own = own_dict(module)
    found: dict[str, dict[str, Any]] = {PLAIN: _by_name(own)}
    for slot in SLOTS:
        value: Any = own.get(slot)
        if issubclass(type(value), dict):
            found[slot] = _by_name(value)
        elif issubclass(type(value), (set, frozenset)):
            found[slot] = {visible(key): key for key in set_entries(value)}
    return found


def _by_name(entries: dict[Any, Any]) -> dict[str, Any]:
    """A dictionary's entries under the names by which they are shown."""
    return {visible(key): item for key, item in list(dict.items(entries))}


def _moves(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]) -> list[Move]:
    """The names whose place or object is another one now; new slots first, then the drawers in order."""
    moves = []
    places = (PLAIN, *DRAWERS, *(slot for slot in SLOTS if slot not in DRAWERS))
    left = {
        name: place
        for place in reversed(
            places
        )  # a buffer lies in `_buffers`; that another slot names it, too, matters less
        for name in before.get(place, {})
        if name not in after.get(place, {})
    }
    for place in places:
        old = before.get(place, {})
        for name, value in after.get(place, {}).items():
            if name not in old:
                moves.append(Move(name, left.pop(name, None), place))
            elif old[name] is not value:
                moves.append(Move(name, place, place))
    moves += [Move(name, place, None) for name, place in left.items()]
    return moves


class _Printed(io.StringIO):
    """The beginning of what a line prints; `while True: print()` must not fill the memory."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, _PRINTED - self.tell())])
        return len(text)


def _execute(line: str, names: dict[str, Any]) -> tuple[str, str]:
    """Runs the line; returns what it printed or is worth, and what it raised."""
    printed = _Printed()
    source = textwrap.dedent(line).strip()
    value: Any = None
    error = ""
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                code = compile(source, "<your line>", "eval", dont_inherit=True)
            except SyntaxError:
                exec(compile(source, "<your line>", "exec", dont_inherit=True), names)
            else:
                value = eval(code, names)
    except BaseException as raised:  # also the KeyboardInterrupt that stops an endless line
        error = visible(error_text(raised), 2000)
    names.pop("__builtins__", None)
    said = []
    if printed.getvalue():
        said.append(f"It printed: {visible(printed.getvalue().strip(), 300)}")
    if value is not None and not error:
        said.append(f"Its value is {describe(value, TensorReader())}.")
    return " ".join(said), error


def _uncopied(line: str, module: object, problem: str) -> Landing:
    sentence = (
        f"This {visible(class_name(module), 60)} could not be copied ({visible(problem, 300)}), and the original "
        "must not change: so the line was not run."
    )
    return Landing(line, "", None, None, sentence, visible(problem, 300))
