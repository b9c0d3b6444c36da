"""`check("02.3", MyModule)`: look at everything, explain every failure, never crash."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import nbmodule
from nbmodule.nn import modules

from . import progress_file
from .again import subject_of
from .capture import captured
from .chapters import stub_source
from .diagnosis import Place, check_place, likely_mistake, reader_place, what_it_said
from .exercise import HINTS, Exercise, SubCheck, Wrong, find_exercise
from .mine.landing import is_untouched, land, unwritten
from .mine.solutions import beside_module
from .recheck import checked_again, edition
from .referee.budget import budget
from .referee.chance import undisturbed
from .referee.compare import Overtime
from .referee.library import library_of
from .referee.slips import before_all
from .referee.verdict import STOPPED, Finding, findings, line_of, why_stopped
from .report import CheckReport, Status, SubResult
from .wording import UsageError, first_lines, listing


def check(exercise_id: str | Exercise, *objects: Any) -> CheckReport:
    """Check an exercise and say for each failure what happened, what is right, and what to do next.

    Args:
        exercise_id: such as "02.3".
        objects: what the exercise asks for, most often the class that was written.

    Returns:
        A `CheckReport`, which displays itself. An untouched exercise is "not started".

    Raises:
        UsageError: there is no such exercise, or the objects are not what it takes.
    """
    exercise = find_exercise(exercise_id)
    _refuse_wrong_arguments(exercise, objects)
    subject = subject_of(exercise.takes, objects)
    with undisturbed():
        return replace(_looked_at(exercise, objects), subject=subject)


def _looked_at(exercise: Exercise, objects: tuple[Any, ...]) -> CheckReport:
    """Examine the objects, and remember what came of it: in the progress file, and in the reader's own files."""
    report = examine(exercise, objects)
    progress_file.record_check(exercise.id, report.status, edition(exercise))
    again = checked_again(exercise, objects[0]) if report.passed else ""
    if again:
        report = replace(report, next_step=f"{again} {report.next_step}")
    if report.passed and library_of(objects[0]) is not nbmodule:
        apart = "Your answer stands on PyTorch, so it isn't saved in my_module.py."
        return replace(report, next_step=f"{apart} {report.next_step}")
    return replace(report, landing=land(exercise.id, objects) if report.passed else None)


def examine(exercise: Exercise, objects: tuple[Any, ...]) -> CheckReport:
    """Run every sub-check of `exercise` and report; nothing is remembered."""
    untouched = all(is_untouched(exercise.id, item) for item in objects)
    if untouched and not (exercise.referee.groups and before_all(exercise, objects[0])):
        step = next_step(exercise, "not started")
        return CheckReport(exercise.id, exercise.title, "not started", (), step)
    parts = (name for item in objects for name in unwritten(exercise.id, item))
    open_parts = [] if untouched else list(dict.fromkeys(parts))
    named = "Module" in exercise.takes[0] or exercise.takes[0] in modules.__all__
    model = "the real one" if named else "the right answer"
    results = _still_open(open_parts) if open_parts else _results(exercise, objects)
    results = tuple(replace(result, model=model) for result in results)
    solved = bool(results) and all(result.passed for result in results)
    status = "passed" if solved else "failed"
    return CheckReport(exercise.id, exercise.title, status, results, next_step(exercise, status))


def _still_open(names: list[str]) -> tuple[SubResult, ...]:
    """Return the one result of an answer with parts that nobody has written."""
    said = listing(f"`{name}`" for name in names)
    verb = "is" if len(names) == 1 else "are"
    did = f"{said} {verb} still as at the start"
    return (SubResult("every part is written", False, did, "you write each of them"),)


def _results(exercise: Exercise, objects: tuple[Any, ...]) -> Iterator[SubResult]:
    """Yield what the referee finds, then the sub-checks; end where the reader's code did not come back."""
    met: SubResult | None = None
    try:
        if exercise.referee.groups:
            for finding in findings(exercise, objects[0]):
                result = _result(finding, exercise.writes)
                yield result
                if finding.stopped:
                    return
                met = result if finding.comes_first else None
        for sub in exercise.subs:
            result = replace(met, name=sub.name) if met else _run(sub, objects)
            yield result
            if result.did.startswith(STOPPED):
                return
    except KeyboardInterrupt:
        yield SubResult("the rest", False, did=f"{STOPPED[1]}", likely="")


