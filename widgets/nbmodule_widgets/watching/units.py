"""Single units whose gradient is exactly zero look after look: dead ReLUs, as far as small tensors show them."""

from __future__ import annotations

import numpy as np

from nbmodule_widgets.watching.sampler import Sampler

WINDOW = 16  # looks, at least


class QuietUnits:
    """Counts the values of biases (and other vectors) at which no gradient arrived during a whole window of looks.

    A vector has one value for each unit of its layer, and vectors are small enough to be read entirely.

    Args:
        sampler: Knows where the samples lie.

    Attributes:
        counts: For each parameter, how many values were 0 all the time; of the last whole window.
        window: How many looks this window had.
    """

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._vectors = np.array(
            [
                s.runs == 1 and s.numel > 1 and s.numel == max(shape, default=0)
                for s, shape in zip(sampler.plan, sampler.shapes, strict=True)
            ],
            bool,
        )
        self._silent = np.ones(int(sampler.sizes.sum()), bool)
        self._present = np.ones(len(sampler.plan), bool)
        self._looks = self.window = 0
        self.counts = np.zeros(len(sampler.plan))

    def add(self, silent: np.ndarray, tables: list[np.ndarray]) -> None:
        """Takes some more looks into account.

        Args:
            silent: Which values in a buffer of gradients were 0 in all of them.
            tables: What they measured, a row for each of `COLUMNS`.
        """
        self._silent &= silent
        for table in tables:
            self._present &= table[1] >= 0
        self._looks += len(tables)
        if self._looks < WINDOW or not len(self.counts):
            return
        masks = self._silent.view(np.int8)
        counts = np.add.reduceat(masks, self._sampler.starts, dtype=np.int64)
        self.counts = np.where(self._vectors & self._present, counts, 0).astype(float)
        self.window, self._looks = self._looks, 0
        self._silent[...] = self._present[...] = True
