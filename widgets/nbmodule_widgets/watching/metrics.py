"""The numbers that the loop itself reports: loss, accuracy and the like, over the whole run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nbmodule_widgets.facts.words import decimal, number_text, visible
from nbmodule_widgets.protocol import as_text, attempt, class_attribute, is_exactly
from nbmodule_widgets.watching.sample import frozen

_MOST_POINTS = 1024
_MOST_NAMES = 32
_MOST_CLASSES = 64
_WITH_ITEM: dict[int, type] = {}  # classes whose instances have an `item`, by their identity


class Metric:
    """One curve. When it gets long, every second point goes, so that the whole run stays."""

    def __init__(self) -> None:
        self._steps: list[int] = []
        self._values: list[float] = []
        self._stride, self._count = 1, 0
        self._last: tuple[int, float] | None = None

    def add(self, step: int, value: float) -> None:
        """Notes a point."""
        self._last = (step, value)
        if self._count % self._stride == 0:
            self._steps.append(step)
            self._values.append(value)
        self._count += 1
        if len(self._steps) >= _MOST_POINTS:
            self._steps, self._values = self._steps[::2], self._values[::2]
            self._stride *= 2

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Steps (int64) and values (float64), the newest one always among them."""
        steps, values = list(self._steps), list(self._values)
        if self._last is not None and steps[-1:] != [self._last[0]]:
            steps.append(self._last[0])
            values.append(self._last[1])
        return frozen(np.array(steps, np.int64)), frozen(np.array(values, np.float64))


class Metrics:
    """All curves, by name; at most 32."""

    def __init__(self) -> None:
        self._curves: dict[str, Metric] = {}

    def add(self, step: int, given: Mapping[str, object]) -> None:
        """Notes those values that are numbers."""
        for name, value in given.items():
            number = value if type(value) is float else as_number(value)
            if number is None or type(name) is not str:
                continue
            curve = self._curves.get(name)
            if curve is None:
                if len(self._curves) >= _MOST_NAMES:
                    continue
                curve = self._curves[name] = Metric()
            converted = attempt(float, number)  # an int may be too large for a float
            if not converted.problem:
                curve.add(step, converted.value)

    def arrays(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Steps and values of each curve."""
        return {name: curve.arrays() for name, curve in self._curves.items()}


def status(given: Mapping[str, Any]) -> str:
    """`"step 12 · loss 0.83"`."""
    return " · ".join(f"{visible(name, 40)} {_words(value)}" for name, value in given.items())


def as_number(value: Any) -> int | float | None:
    """A Python number from a number or a tensor with one element, else None."""
    kind = type(value)
    if _WITH_ITEM.get(id(kind)) is not kind:
        if class_attribute(value, "item") is None:
            return value if is_exactly(value, int, float) else None
        if len(_WITH_ITEM) >= _MOST_CLASSES:
            _WITH_ITEM.clear()
        _WITH_ITEM[id(kind)] = kind
    try:  # not `attempt`: this is asked in each step of a training loop
        value = value.item()  # since PyTorch warns about float(tensor)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None
    return value if is_exactly(value, int, float) else None


def _words(value: Any) -> str:
    number = as_number(value)
    if isinstance(number, int):
        return f"{number:,}" if abs(number) < 10**60 else number_text(number)
    if number is not None:
        return decimal(number)
    return visible(value if type(value) is str else as_text(value, repr) or "?", 60)
