"""Runs a program on two classes, and finds the shortest program on which they differ."""

from __future__ import annotations

import inspect
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..capture import captured
from ..diagnosis import what_it_said
from .chance import begin_again
from .steps import Program, Step
from .world import DRAWERS, Aftermath, Pool, State, World, aftermath, state

Pulse = Callable[[], None]
"""Called before each program: the place where a time budget may end the whole run."""


ENOUGH = 60
"""Differences of one group that make a fingerprint."""


@dataclass(frozen=True)
class Outcome:
    """What one step did, and how everything lay after it.

    Attributes:
        gave: what came back, as a report calls it; "" if something was raised.
        value: what came back, itself.
        error: the exception that was raised, or None.
        printed: what was printed meanwhile.
        state: see `world.state`.
    """

    gave: str
    value: Any
    error: BaseException | None
    printed: str
    state: State


@dataclass(frozen=True)
class Difference:
    """Where the reader's class does something else than the solution.

    Attributes:
        program: the shortest program that shows it; its last step is the one that differs.
        ours: what the solution did in the last step; None if the two could not even be made.
        theirs: what the reader's class did.
        aspect: "outcome", "words", "state", "values", or "made" when the object could not be made.
        detail: for "words", those missing in the message; for "state", the parts that differ.
        values: for "values", the names of those that were changed.
    """

    program: Program
    ours: Outcome
    theirs: Outcome
    aspect: str
    detail: tuple[str, ...] = ()

    @property
    def step(self) -> Step | None:
        """Return the step that differs; None if the object could not be made."""
        return self.program.steps[-1] if self.program.steps else None


def perform(
    Class: type, program: Program, pool: Pool, names: Iterable[str], drawers=DRAWERS
) -> list[Outcome]:
    """Run `program` on an object of `Class`; the first outcome is that of making the object."""
    trail: list[Outcome] = []
    begin_again()
    with warnings.catch_warnings(), captured() as seen:  # as in `calls._ask`
        made = _attempt(lambda: World(Class, program.made, pool))
        if isinstance(made, BaseException):
            return [Outcome("", None, made, seen.getvalue(), {})]
        world: World = made
        trail.append(Outcome("", None, None, "", state(world, names, drawers)))
        for step in program.steps:
            before = len(seen.getvalue())
            value = _attempt(lambda step=step: (closed(step.act(world)),))
            printed = seen.getvalue()[before:]
            after = state(world, names, drawers)
            if isinstance(value, BaseException):
                trail.append(Outcome("", None, value, printed, after))
            else:
                gave = world.label(value[0])
                trail.append(Outcome(gave, value[0], None, printed, after))
    return trail


class Overtime(BaseException):
    """The reader's code has had its time. Nothing but the engine catches this."""

    during = ""
    """The call that was running, as a report shows it; '' where it isn't known."""


class Waited(Overtime):
    """The reader's code has had its time, and most of it went by while it did nothing."""


