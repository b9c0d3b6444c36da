"""Looks at a reader's class or function: every group of programs, the diagnosis, and what went on besides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..diagnosis import ASKED, asking_place, reader_place
from ..mine.solutions import solution_of
from .budget import budget
from .calls import first_call
from .compare import Difference, Overtime, Waited
from .groups import Calls, Group
from .sentences import described
from .slips import before_all, likely_slip, never_written, not_their_own, slip_in_the_source
from .solutions import solution_class
from .wrong_answers import diagnosis, pair_of, unwritten

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
        comes_first: whether it is the fault of an earlier exercise, beside which nothing of this one can be told.
        by: the group, cut down to the one program or call that shows the fault.
    """

    name: str
    did: str = ""
    real: str = ""
    likely: str = ""
    error: BaseException | None = None
    printed: str = ""
    seen: str = ""
    comes_first: bool = False
    by: Group | Calls | None = None

    @property
    def passed(self) -> bool:
        """Tell whether nothing was found."""
        return not self.did

    @property
    def stopped(self) -> bool:
        """Tell whether the code was stopped: then no more of it is run."""
        return isinstance(self.error, Overtime | KeyboardInterrupt)


def findings(
    exercise: Exercise, item: Any, *, explain: bool = True, first: Iterable[Group | Calls] = ()
) -> Iterator[Finding]:
    """Yield a finding for each group of `exercise`; stop at the first that ran out of time.

    What it keeps of an earlier exercise comes last, and first if it fails by methods that only the earlier one
    writes: then all groups end with that finding, since nobody can tell what they would find beside it.

    Args:
        exercise: what is asked.
        item: the reader's class or function.
        explain: False leaves out what it does and which mistake it is, for which named ones are run as well.
        first: parts of its groups that come before all others, where any fault is enough.
    """
    found = before_all(exercise, item)
    if found:
        yield Finding("the class is your own", *found)
        return
    looking = _Looking(exercise, item, explain)
    # What isn't written yet is no fault that comes first, and to find any fault, its own groups are quicker.
    asked = [e for e in _kept_apart(exercise) if explain and not unwritten(_exercise(e), item)]
    apart = {earlier: looking.still_holds(earlier) for earlier in asked}
    broken = next((finding for finding in apart.values() if not finding.passed), None)
    if broken is not None:
        yield replace(broken, comes_first=True)
        met = replace(broken, printed="", comes_first=True)
        yield from (replace(met, name=g.name) for g in exercise.referee.groups if not met.stopped)
        return
    for group in (*first, *exercise.referee.groups):
        finding = looking.at(group)
        yield finding
        if finding.stopped:
            return
    for earlier in filter(_is_refereed, exercise.keeps):
        finding = apart.get(earlier) or looking.still_holds(earlier)
        yield finding
        if finding.stopped:
            return
    missing = never_written(exercise, item)
    if missing:
        yield Finding("every method is there", *missing)
    borrowed = not_their_own(exercise, item)
    if borrowed:
        yield Finding("the work is your own", *borrowed)


class _Looking:
    """Looks at the groups of an exercise, and names the mistake once."""

    def __init__(self, exercise: Exercise, item: Any, explain: bool) -> None:
        self.exercise, self.item, self.explain = exercise, item, explain
        self._known: dict[str, str] = {}

    def at(self, group: Group | Calls, *, earlier: str = "") -> Finding:
        """Return what becomes of a group; `earlier` names the exercise whose mistakes are asked first."""
        finding = _look(self.exercise, group, self.item, self.explain)
        if not self.explain or finding.passed or finding.stopped:
            return finding
        asked = filter(None, (earlier, self.exercise.id))
        said = finding.seen or next(filter(None, map(self._mistake, asked)), "")
        return replace(finding, likely=said or finding.likely)

    def still_holds(self, earlier: str) -> Finding:
        """Return one finding for all groups of an earlier exercise."""
        first = earlier if earlier in _kept_apart(self.exercise) else ""
        title = f"what {earlier} asked for still holds"
        for group in _exercise(earlier).referee.groups:
            finding = self.at(group, earlier=first)
            if not finding.passed:
                return replace(finding, name=title)
        return Finding(title)

    def _mistake(self, exercise_id: str) -> str:
        if exercise_id not in self._known:
            self._known[exercise_id] = diagnosis(_exercise(exercise_id), self.item)
        return self._known[exercise_id]


def _exercise(exercise_id: str) -> Exercise:
    from ..exercise import find_exercise

    return find_exercise(exercise_id)


def _is_refereed(exercise_id: str) -> bool:
    return bool(_exercise(exercise_id).referee.groups)


def _kept_apart(exercise: Exercise) -> list[str]:
    """Return the earlier exercises that it keeps and whose answers it doesn't write again."""
    own = set(solution_of(exercise.id).names)
    return [e for e in filter(_is_refereed, exercise.keeps) if not own & {*solution_of(e).names}]


def findings_of_earlier(exercise: Exercise, earlier: str, item: Any) -> Iterator[Finding]:
    """Yield what the programs of an earlier exercise find now, with the solution of `exercise` as the referee."""
    for group in _exercise(earlier).referee.groups:
        yield _look(exercise, group, item)


def _look(exercise: Exercise, group: Group | Calls, item: Any, explain: bool = True) -> Finding:
    """Compare one group within the reader's time."""
    slip = ""
    try:
        with budget():
            if isinstance(group, Calls):
                finding, slip = _look_at_calls(exercise, group, item)
            else:
                finding, slip = _look_at_programs(exercise, group, item, explain)
    except Overtime as error:
        did, likely = why_stopped(error)
        return Finding(group.name, did, "it takes a fraction of a second", likely, error)
    except KeyboardInterrupt as error:
        return Finding(group.name, STOPPED[1], error=error)
    return replace(finding, likely=slip)


def why_stopped(error: Overtime) -> tuple[str, str]:
    """Return what code did that had to be stopped, and the usual mistake."""
    which = f", in {error.during}" if error.during else ""
    if isinstance(error, Waited):
        return f"{STOPPED[2]}, so it was stopped{which}", _WAITS
    return f"{STOPPED[0]}, so it was stopped{which}", _ENDLESS


_ENDLESS = "an endless loop, or a method that calls itself more and more often"
_WAITS = "the code waits instead of working, as `time.sleep` and `input` do; take that out"


def _look_at_programs(
    exercise: Exercise, group: Group, item: type, explain: bool
) -> tuple[Finding, str]:
    pair = pair_of(exercise, item, group)
    found = pair.first(group.programs)
    if found is None:
        return Finding(group.name), ""
    by = replace(group, programs=(found.program,))
    if not explain:
        return Finding(group.name, "it differs", by=by), ""
    found = pair.shortest(found)
    did, real = described(found, exercise.takes[0])
    error = found.theirs.error if _is_news(found) else None
    seen = slip_in_the_source(found, item, pair)
    finding = Finding(group.name, did, real, "", error, found.theirs.printed, seen, by=by)
    return finding, likely_slip(found, pair)


def _is_news(found: Difference) -> bool:
    """Tell whether the reader's exception needs a line of its own: where it was raised."""
    return found.theirs.error is not None and found.aspect == "outcome"


def _look_at_calls(exercise: Exercise, group: Calls, item: Any) -> tuple[Finding, str]:
    ours = solution_class(exercise.id, exercise.takes[0])
    found = first_call(ours, item, group)
    if found is None:
        return Finding(group.name), ""
    by = replace(group, cases=(found.case,))
    finding = Finding(group.name, found.did, found.real, "", found.error, found.printed, by=by)
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
