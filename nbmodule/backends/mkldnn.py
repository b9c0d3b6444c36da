"""oneDNN, which is not used: its switches can be set, as programs do, and change nothing.

Attributes:
    enabled: whether oneDNN may be used.
    deterministic: whether it must give the same numbers every time. Everything here does.
    allow_tf32: whether it may multiply in a shorter type.

Source: https://docs.pytorch.org/docs/stable/backends.html
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager

from ._switches import switched

enabled = True
deterministic = False
allow_tf32: bool | None = None


def is_available() -> bool:
    """Return False."""
    return False


def flags(enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = "none") -> AbstractContextManager[None]:  # fmt: skip
    """Return a block in which the switches stand as given."""
    values = {"enabled": enabled, "deterministic": deterministic, "allow_tf32": allow_tf32}
    return switched(sys.modules[__name__], **values)
