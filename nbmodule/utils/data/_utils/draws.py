"""What a sampler, or a stream, draws as it goes along, while the program draws too: dropout, for example.

An epoch is repeated from where random numbers stood when it began. That is enough for who draws all numbers at once. Of
one that draws before each batch, the numbers depend on how many the program took in between: so the place in the
sequence is noted, and found again by walking there. A place is a word of the twister's state, and the number of the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ...._generator import Stream, default_generator

_T = TypeVar("_T")
_Place = tuple[int, int, float | None]
_BLOCK = 624
_FAR = 2**22
"""After so many blocks, half a minute, a place counts as not to be found."""


class Draws:
    """Where the default generator stood before those steps of an epoch for which it had been used elsewhere.

    Attributes:
        places: by the number of the step.
        step: how many there were.
        last: the `moves` of the stream after the latest.
    """

    def __init__(self) -> None:
        self.places: dict[int, _Place] = {}
        self.begin()

    def begin(self) -> None:
        """Count from here."""
        self.step, self.last = 0, default_generator._stream.moves

    def during(self, function: Callable[..., _T], *arguments: Any) -> _T:
        """Return what `function` returns; when an epoch is repeated, with the random numbers of then.

        Raises:
            RuntimeError: they cannot be found.
        """
        stream = default_generator._stream
        if known := self.places.get(self.step):
            _walk(stream, known)
        before, state = stream.moves, None
        if before != self.last:
            state = stream.__getstate__()
        try:
            return function(*arguments)
        finally:
            if state is not None and stream.moves != before:
                self.places[self.step] = _place(state)
            self.last = stream.moves
            self.step += 1

def _walk(stream: Stream, place: _Place) -> None:
    """Draw from `stream` until it stands at `place`."""
    word, position, spare = place
    for _ in range(_FAR):
        here = _place(stream)
        if here is None:
            break
        if here[0] == word and here[1] <= position:
            stream.twister.bytes(4 * (position - here[1]))
            stream.spare_normal = spare
            return
        stream.twister.bytes(4 * (_BLOCK - here[1] + 1))  # with the first word of the next block
    raise RuntimeError(
        "this epoch cannot be repeated: the sampler, or the dataset, draws from the default generator as it goes "
        "along, and that was seeded anew in between. Give it a Generator of its own"
    )
