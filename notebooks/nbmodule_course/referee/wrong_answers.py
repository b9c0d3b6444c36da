"""Named wrong answers: each is a patch of the solution, and its differences tell it from all others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .budget import budget
from .calls import traits_of_calls
from .compare import Overtime, Pair
from .groups import Calls, Group, WrongAnswer
from .solutions import build, patched, solution_class, solution_source
from .world import subject

if TYPE_CHECKING:
    from ..exercise import Exercise

MOST = 120
"""Programs of one group that are looked at to tell mistakes apart."""


def source_of(exercise: Exercise, answer: WrongAnswer) -> str:
    """Return the cell of a reader who made this mistake.

    Raises:
        ValueError: the patch does not fit the solution.
    """
    return patched(solution_source(exercise.id), answer.patch, answer.remove)


def item_of(exercise: Exercise, source: str) -> Any:
    """Return what `check` would be given if `source` stood in the exercise's cell."""
    return build(exercise.id, source)[exercise.takes[0]]


def diagnosis(exercise: Exercise, item: Any) -> str:
    """Return the sentence of the wrong answer that behaves as `item` does, or ''."""
    mine = Trail(exercise, item)
    for answer in exercise.referee.wrong:
        theirs = trail_of(exercise.id, answer.name)
        if theirs is not None and mine.same_as(theirs) and _same_elsewhere(exercise, answer, item):
            return answer.says
    return ""


def _same_elsewhere(exercise: Exercise, answer: WrongAnswer, item: Any) -> bool:
    """Tell whether `item` behaves as a wrong answer on other programs as well: what is said must be true."""
    twin = item_of(exercise, source_of(exercise, answer))
    return Trail(exercise, item, part=2).same_as(Trail(exercise, twin, part=2))


class Trail:
    """How an item differs from the solution, program by program, as far as anybody has asked.

    Most wrong answers part from a reader's class at one of the first programs; the others are never run.

    Args:
        exercise: what is asked.
        item: a class or function.
        part: 1 or 2: of many programs, which part is looked at.
    """

    def __init__(self, exercise: Exercise, item: Any, part: int = 1) -> None:
        self._steps = _steps(exercise, item, part)
        self._known: list[Any] = []
        self._slow = False

    def __getitem__(self, index: int) -> Any:
        """Return how program `index` differs, None if it does not.

        Raises:
            IndexError: there are fewer programs.
            Overtime: the item is too slow to be looked at.
        """
        if self._slow:
            raise Overtime
        while len(self._known) <= index:
            try:
                self._known.append(next(self._steps))
            except StopIteration:
                raise IndexError(index) from None
            except BaseException as error:  # what is left of the steps is not to be had any more
                self._slow = True
                raise error
        return self._known[index]

    def same_as(self, other: Trail) -> bool:
        """Tell whether two items differ from the solution in the same way; it stops where they part."""
        try:
            with budget():
                for index in itertools.count():
                    one, two = self._at(index), other._at(index)
                    if one != two:
                        return False
                    if one is _END:
                        return True
        except Overtime:
            pass
        return False

    def _at(self, index: int) -> Any:
        try:
            return self[index]
        except IndexError:
            return _END


_END = "the end"


@lru_cache(maxsize=512)
def trail_of(exercise_id: str, name: str) -> Trail | None:
    """Return the trail of a named wrong answer; it is followed as far as it is needed, and kept."""
    from ..exercise import find_exercise

    exercise = find_exercise(exercise_id)
    answer = next(answer for answer in exercise.referee.wrong if answer.name == name)
    try:
        return Trail(exercise, item_of(exercise, source_of(exercise, answer)))
    except (ValueError, SyntaxError):  # the solution has changed; a test tells its author
        return None


def same_mistake(exercise_id: str, one: str, other: str) -> bool:
    """Tell whether two named wrong answers differ from the solution in the same way."""
    first, second = trail_of(exercise_id, one), trail_of(exercise_id, other)
    return first is not None and second is not None and first.same_as(second)


def _steps(exercise: Exercise, item: Any, part: int) -> Iterator[Any]:
    """Yield which methods it lacks, then for each program how `item` differs, or None; many differences are enough."""
    from ..exercise import find_exercise

    yield unwritten(exercise, item) or None
    earlier = [group for name in exercise.keeps for group in find_exercise(name).referee.groups]
    for group in [*exercise.referee.groups, *earlier]:
        stride = 1 if isinstance(group, Calls) else max(1, len(group.programs) // MOST)
        if part == 2 and stride == 1:
            continue  # all of them were looked at in part 1
        if isinstance(group, Calls):
            ours = solution_class(exercise.id, exercise.takes[0])
            yield from traits_of_calls(ours, item, group)
            continue
        programs = group.programs[0 if part == 1 else stride // 2 :: stride]
        yield from pair_of(exercise, item, group).traits(programs)


def pair_of(exercise: Exercise, item: type, group: Group) -> Pair:
    """Return our class and the reader's, ready for the programs of a group."""
    name = exercise.takes[0]
    ours = _our_subject(exercise.id, name)
    return Pair(ours, subject(item, name), group.names, drawers=group.drawers)


@lru_cache(maxsize=256)
def _our_subject(exercise_id: str, name: str) -> type:
    return subject(solution_class(exercise_id, name), name)


def unwritten(exercise: Exercise, item: Any) -> tuple[str, ...]:
    """Return which of the methods that are asked for a class lacks: not to write one is a mistake of its own."""
    if not isinstance(item, type):
        return ()
    has = set().union(*map(vars, item.__mro__[:-1]))
    asked = exercise.writes
    if exercise.takes[0] in asked:  # a whole class: the methods that our solution gives it
        asked = tuple(
            n for n in vars(solution_class(exercise.id, exercise.takes[0])) if n not in dir(object)
        )
    return tuple(name for name in asked if name not in has)
