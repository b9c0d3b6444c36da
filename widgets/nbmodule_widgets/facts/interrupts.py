"""The reader's "interrupt", put off while something is put back: half of it would be worse than either end."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import Any

_PATIENCE = 3  # seconds


@contextmanager
def uninterrupted() -> Iterator[None]:
    """A block that an interrupt (Ctrl-C, the kernel's stop button) does not tear in two.

    `KeyboardInterrupt` comes when the block is over. If that takes long, pressing again ends the block at once.
    Other threads than the main one never get it, so there the block is an ordinary one.
    """
    handler: Any = signal.getsignal(signal.SIGINT)
    pressed: list[float] = []

    def later(number: int, frame: FrameType | None) -> None:
        pressed.append(monotonic())
        if pressed[-1] - pressed[0] > _PATIENCE:
            handler(number, frame)

    try:
        waits = callable(handler) and signal.signal(signal.SIGINT, later) is handler
    except ValueError:  # not the main thread
        waits = False
    try:
        yield
    finally:
        if waits:
            signal.signal(signal.SIGINT, handler)
            if pressed and pressed[-1] - pressed[0] <= _PATIENCE:
                signal.raise_signal(signal.SIGINT)


def to_its_end(action: Callable[[], object]) -> None:
    """Calls a function that puts something back: all of it, also if an interrupt comes just before.

    Args:
        action: May be called twice.
    """
    try:
        with uninterrupted():
            action()
    except KeyboardInterrupt:
        with uninterrupted():
            action()
        raise
