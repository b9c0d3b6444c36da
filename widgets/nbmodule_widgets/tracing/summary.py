"""What a pass comes to: which hooks ran and what they did, and who was never called."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nbmodule_widgets.facts.words import count, outside_words, visible, without_ticks
from nbmodule_widgets.tracing.records import KINDS

if TYPE_CHECKING:
    from nbmodule_widgets.tracing.records import EventFacts, HookFacts, NeverFired, TraceFacts

_Key = tuple[str, str, str, int]  # path, kind, name, and which of that name in one call

_MODEL = "the model"
_NOTES = 50
_NAMED = 12  # modules of one line
_DIRECT = "forward() was called directly, bypassing `__call__`, which runs them"
_NO_HOOKS = "no hooks are registered: each would be listed here with its number and what it changed"
_FORWARD_ONLY = "forward pass only: with a loss, as in `trace(model, x, loss=lambda y: y.sum())`, the backward pass is shown too"
_NOT_HEARD = "not recorded"  # the reason of Modules of which nobody knows whether they ran
_PAST_HOOKS = "forward called directly"  # the reason of Modules that did run, but not their hooks


@dataclass(frozen=True, slots=True)
class HookLine:
    """One hook of the reader's, or the hooks of one call that did not run.

    Attributes:
        sentence: What it did, with names between backticks.
        events: Numbers of the events where it ran, in order; where hooks were left out, the call's first event.
        left_out: Whether hooks did not run.
    """

    sentence: str
    events: tuple[int, ...]
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class NeverLine:
    """Modules that were never called, for the same kind of reason.

    Attributes:
        why: The reason; of several the first one.
        modules: Their facts, in the order of the tree.
    """

    why: str
    modules: tuple[NeverFired, ...]


def place(path: str) -> str:
    """A path between backticks, or the model itself."""
    return f"`{without_ticks(path, 100)}`" if path else _MODEL


def failed_in(found: TraceFacts) -> str:
    """Where the pass failed: a path between backticks, the model, or what comes after it has returned."""
    event, columns = found.events[found.failed], found.columns()
    kind, call = (columns[name][: found.failed] for name in ("kind", "call"))
    if event.path or not np.any((kind == KINDS.index("return")) & (call == event.call)):
        return place(event.path)
    return "the backward pass" if np.any(kind == KINDS.index("loss")) else "the loss function"


def hook_kind(event: EventFacts) -> str:
    """What kind of hook ran at this moment: `"forward hook"`, `"parameter hook"`, …; empty if none did."""
    if event.kind == "parameter gradient":
        return "parameter hook" if event.changed else ""
    return event.kind if "hook" in event.kind else ""


def hook_place(event: EventFacts) -> str:
    """Path of what a hook hangs on: a Module, or a parameter."""
    return ".".join(part for part in (event.path, event.parameter) if part)


def change_words(changed: str) -> str:
    """What a hook did, in words: `"changed nothing"`, `"output replaced: mean 0.1 -> 0.2"`."""
    return "changed nothing" if changed == "nothing" else visible(changed, 300)


def hook_lines(found: TraceFacts) -> list[HookLine]:
    """The hooks in the order in which they first ran, then those that did not run.

    Two hooks of one name, such as two lambdas, are told apart by their order in a call.
    """
    ran: dict[_Key, list[int]] = {}
    last: dict[_Key, str] = {}
    met: Counter[tuple[int, _Key]] = Counter()
    for event in found.at_hooks:
        if kind := hook_kind(event):
            key = (hook_place(event), kind, event.name, 0)
            key = (*key[:3], met[event.call, key])
            met[event.call, (*key[:3], 0)] += 1
            ran.setdefault(key, []).append(event.number)
            last[key] = event.changed
    lines = [
        HookLine(_ran(key[:3], len(events), last[key]), tuple(events))
        for key, events in ran.items()
    ]
    never = {module.node for module in found.never_fired}
    for hook in found.hooks:
        if not hook.ran and not hook.skipped:
            where = f"`{hook.name}` of {place(hook.path)}"
            why = _why_not(found, hook, never)
            kind = "parameter" if "gradient" in hook.kind else hook.kind
            lines.append(HookLine(f"{kind} hook {where} did not run{why}", (), True))
    for call in found.with_skipped_hooks:
        if call.skipped:
            names = ", ".join(f"`{name}`" for name in call.skipped[:5])
            hooks = count(len(call.skipped), "hook")
            sentence = f"{hooks} of {place(call.path)} did not run ({names}): {_DIRECT}"
            first = (call.first_event,) if call.first_event >= 0 else ()
            lines.append(HookLine(sentence, first, True))
    return lines


def _why_not(found: TraceFacts, hook: HookFacts, never: set[int]) -> str:
    """Why a hook did not run, as far as one can tell."""
    if found.problem:
        return ": the pass failed first"
    if hook.node in never:
        return ": its module was never called"
    if ("backward" in hook.kind or "gradient" in hook.kind) and found.loss is None:
        return ": there was no backward pass"
    return ""


def _ran(key: tuple[str, str, str], times: int, changed: str) -> str:
    path, kind, name = key
    often = "" if times == 1 else f", {times:,} times"
    did = f": {change_words(changed)}" if changed else ""
    return f"{kind} `{name}` of {place(path)}{often}{did}"


def never_called(found: TraceFacts) -> list[NeverFired]:
    """The Modules that did not run, which those with a way of their own may have done."""
    return [
        never for never in found.never_fired if not never.why.startswith((_PAST_HOOKS, _NOT_HEARD))
    ]


def never_lines(found: TraceFacts) -> list[NeverLine]:
    """The Modules that nothing was heard of, by the kind of reason: "container", "fused", "not reached", "not recorded".

    Those whose `forward` ran past their hooks are told of with the hooks.
    """
    groups: dict[str, list[NeverFired]] = {}
    for never in found.never_fired:
        if not never.why.startswith(_PAST_HOOKS):
            groups.setdefault(never.why.partition(":")[0], []).append(never)
    return [NeverLine(_reason(group), tuple(group)) for group in groups.values()]


def _reason(group: list[NeverFired]) -> str:
    likewise = len({never.why for never in group}) > 1
    return f"{group[0].why}{'; the others likewise' if likewise else ''}"


def never_sentence(line: NeverLine) -> str:
    """`"2 modules never called: container: its forward is never called: `layers`, `head`"`."""
    names = ", ".join(place(never.path) for never in line.modules[:_NAMED])
    more = f", … {len(line.modules) - _NAMED:,} more" if len(line.modules) > _NAMED else ""
    why, many = visible(line.why, 300).replace("`", ""), count(len(line.modules), "module")
    if why.startswith(_NOT_HEARD):
        return f"{many} {why}: {names}{more}"
    return f"{many} never called ({why}): {names}{more}"


def totals(found: TraceFacts) -> str:
    """The pass in numbers: `"39 moments · 7 calls · 3 hook runs"`."""
    hooks = sum(hook_kind(event) != "" for event in found.at_hooks)
    parts = [count(len(found.events), "moment"), count(len(found.calls), "call")]
    parts += [count(hooks, "hook run")] if hooks else []
    never = len(never_called(found))
    parts += [f"{count(never, 'module')} never called"] if never else []
    return " · ".join(parts)


def remarks(found: TraceFacts) -> list[str]:
    """What the reader should know before anything else: a failure, events that are missing, notes."""
    failure = f"the pass failed: {problem_line(found)}" if found.problem else ""
    return [line for line in (failure, *asides(found)) if line]


def asides(found: TraceFacts) -> list[str]:
    """The remarks without the failure."""
    notes = [visible(note, 300) for note in found.notes[:_NOTES]]
    if not found.events and not found.problem:
        notes.append("nothing was recorded: no Module was called")
    missing = f"{found.dropped:,}"
    lost = "" if not found.dropped or missing in " ".join(notes) else f"{missing} moments left out"
    return [line for line in (lost, *notes) if line]


def problem_line(found: TraceFacts) -> str:
    """What the pass raised, in one line: a library may say in a second one what to do."""
    return visible(found.problem, 500).replace("\\n", " · ")


def outside(found: TraceFacts) -> list[str]:
    """What looking cannot undo, if hooks of the reader's ran."""
    own = sum(hook.readers and hook.ran > 0 for hook in found.hooks)
    return outside_words(own)


def hints(found: TraceFacts) -> list[str]:
    """Hooks in an order that one may not expect, what looking cannot undo, and what else could be seen here."""
    lines = [visible(note, 300).replace("`", "ˋ") for note in found.order[:_NOTES]]
    lines += outside(found)
    if found.problem or not found.events:
        return lines
    lines += [] if hook_lines(found) else [_NO_HOOKS]
    return lines if found.loss is not None else [*lines, _FORWARD_ONLY]
