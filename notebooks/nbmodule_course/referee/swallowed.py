"""Finds an exception that a broad `except` of the reader's has swallowed, by watching the code run."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import textwrap
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..diagnosis import is_reader

_BROAD = ("", "Exception", "BaseException")


@dataclass(frozen=True)
class Swallowed:
    """An exception that got no further than a broad `except`, and the reader's line that raised it."""

    error: BaseException
    line: str


def swallowed(run: Callable[[], Any]) -> Swallowed | None:
    """Run something; return the last exception that a broad `except` in the reader's code caught, or None."""
    found: list[Swallowed] = []

    def watch(frame: types.FrameType, event: str, argument: Any) -> Any:
        if not is_reader(frame):
            return None
        if (
            event == "exception"
            and frame.f_lineno in _guarded(frame.f_code)
            and not _on_purpose(argument[2])
        ):
            line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
            error = argument[1] if isinstance(argument[1], BaseException) else argument[0]()
            found.append(Swallowed(error, line))
        return watch

    outer = sys.gettrace()
    sys.settrace(watch)
    try:
        run()
    finally:
        sys.settrace(outer)
    return found[-1] if found else None


def _on_purpose(trace: types.TracebackType | None) -> bool:
    """Tell whether a check raised an exception, in a hook that fails: the `except` may be what is asked."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    room = trace.tb_frame.f_globals.get("__name__", "") if trace is not None else ""
    return room.startswith("nbmodule_course.checks")


def _guarded(code: types.CodeType) -> set[int]:
    """Return the lines of a function that stand in a `try` with an `except` for everything that raises nothing."""
    try:
        lines, first = inspect.getsourcelines(code)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):
        return set()
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(map(_is_broad, node.handlers)):
            body = (range(line.lineno, (line.end_lineno or line.lineno) + 1) for line in node.body)
            found.update(number + first - 1 for numbers in body for number in numbers)
    return found


def _is_broad(handler: ast.ExceptHandler) -> bool:
    kind = ast.unparse(handler.type) if handler.type else ""
    return kind in _BROAD and not any(isinstance(node, ast.Raise) for node in ast.walk(handler))
