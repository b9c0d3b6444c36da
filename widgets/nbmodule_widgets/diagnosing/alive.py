"""What stays alive: tensors of earlier steps that still hold their tapes, and who holds them."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator
from typing import Any

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.passes import Pass, Tape, tape_of
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, class_name, is_exactly, read

_SEVERAL = 5
_MOST = 300
_FREED = "second time"


def alive(case: Case, first: Pass | None) -> Iterator[Finding]:
    """Containers that hold outputs or losses of many passes with their tapes."""
    tapes = _tapes(case)
    if not tapes:
        return
    tensors = [t for t, _ in tapes]
    known = {id(t): (t, tape) for t, tape in tapes}
    for holder in gc.get_referrers(*tensors):
        if holder is tensors or holder is tapes or not is_exactly(holder, list, deque, set, dict):
            continue
        values = list(holder.values()) if type(holder) is dict else list(holder)
        inside = [known[id(v)] for v in values if id(v) in known]
        if len(inside) < _SEVERAL or _is_namespace(holder):
            continue
        separate = _separate([tape for _, tape in inside])
        used = sum(_is_used_up(case, tape) for _, tape in inside)
        if separate >= _SEVERAL:
            name = _name_of(holder)
            who = f"`{visible(name, 60)}`" if name else f"a {class_name(holder)}"
            yield finding(
                "graph-kept", CERTAIN if used >= _SEVERAL else LIKELY,
                f"Memory grows: {who} keeps {len(inside)} tensors with their whole tapes, and with them all that their passes saved",
                [f"{len(inside)} of its {len(values)} entries have a `grad_fn` and lead to the model's parameters",
                 f"they come from {separate} passes" + (f"; backward has been through {used} of them" if used else "")])  # fmt: skip
            return
    yield from _summed(case, first, tapes)


def _tapes(case: Case) -> list[tuple[Any, Tape]]:
    """The live tensors of the process that lead to the model's own parameters."""
    kinds = case.engine.plain if case.engine is not None else ()
    own = {id(t) for t in case.parameters.values()}
    with_history = [
        o for o in gc.get_objects()
        if type(o) in kinds and attempt(lambda o=o: o.grad_fn is not None).value
    ]  # fmt: skip
    found = []
    for tensor in with_history[:_MOST]:
        tape = tape_of(tensor)
        if own & tape.leaves.keys():
            found.append((tensor, tape))
    return found


def _separate(tapes: list[Tape]) -> int:
    """How many of the tapes share no operation with one before them."""
    met: set[int] = set()
    found = 0
    for tape in tapes:
        mine = {id(n) for n in tape.nodes if class_name(n) != "AccumulateGrad"}
        found += not mine & met
        met |= mine
    return found


def _is_used_up(case: Case, tape: Tape) -> bool:
    """Whether backward has been through it."""
    engine = case.engine
    if engine is None:
        return False
    for node in tape.nodes[:50]:
        said = attempt(engine.saved, node).value or ()
        if any(_FREED in problem for _, _, problem in said):
            return True
    return False


def _summed(case: Case, first: Pass | None, tapes: list[tuple[Any, Tape]]) -> Iterator[Finding]:
    """A running total: one tensor whose tape has many losses in it."""
    if first is None or first.loss is None or first.error is not None:
        return
    once = {
        first.copy.names.get(key): uses for key, (_, uses) in tape_of(first.loss).leaves.items()
    }
    for tensor, tape in tapes:
        uses = {case.names.get(key): n for key, (_, n) in tape.leaves.items()}
        shared = [(n, once[p], p) for p, n in uses.items() if p and once.get(p)]
        if not shared:
            continue
        n, one, path = max(shared)
        if (
            n >= _SEVERAL * one
            and _is_used_up(case, tape)
            and read(tensor, "numel").value is not None
        ):
            yield finding(
                "graph-kept", CERTAIN,
                "Memory grows: a running total of the losses was added up with their tapes, and holds all of them",
                [f"a tensor is alive whose tape uses `{visible(path, 60)}` {n} times; one loss uses it {one} "
                 f"{'time' if one == 1 else 'times'}", "backward has been through it already"])  # fmt: skip
            return


def _is_namespace(holder: Any) -> bool:
    """Whether it holds the variables of somebody's program."""
    return type(holder) is dict and any(
        k in holder for k in ("__name__", "__builtins__", "_modules")
    )


def _name_of(holder: Any) -> str:
    """The name under which a namespace or an object has a container; empty if there is none."""
    for outer in gc.get_referrers(holder):
        if type(outer) is dict:
            for key, value in list(outer.items()):
                if value is holder and isinstance(key, str) and key.isidentifier():
                    return key
    return ""
