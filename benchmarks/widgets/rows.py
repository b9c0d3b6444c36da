"""One line of the table: what was measured, what is asked, and what today's best tool needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

WIDTHS = (62, 10, 12, 5)


class CannotRun(Exception):
    """Something that a section needs is missing; the message says what."""


@dataclass(frozen=True)
class Row:
    """A measured figure.

    Attributes:
        what: What was measured.
        value: The figure, in `unit`; words for an answer that is no number.
        unit: `"ms"`, `"s"`, `"bytes"`, `"ratio"`, or what is counted.
        target: The most that is allowed, in the same unit; None where nothing is asked.
        best: Today's best tool and its figure, measured on two cores in 2026 (see docs).
        detail: How the figure spread, or what it is made of.
    """

    what: str
    value: float | str
    unit: str = ""
    target: float | str | None = None
    best: str = ""
    detail: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.target is None:
            return None
        if isinstance(self.value, str) or isinstance(self.target, str):
            return self.value == self.target
        return self.value <= self.target

    def line(self) -> str:
        """The row as text of fixed columns."""
        target = "" if self.target is None else figure(self.target, self.unit)
        met = {True: "yes", False: "NO", None: ""}[self.met]
        cells = (self.what, target, figure(self.value, self.unit), met)
        aligned = [f"{cells[0]:{WIDTHS[0]}}"]
        aligned += [f"{c:>{w}}" for c, w in zip(cells[1:], WIDTHS[1:], strict=True)]
        said = " · ".join(
            words for words in (self.detail, self.best and f"best: {self.best}") if words
        )
        return f"{' '.join(aligned)}  {said}".rstrip()

    def record(self) -> dict[str, Any]:
        """The row as JSON takes it."""
        return {**asdict(self), "met": self.met}


def heading() -> str:
    """What stands above the columns."""
    names = ("target", "measured", "met")
    return " " * WIDTHS[0] + "".join(f" {n:>{w}}" for n, w in zip(names, WIDTHS[1:], strict=True))


def figure(value: float | str, unit: str) -> str:
    """A number with its unit, at a length that one can compare."""
    if isinstance(value, str):
        return value
    shapes: dict[str, Callable[[float], str]] = {
        "bytes": _size,
        "ratio": lambda v: f"{v:.3f}",
        "ms": lambda v: f"{v:.1f} ms" if v < 100 else f"{v:,.0f} ms",
        "s": lambda v: f"{v:.2f} s",
    }
    return shapes.get(unit, lambda v: f"{v:,.4g} {unit}".rstrip())(value)


def _size(count: float) -> str:
    return f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"
