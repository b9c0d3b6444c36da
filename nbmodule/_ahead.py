"""Random bools that are drawn before they are asked for, while the step goes on.

The Mersenne Twister goes word by word, so a draw can't be cut into parts; it is most of the time that a Dropout takes. But
a training step draws the same amounts again and again. What has followed a draw twice is made early the third time:
by a thread that has nothing else to do, with a copy of the twister. If something else is asked for then, the copy is
forgotten. The stream itself has not moved.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from ._cores import at_leisure, get_num_threads

LARGE = 1 << 17
"""Fewer bools than this are drawn in half a millisecond: that is not worth a copy of the twister."""

MOST = 1 << 24
"""More bools than this are not kept for a draw that may not come."""

_KINDS = 256

Draw = tuple[int, Any]
"""How many bools there are to be, and what decides on each."""

Make = Callable[[Any, Draw], np.ndarray]
"""Makes a draw with a twister."""


class _Early:
    """A draw that begins when a thread is free, or when it is asked for."""

    def __init__(self, make: Make, draw: Draw, twister: Any, place: tuple[int, int]) -> None:
        self.make, self.draw, self.twister, self.place = make, draw, twister, place
        self.begun, self.done = Lock(), Lock()
        self.done.acquire()
        self.process, self.found = os.getpid(), None
        at_leisure(self.go)

    def go(self) -> None:
        """Make the draw, unless somebody else has begun it."""
        if self.begun.acquire(blocking=False):
            try:
                self.found = self.make(self.twister, self.draw)
            finally:
                self.done.release()

    def taken(self) -> np.ndarray | None:
        """Return the bools; None if they were lost: with memory that there was not, or with a fork."""
        if self.process != os.getpid():
            return None
        self.go()
        with self.done:
            return self.found


class Ahead:
    """What usually comes after which draw of a stream, and the draw that is made early."""

    def __init__(self, make: Make) -> None:
        self.make = make
        self.last: tuple[Draw | None, Any] = None, None
        self.after: dict[Draw | None, tuple[Draw, bool]] = {}
        self.early: _Early | None = None

    def draw(self, stream: Any, draw: Draw) -> np.ndarray:
        """Return what `draw` finds in the stream, and see to it that what usually follows is made early."""
        place, early, self.early = (stream.settings, stream.drawn), self.early, None
        self._learn(draw, place)
        drawn = stream.drawn + 2 * draw[0]
        found = None
        if early is not None and (early.draw, early.place) == (draw, place):
            found = early.taken()
        if early is not None and found is not None:
            stream.twister, stream.drawn = early.twister, drawn
        else:
            twister, stream.drawn = stream.started(), drawn
            found = self.make(twister, draw)
        place = stream.settings, drawn
        self.last = draw, place
        coming, is_usual = self.after.get(draw, (draw, False))
        if is_usual and coming[0] <= MOST and get_num_threads() > 1:
            self.early = _Early(self.make, coming, stream.copied(), place)
        return found

    def _learn(self, draw: Draw, place: tuple[int, int]) -> None:
        """Note that `draw` follows the last one, and whether it did so before; or that something else came in between."""
        before, there = self.last
        if len(self.after) > _KINDS:
            self.after.clear()
        if there != place:
            self.after.pop(before, None)
        else:
            known = self.after.get(before)
            self.after[before] = draw, known is not None and known[0] == draw
