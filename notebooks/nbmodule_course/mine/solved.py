"""The `my_module.py` of a reader who has solved everything before a chapter: CI and the build run chapters beside it."""

from __future__ import annotations

from pathlib import Path

from ..numbering import chapter_number
from . import kept_file, kept_text
from .cells import CellText, Definition
from .here import SESSION
from .solutions import imports_of, layers_before, solutions_before


def solved_text(before: str = "") -> str:
    """Return the file with our solutions of all chapters before `before`, or of all chapters; '' for none."""
    text = ""
    for exercise_id, solution in solutions_before(before).items():
        definitions = (
            *solution.needed(),
            *solution.layers,
            *solution.methods,
            *solution.functions,
        )
        imports = _imports(exercise_id, solution, definitions)
        text = kept_text.add(text, exercise_id, [*imports, *definitions])
    return text


def write_solved(folder: Path, before: str = "") -> Path:
    """Write that file into a folder, unless there is nothing in it, and return where it is."""
    file = folder / kept_file.NAME
    text = solved_text(before)
    if text:
        file.write_text(text, encoding="utf-8")
    return file


def as_solved_before(chapter: Path, folder: Path) -> dict[str, str]:
    """Return the environment of a kernel that runs a chapter for a reader who has solved all before it.

    Args:
        chapter: the notebook.
        folder: where `my_module.py` is to be, which starts as that reader's.
    """
    file = write_solved(folder, chapter_number(chapter.name))
    return {kept_file.ENVIRONMENT: str(file), SESSION: str(chapter)}


def _imports(exercise_id: str, solution: CellText, definitions: tuple[Definition, ...]) -> list[Definition]:  # fmt: skip
    used = set().union(*(item.uses for item in definitions))
    own = {item.name for item in definitions if item.kind != "method"} | layers_before(exercise_id)
    lines = imports_of(exercise_id.partition(".")[0], used - own)
    return [Definition(name, "import", line) for name, line in lines.items()]
