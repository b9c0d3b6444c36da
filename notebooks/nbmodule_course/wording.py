"""Small helpers for text that must read well and be the same on every run."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_ADDRESS = re.compile(r"( at)? 0x[0-9A-Fa-f]{6,}")
_AROUND = re.compile(r"(?:\b\w+\.|<lambda>\.)+<locals>\.")


class UsageError(Exception):
    """The course was asked for something it cannot do; the message says what is possible.

    In a notebook it appears as that message alone: a traceback through the course's own code would
    tell the reader nothing.
    """

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


def without_addresses(text: str) -> str:
    """Remove memory addresses, which differ on every run."""
    return _ADDRESS.sub("", text)


def without_surroundings(text: str) -> str:
    """Return "Leaf.forward()" of "_made.<locals>.Leaf.forward()": a reader doesn't know what is around it."""
    return _AROUND.sub("", text)


def shown(value: object, limit: int = 80) -> str:
    """Return a short `repr` of the reader's `value`, whatever its `__repr__` does."""
    try:
        text = without_surroundings(without_addresses(repr(value)))
    except (Exception, RecursionError) as error:
        return f"<a {type(value).__name__} whose repr raised {type(error).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def visible(text: str) -> str:
    r"""Write control characters and marks that turn the direction of a text as `\x1b`, so that they can be seen."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t\xa0" else c.encode("unicode_escape").decode()
        for c in text
    )


def first_lines(text: str, limit: int = 12, width: int = 200) -> str:
    """Keep the first `limit` lines of `text`, cut at `width`, and say how many were left out.

    Nothing in them is hidden: see `visible`.
    """
    lines = without_addresses(text).rstrip().split("\n")
    lines = [visible(line if len(line) <= width else line[: width - 1] + "…") for line in lines]
    if len(lines) <= limit:
        return "\n".join(lines)
    return "\n".join([*lines[:limit], f"… {len(lines) - limit} more lines"])


def indented(text: str, spaces: int) -> str:
    """Indent every line of `text` that is not empty."""
    pad = " " * spaces
    return "\n".join(pad + line if line else line for line in text.split("\n"))


def listing(names: Iterable[str]) -> str:
    """Return "a, b and c"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def closest(word: str, possible: Iterable[str]) -> str:
    """Return ' Did you mean "02.3"?', or nothing when no name is near."""
    near = difflib.get_close_matches(word, list(possible), n=1, cutoff=0.5)
    return f' Did you mean "{near[0]}"?' if near else ""


def counted(number: int, noun: str) -> str:
    """Return "1 check" or "3 checks"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
