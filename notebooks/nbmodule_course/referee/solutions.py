"""The class `Module` as the chapters' own solutions make it, up to an exercise; or with one wrong answer in it."""

from __future__ import annotations

import ast
import sys
import textwrap
import types
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..capture import compile_with_source, remember_source
from ..chapters import chapters, read_cells, solved_source
from ..markers import without_markers
from ..mine.home import at_home
from ..numbering import chapter_of_id, order_of

OURS = "<our solution of "
ANSWERS = "nbmodule_course.solutions"
"""The module in which the answers of tests and our own solutions run."""


def solution_class(exercise_id: str, name: str = "Module") -> type:
    """Return the class with the solutions of this exercise and of all before it.

    Args:
        exercise_id: the last exercise that is taken.
        name: "Module", or a layer that stands on it.

    Raises:
        LookupError: no chapter holds a solution of this exercise.
    """
    return solved_names(exercise_id)[name]


@lru_cache(maxsize=256)
def solved_names(exercise_id: str) -> dict[str, Any]:
    """Return what `build` gives for our own solution; built once, so nobody may change it."""
    return build(exercise_id)


def build(exercise_id: str, instead: str | None = None) -> dict[str, Any]:
    """Run the solution cells from chapter 01 to an exercise; return the names that they define.

    Args:
        exercise_id: the last exercise that is taken.
        instead: stands in the place of this exercise's own cell.

    Raises:
        LookupError: no chapter holds a solution of this exercise.
    """
    Module = type("Module", (), {"__module__": "__main__", "__doc__": None})
    layers: dict[str, Any] = {}
    names: dict[str, Any] = {}
    before: list[dict[str, Any]] = []
    found = False
    for chapter in chapters():
        solved, given = _read(chapter.path, chapter.path.stat().st_mtime_ns)
        for name, source in solved.items():
            if not _belongs(name, exercise_id):
                continue
            found |= name == exercise_id
            if name == exercise_id and instead is not None:
                source = instead
            names = _namespace(given, source, Module, layers)
            known = dict(layers)
            _run(source, f"{OURS}{name}>", names, Module)
            again = {n: layers[n] for n, value in known.items() if layers[n] is not value}
            for earlier in before if again else ():  # written again: it is the new one everywhere
                earlier.update((n, again[n]) for n in earlier.keys() & again.keys())
            before.append(names)
    if not found:
        raise LookupError(f"no chapter holds a solution of {exercise_id}")
    return {**layers, **names, "Module": Module}


def solution_source(exercise_id: str) -> str:
    """Return the solution of an exercise as a reader would have written it, or ''."""
    return without_markers(solved_source(exercise_id))


def patched(source: str, patch: Mapping[str, str], remove: Iterable[str] = ()) -> str:
    """Return `source` with some passages or methods replaced.

    Args:
        source: a solution.
        patch: `{name: "def name(…): …"}` replaces the method (or adds it), in a cell with several classes
            `{"Class.name": …}`; `{"old text": "new text"}` replaces
            a passage that occurs once, whatever its indentation. A line of it may end in "…": its beginning counts.
        remove: names of methods that are taken out.

    Raises:
        ValueError: a passage does not occur exactly once.
    """
    for old, new in patch.items():
        if old.replace(".", "").isidentifier() and textwrap.dedent(new).lstrip().startswith(
            ("def ", "@")
        ):
            source = _with_method(source, old, new)
        else:
            source = _with_passage(source, old, new)
    for name in remove:
        source = _with_method(source, name, "")
    return source


def _with_passage(source: str, old: str, new: str) -> str:
    """Replace whole lines, or a passage within a line."""
    lines = textwrap.dedent(old).strip("\n").split("\n")
    text = source.split("\n")
    places = [
        index
        for index in range(len(text))
        if len(text) >= index + len(lines) and all(map(_same_line, lines, text[index:]))
    ]
    if len(places) == 1:
        first = text[places[0]]
        depth = first[: len(first) - len(first.lstrip())]
        body = textwrap.indent(textwrap.dedent(new).strip("\n"), depth)
        return "\n".join([*text[: places[0]], body, *text[places[0] + len(lines) :]])
    if source.count(old) != 1:
        raise ValueError(f"this passage occurs {source.count(old)} times, not once:\n{old}")
    return source.replace(old, new)


def _same_line(old: str, line: str) -> bool:
    old, line = old.strip(), line.strip()
    return line.startswith(old[:-1]) if old.endswith("…") else line == old


