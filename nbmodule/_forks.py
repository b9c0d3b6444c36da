"""Locks that are free in the child of a fork, where the threads that might have held them do not exist."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

_of_objects: WeakSet[Any] = WeakSet()


def at_fork(**hooks: Callable[[], Any]) -> None:
    """Have functions called around every fork: `before`, `after_in_parent`, `after_in_child`. Windows has no forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(**hooks)


def lock_of_process() -> Any:
    """Return a lock of the whole program: a fork waits for it, so that nothing it guards is half done in the child."""
    lock = threading.RLock()  # a signal's handler may take it again
    at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock


def lock_of_object() -> Any:
    """Return a lock that belongs to one object: the child of a fork has a new one in its place."""
    lock = threading.RLock()
    _of_objects.add(lock)
    return lock


def _renew() -> None:
    for lock in tuple(_of_objects):
        lock._at_fork_reinit()


at_fork(after_in_child=_renew)
