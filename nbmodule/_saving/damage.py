"""How errors about files speak: each names the file and what is wrong with it."""

from __future__ import annotations

import traceback
from typing import Any

OURS = (f"{__name__.partition('.')[0]}.", "numpy.")


def named(file: Any) -> str:
    """Return what to call `file`: its path where it has one."""
    name = getattr(file, "name", None)
    return repr(name) if isinstance(name, str | bytes) else f"the given {type(file).__name__}"


def is_of_user(error: BaseException) -> bool:
    """Return whether `error` comes from code of the user, which runs while a file is read: a `map_location` for example."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(not frame.f_globals.get("__name__", "").startswith(OURS) for frame in frames)


def damaged(file: Any, why: str) -> RuntimeError:
    """Return the error for a `file` that cannot be read, because of `why`."""
    return RuntimeError(f"{named(file)} cannot be loaded: {why}")
