"""Memory that a step has freed is kept for the next one.

A training step makes and frees the same large arrays again and again. glibc, the C library of most Linux systems, gives
large freed memory back to the system at once and fetches it anew, page by page, each page filled with zeros first:
a quarter to a third of the time of a step. It gives less back once it has seen a program free something large; that
moment is all that is brought forward here.

The figures, and what was considered: docs/decisions/0023.
"""

from __future__ import annotations

import os
import sys

import numpy as np

SEEN = 31 << 20
"""Bytes. glibc learns from freed memory of up to 32 MiB: it then maps only what is larger on its own, and keeps up to
twice as much free memory at the end of its heap."""


def keep_freed_memory() -> None:
    """Free 31 MiB once, so that glibc keeps what is freed from now on. Never touched, they cost 10 microseconds.

    Nothing happens where the environment says ``NBMODULE_KEEP_MEMORY=0``. Where it sets glibc's own ``MALLOC_...`` the
    allocator does not learn, and stays as it was set.
    """
    if sys.platform != "linux" or os.environ.get("NBMODULE_KEEP_MEMORY") == "0":
        return  # elsewhere it does not help, and in Pyodide the page would grow by 31 MiB
    try:
        np.empty(SEEN, np.uint8)
    except MemoryError:  # a limit on this process: then nothing is kept either
        return
