"""Tensors in plain attributes that `forward` reads, and that neither `.to()` nor `state_dict()` knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nbmodule_widgets.diagnosing.case import Case, Copy
from nbmodule_widgets.diagnosing.passes import (
    answered,
    methods_of,
    numbers,
    run,
    same_array,
    shape,
    tape_of,
)
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.facts.mentions import mentioned
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.facts.words import joined, visible
from nbmodule_widgets.protocol import attempt, drawer, is_exactly, own_dict, read

_MOST = 24


def attributes(case: Case) -> Iterator[Finding]:
    """Plain tensors whose values the output depends on."""
    held = {id(t) for t in [*case.parameters.values(), *case.buffers.values()]}
    asked = 0
    yield from _attached(case)
    yield from _unsaved(case)
    for path, name, value in case.plain():
        inside = [t for _, t in tensors_in(value) if _constant(t) and id(t) not in held]
        if not inside or not (is_tensor(value) or is_exactly(value, list, tuple, dict)):
            continue
        asked += 1
        if asked > _MOST or not case.in_time:
            case.notes.append("not every plain tensor attribute was tried")
            return
        if _is_read(case, path, name):
            mine = dict(drawer(case.modules[path], "_parameters").entries)
            if f"{name}_orig" in mine or f"{name}_g" in mine:
                yield _past_its_hook(joined(path, key_text(name)), path)
                return
            yield _told(case, path, name, inside[0])
            return


def _attached(case: Case) -> Iterator[Finding]:
    """State of an earlier step that still has its tape, and that `forward` reads."""
    mine = {id(t) for t in case.parameters.values()}
    for place, tensor in tensors_in((case.inputs, case.named)):
        if read(tensor, "grad_fn").value is not None and mine & tape_of(tensor).leaves.keys():
            yield _still_attached(
                f"x{place.partition(']')[2]}" if case.inputs else f"x{place}", "input"
            )
            return
    for path, tensor in case.buffers.items():
        if read(tensor, "grad_fn").value is not None:
            yield _still_attached(path, "buffer")
            return
    for path, name, value in case.plain():
        if not (is_tensor(value) or is_exactly(value, tuple, list)):
            continue
        inside = [t for _, t in tensors_in(value, 4) if read(t, "grad_fn").value is not None]
        if not inside or not mine & tape_of(*inside).leaves.keys():
            continue
        module = case.modules[path]
        if any(mentioned(f, (name,)) for f in methods_of(module, "__init__", "forward")):
            continue  # a method for it: as `reset()`, which is called between sequences
        if case.in_time and _is_read(case, path, name, kept=False):
            yield _still_attached(joined(path, key_text(name)), "attribute")
            return


def _unsaved(case: Case) -> Iterator[Finding]:
    """A buffer that training moves, that `eval()` reads, and that no file will have."""
    loose = {
        joined(path, key_text(name)): (path, name)
        for path, module in case.modules.items()
        for name in sorted(read(module, "_non_persistent_buffers_set").value or ())
    }
    loose = {at: place for at, place in loose.items() if at in case.buffers}
    copy = case.fresh() if loose else None
    if copy is None:
        return
    attempt(copy.model.train)
    with case.quiet():
        trained = run(case, copy, heard=False, loss=False)
    still = answered(case)
    if trained.error is not None or still is None:
        return
    for at, (path, name) in loose.items():
        began = numbers(case.buffers[at])
        moved, stayed = (numbers(read(c.at(path), name).value) for c in (copy, still.copy))
        if began is None or began.dtype.kind != "f" or same_array(began, moved):
            continue
        if began.squeeze().ndim > 1:
            continue  # samples, as of a queue, and no statistics
        if not same_array(began, stayed):
            continue  # a state that each call moves

        def other(copy: Copy, path: str = path, name: str = name) -> None:
            _change(getattr(copy.at(path), name))

        changed = answered(case, other)
        again = answered(case)
        if changed is None or again is None or not case.in_time:
            continue
        one, same, two = (numbers(made.out) for made in (still, again, changed))
        if one is not None and same_array(one, same) and not same_array(one, two):
            yield finding(
                "buffer-not-saved", LIKELY,
                f"What training collects in `{visible(at, 80)}` is lost with the program: it is a buffer with `persistent=False`, so no "
                "`state_dict()` has it, and `eval()` reads it",
                ["a pass in `train()` moved it, one in `eval()` did not", "with other values in it the output in `eval()` is another one"])  # fmt: skip
            return


def _past_its_hook(place: str, path: str) -> Finding:
    return finding(
        "hook-never-runs", CERTAIN,
        f"`{visible(place, 80)}` stays as it is: a hook before the call computes it anew from its parameters, and the Module is not called as a "
        f"function (`self.layer.forward(x)`, or its weight is used without it)",
        ["on a copy the output changed when its values were changed", "a call of the model did not compute it anew"],
        f"self.{visible(path, 60)}(x)  # not .forward(x)")  # fmt: skip


def _still_attached(place: str, kind: str) -> Finding:
    return finding(
        "backward-twice", CERTAIN,
        f"The {kind} `{visible(place, 80)}` carries the tape of an earlier step into the next one: backward will go through it a second "
        "time, and that fails (or grows, with `retain_graph=True`)",
        [f"`{visible(place, 80)}` has a `grad_fn` that leads to the model's parameters, before forward begins"]
        + (["on a copy the output changed when its values were changed: forward reads it"] if kind == "attribute" else []))  # fmt: skip


def _constant(tensor: Any) -> bool:
    """Whether it is data: not computed from others, and without a gradient of its own."""
    return read(tensor, "grad_fn").value is None and read(tensor, "requires_grad").value is False


def _is_read(case: Case, path: str, name: str, kept: bool = True) -> bool:
    """Whether the output changes when the attribute does, and `forward` does not set it itself."""
    outs, stays = [], True
    for changed in (False, True):
        copy = case.fresh()
        if copy is None:
            return False
        module = copy.at(path)
        attempt(copy.model.eval)
        before = own_dict(module).get(name)
        inside = [t for _, t in tensors_in(before)]
        if changed and not all(_change(t) for t in inside):
            return False
        with case.quiet():
            made = run(case, copy, heard=False, loss=False)
        stays = stays and (not kept or own_dict(module).get(name) is before)
        if made.error is not None:
            return changed and stays and bool(outs)
        outs.append([numbers(t) for _, t in tensors_in(made.raw)])
    same = len(outs[0]) == len(outs[1]) and all(map(same_array, *outs))
    return stays and not same


def _change(tensor: Any) -> bool:
    """Writes other values into a tensor of a copy."""
    array = numbers(tensor)
    if array is None or not array.size:
        return False
    kind = array.dtype.kind
    if kind == "b":
        return not attempt(lambda: tensor.copy_(~tensor)).problem
    if kind in "iu":
        return not attempt(lambda: tensor.zero_()).problem and bool(array.any())
    return not attempt(lambda: tensor.copy_(tensor * 1.7 + 0.3)).problem


def _told(case: Case, path: str, name: str, tensor: Any) -> Finding:
    place = visible(joined(path, key_text(name)), 80)
    lines = [
        f"`{place}` (shape {list(shape(tensor))}) is in no drawer: not in `parameters()`, `buffers()` or `state_dict()`",
        "on a copy the output changed when its values were changed",
    ]
    copy = case.fresh()
    if copy is not None and not attempt(lambda: copy.model.double()).problem:
        inside = [t for _, t in tensors_in(own_dict(copy.at(path)).get(name))]
        if inside and str(read(inside[0], "dtype").value) == str(read(tensor, "dtype").value):
            lines.append(
                f"`.double()` converted the model, and passed `{place}` by; so does `.to(device)`"
            )
    return finding(
        "plain-tensor", CERTAIN,
        f"`{place}` is a tensor that `forward` reads, and it is neither a Parameter nor a buffer: it is not saved, and `.to()` "
        "does not move it",
        lines)  # fmt: skip
