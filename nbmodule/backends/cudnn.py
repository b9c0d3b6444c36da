"""cuDNN, which is not used: its switches can be set, as programs do, and change nothing.

Attributes:
    enabled: whether cuDNN may be used.
    benchmark: whether it may try several algorithms and keep the fastest.
    benchmark_limit: how many.
    deterministic: whether it must give the same numbers every time. Everything here does.
    allow_tf32: whether it may multiply in a shorter type.

Source: https://docs.pytorch.org/docs/stable/backends.html
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager

from ._switches import switched

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Return False."""
    return False


def version() -> int | None:
    """Return None: there is no cuDNN here."""
    return None


def flags(enabled: bool = False, benchmark: bool = False, benchmark_limit: int = 10, deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = "none") -> AbstractContextManager[None]:  # fmt: skip
    """Return a block in which the switches stand as given."""
    values = {"enabled": enabled, "benchmark": benchmark, "benchmark_limit": benchmark_limit}
    values |= {"deterministic": deterministic, "allow_tf32": allow_tf32}
    return switched(sys.modules[__name__], **values)
