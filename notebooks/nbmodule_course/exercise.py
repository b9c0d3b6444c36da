"""What an exercise is: a title, what it takes, three hints, and the things that are looked at.

`checks/chNN.py` describes the exercises of one chapter with plain functions:

    ex = Exercise("02.3", title="One name, one home", takes=("MyModule",), hints=("…", "…", "…"))

    @ex.sub("a second assignment moves the name")
    def moves(MyModule):
        module = MyModule()
        module.w = Parameter(tensor(1.0))
        module.w = None
        expect(
            "w" in module._parameters,
            did="after `m.w = Parameter(..)` and `m.w = None`, `w` is gone from `_parameters`",
            real="PyTorch keeps the name `w`, with the value None",
            likely="the branch for None is missing: None is let through to `__dict__`",
        )
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from .numbering import EXERCISE_ID, chapter_of_id, order_of
from .referee.chance import undisturbed
from .referee.groups import Referee, WrongAnswer
from .referee.steps import Program
from .referee.world import DRAWERS
from .wording import UsageError, closest, listing

Importance = Literal["core", "useful", "extra"]

HINTS = 3


class Wrong(Exception):
    """A sub-check found the reader's code to be wrong: a diagnosis, not a crash.

    Args:
        did: what the reader's object did, as one sentence.
        real: what the real one does in the same place.
        likely: the mistake that usually leads here.
    """

    def __init__(self, did: str, real: str, likely: str = "") -> None:
        super().__init__(did)
        self.did, self.real, self.likely = did, real, likely


@dataclass(frozen=True)
class SubCheck:
    """One thing that is looked at: a name and the function that looks."""

    name: str
    look: Callable[..., None]


class Exercise:
    """An exercise of the course; creating one registers it under its id.

    Args:
        exercise_id: chapter and number, such as "02.3".
        title: a few words.
        takes: names of the objects that `check` is given. A capitalised name means a class.
        hints: exactly three, from a nudge to nearly the answer.
        minutes: how long a fresh reader needs.
        importance: "core" (later chapters stand on it), "useful" or "extra".
        writes: the methods or functions that the reader writes.
        keeps: earlier exercises whose programs are looked at again, by their ids.
        on_torch: whether a class on PyTorch's Module is looked at as well, if it has methods of its own.
    """

    def __init__(
        self,
        exercise_id: str,
        *,
        title: str,
        takes: tuple[str, ...],
        hints: tuple[str, ...],
        minutes: int = 10,
        importance: Importance = "core",
        writes: tuple[str, ...] = (),
        keeps: tuple[str, ...] = (),
        on_torch: bool = False,
    ) -> None:
        if not EXERCISE_ID.fullmatch(exercise_id):
            raise ValueError(f'exercise ids look like "02.3", got {exercise_id!r}')
        if len(hints) != HINTS:
            raise ValueError(f"exercise {exercise_id} has {len(hints)} hints instead of {HINTS}")
        if not takes:
            raise ValueError(f"exercise {exercise_id} takes nothing, so nothing can be checked")
        self.id, self.title, self.takes, self.hints = exercise_id, title, tuple(takes), hints
        self.minutes, self.importance = minutes, importance
        self.writes, self.keeps, self.on_torch = tuple(writes), tuple(keeps), on_torch
        self.subs: list[SubCheck] = []
        self.referee = Referee()
        self.defined_in = sys._getframe(1).f_globals.get("__name__", "")
        _register(self)

    def sub(self, name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Decorate a function that looks at the objects and raises `Wrong`; order is kept."""

        def add(look: Callable[..., None]) -> Callable[..., None]:
            if any(known.name == name for known in self.subs):
                raise ValueError(f"exercise {self.id} has two sub-checks named {name!r}")
            self.subs.append(SubCheck(name, look))
            return look

        return add

    def compare(
        self, name: str, *programs: Iterable[Program], drawers: tuple[str, ...] = DRAWERS
    ) -> None:
        """Compare the reader's class with the solution on these programs, the shortest first.

        Args:
            name: what they look at, in words: one line of the report.
            programs: lists of programs; see `referee.programs`.
            drawers: the slots of the object that are compared.
        """
        flat = [program for some in programs for program in some]
        self.referee.add_group(name, flat, drawers)

    def compare_calls(
        self,
        name: str,
        cases: Mapping[str, Callable[[], tuple[Any, ...]]],
        same: Callable[[Any, Any], bool] | None = None,
    ) -> None:
        """Compare the reader's function with the solution's.

        Args:
            name: what the calls look at, in words.
            cases: for each call its text, as "count(nn.Linear(4, 3))", and a function that makes the arguments anew.
            same: takes our result and the reader's, and tells whether it is as good; None: equal, of the same kind.
        """
        self.referee.add_calls(name, cases, same)

    def compare_uses(
        self,
        name: str,
        uses: Mapping[str, Callable[[Any], Any]],
        same: Callable[[Any, Any], bool] | None = None,
    ) -> None:
        """Compare the reader's class with the solution's, a class that is not `Module`; or a function that asks for its `Module`.

        Args:
            name: what the uses look at, in words.
            uses: for each its text, as "Scale(3).apply(10)", and a function that is given it and does that.
            same: see `compare_calls`.
        """
        made = {text: lambda use=use: (use,) for text, use in uses.items()}
        self.referee.add_calls(name, made, same, uses=True)

    def wrong(
        self, name: str, patch: Mapping[str, str], *, says: str, remove: tuple[str, ...] = ()
    ) -> None:
        """Name a usual wrong answer; tests try it, and it is the diagnosis of those who make the same mistake.

        Args:
            name: a few words.
            patch: what differs from the solution: `{"method": "def method(self): …"}` or `{"old text": "new text"}`.
            says: one sentence that names the mistake and what to change.
            remove: methods of the solution that are taken out.
        """
        self.referee.wrong.append(WrongAnswer(name, patch, says, remove))

    def wrongs(self, *rows: tuple[str, Mapping[str, str], str]) -> None:
        """Name several wrong answers, each as (name, patch, sentence); see `wrong`."""
        for name, patch, says in rows:
            self.wrong(name, patch, says=says)

    def __repr__(self) -> str:
        return f'Exercise("{self.id}", title="{self.title}")'


