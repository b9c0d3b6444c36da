"""Runs a notebook's cells without Jupyter, to check the exercises of a saved notebook.

The cells run in a module named `__main__`, as in a kernel, so that `pickle` finds the classes which they
define. What they print is swallowed, a cell that fails does not stop the next one, and lines that
are no Python (`%matplotlib inline`) are left out.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .capture import captured, compile_with_source
from .chapters import Cell, calls_of, first_text
from .check import check
from .diagnosis import reader_place, what_it_said
from .exercise import Exercise, find_exercise
from .mine.here import SESSION
from .mine.kept_file import ENVIRONMENT, NAME
from .report import CheckReport
from .wording import indented

_NOT_PYTHON = re.compile(r"^[%!].*$", re.MULTILINE)


class Session:
    """A `__main__` of its own for the cells of one notebook; use it in a `with`.

    Args:
        notebook: where the notebook is; its `my_module.py` lies beside it. None: as for the process itself.
    """

    def __init__(self, notebook: Path | None = None) -> None:
        self._notebook = notebook
        self._module = ModuleType("__main__")
        self.names: dict[str, Any] = self._module.__dict__
        self._count = 0

    def __enter__(self) -> Session:
        os.environ.setdefault("MPLBACKEND", "agg")  # nobody looks at the pictures
        self._outer = sys.modules["__main__"]
        sys.modules["__main__"] = self._module
        self._environment = dict(os.environ)
        if self._notebook is not None:
            os.environ[SESSION] = str(self._notebook)
            os.environ.setdefault(ENVIRONMENT, str(self._notebook.absolute().with_name(NAME)))
        return self

    def __exit__(self, *_: object) -> None:
        sys.modules["__main__"] = self._outer
        for name in (SESSION, ENVIRONMENT):
            if name in self._environment:
                os.environ[name] = self._environment[name]
            else:
                os.environ.pop(name, None)

    def run(self, source: str) -> BaseException | None:
        """Run one cell; return the exception that ended it, if one did."""
        self._count += 1
        label = f"<cell {self._count}>"
        source = _NOT_PYTHON.sub("", source)
        try:
            with captured(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile_with_source(source, source, label, "exec"), self.names)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return error
        return None

    def value_of(self, expression: str) -> Any:
        """Return the value of `expression` in this session."""
        return eval(expression, self.names)


@dataclass(frozen=True)
class Verdict:
    """What became of one exercise of a saved notebook."""

    exercise_id: str
    passed: bool
    text: str


def check_notebook(
    cells: Iterable[Cell], wanted: Iterable[str], notebook: Path | None = None
) -> Iterator[Verdict]:
    """Run `cells` and check each `wanted` exercise where the notebook does.

    An exercise whose check cell the reader has removed is checked after the last cell.

    Args:
        cells: those of the notebook.
        wanted: the ids of the exercises.
        notebook: where it is; what passes goes into the `my_module.py` beside it.
    """
    open_ids = list(wanted)
    failures: dict[str, str] = {}
    with Session(notebook) as session:
        for cell in cells:
            if not open_ids:
                return
            asked = [name for name in checked_ids(cell) if name in open_ids]
            for name in asked:
                open_ids.remove(name)
                yield _verdict(session, name, arguments_of(cell, name), failures)
            if not asked and cell.kind == "code":
                _run(session, cell, failures)
        for name in open_ids:
            yield _verdict(session, name, list(find_exercise(name).takes), failures)


def checked_ids(cell: Cell) -> list[str]:
    """Return the exercises that a cell checks."""
    return [name for call in calls_of(cell, "check") if (name := first_text(call))]


def arguments_of(cell: Cell, exercise_id: str) -> list[str]:
    """Return what a check cell hands to `check`, as source."""
    for call in calls_of(cell, "check"):
        if first_text(call) == exercise_id:
            return [ast.unparse(argument) for argument in call.args[1:]]
    return []


def _run(session: Session, cell: Cell, failures: dict[str, str]) -> None:
    """Run a cell and remember under its exercise, or under '', how it failed."""
    error = session.run(cell.source)
    if error is not None and "raises-exception" not in cell.tags:
        place = reader_place(error)
        line = f"\nin your line: {place.line}" if place and place.line else ""
        failures.setdefault(cell.exercise_id, what_it_said(error) + line)


def _verdict(
    session: Session, exercise_id: str, arguments: list[str], failures: dict[str, str]
) -> Verdict:
    exercise = find_exercise(exercise_id)
    if exercise_id in failures:
        return _could_not(exercise, "its cell doesn't run", failures[exercise_id])
    try:
        objects = [session.value_of(argument) for argument in arguments]
    except Exception as error:
        earlier = failures.get("", "")
        why = f"{what_it_said(error)}\nan earlier cell failed: {earlier}" if earlier else None
        return _could_not(exercise, "what it checks isn't there", why or what_it_said(error))
    report: CheckReport = check(exercise, *objects)
    return Verdict(exercise_id, report.passed, report.to_text())


def _could_not(exercise: Exercise, why: str, details: str) -> Verdict:
    text = f"✗ {exercise.id} {exercise.title}: not checked, {why}\n{indented(details, 6)}"
    return Verdict(exercise.id, False, text)
