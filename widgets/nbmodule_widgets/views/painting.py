"""Numbers of training beside the rows, packed so that they can be sent ten times a second.

Few numbers go as float32. Many go as positions on a logarithmic scale, in two bytes or in one; and of a very
large model only the metric that is looked at, a part at a time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbmodule_widgets.facts import ModuleFacts
from nbmodule_widgets.facts.places import DEEPEST, LONGEST
from nbmodule_widgets.views.columns import column

WEIGHT_NORM = "weight norm"
NO_GRADIENT, UNREADABLE = -1.0, -2.0  # norms are never negative, so these can stand for words

_EXACT, _FINE, _MOST = (
    12_000,
    12_000,
    20_000,
)  # bytes of one update: float32, two-byte codes, one-byte codes
_WORDS = 5  # the highest codes mean NaN, infinity, no gradient, unreadable; one stays free
_WEIGHTS_EVERY = 8  # of that many updates, one renews the weights that a ratio refers to


class Painting:
    """What was painted last, and what of it the page does not have yet.

    Attributes:
        names: The metrics.
        complete: Whether the page has all of it.
        watched: Which rows the numbers belong to; None for all parameters in order, each at its first place.
    """

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.complete = True
        self.watched: dict[str, Any] = {}
        self._columns: dict[str, np.ndarray] = {}
        self._paths: Sequence[str] | None = None
        self._known: ModuleFacts | None = None
        self._parameters: list[int] = []
        self._rows: list[int] = []
        self._kept: np.ndarray | None = None
        self._turn = 0
        self._next: dict[str, int] = {}  # where the next part of a column begins

    def take(
        self,
        columns: Mapping[str, Any],
        paths: Sequence[str],
        known: ModuleFacts,
    ) -> None:
        """Takes new numbers.

        Args:
            columns: For each metric one number a path.
            paths: The parameters they belong to.
            known: The tree that the page shows.

        Raises:
            ValueError: If a column does not have one number for each path.
        """
        taken = {}
        for name, values in columns.items():
            taken[str(name)] = np.asarray(values, dtype=np.float32)
            if taken[str(name)].shape != (len(paths),):
                raise ValueError(
                    f"paint() needs one number for each of the {len(paths):,} paths; the column "
                    f"{name!r} has the shape {taken[str(name)].shape}"
                )
        self._columns, self.names = taken, tuple(taken)
        if paths is not self._paths or known is not self._known:
            self._place(paths, known)

    def move(self, known: ModuleFacts) -> None:
        """Finds the rows anew, in another tree."""
        self.take(self._columns, self._paths or (), known)

    def _place(self, paths: Sequence[str], known: ModuleFacts) -> None:
        """Finds the rows of the paths; where only flags have changed they are where they were."""
        rows = _parameter_rows(known)
        same = self._known is not None and self._known.nodes.names == known.nodes.names
        if not (same and paths is self._paths and rows == self._parameters):
            self._rows, self._kept = _rows(known, rows, paths)
        self._paths, self._known, self._parameters, self._next = paths, known, rows, {}
        self.watched = {"rows": None if self._rows == rows else column(self._rows)}

    def update(self, metric: str, whole: bool = False) -> dict[str, Any]:
        """The numbers for one message.

        Args:
            metric: The column that the reader looks at.
            whole: Whether to send everything, however large.
        """
        size, chosen = (
            len(self._rows),
            metric if metric in self.names else next(iter(self.names), ""),
        )
        names, start, end, kind = self.names, 0, size, "f"
        if whole or size * 4 * len(names) > _EXACT:
            kind = "H"
        if not whole and size * 2 * len(names) > _FINE:
            kind = "H" if size * 2 <= _FINE else "B"
            name = self._turns(chosen)
            start = self._next.get(name, 0) % size
            end = min(size, start + _MOST)
            names, self._next[name] = (name,), end
        self.complete = names == self.names and end - start == size
        return {
            "names": list(self.names),
            "size": size,
            "from": start,
            "columns": {name: _packed(self._values(name)[start:end], kind) for name in names},
        }

    def _turns(self, chosen: str) -> str:
        """The column whose turn it is: now and then the weights, which a ratio of a Module needs."""
        self._turn += 1
        weights = "/" in chosen and WEIGHT_NORM in self.names and self._turn % _WEIGHTS_EVERY == 2
        return WEIGHT_NORM if weights else chosen

    def _values(self, name: str) -> np.ndarray:
        values = self._columns[name]
        return values if self._kept is None else values[self._kept]


def _parameter_rows(known: ModuleFacts) -> list[int]:
    """The rows of the parameters, each object at its first place."""
    tensors = known.tensor_rows()
    return [r for r, t in tensors if t.kind == "parameter" and t.twin < 0 and not t.empty]


def _rows(
    known: ModuleFacts, rows: list[int], paths: Sequence[str]
) -> tuple[list[int], np.ndarray | None]:
    """The rows of the paths that the tree knows, and where these stand in `paths` (None: all are known)."""
    nodes = known.nodes
    near = (row for row in rows if nodes.depth[bisect_right(nodes.row, row) - 1] <= DEEPEST)
    named = ((row, known.steps(row)) for row in near)
    places = {".".join(steps): row for row, steps in named if sum(map(len, steps)) <= LONGEST}
    found = [places.get(path, -1) for path in paths]
    if -1 not in found:
        return found, None
    kept = np.array([place for place, row in enumerate(found) if row >= 0], dtype=np.intp)
    return [row for row in found if row >= 0], kept


def _packed(values: np.ndarray, kind: str) -> dict[str, Any]:
    if kind == "f":
        return {"kind": "f", "bytes": values.tobytes()}
    top = 255 if kind == "B" else 65535
    codes = np.zeros(values.shape, dtype=np.uint8 if kind == "B" else np.uint16)
    with np.errstate(invalid="ignore"):
        positive = (values > 0) & np.isfinite(values)
        logs = np.log2(values[positive], dtype=np.float64)
        low, high = (float(logs.min()), float(logs.max())) if logs.size else (0.0, 0.0)
        codes[positive] = 1 + np.rint((logs - low) / ((high - low) or 1) * (top - _WORDS))
        words = (np.isnan(values), np.isposinf(values), values == NO_GRADIENT, values == UNREADABLE)
    for number, where in enumerate(words):
        codes[where] = top - number
    return {"kind": kind, "bytes": codes.tobytes(), "low": low, "high": high}
