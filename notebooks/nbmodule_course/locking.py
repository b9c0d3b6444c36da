"""A lock on an open file. The system opens it however its holder ends, so that none is left behind.

It needs the standard library alone: `dev.py` reads it before anything is installed.
"""

from __future__ import annotations

import errno
import os


def take(handle: int) -> bool:
    """Take the lock if it is free. Where a file system has none, nobody is waited for."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True
