"""The flow of values: where they stop being numbers, die out, or no longer depend on the input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.passes import Pass, finite, kind_of, number, numbers, run
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.diagnosing.stepping import Gradients
from nbmodule_widgets.engines import Heard, recording
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.protocol import own_dict

_HEARD = 4000
_LEAST_BATCH = 4
_GROWTH = 1e5  # of the values, from the input on
_FEW = 8  # units that may all be off by chance
_SQUASHING = {"sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0)}


class Operation(NamedTuple):
    """An operation of a pass.

    Attributes:
        name: What the library calls it.
        clean: Whether all that it was given was finite.
        array: What it made, if that is of interest.
        bad: How many values of it are not finite.
    """

    name: str
    clean: bool
    array: np.ndarray | None
    bad: int


def given_values(case: Case) -> Iterator[Finding]:
    """NaN and infinity in what the reader handed over, and samples that are all the same."""
    for place, t in tensors_in((case.inputs, case.named)):
        array = numbers(t)
        if array is not None and not finite(array):
            bad = int((~np.isfinite(array)).sum())
            yield finding(
                "nan-in-input", CERTAIN, "The input has NaN or infinity in it, and they spread through every layer",
                [f"{bad} of {array.size} values of `x{place if place.count('[') > 2 else ''}` are not finite, the first at {np.argwhere(~np.isfinite(array))[0].tolist()}"])  # fmt: skip
            break
    y = numbers(case.y) if is_tensor(case.y) else None
    if y is not None and not finite(y):
        yield finding(
            "nan-in-target", CERTAIN, "The targets have NaN or infinity in them, so the loss has",
            [f"{int((~np.isfinite(y)).sum())} of {y.size} values of `y` are not finite"])  # fmt: skip
    bad = [p for p, t in [*case.parameters.items(), *case.buffers.items()] if _unfinite(t, p)]
    if bad:
        yield finding(
            "nan-in-weights", CERTAIN,
            f"The model itself has NaN or infinity in it: `{visible(bad[0], 60)}`"
            + (f" and {len(bad) - 1} more" if len(bad) > 1 else "") + ". An earlier step wrote them, and no later one can cure it",
            [f"{len(bad)} of {len(case.parameters) + len(case.buffers)} parameters and buffers are not finite"])  # fmt: skip
    x = numbers(case.x) if is_tensor(case.x) else None
    same = x is not None and x.ndim > 1 and len(x) >= _LEAST_BATCH and bool((x == x[:1]).all())
    differ = y is not None and y.ndim > 0 and len(y) > 1 and not bool((y == y[:1]).all())
    if same and x is not None and y is not None and y.ndim > 0 and (differ or np.ptp(x) > 0):
        yield finding(
            "same-sample", CERTAIN if differ else LIKELY,
            f"All samples of the batch are the same, and {'their targets are not' if differ else 'so are their targets'}",
            [f"all {len(x)} rows of `x` are equal"])  # fmt: skip


def flow(case: Case, first: Pass, own: Gradients | None) -> Iterator[Finding]:
    """What happens to the values on their way."""
    for call in first.calls:
        p = own_dict(call.module).get("p")
        if kind_of(call.module, "Dropout") and p == 1 and call.training:
            yield finding(
                "dropout-everything", CERTAIN,
                f"`{visible(call.path, 80)}` drops everything: its `p` is 1, and p is the part that is dropped",
                ["every value that it returned is 0"])  # fmt: skip
    heard = list(_operations(case))
    loss = number(first.loss)
    out = numbers(first.out)
    broken = not finite(out) or (loss is not None and not np.isfinite(loss))
    if broken:
        yield from _not_numbers(first, heard, out)
        return
    yield from _dead(heard, own)
    yield from _saturated(heard, own, out, loss)
    grown = growth(first)
    if grown is not None and grown[0] > _GROWTH * max(grown[1], 1.0):
        yield too_large_weights(*grown)
    if not any(o.name == "relu" and o.array is not None and not o.array.any() for o in heard):
        yield from _constant(first, out)
    if own is not None and own.values and loss and not any(g.any() for g in own.values.values()):
        yield finding(
            "zero-gradient", CERTAIN,
            "The loss does not depend on any parameter: every gradient is exactly 0, so nothing can learn",
            [f"all {len(own.values)} gradients are 0, and the loss is {decimal(loss)}"])  # fmt: skip


def _unfinite(tensor: Any, path: str) -> bool:
    array = numbers(tensor)
    if array is None or array.dtype.kind != "f":
        return False
    mask = path.rpartition(".")[2]
    return bool(np.isnan(array).any()) or ("mask" not in mask and not np.isfinite(array).all())


def _operations(case: Case) -> Iterator[Operation]:
    """The operations of one more pass, with what is of interest about each."""
    found: list[Operation] = []

    def hear(heard: Heard) -> None:
        if len(found) >= _HEARD or heard.error is not None:
            return
        results = [numbers(t) for _, t in tensors_in(heard.result)]
        given = [numbers(t) for _, t in tensors_in(heard.arguments)]
        name = heard.name.strip("_")
        keep = name in ("relu", "sigmoid", "tanh") and bool(results)
        bad = sum(
            int((~np.isfinite(r)).sum()) for r in results if r is not None and r.dtype.kind == "f"
        )
        clean = all(map(finite, given))
        found.append(Operation(name, clean, results[0] if keep else None, bad))

    copy = case.fresh()
    if copy is not None:
        with case.quiet(), recording(hear):
            run(case, copy, heard=False)
    return iter(found)


def _not_numbers(first: Pass, heard: list[Operation], out: np.ndarray | None) -> Iterator[Finding]:
    """Where the first value that is no number comes from."""
    for call in first.calls:
        given, made = map(numbers, call.given), [numbers(t) for t in call.made]
        if all(map(finite, given)) and not all(map(finite, made)) and call.path:
            where = f"`{visible(call.path, 80)}` ({type(call.module).__name__}) is the first Module whose input is finite and whose output is not"
            break
    else:
        where = (
            "every Module in it returned finite values"
            if not finite(out)
            else "the output is finite, the loss is not"
        )
    culprit = next((o for o in heard if o.clean and o.bad and o.name not in _FILLS), None)
    lines = [where]
    if culprit is not None:
        lines.append(
            f"the first operation with finite arguments and a result that is not finite: `{culprit.name}` ({culprit.bad} values)"
        )
    name = "nan-in-forward" if not finite(out) else "nan-loss"
    what = f" in `{culprit.name}`" if culprit is not None else ""
    place = "the model computes" if name == "nan-in-forward" else "the loss function computes"
    yield finding(
        name, CERTAIN, f"NaN or infinity arises{what}: {place} something that has no finite value (log of 0, division by 0, exp of a "
        "large number, or a row that is masked entirely)", lines)  # fmt: skip


_FILLS = (
    "masked_fill",
    "full",
    "fill",
    "where",
    "scalar_tensor",
    "tensor",
    "full_like",
    "empty",
    "empty_like",
    "new_empty",
    "empty_strided",
)


def _dead(heard: list[Operation], own: Gradients | None) -> Iterator[Finding]:
    for number_, each in enumerate(o for o in heard if o.name == "relu"):
        array = each.array
        if array is None or array.ndim < 2 or len(array) < _LEAST_BATCH or array.shape[1] < _FEW:
            continue
        if not array.any():
            yield finding(
                "dead-relu", CERTAIN,
                "A ReLU is dead: it gives 0 for every unit and every sample, so nothing before it gets a gradient",
                [f"ReLU number {number_ + 1} of the pass returned {array.size} zeros of shape {list(array.shape)}"])  # fmt: skip
            return


def _saturated(
    heard: list[Operation], own: Gradients | None, out: np.ndarray | None, loss: float | None
) -> Iterator[Finding]:
    if own is None or loss is None or abs(loss) < 1e-2:
        return
    for each in heard:
        if each.array is None or each.name not in _SQUASHING or each.array.size < 16:
            continue
        if out is not None and each.array.shape == out.shape and np.array_equal(each.array, out):
            continue
        low, high = _SQUASHING[each.name]
        share = float(((each.array < low + 1e-3) | (each.array > high - 1e-3)).mean())
        if share > 0.95:
            yield finding(
                "saturated", LIKELY,
                f"A {each.name} is saturated: its values stand at their bounds, where its derivative is 0",
                [f"{share:.0%} of its {each.array.size} values lie within 0.001 of {low:g} or {high:g}"])  # fmt: skip
            return


def growth(first: Pass) -> tuple[float, float, str] | None:
    """The mean size of the largest values that a Module returned, that of the input, and the Module's path."""
    sizes = []
    for call in first.calls:
        array = numbers(call.made[0]) if call.made and call.path else None
        if array is not None and array.dtype.kind == "f" and array.size:
            sizes.append((float(np.abs(array).mean()), call.path))
    given = [numbers(t) for t in first.calls[0].given] if first.calls else []
    start = max((float(np.abs(a).mean()) for a in given if a is not None and a.size), default=0.0)
    return (max(sizes)[0], start, max(sizes)[1]) if len(sizes) >= 3 and start > 0 else None


