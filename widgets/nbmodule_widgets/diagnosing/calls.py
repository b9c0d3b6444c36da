"""What shows in a call: hooks that replace the output or never run, inputs written to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.passes import Call, Pass, finite, numbers, path_of, run, same_array
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.facts.hooks import hook_name, is_readers
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, drawer, own_dict, read


def calling(case: Case, first: Pass) -> Iterator[Finding]:
    """What can be seen in a call: nothing returned, hooks that never run, inputs that are written to."""
    if first.raw is None:
        yield finding(
            "none-returned", CERTAIN if case.loss_fn is not None else LIKELY,
            "`forward` returns None: it has no `return`, or none on this path",
            ["the call raised nothing, and what it returned is None"])  # fmt: skip
    yield from _never_run(case, first)
    for mine, theirs in zip(case.inputs, first.copy.inputs, strict=False):
        before, after = (numbers(t) if is_tensor(t) else None for t in (mine, theirs))
        if before is not None and after is not None and not same_array(before, after):
            yield finding(
                "input-changed", CERTAIN,
                "`forward` writes into its input (`x += …`, `x[…] = …`, an in-place operation), so the caller's data change with each call",
                [f"after one call {int((before != after).sum()) if before.shape == after.shape else before.size} of {before.size} values of a copy of `x` were different"])  # fmt: skip


def hooked(case: Case, first: Pass) -> Iterator[Finding]:
    """A reader's hook whose returned value, which takes the place of the output, can't be meant."""
    for path, module in case.modules.items():
        hooks = [h for _, h in drawer(module, "_forward_hooks").entries if is_readers(h)]
        if not hooks:
            continue
        made = [_made_at(case, path, hooked) for hooked in (True, False)]
        with_it, without = ((each.made or [None])[0] if each else None for each in made)
        told = _cannot_be_meant(with_it, without) if without is not None else ""
        if told:
            names = ", ".join(f"`{visible(hook_name(h), 50)}`" for h in hooks[:3])
            yield finding(
                "hook-changes-output", CERTAIN,
                f"A hook on `{path_of(path)}` replaces what the layer returns: what a forward hook returns takes the place of the output",
                [f"with {names}, {told}"])  # fmt: skip
            return


def _made_at(case: Case, path: str, hooked: bool) -> Call | None:
    """What a Module of a copy returned, with its readers' hooks or without, in eval mode."""
    copy = case.fresh()
    if copy is None:
        return None
    attempt(copy.model.eval)
    if not hooked:
        own_dict(copy.at(path))["_forward_hooks"].clear()
    with case.quiet():
        calls = run(case, copy, loss=False).calls
    return next((c for c in calls if c.path == path), None)


def _cannot_be_meant(with_it: Any, without: Any) -> str:
    """What shows that a hook did not mean to replace an output; empty if it may have."""
    if with_it is None:
        return "the layer returns no tensor any more"
    one, two = numbers(with_it), numbers(without)
    if one is None or two is None:
        return ""
    if one.shape != two.shape:
        return f"its output has shape {list(one.shape)}; without, {list(two.shape)}"
    if finite(two) and not finite(one):
        return "its output is not finite; without, it is"
    if two.any() and not one.any():
        return "its output is 0 everywhere; without, it isn't"
    cut = read(with_it, "grad_fn").value is None and read(without, "grad_fn").value is not None
    return (
        "its output has no `grad_fn`, so no gradient gets back through it; without, it has"
        if cut
        else ""
    )


def _never_run(case: Case, first: Pass) -> Iterator[Finding]:
    ran = {call.path for call in first.calls}
    for path, module in case.modules.items():
        hooks = [h for _, h in drawer(module, "_forward_hooks").entries if is_readers(h)]
        if hooks and path not in ran:
            yield finding(
                "hook-never-runs", LIKELY,
                f"A hook on `{path_of(path)}` never runs: the Module is not called as a function (`self.layer.forward(x)`, or its weights are "
                "used without it), or not at all",
                [f"`{visible(hook_name(hooks[0]), 60)}` is registered, and no hook of `{path_of(path)}` ran in a pass"])  # fmt: skip
            return
