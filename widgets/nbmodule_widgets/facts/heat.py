"""A tensor as a picture of at most a few thousand cells: which numbers, how many in a cell, how coloured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isqrt, prod
from typing import Literal

import numpy as np

from nbmodule_widgets.facts.arrays import part, shape_of
from nbmodule_widgets.facts.weights import colour_limit
from nbmodule_widgets.facts.words import count, shape_text

How = Literal["mean", "extreme"]

CELLS = 4096  # of one picture
SIDE = 128  # rows or columns of cells
READ = 2**25  # numbers; of a larger tensor only a part is read for each cell
_MEANING = {"mean": "their mean", "extreme": "the value farthest from zero"}


@dataclass(frozen=True, slots=True, eq=False)
class HeatMap:
    """Two dimensions of a tensor as cells.

    Attributes:
        shape: Shape of the tensor.
        axes: The dimensions that run down and across; empty where a tensor with fewer than two
            dimensions was folded into lines.
        index: One number for each dimension: where the other dimensions are held. Those of `axes` are 0.
        cells: (rows, columns) float32, read-only; NaN and infinities as they are.
        used: How many cells stand for numbers; when folded, the last line may be incomplete.
        block: How many numbers one cell covers, down and across; when folded, `(1, n)`.
        how: `"mean"` or `"extreme"`: what a cell shows that covers several numbers.
        limit: The colours end at plus and minus this.
        problem: Why there are no cells, or the empty string.
        steps: For each dimension the n of "every n-th", where the numbers are a sample; empty if not.
        every: n if only every n-th number of a cell was read, as of a tensor of gigabytes; otherwise 1.
        tiles: In a mosaic, how many of the first two dimensions are shown; the first ones.
        line: In a mosaic, how many tiles lie side by side: whole groups of the second dimension.
    """

    shape: tuple[int, ...]
    axes: tuple[int, ...]
    index: tuple[int, ...]
    cells: np.ndarray
    used: int
    block: tuple[int, int]
    how: How
    limit: float
    problem: str = ""
    steps: tuple[int, ...] = ()
    every: int = 1
    tiles: tuple[int, int] = (0, 0)
    line: int = 0

    @property
    def tile(self) -> tuple[int, int]:
        """Rows and columns of one tile: of the whole picture, if it is no mosaic."""
        rows, columns = self.shape[2:] if self.line else self.cells.shape
        return rows, columns

    @property
    def words(self) -> str:
        """What the picture shows, as a sentence."""
        rows, columns = self.cells.shape
        if self.problem:
            return self.problem
        if not self.shape:
            return "one number"
        if self.line:
            return self._tiled
        covered = prod(self.block)
        thin = f" (of every {self.every:,}th read)" if self.every > 1 else ""
        each = f"; {covered:,} numbers in a cell: {_MEANING[self.how]}{thin}" if covered > 1 else ""
        if self.axes:
            down, across = (self.shape[axis] for axis in self.axes)
            return f"{count(down, 'row')} by {count(across, 'column')}{each}{self._sample}"
        folded = f", folded into {rows} lines of {columns}" if rows > 1 else ""
        return f"{count(self.shape[0], 'number')}{folded}{each}{self._sample}"

    @property
    def _tiled(self) -> str:
        shown, there, each = (
            f"{one:,} × {other:,}" for one, other in (self.tiles, self.shape[:2], self.tile)
        )
        first = "" if shown == there else f"the first {shown} of "
        return f"{first}{there} slices, each {each}"

    @property
    def _sample(self) -> str:
        if all(step == 1 for step in self.steps):
            return ""
        return f"; a sample: every n-th number of each dimension, n = {shape_text(self.steps)}"

    def place(self, row: int, column: int) -> str:
        """The index of a cell as one would write it: `"[3, 0, 1, 2]"`, `"[0…11, 24…35]"`."""
        if not self.shape:
            return ""
        each = self.steps or (1,) * len(self.shape)
        if self.line:
            high, wide = self.tile
            tile = row // high * self.line + column // wide
            return str([*divmod(tile, self.tiles[1]), row % high, column % wide])
        if not self.axes:
            at = (row * self.cells.shape[1] + column) * self.block[1]
            return f"[{_range(at, self.block[1], self.shape[0], each[0])}]"
        written = [str(n * step) for n, step in zip(self.index, each, strict=True)]
        for axis, at, size in zip(self.axes, (row, column), self.block, strict=True):
            written[axis] = _range(at * size, size, self.shape[axis], each[axis])
        return f"[{', '.join(written)}]"

    def mark(self, row: int, column: int) -> str:
        """What the colour alone cannot say: NaN `X`, infinite `∞`, beyond the scale `+` or `−`."""
        value = float(self.cells[row, column])
        if np.isnan(value):
            return "X"
        if np.isinf(value):
            return "∞"
        return ("+" if value > 0 else "−") if abs(value) > self.limit * 1.0001 else ""


def _range(start: int, size: int, length: int, step: int) -> str:
    last = min(start + size, length) - 1
    return str(start * step) if last <= start else f"{start * step}…{last * step}"


def heat_map(
    tensor: object,
    axes: Sequence[int] = (),
    index: Sequence[int] = (),
    how: How = "mean",
    limit: float = 0.0,
) -> HeatMap:
    """A picture of two dimensions of a tensor.

    Args:
        tensor: A tensor of any library.
        axes: Which dimension runs down and which across; the last two if not given.
        index: One number for each dimension, of which those of `axes` do not matter; numbers that
            are too large become the last one.
        how: What a cell shows that covers several numbers: `"mean"` or `"extreme"`.
        limit: Where the colours end, if every cell is one number; worked out from the cells otherwise.

    Returns:
        The picture, or one without cells that says why.
    """
    shape = shape_of(tensor)
    if shape is None or prod(shape) == 0:
        said = "no shape yet" if shape is None else f"a tensor of shape {shape} holds no numbers"
        return _without(shape or (), said)
    axes = _axes(len(shape), axes)
    held = [*index, *[0] * len(shape)][: len(shape)]
    held = [
        0 if axis in axes or len(shape) < 2 else max(0, min(int(n), shape[axis] - 1))
        for axis, n in enumerate(held)
    ]
    pick = tuple(slice(None) if axis in axes else n for axis, n in enumerate(held))
    said = part(tensor, pick if axes else ())
    if said.problem:
        return _without(shape, said.problem)
    array = said.value
    if axes and axes[0] > axes[1]:
        array = array.T
    every = -(-array.size // READ)
    if axes:
        cells, used, block = _blocks(array, how, every)
    else:
        cells, used, block = _folded(array.reshape(-1), how, every)
    cells.flags.writeable = False
    if prod(block) > 1 or not limit:
        limit = _limit(cells.reshape(-1)[:used])
    return HeatMap(shape, axes, tuple(held), cells, used, block, how, limit, every=every)


def mosaic(tensor: object, how: How = "mean", limit: float = 0.0) -> HeatMap:
    """A picture of a tensor of four dimensions, as of a convolution: a tile for each of its slices, on one scale.

    Args:
        tensor: A tensor of any library.
        how: As for `heat_map`, which draws what is no mosaic: other shapes, and slices of which no two fit.
        limit: Where the colours end; worked out from the cells if not given.
    """
    shape = shape_of(tensor)
    if shape is None or len(shape) != 4 or not prod(shape) or prod(shape[2:]) == 1:
        single = shape is not None and len(shape) == 4  # each slice one number: these are the cells
        return heat_map(tensor, (0, 1) if single else (), how=how, limit=limit)
    high, wide = shape[2:]
    fitting = CELLS // (high * wide)
    if min(fitting, prod(shape[:2])) < 2:
        return heat_map(tensor, how=how, limit=limit)
    down, across, line = _laid_out(shape, fitting)
    said = part(tensor, (slice(down), slice(across), slice(None), slice(None)))
    if said.problem:
        return _without(shape, said.problem)
    tiles = np.reshape(said.value, (-1, line, high, wide))
    cells = _single(np.ascontiguousarray(tiles.swapaxes(1, 2)).reshape(-1, line * wide))
    cells.flags.writeable = False
    limit = limit or _limit(cells.reshape(-1))
    return HeatMap(
        shape, (2, 3), (0,) * 4, cells, cells.size, (1, 1), how, limit,
        tiles=(down, across), line=line,
    )  # fmt: skip


def _laid_out(shape: tuple[int, ...], fitting: int) -> tuple[int, int, int]:
    """How many of the first and of the second dimension are shown, and how many tiles lie in a line: about a square."""
    across = min(shape[1], max(isqrt(fitting), fitting // shape[0]))
    down = min(shape[0], fitting // across)
    best = max(1, int((1.2 * down * across * shape[2] / shape[3]) ** 0.5))
    if across > best:  # one group takes several lines
        line = across // -(-across // best)
        return down, across - across % line, line
    groups = min(down, best // across)
    if down < shape[0]:
        down -= down % groups
    while down % groups:
        groups -= 1
    return down, across, groups * across


def _without(shape: tuple[int, ...], problem: str) -> HeatMap:
    return HeatMap(shape, (), (), np.empty((0, 0), np.float32), 0, (1, 1), "mean", 1.0, problem)


def _axes(dimensions: int, wanted: Sequence[int]) -> tuple[int, ...]:
    """Two different dimensions, counted from the front; none if there are fewer than two."""
    if dimensions < 2:
        return ()
    found = [int(axis) % dimensions for axis in wanted][:2]
    if len(found) == 2 and found[0] != found[1]:
        return found[0], found[1]
    return dimensions - 2, dimensions - 1


def _blocks(array: np.ndarray, how: How, every: int) -> tuple[np.ndarray, int, tuple[int, int]]:
    """The array itself, or blocks of it where it has too many rows and columns."""
    rows, columns = array.shape
    high, wide = min(rows, SIDE), min(columns, SIDE)
    if high * wide > CELLS:
        edge = int(CELLS**0.5)
        high, wide = min(high, max(edge, CELLS // wide)), min(wide, max(edge, CELLS // high))
    down, across = ceil(rows / high), ceil(columns / wide)
    size, first = (down, across), int(every > 1 and columns > rows)
    skip = min(every, size[first])  # along the longer axis, and what is left along the other one
    cells = _reduced(array, size[first], first, how, skip)
    cells = _reduced(cells, size[1 - first], 1 - first, how, -(-every // skip))
    return _single(cells), cells.size, (down, across)


def _folded(flat: np.ndarray, how: How, every: int) -> tuple[np.ndarray, int, tuple[int, int]]:
    """A line of numbers, in runs where there are too many, folded so that it is easy to look at."""
    run = ceil(flat.size / CELLS)
    line = _single(_reduced(flat, run, 0, how, every))
    width = line.size if line.size <= 32 else min(SIDE, 8 * ceil((4 * line.size) ** 0.5 / 8))
    cells = np.full((ceil(line.size / width), width), np.float32(0))
    cells.reshape(-1)[: line.size] = line
    return cells, line.size, (1, run)


def _reduced(array: np.ndarray, size: int, axis: int, how: How, every: int = 1) -> np.ndarray:
    """One value for every `size` neighbours along an axis, of which every n-th is read; the last may cover fewer."""
    if size == 1:
        return array
    runs = (slice(n, n + size, every) for n in range(0, array.shape[axis], size))
    groups = (array[run] if axis == 0 else array[:, run] for run in runs)
    return np.stack([_one(group, axis, how) for group in groups], axis)


def _one(group: np.ndarray, axis: int, how: How) -> np.ndarray:
    with np.errstate(all="ignore"):  # infinities that meet are NaN, and shown so
        if how == "mean":
            return group.mean(axis, dtype=np.float64)
        most, least = group.max(axis), group.min(axis)
        return np.where(np.abs(least) > np.abs(most), least, most)


def _single(cells: np.ndarray) -> np.ndarray:
    """As float32, which is what the page draws."""
    with np.errstate(over="ignore"):
        return cells.astype(np.float32)


def _limit(cells: np.ndarray) -> float:
    finite = cells[np.isfinite(cells)].astype(np.float64)
    if not finite.size:
        return 1.0
    return colour_limit(float(np.abs(finite).max()), float(np.sqrt(np.mean(finite**2))))
