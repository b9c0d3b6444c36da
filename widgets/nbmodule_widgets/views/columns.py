"""Norms on their way to the page: two bytes each, on a logarithmic scale.

A curve on a log scale needs no more than three digits. One whole number stands for 1/700 of a decade, which
is a third of a per cent; what is no size has a number of its own.
"""

from __future__ import annotations

import numpy as np

ZERO, NOT_A_NUMBER, INFINITE, NONE, UNREADABLE = 0, 65535, 65534, 65533, 65532

_LOWEST, _STEPS = -46.0, 700.0  # the logarithm that 1 stands for, and steps for each decade


def log_column(norms: np.ndarray) -> bytes:
    """Norms as 16-bit steps; -1 is no gradient and -2 not readable, as the Recorder writes them."""
    norms = np.asarray(norms, dtype=np.float64)
    with np.errstate(all="ignore"):
        steps = np.rint((np.log10(np.abs(norms)) - _LOWEST) * _STEPS)
        coded = np.clip(np.nan_to_num(steps), 1, UNREADABLE - 1)
    coded[norms == 0] = ZERO
    coded[np.isnan(norms)] = NOT_A_NUMBER
    coded[np.isinf(norms)] = INFINITE
    coded[norms == -1] = NONE
    coded[norms == -2] = UNREADABLE
    return coded.astype("<u2").tobytes()
