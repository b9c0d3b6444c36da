"""What a chapter starts from: the reader's classes out of `my_module.py` and `my_tape.py`, up to the chapter before."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any, Literal

from nbmodule.nn import modules

from ..capture import compile_with_source
from ..diagnosis import what_it_said
from ..numbering import chapter_of_id, order_of
from ..wording import listing
from . import kept_blocks, kept_file
from .cells import free_names, owner_of
from .solutions import beside_module, exercise_of, run_solution, solutions, solutions_before
from .together import functions_in

Whose = Literal["yours", "ours"]
READER = "my_module"


@dataclass(frozen=True)
class Origin:
    """Whose a definition is.

    Attributes:
        value: the method or function itself.
        whose: "yours" or "ours".
        exercise_id: the exercise that it came with; '' for what the reader added by hand.
        source: its text in a file, which may grow while it is in use; '' for what comes from elsewhere.
    """

    value: Any
    whose: Whose
    exercise_id: str = ""
    source: str = ""


@dataclass
class Start:
    """The reader's class at the start of a chapter.

    Attributes:
        own: the class.
        layers: the reader's other classes, which stand on it or belong to the tape, by name.
        methods: the methods of all of them by name; those of a layer are called "MyLinear.forward".
        functions: the functions of the exercises by name.
        notices: what the reader should know, each in a sentence or two.
        names: what each of the files defines, by the name of the file.
        tape_problem: why `my_tape.py` can't be used; '' if it can.
    """

    own: type
    layers: dict[str, type] = field(default_factory=dict)
    methods: dict[str, Origin] = field(default_factory=dict)
    functions: dict[str, Origin] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    names: dict[str, dict[str, Any]] = field(default_factory=dict)
    tape_problem: str = ""


def start_of(chapter: str, file: Path) -> Start:
    """Return what the chapters before `chapter` have given; '' means: everything that the file has.

    An exercise that was left open is filled by our solution, unless `chapter` is ''.
    """
    start = _from_file(chapter, file)
    _add_tape(start, chapter, kept_file.tape_beside(file))
    if chapter:
        for exercise_id, solution in solutions_before(chapter).items():
            have = start.methods.keys() | start.functions.keys()
            wanted = [name for name in solution.names if not _is_lent(name, start)]
            if not any(_open(name, exercise_id, start) for name in wanted):
                continue
            given = {name: origin.value for name, origin in start.functions.items()}
            made = run_solution(exercise_id, start.own, given, start.layers)
            made = {name: value for name, value in made.items() if name in wanted}
            kinds = {item.name: start.functions for item in solution.functions}
            for name, value in made.items():
                if name not in have or _open(name, exercise_id, start):
                    kinds.get(name, start.methods)[name] = Origin(value, "ours", exercise_id)
    for file_name, names in start.names.items():
        start.notices += _undefined(start, names, file_name)
        for name, origin in start.functions.items():  # ours stands in, for the reader's own too
            names.setdefault(name, origin.value)
        for name, layer in start.layers.items():
            names.setdefault(name, layer)
    return start


def renew_functions(methods: Iterable[Any], functions: dict[str, Origin]) -> None:
    """Let methods out of the files, and ours, call the functions of now: a later exercise may write one again.

    Args:
        methods: out of the bodies of classes.
        functions: those of the exercises.
    """
    plain = [
        f
        for value in (*methods, *(o.value for o in functions.values()))
        for f in functions_in(value)
    ]
    for names in {
        id(names): names for f in plain if (names := inspect.unwrap(f).__globals__)
    }.values():
        if names.get("__name__") == "__main__":  # the notebook: there, the names are the reader's
            continue
        names.update((n, origin.value) for n, origin in functions.items() if n in names)


def _open(name: str, exercise_id: str, start: Start) -> bool:
    """Tell whether our solution of an exercise is to give `name`: nobody has, or our own one of an earlier exercise."""
    known = start.methods.get(name) or start.functions.get(name)
    return known is None or (
        known.whose == "ours" and order_of(known.exercise_id) < order_of(exercise_id)
    )


def _is_lent(name: str, start: Start) -> bool:
    """Tell whether nbmodule's own layer stands in: the reader has not begun a class of this name."""
    owner = owner_of(name)
    begun = any(owner_of(known) == owner for known in start.methods)
    return bool(owner) and owner in modules.__all__ and not begun