def too_large_weights(most: float, start: float, path: str, told: Sequence[str] = ()) -> Finding:
    """That the values grow from layer to layer, up to a Module."""
    return finding(
        "exploding-activations", LIKELY,
        f"The values grow from layer to layer, up to {decimal(most)} at `{visible(path, 60)}`: the weights are too large",
        [f"mean size of the input {decimal(start)}, of what `{visible(path, 60)}` returns {decimal(most)}", *told])  # fmt: skip


def _constant(first: Pass, out: np.ndarray | None) -> Iterator[Finding]:
    """An output that is the same for every sample."""
    x = numbers(first.copy.inputs[0]) if len(first.copy.inputs) == 1 else None
    if x is None or out is None or out.ndim < 1 or x.ndim < 2 or len(x) < _LEAST_BATCH:
        return
    if len(out) != len(x) or not (out == out[:1]).all() or (x == x[:1]).all():
        return
    last = next((c for c in reversed(first.calls) if own_dict(c.module).get("_parameters")), None)
    weight = (
        numbers(own_dict(last.module)["_parameters"].get("weight")) if last is not None else None
    )
    if weight is not None and not weight.any():
        return  # a head that begins at 0, on purpose
    yield finding(
        "output-ignores-input", CERTAIN,
        "The output is the same for every sample: it does not depend on the input",
        [f"all {len(out)} rows of the output are equal, and those of the input are not"])  # fmt: skip
