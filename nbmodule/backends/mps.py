"""Apple's GPUs, which NumPy cannot reach."""

from __future__ import annotations


def is_available() -> bool:
    """Return False."""
    return False


def is_built() -> bool:
    """Return False."""
    return False
