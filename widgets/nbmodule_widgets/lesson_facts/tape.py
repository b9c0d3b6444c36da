"""What a call tape is made of: the records of CallTape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nbmodule_widgets.lesson_facts.following import CountedLine
from nbmodule_widgets.tracing import TraceFacts

Kind = Literal["call", "hook", "forward", "result", "return", "failed"]
Side = Literal["both", "called", "direct"]


@dataclass(frozen=True, slots=True)
class TapeRow:
    """One moment of the two passes.

    Attributes:
        kind: `"call"`: `__call__` begins; `"hook"`; `"forward"` begins; `"result"`: forward ends; `"return"`: `__call__`
            ends; `"failed"`.
        side: Which pass has it: `"both"`, `"called"`: only `model(x)`, so that the other one skips it, or `"direct"`: only
            `model.forward(x)`.
        depth: How many calls are open around it.
        title: What happens: `"Net.__call__"`, `"forward pre hook double"`.
        where: Path of the Module; empty for the model itself.
        shapes: The tensors that go in or come out, by shape and dtype.
        changed: For a hook: what it changed, in words; for a failure: what was raised; else the empty string.
        called: The tensors in `model(x)`, with statistics.
        direct: The same in `model.forward(x)`; empty where it is skipped.
        differs: Whether both passes have this moment, but with other numbers.
        stack: The calls that are open, outermost first.
        words: The moment in a sentence.
    """

    kind: Kind
    side: Side
    depth: int
    title: str
    where: str
    shapes: str
    changed: str
    called: str
    direct: str
    differs: bool
    stack: tuple[str, ...]
    words: str


@dataclass(frozen=True, eq=False)
class TapeFacts:
    """The two passes side by side.

    Attributes:
        label: The model, in words.
        rows: The moments of both passes, in order.
        skipped: What the direct call left out, a sentence for each hook.
        same: Whether both passes gave the same result; None if one of them failed.
        verdict: That in a sentence.
        called: The pass of `model(x)`.
        direct: The pass of `model.forward(x)`, past `__call__`.
        left_out: How many moments were left out because there were too many.
        notes: Remarks.
        source: The class's own `__call__` with the lines that ran, if it has one.
        source_of: Whose method that is.
    """

    label: str
    rows: tuple[TapeRow, ...]
    skipped: tuple[str, ...]
    same: bool | None
    verdict: str
    called: TraceFacts
    direct: TraceFacts
    left_out: int = 0
    notes: tuple[str, ...] = ()
    source: tuple[CountedLine, ...] = ()
    source_of: str = ""
