"""Locks that are free in the child of a fork, where the threads that might have held them do not exist."""

from __future__ import annotations

import os
import threading
from typing import Any
from weakref import WeakSet

_alive: WeakSet[Any] = WeakSet()


def lock_of_object() -> Any:
    """A lock that a thread may take again, and that a process which is forked from this one finds free."""
    lock = threading.RLock()
    _alive.add(lock)
    return lock


def _free() -> None:
    for lock in tuple(_alive):
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free)