def _result(finding: Finding, writes: tuple[str, ...]) -> SubResult:
    did, real, likely = map(_legible, (finding.did, finding.real, finding.likely))
    printed = first_lines(finding.printed) if finding.printed.strip() else ""
    where = _legible(line_of(finding, writes))
    return SubResult(finding.name, finding.passed, did, real, likely, "", where, printed)


def _refuse_wrong_arguments(exercise: Exercise, objects: tuple[Any, ...]) -> None:
    call = f'check("{exercise.id}", {", ".join(exercise.takes)})'
    if len(objects) != len(exercise.takes):
        given = len(objects) or "none"
        raise UsageError(
            f"Exercise {exercise.id} looks at {listing(exercise.takes)}, and you gave it {given}. Write {call}."
        )
    for name, item in zip(exercise.takes, objects, strict=True):
        if item is ... or item is None:
            continue
        if _means_class(name) and not isinstance(item, type):
            raise UsageError(
                f"Exercise {exercise.id} looks at the class {name} itself, not at an object "
                f"of that class; it got an object of class {type(item).__name__}. Write {call}."
            )
        if (
            not _means_class(name)
            and isinstance(item, type)
            and name not in beside_module().classes
        ):
            raise UsageError(
                f"Exercise {exercise.id} looks at an object, `{name}`; it got the class "
                f"{item.__name__}. Write {call}."
            )


def _means_class(name: str) -> bool:
    """Tell whether `name` is written as Python writes a class: `MyModule`, not `module`."""
    return name[:1].isupper()


def _run(sub: SubCheck, objects: tuple[Any, ...]) -> SubResult:
    """Run one sub-check; whatever the reader's code does becomes a result."""
    with captured() as seen:
        try:
            with budget():
                sub.look(*objects)
            failure = None
        except BaseException as error:
            failure = error
    printed = first_lines(seen.getvalue()) if seen.getvalue().strip() else ""
    if failure is None:
        return SubResult(sub.name, True, printed=printed)
    return _explain(sub, failure, printed)


def _explain(sub: SubCheck, failure: BaseException, printed: str) -> SubResult:
    """Turn what a sub-check raised into a diagnosis."""
    if isinstance(failure, Overtime | KeyboardInterrupt):
        did, likely = why_stopped(failure) if isinstance(failure, Overtime) else (STOPPED[1], "")
        where = _quote(reader_place(failure))
        return SubResult(sub.name, False, did, likely=likely, where=where, printed=printed)
    if isinstance(failure, Wrong):
        cause = failure.__cause__ or failure.__context__
        said = what_it_said(cause) if cause is not None else ""
        where = _quote(reader_place(cause)) if cause is not None else ""
        did, real, likely = map(_legible, (failure.did, failure.real, failure.likely))
        return SubResult(sub.name, False, did, real, likely, said, where, printed)
    place = reader_place(failure)
    tried = check_place(failure)
    did = f"this line of the check could not run: `{tried.line}`" if tried and tried.line else ""
    return SubResult(
        sub.name,
        False,
        did=did,
        likely=likely_mistake(failure, place),
        said=what_it_said(failure),
        where=_quote(place),
        printed=printed,
    )


def _quote(place: Place | None) -> str:
    if place is None or not place.line:
        return ""
    inside = "" if place.function.startswith("<") else f" (in `{place.function}`)"
    return _legible(f"`{place.line}`{inside}")


def _legible(sentence: str) -> str:
    """Return a sentence that may quote what a reader's object says of itself, however long that is."""
    return first_lines(sentence, 40, 1000)


def next_step(exercise: Exercise, status: Status) -> str:
    """Return what to do now.

    Args:
        exercise: what was checked.
        status: how it stands.
    """
    if status == "not started":
        start = stub_source(exercise.id)
        broken = bool(start) and "..." not in start
        task = "Mend the program" if broken else "Replace the `...`"
        return (
            f"{task} in the exercise's cell, run that cell, then check again. "
            f'Where to begin? `hint("{exercise.id}")`'
        )
    if status == "passed":
        return f'Well done. `solution("{exercise.id}")` shows how we wrote it.'
    opened = progress_file.hints_opened(exercise.id)
    if opened < HINTS:
        return f'Next: `hint("{exercise.id}")` opens hint {opened + 1} of {HINTS}.'
    return f'All {HINTS} hints are open: `solution("{exercise.id}")` shows one way to write it.'
