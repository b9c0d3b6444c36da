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
        start: a copy of the twister, or the early draw before it, where the copies go on.
    """

    def __init__(self, make: Make, draw: Draw, place: tuple[int, int], start: Any) -> None:
        self.make: Make | None = make  # None: it was begun, or given up
        self.draw, self.place, self.start = draw, place, start
        self.at_work = Lock()
        self.process = os.getpid()
        self.twister: Any = None  # as it stands after the draw, once that is made
        self.found: np.ndarray | None = None

    def go(self) -> None:
        """Make the draw, and what comes before it; or wait for whoever has begun. An interrupt leaves nothing half made."""
        with self.at_work:
            make, start = self.make, self.start
            self.make = self.start = None
            if make is None:
                return
            if isinstance(start, _Early):
                start.go()
                if start.twister is None:
                    return
                start = twister_in(start.twister.bit_generator.state)
            found = make(start, self.draw)
            self.twister, self.found = start, found

    def give_up(self) -> None:
        """See to it that the draw is not begun any more."""
        self.make = None

    def taken(self) -> np.ndarray | None:
        """Return the bools, and keep them no longer; None if they were lost: with memory that there was not, or with a fork."""
        if self.process != os.getpid():
            return None
        self.go()
        found, self.found = self.found, None
        return found


def twister_in(state: Any) -> Any:
    """Return a twister that goes on from a `state` of NumPy's."""
    bits = np.random.MT19937(0)
    bits.state = state
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
        place, words, found = (stream.settings, stream.drawn), 2 * draw[0], None
        self._learn(draw, place)
        # Nobody asks again for one that an interrupt takes from here.
        early = self.early.popleft() if self.early else None
        if early is not None:
            if (early.draw, early.place) == (draw, place):
                found = early.taken()
            if found is None or (stream.settings, stream.drawn) != place:
                found = None  # it was lost, or a signal's handler has drawn meanwhile
                early.give_up()
                self.forget()
            else:
                stream.twister, stream.drawn = early.twister, stream.drawn + words
        if found is None:
            twister = stream.started()
            stream.drawn += words
            found = self.make(twister, draw)
        self.last = draw, (place[0], place[1] + words)
        if self.last[1] != (stream.settings, stream.drawn):
            self.forget()
        elif get_num_threads() > 1:
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
            start = before or twister_in(stream.twister.bit_generator.state)
            before = _Early(self.make, coming, (settings, drawn), start)
            self.early.append(before)
            at_leisure(before.go)
            last, drawn = coming, drawn + 2 * coming[0]

    def forget(self) -> None:
        """Give up all early draws."""
        for early in self.early:
            early.give_up()
        self.early.clear()
