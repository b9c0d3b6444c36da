"""Where a pass leaves the graph: `detach()` and `no_grad()` in the reader's code, behind which no gradient goes."""

from __future__ import annotations

import re
from typing import Any

from nbmodule_widgets.engines import Heard
from nbmodule_widgets.graphing.calls import Calls
from nbmodule_widgets.graphing.lines import Lines
from nbmodule_widgets.graphing.records import Cut
from nbmodule_widgets.protocol import read

_MOST = 20
_WRITTEN = re.compile(r"\.(detach_?\(|data\b|numpy\()")


class Cuts:
    """Collects the places.

    Libraries detach what they save for the backward pass, and switch gradients off where they put a node of their own in
    the place of what they run: neither cuts anything. So only what the reader's own lines say is told.

    Args:
        calls: The open calls of Modules.
        lines: Finds the reader's lines.
    """

    def __init__(self, calls: Calls, lines: Lines) -> None:
        self._calls, self._lines = calls, lines
        self._found: dict[tuple[str, int, str], Cut] = {}
        self._judged: set[tuple[int, str]] = set()

    @property
    def found(self) -> tuple[Cut, ...]:
        """The places, in the order in which the pass came to them."""
        return tuple(self._found.values())

    def detached(self, heard: Heard, given: list[Any]) -> None:
        """A tensor was detached; one without a graph leaves none.

        Args:
            heard: The operation.
            given: The tensors that it was given.
        """
        had_graph = heard.name == "detach_" or any(map(wants_grad, given))  # the former is over
        if had_graph and len(self._found) < _MOST:
            line = self._lines.now()
            if line < 0 or not _WRITTEN.search(self._lines.lines[line].text):
                return
            if not self._lines.inside_a_layer():  # which detaches what it saves for backward()
                self._add("detach()", line, line)

    def unrecorded(self, given: list[Any]) -> None:
        """An operation was not recorded.

        Args:
            given: The tensors that it was given.
        """
        if len(self._found) < _MOST and any(map(wants_grad, given)):
            line = self._lines.now()
            place = line, self._path()
            if line >= 0 and place not in self._judged:
                self._judged.add(place)
                if self._lines.gradients_are_off():
                    # One no_grad() block may hold many operations: the first is enough.
                    self._add("no_grad()", line, -1)

    def _add(self, what: str, line: int, each: int) -> None:
        path, inside = self._path(), self._lines.lines[line].function
        self._found.setdefault((what, each, f"{path} {inside}"), Cut(what, path, line))

    def _path(self) -> str:
        return self._calls.open[-1].path if self._calls.open else ""


def wants_grad(tensor: Any) -> bool:
    """Whether a tensor requires a gradient."""
    return read(tensor, "requires_grad").value is True
