"""Where in the model, and in which line of the reader's code, something happens: found from the frames of Python's stack."""

from __future__ import annotations

import linecache
import os.path
from types import CodeType, FrameType
from typing import Any

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing.grouping import Call
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.graphing.records import SourceLine
from nbmodule_widgets.protocol import class_attribute, class_name, is_module_like, plain_text

LIBRARIES = ("torch", "nbmodule", "nbmodule_widgets", "numpy")

_DEEPEST = 2000


class Stack:
    """Reads the stack during one recorded pass.

    Args:
        names: The names of the Modules.
        base: The frame that started the pass; what lies below it is none of ours.
    """

    def __init__(self, names: Names, base: FrameType) -> None:
        self._names, self._base = names, base
        # By identity of the frame, which is held so that no other one gets it.
        self._calls: dict[int, tuple[FrameType, Call | None]] = {}
        self._times: dict[int, int] = {}
        self._numbers: dict[tuple[CodeType, int], int] = {}
        self.lines: list[SourceLine] = []

    def at(self, frame: FrameType | None) -> tuple[tuple[Call, ...], int]:
        """The calls of modules around a frame, the outermost first, and the index of the reader's line or -1."""
        calls: list[Call] = []
        line = -1
        for _ in range(_DEEPEST):
            if frame is None or frame is self._base:
                break
            code = frame.f_code
            if code.co_name in ("forward", "__call__"):
                call = self._call(frame)
                if call is not None:
                    calls.append(call)
            if line < 0 and not of_a_library(frame):
                line = self.line(code, frame.f_lineno)
            frame = frame.f_back
        return tuple(reversed(calls)), line

    def _call(self, frame: FrameType) -> Call | None:
        known = self._calls.get(id(frame))
        if known is None:
            known = self._calls[id(frame)] = frame, self._new_call(frame)
        return known[1]

    def _new_call(self, frame: FrameType) -> Call | None:
        code = frame.f_code
        if not code.co_argcount and not code.co_posonlyargcount:
            return None
        module = frame.f_locals.get(code.co_varnames[0])
        if module is None or not is_module_like(module):
            return None
        if code.co_name == "__call__" and class_attribute(module, "forward") is not None:
            return None
        known = self._names.modules.get(id(module))
        path = known.path if known is not None else f"({class_name(module)})"
        times = self._times[id(module)] = self._times.get(id(module), 0) + 1
        return Call(len(self._calls), path, visible(class_name(module), 60), times)

    def line(self, code: CodeType, number: int) -> int:
        """The index of a source line among `lines`."""
        known = self._numbers.get((code, number))
        if known is None:
            text = visible(linecache.getline(code.co_filename, number).strip(), 200)
            name = visible(code.co_name, 60)
            function = {"<module>": "", "<lambda>": "lambda"}.get(name, name)
            self.lines.append(SourceLine(short_file(code.co_filename), number, text, function))
            known = self._numbers[code, number] = len(self.lines) - 1
        return known

    def release(self) -> None:
        """Lets go of the frames."""
        self._calls.clear()


def of_a_library(frame: Any) -> bool:
    """Whether the code of a frame belongs to one of the libraries and not to the reader."""
    name = plain_text(frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] in LIBRARIES


def short_file(path: str) -> str:
    """The name of a file without its folders, which differ from machine to machine; `"<cell>"` for a notebook's."""
    if "ipykernel" in path or path.startswith("<ipython"):
        return "<cell>"
    return visible(os.path.basename(path), 60)
