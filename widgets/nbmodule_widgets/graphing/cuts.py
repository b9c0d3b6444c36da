"""Where a pass leaves the graph: `detach()` and `no_grad()` in the reader's code, behind which no gradient goes."""

from __future__ import annotations

import re
from types import FrameType
from typing import Any

from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.graphing.records import Cut
from nbmodule_widgets.graphing.stack import Stack, of_a_library
from nbmodule_widgets.protocol import plain_text, read

_MOST = 20
_WRITTEN = re.compile(r"\.(detach_?\(|data\b|numpy\()")
# Code of a library in which a reader's operation ends up; any other may have reasons of its own.
_PLAIN = ("nn.modules", "nn.functional", "nn._functional", "_tensor", "functional", "_functions", "_ops", "_methods", "_engine", "utils._python_dispatch")  # fmt: skip
# They run a reader's code without recording it, and put a node of their own in its place.
_STAND_INS = ("utils.checkpoint", "autograd.function", "autograd._functions")


class Cuts:
    """Collects the places.

    Args:
        stack: Finds modules and lines.
    """

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._found: dict[tuple[str, int, str], Cut] = {}

    @property
    def found(self) -> tuple[Cut, ...]:
        """The places, in the order in which the pass came to them."""
        return tuple(self._found.values())

    def detached(self, frame: FrameType | None) -> None:
        """A tensor with a graph was detached; told only where the reader's own line says so.

        Libraries detach what they save for the backward pass, which cuts nothing.
        """
        self._add("detach()", frame, written=True)

    def unrecorded(self, frame: FrameType | None, arguments: Any) -> None:
        """An operation was not recorded.

        Args:
            frame: The frame that ran it.
            arguments: What it was given.
        """
        if len(self._found) < _MOST and any(
            read(tensor, "requires_grad").value is True for _, tensor in tensors_in(arguments)
        ):
            self._add("no_grad()", frame, written=False)

    def _add(self, what: str, frame: FrameType | None, written: bool) -> None:
        if len(self._found) >= _MOST or not (written or _is_plain(frame)):
            return
        calls, line = self._stack.at(frame)
        if line < 0 or (written and not _WRITTEN.search(self._stack.lines[line].text)):
            return
        path = calls[-1].path if calls else ""
        inside = self._stack.lines[line].function
        # One no_grad() block may hold many operations: the first is enough.
        key = (what, line if written else -1, f"{path} {inside}")
        self._found.setdefault(key, Cut(what, path, line))


def _is_plain(frame: FrameType | None) -> bool:
    """Whether the reader's own code ran the operation, under a no_grad() that is not a library's."""
    own = False
    while frame is not None:
        if of_a_library(frame):
            place = plain_text(frame.f_globals.get("__name__", "")).partition(".")[2]
            if place.startswith(_STAND_INS) or not (own or place.startswith(_PLAIN)):
                return False
        else:
            own = True
        frame = frame.f_back
        if (
            own
            and frame is not None
            and plain_text(frame.f_globals.get("__name__", "")).startswith("nbmodule_widgets")
        ):
            return True
    return own
