"""The whole run in bounded memory: looks, thinned as they become many."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from nbmodule_widgets.watching.findings import Finding
from nbmodule_widgets.watching.sample import COLUMNS, frozen
from nbmodule_widgets.watching.text import training_text

_MOST_LOOKS, _FEWEST_LOOKS = 512, 16
_MOST_NUMBERS = 2**23  # 32 MB of float32
_RECENT = 16

_Row = tuple[int, np.ndarray, tuple[str, ...]]  # step, table, paths of its columns


@dataclass(frozen=True, eq=False)
class TrainingFacts:
    """What is known of a training run; nothing in it changes any more.

    Attributes:
        paths: Dotted paths of the parameters.
        steps: `(S,)` int64, the training steps at which was looked. At most 512, spread over the whole run; fewer
            for a model of more than 4,096 parameter tensors, so that all arrays together stay below 32 MB.
        metrics: Name -> (steps, values) of what the loop reported.
        weight_norm: `(S, P)` float32, as in `Sample`; NaN where a parameter did not exist yet.
        gradient_norm: The same for gradients.
        update_norm: The same for what each step changed.
        ratio: The same for `update_norm / weight_norm`.
        problems: Findings, the worst first.
        training_steps: How many steps there were.
        every: How often was looked.
        notes: What to know about the measuring itself.
    """

    paths: tuple[str, ...]
    steps: np.ndarray
    metrics: dict[str, tuple[np.ndarray, np.ndarray]]
    weight_norm: np.ndarray = field(repr=False)
    gradient_norm: np.ndarray = field(repr=False)
    update_norm: np.ndarray = field(repr=False)
    ratio: np.ndarray = field(repr=False)
    problems: tuple[Finding, ...] = ()
    training_steps: int = 0
    every: int = 1
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return training_text(self)


class History:
    """Collects looks. All samples of the same parameters share one tuple of paths."""

    def __init__(self) -> None:
        self.recent: deque[np.ndarray] = deque(maxlen=_RECENT)  # tables of `COLUMNS`
        self._rows: list[_Row] = []
        self._tail: _Row | None = None  # the newest look, if it is not among the rows
        self._stride, self._looks, self._step = 1, 0, -1
        self._limit = _MOST_LOOKS

    def put(self, step: int, table: np.ndarray, paths: tuple[str, ...]) -> None:
        """Adds a look, or replaces the newest one if it is of the same training step."""
        row = (step, table, paths)
        if step == self._step and self.recent:
            self.recent[-1] = table
            if self._tail is not None:
                self._tail = row
            else:
                self._rows[-1] = row
            return
        self.recent.append(table)
        self._step, self._tail = step, None
        if self._looks % self._stride:
            self._tail = row
        else:
            self._rows.append(row)
        self._looks += 1
        if len(self._rows) >= self._limit:
            self._rows = self._rows[::2]
            self._stride *= 2

    def begin(self, parameters: int) -> None:
        """From now on the parameters are other ones: so many."""
        self.recent.clear()
        self._limit = _most_looks(parameters)

    def recent_tables(self, parameters: int) -> np.ndarray:
        """`(R, 4, P)`: the newest looks, one after the other."""
        tables = np.empty((len(self.recent), len(COLUMNS), parameters), np.float32)
        for target, table in zip(tables, self.recent, strict=True):
            target[...] = table
        return tables

    def arrays(self, paths: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Steps `(S,)` and tables `(S, 4, P)` for these parameters; NaN where one was not there yet."""
        rows = [*self._rows, *([self._tail] if self._tail is not None else [])]
        tables = np.full((len(rows), len(COLUMNS), len(paths)), np.nan, np.float32)
        maps: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for target, (_, table, others) in zip(tables, rows, strict=True):
            if others is paths:
                target[...] = table
                continue
            if id(others) not in maps:
                maps[id(others)] = _matching(paths, others)
            here, there = maps[id(others)]
            target[:, here] = table[:, there]
        return frozen(np.array([step for step, _, _ in rows], np.int64)), frozen(tables)


def _most_looks(parameters: int) -> int:
    fitting = _MOST_NUMBERS // (len(COLUMNS) * max(1, parameters))
    return int(np.clip(fitting, _FEWEST_LOOKS, _MOST_LOOKS))


def _matching(paths: tuple[str, ...], others: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Where the paths that both have are in each of the two."""
    known = {path: index for index, path in enumerate(others)}
    pairs = [(i, known[path]) for i, path in enumerate(paths) if path in known]
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]
