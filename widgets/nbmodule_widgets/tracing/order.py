"""From the tape to events in their order: gradients of one call gathered, hooks between them."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.tracing.tape import (
    BACKWARD_HOOK,
    BACKWARD_PRE,
    FAILED,
    GRADIENT_IN,
    GRADIENT_OUT,
    PARAMETER,
    Group,
    Ran,
    Tape,
)
from nbmodule_widgets.tracing.tracer import Tracer


class Row:
    """One event to be.

    Attributes:
        place: What events are sorted by.
        kind: Index in `KINDS`.
        call: Number of the call, or -1.
        subject: Index of the Module, or -1.
        at: Nanoseconds.
        group: What was seen.
        name: Of a parameter.
        ran: What a hook did, or None.
        text: Of a failure.
    """

    __slots__ = ("at", "call", "group", "kind", "name", "place", "ran", "subject", "text")

    def __init__(
        self, place: float, kind: int, call: int, subject: int, at: int, group: Group
    ) -> None:
        self.place: tuple[float, int] = place, 0
        self.kind, self.call, self.subject, self.at, self.group = kind, call, subject, at, group
        self.name, self.text = "", ""
        self.ran: Ran | None = None


class Order:
    """Sorts the moments of a tape.

    Args:
        tape: The tape.
        tracer: Knows which Module is which.

    Attributes:
        rows: The events in order.
    """

    def __init__(self, tape: Tape, tracer: Tracer) -> None:
        self._tape = tape
        self._last_call: dict[int, int] = {m: call for call, m in enumerate(tape.module)}
        self._arrived: dict[tuple[int, int], Row] = {}
        self._labels: dict[
            int, set[str]
        ] = {}  # identity of a row -> places that have their gradient
        self._hooks: dict[int, list[Row]] = {}  # call -> its backward hooks
        self._hook_subjects = [owner for owner, _, _ in tracer.hooks]
        self.rows: list[Row] = []
        for place, moment in enumerate(tape.moments):
            if moment is not None:
                self._add(place, moment)
        self._around_hooks()
        self._where_nothing_goes_on()
        self.rows.sort(key=lambda row: row.place)

    def _add(self, place: int, moment: Any) -> None:
        kind, call, at, group, *more = moment
        if kind in (GRADIENT_IN, GRADIENT_OUT):
            self._gradient(place, kind, call, at, group, more[0])
            return
        row = Row(place, kind, call, self._tape.module[call] if call >= 0 else -1, at, group)
        if kind == PARAMETER:
            row.subject, row.name, row.ran = more[0]
            row.call = self._last_call.get(row.subject, -1)
        elif kind == FAILED:
            row.text, hook = more[0]
            row.name = hook if hook is not None else ""
        elif more:
            row.ran = more[0]
        if row.ran is not None and row.call < 0:
            row.subject = self._hook_subjects[row.ran.hook]
        if kind in (BACKWARD_PRE, BACKWARD_HOOK):
            self._hooks.setdefault(call, []).append(row)
        self.rows.append(row)

    def _gradient(self, place: int, kind: int, call: int, at: int, look: Any, label: str) -> None:
        """One gradient of a call: the first makes the event, of the inputs the last says when it is done."""
        row = self._arrived.get((kind, call))
        if row is None or label in self._labels[id(row)]:  # a second walk over the same graph
            row = Row(place, kind, call, self._tape.module[call], at, ())
            self._arrived[kind, call] = row
            self._labels[id(row)] = set()
            self.rows.append(row)
        self._labels[id(row)].add(label)
        row.group = look if label == "" and row.group == () else (*_pairs(row.group), (label, look))
        if kind == GRADIENT_OUT:
            row.place, row.at = (place, 0), at

    def _around_hooks(self) -> None:
        """The gradient arrives before the first backward hook of a call, and goes on after the last."""
        for call, hooks in self._hooks.items():
            arrives = self._arrived.get((GRADIENT_IN, call))
            if arrives is not None and arrives.place > hooks[0].place:
                arrives.place, arrives.at = (hooks[0].place[0] - 0.5, 0), hooks[0].at
                if hooks[0].kind == BACKWARD_PRE and hooks[0].ran is not None:
                    arrives.group = hooks[0].ran.before
            leaves = self._arrived.get((GRADIENT_OUT, call))
            last = hooks[-1]
            if leaves is not None and last.kind == BACKWARD_HOOK:
                if leaves.place < last.place:
                    leaves.place, leaves.at = (last.place[0] + 0.5, 0), last.at
                leaves.group = last.group

    def _where_nothing_goes_on(self) -> None:
        """A call whose inputs want no gradient ends with an event that says so."""
        parents = self._tape.parent
        last: list[Row | None] = [None] * len(parents)
        for row in self.rows:
            known = last[row.call] if row.call >= 0 else None
            backward = GRADIENT_IN <= row.kind <= PARAMETER
            if row.call >= 0 and backward and (known is None or known.place < row.place):
                last[row.call] = row
        for call in range(len(parents) - 1, -1, -1):
            latest = last[call]
            if latest is None:
                continue
            ends = call in self._tape.wants_no_gradient and (GRADIENT_IN, call) in self._arrived
            if ends and (GRADIENT_OUT, call) not in self._arrived:
                row = Row(0, GRADIENT_OUT, call, self._tape.module[call], latest.at, ())
                row.place = (latest.place[0] + 0.25, -call)
                self.rows.append(row)
                self._arrived[GRADIENT_OUT, call] = row
            parent = parents[call]
            if parent >= 0:
                known = last[parent]
                if known is None or known.place < latest.place:
                    last[parent] = latest

    def backward_ns(self, call: int) -> int:
        """Nanoseconds from the arrival of the output's gradient until that of the inputs was done, or -1."""
        first, last = (
            self._arrived.get((GRADIENT_IN, call)),
            self._arrived.get((GRADIENT_OUT, call)),
        )
        return last.at - first.at if first is not None and last is not None else -1


def _pairs(group: Group) -> tuple[tuple[str, int], ...]:
    return (("", group),) if type(group) is int else group  # type: ignore[return-value]
