"""Long lists on their way to the page: whole numbers as bytes, texts that repeat as numbers, norms on a log scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

ZERO, NOT_A_NUMBER, INFINITE, NONE, UNREADABLE = 0, 65535, 65534, 65533, 65532

_LOWEST, _STEPS = -46.0, 700.0  # the logarithm that 1 stands for, and steps for each decade


def column(numbers: Sequence[int] | np.ndarray) -> dict[str, Any]:
    """Whole numbers from 0 as bytes: one, two or four for each, whichever is enough."""
    array = np.asarray(numbers, dtype=np.int64)
    highest = int(array.max()) if array.size else 0
    kind = "B" if highest < 2**8 else "H" if highest < 2**16 else "I"
    width = {"B": "u1", "H": "<u2", "I": "<u4"}[kind]
    return {"kind": kind, "bytes": array.astype(width).tobytes()}


def small(numbers: Sequence[int]) -> bytes:
    """Whole numbers below 2**24 that are mostly below 255, as one byte each; 255 says that three more follow."""
    found = bytearray()
    for number in numbers:
        if number < 255:
            found.append(number)
        else:
            found += b"\xff" + number.to_bytes(3, "little")
    return bytes(found)


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


def worded(texts: Iterable[str]) -> dict[str, Any]:
    """A column of texts of which many are the same: each once, and for each row its number."""
    words = Words()
    which = [words.number(text) for text in texts]
    return {"texts": words.table(), "which": column(which)}


def log_column(norms: np.ndarray) -> bytes:
    """Norms as 16-bit steps on a logarithmic scale: a curve needs no more than three digits.

    One step is 1/700 of a decade, a third of a per cent; what is no size has a number of its own.

    Args:
        norms: Of any shape; -1 is no gradient and -2 not readable, as the Recorder writes them.
    """
    norms = np.asarray(norms, dtype=np.float64)
    with np.errstate(all="ignore"):
        steps = np.rint((np.log10(np.abs(norms)) - _LOWEST) * _STEPS)
        coded = np.clip(np.nan_to_num(steps), 1, UNREADABLE - 1)
    coded[norms == 0] = ZERO
    coded[np.isnan(norms)] = NOT_A_NUMBER
    coded[np.isinf(norms)] = INFINITE
    coded[norms == -1] = NONE
    coded[norms == -2] = UNREADABLE
    return coded.astype("<u2").tobytes()