_exercises: dict[str, Exercise] = {}


def _register(exercise: Exercise) -> None:
    """Remember `exercise`; a cell that is run again may define it again, another module may not."""
    known = _exercises.get(exercise.id)
    if known is not None and known.defined_in != exercise.defined_in:
        raise ValueError(
            f"exercise {exercise.id} is already defined in {known.defined_in}: {known.title}"
        )
    _exercises[exercise.id] = exercise


def all_exercises() -> dict[str, Exercise]:
    """Return every exercise by id, in the order of the course."""
    _import_checks()
    return dict(sorted(_exercises.items(), key=lambda item: order_of(item[0])))


@cache
def _import_checks() -> None:
    from . import checks

    with undisturbed():  # some make the networks that they use
        for module in pkgutil.iter_modules(checks.__path__):
            importlib.import_module(f"{checks.__name__}.{module.name}")


def find_exercise(exercise_id: Any) -> Exercise:
    """Return the exercise with this id.

    Raises:
        UsageError: there is none; the message lists the ids of the chapter and the nearest one.
    """
    if isinstance(exercise_id, Exercise):
        return exercise_id
    if not isinstance(exercise_id, str):
        raise UsageError(
            f'An exercise is named by a string such as "02.3"; got {type(exercise_id).__name__}.'
        )
    if exercise_id in _exercises:
        return _exercises[exercise_id]
    known = all_exercises()
    if exercise_id in known:
        return known[exercise_id]
    chapter = chapter_of_id(exercise_id)
    same = [name for name in known if chapter_of_id(name) == chapter] or list(known)
    there = f"Possible: {listing(same)}." if same else "No exercises are installed."
    raise UsageError(f'There is no exercise "{exercise_id}".{closest(exercise_id, known)} {there}')


def expect(condition: object, *, did: str, real: str, likely: str = "") -> None:
    """Raise `Wrong` with this diagnosis unless `condition` holds."""
    if not condition:
        raise Wrong(did=did, real=real, likely=likely)


@dataclass(frozen=True)
class Attempt:
    """What came of calling something of the reader's: a value or an exception."""

    value: Any = None
    error: BaseException | None = None

    @property
    def said(self) -> str:
        """Return "TypeError: the message", or "no error"."""
        return "no error" if self.error is None else f"{type(self.error).__name__}: {self.error}"

    def raised(self, kind: type[BaseException], *words: str) -> bool:
        """Tell whether it raised a `kind` whose message holds all `words`."""
        return isinstance(self.error, kind) and all(word in str(self.error) for word in words)


def attempt(call: Callable[[], Any]) -> Attempt:
    """Call something that may, or must, raise; the reader's exception becomes a value."""
    try:
        return Attempt(value=call())
    except (Exception, RecursionError, SystemExit) as error:
        return Attempt(error=error)
