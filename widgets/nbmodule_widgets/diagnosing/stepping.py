"""Steps on a copy: what the gradient is, whether it gets through, and where the steps lead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nbmodule_widgets.diagnosing.case import Case, Copy
from nbmodule_widgets.diagnosing.ownership import held_by
from nbmodule_widgets.diagnosing.passes import (
    Pass,
    call_model,
    finite,
    loss_of,
    number,
    numbers,
    run,
    tape_of,
)
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.protocol import attempt, class_name, read


class Gradients(NamedTuple):
    """The gradients of one loss.

    Attributes:
        values: By the path of the parameter; only those that the loss reaches.
        error: What backward raised; None if nothing.
    """

    values: dict[str, np.ndarray]
    error: BaseException | None = None


def gradients_of(case: Case, made: Pass) -> Gradients:
    """The gradients of a pass's loss, without writing to `.grad`."""
    needy = {
        p: t for p, t in made.copy.parameters.items() if read(t, "requires_grad").value is True
    }
    if not needy or not is_tensor(made.loss) or not read(made.loss, "requires_grad").value:
        return Gradients({})
    try:
        found = case.lib.autograd.grad(
            made.loss, list(needy.values()), retain_graph=True, allow_unused=True
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Gradients({}, error)
    pairs = zip(needy, map(numbers, filter_none(found)), strict=True)
    return Gradients({p: g for p, g in pairs if g is not None})


def filter_none(found: Any) -> Iterator[Any]:
    """Each gradient, as something that has no numbers where there is none."""
    return (g if g is not None else "" for g in found)


def gradients(case: Case, first: Pass, own: Gradients) -> Iterator[Finding]:
    """What is wrong with the gradients themselves.

    Args:
        case: The program.
        first: A pass with a loss.
        own: Its gradients.
    """
    loss = number(first.loss)
    bad = [p for p, g in own.values.items() if not finite(g)]
    if bad and loss is not None and np.isfinite(loss):
        yield _infinite(case, bad)
        return
    yield from _hooked(case, own)
    yield from _added_up(case, own)
    if loss is None or not np.isfinite(loss):
        return
    yield from _symmetric(first, own)
    yield from _vanishing(own)


def _hooked(case: Case, own: Gradients) -> Iterator[Finding]:
    """A hook on a parameter that turns its gradient into zeros."""
    for path, tensor in case.parameters.items():
        table = case.engine.hook_tables(tensor)[0] if case.engine is not None else None
        grad = own.values.get(path)
        if not table or grad is None or not grad.any():
            continue
        for hook in list(table.values()):
            made = numbers(attempt(lambda h=hook, g=grad: h(case.lib.tensor(g))).value)
            if made is not None and not made.any():
                yield finding(
                    "gradient-hook", CERTAIN, f"A hook on `{visible(path, 60)}` replaces its gradient by zeros, so it never learns",
                    ["the hook was given the gradient of this batch, and returned 0 everywhere"],
                )  # fmt: skip
                return


def _infinite(case: Case, bad: list[str]) -> Finding:
    """Where a gradient stops being a number on its way back."""
    culprit: list[tuple[str, Any, int]] = []
    copy = case.fresh()
    if copy is not None:
        made = run(case, copy, heard=False)
        tape = tape_of(made.loss)
        handles = [_listen(node, culprit) for node in tape.nodes if hasattr(node, "register_hook")]
        gradients_of(case, made)
        for handle in handles:
            attempt(handle.remove)
    lines = ["the loss is finite, and so is all that forward computed"]
    if culprit:
        name, node, many = culprit[0]
        lines.append(
            f"`{name}` was given a finite gradient and returned {many} values that are not finite"
        )
        lines += _zeros(case, node)
    lines.append(
        f"the next step would write them into `{visible(bad[0], 60)}`"
        + (f" and {len(bad) - 1} more" if len(bad) > 1 else "")
    )
    what = f" of `{culprit[0][0].replace('Backward0', '').lower()}`" if culprit else ""
    return finding(
        "nan-gradient", CERTAIN,
        f"The loss is finite and its gradient is not: a derivative{what} is infinite where its input is 0 (as of sqrt, norm or log)",
        lines,
    )  # fmt: skip


def _listen(node: Any, culprit: list[tuple[str, Any, int]]) -> Any:
    def heard(given: Any, taken: Any) -> None:
        arriving = [numbers(t) for t in taken if is_tensor(t)]
        leaving = [numbers(t) for t in given if is_tensor(t)]
        if not culprit and all(map(finite, arriving)) and not all(map(finite, leaving)):
            many = sum(int((~np.isfinite(a)).sum()) for a in leaving if a is not None)
            culprit.append((class_name(node), node, many))

    return attempt(node.register_hook, heard).value


def _zeros(case: Case, node: Any) -> list[str]:
    """Whether what the node kept is 0 somewhere."""
    kept = attempt(case.engine.saved, node).value or () if case.engine is not None else ()
    for name, value, _ in kept:
        array = numbers(value) if is_tensor(value) else None
        if array is not None and array.dtype.kind == "f" and (array == 0).any():
            places = np.argwhere(array == 0)[:3].tolist()
            return [f"the value that it kept ({visible(name, 30)}) is exactly 0 at {places}"]
    return []


def _added_up(case: Case, own: Gradients) -> Iterator[Finding]:
    """Gradients that were never set to zero: as many additions to `.grad` as there were steps."""
    if not case.optimizers:
        return
    told = []
    for path, tensor in case.parameters.items():
        grad = read(tensor, "grad").value
        mine = own.values.get(path)
        if grad is None or mine is None:
            continue
        written = read(grad, "_version").value
        steps = _steps_of(case, tensor)
        array = numbers(grad)
        if type(written) is not int or steps < 6 or array is None:
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
             f"its largest value is {decimal(there)}; the gradient of this batch alone has {decimal(now)}"],
        )  # fmt: skip


