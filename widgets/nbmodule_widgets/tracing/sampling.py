"""Which calls stay when there are too many events: whole calls, evenly, with everything that they lie in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np


def sample(
    parents: Sequence[int], sizes: Sequence[int], wanted: Iterable[int], limit: int
) -> np.ndarray:
    """Chooses calls so that nesting stays right and the events fit.

    Args:
        parents: For each call the one that it lies in, or -1; parents come first.
        sizes: How many events each has.
        wanted: Calls that should stay if there is room: those with hooks, and what failed.
        limit: Events that may stay.

    Returns:
        For each call whether it stays.
    """
    parent, size = np.asarray(parents, dtype=np.int64), np.asarray(sizes, dtype=np.int64)
    if size.sum() <= limit:
        return np.ones(len(parent), dtype=bool)
    left, stays = limit, [False] * len(parent)
    above, cost = parent.tolist(), size.tolist()
    for call in sorted(set(wanted)):
        left = _keep(call, above, cost, stays, left)
    # Numbers that are far from each other first: 0, 1/2, 1/4, 3/4, 1/8, … of the way.
    order = np.argsort(_reversed_bits(len(parent)), kind="stable")
    for call in order.tolist():
        if left <= 0:
            break
        left = _keep(call, above, cost, stays, left)
    return np.array(stays, dtype=bool)


def _keep(call: int, parent: list[int], size: list[int], stays: list[bool], left: int) -> int:
    """Keeps a call and those around it if they fit; returns how many events still fit."""
    line: list[int] = []
    at = call
    while at >= 0 and not stays[at]:
        line.append(at)
        at = parent[at]
    cost = sum(size[each] for each in line)
    if cost > left:
        return left
    for each in line:
        stays[each] = True
    return left - cost


def _reversed_bits(count: int) -> np.ndarray:
    """For each number below `count` the number whose binary digits are its own in reverse."""
    numbers, found = np.arange(count), np.zeros(count, dtype=np.int64)
    for _ in range(max(1, int(count - 1).bit_length())):
        found = (found << 1) | (numbers & 1)
        numbers = numbers >> 1
    return found
