"""Python's search for cycles, put off where it would cost more than it finds.

A search in all of memory looks at every object there is. With 10,000 Modules it is long beside a pass, comes when it likes,
and would be counted as time of the layer in which it came.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEVER = 2**31 - 1
_YOUNG = 50_000  # objects; what a pass has noted lives on, and would be looked at in vain each 700


@contextmanager
def full_searches_put_off() -> Iterator[None]:
    """A block in which only young objects are searched for cycles, and rarely, unless somebody calls `gc.collect()`."""
    before = gc.get_threshold()
    ours = (before[0] and max(before[0], _YOUNG), _NEVER, _NEVER)
    gc.set_threshold(*ours)
    try:
        yield
    finally:
        if gc.get_threshold() == ours:  # else the reader's code has chosen another
            gc.set_threshold(*before)


@contextmanager
def collector_resting() -> Iterator[None]:
    """A block without any search: among ten thousand new records, all alive, it would look again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
