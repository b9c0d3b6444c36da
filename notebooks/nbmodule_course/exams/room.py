"""The process in which an exam is taken: it asks the class in a file the questions, and writes a line for each answer.

    python -m nbmodule_course.exams.room FILE SECONDS      # the keys of the questions come in, one a line

It may end at any moment, since the file is the reader's; `taking.py` watches it.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from json import dumps
from pathlib import Path
from traceback import walk_tb
from types import CodeType, FunctionType, ModuleType
from typing import Any

import nbmodule
from nbmodule import nn

from ..capture import Outcome, captured, compile_with_source
from ..diagnosis import Place, asking_place, reader_place, what_it_said
from ..mine import kept_file
from ..mine.layers import FINISHED
from ..mine.together import functions_in
from ..referee.budget import budget
from ..referee.compare import Overtime
from ..referee.slips import replaced
from ..wording import first_lines, listing
from .questions import Question
from .suite import LAYERS, answer, names_of, questions

READER = Path(kept_file.NAME).stem
RENAMED = {"Linear": "MyLinear"}
"""The classes that the reader wrote under another name than PyTorch's."""
WALL = 5.0
LONGEST = 600
_OURS = re.compile(rf"({(__package__ or '').partition('.')[0]}(\..*)?|__main__)$")
_LACKS = re.compile(r"object has no attribute '(\w+)'$|^name '(\w+)' is not defined")
_AS_SHIPPED = names_of(nbmodule)


class Unfit(Exception):
    """There is no class in the file that could be asked."""


Told = Callable[[BaseException], None]
Answering = Callable[[Question, Told], Outcome]
"""Answers a question, and hands on an exception that its lines raise."""


def main(arguments: list[str]) -> None:
    """Ask the questions of the first exam."""
    serve(arguments, questions, begun)


def begun(file: Path) -> Answering:
    """Return what answers for the class in a file, which runs anew for each question: none sees what another has left."""
    code = read(file)
    classes_in(code, file)
    return lambda question, told: answer(
        question, names_of(nbmodule, **classes_in(code, file)), told
    )


def serve(
    arguments: list[str],
    questions: Callable[[], Sequence[Question]],
    begin: Callable[[Path], Answering],
    longest: int = LONGEST,
) -> None:
    """Ask the questions whose keys come in; each line that goes out is a dictionary as JSON.

    Args:
        arguments: the file, and how many seconds a question has; 0 for no limit.
        questions: returns all of them.
        begin: runs the file, and returns what answers.
        longest: how many characters of an answer go out.
    """
    place, seconds = arguments
    file, cpu, asked = Path(place), float(seconds), set(sys.stdin.read().split("\n"))
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    silence = os.open(os.devnull, os.O_RDWR)
    for number in range(3):  # what the reader's code prints past Python goes nowhere
        os.dup2(silence, number)
    sys.path.append(str(file.parent))

    began_as = os.getpid()

    def tell(**line: Any) -> None:
        if os.getpid() != began_as:  # a fork of the reader's code, and the exam is its parent's
            os._exit(0)
        out.write(dumps(line) + "\n")
        out.flush()

    tell(ready=True)
    late: list[BaseException] = []
    try:
        answering = _within(cpu, lambda: begin(file), late.append)
        if answering is None:
            raise Unfit(_too_slow(file, cpu, late[0]))
    except Unfit as error:
        tell(unfit=str(error))
        return
    tell(loaded=True)
    for question in questions():
        if question.key in asked:
            tell(key=question.key, **ask(question, answering, file, cpu, longest))
    os._exit(0)  # whatever the reader's code has left running


def _too_slow(file: Path, cpu: float, error: BaseException) -> str:
    """Say which line of the file didn't come to its end; what a line imports may just be large."""
    frames = walk_tb(error.__traceback__)
    numbers = [number for frame, number in frames if frame.f_code.co_filename == str(file)]
    if not numbers:
        return f"{file.name} is still running {cpu:g} s after its import began."
    line = kept_file.read(file).split("\n")[numbers[-1] - 1].strip()
    if line.startswith(("import ", "from ")):
        return (
            f"In line {numbers[-1]} of {file.name}, `{line}` takes too long: the whole file has {cpu:g} s of "
            "processor time. Import large libraries inside the functions that use them."
        )
    return f"{file.name} is still running {cpu:g} s after its import began, in line {numbers[-1]}: `{line}`."


def ask(
    question: Question, answering: Answering, file: Path, cpu: float, longest: int = LONGEST
) -> dict[str, Any]:
    """Return what the class answers: its `repr`, or the error, and whether its time was over."""
    raised: list[BaseException] = []

    def run() -> dict[str, Any]:
        outcome = answering(question, raised.append)
        said = outcome.value[0] if outcome.value else "None"
        return {"said": said, "error": outcome.error_text, "printed": outcome.printed}

    try:
        found = _within(cpu, run, raised.append)
    except KeyboardInterrupt:  # raised by the reader's code: Ctrl-C ends this process from outside
        found = {"said": "", "error": KeyboardInterrupt.__name__, "printed": ""}
    if found is None or found["error"].startswith((Overtime.__name__, "Waited")):
        found, endless = {"said": "", "error": "", "printed": ""}, True
    else:
        endless = False
    cut = {name: first_lines(text, width=longest) for name, text in found.items()}
    return {**cut, "endless": endless, **(_blamed(raised[0], file) if raised else {})}


