"""The rows of one recorded pass, as a call tape shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from nbmodule_widgets.facts.words import shape_text, visible
from nbmodule_widgets.lesson_facts.own_call import Tensors
from nbmodule_widgets.lesson_facts.tape import Kind, TapeRow
from nbmodule_widgets.tracing import CallFacts, EventFacts, TraceFacts
from nbmodule_widgets.tracing.records import KINDS
from nbmodule_widgets.tracing.summary import change_words

_TENSORS = 4  # of one moment
_FORWARD = ("call", "forward pre hook", "forward", "result", "forward hook", "return", "failed")
_HOOKS = {"forward pre hook", "forward hook"}


class Mark(NamedTuple):
    """A row to be: of the thousands of a large model only those that are shown are put into words.

    Attributes:
        kind: Kind of the row.
        event: Index of its event.
        call: Number of its call, or -1.
        top: The innermost call that is open then, or -1.
        depth: How many rows are open around it.
    """

    kind: Kind
    event: int
    call: int
    top: int
    depth: int


@dataclass(frozen=True, slots=True)
class Item:
    """A row of one pass, and what it is recognised by in the other.

    Attributes:
        key: Kind, place, which call of the Module, and a hook's name.
        row: The row, as if both passes had it.
        tensors: What was seen.
    """

    key: tuple[str, ...]
    row: TapeRow
    tensors: Tensors


class Pass:
    """One recorded pass up to its end, as rows; what `backward()` would add is left out.

    A call without hooks is told in two rows, its beginning and its end. For the model itself, and where hooks stand
    around it, `__call__` and `forward` get rows of their own, also where the trace has one event for both.

    Args:
        trace: The pass.
        direct: Whether it is that of `model.forward(x)`: its rows stand where those of the model's `forward` do in the other.

    Attributes:
        marks: The rows to be, in order.
    """

    def __init__(self, trace: TraceFacts, direct: bool = False) -> None:
        self._trace, self._outer = trace, int(direct)
        columns = trace.columns()
        self._parents: list[int] = columns["call_parent"].tolist()
        self._direct: list[bool] = columns["call_direct"].tolist()
        told = [
            (event, KINDS[kind], call)
            for event, (kind, call) in enumerate(
                zip(columns["kind"].tolist(), columns["call"].tolist(), strict=True)
            )
            if KINDS[kind] in _FORWARD
        ]
        self._met: dict[int, set[str]] = {}
        for _, kind, call in told:
            self._met.setdefault(call, set()).add(kind)
        self.marks: list[Mark] = []
        self._mark_all(told)

    def _mark_all(self, told: list[tuple[int, str, int]]) -> None:
        open_calls: list[int] = []
        before = [
            self._outer
        ]  # for each open call, and after the last, the rows that are open around it
        for event, kind, call in told:
            if kind == "call" and call >= 0:
                while open_calls and open_calls[-1] != self._parents[call]:
                    open_calls.pop()
                    before.pop()
                open_calls.append(call)
                before.append(before[-1] + self._rows_open(call))
            inside = bool(open_calls) and open_calls[-1] == call
            depth, top = before[-2 if inside else -1], open_calls[-1] if open_calls else -1
            if kind == "failed":
                self.marks.append(Mark("failed", event, call, top, depth + 1))
            elif call >= 0:
                inner = depth + (not self._direct[call])
                for row in self._kinds(kind, call):
                    at = depth if row in ("call", "return") else inner
                    self.marks.append(Mark(row, event, call, top, at))
            if kind == "return" and inside:
                open_calls.pop()
                before.pop()

    def _kinds(self, kind: str, call: int) -> tuple[Kind, ...]:
        """The kinds of the one or two rows of an event."""
        if kind in ("call", "return"):
            outer: Kind = "call" if kind == "call" else "return"
            inner: Kind = "forward" if kind == "call" else "result"
            if self._direct[call]:
                return (inner,)
            if not self._is_full(call) or inner in self._met[call]:
                return (outer,)
            return (outer, inner) if kind == "call" else (inner, outer)
        if kind in ("forward", "result"):
            return ("forward",) if kind == "forward" else ("result",)
        return ("hook",)

    def _is_full(self, call: int) -> bool:
        """Whether `__call__` and `forward` get rows of their own: of the model itself, and where hooks stand around it."""
        if self._parents[call] < 0 or not _HOOKS.isdisjoint(self._met[call]):
            return True
        return self._direct[call] and bool(self._trace.calls[call].skipped)

    def is_outermost(self, call: int) -> bool:
        """Whether a call lies in no other one."""
        return call >= 0 and self._parents[call] < 0

    def _rows_open(self, call: int) -> int:
        """How many rows are open while a call is: `__call__`, `forward`, or both."""
        return 2 if self._is_full(call) and not self._direct[call] else 1

    # ------------------------------------------------------------------ in words

    def item(self, mark: Mark) -> Item:
        """A row in words."""
        event = self._trace.events[mark.event]
        call = self._trace.calls[mark.call] if mark.call >= 0 else None
        title = self._title(mark, event, call)
        shapes = shapes_of(event.tensors)
        where = visible(call.path, 100) if call is not None else ""
        stack = self._stack(mark.top)
        words = _words(mark.kind, title, where, shapes, event)
        changed = _changed(event)
        if mark.kind == "failed":
            changed = _one_line(self._trace.problem)
            words = f"It failed in {f'`{where}`' if where else 'the model'}: {changed}"
        row = TapeRow(
            kind=mark.kind,
            side="both",
            depth=mark.depth,
            title=title,
            where=where,
            shapes=shapes,
            changed=changed,
            called=numbers_of(event.tensors),
            direct="",
            differs=False,
            stack=stack[:-1] if mark.kind == "return" else stack,
            words=words,
        )
        times = str(call.times) if call is not None else ""
        return Item((mark.kind, where, times, title * (mark.kind == "hook")), row, event.tensors)

    def _title(self, mark: Mark, event: EventFacts, call: CallFacts | None) -> str:
        if call is None or mark.kind == "failed":
            return "failed"
        if mark.kind == "hook":
            return f"{event.kind} {visible(event.name, 80)}"
        method = ".forward" if mark.kind in ("forward", "result") else ".__call__"
        method = method if method == ".forward" or self._is_full(mark.call) else ""
        ends = " returns" if mark.kind in ("result", "return") else ""
        return f"{self._short(call)}{method}{ends}"

    def _stack(self, call: int) -> tuple[str, ...]:
        """The names of a call and of those around it, outermost first."""
        names: list[str] = []
        while call >= 0:
            names.append(self._short(self._trace.calls[call]))
            call = self._parents[call]
        return tuple(reversed(names))

    def _short(self, call: CallFacts) -> str:
        """`"fc: Linear"`, or the class alone for the model itself."""
        name = visible(call.path.rpartition(".")[2], 40)
        kind = visible(call.class_name, 60)
        return f"{name}: {kind}" if name else kind


def shapes_of(tensors: Tensors) -> str:
    """`"(2, 3) float32"` for each tensor, with its place where there are several."""
    shown = [
        f"{visible(place, 40)} {shape_text(seen.shape)} {visible(seen.dtype, 20)}".strip()
        for place, seen in tensors[:_TENSORS]
    ]
    return ", ".join([*shown, "…"] if len(tensors) > _TENSORS else shown)


def numbers_of(tensors: Tensors) -> str:
    """The same with statistics."""
    shown = [f"{visible(place, 40)} {seen.words}".strip() for place, seen in tensors[:_TENSORS]]
    return "; ".join([*shown, "…"] if len(tensors) > _TENSORS else shown)


def _words(kind: Kind, title: str, where: str, shapes: str, event: EventFacts) -> str:
    """A moment in a sentence."""
    seen = shapes or "no tensors"
    if kind == "hook":
        return f"The {title}{f' of `{where}`' if where else ''} runs: {_changed(event)}."
    if kind in ("result", "return"):
        return f"`{title.removesuffix(' returns')}` returns {seen}."
    return f"`{title}` {'is called with' if kind == 'call' else 'begins with'} {seen}."


def _changed(event: EventFacts) -> str:
    """What a hook did; the empty string for any other event."""
    return change_words(event.changed or "nothing") if "hook" in event.kind else ""


def _one_line(text: str) -> str:
    """An exception's text in one line."""
    return visible(text, 400).replace("\\n", " · ")
