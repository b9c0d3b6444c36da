"""What `model(x)` runs, against what `model.forward(x)` runs: two recorded passes, laid side by side."""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher

import numpy as np

from nbmodule_widgets.facts.careful import describe_module
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.lesson_facts.own_call import OwnCall, Tensors
from nbmodule_widgets.lesson_facts.tape import TapeFacts, TapeRow
from nbmodule_widgets.lesson_facts.tape_rows import Item, Pass, numbers_of, shapes_of
from nbmodule_widgets.tracing import TraceFacts
from nbmodule_widgets.tracing.summary import outside

_ROWS = 300  # of one tape


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
    passes = Pass(called), Pass(direct, direct=True)
    ends = [_end(each, own if each is passes[0] else None) for each in passes]
    same, verdict = _verdict(called, direct, *ends)
    deepest = _deepest(*passes)
    shown = [[m for m in each.marks if m.depth <= deepest][:_ROWS] for each in passes]
    more = max(len(each.marks) for each in passes) - max(map(len, shown))
    left, right = ([each.item(m) for m in marks] for each, marks in zip(passes, shown, strict=True))
    if (
        own is not None
        and shown[0]
        and shown[0][-1] is passes[0].marks[-1]
        and left[-1].row.kind == "return"
    ):
        left[-1] = _returned(left[-1], own)
    rows = _aligned(left, right)
    skipped = tuple(_skipped(row) for row in rows if row.side == "called" and row.kind == "hook")
    return TapeFacts(
        label=describe_module(model),
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


def _end(each: Pass, own: OwnCall | None) -> Item | None:
    """The row with what a pass returned; with an own `__call__`, what that returned. None if it was left out."""
    for mark in reversed(each.marks):
        if mark.kind in ("return", "result") and each.is_outermost(mark.call):
            item, last = each.item(mark), mark is each.marks[-1] and mark.kind == "return"
            return _returned(item, own) if own is not None and last else item
    return None


def _deepest(*passes: Pass) -> int:
    """How deep calls inside calls are shown, so that the rows are not too many."""
    deepest = max((mark.depth for each in passes for mark in each.marks), default=0)
    for each in passes:
        rows = np.cumsum(np.bincount([mark.depth for mark in each.marks] or [0]))
        if rows[-1] > _ROWS:
            deepest = min(deepest, max(2, int(np.searchsorted(rows, _ROWS, "right")) - 1))
    return deepest


def _returned(item: Item, own: OwnCall) -> Item:
    """The end of `__call__` with what the class's own `__call__` returned; the trace has what `forward` did."""
    shapes, numbers = shapes_of(own.tensors), numbers_of(own.tensors)
    words = f"`{item.row.title.removesuffix(' returns')}` returns {shapes or 'no tensors'}."
    return replace(
        item, row=replace(item.row, shapes=shapes, called=numbers, words=words), tensors=own.tensors
    )


def _first_line(text: str) -> str:
    """What an exception says, without the advice that may follow."""
    return visible(text, 400).partition("\\n")[0]


def _aligned(left: list[Item], right: list[Item]) -> list[TapeRow]:
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


def _both(one: Item, other: Item) -> TapeRow:
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
    called: TraceFacts, direct: TraceFacts, left: Item | None, right: Item | None
) -> tuple[bool | None, str]:
    """Whether both passes came to the same result."""
    raised, other = _first_line(called.problem), _first_line(direct.problem)
    if raised and other:
        both = f"Both raise: {raised}"
        return (
            None,
            both
            if raised == other
            else f"`model(x)` raises {raised}; `model.forward(x)` raises {other}",
        )
    if raised or other:
        which = "model(x)" if called.problem else "model.forward(x)"
        return (
            None,
            f"`{which}` raises {raised or other}; the other one does not.",
        )
    if left is None or right is None:
        cut = called.dropped or direct.dropped
        return (
            None,
            "The passes are too long for their ends to be kept."
            if cut
            else "Nothing was recorded.",
        )
    if _differ(left.tensors, right.tensors):
        return (
            False,
            f"Another result: `model(x)` gives {left.row.called}, `model.forward(x)` gives {right.row.called}.",
        )
    kept = all(seen.values is not None for _, seen in left.tensors)
    return (
        True,
        f"The same result{', number for number' if kept else ', going by shapes and statistics'}.",
    )


def _skipped(row: TapeRow) -> str:
    """What the direct call left out."""
    place = f" of `{row.where}`" if row.where else ""
    return f"skipped: {row.title}{place} (in `model(x)`: {row.changed})"


def _notes(called: TraceFacts, rows: list[TapeRow], own: OwnCall | None) -> tuple[str, ...]:
    """Remarks, also where nothing differs."""
    hooks = [row for row in rows if row.kind == "hook"]
    past = [called.calls[call] for call in np.flatnonzero(called.columns()["call_direct"]).tolist()]
    notes = []
    if own is not None:
        notes.append(
            f"`__call__` is the one of {own.source_of.rpartition('.')[0] or 'the class'}: what it does is in its lines below."
        )
    elif not hooks and not called.problem and not any(call.skipped for call in past):
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
        for call in past
        if call.skipped
    ]
    return (*notes, *(f"{line[0].upper()}{line[1:]}." for line in outside(called)))