def _blamed(error: BaseException, file: Path) -> dict[str, Any]:
    """Return the `line` of the reader's file that is at fault, and what an object `lacks`; 0 and '' for none.

    A `raise` of the reader's is no fault: it does what it's there for. Nor is a line that calls one of our layers.
    """
    place = asking_place(error, reader_place(error))
    here = place is not None and place.file == str(file) and not place.line.startswith("raise ")
    here = here and not _in_a_layer(error, place)
    lacks = _LACKS.search(str(error)) if isinstance(error, AttributeError | NameError) else None
    name = (lacks[1] or lacks[2]) if lacks else ""
    return {"line": place.number if place and here else 0, "lacks": name}


def _in_a_layer(error: BaseException, place: Place | None) -> bool:
    """Tell whether the line at `place` called a method of a layer of ours, as `__call__` does, in which it went on."""
    frames = list(walk_tb(error.__traceback__))
    for (frame, number), (below, _) in zip(frames[-2::-1], frames[::-1], strict=False):
        if place and (frame.f_code.co_filename, number) == (place.file, place.number):
            return str(below.f_globals.get("__name__")).startswith(nn.modules.__name__)
    return False


def read(file: Path) -> CodeType:
    """Return the file, compiled.

    Raises:
        Unfit: it is no Python.
    """
    try:
        text = kept_file.read(file)
        return compile_with_source(ast.parse(text), text, str(file), "exec")
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        raise Unfit(f"{file.name} isn't valid Python{where}: {error.msg}.") from None
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        raise Unfit(f"{file.name} can't be read: {what_it_said(error)}.") from None


def classes_in(code: CodeType, file: Path) -> dict[str, type]:
    """Run the file, each time anew so that no question sees what another has left, and return its classes.

    Raises:
        Unfit: it doesn't run, or its Module isn't a class of the reader's own.
    """
    module = sys.modules[READER] = ModuleType(READER)  # pickle looks for classes by name
    module.__file__ = str(file)
    with captured(), _course_out_of_reach():
        try:
            exec(code, vars(module))
        except Overtime:
            raise
        except BaseException as error:
            said = first_lines(what_it_said(error), 1)
            raise Unfit(f"{file.name} can't be imported: {said}.") from None
    foreign = [*replaced(), *_replaced_names()]
    if foreign:
        said = f"{file.name} replaces {listing(foreign)} of the library itself."
        raise Unfit(f"{said} The exam asks your class, and the library stays as it is.")
    own = vars(module).get("Module")
    if not isinstance(own, type):
        raise Unfit(f"There is no class `Module` in {file.name}.")
    if own.__module__ != READER:
        raise Unfit(f"The `Module` in {file.name} is imported. The exam is about one of your own.")
    if own.__mro__[1:] != (object,):
        bases = listing(f"`{base.__name__}`" for base in own.__bases__)
        said = f"The class `Module` in {file.name} inherits from {bases}."
        raise Unfit(f"{said} Your Module has no parent: write `class Module:`.")
    lent = [
        name for name, value in vars(own).items() if any(map(_is_finished, functions_in(value)))
    ]
    if lent:
        said = (
            f"{listing(f'`{name}`' for name in lent)} of the Module in {file.name} can't be asked"
        )
        raise Unfit(f"{said}: a library wrote it. The exam asks what you wrote yourself.")
    wanted = {name: RENAMED.get(name, name) for name in ("Linear", *LAYERS)}
    found = {name: vars(module).get(known) for name, known in wanted.items()}
    layers = {n: v for n, v in found.items() if isinstance(v, type) and v.__module__ == READER}
    return {"Module": own, **layers}


@contextmanager
def _course_out_of_reach() -> Iterator[None]:
    """Take the exam itself out of `sys.modules`: a file that imports it gets a copy, and changes nothing here."""
    ours = {name: sys.modules.pop(name) for name in list(sys.modules) if _OURS.match(name)}
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        for name in list(sys.modules):
            if _OURS.match(name):
                del sys.modules[name]
        sys.modules.update(ours)


def _is_finished(function: FunctionType) -> bool:
    return str(function.__module__).partition(".")[0] in FINISHED


def _replaced_names() -> Iterator[str]:
    """Yield what the questions use of the library and is no longer what it came with."""
    try:
        now = names_of(nbmodule)
    except AttributeError as error:
        now = {}
        yield f"`{error.name}`"
    for name, value in now.items():
        if value is not _AS_SHIPPED[name]:
            yield f"`{name}`"


def _within(cpu: float, work: Callable[[], Any], told: Told = lambda error: None) -> Any:
    """Return what `work` returns, or None when its time was over; `told` is given what ended it.

    With a `cpu` of 0 there is no limit: what runs isn't the reader's.
    """
    try:
        with budget(cpu, WALL) if cpu else nullcontext():
            return work()
    except Overtime as error:
        told(error)
        return None


if __name__ == "__main__":
    main(sys.argv[1:])
