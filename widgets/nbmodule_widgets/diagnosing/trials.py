"""Where some steps on a copy lead, and which setting is to blame if they lead nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.diagnosing.case import Case, Copy, held_by
from nbmodule_widgets.diagnosing.flow import growth, too_large_weights
from nbmodule_widgets.diagnosing.passes import Pass, call_model, finite, loss_of, number, numbers
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.diagnosing.stepping import Gradients, steps_of
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.orphans import tree_of
from nbmodule_widgets.facts.words import decimal
from nbmodule_widgets.protocol import attempt, class_name, read

_STEPS = 12
_USUAL = 10_000  # by what a rate may be wrong
_GROWTH = 100  # of the values, from layer to layer, with which a blow-up begins at the weights
_HARDLY = 0.01  # of a gradient
_LARGE = 20  # the mean size of numbers that nobody scaled


def trials(case: Case, first: Pass, own: Gradients) -> Iterator[Finding]:
    """Where some steps on this batch lead, and which setting of the optimizer is to blame."""
    start = number(first.loss)
    if not case.optimizers or start is None or not np.isfinite(start) or not own.values:
        return
    if any("LBFGS" in class_name(each) for each in case.optimizers):
        return
    groups = [g for each in case.optimizers for g in read(each, "param_groups").value or []]
    rates = [r for r in (attempt(lambda g=g: float(g["lr"])).value for g in groups) if r]
    if not rates or any(r < 0 for r in rates):
        return
    for group in groups:
        if (group.get("momentum") or 0) >= 1:
            yield finding(
                "momentum-too-large", CERTAIN,
                f"The momentum is {group['momentum']:g}: with 1 or more, old gradients never fade, and the steps grow without end",
                [f"`momentum` of the {class_name(case.optimizers[0])} is {group['momentum']:g}; 0.9 is usual"])  # fmt: skip
            return
    for each, group in (
        (o, g) for o in case.optimizers for g in read(o, "param_groups").value or []
    ):
        decay = attempt(lambda g=group: float(g["weight_decay"])).value or 0.0
        part = decay * float(group["lr"])
        if decay >= 1 and 0.2 <= part < 2 and class_name(each) in ("SGD", "AdamW"):
            yield finding(
                "weight-decay-too-large", CERTAIN, "The weight decay pulls harder than the loss: the model can't learn against it",
                [f"`weight_decay` is {decay:g} and the learning rate {float(group['lr']):g}: each step of the {class_name(each)} takes {part:.0%} off every weight"])  # fmt: skip
            return
    ends = _after(case, lambda group: None)
    grown = growth(first)
    grown = grown if grown is not None and grown[0] > _GROWTH * max(grown[1], 1.0) else None
    part, alike = _clipped(case, own)
    if ends is None or (grown is None and part < 0.5):
        if ends is not None and alike and part < _HARDLY:
            yield from _shrunk(case, part, start, ends)
        return  # where the reader makes gradients smaller, these steps do not
    yield from _over_the_top(case, start, ends)
    moved = any(g.any() for g in own.values.values())
    scale = 1e-2 * (1 + abs(start)) if start >= 0 else 0.0
    if not np.isfinite(ends) or ends > 10 * abs(start) + scale or (ends > start and _rises(groups)):
        if not _survived(case):
            yield from _blown_up(case, grown, start, ends, rates, groups)
    elif (
        moved
        and abs(ends - start) <= 1e-6 * abs(start)
        and not any("initial_lr" in g for g in groups)
    ):
        for times in (1e3, 1e6, 1e9, 1e11):
            better = _after(case, lambda group, times=times: group.update(lr=group["lr"] * times))
            if better is not None and better < start - 0.01 * abs(start):
                break
        else:
            return
        if better is not None:
            yield finding(
                "lr-too-small", CERTAIN,
                f"The learning rate {rates[0]:g} is too small to change anything",
                [f"{_STEPS} steps on this batch: the loss went from {decimal(start)} to {decimal(ends)}",
                 f"with a rate {times:,.0f} times as large it goes to {decimal(better)}"])  # fmt: skip
    elif any((g.get("weight_decay") or 0) * max(1.0, 10 * rates[0]) >= 0.1 for g in groups):
        better = _after(case, lambda group: group.update(weight_decay=0.0))
        risen = ends >= start and better is not None and better < start - 0.05 * abs(start)
        pulled = max((g.get("weight_decay") or 0) * g["lr"] for g in groups) >= 0.1
        if better is not None and (risen or (pulled and better < 0.5 * ends)):
            yield finding(
                "weight-decay-too-large", CERTAIN, "The weight decay pulls harder than the loss: the model can't learn against it",
                [f"{_STEPS} steps on this batch: the loss went from {decimal(start)} to {decimal(ends)}; "
                 f"without weight decay it goes to {decimal(better)}",
                 f"`weight_decay` is {max(g.get('weight_decay') or 0 for g in groups):g}"])  # fmt: skip


def _clipped(case: Case, own: Gradients) -> tuple[float, bool]:
    """How large the gradients that lie there are, as a part of those of this batch, and whether they point the same way."""
    pairs = [
        (there.astype(np.float64).ravel(), now.astype(np.float64).ravel())
        for p, now in own.values.items()
        if (there := numbers(read(case.parameters.get(p), "grad").value)) is not None
        and there.shape == now.shape
    ]
    if not pairs:
        return 1.0, False
    there, now = (np.concatenate(side) for side in zip(*pairs, strict=True))
    one, two = float(np.linalg.norm(there)), float(np.linalg.norm(now))
    if not one or not two:
        return 1.0, False
    return one / two, float(there @ now) > 0.99 * one * two


def _shrunk(case: Case, part: float, start: float, ends: float) -> Iterator[Finding]:
    """Gradients that are made so small before each step that it changes nothing."""
    small = _after(case, lambda group: None, scale=part)
    if small is not None and ends < 0.95 * start and start - small < 2e-3 * (start - ends):
        yield finding(
            "gradient-shrunk", CERTAIN,
            f"The gradients are made {1 / part:,.0f} times smaller before the step, as by `clip_grad_norm_` with a tiny bound, and the steps change nothing",
            [f"what lies in `.grad` is {part:.1g} of the gradient of this batch",
             f"{_STEPS} steps with gradients as small as that: the loss went from {decimal(start)} to {decimal(small)}; with the gradients themselves to {decimal(ends)}"])  # fmt: skip


def _over_the_top(case: Case, start: float, ends: float) -> Iterator[Finding]:
    """Steps that are thrown far out by an input that nobody scaled, and come back to less than they could have."""
    if np.isfinite(ends) and ends < start and _range("x", case.x):
        peaks: list[float] = []
        if _after(case, lambda group: None, peaks=peaks) is not None and max(peaks) > 10 * start:
            told = f"{_STEPS} steps on this batch: the loss went from {decimal(start)} up to {decimal(max(peaks))}, and then to {decimal(ends)}"
            yield from _unscaled(case, 0.98 * ends, told)


def _survived(case: Case) -> bool:
    """Whether the reader has made many steps, and the weights are of an ordinary size."""
    steps = max((steps_of(case, t) for t in case.parameters.values()), default=0)
    sizes = [numbers(t) for t in case.parameters.values()]
    return steps >= 10 and all(
        finite(a) and float(np.abs(a).max(initial=0)) < 100 for a in sizes if a is not None
    )


def _rises(groups: list[Any]) -> bool:
    return any(g.get("maximize") for g in groups)


def _blown_up(
    case: Case,
    grown: tuple[float, float, str] | None,
    start: float,
    ends: float,
    rates: list[float],
    groups: list[Any],
) -> Iterator[Finding]:
    """The loss grew: which setting cures it."""
    told = f"{_STEPS} steps on this batch: the loss went from {decimal(start)} to {decimal(ends)}"
    if _rises(groups):
        better = _after(case, lambda group: group.update(maximize=False))
        if better is not None and better < start:
            yield finding(
                "maximized-loss", LIKELY, "The optimizer maximizes the loss: `maximize=True` is set",
                [told, f"with `maximize=False` it goes to {decimal(better)}"])  # fmt: skip
            return
    yield from _unscaled(case, start, told)
    if grown is not None and any(
        read(t, "grad").value is not None for t in case.parameters.values()
    ):
        yield from _never_fit(case, rates)
        return
    for part in (10, 100, 1000, 10_000, 1e6, 1e8, 1e10):
        better = _after(case, lambda group, part=part: group.update(lr=group["lr"] / part))
        if better is None or not np.isfinite(better) or better >= start:
            continue
        smaller = f"with a rate of {rates[0] / part:g} it goes to {decimal(better)}"
        if part <= _USUAL and grown is None:
            yield finding(
                "lr-too-large", CERTAIN,
                f"The learning rate {rates[0]:g} is too large: the steps jump over the minimum, and the loss grows",
                [told, smaller], f"optimizer.param_groups[0]['lr'] = {rates[0] / part:g}")  # fmt: skip
        elif large := [line for name in ("x", "y") if (line := _range(name, getattr(case, name)))]:
            yield finding(
                "input-not-scaled", LIKELY,
                "The numbers handed over are far from the range that layers are made for, so the steps blow up: "
                "scale them to mean 0 and deviation 1",
                [told, *large, smaller],
                "x = (x - x.mean(0)) / x.std(0); y = (y - y.mean()) / y.std()  # whichever is large")  # fmt: skip
        elif grown is not None:
            yield too_large_weights(*grown, [told, smaller])
        return


def _never_fit(case: Case, rates: list[float]) -> Iterator[Finding]:
    """Weights that have blown up: whether they would again, from new ones, and at which rate they would not."""

    def anew(copy: Copy) -> None:
        for _, module in tree_of(copy.model):
            attempt(lambda m=module: m.reset_parameters())
        for each in copy.optimizers:
            each.state.clear()
        before.append(number(loss_of(copy, call_model(copy))))

    before: list[float | None] = []
    ends = _after(case, lambda group: None, anew)
    start = before[0] if before else None
    if start is None or ends is None or (np.isfinite(ends) and ends <= 10 * abs(start)):
        return
    for part in (10, 100, 1000, 10_000):
        better = _after(case, lambda group, part=part: group.update(lr=group["lr"] / part), anew)
        if better is not None and np.isfinite(better) and better < start:
            yield finding(
                "lr-too-large", CERTAIN,
                f"The learning rate {rates[0]:g} is too large: the steps jump over the minimum, and the weights have blown up",
                [f"{_STEPS} steps on this batch from new weights: the loss went from {decimal(start)} to {decimal(ends)}",
                 f"with a rate of {rates[0] / part:g} it goes to {decimal(better)}"],
                f"optimizer.param_groups[0]['lr'] = {rates[0] / part:g}  # with a new model")  # fmt: skip
            return


def _range(name: str, given: Any) -> str:
    """Between which numbers a tensor lies, if they are large."""
    array = numbers(given) if is_tensor(given) else None
    if (
        array is None
        or array.dtype.kind != "f"
        or not finite(array)
        or np.abs(array).mean() < _LARGE
    ):
        return ""
    return f"`{name}` lies between {decimal(float(array.min()))} and {decimal(float(array.max()))}"


def _unscaled(case: Case, start: float, told: str) -> Iterator[Finding]:
    """Whether the same steps would do with an input of mean 0 and deviation 1."""
    large = _range("x", case.x)
    if not large:
        return

    def scale(copy: Copy) -> None:
        tensor = copy.inputs[0].detach()
        copy.inputs = ((tensor - tensor.mean()) / tensor.std(),)

    better = _after(case, lambda group: None, scale)
    if better is not None and np.isfinite(better) and better < start:
        yield finding(
            "input-not-scaled", LIKELY,
            "The input is far from the range that layers are made for, so the steps blow up: scale it to mean 0 and deviation 1",
            [told, large,
             f"with the same input scaled it goes to {decimal(better)}"])  # fmt: skip


def _after(
    case: Case, change: Callable[[Any], Any], prepare: Callable[[Copy], Any] = lambda copy: None,
    *, scale: float = 1.0, peaks: list[float] | None = None,
) -> float | None:  # fmt: skip
    """The loss after some steps on a copy; None where that can't be had, also for want of time."""
    copy = case.fresh() if case.in_time else None
    if copy is None:
        return None
    for each in copy.optimizers:
        for group in each.param_groups:
            change(group)
    prepare(copy)
    with case.quiet(), np.errstate(all="ignore"):
        said = attempt(_train, case, copy, scale, [] if peaks is None else peaks)
    return said.value


def _train(case: Case, copy: Copy, scale: float, losses: list[float]) -> float:
    """Some steps, with gradients times `scale`. Only the copy's own `.grad` is written: the loss may use what belongs to the reader."""
    held = {id(t): t for each in copy.optimizers for t in held_by(each)}
    learning = [t for t in held.values() if t.requires_grad]
    for _ in range(_STEPS):
        loss = loss_of(copy, call_model(copy))
        losses.append(number(loss) or 0.0)
        if not case.in_time:
            raise TimeoutError("no time for a step on a copy")
        found = case.lib.autograd.grad(loss, learning, allow_unused=True)
        for tensor, gradient in zip(learning, found, strict=True):
            tensor.grad = gradient if scale == 1 or gradient is None else gradient * scale
        for each in copy.optimizers:
            each.step()
    value = number(loss_of(copy, call_model(copy)))
    return float("nan") if value is None else value
