"""Our solutions: what the exercise cells of the chapters define below `@mine.extend`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..capture import compile_with_source
from ..chapters import Cell, Chapter, chapters
from ..numbering import chapter_of_id, order_of
from .cells import CellText, Definition, moved, read_cell
from .course_map import WITH_MODULE
from .home import at_home
from .kept_file import NAME, TAPE
from .together import functions_in

OURS = "nbmodule_course.solutions"
"""The `__name__` that our solutions run under, so that no line of theirs is taken for the reader's."""

Stamps = tuple[tuple[Path, int], ...]


def solution_of(exercise_id: str) -> CellText:
    """Return what our solution of an exercise defines; nothing where it does not extend the reader's class."""
    return solutions().get(exercise_id, CellText())


def solutions() -> dict[str, CellText]:
    """Return for each exercise that extends the reader's class what our solution defines, in the order of the course."""
    return dict(_of_course(stamps()))


def stamps() -> Stamps:
    """Return where each chapter lies and when it was changed: while this is the same, so are the solutions."""
    return tuple((chapter.path, chapter.path.stat().st_mtime_ns) for chapter in chapters())


def solutions_before(chapter: str) -> dict[str, CellText]:
    """Return those of the chapters before `chapter`; all of them for ''."""
    return {e: s for e, s in solutions().items() if not chapter or order_of(e)[0] < chapter}


def exercise_of(name: str, at_most: str = "") -> str:
    """Return the first exercise, before the chapter `at_most` if it is given, whose solution defines `name`; or ''."""
    found = solutions_before(at_most).items()
    return next((exercise for exercise, solution in found if name in solution.names), "")


def layers_before(exercise_id: str) -> set[str]:
    """Return the names of the layers that our solutions before an exercise have begun."""
    earlier = (s for e, s in solutions().items() if order_of(e) < order_of(exercise_id))
    return {item.name for solution in earlier for item in solution.layers}


@dataclass(frozen=True)
class Beside:
    """What stands beside Module, and in which of the two files: `my_tape.py`, or `my_module.py` where Module uses it.

    Attributes:
        classes: those that our solutions begin and that don't stand on Module, each with its file.
        chapters: those that write such a class, each with the file of what it writes beside Module.
    """

    classes: dict[str, str]
    chapters: dict[str, str]

    def file_of_class(self, name: str) -> str:
        """Return the file of a class that our solutions begin."""
        return self.classes.get(name, NAME)

    def file_of_functions(self, exercise_id: str) -> str:
        """Return the file of an exercise's functions: that of the classes which its chapter writes beside Module."""
        return self.chapters.get(chapter_of_id(exercise_id), NAME)


def beside_module() -> Beside:
    """Return what the course writes beside Module."""
    return _beside(stamps())


@lru_cache(maxsize=8)
def _beside(course: Stamps) -> Beside:
    found, stand = Beside({}, {}), {"Module"}
    for exercise_id, solution in _of_course(course).items():
        chapter = chapter_of_id(exercise_id)
        file = NAME if chapter in WITH_MODULE else TAPE
        for item in solution.layers:
            if stand & set(bases_of(item)):
                stand.add(item.name)
            else:
                found.chapters[chapter] = file
                found.classes.setdefault(item.name, file)  # where it begins
    return found


@lru_cache(maxsize=256)
def bases_of(header: Definition) -> tuple[str, ...]:
    """Return what a class stands on, as its first lines say."""
    node = ast.parse(f"{header.text}\n    ...").body[0]
    return tuple(map(ast.unparse, getattr(node, "bases", ())))


def imports_of(chapter: str, names: set[str]) -> dict[str, str]:
    """Return for those of `names` that a chapter imports the line that does so."""
    home = next((c for c in chapters() if c.number == chapter), None)
    if home is None:
        return {}
    known = _imports(home.path, home.path.stat().st_mtime_ns)
    return {name: line for name, line in known.items() if name in names}


def run_solution(
    exercise_id: str, Module: type, given: dict[str, Any], layers: dict[str, type]
) -> dict[str, Any]:
    """Return the methods and functions of our solution, by name.

    Args:
        exercise_id: whose solution it is.
        Module: what `Module` means in it.
        given: other names that it may use, such as the functions of earlier exercises.
        layers: the classes that stand on `Module`; those that the solution begins are added, without a method.
    """
    solution = solution_of(exercise_id)
    for item in solution.layers:
        layers.setdefault(item.name, _begun(item, {"Module": Module, **layers}))
    names = {"__name__": OURS, **given, "Module": Module, **layers}
    helpers = solution.needed()
    definitions = (*helpers, *solution.functions)
    used = set().union(*(d.uses for d in (*definitions, *solution.methods)))
    for line in imports_of(order_of(exercise_id)[0], used - names.keys()).values():
        exec(line, names)
    parts = [definition.text for definition in definitions]
    homes = {"": Module, **layers}
    for place, owner in enumerate(homes):
        parts.append(f"class _Methods{place}:\n    ...")
        parts += [moved(m.text, 4) for m in solution.methods if m.owner == owner]
    source = "\n\n".join(parts) + "\n"
    label = f"<our solution of {exercise_id}>"
    exec(compile_with_source(source, source, label, "exec"), names)
    found = {function.name: names[function.name] for function in solution.functions}
    for place, (owner, home) in enumerate(homes.items()):
        bodies = vars(names[f"_Methods{place}"])
        for name in [method.name for method in solution.methods if method.owner == owner]:
            found[name] = at_home(bodies[name.rpartition(".")[2]], home)
            for function in functions_in(found[name]):  # Python's messages say where it belongs
                function.__qualname__ = f"{home.__name__}.{function.__name__}"
    return found


def _begun(header: Definition, known: dict[str, type]) -> type:
    """Return a class of the reader's own as its first lines say, without a method."""
    names: dict[str, Any] = {"__name__": "__main__", **known}
    lines = [line for line in header.text.split("\n") if not line.startswith("@")]
    exec("\n".join([*lines, "    ..."]), names)
    return names[header.name]


@lru_cache(maxsize=8)
def _of_course(course: Stamps) -> dict[str, CellText]:
    found: dict[str, CellText] = {}
    for path, stamp in course:
        found.update(_of_chapter(path, stamp))
    return dict(sorted(found.items(), key=lambda item: order_of(item[0])))


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
    """Return several cells as one; the last of a name counts, and of a class the first one begins it."""

    def last(kind: str) -> tuple[Definition, ...]:
        found = {item.name: item for part in parts for item in getattr(part, kind)}
        return tuple(found.values())

    layers = {item.name: item for part in reversed(parts) for item in part.layers}
    order = dict.fromkeys(item.name for part in parts for item in part.layers)
    return CellText(
        last("methods"), last("functions"), last("helpers"), tuple(layers[name] for name in order)
    )


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
