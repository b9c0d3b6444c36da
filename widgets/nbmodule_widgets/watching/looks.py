"""The newest looks, as raw samples; their statistics are computed for several at once.

To add up a few thousand numbers takes a few microseconds; to get NumPy going takes as long again, each time. So the
samples of up to sixteen looks wait in one block of memory until it is full, or until somebody wants to know.
"""

from __future__ import annotations

import numpy as np

from nbmodule_widgets.watching.sample import COLUMNS, Sample, frozen
from nbmodule_widgets.watching.sampler import Buffer, Sampler

_MOST = 16  # looks
_MOST_VALUES = 2**17  # in all looks together, unless one has more
_SAFE = 1e-12, 1e12  # norms whose squares can be summed up in float32


class Look:
    """What was read around one training step.

    Attributes:
        after: Weights after the step.
        gradients: The gradients that it used.
        before: Weights before it.
        whole: For gradients that were read entirely: norm, largest size and share of zeros.
        step: Number of the training step.
        done: Whether all is read.
    """

    def __init__(self, sampler: Sampler, block: np.ndarray) -> None:
        self.after, self.gradients, self.before = (Buffer(sampler, flat) for flat in block)
        self.whole: dict[int, tuple[float, ...]] = {}
        self.step, self.done = 0, False


class Looks:
    """Room for some looks.

    Args:
        sampler: Knows where the samples lie.

    Attributes:
        now: The newest look.
        spare: Room for weights that were read outside a look.
    """

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        size = int(sampler.sizes.sum())
        length = int(np.clip(_MOST_VALUES // max(1, size), 1, _MOST))
        self._block = np.zeros((length, 3, size), sampler.dtype)
        self._looks = [Look(sampler, block) for block in self._block]
        self.spare = Buffer(sampler, np.zeros(size, sampler.dtype))
        self._index = self._measured = 0
        self.now = self._looks[0]

    @property
    def full(self) -> bool:
        """Whether the next look takes the place of the first."""
        return self.now.done and self._index == len(self._looks) - 1

    @property
    def waiting(self) -> bool:
        """Whether a look was not measured yet."""
        return self._measured < self._index + self.now.done

    def begin(self, step: int) -> Look:
        """Opens the next look. What is in the way must have been measured."""
        if self.full:
            self._index = self._measured = 0
        elif self.now.done:
            self._index += 1
        self.now = self._looks[self._index]
        self.now.step, self.now.done = step, False
        self.now.whole.clear()
        return self.now

    def resume(self) -> None:
        """The newest look goes on: it will have to be measured again."""
        self.now.done = False
        self._measured = min(self._measured, self._index)

    def silent(self) -> np.ndarray:
        """Which gradient values were 0 in all looks that wait."""
        return (self._block[self._waiting(), 1] == 0).all(axis=0)

    def measure(self) -> tuple[list[tuple[int, np.ndarray]], Sample]:
        """Step and table of each look that waits, and the newest of them as a `Sample`."""
        which, sampler = self._waiting(), self._sampler
        looks, seen = self._looks[which], self._block[which]
        with np.errstate(all="ignore"):  # what is NaN or infinite is said to be
            moved = seen[:, 0] - seen[:, 2]
            tables = np.empty((len(looks), len(COLUMNS), len(sampler.plan)), np.float32)
            norms = tables[:, 0], tables[:, 1], tables[:, 2]
            for target, values in zip(norms, (seen[:, 0], seen[:, 1], moved), strict=True):
                target[...] = self._norms(values)
            tables[:, 3] = np.where(norms[2] == 0, 0, norms[2] / norms[0])
        for table, look in zip(tables, looks, strict=True):
            _enter_codes(table, look)
        frozen(tables)
        self._measured = self._index + self.now.done
        found = [(look.step, table.copy()) for look, table in zip(looks, tables, strict=True)]
        last = looks[-1]
        newest = frozen(seen[-1, :2].copy()), sampler.starts, sampler.share, dict(last.whole)
        return found, Sample(last.step, frozen(found[-1][1]), *newest)

    def _waiting(self) -> slice:
        return slice(self._measured, self._index + self.now.done)

    def _norms(self, values: np.ndarray) -> np.ndarray:
        """Euclidean norms, scaled from the samples to the whole tensors."""
        norms = np.sqrt(self._sums(values * values) * self._sampler.share)
        low, high = _SAFE
        if norms.size and (norms.min() <= low or not norms.max() < high):
            squares = np.multiply(values, values, dtype=np.float64)  # float32 makes 0 of small ones
            norms = np.sqrt(self._sums(squares) * self._sampler.share)
        return norms

    def _sums(self, values: np.ndarray) -> np.ndarray:
        if not len(self._sampler.plan):
            return np.zeros((len(values), 0))
        return np.add.reduceat(values, self._sampler.starts, axis=1)


def _enter_codes(table: np.ndarray, look: Look) -> None:
    """Puts in what the sample does not say: entire gradients, and words for what is not there."""
    for i, (norm, _, _) in look.whole.items():
        table[1, i] = norm
    for i, code in look.gradients.codes.items():
        table[1, i] = code
    for codes in (look.before.codes, look.after.codes):
        for i, code in codes.items():
            table[2, i] = table[3, i] = code
    for i, code in look.after.codes.items():
        table[0, i] = code