def _steps_of(case: Case, tensor: Any) -> int:
    """How often an optimizer has stepped a parameter: by its state, or else by how often it was written to."""
    for each in case.optimizers:
        state = read(each, "state").value
        entry = attempt(lambda state=state: state.get(tensor)).value
        said = number(entry.get("step")) if isinstance(entry, dict) else None
        if said is not None:
            return int(said)
    version = read(tensor, "_version").value
    return version - 1 if type(version) is int else 0


def _symmetric(first: Pass, own: Gradients) -> Iterator[Finding]:
    """Units that are equal, and whose gradients are equal too."""
    alike = []
    for path, tensor in first.copy.parameters.items():
        weight, grad = numbers(tensor), own.values.get(path)
        if weight is None or grad is None or weight.ndim < 2 or len(weight) < 2:
            continue
        if (weight == weight[:1]).all() and np.allclose(grad, grad[:1], rtol=1e-5, atol=0):
            alike.append((path, weight))
    if not alike or "embed" in alike[0][0].lower():
        return
    path, weight = alike[0]
    zero = not weight.any()
    yield finding(
        "symmetric-weights", CERTAIN,
        f"The units of `{visible(path, 60)}` are all alike and stay so: they began with the same weights"
        + (" (all 0)" if zero else "") + ", get the same gradient, and so never become different",
        [f"all {len(weight)} rows of `{visible(path, 60)}` are equal, and so are all rows of its gradient",
         f"{len(alike)} such {'matrix' if len(alike) == 1 else 'matrices'}"],
    )  # fmt: skip


def _vanishing(own: Gradients) -> Iterator[Finding]:
    sizes = [(p, float(np.abs(g).mean())) for p, g in own.values.items() if g.ndim > 1]
    sizes = [(p, s) for p, s in sizes if s > 0]
    if len(sizes) < 4:
        return
    (path, least), (last, most) = sizes[0], sizes[-1]
    if 0 < least < 1e-6 * most and most < 1e6:
        yield finding(
            "vanishing-gradient", LIKELY,
            f"The gradient dies out on its way back: at `{visible(path, 60)}` hardly anything arrives",
            [f"mean size of a gradient's values: {decimal(most)} at `{visible(last, 60)}`, {decimal(least)} at `{visible(path, 60)}`"],
        )  # fmt: skip
    elif 0 < most < 1e-6 * least and least > 1e3:
        yield finding(
            "exploding-gradient", LIKELY,
            f"The gradient grows on its way back, up to `{visible(path, 60)}`",
            [f"mean size of a gradient's values: {decimal(most)} at `{visible(last, 60)}`, {decimal(least)} at `{visible(path, 60)}`"],
        )  # fmt: skip


# ------------------------------------------------------------------------------------------------ trials

_STEPS = 12


def trials(case: Case, first: Pass, own: Gradients) -> Iterator[Finding]:
    """Where some steps on this batch lead, and which setting of the optimizer is to blame.

    Args:
        case: The program.
        first: A pass with a loss.
        own: Its gradients.
    """
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
                [f"`momentum` of the {class_name(case.optimizers[0])} is {group['momentum']:g}; 0.9 is usual"],
            )  # fmt: skip
            return
    ends = _after(case, lambda group: None)
    if ends is None:
        return
    if _clips(case, own):
        return  # the reader makes gradients smaller, which these steps do not
    moved = any(g.any() for g in own.values.values())
    scale = 1e-2 * (1 + abs(start)) if start >= 0 else 0.0
    if not np.isfinite(ends) or ends > 10 * abs(start) + scale or (ends > start and _rises(groups)):
        if not _survived(case):
            yield from _blown_up(case, start, ends, rates, groups)
    elif (
        moved
        and abs(ends - start) <= 1e-6 * abs(start)
        and not any("initial_lr" in g for g in groups)
    ):
        for times in (1e3, 1e6):
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
                 f"with a rate {times:,.0f} times as large it goes to {decimal(better)}"],
            )  # fmt: skip
    elif ends >= start and any((g.get("weight_decay") or 0) >= 0.1 for g in groups):
        better = _after(case, lambda group: group.update(weight_decay=0.0))
        if better is not None and better < start - 0.05 * abs(start):
            yield finding(
                "weight-decay-too-large", CERTAIN, "The weight decay pulls harder than the loss: the model can't learn against it",
                [f"{_STEPS} steps on this batch: the loss went from {decimal(start)} to {decimal(ends)}; "
                 f"without weight decay it goes to {decimal(better)}",
                 f"`weight_decay` is {max(g.get('weight_decay') or 0 for g in groups):g}"],
            )  # fmt: skip


