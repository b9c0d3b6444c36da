"""What is true of the numbers in one tensor: their statistics and how they are spread."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, prod, sqrt

import numpy as np

from nbmodule_widgets.facts.arrays import part, shape_of
from nbmodule_widgets.facts.words import decimal
from nbmodule_widgets.protocol import attempt

BINS = 40
EXACT = 2**22  # numbers; of a larger tensor every n-th is read, and the views say so
CLIP = 3.0  # the colour scale ends at so many times the root mean square


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many numbers lie in each of equally wide bins.

    Attributes:
        low: Left edge of the first bin.
        high: Right edge of the last bin.
        counts: One whole number for each bin.
    """

    low: float
    high: float
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Values:
    """The numbers of a tensor, summed up. NaN and infinite ones are counted and otherwise left out.

    Attributes:
        problem: Why there are no statistics, or the empty string; then the rest is zero.
        numel: How many numbers the tensor holds.
        read: How many of them were read.
        mean: Their mean.
        std: Their standard deviation (divided by n, as `numpy.std`).
        minimum: The smallest.
        maximum: The largest.
        norm: Euclidean norm; of a sample, the norm expected of the whole.
        zeros: How many of those read are exactly zero.
        nans: How many are NaN.
        infinities: How many are infinite.
        histogram: Bins from minimum to maximum; None if there is nothing to count.
    """

    problem: str
    numel: int = 0
    read: int = 0
    mean: float = 0.0
    std: float = 0.0
    minimum: float = 0.0
    maximum: float = 0.0
    norm: float = 0.0
    zeros: int = 0
    nans: int = 0
    infinities: int = 0
    histogram: Histogram | None = None

    @property
    def finite(self) -> int:
        """How many of the numbers read are neither NaN nor infinite."""
        return self.read - self.nans - self.infinities

    @property
    def rms(self) -> float:
        """Root mean square of the finite numbers: the norm for each element."""
        return self.norm / sqrt(self.numel * self.finite / self.read) if self.finite else 0.0

    @property
    def largest(self) -> float:
        """The largest absolute value."""
        return max(abs(self.minimum), abs(self.maximum))

    @property
    def limit(self) -> float:
        """Where a colour scale that is symmetric about zero should end; never zero."""
        return colour_limit(self.largest, self.rms)


def colour_limit(largest: float, rms: float) -> float:
    """Three times the root mean square, or the largest absolute value where that is less."""
    found = min(largest, CLIP * rms)
    return found if found > 0 and isfinite(found) else largest if largest > 0 else 1.0


def measure(tensor: object, most: int = EXACT, bins: int = BINS) -> tuple[Values, np.ndarray]:
    """Reads a tensor and sums it up.

    Args:
        tensor: A tensor of any library, or None.
        most: If it holds more numbers, every n-th is read.
        bins: Of the histogram; 0 for none.

    Returns:
        The facts, and the finite numbers that were read, as float64.
    """
    nothing = np.empty(0)
    if tensor is None:
        return Values("there is no tensor, but None"), nothing
    shape = shape_of(tensor)
    if shape is None:
        return Values("it has no shape yet, so it has no numbers"), nothing
    numel = prod(shape)
    if numel == 0:
        return Values(f"a tensor of shape {shape} holds no numbers"), nothing
    said = part(tensor)
    flat = attempt(lambda: _every(said.value, -(-numel // most)).astype(np.float64))
    if said.problem or flat.problem:
        return Values(said.problem or flat.problem, numel), nothing
    with np.errstate(all="ignore"):  # what overflows is said to be infinite
        return _summary(flat.value, numel, bins)


def _every(array: np.ndarray, step: int) -> np.ndarray:
    """Every n-th number. An expanded array, whose rows share their memory, is not written out."""
    return array.reshape(-1)[::step] if array.flags.c_contiguous else array.flat[::step]


def _summary(flat: np.ndarray, numel: int, bins: int) -> tuple[Values, np.ndarray]:
    good = np.isfinite(flat)
    finite = flat if good.all() else flat[good]
    nans = int(np.isnan(flat).sum()) if finite is not flat else 0
    infinities = flat.size - finite.size - nans
    if not finite.size:
        said = f"none of its numbers is finite: {nans:,} NaN, {infinities:,} infinite"
        return Values(said, numel, flat.size, nans=nans, infinities=infinities), finite
    found = Values(
        problem="",
        numel=numel,
        read=flat.size,
        mean=float(finite.mean()),
        std=float(finite.std()),
        minimum=float(finite.min()),
        maximum=float(finite.max()),
        norm=float(np.sqrt(np.square(finite).sum() * (numel / flat.size))),
        zeros=int(finite.size - np.count_nonzero(finite)),
        nans=nans,
        infinities=infinities,
        histogram=histogram(finite, bins=bins) if bins else None,
    )
    return found, finite


def histogram(
    finite: np.ndarray, low: float | None = None, high: float | None = None, bins: int = BINS
) -> Histogram | None:
    """Counts numbers in bins.

    Args:
        finite: Finite float64 numbers, none outside of `low` and `high`.
        low: Left edge; the smallest number if not given.
        high: Right edge; the largest number if not given.
        bins: How many bins.

    Returns:
        The counts, or None if there are no numbers or they are too far apart for bins.
    """
    if not finite.size:
        return None
    low = float(finite.min()) if low is None else low
    high = float(finite.max()) if high is None else high
    if low == high:
        around = max(0.5, abs(low) * 1e-6)  # half a unit would be lost beside a very large number
        low, high = low - around, high + around
    scale = bins / (high - low)
    if not isfinite(scale) or scale == 0 or not isfinite(high - low):
        return None
    places = ((finite - low) * scale).astype(np.intp)
    counts = np.bincount(np.minimum(places, bins - 1), minlength=bins)
    return Histogram(low, high, tuple(counts.tolist()))


def together(first: np.ndarray, second: np.ndarray) -> tuple[Histogram, Histogram] | None:
    """Two histograms on one axis, or None where there is no such axis."""
    if not (first.size and second.size):
        return None
    low = float(min(first.min(), second.min()))
    high = float(max(first.max(), second.max()))
    made = histogram(first, low, high), histogram(second, low, high)
    return None if made[0] is None or made[1] is None else (made[0], made[1])


def values_text(values: Values) -> str:
    """`"mean 0.001 · std 0.02 · min -0.1 · max 0.1 · norm 3.2"` and what is special, in words."""
    if values.problem:
        return values.problem
    parts = [
        f"mean {decimal(values.mean)}",
        f"std {decimal(values.std)}",
        f"min {decimal(values.minimum)}",
        f"max {decimal(values.maximum)}",
        f"norm {decimal(values.norm)}",
    ]
    counted = (("zero", values.zeros), ("NaN", values.nans), ("infinite", values.infinities))
    parts += [f"{number:,} {name}" for name, number in counted if number]
    if values.read < values.numel:
        parts.append(f"from {values.read:,} of {values.numel:,} numbers, evenly spaced")
    return " · ".join(parts)