def _from_file(chapter: str, file: Path) -> Start:
    text, names, notice = _read_and_run(file, _ON_OURS if chapter else _ALL_LENT)
    if notice:
        return Start(_empty(), notices=[notice])
    own = names.get("Module")
    if not isinstance(own, type):
        notices = (
            [f"There is no class `Module` in {file.name}; a new one is started."] if text else []
        )
        return Start(_empty(), notices=notices)
    if own.__mro__[1:] != (object,):
        bases = listing(f"`{base.__name__}`" for base in own.__bases__)
        said = f"The class `Module` in {file.name} inherits from {bases}. Your Module has no parent: write `class Module:`."
        return Start(_empty(), notices=[said + (_ON_OURS if chapter else _ALL_LENT)])
    own.__module__ = "__main__"
    start = Start(own, names={file.name: names})
    layers = _layers(text, names, start, chapter, file.name)
    _take(text, names, {"": own, **layers}, chapter, start)
    if len(kept_blocks.classes(text)) > 1:
        start.notices.append(
            f"There are two classes `Module` in {file.name}, and Python takes the last one. Move what you need into it."
        )
    return start


def _add_tape(start: Start, chapter: str, file: Path) -> None:
    """Add what the reader's `my_tape.py` has to what their `my_module.py` has."""
    text, names, notice = _read_and_run(file, _ON_OUR_TAPE if chapter else _NO_TAPE)
    if notice:
        start.tape_problem = notice
        start.notices.append(notice)
        return
    start.names[file.name] = names
    found: dict[str, type] = {}
    for node, layer in _begun(text, names, chapter).items():
        layer.__module__ = "__main__"
        found[node.name] = layer
    start.layers.update(found)
    _take(text, names, found, chapter, start)


def _read_and_run(file: Path, until_then: str) -> tuple[str, dict[str, Any], str]:
    """Return the text of a file, what it defines, and why it can't be used; '' if it can."""
    try:
        try:
            text = kept_file.read(file)
            kept_blocks.blocks(text)
            code = compile_with_source(ast.parse(text), text, str(file), "exec")
        except (SyntaxError, UnicodeDecodeError, OSError, ValueError) as error:
            return "", {}, _cannot_be_read(file, error) + until_then
        runs_as = _RUNS_AS.get(file.name, READER)  # so that its lines are known as the reader's
        names: dict[str, Any] = {"__name__": runs_as, "__file__": str(file)}
        exec(code, names)
    except (Exception, SystemExit) as error:
        return "", {}, _cannot_run(file, error) + until_then
    return text, names, ""


def _take(
    text: str, names: dict[str, Any], owners: dict[str, type], chapter: str, start: Start
) -> None:
    """Count the methods and functions of a file as the reader's, as far as this chapter has come."""
    exercises = {item.name for solution in solutions().values() for item in solution.functions}
    lines = text.split("\n")
    for block in kept_blocks.blocks(text):
        owner, source = owners.get(owner_of(block.name)), kept_blocks.source_of(block, lines)
        if block.kind == "method" and owner is not None:
            _take_method(block, owner, chapter, start, source)
        if block.kind == "method":
            continue
        exercise_id = block.exercise_id or exercise_of(block.name)
        if block.name in exercises and not _is_later(exercise_id, chapter):
            start.functions[block.name] = Origin(
                names.get(block.name), "yours", exercise_id, source
            )
        elif block.name in exercises:  # for what calls it, ours of before stands in
            names.pop(block.name, None)


def _take_method(
    block: kept_blocks.Block, owner: type, chapter: str, start: Start, source: str
) -> None:
    """Count a method of the file as the reader's, or take it out of its class: this chapter comes before it."""
    name = block.name.rpartition(".")[2]
    exercise_id = block.exercise_id or exercise_of(block.name)
    if name not in vars(owner):  # of a class that a later one replaces
        return
    if _is_later(exercise_id, chapter):
        delattr(owner, name)
    else:
        start.methods[block.name] = Origin(vars(owner)[name], "yours", exercise_id, source)