def _attempt(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (KeyboardInterrupt, Overtime):
        raise
    except BaseException as error:
        return error


class Pair:
    """The solution's class and the reader's, ready for many programs.

    Args:
        Ours: a `subject` of the solution's class.
        Theirs: a `subject` of the reader's.
        names: the attribute names whose place in `__dict__` is compared.
        pulse: called before each program.
        drawers: the slots that are compared.
    """

    def __init__(
        self,
        Ours: type,
        Theirs: type,
        names: Iterable[str],
        *,
        drawers: tuple[str, ...] = DRAWERS,
        pulse: Pulse = lambda: None,
    ) -> None:
        self.Ours, self.Theirs, self.names = Ours, Theirs, tuple(names)
        self.drawers, self.pulse = drawers, pulse

    def differ(self, program: Program) -> Difference | None:
        """Run `program` on both classes, with values made for it; return where they differ first."""
        self.pulse()
        if any(self._has_own(name) for step in program.steps for name in step.names):
            return None
        ours, after_ours = _run_of_ours(self.Ours, program, self.names, self.drawers)
        theirs, after_theirs = _run(self.Theirs, program, self.names, self.drawers)
        for index, (one, other) in enumerate(zip(ours, theirs, strict=False)):
            names = program.steps[index - 1].names if index else ()
            found = unlike(one, other, names)
            if found:
                return Difference(program.first(index), one, other, *found)
        changed = _changed(after_ours, after_theirs)
        if changed:
            return Difference(program, ours[-1], theirs[-1], "values", changed)
        return None

    def _has_own(self, name: str) -> bool:
        """Tell whether `name` is a method of the reader's class only: how it is built is not compared."""
        found = inspect.getattr_static(self.Theirs, name, None)
        return inspect.isroutine(found) and not hasattr(self.Ours, name)

    def first(self, programs: Iterable[Program]) -> Difference | None:
        """Return a difference that a short one of `programs` shows, or None."""
        for program in sorted(programs, key=lambda program: len(program.steps)):
            found = self.differ(program)
            if found is not None:
                return found
        return None

    def shortest(self, found: Difference) -> Difference:
        """Leave out every step that the difference does not need."""
        index = len(found.program.steps) - 2
        while index >= found.program.kept:
            less = self.differ(found.program.without(index))
            if less is not None and less.aspect == found.aspect and _last(less) is _last(found):
                found = less
            index = min(index, len(found.program.steps) - 1) - 1
        return found

    def traits(self, programs: Iterable[Program]) -> Iterator[Any]:
        """Yield the difference that each of `programs` shows, or None, until there are enough.

        Two answers with the same traits make the same mistake.
        """
        found = 0
        for program in programs:
            difference = self.differ(program)
            if difference is None:
                yield None
                continue
            yield len(difference.program.steps), _essence(difference)
            found += 1
            if found == ENOUGH:
                return


def _run(
    Class: type, program: Program, names: tuple[str, ...], drawers: tuple[str, ...]
) -> tuple[list[Outcome], Aftermath]:
    """Return what each step did on `Class`, and what became of the values."""
    pool = Pool()
    return perform(Class, program, pool, names, drawers), aftermath(pool)


# Each wrong answer is held against the same programs: our half of them is run once (a third less time for 800 answers).
_run_of_ours = lru_cache(maxsize=4096)(_run)


def closed(value: Any) -> Any:
    """Return a value as it is; a coroutine is closed first, or Python warns that nobody waited for it."""
    if inspect.iscoroutine(value):
        value.close()
    return value


def unlike(
    ours: Outcome, theirs: Outcome, names: tuple[str, ...]
) -> tuple[str, tuple[str, ...]] | None:
    """Return in which aspect two outcomes differ, with details; None if they are equally good."""
    if (ours.error is None) != (theirs.error is None):
        return "outcome", ()
    if ours.error is None or theirs.error is None:
        if not same_text(ours.gave, theirs.gave):
            return "outcome", ()
    elif not isinstance(theirs.error, type(ours.error)):
        return "outcome", ()
    else:
        missing = _missing_words(ours.error, theirs.error, names)
        if missing:
            return "words", missing
    parts = tuple(part for part in ours.state if ours.state[part] != theirs.state.get(part))
    return ("state", parts) if parts else None


def same_text(ours: str, theirs: str) -> bool:
    """Tell whether two results are the same but for the last digits of their numbers."""
    if ours == theirs:
        return True
    if without_numbers(ours) != without_numbers(theirs):
        return False
    pairs = zip(_FLOAT.findall(ours), _FLOAT.findall(theirs), strict=True)
    return all(a == b or (set("e.") & {*a, *b} and near(float(a), float(b))) for a, b in pairs)


def without_numbers(text: str) -> str:
    """Return a text in which each number is a "#"."""
    return _FLOAT.sub("#", text)


def near(one: float, other: float) -> bool:
    """Tell whether two numbers are what two ways of computing the same give."""
    return one == other or math.isclose(one, other, rel_tol=2e-5, abs_tol=1e-6)


_FLOAT = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]\d+)?(?![\w.])")


def message_of(error: BaseException) -> str:
    """Return the message of an exception, whatever its `__str__` does."""
    try:
        return "" if isinstance(error, RecursionError) else str(error)
    except Exception:
        return "(a message that cannot be shown)"


def _missing_words(
    ours: BaseException, theirs: BaseException, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Return what our message names and theirs does not: the attribute and the class, or `__init__`."""
    said, expected = message_of(theirs), message_of(ours)
    wanted = ("__init__",) if "__init__" in expected else (*names, "Zebra")
    return tuple(word for word in wanted if _names(word, expected) and not _names(word, said))


def _names(word: str, message: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", message) is not None


def _changed(here: Aftermath, there: Aftermath) -> tuple[str, ...]:
    """Return what was changed in the values of ours and of theirs, in words."""
    changed: list[str] = []
    for name in here:
        one, other = here[name], there.get(name, here[name])
        new = [attribute for attribute in other[-1] if attribute not in one[-1]]
        if one[0] != other[0] or (one[-1] != other[-1] and not new):
            changed.append(f"`{name}` itself has changed")
        elif one[1] != other[1]:
            changed.append(f"the numbers in `{name}` have changed")
        changed += [f"`{name}` has a new attribute `{attribute}`" for attribute in new]
    return tuple(changed)


def _last(found: Difference) -> Step | None:
    return found.step


def _essence(found: Difference) -> Any:
    """Return what matters of a difference; not the wording of a message."""
    theirs = found.theirs
    if found.aspect == "outcome":
        if theirs.error is None:
            return theirs.gave
        unexpected = (
            found.ours.error is None
        )  # then the message is Python's, and says which mistake it is
        return what_it_said(theirs.error) if unexpected else type(theirs.error).__name__
    if found.aspect == "state":
        return tuple((part, repr(theirs.state.get(part))) for part in found.detail)
    return found.aspect, found.detail
