"""The optimizers that step while a Recorder watches: what each holds, and at which learning rates."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, class_name, read


class Known(NamedTuple):
    """An optimizer, as the Recorder knows it.

    Attributes:
        refer: A weak reference to it.
        held: The indices of the watched parameters that it holds.
        rest: Those of the others.
        strange: Whether it also holds parameters that are not watched.
    """

    refer: Callable[[], Any]
    held: list[int]
    rest: list[int]
    strange: bool


class Rates:
    """The learning rates at the last looks, where groups say them as numbers."""

    def __init__(self, looks: int) -> None:
        self._looks = looks
        self._seen: dict[int, tuple[Callable[[], Any], deque[tuple[float, ...]]]] = {}

    def note(self, optimizer: Any) -> None:
        """Reads the rates at which an optimizer is about to step."""
        refer, seen = self._seen.get(id(optimizer), (None, None))
        if refer is None or seen is None or refer() is not optimizer:
            refer, seen = (
                attempt(weakref.ref, optimizer).value or (lambda: None),
                deque(maxlen=self._looks),
            )
            self._seen[id(optimizer)] = refer, seen
        seen.append(tuple(_rate(group) for group in read(optimizer, "param_groups").value or ()))

    def of(self, index: Mapping[int, int]) -> tuple[np.ndarray, dict[int, str]]:
        """For each parameter the highest rate at the last looks, NaN where that is not known; and whose it is.

        Args:
            index: From the `id` of a parameter to its number.
        """
        highest, whose = np.full(len(index), -1.0), {}
        for name, params, rate in self._groups():
            for place in (index[id(each)] for each in params if id(each) in index):
                if not (np.isnan(highest[place]) or rate <= highest[place]):
                    highest[place], whose[place] = rate, name
        return np.where(highest < 0, np.nan, highest), whose

    def _groups(self) -> Iterator[tuple[str, list[Any], float]]:
        """Each group that stepped at all the last looks: its name, its parameters and its highest rate."""
        for refer, seen in self._seen.values():
            optimizer = refer()
            groups = read(optimizer, "param_groups").value or ()
            if optimizer is None or any(len(rates) != len(groups) for rates in seen):
                continue
            label = visible(class_name(optimizer), 40)
            for number, group in enumerate(groups):
                rates = [rates[number] for rates in seen]
                enough = len(seen) == self._looks
                of = f"group {number} of {label}" if len(groups) > 1 else label
                yield (
                    of,
                    list(attempt(lambda group=group: group["params"]).value or ()),
                    max(rates) if enough else np.nan,
                )


def _rate(group: Any) -> float:
    """The learning rate of a group; NaN if there is none, or if it is a tensor, which may lie on another device."""
    found = attempt(lambda: group["lr"]).value
    return float(found) if type(found) in (int, float) else np.nan
