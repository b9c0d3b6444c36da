"""Named wrong answers: each is a patch of the solution, and its differences are its fingerprint."""

from __future__ import annotations

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
"""Programs of one group that a fingerprint looks at."""


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
    mine = traits(exercise, item)
    if not mine:
        return ""
    prints = fingerprints(exercise.id)
    for answer in exercise.referee.wrong:
        if prints.get(answer.name) == mine and _same_elsewhere(exercise, answer, item):
            return answer.says
    return ""


def _same_elsewhere(exercise: Exercise, answer: WrongAnswer, item: Any) -> bool:
    """Tell whether `item` behaves as a wrong answer on other programs as well: what is said must be true."""
    twin = item_of(exercise, source_of(exercise, answer))
    return traits(exercise, item, part=2) == traits(exercise, twin, part=2)


@lru_cache(maxsize=64)
def fingerprints(exercise_id: str) -> dict[str, Any]:
    """Return the fingerprint of each named wrong answer of an exercise, by name."""
    from ..exercise import find_exercise

    exercise = find_exercise(exercise_id)
    found: dict[str, Any] = {}
    for answer in exercise.referee.wrong:
        try:
            found[answer.name] = traits(exercise, item_of(exercise, source_of(exercise, answer)))
        except (ValueError, SyntaxError):  # the solution has changed; a test tells its author
            continue
    return found


def traits(exercise: Exercise, item: Any, part: int = 1) -> tuple[Any, ...]:
    """Return how `item` differs from the solution; () if it takes too long.

    Args:
        exercise: what is asked.
        item: a class or function.
        part: 1 or 2: of many programs, which part is looked at.
    """
    try:
        with budget():
            differ = tuple(_traits_of(exercise, group, item, part) for group in _groups(exercise))
            return _written(exercise, item), *differ
    except Overtime:
        return ()


def _written(exercise: Exercise, item: Any) -> tuple[str, ...]:
    """Return which of the methods that are asked for the class has: not to write one is a mistake of its own."""
    owners = item.__mro__[:-1] if isinstance(item, type) else ()
    return tuple(name for name in exercise.writes if any(name in vars(owner) for owner in owners))


def _groups(exercise: Exercise) -> list[Group | Calls]:
    from ..exercise import find_exercise

    earlier = [group for name in exercise.keeps for group in find_exercise(name).referee.groups]
    return [*exercise.referee.groups, *earlier]


def _traits_of(exercise: Exercise, group: Group | Calls, item: Any, part: int) -> Any:
    if isinstance(group, Calls):
        return traits_of_calls(build(exercise.id)[exercise.takes[0]], item, group)
    stride = max(1, len(group.programs) // MOST)
    programs = group.programs[0 if part == 1 else stride // 2 :: stride]
    ours = subject(solution_class(exercise.id))
    return Pair(ours, subject(item), group.names, drawers=group.drawers).traits(programs)
