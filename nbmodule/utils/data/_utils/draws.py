"""What a sampler, or a stream, draws as it goes along, while the program draws too: dropout, for example.

An epoch is repeated from where random numbers stood when it began. That is enough for who draws all numbers at once. Of
one that draws before each batch, the numbers depend on how many the program took in between: so the place in the
sequence is noted, and found again by walking there.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any, TypeVar

from ...._generator import Stream, default_generator

_T = TypeVar("_T")
_Place = tuple[int | None, int, float | None]
"""How many words were drawn since the epoch began, after None; or, after the second word of the twister's block, how many
of the block. And the normal number that is left over."""

_BLOCK = 624
_FAR = 2**18
"""A place that is so many blocks away, seconds to walk, counts as not to be found."""


class Draws:
    """Where the default generator stood before those steps of an epoch for which it had been used elsewhere.

    Attributes:
        places: by the number of the step.
        step: how many steps there were; `last`: where the stream stood after the latest that drew something.
        begun: how often the stream had been set when the epoch began, and how much was drawn since.
    """

    def __init__(self) -> None:
        self.places: dict[int, _Place] = {}
        self.begin()

    def begin(self) -> None:
        """Count from here, where the epoch begins."""
        self.step, self.begun = 0, _here()[:2]
        self.go_on()

    def go_on(self) -> None:
        """Take note that what was drawn until now is drawn again when the epoch is repeated."""
        self.last = _here()

    def during(self, function: Callable[..., _T], *arguments: Any) -> _T:
        """Return what `function` returns; when an epoch is repeated, with the random numbers of then.

        Raises:
            RuntimeError: they cannot be found.
        """
        if known := self.places.get(self.step):
            self._walk(*known)
        before, place = _here(), None
        if before != self.last:
            place = self._place(before)
        try:
            return function(*arguments)
        finally:
            if before != (after := _here()):
                self.last = after
                if place is not None:
                    self.places[self.step] = place
            self.step += 1

    def _place(self, here: tuple[int, int, float | None]) -> _Place:
        settings, drawn, spare = here
        if settings == self.begun[0]:
            return None, drawn - self.begun[1], spare
        return *_in_block(), spare  # the state was set since, by `fork_rng` for example

    def _walk(self, block: int | None, number: int, spare: float | None) -> None:
        """Draw until the stream stands there."""
        if block is None:
            settings, drawn, _ = _here()
            left = number - (drawn - self.begun[1])
            found = settings == self.begun[0] and 0 <= left < _FAR * _BLOCK
        else:
            found, left = _walk_to_block(block, number)
        if not found:
            raise RuntimeError(
                "this epoch cannot be repeated: its sampler, or its dataset, draws from the default generator as it goes "
                "along, which was seeded anew in between. Give it a Generator of its own"
            )
        while left:
            default_generator._bits32(now := min(left, 2**20))
            left -= now
        default_generator._stream.spare_normal = spare

    def plain(self) -> list[list[Any]]:
        """Return the places as a nest that can be saved."""
        return [[step, *place] for step, place in self.places.items()]

    @classmethod
    def of(cls, plain: list[list[Any]]) -> Draws:
        """Return what `plain` was made of."""
        self = cls()
        for step, block, number, spare in plain:
            if not isinstance(spare, (float, type(None))):
                raise TypeError("a number that is left over is none")
            place = None if block is None else index(block), index(number), spare
            self.places[index(step)] = place
        return self


def _here() -> tuple[int, int, float | None]:
    stream: Stream = default_generator._stream
    return stream.settings, stream.drawn, stream.spare_normal


def _in_block() -> tuple[int, int]:
    words, position = default_generator._stream.words()
    return words.item(1), position


def _walk_to_block(block: int, number: int) -> tuple[bool, int]:
    """Go on to the `block` of the twister; return whether it was found, and how many words are left to `number`."""
    for _ in range(_FAR):
        here, position = _in_block()
        if here == block and position <= number:
            return True, number - position
        default_generator._bits32(_BLOCK - position + 1)  # with the first word of the next block
    return False, 0
