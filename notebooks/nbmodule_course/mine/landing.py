"""A check has passed: what the exercise's cell defines goes into `my_module.py` or `my_tape.py`, in the reader's own words."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from .. import stubs
from ..chapters import stub_source
from ..display import inline
from ..exercise import find_exercise
from ..wording import listing
from . import kept_blocks, kept_file, kept_text
from .carried import Carried, carried_by
from .cells import CellText, Definition, moved, read_cell
from .given import Given
from .imports import imports_for, taken_from_before
from .solutions import beside_module, solution_of
from .together import names_in


@dataclass(frozen=True)
class Landing:
    """What became of the reader's definitions.

    Attributes:
        file: the name of the file.
        names: what is in it now.
        later: what the file has from a later exercise, which stays; with that exercise.
        kept_as: where the version before is kept, if something in it was replaced.
        problem: why nothing was put in; '' if all is well.
        other: what became of those definitions that belong into the other file.
        unsaved: methods of earlier chapters that the notebook has anew and the file as they were, with their exercises.
    """

    file: str
    names: tuple[str, ...] = ()
    later: tuple[tuple[str, str], ...] = ()
    kept_as: str = ""
    problem: str = ""
    other: Landing | None = None
    unsaved: tuple[tuple[str, str], ...] = ()

    def to_text(self) -> str:
        """Return one line."""
        more = f" {self.other.to_text()}" if self.other else ""
        if self.problem:
            return f"Not saved in {self.file}: {self.problem}{more}"
        parts = []
        if self.names:
            parts.append(f"Saved in {self.file}: {_quoted(self.names)}.")
        if self.later:
            names, exercises = zip(*self.later, strict=True)
            whose = listing(dict.fromkeys(exercises))
            parts.append(
                f"{self.file} keeps your {_quoted(names)} from {whose}, which comes later."
            )
        if self.kept_as:
            parts.append(f"The previous version is {self.kept_as}.")
        for name, exercise_id in self.unsaved:
            call = f'check("{exercise_id}", {", ".join(find_exercise(exercise_id).takes)})'
            parts.append(
                f"This ran with the `{name}` of this notebook; {self.file} has another one. `{call}` saves yours."
            )
        return " ".join(parts) + more

    def to_html(self) -> str:
        """Return the line with links to the files."""
        html = inline(self.to_text())
        both = (self, self.other) if self.other else (self,)
        for name in filter(None, (n for part in both for n in (part.kept_as, part.file))):
            html = html.replace(escape(name), f'<a href="{escape(name)}">{escape(name)}</a>', 1)
        return f'<p style="margin: 0.3em 0">{html}</p>'


def land(exercise_id: str, objects: Iterable[Any]) -> Landing | None:
    """Put the answer of an exercise into `my_module.py` or `my_tape.py`.

    Args:
        exercise_id: the exercise, whose check has just passed.
        objects: what the check looked at.

    Returns:
        What became of it; None where the answer does not belong into the file.
    """
    mine = next(filter(None, map(carried_by, objects)), None)
    if mine is None:
        if not solution_of(exercise_id).names:
            return None
        said = "the line `@mine.extend` is missing above its definition. Add it, run the cell, and check again."
        return Landing(beside_module().file_of_functions(exercise_id), problem=said)
    answer = _answer(mine, exercise_id)
    if not answer:
        return None
    landed: Landing | None = None
    for file in (mine.tape, mine.file):
        done = _into(file, mine, exercise_id, answer)
        landed = replace(done, other=landed) if done else landed
    saved = landed is not None and not landed.problem
    for given in answer if saved else ():
        given.answers(exercise_id, solution_of(exercise_id).names)
    return landed


def _into(file: Path, mine: Carried, exercise_id: str, answer: list[Given]) -> Landing | None:
    """Put what belongs there into one of the two files; None if nothing does."""
    if any(given.text is None for given in answer):
        said = "the source of your code isn't available here. Write it in a notebook cell."
        return Landing(file.name, problem=said) if file == _home(mine, exercise_id) else None
    definitions = list(_definitions(mine, answer, exercise_id, file))
    if not definitions:
        return None
    try:
        return _write(file, mine, exercise_id, definitions, answer)
    except SyntaxError as error:
        where = f"line {error.lineno} of it" if error.lineno else "it"
        said = (
            f"{where} is not valid Python ({error.msg}), and nothing of yours is overwritten. "
            "Fix the line or rename the file, then check again."
        )
    except kept_text.NotAlone as error:
        said = f"{error}, then check again."
    except UnicodeDecodeError:
        said = "it is not a text file. Rename it, then check again."
    except (MemoryError, RecursionError):
        said = "something in it is nested too deep for Python, and nothing of yours is overwritten."
    except OSError as error:
        said = f"{error.strerror or error}. Your answer is still in this notebook."
    return Landing(file.name, problem=said)


def _write(
    file: Path, mine: Carried, exercise_id: str, definitions: list[Definition], answer: list[Given]
) -> Landing:
    later: dict[str, str] = {}
    lacking: list[str] = []
    replaced: list[str] = []

    def change(text: str) -> str:
        later.update(kept_text.later_ones(text, exercise_id, definitions))
        wanted = [item for item in definitions if item.name not in later]
        there = {part for block in kept_blocks.blocks(text) for part in (block.name, block.owner)}
        if file == mine.file:
            there.add("Module")
        imports, unknown = imports_for(wanted, there, answer, mine)
        lacking.extend(taken_from_before(wanted) or unknown)
        if lacking or not any(item.kind in ("method", "function") for item in wanted):
            return text
        name = kept_file.TAPE if file == mine.tape else kept_file.NAME
        after = kept_text.add(text, exercise_id, [*imports, *wanted], name)
        replaced.extend(kept_text.lost(text, after))
        return after

    written = kept_file.update(file, change)
    if lacking:
        return Landing(file.name, problem=" ".join(lacking))
    names = tuple(
        item.name
        for item in definitions
        if item.kind in ("method", "function") and item.name not in later
    )
    kept_as = written.kept_as if replaced else ""
    unsaved = tuple(_unsaved(mine, answer, kept_file.read(file)))
    return Landing(file.name, names, tuple(later.items()), kept_as, unsaved=unsaved)


def _unsaved(mine: Carried, answer: list[Given], text: str) -> Iterator[tuple[str, str]]:
    """Yield what cells of no exercise define of the reader's and a file has otherwise, with the exercise there."""
    now = {**mine.methods, **mine.functions}
    known = {block.name: block for block in kept_blocks.blocks(text) if block.exercise_id}
    lines = text.split("\n")
    for given in mine.cells:
        if given.exercise_id or given in answer or given.text is None:
            continue
        own = {**given.methods, **given.functions}
        for item in _parts(given.text):
            block = known.get(item.name)
            if block is None or own.get(item.name) is not now.get(item.name):
                continue
            there = moved("\n".join(lines[block.first - 1 : block.last]), -block.depth)
            if ast.dump(ast.parse(there)) != ast.dump(ast.parse(item.text)):
                yield item.name, block.exercise_id


