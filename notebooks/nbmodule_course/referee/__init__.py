"""The referee: the chapter's own solution, compared with the reader's class on every small program.

    from ..referee import Exercise, each, programs, put, read, write

An author names verbs, names and values; see `docs/writing-a-chapter.md`. `with_torch` asks the other referee, PyTorch.
"""

from .steps import Program, Step, each, make, place, programs, put, read, remove, run, write
from .steps import listing as listing_of
from .torch_says import Ruling, ask_torch, with_torch
from .values import add_value
from .world import Words

__all__ = [
    "Program",
    "Ruling",
    "Step",
    "Words",
    "add_value",
    "ask_torch",
    "each",
    "listing_of",
    "make",
    "place",
    "programs",
    "put",
    "read",
    "remove",
    "run",
    "with_torch",
    "write",
]
