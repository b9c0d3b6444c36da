"""A tensor as it was at one moment: its shape, what its numbers were like, and the numbers if they are few.

A pass through a model shows thousands of tensors, most of them small, and the next operation may write over
any of them. So a glance is taken at once and has to be quick; `tracing.looks` takes many of them together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from math import isfinite, nan, prod
from typing import Any, NamedTuple

import numpy as np

from nbmodule_widgets.engines import array_of
from nbmodule_widgets.facts.arrays import part, shape_of
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.words import count, decimal, shape_text, visible
from nbmodule_widgets.protocol import (
    attempt,
    class_name,
    said_as_text,
)

EXACT = 2**14  # numbers; of a larger tensor spread and zeros are those of 1 in n
_SEARCHED = 2**18  # numbers; of a larger one the least, the largest and the mean too
_FEW = 2**12  # numbers that are summed up as float64; more of them as they are
_RUN = 64  # numbers that lie side by side in a sample: single ones would cost a cache line each


class Moments(NamedTuple):
    """What the numbers of an array are like; NaN and infinite ones are counted and otherwise left out.

    Attributes:
        mean: Their mean.
        std: Their standard deviation (divided by n, as `numpy.std`).
        low: The smallest.
        high: The largest.
        zeros: The share of all numbers that is exactly zero.
        nans: How many are NaN.
        infs: How many are infinite.
    """

    mean: float = nan
    std: float = nan
    low: float = nan
    high: float = nan
    zeros: float = nan
    nans: int = 0
    infs: int = 0


NO_MOMENTS = Moments()
_new: Callable[[type[Moments], Iterable[Any]], Moments] = tuple.__new__


class Glance(NamedTuple):
    """A tensor as it was at one moment; a named tuple, since a pass makes twenty thousand. `values` are not compared.

    Attributes:
        shape: Its shape.
        dtype: `"float32"`; the library's prefix is left out.
        device: `"cpu"`, or the empty string where the object does not say.
        numel: How many numbers it held.
        mean: Their mean; like the next four NaN where there is nothing to count.
        std: Their standard deviation (divided by n).
        low: The smallest.
        high: The largest.
        zeros: The share of them that was exactly zero.
        nans: How many were NaN.
        infs: How many were infinite.
        values: A copy of the numbers that cannot be written to, if it was kept.
        problem: Why something is missing, or the empty string.
        every: Spread and zeros are those of 1 in so many numbers; 1 if all were read. Of more than 2**18
            numbers the rest comes from a sample too.
    """

    shape: tuple[int, ...]
    dtype: str
    device: str
    numel: int
    mean: float = nan
    std: float = nan
    low: float = nan
    high: float = nan
    zeros: float = nan
    nans: int = 0
    infs: int = 0
    values: np.ndarray | None = None
    problem: str = ""
    every: int = 1

    def __eq__(self, other: object) -> bool:
        return type(other) is Glance and _compared(self) == _compared(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(_compared(self))

    @property
    def words(self) -> str:
        """`"(4, 3) float32 · mean 0.12 · std 0.9 · -1.3 … 2.1"`, and what is special about it."""
        said = [f"{shape_text(self.shape)} {self.dtype}".strip()]
        if self.problem:
            return " · ".join([*said, self.problem])
        if self.numel == 1 and isfinite(self.mean):
            return " · ".join([*said, decimal(self.mean)])
        if isfinite(self.mean):
            said += [f"mean {decimal(self.mean)}", f"std {decimal(self.std)}"]
            said.append(f"{decimal(self.low)} … {decimal(self.high)}")
            said += [f"{_share(self.zeros)} zeros"] if self.zeros else []
        elif not self.numel:
            said.append("no numbers")
        said += [f"{self.nans:,} NaN"] if self.nans else []
        said += [f"{self.infs:,} infinite"] if self.infs else []
        return " · ".join([*said, *filter(None, [self.sampled])])

    @property
    def sampled(self) -> str:
        """Which statistics were made from a sample; empty if none was."""
        which = "std and zeros" if self.numel <= _SEARCHED else "all"
        return f"{which} from 1 of {self.every:,} numbers" if self.every > 1 else ""


def _compared(seen: Glance) -> tuple[Any, ...]:
    return (*seen[:11], *seen[12:])


def _share(part_of_one: float) -> str:
    percent = 100 * part_of_one
    return "all" if percent == 100 else f"{percent:.0f} %" if percent >= 1 else "< 1 %"


def glance(tensor: object, keep: int = 0) -> Glance:
    """Looks at a tensor.

    Args:
        tensor: A tensor of any library, on any device, or a NumPy array.
        keep: Its numbers are copied if they take at most so many bytes.

    Returns:
        What was seen; what could not be read is said in its `problem`.
    """
    array = quick_array(tensor)
    if array is not None:
        moments, every = moments_of(array)
        values = kept_copy(array) if 0 < array.nbytes <= keep else None
        return Glance(
            array.shape, dtype_name(array.dtype), "cpu", array.size, *moments, values, every=every
        )
    return _careful_glance(tensor, keep)


@cache
def dtype_name(dtype: np.dtype) -> str:
    """`"float32"`, which NumPy would put together again each time."""
    return dtype.name


def _careful_glance(tensor: object, keep: int) -> Glance:
    """The same for what is no ordinary tensor on the CPU."""
    shape = shape_of(tensor)
    dtype = visible(said_as_text(tensor, "dtype"), 40).rpartition(".")[2]
    device = visible(said_as_text(tensor, "device"), 40)
    if shape is None:
        problem = f"a {visible(class_name(tensor), 60)} without a readable shape"
        return Glance((), dtype, device, 0, problem=problem)
    numel = prod(shape)
    said = part(tensor)
    found = attempt(moments_of, said.value) if not said.problem else said
    if found.problem:
        return Glance(shape, dtype, device, numel, problem=visible(found.problem))
    values = kept_copy(said.value) if 0 < said.value.nbytes <= keep else None
    moments, every = found.value
    return Glance(shape, dtype, device, numel, *moments, values=values, every=every)


def kept_copy(array: np.ndarray) -> np.ndarray:
    """A copy in rows that cannot be written to."""
    copied = np.array(array, order="C")
    copied.flags.writeable = False
    return copied


def quick_array(tensor: Any) -> np.ndarray | None:
    """The numbers of an ordinary tensor on the CPU as an array on the same memory; None for all else."""
    array = array_of(tensor)
    return array if array is not None and array.dtype.kind in "biuf" else None


def moments_of(array: np.ndarray, most: int = EXACT) -> tuple[Moments, int]:
    """Sums up the numbers of an array.

    Args:
        array: Truth values, whole or real numbers, in any shape.
        most: If it holds more, spread and zeros are those of 1 in n: they need memory of their own, the rest
            does not. Of a very large array all is taken from 1 in n.

    Returns:
        What they are like, and that n.
    """
    size = array.size
    if not size:
        return NO_MOMENTS, 1
    every = _every(size, most)
    searched = size <= _SEARCHED
    with np.errstate(all="ignore"):
        if searched or not array.flags.c_contiguous:
            flat = array.reshape(-1) if searched else array.flat[::every]
        else:
            flat = _sample(array.reshape(-1), every)
        return _moments(flat, every if searched else 1), every


def _every(size: int, most: int) -> int:
    """1 in how many numbers are at most so many, or fewer: such that runs do not stay in the same columns."""
    every = -(-size // most)
    while every > 1 and not (every % 2 and every % 3):
        every += 1
    return every


def _sample(flat: np.ndarray, every: int) -> np.ndarray:
    """A copy of 1 in `every` numbers, in runs, from one end to the other."""
    if flat.size < 2 * _RUN * every:
        return flat[::every].copy()
    return flat[: flat.size // _RUN * _RUN].reshape(-1, _RUN)[::every].reshape(-1)


def _moments(flat: np.ndarray, every: int = 1) -> Moments:
    size = flat.size
    if flat.dtype.kind != "f" or flat.dtype.itemsize == 2 or size <= _FEW:
        flat = flat.astype(np.float64)
    low, high = float(flat.min()) + 0.0, float(flat.max()) + 0.0  # -0 is shown as 0
    if not (isfinite(low) and isfinite(high)):
        return _of_the_finite(flat)
    mean = float(np.add.reduce(flat)) / size
    taken = flat if every == 1 else _sample(flat, every)
    middle = mean if every == 1 else float(np.add.reduce(taken)) / taken.size
    # Not by np.dot, which wakes the threads of BLAS for so little.
    apart = taken - taken.dtype.type(middle)
    square = float(np.add.reduce(np.square(apart, out=apart)))
    if not (isfinite(mean) and isfinite(square)):
        mean = float(flat.mean(dtype=np.float64))
        square = float(taken.std(dtype=np.float64)) ** 2 * taken.size
    zeros = int(np.count_nonzero(taken == 0)) if low <= 0 <= high else 0
    return Moments(mean, math.sqrt(square / taken.size), low, high, zeros / taken.size)


def _of_the_finite(flat: np.ndarray) -> Moments:
    good = flat[np.isfinite(flat)].astype(np.float64)
    nans = int(np.count_nonzero(np.isnan(flat)))
    infs = flat.size - good.size - nans
    if not good.size:
        return Moments(zeros=0.0, nans=nans, infs=infs)
    zeros = good.size - int(np.count_nonzero(good))
    return Moments(
        mean=float(good.mean()),
        std=float(good.std()),
        low=float(good.min()),
        high=float(good.max()),
        zeros=zeros / flat.size,
        nans=nans,
        infs=infs,
    )


def moments_of_rows(rows: np.ndarray) -> list[Moments]:
    """Sums up each row of a matrix by itself; for a thousand small tensors that is far quicker.

    Args:
        rows: Of shape (tensors, numbers of each), with at least one number.
    """
    rows = rows.astype(np.float64, copy=False)
    with np.errstate(all="ignore"):
        mean = rows.mean(axis=1)
        std = np.sqrt(np.square(rows - mean[:, None]).mean(axis=1))
        low, high = rows.min(axis=1) + 0.0, rows.max(axis=1) + 0.0
        zeros = np.count_nonzero(rows == 0, axis=1) / rows.shape[1]
        table = np.stack([mean, std, low, high, zeros], axis=1).tolist()
        found = [
            _new(Moments, (*row, 0, 0)) for row in table
        ]  # a third of the time of `Moments(…)`
        odd = np.flatnonzero(~(np.isfinite(low) & np.isfinite(high) & np.isfinite(std)))
        for row in odd.tolist():
            found[row] = _moments(rows[row])
    return found


# ------------------------------------------------------------------------------ tensors in nests


def glances(nest: object, keep: int = 0) -> tuple[tuple[str, Glance], ...]:
    """Looks at every tensor in what a call was given or has returned.

    Args:
        nest: A tensor, or tensors in tuples, lists, dicts and dataclasses.
        keep: As for `glance`.

    Returns:
        `(place, glance)` pairs: `""` for a tensor by itself, else `"[0]"`, `"['mask']"`, `".hidden"`, ….
        What is no tensor is left out, and so is what comes after the 64th.
    """
    return tuple((place, glance(tensor, keep)) for place, tensor in tensors_in(nest))


def tensors_text(tensors: tuple[tuple[str, Glance], ...]) -> str:
    """`"(4, 3) float32 · mean 0.12 …"`, with their places where there are several."""
    if not tensors:
        return "no tensor"
    if len(tensors) == 1:
        place, seen = tensors[0]
        return f"{place} {seen.words}".strip()
    listed = "; ".join(f"{place} {seen.words}" for place, seen in tensors[:3])
    return (
        listed if len(tensors) <= 3 else f"{listed}; and {count(len(tensors) - 3, 'tensor')} more"
    )
