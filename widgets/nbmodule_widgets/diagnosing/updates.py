"""What backward and the optimizer's steps left behind: gradients added up, made too small or zero, or lost on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.diagnosing.case import Case, held_by
from nbmodule_widgets.diagnosing.ownership import names_of
from nbmodule_widgets.diagnosing.passes import Pass, number, numbers, tape_of
from nbmodule_widgets.diagnosing.records import CERTAIN, Finding, finding
from nbmodule_widgets.diagnosing.stepping import Gradients, steps_of
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.protocol import attempt, class_name, read

_STEP = re.compile(r"(Sign|Sgn|Round|Floor|Ceil|Trunc)Backward")
_FEW = 3


def updates(case: Case, first: Pass, own: Gradients) -> Iterator[Finding]:
    """What became of the gradients."""
    loss = number(first.loss)
    if not case.optimizers or loss is None or not np.isfinite(loss):
        return
    yield from _lost(case, first, own)
    yield from _added_up(case, own)
    yield from _emptied(case, own)


def _lost(case: Case, first: Pass, own: Gradients) -> Iterator[Finding]:
    """Parameters on the tape that get nothing: behind a step function, or behind a Function that returns None."""
    tape = tape_of(first.loss)
    held = {id(t) for each in case.optimizers for t in held_by(each)}
    on_it = {
        p: t for p, t in first.copy.parameters.items()
        if id(t) in tape.leaves and id(case.parameters.get(p)) in held
    }  # fmt: skip
    none = [p for p in on_it if p not in own.values]
    if none and own.values:
        yield finding(
            "gradient-lost", CERTAIN,
            f"{names_of(none)} can't learn: the tape leads there, and backward brings no gradient, as when the `backward` of a Function of "
            "your own returns None",
            [f"`autograd.grad` gives {len(own.values)} of {len(on_it)} parameters a gradient, and None for {names_of(none)}"])  # fmt: skip
    steps = [n for n in tape.nodes if _STEP.match(class_name(n))]
    zero = [p for p in on_it if p in own.values and not own.values[p].any()] if steps else []
    smooth = tape_of(first.loss, but=steps).leaves if zero else {}
    behind = [p for p in zero if id(on_it[p]) not in smooth]
    if behind:
        name = class_name(steps[0]).partition("Backward")[0].lower()
        yield finding(
            "step-function", CERTAIN,
            f"{names_of(behind)} can't learn: every way back leads through `{name}`, whose derivative is 0 everywhere",
            [f"{len(behind)} of {len(own.values)} gradients are exactly 0", f"without `{name}` the tape of the loss does not reach them"])  # fmt: skip


def _added_up(case: Case, own: Gradients) -> Iterator[Finding]:
    """Gradients that were never set to zero: as many additions to `.grad` as there were steps."""
    told = []
    for path, tensor in case.parameters.items():
        grad = read(tensor, "grad").value
        mine = own.values.get(path)
        if grad is None or mine is None:
            continue
        written = read(grad, "_version").value
        steps = steps_of(case, tensor)
        array = numbers(grad)
        if type(written) is not int or steps < 2 * _FEW or array is None:
            return
        if abs(written - steps) > 2 or np.allclose(array, mine, rtol=1e-3, atol=1e-8):
            return
        told.append((path, written, steps, float(np.abs(array).max()), float(np.abs(mine).max())))
    if told:
        path, written, steps, there, now = max(told, key=lambda each: each[3])
        yield finding(
            "no-zero-grad", CERTAIN,
            "The gradients were never set to zero: `backward()` adds to `.grad`, so each step uses the sum of all gradients so far",
            [f"`{visible(path, 60)}` was stepped about {steps} times, and its `.grad` was added to {written} times without ever being made new",
             f"its largest value is {decimal(there)}; the gradient of this batch alone has {decimal(now)}"])  # fmt: skip


def _emptied(case: Case, own: Gradients) -> Iterator[Finding]:
    """Steps that never had a gradient: all that the optimizer remembers is 0."""
    learning = [t for p, t in case.parameters.items() if own.values.get(p, np.zeros(1)).any()]
    steps = [steps_of(case, t) for t in learning]
    moments = [numbers(m) for each in case.optimizers for t in learning for m in _moments(each, t)]
    zero = len(moments) >= len(learning) and not any(m is None or m.any() for m in moments)
    if learning and zero and min(steps) >= _FEW:
        yield finding(
            "zero-grad-before-step", CERTAIN,
            "Every step was made with gradients of 0: they were set to zero between `backward()` and `step()`",
            [f"the {class_name(case.optimizers[0])} made {min(steps)} steps, and its averages of the gradients are exactly 0 for all {len(learning)} parameters",
             "the gradient of this batch is not"])  # fmt: skip


def _moments(optimizer: Any, tensor: Any) -> list[Any]:
    """The averages of its gradients that an optimizer keeps for a parameter."""
    state = attempt(lambda: optimizer.state.get(tensor)).value
    kept = state if isinstance(state, dict) else {}
    return [kept[k] for k in ("exp_avg", "momentum_buffer") if is_tensor(kept.get(k))]
