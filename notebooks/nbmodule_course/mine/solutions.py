"""Our solutions: what the exercise cells of the chapters define below `@mine.extend`."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..capture import compile_with_source
from ..chapters import Cell, Chapter, chapters
from ..numbering import order_of
from .cells import CellText, Definition, moved, read_cell
from .home import at_home

OURS = "nbmodule_course.solutions"
"""The `__name__` that our solutions run under, so that no line of theirs is taken for the reader's."""


def solution_of(exercise_id: str) -> CellText:
    """Return what our solution of an exercise defines; nothing where it does not extend the reader's class."""
    return solutions().get(exercise_id, CellText())


def solutions() -> dict[str, CellText]:
    """Return for each exercise that extends the reader's class what our solution defines, in the order of the course."""
    found: dict[str, CellText] = {}
    for chapter in chapters():
        stamp = chapter.path.stat().st_mtime_ns
        found.update(_of_chapter(chapter.path, stamp))
    return dict(sorted(found.items(), key=lambda item: order_of(item[0])))


def solutions_before(chapter: str) -> dict[str, CellText]:
    """Return those of the chapters before `chapter`; all of them for ''."""
    return {e: s for e, s in solutions().items() if not chapter or order_of(e)[0] < chapter}


def exercise_of(name: str, at_most: str = "") -> str:
    """Return the first exercise, before the chapter `at_most` if it is given, whose solution defines `name`; or ''."""
    found = solutions_before(at_most).items()
    return next((exercise for exercise, solution in found if name in solution.names), "")


def imports_of(chapter: str, names: set[str]) -> dict[str, str]:
    """Return for those of `names` that a chapter imports the line that does so."""
    home = next((c for c in chapters() if c.number == chapter), None)
    if home is None:
        return {}
    known = _imports(home.path, home.path.stat().st_mtime_ns)
    return {name: known[name] for name in names & known.keys()}


def run_solution(exercise_id: str, solution: CellText, Module: type, given: dict[str, Any]) -> dict[str, Any]:  # fmt: skip
    """Return the methods and functions of our solution, by name.

    Args:
        exercise_id: whose solution it is.
        solution: what it defines.
        Module: what `Module` means in it.
        given: other names that it may use, such as the functions of earlier exercises.
    """
    names = {"__name__": OURS, **given, "Module": Module}
    helpers = solution.needed()
    definitions = (*helpers, *solution.functions)
    used = set().union(*(d.uses for d in (*definitions, *solution.methods)))
    for line in imports_of(order_of(exercise_id)[0], used - names.keys()).values():
        exec(line, names)
    parts = [definition.text for definition in definitions]
    parts.append("class _Methods:\n    ...")
    parts += [moved(method.text, 4) for method in solution.methods]
    source = "\n\n".join(parts) + "\n"
    label = f"<our solution of {exercise_id}>"
    exec(compile_with_source(source, source, label, "exec"), names)
    methods = vars(names["_Methods"])
    found = {method.name: at_home(methods[method.name], Module) for method in solution.methods}
    return {**found, **{function.name: names[function.name] for function in solution.functions}}


@lru_cache(maxsize=256)
def _of_chapter(path: Path, stamp: int) -> dict[str, CellText]:
    cells: dict[str, list[Cell]] = {}
    for cell in Chapter(path).cells:
        if cell.exercise_id and cell.kind == "code" and ".extend" in cell.source:
            cells.setdefault(cell.exercise_id, []).append(cell)
    found = {name: _joined([_read(cell) for cell in group]) for name, group in cells.items()}
    return {name: solution for name, solution in found.items() if solution.names}


def _read(cell: Cell) -> CellText:
    try:
        return read_cell(cell.source)
    except SyntaxError:  # a chapter in the making
        return CellText()


def _joined(parts: list[CellText]) -> CellText:
    """Return several cells as one; the last of a name counts."""

    def last(kind: str) -> tuple[Definition, ...]:
        found = {item.name: item for part in parts for item in getattr(part, kind)}
        return tuple(found.values())

    return CellText(last("methods"), last("functions"), last("helpers"))


@lru_cache(maxsize=256)
def _imports(path: Path, stamp: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for cell in Chapter(path).cells:
        if cell.kind != "code" or "import " not in cell.source:
            continue
        try:
            tree = ast.parse(cell.source)
        except SyntaxError:
            continue
        lines = "\n".join(ast.unparse(n) for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom))  # fmt: skip
        found.update({item.name: item.text for item in read_cell(lines).helpers})
    return found
