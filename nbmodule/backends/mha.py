"""The short way of `MultiheadAttention` and `TransformerEncoder` through layers that do not learn.

Source: https://docs.pytorch.org/docs/stable/backends.html
"""

from __future__ import annotations

_is_fastpath_enabled = True


def get_fastpath_enabled() -> bool:
    """Return whether the short way is taken where it can be."""
    return _is_fastpath_enabled


def set_fastpath_enabled(value: bool) -> None:
    """Say whether the short way is taken where it can be.

    Args:
        value: False lets every layer be called one by one.
    """
    global _is_fastpath_enabled
    _is_fastpath_enabled = value
