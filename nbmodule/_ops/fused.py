"""A product and a sum in one step, as processors do it.

Where PyTorch multiplies and adds in one step, whoever rounds twice finds other last digits: ``linspace`` is one
place, and a point on the border of two pixels is another, where the last digit says to which of them it belongs.
"""

from __future__ import annotations

from typing import Any


def fused(a: Any, b: Any, c: Any) -> Any:
    """Return ``a * b + c`` of float64 numbers, rounded once.

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
