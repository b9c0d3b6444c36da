"""Looks at a reader's class or function: every group of programs, the diagnosis, and what went on besides."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..diagnosis import ASKED, asking_place, reader_place
from .budget import budget
from .calls import first_call
from .compare import Difference, Overtime, Waited
from .groups import Calls, Group
from .sentences import described
from .slips import before_all, likely_slip, never_written, not_their_own, slip_in_the_source
from .solutions import solution_class
from .wrong_answers import diagnosis, pair_of

if TYPE_CHECKING:
    from ..exercise import Exercise


STOPPED = (
    "your code was still running after several seconds",
    "you stopped this check while your code ran",
    "your code was still waiting after several seconds",
)


@dataclass(frozen=True)
class Finding:
    """What became of one group.

    Attributes:
        name: the group's name.
        did: what the reader's code did; "" if the group passed.
        real: what the real one does.
        likely: the mistake, where it is known.
        error: what the reader's code raised, if that is the fault.
        printed: what it printed in the step that differs.
        seen: a slip that stands in the source, and so is more certain than a fingerprint.
    """

    name: str
    did: str = ""
    real: str = ""
    likely: str = ""
    error: BaseException | None = None
    printed: str = ""
    seen: str = ""

    @property
    def passed(self) -> bool:
        """Tell whether nothing was found."""
        return not self.did

    @property
    def stopped(self) -> bool:
        """Tell whether the code was stopped: then no more of it is run."""
        return isinstance(self.error, Overtime | KeyboardInterrupt)


def findings(exercise: Exercise, item: Any, *, explain: bool = True) -> Iterator[Finding]:
    """Yield a finding for each group of `exercise`; stop at the first that ran out of time.

    Args:
        exercise: what is asked.
        item: the reader's class or function.
        explain: False leaves out which mistake it is, for which named ones are run as well.
    """
    found = before_all(exercise, item)
    if found:
        yield Finding("the class is your own", *found)
        return
    known: list[str] = []
    for title, groups in _referees(exercise):
        results: list[Finding] = []
        for group in groups:
            finding = _look(exercise, group, item)
            if explain and not finding.passed and not finding.stopped:
                known = known or [diagnosis(exercise, item)]
                finding = replace(finding, likely=finding.seen or known[0] or finding.likely)
            results.append(finding)
            if not title:
                yield finding
            if finding.stopped:
                break
        if title:
            yield _gathered(title, results)
        if results and results[-1].stopped:
            return
    missing = never_written(exercise, item)
    if missing:
        yield Finding("every method is there", *missing)
    borrowed = not_their_own(exercise, item)
    if borrowed:
        yield Finding("the work is your own", *borrowed)


def _referees(exercise: Exercise) -> Iterator[tuple[str, list[Group | Calls]]]:
    """Yield the groups of an exercise, and those of the earlier ones that it keeps, each with a title."""
    from ..exercise import find_exercise

    yield "", exercise.referee.groups
    for name in exercise.keeps:
        groups = find_exercise(name).referee.groups
        if groups:
            yield f"what {name} asked for still holds", groups


def findings_of_earlier(exercise: Exercise, earlier: str, item: Any) -> Iterator[Finding]:
    """Yield what the programs of an earlier exercise find now, with the solution of `exercise` as the referee."""
    from ..exercise import find_exercise

    for group in find_exercise(earlier).referee.groups:
        yield _look(exercise, group, item)


def _gathered(title: str, results: list[Finding]) -> Finding:
    """Return one finding for all groups of an earlier exercise."""
    bad = next((result for result in results if not result.passed), None)
    return Finding(title) if bad is None else replace(bad, name=title)


def _look(exercise: Exercise, group: Group | Calls, item: Any) -> Finding:
    """Compare one group within the reader's time."""
    slip = ""
    try:
        with budget():
            if isinstance(group, Calls):
                finding, slip = _look_at_calls(exercise, group, item)
            else:
                finding, slip = _look_at_programs(exercise, group, item)
    except Overtime as error:
        did, likely = why_stopped(error)
        return Finding(group.name, did, "it takes a fraction of a second", likely, error)
    except KeyboardInterrupt as error:
        return Finding(group.name, STOPPED[1], error=error)
    return replace(finding, likely=slip)


def why_stopped(error: Overtime) -> tuple[str, str]:
    """Return what code did that had to be stopped, and the usual mistake."""
    if isinstance(error, Waited):
        return f"{STOPPED[2]}, so it was stopped", _WAITS
    return f"{STOPPED[0]}, so it was stopped", _ENDLESS


_ENDLESS = "an endless loop, or a method that calls itself more and more often"
_WAITS = "the code waits instead of working, as `time.sleep` and `input` do; take that out"


def _look_at_programs(exercise: Exercise, group: Group, item: type) -> tuple[Finding, str]:
    pair = pair_of(exercise, item, group)
    found = pair.first(group.programs)
    if found is None:
        return Finding(group.name), ""
    did, real = described(found, exercise.takes[0])
    error = found.theirs.error if _is_news(found) else None
    seen = slip_in_the_source(found, item, pair)
    finding = Finding(group.name, did, real, "", error, found.theirs.printed, seen)
    return finding, likely_slip(found, pair)


def _is_news(found: Difference) -> bool:
    """Tell whether the reader's exception needs a line of its own: where it was raised."""
    return found.theirs.error is not None and found.aspect == "outcome"


def _look_at_calls(exercise: Exercise, group: Calls, item: Any) -> tuple[Finding, str]:
    ours = solution_class(exercise.id, exercise.takes[0])
    found = first_call(ours, item, group)
    if found is None:
        return Finding(group.name), ""
    finding = Finding(group.name, found.did, found.real, "", found.error, found.printed)
    return finding, found.slip


def line_of(finding: Finding, writes: Collection[str] = ()) -> str:
    """Return the reader's own line that raised the exception, or that was running when it was stopped; or ''.

    Args:
        finding: what came of a group.
        writes: the methods of the exercise. If it's about attributes, their `raise` is the line.
    """
    place = reader_place(finding.error) if finding.error is not None else None
    if finding.error is not None and not set(ASKED) & set(writes):
        place = asking_place(finding.error, place)
    if place is None or not place.line:
        return ""
    inside = "" if place.function.startswith("<") else f" (in `{place.function}`)"
    return f"`{place.line}`{inside}"
