"""A wrong pass is not for ever: solved exercises are checked again when their check has become stricter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from . import progress_file
from .exercise import Exercise, all_exercises
from .numbering import order_of
from .referee.groups import Calls
from .referee.verdict import findings_of_earlier
from .wording import listing

ENGINE = "2"
"""Count this up when the referee itself sees more than before."""


def edition(exercise: Exercise) -> str:
    """Return what tells one edition of a check from another; '' for an exercise without programs."""
    if not exercise.referee.groups:
        return ""
    looked = [ENGINE, *(sub.name for sub in exercise.subs)]
    for group in exercise.referee.groups:
        looked.append(group.name)
        if isinstance(group, Calls):
            looked += [case.text for case in group.cases]
        else:
            looked += [f"{p.made} {[step.text for step in p.steps]}" for p in group.programs]
    return hashlib.sha256("\n".join(looked).encode()).hexdigest()[:12]


def checked_again(exercise: Exercise, item: Any) -> str:
    """Check the exercises before this one again whose checks have changed since they were solved.

    Args:
        exercise: what has just been solved.
        item: the reader's class, which holds the methods of the earlier exercises, too.

    Returns:
        What there is to say about it; '' if there is nothing.
    """
    earlier = {e.id: edition(e) for e in _before(exercise)}
    fallen = []
    for exercise_id in progress_file.solved_before(earlier):
        bad = next(
            (f for f in findings_of_earlier(exercise, exercise_id, item) if not f.passed), None
        )
        if bad is None:
            progress_file.record_check(exercise_id, "passed", earlier[exercise_id])
        else:
            progress_file.reopen(exercise_id)
            fallen.append(f"{exercise_id} ({bad.did})")
    if not fallen:
        return ""
    was, it = ("was", "it") if len(fallen) == 1 else ("were", "them")
    return (
        f"The checks catch more than they used to, so what you solved earlier {was} checked again: "
        f"{listing(fallen)}. Please look at {it} again."
    )


def _before(exercise: Exercise) -> Iterator[Exercise]:
    """Yield the earlier exercises about the same class that have programs."""
    if not exercise.takes[0][:1].isupper():
        return
    for other in all_exercises().values():
        same = other.takes == exercise.takes and bool(other.referee.groups)
        if same and order_of(other.id) < order_of(exercise.id):
            yield other
