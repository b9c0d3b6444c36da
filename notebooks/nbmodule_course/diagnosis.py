"""From an exception in the reader's code to two lines that help: what it said, and where.

A traceback would lead through the course's own files. What helps is the last line *of the reader's own*
that was running, so that is what is found here.
"""

from __future__ import annotations

import linecache
import sysconfig
from types import FrameType, TracebackType
from typing import NamedTuple

from .wording import first_lines, without_addresses, without_surroundings

_LIBRARY_NAMES = ("nbmodule", "nbmodule_widgets", "torch", "numpy")
_ENDLESS = {
    "__setattr__": (
        "inside `__setattr__`, writing `self.x = …` calls `__setattr__` again; write to one of the "
        "dictionaries, or use `object.__setattr__`"
    ),
    "__getattr__": (
        "inside `__getattr__`, reading a name that `self` doesn't have calls `__getattr__` again; "
        "look in `self.__dict__`"
    ),
}
_NO_END = "the code calls itself again and again, and never returns"


class Place(NamedTuple):
    """A line of code: the function it is in, its text, and where it stands."""

    function: str
    line: str
    file: str = ""
    number: int = 0


def what_it_said(error: BaseException) -> str:
    """Return "KeyError: 'w'", the same on every version of Python and every run."""
    if isinstance(error, RecursionError):
        return f"RecursionError: {_NO_END}"
    if isinstance(error, SystemExit):
        return "SystemExit: the code asked Python to stop"
    try:
        message = first_lines(without_surroundings(str(error)), 4)
    except Exception as second:
        message = f"(its message raised {type(second).__name__})"
    name = type(error).__name__
    return f"{name}: {message}" if message else name


def reader_place(error: BaseException) -> Place | None:
    """Return the last line of the reader's own code that was running, or None.

    In an endless recursion that is only where the stack happened to end, so the line that ran most often is taken.
    """
    if isinstance(error, RecursionError):
        return _busiest_place(error.__traceback__)
    return _last_place(error.__traceback__, is_reader)


def asking_place(error: BaseException, place: Place | None) -> Place | None:
    """Return the reader's line that asked for an attribute, if `place` is a `raise` in `__getattr__` or `__setattr__`.

    Such a `raise` does what it's there for, and the mistake is in the line that called it.
    """
    if place is None or place.function not in ASKED or not place.line.startswith("raise "):
        return place
    asked = _last_place(
        error.__traceback__, lambda frame: is_reader(frame) and frame.f_code.co_name not in ASKED
    )
    return asked or place


ASKED = ("__getattr__", "__setattr__", "__delattr__")
"""Methods that Python calls for an attribute."""


def check_place(error: BaseException) -> Place | None:
    """Return the last line of the sub-check that was running, or None."""
    return _last_place(error.__traceback__, _is_check)


def likely_mistake(error: BaseException, place: Place | None) -> str:
    """Return what usually causes `error` when the reader's code raises it at `place`, or ''."""
    if isinstance(error, RecursionError) and place is not None:
        return _ENDLESS.get(place.function, "")
    return ""


def _last_place(traceback: TracebackType | None, wanted) -> Place | None:
    found: tuple[FrameType, int] | None = None
    while traceback is not None:
        if wanted(traceback.tb_frame):
            found = traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next
    return _place(*found) if found else None


def _busiest_place(traceback: TracebackType | None) -> Place | None:
    """Return the reader's line that occurs most often in a traceback: the call that never ends."""
    seen: dict[tuple[str, int], list[tuple[FrameType, int]]] = {}
    while traceback is not None:
        frame, number = traceback.tb_frame, traceback.tb_lineno
        if is_reader(frame):
            seen.setdefault((frame.f_code.co_filename, number), []).append((frame, number))
        traceback = traceback.tb_next
    most = max(seen.values(), key=len, default=None)
    return _place(*most[-1]) if most else None


def _place(frame: FrameType, number: int) -> Place:
    file = frame.f_code.co_filename
    line = linecache.getline(file, number, frame.f_globals).strip()
    return Place(frame.f_code.co_name, without_addresses(line), file, number)


def _is_check(frame: FrameType) -> bool:
    """Tell whether `frame` belongs to a sub-check: course code, but not the engine's `attempt`."""
    return _module_name(frame).startswith("nbmodule_course.checks")


def is_reader(frame: FrameType) -> bool:
    """Tell whether `frame` runs code of the reader: neither ours, nor a library's, nor Python's."""
    name = _module_name(frame)
    if name.partition(".")[0] in (*_LIBRARY_NAMES, "nbmodule_course"):
        return False
    filename = frame.f_code.co_filename
    return not filename.startswith(("<frozen", *_PYTHON_FOLDERS))


def _module_name(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


_PYTHON_FOLDERS = tuple(
    sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")
)
