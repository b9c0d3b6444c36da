"""Who ran when, as boxes: one for the forward part of each call, one for its backward part."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.tracing.records import KINDS

if TYPE_CHECKING:
    from nbmodule_widgets.tracing.records import TraceFacts


class Box(NamedTuple):
    """A part of a call.

    Attributes:
        call: Number of the call.
        depth: Steps from the outermost call.
        first: Index of its first event.
        last: Index of its last event.
        backward: Whether it is the part from the arrival of its output's gradient on.
    """

    call: int
    depth: int
    first: int
    last: int
    backward: bool


CALL, RETURN, GRADIENT_IN = map(KINDS.index, ("call", "return", "gradient in"))
_BACKWARD = [n for n, kind in enumerate(KINDS) if kind == "loss" or kind.startswith("gradient")]
LANES = ("the model", "its parts", "their parts")


def lane_name(depth: int) -> str:
    """What lies in the lane of a depth, in words."""
    return LANES[depth] if depth < len(LANES) else f"level {depth:,}"


def turning_point(found: TraceFacts) -> int:
    """Index of the first event of the backward pass; the number of events if there is none."""
    kinds = found.columns()["kind"]
    there = np.flatnonzero(np.isin(kinds, _BACKWARD))
    return int(there[0]) if there.size else len(kinds)


def boxes(found: TraceFacts) -> list[Box]:
    """The boxes, outer ones first, forward before backward.

    A call that never returned ends where the forward pass does. The backward part ends with the last gradient of the
    call, be it that of its input or of a parameter.
    """
    turn, columns = turning_point(found), found.columns()
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    arrive: dict[int, int] = {}
    seen: dict[int, int] = {}  # the last event of a call in the backward pass
    places = {CALL: first, RETURN: last, GRADIENT_IN: arrive}
    kinds, calls = columns["kind"].tolist(), columns["call"].tolist()
    for number, (kind, call) in enumerate(zip(kinds, calls, strict=True)):
        if call < 0:
            continue
        if kind in places and not (kind == GRADIENT_IN and call in arrive):
            places[kind][call] = number
        if number >= turn:
            seen[call] = number
    parents = columns["call_parent"].tolist()
    for call in range(len(parents) - 1, -1, -1):
        if parents[call] >= 0 and call in seen:
            seen[parents[call]] = max(seen.get(parents[call], -1), seen[call])
    forward, backward = [], []
    for call, depth in enumerate(columns["call_depth"].tolist()):
        if call in first:
            end = last.get(call, max(first[call], turn - 1))
            forward.append(Box(call, depth, first[call], end, False))
        if call in arrive:
            end = max(arrive[call], seen[call])
            backward.append(Box(call, depth, arrive[call], end, True))
    return forward + backward


def name_of(found: TraceFacts, box: Box) -> str:
    """The last part of the path of what was called; of the model its class."""
    call = found.calls[box.call]
    if call.node > 0:
        return visible(found.model.nodes.names[call.node], 60)
    return visible(call.class_name if call.node == 0 else call.path, 60)
