"""The newest looks, as raw samples; their statistics are computed for several at once.

To add up a few thousand numbers takes a few microseconds; to get NumPy going takes as long again, each time. So the
samples of up to sixteen looks wait in one block of memory until it is full, or until somebody wants to know.
"""

from __future__ import annotations

import numpy as np

from nbmodule_widgets.watching.sample import COLUMNS, MOSTLY_ZEROS, UNREADABLE, Sample, frozen
from nbmodule_widgets.watching.sampler import Buffer, Sampler

_FEWEST, _MOST = 2, 16  # looks: the newest one stays as it is while the next is read
_MOST_VALUES = 2**17  # in all looks together, unless one has more
_SAFE = 1e-12, 1e12  # norms whose squares can be summed up in float32
_FEW = 32  # parameters that are quicker to go through one by one


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
        length = int(np.clip(_MOST_VALUES // max(1, size), _FEWEST, _MOST))
        self._block = np.zeros((length, 3, size), sampler.dtype)
        # Large arrays come from the system and go back to it each time, which takes longer than the sums.
        self._scratch = np.zeros((length, size), sampler.dtype)
        self._looks = [Look(sampler, block) for block in self._block]
        self.spare = Buffer(sampler, np.zeros(size, sampler.dtype))
        self._index = self._measured = 0
        self.now = self._looks[0]
        # The look that was measured last: its index and table, and for the reader who asks a `Sample`.
        self._newest: tuple[int, np.ndarray] | None = None
        self._sample: Sample | None = None

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

    def measure(self) -> list[tuple[int, np.ndarray]]:
        """Step and table of each look that waits."""
        which = self._waiting()
        looks, seen = self._looks[which], self._block[which]
        with np.errstate(all="ignore"):  # what is NaN or infinite is said to be
            tables = np.empty((len(looks), len(COLUMNS), len(self._sampler.plan)), np.float32)
            norms = tables[:, 0], tables[:, 1], tables[:, 2]
            norms[0][...] = self._norms(seen[:, 0])
            norms[1][...] = self._norms(seen[:, 1])
            norms[2][...] = self._norms(seen[:, 0], seen[:, 2])
            tables[:, 3] = np.where(norms[2] == 0, 0, norms[2] / norms[0])
        for table, look in zip(tables, looks, strict=True):
            _enter_codes(table, look)
        frozen(tables)
        self._measured = self._index + self.now.done
        found = [(look.step, table.copy()) for look, table in zip(looks, tables, strict=True)]
        self._newest, self._sample = (which.stop - 1, frozen(found[-1][1])), None
        return found

    def sample(self) -> Sample | None:
        """The look that was measured last, as a copy that stays; the same object until there is a newer one."""
        if self._sample is None and self._newest is not None:
            (index, table), sampler = self._newest, self._sampler
            look, seen = self._looks[index], frozen(self._block[index, :2].copy())
            self._sample = Sample(
                look.step, table, seen, sampler.starts, sampler.share, dict(look.whole)
            )
        return self._sample

    def _waiting(self) -> slice:
        return slice(self._measured, self._index + self.now.done)

    def _norms(self, values: np.ndarray, since: np.ndarray | None = None) -> np.ndarray:
        """Euclidean norms of values, or of how far they moved, scaled from the samples to the whole tensors."""
        work = self._scratch[: len(values)]
        found = values if since is None else np.subtract(values, since, out=work)
        norms = np.sqrt(self._sums(np.multiply(found, found, out=work)) * self._sampler.share)
        low, high = _SAFE
        if norms.size and (norms.min() <= low or not norms.max() < high):
            unsafe = np.flatnonzero(((norms <= low) | ~(norms < high)).any(axis=0))
            found = values if since is None else np.subtract(values, since, out=work)
            self._add_up_wide(norms, found, unsafe)
        return norms

    def _add_up_wide(self, norms: np.ndarray, values: np.ndarray, unsafe: np.ndarray) -> None:
        """Computes norms again whose squares float32 cannot hold, as it makes 0 of small ones."""
        sampler = self._sampler
        if len(unsafe) > _FEW:
            squares = np.multiply(values, values, dtype=np.float64)
            norms[...] = np.sqrt(self._sums(squares) * sampler.share)
            return
        for i in unsafe:
            start = sampler.starts[i]
            part = values[:, start : start + int(sampler.sizes[i])]
            sums = np.square(part, dtype=np.float64).sum(axis=1) if part.any() else 0.0
            norms[:, i] = np.sqrt(sums * sampler.share[i])

    def _sums(self, values: np.ndarray) -> np.ndarray:
        if not len(self._sampler.plan):
            return np.zeros((len(values), 0))
        return np.add.reduceat(values, self._sampler.starts, axis=1)


def _enter_codes(table: np.ndarray, look: Look) -> None:
    """Puts in what the sample does not say: entire gradients, and words for what is not there."""
    for i, (norm, _, zeros) in look.whole.items():
        table[1, i] = norm
        if table[2, i] == 0 < norm and zeros > MOSTLY_ZEROS:  # the strips missed what moved
            table[2, i] = table[3, i] = UNREADABLE
    for i, code in look.gradients.codes.items():
        table[1, i] = code
    for codes in (look.before.codes, look.after.codes):
        for i, code in codes.items():
            table[2, i] = table[3, i] = code
    for i, code in look.after.codes.items():
        table[0, i] = code
