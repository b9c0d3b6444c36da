"""Finds the chapters and reads their cells.

In an installed wheel they lie inside this package, in a checkout beside it; see `hatch_build.py`. Both hold
the solved edition. A cell of an exercise carries the tags `exercise` and the exercise's id.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from .markers import stub_of
from .numbering import CHAPTER, EXERCISE_ID, chapter_files, chapter_number, chapter_of_id

_HERE = Path(__file__).resolve().parent
_TITLE_SIGN = re.compile(rf"^# ({CHAPTER}\b\s*[·:.–-]?\s*)?")


@dataclass(frozen=True)
class Cell:
    """One cell of a notebook: the part of it that the course looks at."""

    id: str
    kind: str
    source: str
    tags: frozenset[str]

    @cached_property
    def exercise_id(self) -> str:
        """Return the id of the exercise whose work is done in this cell, or ''."""
        if "exercise" not in self.tags:
            return ""
        return next((tag for tag in sorted(self.tags) if EXERCISE_ID.fullmatch(tag)), "")


@dataclass(frozen=True)
class Chapter:
    """A chapter: "02" of `02_setattr.ipynb`, and where it lies."""

    path: Path

    @property
    def number(self) -> str:
        """Return "02"."""
        return chapter_number(self.path.name)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Return the cells in order."""
        return read_cells(self.path)

    @property
    def title(self) -> str:
        """Return the first heading, without its sign and number."""
        for cell in self.cells:
            for line in cell.source.splitlines() if cell.kind == "markdown" else ():
                if line.startswith("# "):
                    return _TITLE_SIGN.sub("", line).strip()
        return self.path.stem

    @property
    def exercise_ids(self) -> list[str]:
        """Return the exercises in the order of the chapter."""
        return list(dict.fromkeys(cell.exercise_id for cell in self.cells if cell.exercise_id))

    @property
    def question_ids(self) -> list[str]:
        """Return the predictions in the order of the chapter."""
        calls = (call for cell in self.cells for call in calls_of(cell, "Predict"))
        return [first for call in calls if (first := first_text(call))]


def folder() -> Path:
    """Return the folder that holds the chapters."""
    inside = _HERE / "chapters"
    return inside if inside.is_dir() else _HERE.parent


def chapters() -> list[Chapter]:
    """Return all chapters in order."""
    return chapters_in(folder())


def chapters_in(place: Path) -> list[Chapter]:
    """Return the chapters in a folder, in order."""
    return [Chapter(path) for path in chapter_files(place)]


def read_cells(path: Path) -> tuple[Cell, ...]:
    """Read the cells of any notebook.

    Raises:
        ValueError: the file is not a notebook.
    """
    seen = path.stat()
    return _cells_in(path, seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=64)
def _cells_in(path: Path, _changed: int, _size: int) -> tuple[Cell, ...]:
    """Return the cells of a file in one state: a check asks for all chapters hundreds of times."""
    return cells_of(json.loads(path.read_text(encoding="utf-8")))


def cells_of(notebook: dict) -> tuple[Cell, ...]:
    """Return the cells of a notebook that was read already."""
    try:
        return tuple(
            Cell(
                id=cell.get("id", ""),
                kind=cell["cell_type"],
                source=_joined(cell["source"]),
                tags=frozenset(cell.get("metadata", {}).get("tags", ())),
            )
            for cell in notebook["cells"]
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("not a Jupyter notebook of format 4") from error


def exercise_cells(exercise_id: str) -> tuple[Cell, ...]:
    """Return the solved cells of an exercise; none when no chapter holds it."""
    for chapter in chapters():
        if chapter.number == chapter_of_id(exercise_id):
            return tuple(cell for cell in chapter.cells if cell.exercise_id == exercise_id)
    return ()


def solved_source(exercise_id: str) -> str:
    """Return our solution of an exercise, or ''."""
    return "\n\n".join(cell.source for cell in exercise_cells(exercise_id))


def stub_source(exercise_id: str) -> str:
    """Return what the learner's edition holds in the place of the solution, or ''."""
    return "\n\n".join(stub_of(cell.source) for cell in exercise_cells(exercise_id))


def calls_of(cell: Cell, function: str) -> list[ast.Call]:
    """Return the calls of `function(…)` in a code cell; a cell that is not plain Python has none."""
    if cell.kind != "code":
        return []
    try:
        tree = ast.parse(cell.source)
    except SyntaxError:
        return []
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == function
    ]


def lone_prediction(cell: Cell) -> str:
    """Return the id of the prediction that is all there is in a cell, or ''."""
    calls = calls_of(cell, "Predict")
    if len(calls) != 1 or len(ast.parse(cell.source).body) != 1:
        return ""
    return first_text(calls[0])


def first_text(call: ast.Call) -> str:
    """Return the first argument of `call` when it is a text, else ''."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    return ""


def _joined(source: str | list[str]) -> str:
    """The notebook format allows a text or a list of lines."""
    return source if isinstance(source, str) else "".join(source)
