"""What `model(x)` runs, against what `model.forward(x)` runs: two recorded passes, laid side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

import numpy as np

from nbmodule_widgets.facts.careful import describe_module
from nbmodule_widgets.facts.words import count, shape_text, visible
from nbmodule_widgets.lessons.following import SourceLine
from nbmodule_widgets.lessons.own_call import OwnCall, Tensors
from nbmodule_widgets.tracing import CallFacts, EventFacts, TraceFacts

Kind = Literal["call", "hook", "forward", "result", "return", "failed"]
Side = Literal["both", "called", "direct"]

_ROWS = 300  # of one tape
_TENSORS = 4  # of one moment
_FORWARD = ("call", "forward pre hook", "forward", "result", "forward hook", "return", "failed")
_HOOKS = {"forward pre hook", "forward hook"}
_Key = tuple[str, ...]


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
        changed: For a hook: what it changed, in words; else the empty string.
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
        class_name: Its class.
        rows: The moments of both passes, in order.
        skipped: What the direct call left out, a sentence for each hook.
        same: Whether both passes gave the same result; None if one of them failed.
        verdict: That in a sentence.
        called: The pass of `model(x)`.
        direct: The pass of `model.forward(x)`.
        left_out: How many moments were left out because there were too many.
        notes: Remarks.
        source: The class's own `__call__` with the lines that ran, if it has one.
        source_of: Whose method that is.
    """

    label: str
    class_name: str
    rows: tuple[TapeRow, ...]
    skipped: tuple[str, ...]
    same: bool | None
    verdict: str
    called: TraceFacts
    direct: TraceFacts
    left_out: int = 0
    notes: tuple[str, ...] = ()
    source: tuple[SourceLine, ...] = ()
    source_of: str = ""


@dataclass(frozen=True, slots=True)
class _Item:
    """A row of one pass, and what it is recognised by in the other."""

    key: _Key
    row: TapeRow
    tensors: Tensors


def tape_facts(
    model: object, called: TraceFacts, direct: TraceFacts, own: OwnCall | None = None
) -> TapeFacts:
    """Lays two passes side by side.

    Args:
        model: The model; only described.
        called: The pass of `model(x)`.
        direct: The pass of `model.forward(x)` on the same inputs, from the same state.
        own: What the class's own `__call__` did, if it has one.
    """
    left, right = _items(called), _items(direct)
    if own is not None and left and left[-1].row.kind == "return":
        left[-1] = _returned(left[-1], own)
    same, verdict = _verdict(called, direct, left, right)
    deepest = _deepest(left, right)
    shown = [[item for item in items if item.row.depth <= deepest] for items in (left, right)]
    more = max(len(left), len(right)) - max(len(items[:_ROWS]) for items in shown)
    rows = _aligned(shown[0][:_ROWS], shown[1][:_ROWS])
    name = visible(direct.model.root.class_name, 60)
    skipped = tuple(_skipped(row) for row in rows if row.side == "called" and row.kind == "hook")
    return TapeFacts(
        label=describe_module(model),
        class_name=name,
        rows=tuple(rows),
        skipped=skipped,
        same=same,
        verdict=verdict,
        called=called,
        direct=direct,
        left_out=more + max(called.dropped, direct.dropped),
        notes=_notes(called, rows, own),
        source=own.source if own is not None else (),
        source_of=own.source_of if own is not None else "",
    )


def _deepest(left: list[_Item], right: list[_Item]) -> int:
    """How deep calls inside calls are shown, so that the rows are not too many."""
    deepest = max((item.row.depth for item in (*left, *right)), default=0)
    while deepest > 2 and max(sum(i.row.depth <= deepest for i in each) for each in (left, right)) > _ROWS:  # fmt: skip
        deepest -= 1
    return deepest


def _returned(item: _Item, own: OwnCall) -> _Item:
    """The end of `__call__` with what the class's own `__call__` returned; the trace has what `forward` did."""
    shapes, numbers = _shapes(own.tensors), _numbers(own.tensors)
    words = f"`{item.row.title.removesuffix(' returns')}` returns {shapes or 'no tensors'}."
    return replace(
        item, row=replace(item.row, shapes=shapes, called=numbers, words=words), tensors=own.tensors
    )