def is_untouched(exercise_id: str, item: Any) -> bool:
    """Tell whether the reader has written nothing of an exercise in this session.

    Args:
        exercise_id: the exercise.
        item: what a check looks at. Our solution stands in the reader's class where nothing was written, so for that
            class its cells are asked, for any other object what it is.
    """
    mine, names = carried_by(item), solution_of(exercise_id).names
    if mine is None or not names:
        return stubs.is_untouched(exercise_id, item)
    known = {**mine.methods, **mine.functions}
    given = _given_at_start(exercise_id)
    yours = {n: o for n, o in known.items() if o.whose == "yours" and n not in given}
    renamed = any(
        origin.value is item for origin in yours.values()
    )  # as a `lambda`, which has no name
    besides = any(origin.exercise_id == exercise_id for origin in yours.values())  # as `__new__`
    return not (renamed or besides or any(name in yours for name in names))


@lru_cache(maxsize=64)
def _given_at_start(exercise_id: str) -> frozenset[str]:
    """Return what an exercise's cells define completely before anybody has written anything."""
    solved = {(item.name, item.text) for item in _parts(solution_of(exercise_id))}
    try:
        stub = read_cell(stub_source(exercise_id))
    except SyntaxError:  # a chapter in the making
        return frozenset()
    return frozenset(item.name for item in _parts(stub) if (item.name, item.text) in solved)


