"""Runs the real chapters for tests: cells up to an exercise, predictions, calls of the referee."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from nbmodule_course.chapters import Cell, Chapter, calls_of, chapters, first_text
from nbmodule_course.exercise import all_exercises, find_exercise
from nbmodule_course.replay import Session, arguments_of, checked_ids
from nbmodule_course.report import CheckReport

ROOT = Path(__file__).resolve().parent.parent


def load(path: Path) -> ModuleType:
    """Import a file that lies in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def course_exercises() -> list[str]:
    """Return the ids of the course's own exercises: not those that tests define."""
    return [
        name
        for name, exercise in all_exercises().items()
        if exercise.defined_in.startswith("nbmodule_course.checks.")
    ]


def course_chapters() -> list[Chapter]:
    """Return the real chapters."""
    return chapters()


def literal_calls(chapter: Chapter, function: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the first argument and the keywords of every call of `function`; all must be literal."""
    for cell in chapter.cells:
        for call in calls_of(cell, function):
            keywords = {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg}
            yield first_text(call), keywords


class Rehearsal:
    """The stage for an exercise: all cells before it have run; answers are tried one by one.

    `go_to` leads on to a later exercise of the same chapter, as a reader who has solved this one goes on.
    """

    def __init__(self, exercise_id: str) -> None:
        home = [chapter for chapter in chapters() if exercise_id in chapter.exercise_ids]
        assert len(home) == 1, f"exercise {exercise_id} has a cell in {len(home)} chapters"
        self._first, self.cells, self._done = exercise_id, home[0].cells, 0
        self.session = Session(home[0].path)

    def __enter__(self) -> Rehearsal:
        self.session.__enter__()
        self._start = dict(self.session.names)
        self.go_to(self._first)
        return self

    def __exit__(self, *details: object) -> None:
        self.session.__exit__(*details)

    def go_to(self, exercise_id: str) -> None:
        """Run the cells before an exercise that have not run yet, with our solutions in them."""
        cells = self.cells
        work = [i for i, cell in enumerate(cells) if cell.exercise_id == exercise_id]
        checked_at = next(
            i for i in range(work[-1], len(cells)) if exercise_id in checked_ids(cells[i])
        )
        assert work[0] >= self._done, f"exercise {exercise_id} comes before this one"
        self._begin_again()
        for cell in code_of(cells[self._done : work[0]]):
            run(self.session, cell)
        self._start, self._done = dict(self.session.names), work[0]
        self.exercise = find_exercise(exercise_id)
        self.arguments = arguments_of(cells[checked_at], exercise_id)
        self.rest = code_of(cells[work[0] : checked_at])

    def _begin_again(self) -> None:
        self.session.names.clear()
        self.session.names.update(self._start)

    def report_on(self, source: str) -> CheckReport:
        """Put `source` in the place of the exercise's cells, run to the check, and look."""
        from nbmodule_course.check import examine

        self._begin_again()
        error = self.session.run(source)
        assert error is None, f"the answer itself does not run: {error!r}\n{source}"
        for cell in self.rest:
            if not cell.exercise_id:
                self.session.run(cell.source)  # a demonstration may fail on a wrong answer
        objects = tuple(self.session.value_of(argument) for argument in self.arguments)
        return examine(self.exercise, objects)


def code_of(cells: tuple[Cell, ...]) -> list[Cell]:
    """Return the code cells among `cells`."""
    return [cell for cell in cells if cell.kind == "code"]


def run(session: Session, cell: Cell) -> None:
    """Run a cell of the solved edition, which must not fail unless it says so."""
    error = session.run(cell.source)
    if error is not None and "raises-exception" not in cell.tags:
        raise AssertionError(f"this cell fails: {error!r}\n{cell.source}") from error
