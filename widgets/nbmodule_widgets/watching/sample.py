"""What one look at the weights and gradients of a model saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

NO_GRADIENT, UNREADABLE = -1.0, -2.0  # norms are never negative, so these can stand for words

COLUMNS = ("weight_norm", "gradient_norm", "update_norm", "ratio")  # of a table

BINS = 40
MOSTLY_ZEROS = 0.9  # as in the gradient of an embedding, of which a batch uses a few rows
_DECADES = (-12.0, 4.0)  # of a histogram of the sizes of gradients
_GROUP = 2**20  # values that are sorted into bins at once


@dataclass(frozen=True, eq=False)
class Sample:
    """One look: a row of numbers for each parameter, in the order of the Recorder's `paths`.

    All arrays are float32 of shape `(P,)` and read-only. Large tensors are judged by a sample that is spread evenly over
    them; norms are scaled to the whole. A tensor of up to 4,096 values is read entirely (in models of more than 2,048
    parameter tensors the limit is lower), and so is a large gradient that is nearly all zeros.

    Attributes:
        step: Number of the training step, from 1.
    """

    step: int
    _table: np.ndarray = field(repr=False)
    _seen: np.ndarray = field(repr=False)
    _starts: np.ndarray = field(repr=False)
    _share: np.ndarray = field(repr=False)
    _whole: dict[int, tuple[float, ...]] = field(repr=False)  # norm, largest size, share of zeros

    @property
    def weight_norm(self) -> np.ndarray:
        """Euclidean norm after the step; `UNREADABLE` (-2) where the tensor has no numbers."""
        return self._table[0]

    @property
    def gradient_norm(self) -> np.ndarray:
        """Euclidean norm of the gradient that the step used; `NO_GRADIENT` (-1) or `UNREADABLE`."""
        return self._table[1]

    @property
    def update_norm(self) -> np.ndarray:
        """Norm of what the training step changed; `UNREADABLE` where that is unknown.

        Unknown it is also for a large embedding of which a batch moved only rows that the sample missed.

        Where every step is looked at, this is the change since the look before (so it includes what the loop itself
        does to weights, such as clipping); otherwise what the optimizer's step changed.
        """
        return self._table[2]

    @property
    def ratio(self) -> np.ndarray:
        """`update_norm / weight_norm`; 0 where nothing moved, `UNREADABLE` where `update_norm` is."""
        return self._table[3]

    @cached_property
    def gradient_zeros(self) -> np.ndarray:
        """Which share of the gradient's values is exactly 0; or the codes of `gradient_norm`."""
        sizes = np.diff(self._starts, append=self._seen.shape[1])
        shares = self._reduced(np.add, (self._seen[1] == 0).astype(np.int64)) / sizes
        for i, (_, _, zeros) in self._whole.items():
            shares[i] = zeros
        return column(np.where(self.gradient_norm < 0, self.gradient_norm, shares))

    @cached_property
    def weight_min(self) -> np.ndarray:
        """Smallest weight seen; NaN where there is none."""
        return self._extreme(np.minimum)

    @cached_property
    def weight_max(self) -> np.ndarray:
        """Largest weight seen; NaN where there is none."""
        return self._extreme(np.maximum)

    @cached_property
    def gradient_absmax(self) -> np.ndarray:
        """Largest size of a gradient value seen; or the codes of `gradient_norm`."""
        sizes = self._reduced(np.maximum, np.abs(self._seen[1]))
        for i, (_, size, _) in self._whole.items():
            sizes[i] = size
        return column(np.where(self.gradient_norm < 0, self.gradient_norm, sizes))

    @cached_property
    def weight_nans(self) -> np.ndarray:
        """How many of the weights that were read are NaN."""
        return self._counted(np.isnan(self._seen[0]), self.weight_norm)

    @cached_property
    def weight_infs(self) -> np.ndarray:
        """How many of the weights that were read are infinite."""
        return self._counted(np.isinf(self._seen[0]), self.weight_norm)

    @cached_property
    def gradient_nans(self) -> np.ndarray:
        """How many of the gradient values that were read are NaN."""
        return self._counted(np.isnan(self._seen[1]), self.gradient_norm)

    @cached_property
    def gradient_infs(self) -> np.ndarray:
        """How many of the gradient values that were read are infinite."""
        return self._counted(np.isinf(self._seen[1]), self.gradient_norm)

    @property
    def share(self) -> np.ndarray:
        """How many values each value that was read stands for: 1.0 for what was read entirely, 0.0 if empty."""
        return column(self._share)

    def weight_histograms(self) -> tuple[np.ndarray, np.ndarray]:
        """The weights that were read, in 40 bins of equal width for each parameter.

        The range is symmetric and ends at a power of two, so that histograms of different steps can be put together
        exactly: to double the range, add up pairs of bins. What is NaN or infinite is not counted.

        Returns:
            Edges `(P, 41)` and counts `(P, 40)` as uint32, read-only.
        """
        return self._histograms(self._seen[0], self.weight_norm)

    def gradient_histograms(self, log: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The gradients that were read, in 40 bins for each parameter.

        Args:
            log: Sort their sizes into bins that span 0.4 decades each, from 1e-12 to 1e4 (smaller and larger ones
                are counted in the bins at the ends, zeros not at all), instead of bins as for the weights.

        Returns:
            Edges `(P, 41)` and counts `(P, 40)` as uint32, read-only. All counts are 0 without a gradient.
        """
        if not log:
            return self._histograms(self._seen[1], self.gradient_norm)
        counts = np.zeros((len(self._share), BINS), np.uint32)
        low, high = _DECADES
        with np.errstate(all="ignore"):
            for rows, numbers, segment in self._groups(self._seen[1]):
                sizes = np.log10(np.abs(numbers))
                usable = np.isfinite(sizes)
                bins = (sizes[usable] - low) * (BINS / (high - low))
                _count(counts[rows], bins, segment[usable])
        counts[self._nothing_in(self.gradient_norm)] = 0
        edges = np.tile(10 ** np.linspace(low, high, BINS + 1), (len(self._share), 1))
        return frozen(edges), frozen(counts)

    def _histograms(self, flat: np.ndarray, norm: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        total = len(self._share)
        counts, reach = np.zeros((total, BINS), np.uint32), np.ones(total)
        for rows, numbers, segment in self._groups(flat):
            usable = np.isfinite(numbers)
            numbers, segment = numbers[usable].astype(np.float64), segment[usable]
            largest = np.zeros(rows.stop - rows.start)
            np.maximum.at(largest, segment, np.abs(numbers))
            reach[rows] = np.where(largest > 0, _power_of_two(largest), 1.0)
            bins = (numbers / reach[rows][segment] + 1) * (BINS / 2)
            _count(counts[rows], bins, segment)
        counts[self._nothing_in(norm)] = 0
        edges = reach[:, None] * np.linspace(-1, 1, BINS + 1)
        return frozen(edges), frozen(counts)

    def _groups(self, flat: np.ndarray) -> list[tuple[slice, np.ndarray, np.ndarray]]:
        """The parameters in groups, so that little memory is needed: rows, values, row of each value."""
        found, first = [], 0
        bounds = np.append(self._starts, len(flat))
        while first < len(self._starts):
            last = int(np.searchsorted(bounds, bounds[first] + _GROUP, "right")) - 1
            rows = slice(first, max(first + 1, last))
            sizes = np.diff(bounds[rows.start : rows.stop + 1])
            segment = np.repeat(np.arange(len(sizes)), sizes)
            found.append((rows, flat[bounds[first] : bounds[rows.stop]], segment))
            first = rows.stop
        return found

    def _nothing_in(self, norm: np.ndarray) -> np.ndarray:
        """Which parameters have no values to count: none were read, or the tensor is empty."""
        return (norm < 0) | (self._share == 0)

    def _extreme(self, function: np.ufunc) -> np.ndarray:
        found = self._reduced(function, self._seen[0])
        return column(np.where(self._nothing_in(self.weight_norm), np.nan, found))

    def _counted(self, mask: np.ndarray, norm: np.ndarray) -> np.ndarray:
        found = self._reduced(np.add, mask.astype(np.int64))
        return column(np.where(self._nothing_in(norm), 0, found))

    def _reduced(self, function: np.ufunc, flat: np.ndarray) -> np.ndarray:
        if not len(self._starts):
            return np.zeros(0)
        with np.errstate(invalid="ignore"):
            return function.reduceat(flat, self._starts)


def _count(counts: np.ndarray, bins: np.ndarray, segment: np.ndarray) -> None:
    """Adds to each row how many of its values fall into each bin."""
    where = segment * BINS + np.clip(np.floor(bins), 0, BINS - 1).astype(np.int64)
    counts += np.bincount(where, minlength=counts.size).reshape(counts.shape).astype(np.uint32)


def _power_of_two(numbers: np.ndarray) -> np.ndarray:
    """The smallest power of two that is larger than each number."""
    return np.ldexp(1.0, np.frexp(numbers)[1])


def frozen(array: np.ndarray) -> np.ndarray:
    """The array, which nobody can write to from now on."""
    array.flags.writeable = False
    return array


def column(array: np.ndarray) -> np.ndarray:
    """The numbers as a float32 array of its own, read-only."""
    with np.errstate(over="ignore"):
        return frozen(array.astype(np.float32))
