"""Random bools that are drawn before they are asked for, while the step goes on.

The Mersenne Twister goes word by word, so a draw can't be cut into parts; it is most of the time that a Dropout takes. But
a training step draws the same amounts again and again. What has followed a draw twice is made early the third time,
and what followed that: by a thread that has nothing else to do, each with a copy of the twister. If something else is
asked for then, the copies are forgotten. The stream itself has not moved.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from ._cores import at_leisure, get_num_threads

LARGE = 1 << 17
"""Fewer bools than this are drawn in half a millisecond: that is not worth a copy of the twister."""

MOST = 1 << 23
"""More bools than this are not kept for draws that may not come."""

_KINDS = 256

Draw = tuple[int, Any]
"""How many bools there are to be, and what decides on each."""

Make = Callable[[Any, Draw], np.ndarray]
"""Makes a draw with a twister."""


class _Early:
    """A draw that begins when a thread is free, or when it is asked for.

    Args:
        make: makes it.
        draw: what it is.
        place: where the stream will stand.
        before: the early draw before it, where the copies of the twister go on.
        twister: a copy of the twister, if there is none.
    """

    def __init__(self, make: Make, draw: Draw, place: tuple[int, int], before: _Early | None, twister: Any) -> None:  # fmt: skip
        self.make, self.draw, self.place, self.before, self.twister = make, draw, place, before, twister  # fmt: skip
        self.begun, self.done = Lock(), Lock()
        self.done.acquire()
        self.process, self.found = os.getpid(), None

    def go(self) -> None:
        """Make the draw, unless somebody else has begun it, or it was given up."""
        if self.begun.acquire(blocking=False):
            try:
                if self.before is not None:
                    with self.before.done:
                        self.twister = copy_of(self.before.twister)
                    self.before = None
                self.found = self.make(self.twister, self.draw)
            finally:
                self.done.release()

    def give_up(self) -> None:
        """See to it that the draw is not begun any more."""
        self.begun.acquire(blocking=False)

    def taken(self) -> np.ndarray | None:
        """Return the bools; None if they were lost: with memory that there was not, or with a fork."""
        if self.process != os.getpid():
            return None
        self.go()
        with self.done:
            return self.found


def copy_of(twister: Any) -> Any:
    """Return a twister that goes on from where this one stands."""
    bits = np.random.MT19937(0)
    bits.state = twister.bit_generator.state
    return np.random.Generator(bits)


class Ahead:
    """What usually comes after which draw of a stream, and the draws that are made early."""

    def __init__(self, make: Make) -> None:
        self.make = make
        self.last: tuple[Draw | None, Any] = None, None
        self.after: dict[Draw | None, tuple[Draw, bool]] = {}
        self.early: deque[_Early] = deque()

    def draw(self, stream: Any, draw: Draw) -> np.ndarray:
        """Return what `draw` finds in the stream, and see to it that what usually follows is made early."""
        place, found = (stream.settings, stream.drawn), None
        self._learn(draw, place)
        drawn = stream.drawn + 2 * draw[0]
        if self.early:
            early = self.early[0]
            found = early.taken() if (early.draw, early.place) == (draw, place) else None
            if found is None:
                self.forget()
            else:
                self.early.popleft()
                stream.twister, stream.drawn = early.twister, drawn
        if found is None:
            twister, stream.drawn = stream.started(), drawn
            found = self.make(twister, draw)
        self.last = draw, (stream.settings, drawn)
        if get_num_threads() > 1:
            self._plan(stream)
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

    def _plan(self, stream: Any) -> None:
        """Order what usually follows the last draw, and what follows that, as far as there is room."""
        before = self.early[-1] if self.early else None
        last, (settings, drawn) = self.last if before is None else (before.draw, before.place)
        room = MOST - sum(each.draw[0] for each in self.early)
        if before is not None:
            drawn += 2 * before.draw[0]
        while last in self.after:
            coming, is_usual = self.after[last]
            room -= coming[0]
            if not is_usual or room < 0:
                return
            twister = copy_of(stream.twister) if before is None else None
            before = _Early(self.make, coming, (settings, drawn), before, twister)
            self.early.append(before)
            at_leisure(before.go)
            last, drawn = coming, drawn + 2 * coming[0]

    def forget(self) -> None:
        """Give up all early draws."""
        for early in self.early:
            early.give_up()
        self.early.clear()
