"""What a pass comes to: which hooks ran and what they did, and who was never called."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbmodule_widgets.facts.words import count, visible

if TYPE_CHECKING:
    from nbmodule_widgets.tracing.records import NeverFired, TraceFacts

_Key = tuple[str, str, str, int]  # path, kind, name, and which of that name in one call

_MODEL = "the model"
_NAMED = 12  # modules of one line
_DIRECT = "forward() was called directly, not through ()"


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
    """Modules that were never called, for one and the same reason.

    Attributes:
        why: The reason.
        modules: Their facts, in the order of the tree.
    """

    why: str
    modules: tuple[NeverFired, ...]


def place(path: str) -> str:
    """A path between backticks, or the model itself."""
    return f"`{visible(path, 100).replace('`', 'ˋ')}`" if path else _MODEL


def hook_name(name: str) -> str:
    """The name of a hook as its author wrote it, without the function that it was defined in."""
    return visible(name.rpartition("<locals>.")[2], 80)


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
    for event in found.events:
        if "hook" in event.kind:
            key = (event.path, event.kind, event.name, 0)
            key = (*key[:3], met[event.call, key])
            met[event.call, (*key[:3], 0)] += 1
            ran.setdefault(key, []).append(event.number)
            last[key] = event.changed
    lines = [
        HookLine(_ran(key[:3], len(events), last[key]), tuple(events))
        for key, events in ran.items()
    ]
    for hook in found.hooks:
        if hook.ran and "gradient" in hook.kind:  # of a tensor: it has no event of its own
            lines.append(HookLine(_ran((hook.path, hook.kind, hook.name), hook.ran, hook.changed), ()))
    for call in found.calls:
        if call.skipped:
            names = ", ".join(f"`{hook_name(name)}`" for name in call.skipped[:5])
            hooks = count(len(call.skipped), "hook")
            sentence = f"{hooks} of {place(call.path)} did not run ({names}): {_DIRECT}"
            first = (call.first_event,) if call.first_event >= 0 else ()
            lines.append(HookLine(sentence, first, True))
    return lines


def _ran(key: tuple[str, str, str], times: int, changed: str) -> str:
    path, kind, name = key
    often = "" if times == 1 else f", {times:,} times"
    did = f": {change_words(changed)}" if changed else ""
    hook = kind if kind.endswith("hook") else f"hook on the gradient ({kind})"
    return f"{hook} `{hook_name(name)}` of {place(path)}{often}{did}"


def never_lines(found: TraceFacts) -> list[NeverLine]:
    """The Modules that were never called, by reason."""
    groups: dict[str, list[NeverFired]] = {}
    for never in found.never_fired:
        groups.setdefault(never.why, []).append(never)
    return [NeverLine(why, tuple(group)) for why, group in groups.items()]


def never_sentence(line: NeverLine) -> str:
    """`"2 modules never called: container: its forward is never called: `layers`, `head`"`."""
    names = ", ".join(place(never.path) for never in line.modules[:_NAMED])
    more = f", … {len(line.modules) - _NAMED:,} more" if len(line.modules) > _NAMED else ""
    why = visible(line.why, 300).replace("`", "ˋ")
    return f"{count(len(line.modules), 'module')} never called ({why}): {names}{more}"


def totals(found: TraceFacts) -> str:
    """The pass in numbers: `"39 moments · 7 calls · 3 hook runs"`."""
    hooks = sum("hook" in event.kind for event in found.events)
    parts = [count(len(found.events), "moment"), count(len(found.calls), "call")]
    parts += [count(hooks, "hook run")] if hooks else []
    parts += [f"{len(found.never_fired):,} never called"] if found.never_fired else []
    return " · ".join(parts)


def dropped_words(found: TraceFacts) -> str:
    """That events are missing, or the empty string."""
    if not found.dropped:
        return ""
    return (
        f"{count(found.dropped, 'event')} left out, {len(found.events):,} shown: whole calls, evenly"
    )
