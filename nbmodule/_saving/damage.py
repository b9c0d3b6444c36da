"""How errors about files speak: each names the file and what is wrong with it."""

from __future__ import annotations

from typing import Any


def named(file: Any) -> str:
    """Return what to call `file`: its path where it has one."""
    name = getattr(file, "name", None)
    return repr(name) if isinstance(name, str | bytes) else f"the given {type(file).__name__}"


def damaged(file: Any, why: str) -> RuntimeError:
    """Return the error for a `file` that cannot be read, because of `why`."""
    return RuntimeError(f"{named(file)} cannot be loaded: {why}")
