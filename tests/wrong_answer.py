"""A named wrong answer to an exercise: what `tests/notebooks/wrong_answers/chNN.py` is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WrongAnswer:
    """Something a reader might write.

    Attributes:
        name: what is wrong with it, in a few words.
        source: stands in the exercise's cell instead of the solution.
        expect: a text that the failing report must hold, and no other wrong answer's `expect`.
    """

    name: str
    source: str
    expect: str
