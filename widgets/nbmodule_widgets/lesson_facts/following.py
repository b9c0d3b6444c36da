"""Following chosen functions while other code runs: which of their lines ran, and how each call ended.

A lesson about `__setattr__` is best told with the reader's own lines. Python's tracing tells which lines ran;
it is switched on for one call of code on a copy of a Module, and only the chosen functions are followed line by
line, so everything else runs at nearly its ordinary pace.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType
from typing import Any

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, error_text, mro_of, namespace_of, type_name

_CALLS = 40  # calls of followed functions that are remembered; one that calls itself for ever makes a thousand
_LINES = 200_000  # lines after which an endless loop in a followed function is stopped
_LONGEST = 60  # lines of a function that are shown


class Endless(BaseException):
    """Raised inside a followed function that goes on and on; no `except Exception` of the reader catches it."""


@dataclass(frozen=True, slots=True)
class CountedLine:
    """A line of a function.

    Attributes:
        number: Its number, counted from 1 at the function's first line.
        text: The line, without the indentation that all lines share.
        ran: How often it ran.
    """

    number: int
    text: str
    ran: int


@dataclass(slots=True, eq=False)
class Call:
    """One call of a followed function.

    Attributes:
        code: The function's code.
        name: The function's name.
        first_line: Where it begins in its file.
        values: Its first arguments as they were at the start: `self` and two more at most.
        parent: The followed call inside which this one was made, or None.
        lines: Numbers of the lines that ran, in the file's count, in order.
        note: What the one who follows remembers about the call.
    """

    code: CodeType
    name: str
    first_line: int
    values: tuple[Any, ...]
    parent: Call | None = None
    lines: list[int] = field(default_factory=list)
    note: Any = None


class Following:
    """A context in which chosen functions are followed.

    Args:
        codes: The functions' code objects.
        entered: Called with each call when it begins; what it returns is kept as the call's `note`, and a call for
            which it returns None is not followed.

    Attributes:
        calls: The calls of these functions, in order of their beginning.
        count: How many there were; `calls` remembers the first.
    """

    def __init__(
        self, codes: set[CodeType], entered: Callable[[Call], object] | None = None
    ) -> None:
        self._codes, self._entered = codes, entered
        self._lines = 0
        self._open: list[Call] = []
        self._inside = False
        self.calls: list[Call] = []
        self.count = 0

    def __enter__(self) -> Following:
        self._before = sys.gettrace()
        sys.settrace(self._on_call)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self._before)

    def _on_call(self, frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        if code not in self._codes or self._inside:
            return None
        parent = self._open[-1] if self._open else None
        call = Call(code, code.co_name, code.co_firstlineno, _arguments(frame), parent)
        if self._entered is not None:
            self._inside = True
            try:
                call.note = self._entered(call)
            finally:
                self._inside = False
            if call.note is None:
                return None
        self.count += 1
        if len(self.calls) >= _CALLS:
            return None
        self.calls.append(call)
        self._open.append(call)

        def on_line(frame: FrameType, event: str, argument: object) -> Any:
            if event == "line":
                self._lines += 1
                if self._lines > _LINES:
                    raise Endless(f"stopped after {_LINES:,} lines: does this loop ever end?")
                if len(call.lines) < 10_000:
                    call.lines.append(frame.f_lineno)
            elif event == "return" and call in self._open:
                del self._open[self._open.index(call) :]
            return on_line

        return on_line


def _arguments(frame: FrameType) -> tuple[Any, ...]:
    """The first three arguments of a call that has just begun, also where some of them are gathered by a `*`."""
    code, found = frame.f_code, frame.f_locals
    values = [found.get(name) for name in code.co_varnames[: code.co_argcount]]
    if code.co_flags & inspect.CO_VARARGS:
        values += found.get(code.co_varnames[code.co_argcount + code.co_kwonlyargcount], ())
    return tuple(values[:3])


def code_of(function: object) -> CodeType | None:
    """The code of a function written in Python; None for anything else."""
    return function.__code__ if type(function) is FunctionType else None


def source_lines(call: Call) -> tuple[CountedLine, ...]:
    """The followed function's source with a count for each line; empty if nobody knows the source."""
    found = attempt(inspect.getsourcelines, call.code)
    if found.problem:
        return ()
    texts, first = found.value
    shown = textwrap.dedent("".join(texts[:_LONGEST])).splitlines()
    return tuple(
        CountedLine(at + 1, visible(text, 200), call.lines.count(first + at))
        for at, text in enumerate(shown)
    )


def said_of(error: BaseException) -> str:
    """`"KeyError: 'x'"` on one line; a RecursionError in the same words on every Python."""
    if isinstance(error, Endless):
        return visible(str(error))
    if isinstance(error, RecursionError):
        return "RecursionError: maximum recursion depth exceeded"
    return visible(error_text(error).replace("\n", " "), 600)


def library_of(module: object, method: str) -> str:
    """Which library's own method an object has under a name.

    Args:
        module: Any object.
        method: `"__setattr__"`, `"register_buffer"`, …

    Returns:
        `"nbmodule"` or `"torch"` if the object's class runs exactly the method that this library's `nn.Module`
        has; otherwise the empty string. Nothing is imported to find out.
    """
    owner, found = defined_in(module, method)
    if owner is None:
        return ""
    for library in ("nbmodule", "torch"):
        base = module_class_of(library)
        if base is not None and namespace_of(base).get(method) is found:
            return library
    return ""


def module_class_of(library: str) -> type | None:
    """The `nn.Module` of a library that is loaded, else None."""
    networks = sys.modules.get(f"{library}.nn")
    base = vars(networks).get("Module") if networks is not None else None
    return base if isinstance(base, type) else None


def defined_in(obj: object, name: str) -> tuple[type | None, Any]:
    """The class along the object's MRO that defines a name, and what it has there; runs nothing."""
    for cls in mro_of(type(obj)):
        namespace = namespace_of(cls)
        if name in namespace:
            return cls, namespace[name]
    return None, None


def classes_of(obj: object) -> tuple[str, ...]:
    """Names of the object's class and of those that it inherits from, in the order in which they are asked."""
    return tuple(visible(type_name(cls), 60) for cls in mro_of(type(obj)))
