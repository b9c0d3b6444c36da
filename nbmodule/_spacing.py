"""Evenly spaced numbers, rounded as PyTorch rounds them.

PyTorch multiplies and adds in one step (`fused`), and works on short blocks of numbers at a time. Who
compares ``arange(0, 1, 0.1)`` with PyTorch's to the last bit finds the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

LANES = {np.dtype("float32"): 8, np.dtype("float64"): 4}
"""How many numbers PyTorch's processor instructions take at once."""


def fused(a: Any, b: Any, c: Any) -> Any:
    """Return ``a * b + c`` of float64 numbers, rounded once, as processors do it in one step.

    Source: T. J. Dekker, "A floating-point technique for extending the available precision" (1971).
    """
    product = a * b
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = product + c
    back = total - product
    return total + (((product - (total - back)) + (c - back)) + lost)


def _upper_half(x: Any) -> Any:
    scaled = x * 134217729.0  # 2**27 + 1: what it takes to cut 53 bits into two halves
    return scaled - (scaled - x)


def steps_from(start: Any, step: Any, count: int, dtype: np.dtype) -> np.ndarray:
    """Return ``start + i * step`` for i below `count`, in `dtype`."""
    if dtype.kind != "f":
        return (np.arange(count, dtype=np.int64) * int(step) + int(start)).astype(dtype)
    start, step = float(start), float(step)
    lanes = LANES.get(dtype)
    if lanes is None:  # float16, which PyTorch computes in float32
        index = np.arange(count, dtype=np.float32)
        return (index * np.float32(step) + np.float32(start)).astype(dtype)
    index = np.arange(count, dtype=np.float64)
    values = fused(index, step, start)
    if count < 2 * lanes:
        return values.astype(dtype)
    block = index[: count - count % (2 * lanes)].reshape(-1, lanes)
    first = fused(block[:, :1], step, start).astype(dtype).astype(np.float64)
    values[: block.size] = fused(block[:1], step, first).ravel()
    return values.astype(dtype)


def arange_count(start: Any, end: Any, step: Any) -> int:
    """Return how many numbers ``arange(start, end, step)`` has.

    Raises:
        RuntimeError: the step is 0 or leads away from `end`, or a number is not finite.
    """
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {_short(start)} -> {_short(end)}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if all(isinstance(x, int) for x in (start, end, step)):
        return -((start - end) // step)
    return math.ceil((end - start) / step)


def _short(x: Any) -> str:
    return f"{x:g}"


def between(start: Any, end: Any, steps: int, dtype: np.dtype) -> np.ndarray:
    """Return `steps` numbers from `start` to `end`: the first half counted from the one, the rest from the other."""
    kind = np.dtype("float64") if dtype.kind != "f" else dtype
    if dtype.kind != "f":
        start, end = int(start), int(end)
    first, last = kind.type(start), kind.type(end)
    if steps == 1:
        return np.array([first]).astype(dtype)
    step = float((last - first) / kind.type(max(steps - 1, 1)))
    index = np.arange(steps, dtype=np.float64)
    if dtype == np.float16:  # each step is rounded
        index, small = index.astype(dtype), dtype.type(step)
        return np.where(index < steps // 2, first + index * small, last - index[::-1] * small)
    up, down = fused(index, step, float(first)), fused(index[::-1], -step, float(last))
    return np.where(index < steps // 2, up, down).astype(dtype)
