"""Who ran when, as boxes: one for the forward part of each call, one for its backward part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbmodule_widgets.facts.words import visible

if TYPE_CHECKING:
    from nbmodule_widgets.tracing.records import TraceFacts


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a call.

    Attributes:
        call: Number of the call.
        name: The last part of its path; of the model its class.
        depth: Steps from the outermost call.
        first: Index of its first event.
        last: Index of its last event.
        backward: Whether it is the part from the arrival of its output's gradient on.
    """

    call: int
    name: str
    depth: int
    first: int
    last: int
    backward: bool


LANES = ("the model", "its parts", "their parts")


def lane_name(depth: int) -> str:
    """What lies in the lane of a depth, in words."""
    return LANES[depth] if depth < len(LANES) else f"level {depth:,}"


def turning_point(found: TraceFacts) -> int:
    """Index of the first event of the backward pass; the number of events if there is none."""
    for event in found.events:
        if event.kind == "loss" or event.kind.startswith("gradient"):
            return event.number
    return len(found.events)


def boxes(found: TraceFacts) -> list[Box]:
    """The boxes, outer ones first, forward before backward.

    A call that never returned ends where the forward pass does. The backward part ends with the last gradient of the
    call, be it that of its input or of a parameter.
    """
    turn = turning_point(found)
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    arrive: dict[int, int] = {}
    seen: dict[int, int] = {}  # the last event of a call in the backward pass
    places = {"call": first, "return": last, "gradient in": arrive}
    for event in found.events:
        if event.call < 0:
            continue
        if event.kind in places and not (event.kind == "gradient in" and event.call in arrive):
            places[event.kind][event.call] = event.number
        if event.number >= turn:
            seen[event.call] = event.number
    for call in reversed(found.calls):
        if call.parent >= 0 and call.number in seen:
            seen[call.parent] = max(seen.get(call.parent, -1), seen[call.number])
    forward, backward = [], []
    for call in found.calls:
        name = _name(found, call.number)
        if call.number in first:
            end = last.get(call.number, max(first[call.number], turn - 1))
            forward.append(Box(call.number, name, call.depth, first[call.number], end, False))
        if call.number in arrive:
            end = max(arrive[call.number], seen[call.number])
            backward.append(Box(call.number, name, call.depth, arrive[call.number], end, True))
    return forward + backward


def _name(found: TraceFacts, number: int) -> str:
    call = found.calls[number]
    if call.node > 0:
        return visible(found.model.nodes.names[call.node], 60)
    return visible(call.class_name if call.node == 0 else call.path, 60)
