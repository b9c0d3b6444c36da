"""Two calls: the same input twice, in train() and in eval(), and what BatchNorm makes of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.norms import norms, not_restored, statistics, tracked
from nbmodule_widgets.diagnosing.passes import (
    Call,
    Pass,
    kind_of,
    methods_of,
    numbers,
    own_loss,
    path_of,
    run,
    same_array,
)
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.engines import recording
from nbmodule_widgets.facts.mentions import keywords, mentioned
from nbmodule_widgets.protocol import own_dict, read


def modes(case: Case, first: Pass) -> Iterator[Finding]:
    """What the modes of the model do to its answers."""
    yield from _flags(case)
    yield from norms(case, first)
    yield from not_restored(case)
    if first.error is not None:
        return
    yield from _random_answers(case, first)
    yield from statistics(case)


def _flags(case: Case) -> Iterator[Finding]:
    """`model.training = False` by hand."""
    below = [m for path, m in case.modules.items() if path]
    mine = own_dict(case.model).get("training")
    flags = [own_dict(m).get("training") for m in below]
    sensitive = [
        (p, m) for p, m in case.modules.items() if p and kind_of(m, "Dropout", "BatchNorm")
    ]
    if mine is False and flags and all(f is True for f in flags) and sensitive:
        yield finding(
            "training-flag-by-hand", CERTAIN,
            "The model itself is in eval mode and everything inside it still trains: `model.training = False` sets one flag, "
            "`model.eval()` sets all",
            [f"`training` is False on the model and True on all {len(flags)} Modules in it",
             f"`{path_of(sensitive[0][0])}` ({type(sensitive[0][1]).__name__}) is one of them"])  # fmt: skip


def _training_use(case: Case, first: Pass) -> bool:
    """Whether the reader speaks of training: there is a loss or an optimizer, or the model gives a loss itself."""
    spoken_of = bool(case.optimizers) or case.loss_fn is not None
    return spoken_of or (case.recording and own_loss(first.raw) is not None)


def _random_answers(case: Case, first: Pass) -> Iterator[Finding]:
    """Whether the same input gives another answer in another call."""
    one, two = _twice(case)
    if one is None or two is None:
        return
    place = _first_difference(one.calls, two.calls)
    differs = not _same(one.out, two.out)
    training = own_dict(case.model).get("training") is True
    if training and not _training_use(case, first):
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
        if module is not None and (kind_of(module, "Dropout") or _told_to_drop(module)):
            return
        yield finding(
            "functional-dropout", CERTAIN,
            f"Dropout stays on in `eval()`: `{path_of(at)}` drops values in its `forward` and does not ask for its mode "
            "(`F.dropout(x)` without `training=self.training`)",
            ["after `eval()` the same input gave two outputs",
             f"`{path_of(at)}` is the first Module whose equal input gave unequal output; its `training` is False",
             f"the operation that ran there: `{drops}`"])  # fmt: skip


def _told_to_drop(module: Any) -> bool:
    """Whether its code says `training=True`: dropout that is meant to stay on."""
    methods = [f for f in methods_of(module) if inspect.isfunction(f)]
    told = any("training" in keywords(f) for f in methods)
    return told and not any(mentioned(f, ("training",)) for f in methods)


def _forgot_eval(case: Case, one: Pass, place: Call | None, differs: bool) -> Iterator[Finding]:
    normed = [c for c in one.calls if kind_of(c.module, "BatchNorm") and c.training]
    normed = [c for c in normed if own_dict(c.module).get("track_running_stats") is True]
    graded = any(read(t, "grad").value is not None for t in case.parameters.values())
    if differs and place is not None and kind_of(place.module, "Dropout"):
        still = _twice(case, eval_first=True)
        if still[0] is not None and still[1] is not None and _same(still[0].out, still[1].out):
            yield finding(
                "forgot-eval", LIKELY,
                "The model is in training mode: as predictions these outputs are random. `eval()` was not called, and "
                "`no_grad()` does not do it",
                ["the same input gave two outputs",
                 f"`{path_of(place.path)}` ({type(place.module).__name__}) is the first Module that differs; its `training` is True",
                 "in `eval()` both outputs are equal"])  # fmt: skip
    elif normed and not differs and tracked(case) and not graded:
        yield finding(
            "forgot-eval", LIKELY,
            "The model is in training mode: if these are predictions, `eval()` is missing. BatchNorm uses this batch's own "
            "statistics, so an answer depends on its neighbours, and each call moves the running ones",
            [f"`{path_of(normed[0].path)}` ({type(normed[0].module).__name__}) ran with `training` True",
             "the call moved its `running_mean`, and no parameter has a gradient: nobody trains here"])  # fmt: skip


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
    return same_array(numbers(one), numbers(two))
