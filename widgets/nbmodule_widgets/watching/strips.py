"""Which values of a tensor are looked at: all of a small one, strips spread evenly over a large one.

A strip is 16 values that lie side by side in memory, one cache line of float32: to read one value of a line costs
as much as to read all of them. The pattern is fixed (no random numbers are drawn), which brings one danger: a
distance between strips that goes evenly into the length of a row would always meet the same columns. So the
distance is chosen such that the strips fall on as many different columns as possible.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

WIDTH = 16
_MOST_STRIPS = 128  # of one tensor
_MOST_VALUES = 2**22  # of the whole model: 16 MB of float32
_CANDIDATES = 64


class Strips(NamedTuple):
    """Where the sample of one tensor lies in its memory.

    Attributes:
        numel: Values in the tensor.
        runs: How many strips.
        width: Values in a strip.
        step: Values from the start of one strip to the start of the next.
    """

    numel: int
    runs: int
    width: int
    step: int

    @property
    def size(self) -> int:
        """How many values are read."""
        return self.runs * self.width

    @property
    def share(self) -> float:
        """How many values of the tensor each value that was read stands for; 1.0 when all are read."""
        return self.numel / self.size if self.size else 1.0


def most_strips(tensors: int) -> int:
    """Strips for each tensor of a model with so many: the sample of the whole model stays small."""
    return int(np.clip(_MOST_VALUES // (WIDTH * max(1, tensors)), 4, _MOST_STRIPS))


def strips(shape: tuple[int, ...], most: int = _MOST_STRIPS) -> Strips:
    """The sample for a tensor of this shape.

    Args:
        shape: Sizes of the dimensions.
        most: Strips at most; a tensor of no more than twice their values is read entirely.
    """
    numel = prod(shape)
    if numel <= 2 * most * WIDTH:
        return Strips(numel, 1, numel, max(1, numel))
    return Strips(numel, most, WIDTH, _distance(numel, most, prod(shape[1:])))


@lru_cache(maxsize=4096)
def _distance(numel: int, runs: int, row: int) -> int:
    """The distance, at most 1/16 below the even one, whose strips leave the smallest gap between columns."""
    widest = (numel - WIDTH) // (runs - 1)
    if row <= WIDTH:
        return widest
    lowest = widest - widest // 16
    candidates = np.unique(np.linspace(lowest, widest, _CANDIDATES).astype(np.int64))[::-1]
    columns = np.sort(np.arange(runs) * candidates[:, None] % row, axis=1)
    gaps = np.diff(columns, axis=1, append=columns[:, :1] + row).max(axis=1)
    return int(candidates[np.argmin(gaps)])