def _is_later(exercise_id: str, chapter: str) -> bool:
    return bool(chapter and exercise_id) and order_of(exercise_id)[0] >= chapter


def _layers(text: str, names: dict[str, Any], start: Start, chapter: str, file: str) -> dict[str, type]:  # fmt: skip
    """Return the reader's own layers in the file; those that begin in this chapter or later are left out."""
    found: dict[str, type] = {}
    beside = beside_module()
    exercises = {owner_of(b.name): b.exercise_id for b in kept_blocks.blocks(text)}
    for node, layer in _begun(text, names, chapter).items():
        if beside.classes.get(node.name) == kept_file.TAPE:
            start.notices.append(
                f"The class `{node.name}` in {file} belongs to your tape. Move it into {kept_file.TAPE}; "
                "until then, this chapter takes the one that is there, or ours."
            )
            continue
        home = beside.chapters.get(chapter_of_id(exercises.get(node.name, "")))
        alone = node.name in beside.classes or home == kept_file.NAME
        if not issubclass(layer, start.own) and not alone:
            bases = listing(f"`{ast.unparse(base)}`" for base in node.bases) or "nothing"
            start.notices.append(
                f"The class `{node.name}` in {file} inherits from {bases}. It stands on your own Module: "
                f"write `class {node.name}(Module):`. Until then, this chapter takes ours."
            )
            continue
        layer.__module__ = "__main__"
        found[node.name] = layer
    start.layers.update(found)
    return found


def _begun(text: str, names: dict[str, Any], chapter: str) -> dict[ast.ClassDef, type]:
    """Return the classes of the reader's own in a file, but those of which all comes in this chapter or later."""
    found: dict[ast.ClassDef, type] = {}
    blocks = kept_blocks.blocks(text)
    for node in kept_blocks.layer_classes(text):
        layer = names.get(node.name)
        ids = [b.exercise_id for b in blocks if owner_of(b.name) == node.name and b.exercise_id]
        if isinstance(layer, type) and not (ids and all(_is_later(i, chapter) for i in ids)):
            found[node] = layer
    return found


_RUNS_AS = {kept_file.TAPE: "my_tape"}


def _empty() -> type:
    return type("Module", (), {"__module__": "__main__", "__doc__": "An object that keeps books."})


def _undefined(start: Start, names: dict[str, Any], file: str) -> list[str]:
    """Name what the reader's methods use and the file does not have, before it becomes a NameError."""
    found = []
    given = {
        item
        for solution in solutions().values()
        for item in (*solution.layers, *solution.functions)
    }
    stand_in = {item.name for item in given}
    for name, origin in (*start.methods.items(), *start.functions.items()):
        if not isinstance(origin.value, FunctionType) or origin.value.__globals__ is not names:
            continue
        lacking = sorted(names_used(origin.value) - names.keys() - stand_in)
        if lacking:
            words = listing(f"`{word}`" for word in lacking)
            verb = "is" if len(lacking) == 1 else "are"
            found.append(
                f"In {file}, line {origin.value.__code__.co_firstlineno}: your `{name}` uses {words}, which {verb} "
                "neither defined nor imported there. Add the missing line, then restart this notebook."
            )
    return found


def names_used(function: FunctionType) -> set[str]:
    """Return the names that a function takes from around it."""
    return free_names(function.__code__)


_ON_OURS = " Until then, this chapter builds on our version of everything before it."
_ALL_LENT = " Until then, nbmodule lends every method here."
_NO_TAPE = " Until then, there is no tape of yours here."
_ON_OUR_TAPE = " Until then, this chapter builds on our version of your tape."


def _cannot_be_read(file: Path, error: Exception) -> str:
    if isinstance(error, SyntaxError):
        where = f" in line {error.lineno}" if error.lineno else ""
        said = f"{file.name} is not valid Python{where}: {error.msg}."
    else:
        said = f"{file.name} cannot be read ({type(error).__name__})."
    return f"{said} Nothing in it was changed. Fix it, then restart this notebook."


def _cannot_run(file: Path, error: BaseException) -> str:
    number, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == str(file):
            number = traceback.tb_lineno
        traceback = traceback.tb_next
    return f"{file.name} cannot be run. Line {number} raises {what_it_said(error)}. Fix it, then restart this notebook."
