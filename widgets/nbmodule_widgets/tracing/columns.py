"""The events and calls of a trace as columns, from which records are made when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

import numpy as np

from nbmodule_widgets.facts.words import joined, visible
from nbmodule_widgets.tracing.looks import Looks
from nbmodule_widgets.tracing.order import Order, Row
from nbmodule_widgets.tracing.records import KINDS, CallFacts, EventFacts, Tensors
from nbmodule_widgets.tracing.subjects import Subject
from nbmodule_widgets.tracing.tape import (
    CALL,
    FAILED,
    GRADIENT_IN,
    NOTHING,
    PARAMETER,
    RETURN,
    Group,
    Tape,
)
from nbmodule_widgets.tracing.words import changed_text, same_tensors, sentence

T = TypeVar("T")


class Made(Sequence[T], Generic[T]):
    """A sequence whose items are made when they are asked for.

    Args:
        count: How many there are.
        make: Makes the one with a given index.
    """

    def __init__(self, count: int, make: Callable[[int], T]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple(self._make(i) for i in range(*index.indices(self._count)))
        if not -self._count <= index < self._count:
            raise IndexError(f"there are {self._count:,} of them, so none has the number {index}")
        return self._make(index % self._count)

    def __iter__(self) -> Iterator[T]:
        return map(self._make, range(self._count))

    def __repr__(self) -> str:
        return f"<{self._count:,} records>"


def _who(path: str, cls: str) -> str:
    """What a sentence calls a Module: `"layers.0 (Linear)"`, `"the model (Net)"`."""
    if path:
        return f"{path} ({cls})" if cls else path
    return f"the model ({cls})" if cls else "what surrounds the model"


def _begin_and_end(tape: Tape) -> tuple[np.ndarray, np.ndarray]:
    """When each call began and ended, in nanoseconds."""
    start = np.zeros(len(tape.module), np.int64)
    end = np.zeros(len(tape.module), np.int64)
    for kind, call, at, *_ in (moment for moment in tape.moments if moment is not None):
        if kind == CALL:
            start[call] = end[call] = at
        elif kind == RETURN:
            end[call] = at
    for call, at in tape.failed.items():
        end[call] = at
    return start, end


class Columns:
    """Everything that the records of a trace are made of; holds nothing of the reader's.

    Args:
        rows: The events in order.
        kept: For each call on the tape whether it stays.
        order: Knows how long the backward pass of a call took.
        tape: The calls.
        subjects: The Modules.
        hooks: `(index of the Module, kind, name)` of each hook.
        skipped: For a call the hooks that did not run.
        looks: What was seen.
        fused: The calls that computed what their parts are for.
        began: When the pass began, in nanoseconds.
    """

    def __init__(
        self, rows: list[Row], kept: np.ndarray, order: Order, tape: Tape, subjects: Sequence[Subject],
        hooks: list[tuple[int, str, str]], skipped: dict[int, list[int]], looks: Looks, fused: set[int],
        began: int,
    ) -> None:  # fmt: skip
        self._places = [(s.node, s.path, s.class_name) for s in subjects]
        self._looks, self._hook_names = looks, [name for _, _, name in hooks]
        numbers = np.cumsum(kept) - 1
        self.calls = np.flatnonzero(kept).tolist()
        self._fill_calls(numbers, order, tape, skipped, fused, began)
        self._fill_events(rows, numbers, tape, began)

    def _fill_calls(
        self, numbers: np.ndarray, order: Order, tape: Tape, skipped: dict[int, list[int]],
        fused: set[int], began: int,
    ) -> None:  # fmt: skip
        start, end = _begin_and_end(tape)
        parent = np.array(tape.parent, np.int64)
        took = end - start
        inside = np.zeros(len(took), np.int64)
        has = parent >= 0
        np.add.at(inside, parent[has], took[has])
        times, counted = [], dict[int, int]()
        depth = [0] * len(parent)
        for call, module in enumerate(tape.module):
            counted[module] = counted.get(module, 0) + 1
            times.append(counted[module])
            depth[call] = depth[parent[call]] + 1 if parent[call] >= 0 else 0
        kept = np.array(self.calls, dtype=np.int64)
        above = parent[kept]
        self.parent = np.where(above >= 0, numbers[above], -1).astype(np.int32)
        self.module = np.array(tape.module, np.int32)[kept]
        self.times = np.array(times, np.int32)[kept]
        self.depth = np.array(depth, np.int32)[kept]
        self.start_us = ((start[kept] - began) / 1e3).astype(np.float32)
        self.took_us = (took[kept] / 1e3).astype(np.float32)
        self.own_us = (np.maximum(took - inside, 0)[kept] / 1e3).astype(np.float32)
        back = [order.backward_ns(call) for call in self.calls]
        self.backward_us = np.array([b / 1e3 if b >= 0 else -1 for b in back], np.float32)
        self.direct = np.array([call in tape.direct for call in self.calls], bool)
        self.fused = np.array([call in fused for call in self.calls], bool)
        staying = set(self.calls)
        self.skipped = {
            int(numbers[call]): tuple(self._hook_names[hook] for hook in names)
            for call, names in skipped.items() if call in staying
        }  # fmt: skip

    def _fill_events(self, rows: list[Row], numbers: np.ndarray, tape: Tape, began: int) -> None:
        self.kind = np.array([row.kind for row in rows], np.uint8)
        self.call = np.array([numbers[r.call] if r.call >= 0 else -1 for r in rows], np.int32)
        self.subject = np.array([row.subject for row in rows], np.int32)
        self.at_us = np.array([(row.at - began) / 1e3 for row in rows], np.float32)
        took = [row.ran.took / 1e3 if row.ran is not None else 0.0 for row in rows]
        self.event_took_us = np.array(took, np.float32)
        returns = np.flatnonzero(self.kind == RETURN)
        self.event_took_us[returns] = self.took_us[self.call[returns]]
        self.texts = [row.text for row in rows]
        self.ran = [row.ran for row in rows]
        self._groups: dict[Group, int] = {}
        self.group = np.array([self._group_number(row.group) for row in rows], np.int32)
        self._listed = list(self._groups)
        self._shown: tuple[Tensors, ...] | None = None
        known: dict[str, int] = {}
        names = [self._name_of(row) for row in rows]
        self.parameters = [str(row.name) if row.kind == PARAMETER else "" for row in rows]
        self.name = np.array(
            [known.setdefault(name, len(known)) if name else -1 for name in names], np.int32
        )
        self.names = tuple(known)
        self.first = np.zeros(len(self.calls), np.int32)
        self.last = np.zeros(len(self.calls), np.int32)
        forward = [
            (event, call) for event, (call, kind) in enumerate(zip(self.call, self.kind, strict=True))
            if call >= 0 and (kind < GRADIENT_IN or kind == FAILED)
        ]  # fmt: skip
        for event, call in forward:
            self.last[call] = event
        for event, call in reversed(forward):
            self.first[call] = event

    def _group_number(self, group: Group) -> int:
        return -1 if group == NOTHING else self._groups.setdefault(group, len(self._groups))

    def _name_of(self, row: Row) -> str:
        if row.ran is not None:
            return self._hook_names[row.ran.hook]
        return self._hook_names[row.name] if type(row.name) is int else row.name

    # ------------------------------------------------------------------ records

    def tensors(self, group: Group) -> Tensors:
        """The glances of a group with their places."""
        if type(group) is int:
            return (("", self._looks.glance(group)),)
        return tuple((place, self._looks.glance(look)) for place, look in group)  # type: ignore[union-attr]

    def groups(self) -> tuple[Tensors, ...]:
        """The different groups of tensors that events show; a view asks twice."""
        if self._shown is None:
            self._shown = tuple(map(self.tensors, self._groups))
        return self._shown

    def place(self, subject: int) -> tuple[int, str, str]:
        """Node, path and class of a Module; empty for what is none."""
        return self._places[subject] if subject >= 0 else (-1, "", "")

    def _place_of_call(self, subject: int) -> tuple[int, str, str]:
        """The same for what was called: a copy that forward made of a Module is not in the tree."""
        return self._places[subject] if subject >= 0 else (-1, "(not in the tree)", "")

    def changed(self, event: int) -> str:
        """What the hook of an event changed, in words; empty for other events."""
        ran = self.ran[event]
        if ran is None:
            return ""
        wrote = not same_tensors(*(self.tensors(group) for group in ran.inputs))
        before, after = self.tensors(ran.before), self._tensors_of(event)
        return changed_text(int(self.kind[event]), ran, before, after, wrote)

    def event(self, number: int) -> EventFacts:
        """The record of one event."""
        call, kind, ran = int(self.call[number]), KINDS[self.kind[number]], self.ran[number]
        find = self._place_of_call if call >= 0 else self.place
        node, path, _ = find(int(self.subject[number]))
        name = self.names[self.name[number]] if self.name[number] >= 0 else ""
        tensors = self._tensors_of(number)
        changed = self.changed(number) if ran is not None else ""
        return EventFacts(
            number=number,
            kind=kind,
            call=call,
            node=node,
            path=path,
            depth=int(self.depth[call]) if call >= 0 else 0,
            at_us=float(self.at_us[number]),
            took_us=float(self.event_took_us[number]),
            name=name,
            tensors=tensors,
            before=self.tensors(ran.before) if ran is not None else (),
            changed=changed,
            parameter=self.parameters[number],
            _said=self._words,
        )

    def _words(self, event: EventFacts) -> str:
        """An event in a sentence."""
        number, call = event.number, event.call
        find = self._place_of_call if call >= 0 else self.place
        who = _who(event.path, find(int(self.subject[number]))[2])
        if event.parameter and event.changed:
            who = joined(event.path, event.parameter)
        said = self.texts[number] or event.changed
        direct = call >= 0 and bool(self.direct[call])
        return visible(sentence(event.kind, who, event.name, event.tensors, said, direct), 1000)

    def _tensors_of(self, event: int) -> Tensors:
        return self.tensors(self._listed[self.group[event]]) if self.group[event] >= 0 else ()

    def call_record(self, number: int) -> CallFacts:
        """The record of one call."""
        node, path, cls = self._place_of_call(int(self.module[number]))
        return CallFacts(
            number=number,
            node=node,
            path=path,
            class_name=cls,
            parent=int(self.parent[number]),
            depth=int(self.depth[number]),
            times=int(self.times[number]),
            direct=bool(self.direct[number]),
            skipped=self.skipped.get(number, ()),
            first_event=int(self.first[number]),
            last_event=int(self.last[number]),
            start_us=float(self.start_us[number]),
            took_us=float(self.took_us[number]),
            own_us=float(self.own_us[number]),
            backward_us=float(self.backward_us[number]),
            fused=bool(self.fused[number]),
        )

    def as_arrays(self) -> dict[str, Any]:
        """The columns by name, as `TraceFacts.columns` describes them."""
        nodes = np.array([node for node, _, _ in self._places] or [-1], np.int32)
        return {
            "kind": self.kind,
            "call": self.call,
            "node": np.where(self.subject >= 0, nodes[self.subject], -1).astype(np.int32),
            "at_us": self.at_us,
            "took_us": self.event_took_us,
            "group": self.group,
            "name": self.name,
            "call_node": np.where(self.module >= 0, nodes[self.module], -1).astype(np.int32),
            "call_parent": self.parent,
            "call_depth": self.depth,
            "call_times": self.times,
            "call_first": self.first,
            "call_last": self.last,
            "call_start_us": self.start_us,
            "call_took_us": self.took_us,
            "call_own_us": self.own_us,
            "call_backward_us": self.backward_us,
            "call_direct": self.direct,
            "call_fused": self.fused,
        }
