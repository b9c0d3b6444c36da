"""Columns, small numbers and tables of texts, of which the message of a pass consists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbmodule_widgets.facts.words import visible


class Words:
    """Texts that repeat, numbered."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        """The number of a text; 0 is the empty one."""
        return self._numbers.setdefault(text, len(self._numbers))

    def table(self) -> list[str]:
        """The texts in order."""
        return list(self._numbers)


def column(numbers: Sequence[int] | np.ndarray) -> dict[str, Any]:
    """Whole numbers from 0 as bytes, one, two or four for each, whichever is enough."""
    array = np.asarray(numbers, dtype=np.int64)
    highest = int(array.max()) if array.size else 0
    kind = "B" if highest < 2**8 else "H" if highest < 2**16 else "I"
    return {
        "kind": kind,
        "bytes": array.astype({"B": "u1", "H": "<u2", "I": "<u4"}[kind]).tobytes(),
    }


def small(numbers: Sequence[int]) -> bytes:
    """Whole numbers below 2**24 that are mostly below 255, as one byte each; 255 says that three more follow."""
    found = bytearray()
    for number in numbers:
        if number < 255:
            found.append(number)
        else:
            found += b"\xff" + number.to_bytes(3, "little")
    return bytes(found)


def quiet(text: str, limit: int) -> str:
    """A visible text without backticks, with which the page sets off code."""
    return visible(text, limit).replace("`", "ˋ")
