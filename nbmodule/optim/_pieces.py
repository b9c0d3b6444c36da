"""Large arrays, worked on piece by piece, so that what is computed on the way stays in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

PIECE = 1 << 17
"""How many elements are worked on at a time."""

LARGE = 1 << 19
"""From this size on it is worth it."""


def pieces(first: Any, *others: Any) -> Iterator[tuple[Any, ...]]:
    """Yield views of the same elements of all arrays, which together are the whole; None stays None.

    Tensors, small arrays and those that lie differently in memory come as they are, once.
    """
    arrays = (first, *others)
    if (
        type(first) is not np.ndarray
        or first.size < LARGE
        or any(
            a is not None and (not a.flags.c_contiguous or a.shape != first.shape) for a in arrays
        )
    ):
        yield arrays
        return
    lines = [None if a is None else a.reshape(-1) for a in arrays]
    for start in range(0, first.size, PIECE):
        yield tuple(None if a is None else a[start : start + PIECE] for a in lines)
