"""The hooks of the user as records: what each did in the pass, and in which order they fire."""

from __future__ import annotations

from nbmodule_widgets.facts.words import joined
from nbmodule_widgets.tracing.columns import Columns
from nbmodule_widgets.tracing.records import HookFacts
from nbmodule_widgets.tracing.tracer import Tracer


def hook_facts(tracer: Tracer, columns: Columns) -> tuple[HookFacts, ...]:
    """Each hook of the user with how often it ran, how often it was skipped, and what it changed last.

    Args:
        tracer: Knows the hooks.
        columns: Know what ran.
    """
    ran: dict[int, list[int]] = {}
    for event, what in enumerate(columns.ran):
        if what is not None:
            ran.setdefault(what.hook, []).append(event)
    skipped: dict[int, int] = {}
    for hooks in tracer.skipped.values():
        for hook in hooks:
            skipped[hook] = skipped.get(hook, 0) + 1
    found = []
    for number, (owner, kind, name) in enumerate(tracer.hooks):
        node, path, _ = columns.place(owner)
        if parameter := tracer.on_parameter.get(number):
            path = joined(path, parameter)
        events = ran.get(number, [])
        changed = columns.changed(events[-1]) if events else ""
        found.append(
            HookFacts(
                path,
                kind,
                name,
                node,
                len(events),
                skipped.get(number, 0),
                changed,
                number in tracer.readers,
            )
        )
    return tuple(found)


def order_notes(tracer: Tracer) -> tuple[str, ...]:
    """Where hooks fire in another order than they were registered in.

    Args:
        tracer: Has the dictionaries of the hooks.
    """
    notes = []
    if tracer.wrapped_of(-1):
        notes.append("hooks of all Modules fire before those of one Module")
    for index, subject in enumerate(tracer.subjects):
        for wrapped in tracer.wrapped_of(index):
            keys = wrapped.keys()
            if wrapped.owner != index or not all(type(key) is int for key in keys):
                continue
            if keys != sorted(keys):
                names = [name for name, _ in wrapped.names()]
                where = subject.path or "the model"
                notes.append(
                    f"{wrapped.kind} hooks of {where} fire as {', '.join(names)}: not in the order in which they "
                    "were registered (prepend=True)"
                )
    return tuple(notes)
