"""The `my_module.py` and `my_tape.py` of a reader who has solved everything before a chapter: CI and the build run chapters beside it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ..numbering import chapter_number
from . import kept_file, kept_text
from .cells import CellText, Definition
from .here import SESSION
from .solutions import beside_module, imports_of, layers_before, solutions_before, stamps


def solved_text(before: str = "", name: str = kept_file.NAME) -> str:
    """Return a file with our solutions of all chapters before `before`, or of all chapters; '' for none.

    Args:
        before: the number of a chapter.
        name: `my_module.py` or `my_tape.py`.
    """
    text, state = "", stamps()
    for exercise_id, solution in solutions_before(before).items():
        text = _with_solution(text, exercise_id, solution, name, state)
    return text


@lru_cache(maxsize=512)
def _with_solution(text: str, exercise_id: str, solution: CellText, name: str, _state: object) -> str:  # fmt: skip
    """Return the file with one more solution in it: the files of two chapters begin with the same ones."""
    beside = beside_module()
    functions = solution.functions if beside.file_of_functions(exercise_id) == name else ()
    layers = [item for item in solution.layers if beside.file_of_class(item.name) == name]
    methods = [item for item in solution.methods if beside.file_of_class(item.owner) == name]
    if not (methods or functions):
        return text
    helpers = solution.needed_by((*methods, *functions))
    definitions = (*helpers, *layers, *methods, *functions)
    imports = _imports(exercise_id, definitions)
    return kept_text.add(text, exercise_id, [*imports, *definitions], name)


def write_solved(folder: Path, before: str = "") -> Path:
    """Write both files into a folder, unless there is nothing in them, and return where `my_module.py` is."""
    for name in (kept_file.NAME, kept_file.TAPE):
        text = solved_text(before, name)
        if text:
            (folder / name).write_text(text, encoding="utf-8")
    return folder / kept_file.NAME


def as_solved_before(chapter: Path, folder: Path) -> dict[str, str]:
    """Return the environment of a kernel that runs a chapter for a reader who has solved all before it.

    Args:
        chapter: the notebook.
        folder: where `my_module.py` is to be, which starts as that reader's.
    """
    file, text = folder / kept_file.NAME, chapter.read_text(encoding="utf-8")
    if "carried(" in text or "exam(" in text:  # otherwise no cell reads the reader's files
        write_solved(folder, chapter_number(chapter.name))
    return {kept_file.ENVIRONMENT: str(file), SESSION: str(chapter)}


def _imports(exercise_id: str, definitions: tuple[Definition, ...]) -> list[Definition]:
    used = set().union(*(item.uses for item in definitions))
    own = {item.name for item in definitions if item.kind != "method"} | layers_before(exercise_id)
    lines = imports_of(exercise_id.partition(".")[0], used - own)
    return [Definition(name, "import", line) for name, line in lines.items()]
