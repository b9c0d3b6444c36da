"""Files that several notebooks may write at the same moment, and that a full disk must not harm."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .locking import take

_LOCK_SECONDS = 10.0


@contextlib.contextmanager
def locked(file: Path, lock_name: str = "") -> Iterator[None]:
    """Hold the lock of `file`, which is a file beside it.

    Args:
        file: what is to be read and written by one process alone.
        lock_name: the name of the lock; `file.lock` if there is none.

    Raises:
        OSError: somebody else holds it far longer than a change takes, such as a process that was halted.
    """
    deadline = time.monotonic() + _LOCK_SECONDS
    with file.with_name(lock_name or file.name + ".lock").open("a+b") as lock:
        while not take(lock.fileno()):
            if time.monotonic() > deadline:
                raise OSError(errno.EBUSY, "another notebook is writing it and doesn't finish")
            time.sleep(0.01)
        yield


def replace_file(file: Path, text: str) -> None:
    """Write `text` beside `file` and move it into place, so that no reader sees half a file."""
    handle, name = tempfile.mkstemp(prefix=file.name, suffix=".new", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
        _move(name, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _move(name: str, file: Path) -> None:
    """Move a file into place; Windows refuses for the moment in which somebody reads the old one."""
    for _ in range(100):
        try:
            os.replace(name, file)
            return
        except PermissionError:
            if os.name != "nt":
                raise
            time.sleep(0.01)
    os.replace(name, file)
