"""cuDNN, which is not used: its switches can be set, as programs do, and change nothing.

Attributes:
    enabled: whether cuDNN may be used.
    benchmark: whether it may try several algorithms and keep the fastest.
    deterministic: whether it must give the same numbers every time. Everything here does.
"""

from __future__ import annotations

enabled = True
benchmark = False
deterministic = False


def is_available() -> bool:
    """Return False."""
    return False


def version() -> int | None:
    """Return None: there is no cuDNN here."""
    return None
