"""A recorded pass as it travels to the page: columns of numbers for the events, tables for what repeats.

A step of a 12-layer transformer is some six hundred events. Most of them say what another one says too: the output of
one module is the input of the next, and a gradient that leaves one arrives at another. So each different tensor is
sent once, and an event is a kind, a call, a time and a number in that table, five bytes in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmodule_widgets.facts.words import visible, without_ticks
from nbmodule_widgets.tracing.boxes import turning_point
from nbmodule_widgets.tracing.records import KINDS
from nbmodule_widgets.tracing.summary import (
    HookLine,
    asides,
    change_words,
    failed_in,
    hints,
    hook_kind,
    hook_lines,
    never_called,
    never_lines,
    never_sentence,
    totals,
)
from nbmodule_widgets.views.columns import Words, column, small
from nbmodule_widgets.views.trace_tensors import Tensors, lines_of, pack_tensors
from nbmodule_widgets.views.trace_words import legend, page_words

if TYPE_CHECKING:
    from nbmodule_widgets.tracing.records import TraceFacts

_LINES = 200
_REASONS = 2000
_IN_SIGHT = 60  # rows of the tree
_TABLE = 10  # lines of the table of tensors
_LANE, _LANES = 20, 180  # pixels: of a lane of the timeline, and of all


def pack_trace(found: TraceFacts, tensors: Tensors) -> dict[str, Any]:
    """A pass as one trait.

    Args:
        found: What `record` returned.
        tensors: Its tensors.

    Returns:
        `step` (events and statistics) and `tree`, `words`, … (names and texts): JSON with bytes in it.
    """
    words = Words()
    step, what = _events(found, tensors)
    forms, numbers = pack_tensors(tensors, words)
    return {
        "tree": {**_tree(found), "reasons": _reasons(found)},
        "step": {**step, **numbers, **_calls(found)},
        "what": what,
        "forms": forms,
        **_odd_calls(found),
        "hooks": _lines(found),
        "totals": totals(found),
        "back": turning_point(found),
        **_lanes(found),
        "span": _span(found),
        "failed": found.failed,
        "problem": without_ticks(found.problem, 2000).replace("\\n", " · "),
        "notes": [note.replace("`", "ˋ") for note in asides(found)],
        "words": words.table(),
        "unfold": _levels(found),
        "legend": _legend(found),
        "tall": 50 + 23 * _rows(found),
        **page_words(failed_in(found) if found.failed >= 0 else ""),
    }


def _legend(found: TraceFacts) -> list[list[str]]:
    kinds = {hook_kind(event) or event.kind for event in found.at_hooks} | _plain_kinds(found)
    backward = turning_point(found) < len(found.events)
    hooks = any("hook" in kind for kind in kinds)
    return legend(backward, hooks, "parameter gradient" in kinds, bool(never_called(found)))


def _plain_kinds(found: TraceFacts) -> set[str]:
    """The kinds of the events at which no hook ran."""
    kinds = np.delete(found.columns()["kind"], [event.number for event in found.at_hooks])
    return {KINDS[kind] for kind in np.unique(kinds)}


def _rows(found: TraceFacts) -> int:
    """How many lines the table of tensors needs, so that it is no higher than it ever gets; more are scrolled."""
    columns, most = found.columns(), {"call": 1, "return": 1}
    if turning_point(found) < len(found.events):
        most |= {"gradient in": 1, "gradient out": 1}
    high = [sum(lines_of(one) for _, one in group) for group in found.groups()]
    sizes = np.array([*high, 0])[columns["group"]]  # -1, for none, is the last one
    for event in found.at_hooks:
        sizes[event.number] += sum(lines_of(one) for _, one in event.before)
    for number in np.unique(columns["kind"]):
        kind = KINDS[number] if KINDS[number] in most else ""
        most[kind] = max(most.get(kind, 0), int(sizes[columns["kind"] == number].max()))
    hooked = {event.kind for event in found.at_hooks if "pre" in event.kind and event.before}
    return min(sum(most.values()) + len(hooked), _TABLE)


def _lanes(found: TraceFacts) -> dict[str, int]:
    """How high a lane of the timeline is, and all of them, in pixels; those that have no room are cut off."""
    lanes = 1 + int(found.columns()["call_depth"].max(initial=0))
    lane = max(2, min(_LANE, _LANES // lanes))
    return {"lane": lane, "high": min(_LANES, lane * lanes)}


def _levels(found: TraceFacts) -> int:
    """How many levels of the tree are unfolded at first: as many as can be looked over."""
    rows = np.cumsum(np.bincount(found.model.nodes.depth))
    return max(1, int(np.searchsorted(rows, _IN_SIGHT, "right")) - 1)


def _lines(found: TraceFacts) -> list[list[Any]]:
    """The lines below the timeline: a mark, a sentence, and the moment where it leads.

    A hook is marked by its number; `None` leads to the next moment where it runs, -1 nowhere.
    """
    lines: list[list[Any]] = []
    for number, line in enumerate(_ran(found), start=1):
        lines.append([number, line.sentence, None if line.events else -1])
    skipped = [line for line in hook_lines(found) if line.left_out]
    lines += [["✕", line.sentence, next(iter(line.events), -1)] for line in skipped[:_LINES]]
    lines += [["–", never_sentence(line), -1] for line in never_lines(found)[:_LINES]]
    return lines + [["i", hint, -1] for hint in hints(found)]


def _ran(found: TraceFacts) -> list[HookLine]:
    return [line for line in hook_lines(found) if not line.left_out][:_LINES]


def _reasons(found: TraceFacts) -> list[list[Any]]:
    """Why Modules were never called: the reason, and their rows."""
    rows: dict[str, list[int]] = {}
    for never in found.never_fired:
        if never.node >= 0:
            rows.setdefault(never.why, []).append(never.node)
    return [
        [visible(why, 300).replace("`", ""), column(nodes)]
        for why, nodes in list(rows.items())[:_REASONS]
    ]


def _tree(found: TraceFacts) -> dict[str, Any]:
    nodes = found.model.nodes
    names, classes = Words(), Words()
    kinds = [without_ticks(nodes.of(index).class_name, 60) for index in range(len(nodes))]
    called = [kinds[0], *(without_ticks(name, 80) for name in nodes.names[1:])]
    twins = {}
    rows = {row: index for index, row in enumerate(nodes.row)}
    for index in range(len(nodes)):
        pattern = nodes.of(index)
        if pattern.twin >= 0:
            twins[index] = rows.get(pattern.twin, 0)
    return {
        "name": column([names.number(name) for name in called]),
        "class": column([classes.number(kind) for kind in kinds]),
        "depth": column(nodes.depth),
        "names": names.table(),
        "classes": classes.table(),
        "twins": list(twins.items()),
    }  # fmt: skip


def _events(found: TraceFacts, tensors: Tensors) -> tuple[dict[str, Any], list[list[Any]]]:
    """Some five bytes for an event, and the table of what events are: kind, hook, change, mark, parameter."""
    marks: dict[int, int] = {}
    for mark, line in enumerate(_ran(found), start=1):
        marks |= dict.fromkeys(line.events, mark)
    table: dict[tuple[str, str, str, int, str], int] = {}
    columns, names = found.columns(), (*found.names, "")
    ran = {
        e.number: (hook_kind(e) or e.kind, e.name, e.changed, marks.get(e.number, 0), e.parameter)
        for e in found.at_hooks
    }
    plain = zip(columns["kind"].tolist(), columns["name"].tolist(), found.parameters, strict=True)
    what = [
        table.setdefault(ran.get(event) or (KINDS[kind], names[name], "", 0, parameter), len(table))
        for event, (kind, name, parameter) in enumerate(plain)
    ]
    strangers = np.where(columns["node"] >= 0, columns["node"] + 1 + len(found.calls), 0)
    calls = np.where(columns["call"] >= 0, columns["call"] + 1, strangers)
    times = columns["at_us"].astype(np.float64)
    ticks = np.rint(times * (65535 / _span(found))).clip(0, 65535).astype(int)
    before = [0] * len(what)
    for number, referred in tensors.before:
        before[number] = tensors.code(referred)
    step = {
        "what": column(what),
        "call": column(calls),
        "at": small(np.diff(ticks, prepend=0).clip(0).tolist()),
        "tensor": small(_near([tensors.code(given) for given in tensors.given], tensors)),
        "before": column(before if any(before) else ()),
    }
    kinds = [
        [
            kind,
            without_ticks(name, 80),
            without_ticks(change_words(change), 300),
            mark,
            without_ticks(owner, 80),
        ]
        for kind, name, change, mark, owner in table
    ]
    return step, kinds


def _near(codes: Sequence[int], tensors: Tensors) -> list[int]:
    """Tensors as steps from the newest one so far, which are small: an event mostly has it, or one of the last ones.

    0 is none; otherwise 1 is added to twice the step forward, or to twice the step back less 1.
    """
    newest, found = 0, []
    for code in codes:
        step = code - newest
        found.append(0 if not code else 1 + (2 * step if step >= 0 else -2 * step - 1))
        if code <= len(tensors.glances):
            newest = max(newest, code)
    return found


def _span(found: TraceFacts) -> float:
    """Microseconds from the first event to the last one."""
    return float(found.columns()["at_us"].max(initial=0.0)) or 1.0


def _calls(found: TraceFacts) -> dict[str, Any]:
    return {
        "node": column(found.columns()["call_node"] + 1),
        "parent": column(found.columns()["call_parent"] + 1),
    }


def _odd_calls(found: TraceFacts) -> dict[str, Any]:
    """The calls of Modules that the tree does not have, with path and class; and those that went another way."""
    columns = found.columns()
    outside = [found.calls[number] for number in np.flatnonzero(columns["call_node"] < 0).tolist()]
    strangers = [
        [call.number, [without_ticks(call.path, 120), without_ticks(call.class_name, 60)]]
        for call in outside
    ]
    direct, fused = columns["call_direct"], columns["call_fused"]
    marks = [
        [number, "direct" if direct[number] else "fused"]
        for number in np.flatnonzero(direct | fused).tolist()
    ]
    return {"strangers": strangers, "marks": marks}