def _with_method(source: str, name: str, new: str) -> str:
    """Replace, add or remove a method of the class in `source`, or a function."""
    tree = ast.parse(source)
    class_name, _, name = name.rpartition(".")
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    owner = next((node for node in classes if class_name in ("", node.name)), None)
    body = owner.body if owner else tree.body
    depth = "    " if owner else ""
    lines = source.split("\n")
    text = textwrap.indent(textwrap.dedent(new).strip("\n"), depth)
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min(part.lineno for part in (node, *node.decorator_list))
            return "\n".join([*lines[: first - 1], text, *lines[node.end_lineno :]])
    end = (owner.end_lineno or len(lines)) if owner else len(lines)
    return "\n".join([*lines[:end], "", text, *lines[end:]])


def _belongs(name: str, exercise_id: str) -> bool:
    """Tell whether exercise `name` is on the way to `exercise_id`: chapter 00 stands alone."""
    early = chapter_of_id(name) < "01" and chapter_of_id(name) != chapter_of_id(exercise_id)
    return order_of(name) <= order_of(exercise_id) and not early


_Given = list[tuple[set[str], Any]]
"""The names that an import, a class or a function binds, and its code."""


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int) -> tuple[dict[str, str], _Given]:
    """Return what a build asks of a chapter: the solution of each exercise, and what the other cells define."""
    solved: dict[str, list[str]] = {}
    given: _Given = []
    for cell in read_cells(path):
        if cell.exercise_id:
            solved.setdefault(cell.exercise_id, []).append(cell.source)
        elif cell.kind == "code":
            given += _definitions(cell.source)
    return {name: without_markers("\n\n".join(parts)) for name, parts in solved.items()}, given


def _namespace(given: _Given, source: str, Module: type, layers: dict[str, Any]) -> dict[str, Any]:
    """Return what a solution finds in its notebook: the chapter's imports that it uses, `mine`, and `Module`."""
    used = _used(source)
    names: dict[str, Any] = {"__name__": ANSWERS, "Module": Module, **layers}
    names["mine"] = _Mine(Module, layers)
    wanted = used - {"Module", *layers}
    for bound, code in given:
        if bound & wanted:
            exec(code, names)
    for name in ("Parameter", "functional", "init"):
        if name in used and name not in names:
            names[name] = getattr(names["mine"], name)
    return names


_Definition = ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef


@lru_cache(maxsize=256)
def _used(source: str) -> frozenset[str]:
    """Return the names in a cell; cells are read again for every wrong answer, so they are parsed once."""
    return frozenset(node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name))


def _definitions(source: str) -> _Given:
    """Return the imports, classes and functions of a cell: the names that each binds, and its code."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return []
    found = [node for node in body if isinstance(node, _Definition)]
    codes = [compile(ast.Module([node], []), "<imports>", "exec") for node in found]
    return list(zip(map(_bound, found), codes, strict=True))


def _bound(node: _Definition) -> set[str]:
    """Return the names that an import, a class or a function binds."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name}
    return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}


class _Mine:
    """What the name `mine` means to a solution: `extend`, and the parts of the library that carry no Module."""

    def __init__(self, Module: type, layers: dict[str, Any]) -> None:
        self.so_far = self.Module = Module
        self._layers = layers

    def extend(self, given: Any) -> Any:
        """Add the methods of a class to Module, or to the class of its name, and return that; a function as it is."""
        if not isinstance(given, type):
            self._layers[given.__name__] = given
            return given
        home = self.so_far
        if given.__name__ != "Module":
            home = self._layers.setdefault(given.__name__, given)
        for name, value in vars(given).items() if home is not given else ():
            if name not in ("__dict__", "__weakref__", "__module__", "__doc__", "__qualname__"):
                setattr(home, name, at_home(value, home))
        return home

    def __getattr__(self, name: str) -> Any:
        from nbmodule import nn

        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._layers:
            return self._layers[name]
        return getattr(nn, name)


@lru_cache(maxsize=512)
def _compiled(source: str, label: str) -> Any:
    """Return the code of a cell: the solutions before an exercise run anew for every answer that is built."""
    return compile_with_source(source, source, label, "exec")


def _run(source: str, label: str, names: dict[str, Any], Module: type) -> None:
    module = types.ModuleType(ANSWERS)
    sys.modules.setdefault(module.__name__, module)  # where classes say they live
    code = _compiled(source, label)
    remember_source(source, label)  # another answer may have had the same label since
    exec(code, names)
    given = names.get("Module")
    if isinstance(given, type) and given is not Module:  # a cell without the decorator
        _Mine(Module, {}).extend(given)
    names["Module"] = Module
