"""The rows of one recorded pass, as a call tape shows them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nbmodule_widgets.facts.words import shape_text, visible
from nbmodule_widgets.lesson_facts.own_call import Tensors
from nbmodule_widgets.lesson_facts.tape import Kind, TapeRow
from nbmodule_widgets.tracing import CallFacts, EventFacts, TraceFacts
from nbmodule_widgets.tracing.summary import change_words

_TENSORS = 4  # of one moment
_FORWARD = ("call", "forward pre hook", "forward", "result", "forward hook", "return", "failed")
_HOOKS = {"forward pre hook", "forward hook"}


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


def items_of(trace: TraceFacts, wrapped: bool = False) -> list[Item]:
    """The rows of one pass up to its end; what `backward()` would add is left out.

    Args:
        trace: The pass.
        wrapped: Whether it is that of a `DirectCall`, in which all paths begin with the name of its child.
    """
    events = [event for event in trace.events if event.kind in _FORWARD]
    kinds: dict[int, set[str]] = {}
    for event in events:
        kinds.setdefault(event.call, set()).add(event.kind)
    items: list[Item] = []
    open_calls: list[CallFacts] = []
    for event in events:
        call = trace.calls[event.call] if event.call >= 0 else None
        if wrapped and call is not None:
            if not call.path and event.kind != "failed":
                continue  # the wrapper's own call
            call = _unwrapped(call)
        if event.kind == "call" and call is not None:
            while open_calls and open_calls[-1].number != call.parent:
                open_calls.pop()
            open_calls.append(call)
        around = [each for each in open_calls if call is None or each.number != call.number]
        depth = sum(_rows_open(each, kinds) for each in around) + wrapped
        stack = tuple(_short(each) for each in open_calls)
        if event.kind == "failed":
            items.append(_failure(event, call, depth + 1, stack, _one_line(trace.problem)))
        elif call is not None:
            items += _rows(event, call, kinds, depth, stack)
        if event.kind == "return" and open_calls and open_calls[-1].number == event.call:
            open_calls.pop()
    return items


def _unwrapped(call: CallFacts) -> CallFacts | None:
    """A call inside a `DirectCall`, as it would be without it; None for that of the `DirectCall`."""
    if not call.path:
        return None
    path = call.path.partition(".")[2]
    parent = call.parent if call.parent > 0 else -1
    return replace(call, path=path, depth=call.depth - 1, parent=parent)


def _is_full(call: CallFacts, kinds: dict[int, set[str]]) -> bool:
    """Whether `__call__` and `forward` get rows of their own: of the model itself, and where hooks stand around it."""
    return call.parent < 0 or bool(call.skipped) or bool(kinds[call.number] & _HOOKS)


def _rows_open(call: CallFacts, kinds: dict[int, set[str]]) -> int:
    """How many rows are open while a call is: `__call__`, `forward`, or both."""
    return 2 if _is_full(call, kinds) and not call.direct else 1


def _rows(
    event: EventFacts, call: CallFacts, kinds: dict[int, set[str]], depth: int, stack: tuple[str, ...]
) -> list[Item]:  # fmt: skip
    """The one or two rows of an event.

    A call without hooks is told in two rows, its beginning and its end. For the model itself, and where hooks stand
    around it, `__call__` and `forward` get rows of their own, also where the trace has one event for both.
    """

    def row(kind: Kind, title: str, inner: bool = True) -> Item:
        return _item(kind, event, call, title, depth + (inner and not call.direct), stack)

    name = _short(call)
    met = kinds[call.number]
    begins, ends = row("forward", f"{name}.forward"), row("result", f"{name}.forward returns")
    if event.kind == "call":
        if call.direct:
            return [begins]
        if not _is_full(call, kinds):
            return [row("call", name, False)]
        outer = row("call", f"{name}.__call__", False)
        return [outer] if "forward" in met else [outer, begins]
    if event.kind == "return":
        if call.direct:
            return [ends]
        if not _is_full(call, kinds):
            return [row("return", f"{name} returns", False)]
        outer = row("return", f"{name}.__call__ returns", False)
        return [outer] if "result" in met else [ends, outer]
    if event.kind == "forward":
        return [begins]
    if event.kind == "result":
        return [ends]
    return [row("hook", f"{event.kind} {visible(event.name, 80)}")]


def _failure(
    event: EventFacts, call: CallFacts | None, depth: int, stack: tuple[str, ...], problem: str
) -> Item:
    """The row where the pass raised."""
    item = _item("failed", event, call, "failed", depth, stack)
    where = f"`{item.row.where}`" if item.row.where else "the model"
    words = f"It failed in {where}: {problem}"
    return replace(item, row=replace(item.row, changed=problem, words=words))


def _item(
    kind: Kind, event: EventFacts, call: CallFacts | None, title: str, depth: int, stack: tuple[str, ...]
) -> Item:  # fmt: skip
    """One row, as the pass that it comes from knows it."""
    shapes = shapes_of(event.tensors)
    where = visible(call.path, 100) if call is not None else ""
    times = str(call.times) if call is not None else ""
    row = TapeRow(
        kind=kind,
        side="both",
        depth=depth,
        title=title,
        where=where,
        shapes=shapes,
        changed=_changed(event),
        called=numbers_of(event.tensors),
        direct="",
        differs=False,
        stack=stack if kind != "return" else stack[:-1],
        words=_words(kind, title, where, shapes, event),
    )
    title_or_name = title if kind == "hook" else ""
    return Item((kind, where, times, title_or_name), row, event.tensors)


def _short(call: CallFacts) -> str:
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
