"""What normalisation shares: how it goes over large arrays, and sums that do not drift.

A block of rows stays in the processor's cache while several steps are made on it. The sum of a row is a product
with ones, which BLAS computes fast; long rows are summed in pieces, which are added up in float64.
"""

from collections.abc import Callable, Iterator
from typing import Any

from .._engine import in_parts, sum_of_parts

BLOCK = 1 << 18
"""How many elements of each array are worked on at a time."""

PIECE = 4096
"""How many elements are added up in the type of the array."""


def blocks(xp, rows: slice, each: int) -> Iterator[slice]:
    """Cut `rows` of `each` elements into blocks; another device than the processor takes all at once."""
    step = max(1, BLOCK // max(1, each)) if xp.__name__ == "numpy" else max(1, rows.stop)
    return (slice(i, min(i + step, rows.stop)) for i in range(rows.start, rows.stop, step))


def in_blocks(xp, work: Callable[[slice], Any], rows: int, each: int) -> None:
    """Call ``work(block)`` for all blocks of `rows` of `each` elements, a part of them on each core."""

    def some(part: slice) -> None:
        for block in blocks(xp, part, each):
            work(block)

    in_parts(xp, some, rows, rows * each)


def sum_of_blocks(xp, work: Callable[[slice], Any], rows: int, each: int, zero: Any) -> Any:
    """Return `zero()`, an array, plus what ``work(block)`` returns for all blocks of `rows` of `each` elements."""

    def some(part: slice) -> Any:
        total = zero()
        for block in blocks(xp, part, each):
            total += work(block)
        return total

    return sum_of_parts(xp, some, rows, rows * each)


def _pieces(size: int) -> Iterator[slice]:
    return (slice(i, min(i + PIECE, size)) for i in range(0, size, PIECE))


def row_sums(xp, a):
    """Return the sum of each row of `a` (R, n), in float64."""
    ones = xp.ones(min(a.shape[1], PIECE), a.dtype)
    if a.shape[1] <= PIECE:
        return (a @ ones).astype("f8")
    return sum((a[:, p] @ ones[: p.stop - p.start]).astype("f8") for p in _pieces(a.shape[1]))


def row_products(xp, a, b):
    """Return the sum of products of each row of `a` (R, n) with the row of `b`, in float64."""
    if xp.__name__ != "numpy":
        return xp.einsum("ij,ij->i", a, b).astype("f8")
    if a.shape[1] <= PIECE:
        return xp.vecdot(a, b).astype("f8")
    return sum(xp.vecdot(a[:, p], b[:, p]).astype("f8") for p in _pieces(a.shape[1]))


def column_sums(xp, a):
    """Return the sum of each column of `a`, a block (b, C), in float64."""
    return (xp.ones(len(a), a.dtype) @ a).astype("f8", copy=False)


def over_last(xp, a):
    """Return the sums over the last axis of `a`, few numbers; unlike `sum` it has no remarks on infinite ones."""
    return a @ xp.ones(a.shape[-1], a.dtype)


def taken_apart(coefficients, rows: slice):
    """Return the coefficients of a block of rows: those of all rows, where they are the same for all."""
    return coefficients if len(coefficients) == 1 else coefficients[rows]
