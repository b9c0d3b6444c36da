"""The text twin of a pass: a log of its calls, indented, with the hooks where they ran. No times, no identities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbmodule_widgets.facts.words import decimal, shape_text, visible
from nbmodule_widgets.tracing.summary import (
    change_words,
    failed_in,
    hints,
    hook_kind,
    hook_lines,
    hook_place,
    never_lines,
    never_sentence,
    place,
    problem_line,
    remarks,
    totals,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbmodule_widgets.facts.glance import Glance
    from nbmodule_widgets.tracing.records import EventFacts, TraceFacts

_LINES = 200
_DEEPEST = 24  # levels that are indented; further down the depth is said as a number
_TENSORS = 3
_EDGES = ("call", "return", "gradient in", "gradient out")
_SIGNS = {
    "call": "▶",
    "forward": "▷ forward() is given",
    "result": "□ forward() made",
    "return": "■",
    "gradient in": "◀",
    "gradient out": "◁",
}


def trace_text(found: TraceFacts, limit: int = _LINES) -> str:
    """The pass as a log, one moment a line.

    Args:
        found: What `record` returned.
        limit: Most moments to write.
    """
    root = found.model.root
    head = f"one pass through {visible(root.label, 120)}"
    lines = [f"{head} · {totals(found)}"]
    lines += [f"! {note}" for note in remarks(found)]
    backward = False
    for event in found.events[:limit]:
        if event.kind in ("loss", "gradient in") and not backward:
            backward = True
            lines.append("backward:")
        lines.append(_indent(event) + moment_text(found, event))
    if len(found.events) > limit:
        lines.append(f"… {len(found.events) - limit:,} more moments")
    lines += summary_text(found)
    lines += [f"({plain(hint)})" for hint in hints(found)]
    return "\n".join(lines)


def summary_text(found: TraceFacts) -> list[str]:
    """The hooks in their order, those that did not run, and who was never called."""
    hooks, never = hook_lines(found), never_lines(found)
    ran = sum(not line.left_out for line in hooks)  # these come first
    lines = ["hooks, in the order in which they ran:"] if ran else []
    for number, line in enumerate(hooks[:_LINES], start=1):
        lines.append(f"{'✕' if line.left_out else f'  {number}.'} {plain(line.sentence)}")
    if len(hooks) > _LINES:
        lines.append(f"  … {len(hooks) - _LINES:,} more")
    return lines + [f"– {plain(never_sentence(line))}" for line in never[:_LINES]]


def plain(sentence: str) -> str:
    """A sentence without the backticks around its names."""
    return sentence.replace("`", "")


def moment_text(found: TraceFacts, event: EventFacts) -> str:
    """One moment without its indentation: `"▶ 0 (Linear) · in (8, 4) float32"`."""
    seen = tensors_words(event.tensors)
    if event.kind == "failed":
        return f"⚠ failed in {plain(failed_in(found))}: {problem_line(found)}"
    if event.kind == "loss":
        one = len(event.tensors) == 1 and event.tensors[0][1].numel == 1
        return f"∑ the loss is {decimal(event.tensors[0][1].mean) if one else seen}"
    if kind := hook_kind(event):
        did = f": {change_words(event.changed)}" if event.changed else ""
        of = f" of {visible(hook_place(event), 120)}" if event.parameter else ""
        return f"◆ {kind} {event.name}{of}{did}"
    if event.kind == "parameter gradient":
        return f"● gradient of {visible(hook_place(event), 120)} {seen}"
    if event.kind in ("forward", "result"):
        return f"{_SIGNS[event.kind]} {seen}"
    call = found.calls[event.call] if 0 <= event.call < len(found.calls) else None
    again = f", call {call.times:,}" if call is not None and call.times > 1 else ""
    name = plain(place(event.path)) + (again if event.kind != "call" else "")
    if event.kind == "call":
        marks = again if call is None else f" ({visible(call.class_name, 60)}){again}"
        if call is not None and call.direct:
            marks += ", forward() called directly"
        if call is not None and call.fused:
            marks += ", computed in one piece"
        return f"▶ {name}{marks} · in {seen}"
    if event.kind == "gradient out" and not event.tensors:
        return f"◁ {name} · its input does not require a gradient"
    words = {
        "return": "out",
        "gradient in": "gradient of its output",
        "gradient out": "gradient of its input",
    }
    return f"{_SIGNS[event.kind]} {name} · {words[event.kind]} {seen}"


def tensors_words(tensors: Sequence[tuple[str, Glance]]) -> str:
    """The shapes of an event's tensors."""
    shown = [_tensor_words(name, glance) for name, glance in tensors[:_TENSORS]]
    more = f", … {len(tensors) - _TENSORS:,} more" if len(tensors) > _TENSORS else ""
    return ", ".join(shown) + more if shown else "(no tensor)"


def _tensor_words(name: str, glance: Glance) -> str:
    odd = [f"{glance.nans:,} NaN"] if glance.nans else []
    odd += [f"{glance.infs:,} infinite"] if glance.infs else []
    marks = f" ({', '.join(odd)})" if odd else ""
    label = f"{visible(name, 40)} " if name else ""
    return f"{label}{visible(f'{shape_text(glance.shape)} {glance.dtype}'.strip(), 160)}{marks}"


def _indent(event: EventFacts) -> str:
    """What happens within a call stands one step further right than its beginning and its end."""
    steps = event.depth + 1 + (event.kind not in _EDGES) if event.call >= 0 else 1
    if steps <= _DEEPEST:
        return "  " * steps
    return f"{'  ' * _DEEPEST}(level {event.depth:,}) "
