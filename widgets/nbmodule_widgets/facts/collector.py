"""Python's search for cycles, put off while we make thousands of objects that are in none.

Each search walks over every object there is, the reader's included; while the state of 10,000 Modules is written down,
that takes as long as the writing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_off() -> Iterator[None]:
    """A block, or with `@collector_off()` a function, of ours in which no search starts. Not for the reader's code."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
