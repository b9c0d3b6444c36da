"""What moves while a model trains: norms of weights and gradients, and how far the weights went."""

from __future__ import annotations

import time
from array import array
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nbmodule_widgets.facts import as_float64, gradient, values
from nbmodule_widgets.facts.words import decimal, number_text, visible
from nbmodule_widgets.protocol import attempt, class_attribute, is_exactly

METRICS = ("weight norm", "gradient norm", "last change")
NO_GRADIENT, UNREADABLE = -1.0, -2.0  # norms are never negative, so these can stand for words

_SAMPLE = 2**16  # values of one tensor that are looked at
_POINTS = 200  # of the curve
_SHARE = 20  # watching may take one part in twenty of the time

Place = tuple[dict[str, object], str]


@dataclass
class Pulse:
    """Decides when to look, and remembers what is needed to compare.

    Attributes:
        hz: How often the page may be told, at most.
    """

    hz: float
    waiting: bool = False
    latest: dict[str, Any] = field(default_factory=dict)
    ticks: int = 0
    _due: float = 0.0
    _before: dict[int, np.ndarray] = field(default_factory=dict)
    _curve: list[float] = field(default_factory=list)
    _curve_name: str = ""
    _stride: int = 1

    def record(self, given: dict[str, Any]) -> bool:
        """Notes the newest values; True when it is time to show them."""
        self.latest, self.waiting = given, True
        self._extend_curve(given)
        self.ticks += 1
        return time.perf_counter() >= self._due

    def look(self, places: list[Place]) -> dict[str, Any]:
        """Measures the tensors and returns what the page shows."""
        start = time.perf_counter()
        columns = [array("f") for _ in METRICS]
        with np.errstate(all="ignore"):  # NaN and infinity are shown as what they are
            for index, (drawer, name) in enumerate(places):
                measured = self._measure(index, attempt(dict.get, drawer, name).value)
                for numbers, number in zip(columns, measured, strict=True):
                    numbers.append(number)
        end = time.perf_counter()
        self._due = end + max(1 / self.hz, _SHARE * (end - start))
        self.waiting = False
        return {
            "status": status(self.latest),
            "columns": {n: c.tobytes() for n, c in zip(METRICS, columns, strict=True)},
            "curve": {"name": self._curve_name, "points": list(self._curve), "ticks": self.ticks},
        }

    def _measure(self, index: int, tensor: object) -> tuple[float, float, float]:
        if tensor is None:
            return UNREADABLE, UNREADABLE, UNREADABLE
        said, step = values(tensor, _SAMPLE)
        now = attempt(as_float64, said.value)
        if said.problem or now.problem:
            return UNREADABLE, UNREADABLE, UNREADABLE
        before = self._before.get(index)
        self._before[index] = now.value
        moved = 0.0
        if before is not None and before.shape == now.value.shape:
            moved = _norm(now.value - before, step)
        return _norm(now.value, step), _gradient_norm(tensor), moved

    def _extend_curve(self, given: dict[str, Any]) -> None:
        name = "loss" if "loss" in given else next(iter(given), "") if len(given) == 1 else ""
        number = as_number(given.get(name))
        if name != self._curve_name:
            self._curve, self._curve_name, self._stride = [], name, 1
        if number is None or self.ticks % self._stride:
            return
        self._curve.append(float(number))
        if len(self._curve) >= _POINTS:  # keep the whole run: every second point from now on
            self._curve, self._stride = self._curve[::2], self._stride * 2


def status(given: dict[str, Any]) -> str:
    """`"step 12 · loss 0.83"`."""
    return " · ".join(f"{visible(name, 40)} {_words(value)}" for name, value in given.items())


def as_number(value: Any) -> int | float | None:
    """A Python number from a number or a tensor with one element, else None."""
    if (
        class_attribute(value, "item") is not None
    ):  # `item`, since PyTorch warns about float(tensor)
        value = attempt(lambda: value.item()).value
    return value if is_exactly(value, int, float) else None


def _words(value: Any) -> str:
    number = as_number(value)
    if isinstance(number, int):
        return f"{number:,}" if abs(number) < 10**60 else number_text(number)
    if number is not None:
        return decimal(number)
    return visible(value if type(value) is str else attempt(repr, value).value or "?", 60)


def _gradient_norm(tensor: object) -> float:
    found = gradient(tensor)
    if found is None:
        return NO_GRADIENT
    said, step = values(found, _SAMPLE)
    norm = attempt(lambda: _norm(as_float64(said.value), step))
    return UNREADABLE if said.problem or norm.problem else norm.value


def _norm(numbers: np.ndarray, step: int) -> float:
    """Euclidean norm; for a sample of every n-th value, the norm expected of all."""
    return float(np.sqrt(np.dot(numbers, numbers) * step))
