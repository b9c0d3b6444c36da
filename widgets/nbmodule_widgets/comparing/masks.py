"""What dropout does, draw by draw: which units it keeps, and by what it scales them.

A mask cannot be read off the output where the input is 0, as after a ReLU. So a dropout is run twice in each draw, from
the same random numbers: on its input and on ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nbmodule_widgets.comparing.causes import Drop, ones_like, probability
from nbmodule_widgets.comparing.reading import rebuilt
from nbmodule_widgets.comparing.records import MaskFacts
from nbmodule_widgets.comparing.walking import Place
from nbmodule_widgets.facts.arrays import part
from nbmodule_widgets.facts.random_state import generators_kept
from nbmodule_widgets.facts.tensors import as_float64
from nbmodule_widgets.protocol import attempt

MODULES = 16  # dropouts whose masks are kept
UNITS = 4096  # of the first example


@dataclass
class Dropping:
    """The draws of one dropout.

    Attributes:
        path: Of the Module.
        p: What it says of itself, NaN if nothing.
        drop: What it makes of ones.
        shape: Of what it was given.
        of: Units of the first example, of which a mask has the first ones.
        masks: A packed mask of each draw.
        kept: Numbers kept, and numbers in all.
    """

    path: str
    p: float
    drop: Drop
    shape: tuple[int, ...] = ()
    of: int = 0
    masks: list[np.ndarray] = field(default_factory=list)
    kept: list[int] = field(default_factory=lambda: [0, 0])

    def note(self, ones: np.ndarray) -> None:
        """Notes one draw.

        Args:
            ones: What the dropout made of ones.
        """
        kept = as_float64(ones) > (self.drop.dropped + self.drop.kept) / 2
        self.shape = kept.shape
        if self.drop.what != "unit":  # one bit for each example, or each channel
            axes = 1 if self.drop.what == "example" else 2
            kept = kept.reshape(*kept.shape[:axes], -1)[..., 0]
        self.kept[0] += int(kept.sum())
        self.kept[1] += kept.size
        first = (kept[0] if kept.ndim > 1 else kept).reshape(-1)
        self.of = first.size
        self.masks.append(np.packbits(first[:UNITS]))

    def facts(self) -> MaskFacts:
        """All draws."""
        units = min(self.of, UNITS)
        example = self.shape[1:] if len(self.shape) > 1 else self.shape
        whole = self.drop.what != "unit"
        wide = int(np.prod(example[1:])) if len(example) > 1 and not whole else 0
        rows = units // wide if wide and units % wide == 0 else 0
        packed = np.stack(self.masks) if self.masks else np.zeros((0, 0), np.uint8)
        packed.flags.writeable = False
        share = self.kept[0] / self.kept[1] if self.kept[1] else float("nan")
        return MaskFacts(
            self.path, self.shape, units, self.of, rows, packed, share, self.p, self.drop.kept,
            self.drop.dropped, self.drop.what,
        )  # fmt: skip


def run_twice(
    dropping: Dropping, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Runs a dropout on ones, and then, from the same random numbers, on its input.

    Args:
        dropping: Where to note the mask.
        forward: The dropout's.
        args: Its input.
        kwargs: The same.

    Returns:
        What it makes of its input.
    """
    with generators_kept():
        said = attempt(lambda: forward(*rebuilt(args, ones_like), **rebuilt(kwargs, ones_like)))
    if not said.problem:
        numbers = part(said.value)
        if not numbers.problem:
            dropping.note(np.asarray(numbers.value))
    return forward(*args, **kwargs)


def droppings(found: list[tuple[Place, Drop]]) -> dict[int, Dropping]:
    """A Dropping for the first `MODULES` dropouts, by the number of the Module.

    Args:
        found: The dropouts, with what they make of ones.
    """
    return {
        place.index: Dropping(place.path, probability(place.module), drop)
        for place, drop in found[:MODULES]
    }
