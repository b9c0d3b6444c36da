"""BatchNorm: whose statistics it has, and whether they fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.diagnosing.case import Case, Copy
from nbmodule_widgets.diagnosing.passes import (
    Pass,
    kind_of,
    number,
    numbers,
    path_of,
    run,
)
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.diagnosing.stepping import steps_of
from nbmodule_widgets.facts.orphans import tree_of
from nbmodule_widgets.facts.words import decimal
from nbmodule_widgets.protocol import attempt, drawer, own_dict, read

_FEW_STEPS = 3
_EARLY = 20


def norms(case: Case, first: Pass) -> Iterator[Finding]:
    """Frozen layers that move, odd momenta, and learned weights without statistics."""
    trainable = any(read(t, "requires_grad").value is True for t in case.parameters.values())
    moving = []
    for path, m in case.modules.items():
        if not kind_of(m, "BatchNorm") or own_dict(m).get("track_running_stats") is not True:
            continue
        own = [t for _, t in drawer(m, "_parameters").entries if t is not None]
        frozen = bool(own) and all(read(t, "requires_grad").value is False for t in own)
        ran = any(c.path == path and c.training for c in first.calls)
        if frozen and trainable and ran and own_dict(m).get("training") is True:
            moving.append((path, m))
        momentum = own_dict(m).get("momentum")
        if momentum == 0 and own_dict(m).get("training") is True:
            yield finding(
                "bn-momentum", CERTAIN,
                f"The running statistics of `{path_of(path)}` never move: its momentum is 0, so `eval()` uses the ones it began with",
                [f"`{path_of(path)}.momentum` is 0; `running_mean` keeps 1 - 0 of its old value in each step"])  # fmt: skip
        elif isinstance(momentum, float) and momentum >= 0.9:
            yield finding(
                "bn-momentum", LIKELY,
                f"The running statistics of `{path_of(path)}` are almost those of the last batch alone: its momentum is {momentum:g}. "
                "In PyTorch momentum is the weight of the new batch; other libraries mean the old one",
                [f"`{path_of(path)}.momentum` is {momentum:g}; the default is 0.1"])  # fmt: skip
        yield from _never_trained(path, m)
    if moving:
        path, m = moving[0]
        ours = next((c.module for c in first.calls if c.path == path), None)
        moved = "" if ours is None else _moved(m, ours)
        if moved:
            yield finding(
                "frozen-bn", LIKELY,
                f"The frozen part still changes: `{path_of(path)}` has frozen weights, and in training mode each forward pass moves "
                "its running statistics, which `requires_grad` has no say in",
                [f"`requires_grad` is False for all parameters of `{path_of(path)}`, and its `training` is True",
                 f"one pass moved {moved}",
                 f"{len(moving)} such {'layer' if len(moving) == 1 else 'layers'} in all"])  # fmt: skip


def _moved(original: Any, copied: Any) -> str:
    before, after = (numbers(read(m, "running_mean").value) for m in (original, copied))
    if before is None or after is None or np.array_equal(before, after):
        return ""
    return f"`running_mean` by up to {decimal(float(np.abs(after - before).max()))}"


def _never_trained(path: str, module: Any) -> Iterator[Finding]:
    """Learned weights with the statistics of a new layer."""
    weight, mean, variance = (
        numbers(read(module, n).value) for n in ("weight", "running_mean", "running_var")
    )
    seen = number(read(module, "num_batches_tracked").value)
    if weight is None or mean is None or variance is None or seen != 0:
        return
    bias = numbers(read(module, "bias").value)
    learned = np.ptp(weight) > 1e-6 or (bias is not None and bool(np.abs(bias).max() > 1e-6))
    if learned and not mean.any() and (variance == 1).all():
        yield finding(
            "bn-without-statistics", LIKELY,
            f"`{path_of(path)}` has learned weights, and the running statistics of a new layer: they were not loaded (as by "
            "`strict=False`), or it was trained in eval mode",
            ["`running_mean` is 0 and `running_var` is 1 everywhere, `num_batches_tracked` is 0",
             f"its weight lies between {decimal(float(weight.min()))} and {decimal(float(weight.max()))}, no longer 1"])  # fmt: skip


def not_restored(case: Case) -> Iterator[Finding]:
    """More steps than batches that BatchNorm saw, and the model is in eval mode."""
    steps = _steps(case)
    if not case.optimizers or own_dict(case.model).get("training") is not False:
        return
    for path, m in case.modules.items():
        seen = number(read(m, "num_batches_tracked").value) if kind_of(m, "BatchNorm") else None
        own = [t for _, t in drawer(m, "_parameters").entries if t is not None]
        learns = any(read(t, "requires_grad").value is True for t in own)
        if own_dict(m).get("momentum") is None:
            continue  # its statistics were taken on purpose
        if seen is None or not learns or own_dict(m).get("training") is not False:
            continue
        if not steps and 4 * seen <= (written := max(steps_of(case, t) for t in own)):
            steps = written  # an optimizer without a memory of its own: how often its weights were written to
        if seen + _FEW_STEPS <= steps and own_dict(m).get("track_running_stats") is True:
            yield finding(
                "train-not-restored", LIKELY,
                "The model was trained in eval mode: after a validation nobody switched back with `train()`, so Dropout is off and "
                "BatchNorm's statistics stand still",
                [f"the optimizer made {steps} steps, and `{path_of(path)}` counted {int(seen)} batches in training mode",
                 "`model.training` is False now"])  # fmt: skip
            return


def _steps(case: Case) -> int:
    """How many steps the optimizers have made, as far as their states tell."""
    found = [0]
    for each in case.optimizers:
        state = read(each, "state").value
        for entry in list(state.values()) if isinstance(state, dict) else []:
            said = number(entry.get("step")) if isinstance(entry, dict) else None
            found.append(int(said or 0))
    return max(found)


def statistics(case: Case) -> Iterator[Finding]:
    """Whether `eval()` is bad because the running statistics do not fit."""
    if case.loss_fn is None or case.y is None or not tracked(case):
        return
    evaluated = _loss(case, "eval")
    trained = _loss(case, "batch")
    if evaluated is None or trained is None or not 0 <= 3 * trained + 1e-6 < evaluated:
        return
    fitted = _loss(case, "refit")
    if fitted is None or fitted > 0.5 * evaluated:
        return
    if tracked(case) < _EARLY or (
        own_dict(case.model).get("training") is True and _steps(case) < _EARLY
    ):
        return  # training has just begun: they will come
    gaps = _gaps(case)
    yield finding(
        "bn-running-stats", CERTAIN if fitted < 2 * trained else LIKELY,
        "Good in `train()`, bad in `eval()`: the running statistics of BatchNorm don't fit this data",
        [f"loss with the batch's own statistics {decimal(trained)}, with the running ones {decimal(evaluated)}",
         f"with statistics taken from this data in one pass, `eval()` gives {decimal(fitted)}", *gaps])  # fmt: skip


def _loss(case: Case, how: str) -> float | None:
    """The loss with everything in eval but, if so asked, BatchNorm."""
    copy = case.fresh()
    if copy is None or not case.in_time:
        return None
    attempt(copy.model.eval)
    layers = _tracking(copy)
    with case.quiet():
        if how == "batch":
            for m in layers:
                m.training = True
        elif how == "refit":
            for m in layers:
                m.reset_running_stats()
                m.momentum, m.training = None, True
            run(case, copy, heard=False, loss=False)
            for m in layers:
                m.training = False
        made = run(case, copy, heard=False)
    return number(made.loss) if made.error is None and made.loss is not None else None


def _tracking(copy: Copy) -> list[Any]:
    return [
        m for _, m in tree_of(copy.model)
        if kind_of(m, "BatchNorm") and own_dict(m).get("track_running_stats") is True
    ]  # fmt: skip


def _gaps(case: Case) -> list[str]:
    """The layer whose running mean is farthest from that of what it is given."""
    copy = case.fresh()
    if copy is None:
        return []
    attempt(copy.model.eval)
    worst: tuple[float, str] = (0.0, "")
    with case.quiet():
        made = run(case, copy, loss=False)
    for call in made.calls:
        if not kind_of(call.module, "BatchNorm") or not call.given:
            continue
        given, mean = numbers(call.given[0]), numbers(read(call.module, "running_mean").value)
        variance = numbers(read(call.module, "running_var").value)
        if given is None or mean is None or variance is None or given.ndim < 2:
            continue
        axes = tuple(n for n in range(given.ndim) if n != 1)
        gap = float((np.abs(given.mean(axes) - mean) / np.sqrt(variance + 1e-5)).max())
        worst = max(worst, (gap, call.path))
    if not worst[1]:
        return []
    return [
        f"at `{path_of(worst[1])}` the batch's mean is {decimal(worst[0])} standard deviations from `running_mean`"
    ]


def tracked(case: Case) -> float:
    """How many batches a BatchNorm has counted."""
    found = [number(b) for p, b in case.buffers.items() if p.endswith("num_batches_tracked")]
    return max((n or 0 for n in found), default=0)