def _items(trace: TraceFacts) -> list[_Item]:
    """The rows of one pass up to its end; what `backward()` would add is left out."""
    events = [event for event in trace.events if event.kind in _FORWARD]
    kinds: dict[int, set[str]] = {}
    for event in events:
        kinds.setdefault(event.call, set()).add(event.kind)
    items: list[_Item] = []
    open_calls: list[CallFacts] = []
    for event in events:
        call = trace.calls[event.call] if event.call >= 0 else None
        if event.kind == "call" and call is not None:
            while open_calls and open_calls[-1].number != call.parent:
                open_calls.pop()
            open_calls.append(call)
        stack = tuple(_short(each) for each in open_calls)
        items += _rows(event, call, kinds.get(event.call, set()), stack)
        if event.kind == "return" and open_calls and open_calls[-1].number == event.call:
            open_calls.pop()
    return items


def _rows(
    event: EventFacts, call: CallFacts | None, kinds: set[str], stack: tuple[str, ...]
) -> list[_Item]:
    """The one or two rows of an event.

    A call without hooks is told in two rows, its beginning and its end. For the model itself, and where hooks stand
    around it, `__call__` and `forward` get rows of their own, also where the trace has one event for both.
    """

    def row(kind: Kind, title: str, inner: bool = True) -> _Item:
        return _item(kind, event, call, title, stack, inner)

    if call is None:
        return [row("failed", "raised", False)] if event.kind == "failed" else []
    name = _short(call)
    full = call.parent < 0 or bool(call.skipped) or bool(kinds & _HOOKS)
    begins, ends = row("forward", f"{name}.forward"), row("result", f"{name}.forward returns")
    if event.kind == "call":
        if call.direct:
            return [begins]
        if not full:
            return [row("call", _short(call), False)]
        outer = row("call", f"{name}.__call__", False)
        return [outer] if "forward" in kinds else [outer, begins]
    if event.kind == "return":
        if call.direct:
            return [ends]
        if not full:
            return [row("return", f"{_short(call)} returns", False)]
        outer = row("return", f"{name}.__call__ returns", False)
        return [outer] if "result" in kinds else [ends, outer]
    if event.kind == "forward":
        return [begins]
    if event.kind == "result":
        return [ends]
    if event.kind == "failed":
        return [row("failed", "raised")]
    return [row("hook", f"{event.kind} {visible(event.name, 80)}")]


def _item(
    kind: Kind, event: EventFacts, call: CallFacts | None, title: str, stack: tuple[str, ...], inner: bool
) -> _Item:  # fmt: skip
    """One row, as the pass that it comes from knows it."""
    shapes = _shapes(event.tensors)
    where = visible(call.path, 100) if call is not None else ""
    times = str(call.times) if call is not None else ""
    depth = 2 * call.depth + inner if call is not None else 0
    row = TapeRow(
        kind=kind,
        side="both",
        depth=depth,
        title=title,
        where=where,
        shapes=shapes,
        changed=_changed(event),
        called=_numbers(event.tensors),
        direct="",
        differs=False,
        stack=stack if kind != "return" else stack[:-1],
        words=_words(kind, title, where, shapes, event),
    )
    title_or_name = title if kind == "hook" else ""
    return _Item((kind, where, times, title_or_name), row, event.tensors)


def _short(call: CallFacts) -> str:
    """`"fc: Linear"`, or the class alone for the model itself."""
    name = visible(call.path.rpartition(".")[2], 40)
    kind = visible(call.class_name, 60)
    return f"{name}: {kind}" if name else kind


def _shapes(tensors: Tensors) -> str:
    """`"(2, 3) float32"` for each tensor, with its place where there are several."""
    shown = [
        f"{visible(place, 40)} {shape_text(seen.shape)} {visible(seen.dtype, 20)}".strip()
        for place, seen in tensors[:_TENSORS]
    ]
    return ", ".join([*shown, "…"] if len(tensors) > _TENSORS else shown)


def _numbers(tensors: Tensors) -> str:
    """The same with statistics."""
    shown = [f"{visible(place, 40)} {seen.words}".strip() for place, seen in tensors[:_TENSORS]]
    return "; ".join([*shown, "…"] if len(tensors) > _TENSORS else shown)


def _words(kind: Kind, title: str, where: str, shapes: str, event: EventFacts) -> str:
    """A moment in a sentence."""
    seen = shapes or "no tensors"
    if kind == "hook":
        return f"The {title}{f' of `{where}`' if where else ''} runs: {_changed(event)}."
    if kind == "failed":
        return one_line(event.words)
    if kind in ("result", "return"):
        return f"`{title.removesuffix(' returns')}` returns {seen}."
    return f"`{title}` {'is called with' if kind == 'call' else 'begins with'} {seen}."


