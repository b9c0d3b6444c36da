"""How often each line of a Module's own walk runs: a generator is entered again for every item that it yields."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections import Counter
from types import CodeType, FrameType
from typing import Any

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.following import (
    CountedLine,
    code_of,
    defined_in,
    module_class_of,
)
from nbmodule_widgets.protocol import namespace_of, type_name

Listing = tuple[str, tuple[CountedLine, ...]]
_LONGEST = 40  # lines of a method that are shown
_MOST = 200_000  # lines that are counted


class CountedWalk:
    """A block in which the lines of some methods of a Module are counted.

    Args:
        model: The Module.
        methods: Names of its methods; those that a library wrote are left out.
    """

    def __init__(self, model: object, methods: tuple[str, ...]) -> None:
        self._codes: dict[CodeType, str] = {}
        self._ran: Counter[tuple[CodeType, int]] = Counter()
        self._left = _MOST
        self._before: Any = None
        for method in methods:
            owner, found = defined_in(model, method)
            code = code_of(found)
            if owner is not None and code is not None and not _of_a_library(code, method):
                self._codes[code] = f"{visible(type_name(owner), 60)}.{method}"

    def __enter__(self) -> CountedWalk:
        self._before = sys.gettrace()
        if self._codes:
            sys.settrace(self._on_call)
        return self

    def __exit__(self, *error: object) -> None:
        if self._codes:
            sys.settrace(self._before)

    @property
    def listings(self) -> tuple[Listing, ...]:
        """The methods of which a line ran, each with its lines."""
        ran = {code for code, _ in self._ran}
        return tuple((name, self._lines(code)) for code, name in self._codes.items() if code in ran)

    def _on_call(self, frame: FrameType, event: str, argument: object) -> Any:
        return self._on_line if frame.f_code in self._codes and self._left > 0 else None

    def _on_line(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "line":
            self._left -= 1
            self._ran[frame.f_code, frame.f_lineno] += 1
        return self._on_line

    def _lines(self, code: CodeType) -> tuple[CountedLine, ...]:
        try:
            texts, first = inspect.getsourcelines(code)
        except (OSError, TypeError):
            return ()
        shown = textwrap.dedent("".join(texts[:_LONGEST])).rstrip().splitlines()
        return tuple(
            CountedLine(at + 1, visible(text, 200), self._ran[code, first + at])
            for at, text in enumerate(shown)
        )


def _of_a_library(code: CodeType, method: str) -> bool:
    """Whether a library's own `Module` has this very code, or a copy of it."""
    for library in ("nbmodule", "torch"):
        base = module_class_of(library)
        theirs = code_of(namespace_of(base).get(method)) if base is not None else None
        if theirs is not None and theirs.co_filename == code.co_filename:
            return True
    return False
