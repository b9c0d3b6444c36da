"""Two calls: the same input twice, in train() and in eval(), and what BatchNorm makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.diagnosing.case import Case, Copy
from nbmodule_widgets.diagnosing.passes import (
    Call,
    Pass,
    kind_of,
    modules_below,
    number,
    numbers,
    run,
)
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, LOOK, Finding, finding
from nbmodule_widgets.engines import recording
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.protocol import attempt, drawer, own_dict, read

_FEW_STEPS = 3
_BATCH_NORM = ("BatchNorm",)


def modes(case: Case, first: Pass) -> Iterator[Finding]:
    """What the modes of the model do to its answers.

    Args:
        case: The program.
        first: A pass in the modes in which the model is.
    """
    yield from _flags(case)
    yield from _norms(case, first)
    yield from _not_restored(case)
    if first.error is not None:
        return
    yield from _random_answers(case, first)
    yield from _statistics(case)


def _flags(case: Case) -> Iterator[Finding]:
    """`model.training = False` by hand."""
    below = [m for path, m in case.modules.items() if path]
    mine = own_dict(case.model).get("training")
    flags = [own_dict(m).get("training") for m in below]
    sensitive = [
        (p, m) for p, m in case.modules.items() if p and kind_of(m, "Dropout", *_BATCH_NORM)
    ]
    if mine is False and flags and all(f is True for f in flags) and sensitive:
        yield finding(
            "training-flag-by-hand", CERTAIN,
            "The model itself is in eval mode and everything inside it still trains: `model.training = False` sets one flag, "
            "`model.eval()` sets all",
            [f"`training` is False on the model and True on all {len(flags)} Modules in it",
             f"`{_path(sensitive[0][0])}` ({type(sensitive[0][1]).__name__}) is one of them"],
        )  # fmt: skip


def _training_use(case: Case) -> bool:
    """Whether the reader speaks of training: there is a loss or an optimizer."""
    return bool(case.optimizers) or case.loss_fn is not None


def _random_answers(case: Case, first: Pass) -> Iterator[Finding]:
    """Whether the same input gives another answer in another call."""
    again = case.fresh()
    if again is None:
        return
    again.optimizers, again.loss_fn = [], None
    for _, m in modules_below(again):
        attempt(setattr, m, "training", own_dict(m).get("training"))
    one, two = _twice(case)
    if one is None or two is None:
        return
    place = _first_difference(one.calls, two.calls)
    differs = not _same(one.out, two.out)
    training = own_dict(case.model).get("training") is True
    if training and not _training_use(case):
        yield from _forgot_eval(case, one, place, differs)
    if not differs:
        return
    still = _twice(case, eval_first=True)
    if still[0] is None or still[1] is None or _same(still[0].out, still[1].out):
        return
    where = _first_difference(still[0].calls, still[1].calls)
    drops = _dropping(case)
    if drops:
        at = where.path if where is not None else ""
        own = [c for c in still[0].calls if c.path == at]
        module = own[0].module if own else None
        if module is not None and own_dict(module).get("training") is True:
            return  # Dropout that stays on in eval(): Monte-Carlo dropout, on purpose
        yield finding(
            "functional-dropout", CERTAIN,
            f"Dropout stays on in `eval()`: `{_path(at)}` drops values in its `forward` and does not ask for its mode "
            "(`F.dropout(x)` without `training=self.training`)",
            ["after `eval()` the same input gave two outputs",
             f"`{_path(at)}` is the first Module whose equal input gave unequal output; its `training` is False",
             f"the operation that ran there: `{drops}`"],
        )  # fmt: skip


def _forgot_eval(case: Case, one: Pass, place: Call | None, differs: bool) -> Iterator[Finding]:
    norms = [c for c in one.calls if kind_of(c.module, *_BATCH_NORM) and c.training]
    norms = [c for c in norms if own_dict(c.module).get("track_running_stats") is True]
    if differs and place is not None and kind_of(place.module, "Dropout"):
        still = _twice(case, eval_first=True)
        if still[0] is not None and still[1] is not None and _same(still[0].out, still[1].out):
            yield finding(
                "forgot-eval", LIKELY,
                "The model is in training mode: as predictions these outputs are random. `eval()` was not called, and "
                "`no_grad()` does not do it",
                ["the same input gave two outputs",
                 f"`{_path(place.path)}` ({type(place.module).__name__}) is the first Module that differs; its `training` is True",
                 "in `eval()` both outputs are equal"],
            )  # fmt: skip
    elif norms and not differs and _tracked(case):
        yield finding(
            "forgot-eval", LOOK,
            "The model is in training mode: if these are predictions, `eval()` is missing. BatchNorm uses this batch's own "
            "statistics, so an answer depends on its neighbours, and each call moves the running ones",
            [f"`{_path(norms[0].path)}` ({type(norms[0].module).__name__}) ran with `training` True",
             "the call moved its `running_mean`"],
        )  # fmt: skip


def _tracked(case: Case) -> bool:
    found = [number(b) for p, b in case.buffers.items() if p.endswith("num_batches_tracked")]
    return any((n or 0) > 0 for n in found)


def _twice(case: Case, eval_first: bool = False) -> tuple[Pass | None, Pass | None]:
    """Two passes with the same input, which differ in what is drawn at random."""
    found: list[Pass | None] = []
    with case.quiet():
        for _ in range(2):
            copy = case.fresh()
            if copy is None:
                return None, None
            if eval_first:
                copy.model.eval()
            made = run(case, copy, loss=False)
            found.append(None if made.error is not None else made)
    return found[0], found[1]


def _dropping(case: Case) -> str:
    """The name of an operation that drops values and ran in `eval()`; empty if there is none."""
    copy, names = case.fresh(), []
    if copy is None:
        return ""
    with recording(lambda heard: names.append(heard.name)):
        copy.model.eval()
        run(case, copy, loss=False, heard=False)
    return next((n for n in names if "drop" in n or "bernoulli" in n), "")


def _first_difference(one: list[Call], two: list[Call]) -> Call | None:
    """The first Module that was given the same and made something else."""
    for a, b in zip(one, two, strict=False):
        if a.path != b.path or len(a.made) != len(b.made):
            return None
        same_given = all(map(_same, a.given, b.given))
        if same_given and not all(map(_same, a.made, b.made)):
            return a
    return None


def _same(one: Any, two: Any) -> bool:
    a, b = numbers(one), numbers(two)
    if a is None or b is None:
        return one is None and two is None
    return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))


# ------------------------------------------------------------------------------------------------ BatchNorm


def _norms(case: Case, first: Pass) -> Iterator[Finding]:
    trainable = any(read(t, "requires_grad").value is True for t in case.parameters.values())
    moving = []
    for path, m in case.modules.items():
        if not kind_of(m, *_BATCH_NORM) or own_dict(m).get("track_running_stats") is not True:
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
                f"The running statistics of `{_path(path)}` never move: its momentum is 0, so `eval()` uses the ones it began with",
                [f"`{_path(path)}.momentum` is 0; `running_mean` keeps 1 - 0 of its old value in each step"],
            )  # fmt: skip
        elif isinstance(momentum, float) and momentum >= 0.9:
            yield finding(
                "bn-momentum", LIKELY,
                f"The running statistics of `{_path(path)}` are almost those of the last batch alone: its momentum is {momentum:g}. "
                "In PyTorch momentum is the weight of the new batch; other libraries mean the old one",
                [f"`{_path(path)}.momentum` is {momentum:g}; the default is 0.1"],
            )  # fmt: skip
        yield from _never_trained(path, m)
    if moving:
        path, m = moving[0]
        ours = next((c.module for c in first.calls if c.path == path), None)
        moved = "" if ours is None else _moved(m, ours)
        if moved:
            yield finding(
                "frozen-bn", LIKELY,
                f"The frozen part still changes: `{_path(path)}` has frozen weights, and in training mode each forward pass moves "
                "its running statistics, which `requires_grad` has no say in",
                [f"`requires_grad` is False for all parameters of `{_path(path)}`, and its `training` is True",
                 f"one pass moved {moved}",
                 f"{len(moving)} such {'layer' if len(moving) == 1 else 'layers'} in all"],
            )  # fmt: skip


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
            f"`{_path(path)}` has learned weights, and the running statistics of a new layer: they were not loaded (as by "
            "`strict=False`), or it was trained in eval mode",
            ["`running_mean` is 0 and `running_var` is 1 everywhere, `num_batches_tracked` is 0",
             f"its weight lies between {decimal(float(weight.min()))} and {decimal(float(weight.max()))}, no longer 1"],
        )  # fmt: skip


def _not_restored(case: Case) -> Iterator[Finding]:
    """More steps than batches that BatchNorm saw, and the model is in eval mode."""
    steps = _steps(case)
    if not steps or own_dict(case.model).get("training") is not False:
        return
    for path, m in case.modules.items():
        seen = number(read(m, "num_batches_tracked").value) if kind_of(m, *_BATCH_NORM) else None
        own = [t for _, t in drawer(m, "_parameters").entries if t is not None]
        learns = any(read(t, "requires_grad").value is True for t in own)
        if own_dict(m).get("momentum") is None:
            continue  # its statistics were taken on purpose
        if seen is None or not learns or own_dict(m).get("training") is not False:
            continue
        if seen + _FEW_STEPS <= steps and own_dict(m).get("track_running_stats") is True:
            yield finding(
                "train-not-restored", LIKELY,
                "The model was trained in eval mode: after a validation nobody switched back with `train()`, so Dropout is off and "
                "BatchNorm's statistics stand still",
                [f"the optimizer made {steps} steps, and `{_path(path)}` counted {int(seen)} batches in training mode",
                 "`model.training` is False now"],
            )  # fmt: skip
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


def _statistics(case: Case) -> Iterator[Finding]:
    """Whether `eval()` is bad because the running statistics do not fit."""
    if case.loss_fn is None or case.y is None or not _tracked(case):
        return
    evaluated = _loss(case, "eval")
    trained = _loss(case, "batch")
    if evaluated is None or trained is None or not evaluated > 3 * trained + 1e-6:
        return
    fitted = _loss(case, "refit")
    if fitted is None or fitted > 0.5 * evaluated:
        return
    if own_dict(case.model).get("training") is True and _steps(case) < 20:
        return  # training has just begun: they will come
    gaps = _gaps(case)
    yield finding(
        "bn-running-stats", CERTAIN if fitted < 2 * trained else LIKELY,
        "Good in `train()`, bad in `eval()`: the running statistics of BatchNorm don't fit this data",
        [f"loss with the batch's own statistics {decimal(trained)}, with the running ones {decimal(evaluated)}",
         f"with statistics taken from this data in one pass, `eval()` gives {decimal(fitted)}", *gaps],
    )  # fmt: skip


def _loss(case: Case, how: str) -> float | None:
    """The loss with everything in eval but, if so asked, BatchNorm."""
    copy = case.fresh()
    if copy is None or not case.in_time:
        return None
    attempt(copy.model.eval)
    norms = _tracking(copy)
    with case.quiet():
        if how == "batch":
            for m in norms:
                m.training = True
        elif how == "refit":
            for m in norms:
                m.reset_running_stats()
                m.momentum, m.training = None, True
            run(case, copy, heard=False, loss=False)
            for m in norms:
                m.training = False
        made = run(case, copy, heard=False)
    return number(made.loss) if made.error is None and made.loss is not None else None


def _tracking(copy: Copy) -> list[Any]:
    return [
        m for _, m in modules_below(copy)
        if kind_of(m, *_BATCH_NORM) and own_dict(m).get("track_running_stats") is True
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
        if not kind_of(call.module, *_BATCH_NORM) or not call.given:
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
        f"at `{_path(worst[1])}` the batch's mean is {decimal(worst[0])} standard deviations from `running_mean`"
    ]


def _path(path: str) -> str:
    return visible(path, 80) or "the model"