def _changed(event: EventFacts) -> str:
    """What a hook did; the empty string for any other event."""
    changed = visible(event.changed, 300)
    if "hook" not in event.kind:
        return ""
    return "changes nothing" if changed in ("", "nothing") else changed


def one_line(text: str) -> str:
    """An exception's text without its line ends."""
    return visible(text, 400).replace("\\n", " ")


def _aligned(left: list[_Item], right: list[_Item]) -> list[TapeRow]:
    """Both passes in one list: what only one of them has stands where it happened."""
    rows: list[TapeRow] = []
    same = SequenceMatcher(None, [i.key for i in left], [i.key for i in right], autojunk=False)
    for what, a, b, c, d in same.get_opcodes():
        if what == "equal":
            rows += [_both(one, other) for one, other in zip(left[a:b], right[c:d], strict=True)]
            continue
        rows += [replace(item.row, side="called") for item in left[a:b]]
        rows += [replace(item.row, side="direct", called="", direct=item.row.called) for item in right[c:d]]  # fmt: skip
    return rows


def _both(one: _Item, other: _Item) -> TapeRow:
    differs = _differ(one.tensors, other.tensors) or one.row.words != other.row.words
    return replace(one.row, direct=other.row.called, differs=differs)


def _differ(one: Tensors, other: Tensors) -> bool:
    """Whether two sets of tensors are not the same, going by their numbers where both were kept."""
    if len(one) != len(other):
        return True
    for (place, a), (there, b) in zip(one, other, strict=True):
        if place != there or a.shape != b.shape or a.words != b.words:
            return True
        if a.values is not None and b.values is not None:
            equal = np.array_equal(a.values, b.values, equal_nan=a.values.dtype.kind in "fc")
            if not equal:
                return True
    return False


def _verdict(
    called: TraceFacts, direct: TraceFacts, left: list[_Item], right: list[_Item]
) -> tuple[bool | None, str]:
    """Whether both passes came to the same result."""
    if called.problem and direct.problem:
        return None, f"Both raise: {one_line(called.problem)}"
    if called.problem or direct.problem:
        which = "model(x)" if called.problem else "model.forward(x)"
        return (
            None,
            f"`{which}` raises {one_line(called.problem or direct.problem)}; the other one does not.",
        )
    ends = [next((i for i in reversed(items) if i.row.kind in ("return", "result")), None) for items in (left, right)]  # fmt: skip
    if ends[0] is None or ends[1] is None:
        return None, "Nothing was recorded."
    if called.dropped or direct.dropped:
        return None, "The passes are too long to be compared to their ends."
    if _differ(ends[0].tensors, ends[1].tensors):
        return (
            False,
            f"Another result: `model(x)` gives {ends[0].row.called}, `model.forward(x)` gives {ends[1].row.called}.",
        )
    return True, "The same result, bit for bit as far as it was looked at."


def _skipped(row: TapeRow) -> str:
    """What the direct call left out."""
    place = f" of `{row.where}`" if row.where else ""
    return f"skipped: {row.title}{place}; in `model(x)`: {row.changed}"


def _notes(called: TraceFacts, rows: list[TapeRow], own: OwnCall | None) -> tuple[str, ...]:
    """Remarks, also where nothing differs."""
    hooks = [row for row in rows if row.kind == "hook"]
    notes = []
    if own is not None:
        notes.append(
            f"`__call__` is the one of {own.source_of.rpartition('.')[0] or 'the class'}: what it does is in its lines below."
        )
    elif not hooks and not called.problem:
        notes.append(
            "There are no hooks, so `__call__` goes straight to `forward`. Register one, and it runs in `model(x)` only."
        )
    inside = [row for row in hooks if row.side == "both"]
    if inside and len(inside) < len(hooks):
        notes.append(
            f"{count(len(inside), 'hook')} of the parts ran in both: `forward` calls its parts in the ordinary way, so only the "
            "outermost `__call__` is skipped."
        )
    notes += [
        f"`{visible(call.path or call.class_name, 60)}.forward` is called directly in this model, so its hooks are "
        f"skipped in both: {', '.join(visible(name, 60) for name in call.skipped[:4])}."
        for call in called.calls
        if call.skipped and call.direct
    ]
    return tuple(notes)