def _clips(case: Case, own: Gradients) -> bool:
    """Whether the gradients that lie there are much smaller than those of this batch."""
    grads = [
        numbers(g) for t in case.parameters.values() if (g := read(t, "grad").value) is not None
    ]
    there = sum(float((g.astype(np.float64) ** 2).sum()) for g in grads if g is not None)
    now = sum(float((g.astype(np.float64) ** 2).sum()) for g in own.values.values())
    return bool(grads) and 0 < there < 0.25 * now


def _survived(case: Case) -> bool:
    """Whether the reader has made many steps, and the weights are of an ordinary size."""
    steps = max((_steps_of(case, t) for t in case.parameters.values()), default=0)
    sizes = [numbers(t) for t in case.parameters.values()]
    return steps >= 10 and all(
        finite(a) and float(np.abs(a).max(initial=0)) < 100 for a in sizes if a is not None
    )


def _rises(groups: list[Any]) -> bool:
    return any(g.get("maximize") for g in groups)


def _blown_up(
    case: Case, start: float, ends: float, rates: list[float], groups: list[Any]
) -> Iterator[Finding]:
    """The loss grew: which setting cures it."""
    told = f"{_STEPS} steps on this batch: the loss went from {decimal(start)} to {decimal(ends)}"
    if _rises(groups):
        better = _after(case, lambda group: group.update(maximize=False))
        if better is not None and better < start:
            yield finding(
                "maximized-loss", LIKELY, "The optimizer maximizes the loss: `maximize=True` is set",
                [told, f"with `maximize=False` it goes to {decimal(better)}"],
            )  # fmt: skip
            return
    yield from _unscaled(case, start, told)
    for part in (10, 100, 1000, 10_000):
        better = _after(case, lambda group, part=part: group.update(lr=group["lr"] / part))
        if better is not None and np.isfinite(better) and better < start:
            yield finding(
                "lr-too-large", CERTAIN,
                f"The learning rate {rates[0]:g} is too large: the steps jump over the minimum, and the loss grows",
                [told, f"with a rate of {rates[0] / part:g} it goes to {decimal(better)}"],
            )  # fmt: skip
            return


def _unscaled(case: Case, start: float, told: str) -> Iterator[Finding]:
    """Whether the same steps would do with an input of mean 0 and deviation 1."""
    x = numbers(case.x) if is_tensor(case.x) else None
    if x is None or x.dtype.kind != "f" or not finite(x) or float(np.abs(x).mean()) < 20:
        return

    def scale(copy: Copy) -> None:
        tensor = copy.inputs[0].detach()
        copy.inputs = ((tensor - tensor.mean()) / tensor.std(),)

    better = _after(case, lambda group: None, scale)
    if better is not None and np.isfinite(better) and better < start:
        yield finding(
            "input-not-scaled", LIKELY,
            "The input is far from the range that layers are made for, so the steps blow up: scale it to mean 0 and deviation 1",
            [told, f"the input lies between {decimal(float(x.min()))} and {decimal(float(x.max()))}",
             f"with the same input scaled it goes to {decimal(better)}"],
        )  # fmt: skip


def _after(
    case: Case, change: Callable[[Any], Any], prepare: Callable[[Copy], Any] = lambda copy: None
) -> float | None:
    """The loss after some steps on a copy; None where that can't be had, also for want of time."""
    copy = case.fresh() if case.in_time else None
    if copy is None:
        return None
    for each in copy.optimizers:
        for group in each.param_groups:
            change(group)
    prepare(copy)
    with case.quiet(), np.errstate(all="ignore"):
        said = attempt(_train, case, copy)
    return said.value


def _train(case: Case, copy: Copy) -> float:
    """Some steps. Only the copy's own `.grad` is written: the loss may use what belongs to the reader."""
    held = {id(t): t for each in copy.optimizers for t in held_by(each)}
    learning = [t for t in held.values() if t.requires_grad]
    for _ in range(_STEPS):
        loss = loss_of(copy, call_model(copy))
        if not case.in_time:
            raise TimeoutError("no time for a step on a copy")
        found = case.lib.autograd.grad(loss, learning, allow_unused=True)
        for tensor, gradient in zip(learning, found, strict=True):
            tensor.grad = gradient
        for each in copy.optimizers:
            each.step()
    value = number(loss_of(copy, call_model(copy)))
    return float("nan") if value is None else value
