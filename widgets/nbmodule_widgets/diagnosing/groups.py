"""The parameters of an optimizer against those of the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.diagnosing.case import Case, held_by
from nbmodule_widgets.diagnosing.ownership import names_of, shapes_of
from nbmodule_widgets.diagnosing.passes import Pass, numbers, shape
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.protocol import attempt, class_name, drawer, own_dict, read


def optimizers(case: Case) -> Iterator[Finding]:
    """The parameters of the groups against those of the model."""
    if not case.optimizers:
        return
    held = [t for each in case.optimizers for t in held_by(each)]
    ids = {id(t) for t in held}
    mine = {id(t) for t in case.parameters.values()}
    known = {id(t) for _, t in tensors_in(own_dict(case.loss_fn).get("_parameters"))} | mine
    needy = {p: t for p, t in case.parameters.items() if read(t, "requires_grad").value is True}
    strangers = [t for t in held if id(t) not in known]
    missing = [p for p, t in needy.items() if id(t) not in ids]
    if case.parameters and held and not ids & mine:
        yield finding(
            "optimizer-of-another-model", CERTAIN,
            "The optimizer steps another model's parameters: none of its tensors belongs to this model (it was made before the "
            "model was created anew, copied or replaced)",
            [f"its groups hold {count(len(ids), 'tensor')}, the model {len(mine)}, and no tensor is in both",
             *_same_shapes(held, case)])  # fmt: skip
    elif strangers and missing:
        yield finding(
            "stale-optimizer", CERTAIN,
            f"The optimizer was made before a part of the model was replaced: it steps tensors that the model no longer has, and "
            f"does not know {names_of(missing)}",
            [f"{len(strangers)} tensors of its groups (shapes {shapes_of(strangers)}) are no parameters of the model",
             f"{len(missing)} parameters of the model are in no group: {names_of(missing)}"])  # fmt: skip
    elif not held and needy:
        yield finding(
            "optimizer-empty", CERTAIN, "The optimizer holds no parameters, so its steps change nothing",
            ["its groups are empty", f"the model has {count(len(needy), 'trainable parameter')}"])  # fmt: skip
    if len(held) != len(ids):
        times = Counter(map(id, held))
        paths = [p for p, t in case.parameters.items() if times[id(t)] > 1]
        yield finding(
            "optimizer-duplicates", CERTAIN,
            f"The optimizer holds {names_of(paths) or 'a tensor'} more than once, so each step moves it more than once",
            [f"its groups have {len(held)} entries for {len(ids)} tensors"])  # fmt: skip
    for each in case.optimizers:
        yield from _rates(each)


def uncovered(case: Case, first: Pass, reached: set[str]) -> Iterator[Finding]:
    """Parameters that get a gradient, that no optimizer steps, and that nobody leaves out on purpose."""
    ids = {id(t) for each in case.optimizers for t in held_by(each)}
    own = [t for _, t in drawer(case.loss_fn, "_parameters").entries if t is not None]
    own = [t for t in own if read(t, "requires_grad").value is True and id(t) not in ids]
    if own:
        yield finding(
            "optimizer-misses-parameters", LIKELY,
            f"The loss function has parameters of its own (shapes {shapes_of(own)}), and the optimizer does not hold them: they stay as they are",
            [f"{count(len(own), 'parameter')} of the {class_name(case.loss_fn)} need a gradient and are in no group"],
            "optimizer.add_param_group({'params': loss_fn.parameters()})")  # fmt: skip
        return
    mine = {id(t) for t in case.parameters.values()}
    if not case.optimizers or not ids & mine or ids - mine:
        return
    held = {p for p in reached if p in case.parameters and id(case.parameters[p]) in ids}
    left = sorted(p for p in reached - held if p in case.parameters)
    owners = {p.rpartition(".")[0] for p in left}
    learned = [c.path for c in first.calls if c.path in {p.rpartition(".")[0] for p in reached}]
    last = (
        len(owners) == 1 and len(learned) > 1 and owners == {learned[-1]} and len(set(learned)) > 2
    )
    halved = [
        p
        for p in left
        if any(p.rpartition(".")[0] == q.rpartition(".")[0] and _matrix(case, q) for q in held)
        and not _matrix(case, p)
    ]
    told = (
        f"`{visible(learned[-1], 60)}` is the last layer: it keeps its random weights, and all before it are stepped"
        if last and not halved
        else f"of {names_of(halved)} the layer's own weight is stepped"
        if halved and len(halved) == len(left)
        else _untouched(case, left)
    )
    if told:
        yield finding(
            "optimizer-misses-parameters", LIKELY,
            f"The optimizer does not hold {names_of(left)}, which gets a gradient: it stays as it is",
            [f"{len(left)} of {len(reached)} parameters with a gradient are in no group", told])  # fmt: skip


def _untouched(case: Case, left: list[str]) -> str:
    """What shows that these layers were never trained or loaded, and that their gradients are thrown away."""
    mine = {p: case.parameters[p] for p in left}
    versions = [attempt(lambda t=t: t._version).value for p, t in mine.items() if _matrix(case, p)]
    kept = [read(t, "grad").value is not None for t in mine.values()]
    training = all(own_dict(m).get("training") is True for m in case.modules.values())
    if case.file is not None or not training or not versions or not all(kept):
        return ""
    made = [_as_made(case, p) for p in mine if _matrix(case, p)]
    return (
        f"since {names_of(left)} were made nothing was written to them, no step and no file: they are random numbers, and backward "
        "computes gradients for them that nobody uses"
        if all(v == 1 for v in versions) and all(made)
        else ""
    )


def _as_made(case: Case, path: str) -> bool:
    """Whether a matrix lies within the bounds in which a new layer draws it, and fills them."""
    array = numbers(case.parameters[path])
    if array is None or array.size < 16:
        return False
    bound = float(np.prod(array.shape[1:])) ** -0.5
    return 0.7 * bound < float(np.abs(array).max()) <= bound * 1.000001


def _matrix(case: Case, path: str) -> bool:
    return len(shape(case.parameters[path])) > 1


def _rates(optimizer: Any) -> Iterator[Finding]:
    groups = read(optimizer, "param_groups").value or []
    for number, group in enumerate(groups):
        rate = attempt(lambda g=group: float(g["lr"])).value
        if rate == 0 and not group.get("initial_lr") and len(groups) == 1:
            yield finding(
                "lr-zero", CERTAIN, "The learning rate is 0, so no step changes a parameter",
                [f"`param_groups[{number}]['lr']` of the {class_name(optimizer)} is {rate:g}"])  # fmt: skip
        if rate is not None and rate < 0:
            yield finding(
                "lr-negative", CERTAIN, "The learning rate is negative: each step goes uphill",
                [f"`param_groups[{number}]['lr']` of the {class_name(optimizer)} is {rate:g}"])  # fmt: skip


def _same_shapes(held: list[Any], case: Case) -> list[str]:
    mine = sorted(shape(t) for t in case.parameters.values())
    if sorted(map(shape, held)) == mine:
        return ["the shapes are the same: it is the optimizer of another copy of this model"]
    return []