def _parts(cell: CellText) -> tuple[Definition, ...]:
    return (*cell.methods, *cell.functions)


def unwritten(exercise_id: str, item: Any) -> list[str]:
    """Return what of an exercise is as it was at the start, and is filled by our solution.

    A helper method that is only suggested doesn't count, unless what the reader wrote names it.
    """
    mine = carried_by(item)
    known = {**mine.methods, **mine.functions} if mine else {}
    there = {name: known[name] for name in solution_of(exercise_id).names if name in known}
    ours = [n for n, o in there.items() if o.whose == "ours" and o.exercise_id == exercise_id]
    said = set().union(*(names_in(o.value) for o in there.values() if o.whose == "yours"))
    asked = {*find_exercise(exercise_id).writes, *said}
    return [n for n in ours if n in asked or "." in n or n.endswith("__") or not n.startswith("_")]


def _answer(mine: Carried, exercise_id: str) -> list[Given]:
    """Return the cells whose definitions answer an exercise: they give what its solution gives."""
    names = solution_of(exercise_id).names
    now = {**mine.methods, **mine.functions}

    def counts(given: Given) -> bool:
        own = {**given.methods, **given.functions}
        gives = [name for name, origin in own.items() if origin.whose == "yours"]
        current = [name for name in gives if now.get(name) is own[name]]
        return any(name in names for name in current) or (
            bool(current) and given.exercise_id == exercise_id
        )

    found = [given for given in mine.cells if counts(given)]
    return [*_helpers(mine, found), *found] if found else []


def _helpers(mine: Carried, answer: list[Given]) -> list[Given]:
    """Return the reader's other cells, of no exercise, whose methods the answer calls."""
    rest = [given for given in mine.cells if not given.exercise_id and given not in answer]
    found: list[Given] = []
    while True:
        said = set().union(*(_said(given) for given in (*answer, *found)))
        more = [given for given in rest if given not in found and said & given.methods.keys()]
        if not more:
            return found
        found += more


def _said(given: Given) -> set[str]:
    return {name for origin in given.methods.values() for name in names_in(origin.value)}


def _definitions(mine: Carried, answer: list[Given], exercise_id: str, file: Path) -> Iterator[Definition]:  # fmt: skip
    """Yield what is the reader's own in these cells and belongs into one of the files: helpers first."""
    functions_in = _home(mine, exercise_id)
    now = {**mine.methods, **mine.functions}
    for given in answer:
        if given.text is None:
            continue
        own = {**given.methods, **given.functions}
        taken = [
            item
            for item in (*given.text.methods, *given.text.functions)
            if item.name in own  # a cell may begin another class below a check
            if own[item.name] is now.get(item.name) and own[item.name].whose == "yours"
            if file
            == (
                functions_in
                if item.kind == "function"
                else _file(mine, mine.classes.is_of_tape(item.owner))
            )
        ]
        yield from given.text.needed_by(taken)
        begun = {item.owner for item in taken}
        yield from (item for item in given.text.layers if item.name in begun)
        yield from taken


def _home(mine: Carried, exercise_id: str) -> Path:
    """Return the file that the functions of an exercise belong to."""
    return _file(mine, beside_module().file_of_functions(exercise_id) == kept_file.TAPE)


def _file(mine: Carried, of_tape: bool) -> Path:
    return mine.tape if of_tape else mine.file


def _quoted(names: Iterable[str]) -> str:
    return listing(f"`{name}`" for name in names)
