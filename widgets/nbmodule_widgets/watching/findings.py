"""What is worth a reader's attention in a run: few sentences, and only such as the numbers prove.

Every rule needs several looks in a row, so that one odd batch is no finding. Rules about the size of gradients look
at matrices only (weights with two or more dimensions): the gradient of a bias before a BatchNorm, for instance, is
nothing but rounding in a healthy model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nbmodule_widgets.facts.words import count, decimal, visible
from nbmodule_widgets.watching.sample import MOSTLY_ZEROS, NO_GRADIENT, Sample

FEW, SEVERAL, MANY = 3, 5, 10  # looks in a row that a rule needs
_APART = 1e4  # gradients of two layers that differ by more
_VANISHED = 1e-8  # size of a gradient's values that were never larger
_GROWN = 1e3  # by how much gradients grow when they explode
_LARGE_STEP, _SMALL_STEP = 1e-1, 1e-4
_LEAP = 0.3  # part of a weight's norm, in a single step
_QUIET_SHARE = 0.1  # of a layer's units
_STILL = "has a gradient, yet no step changes it"
_WEIGHT, _GRADIENT, _UPDATE, _RATIO = range(4)  # as in `COLUMNS`


@dataclass(frozen=True)
class Finding:
    """One sentence about a run.

    Attributes:
        kind: `"NaN"`, `"exploding"`, `"vanishing"`, `"dead"`, `"no gradient"`, `"not moving"`, `"large steps"` or
            `"small steps"` or `"not watched"`.
        path: The parameter that it is about, or the first of several; empty for the whole model.
        text: The sentence.
    """

    kind: str
    path: str
    text: str


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the rules look at. Arrays have a row for each look and a column for each parameter.

    Attributes:
        paths: The parameters.
        numel: How many values each has.
        matrix: Which have two or more dimensions.
        frozen: Of which `requires_grad` is False.
        held: Which an optimizer that stepped holds.
        rate: The highest learning rate at the last looks; NaN where it is not known.
        whose: Of which group, such as `"group 1 of SGD"`, that rate is.
        hooked: Whether optimizers tell when they step.
        strangers: Whether an optimizer stepped that holds parameters, none of them the model's.
        steps: Step of each look of the run.
        rows: `(S, 4, P)`: the looks of the whole run, thinned. A row for each of `COLUMNS`.
        recent: `(R, 4, P)`: the newest looks, one after the other.
        latest: The newest look.
        quiet: For each parameter, how many of its values had gradient 0 in each look of a whole window.
        window: How many looks this window has.
        hidden: Sentences on Modules that lie in plain attributes, where no optimizer gets their parameters.
    """

    paths: tuple[str, ...]
    numel: np.ndarray
    matrix: np.ndarray
    frozen: np.ndarray
    held: np.ndarray
    rate: np.ndarray
    whose: Mapping[int, str]
    hooked: bool
    strangers: bool
    steps: np.ndarray
    rows: np.ndarray
    recent: np.ndarray
    latest: Sample | None
    quiet: np.ndarray
    window: int
    hidden: tuple[str, ...] = ()


def findings(e: Evidence) -> tuple[Finding, ...]:
    """All findings, the worst first."""
    unseen = tuple(Finding("not watched", "", sentence) for sentence in e.hidden)
    if not len(e.recent) or not e.paths:
        return unseen if e.hidden and not e.paths else ()
    with np.errstate(all="ignore"):
        found = [*_not_numbers(e), *_exploding(e), *_vanishing(e), *_dead(e), *_quiet_units(e)]
        found += [*_no_gradient(e), *_not_moving(e), *_steps(e)]
    return (*found, *unseen)


def _not_numbers(e: Evidence) -> list[Finding]:
    found: list[Finding] = []
    if e.latest is None or np.isfinite(e.recent[-1]).all():
        return found
    last = e.latest
    for what, nans, infs, column in (
        ("weights", last.weight_nans, last.weight_infs, _WEIGHT),
        ("gradient", last.gradient_nans, last.gradient_infs, _GRADIENT),
    ):
        # Of what was read entirely only the norm says so.
        nans = (nans > 0) | np.isnan(e.recent[-1, column])
        bad = nans | (infs > 0)
        if bad.any():
            word = "NaN" if nans.any() else "infinity"
            rows = np.flatnonzero((~np.isfinite(e.rows[:, column]) & bad).any(axis=1))
            since = f", first seen at step {e.steps[rows[0]]:,}" if rows.size else ""
            text = f"{word} in the {what} of {{}}{since}"
            found.append(_about("NaN", e, np.flatnonzero(bad), text))
    return found


def _exploding(e: Evidence) -> list[Finding]:
    found = []
    total = _totals(e.rows)
    if len(e.recent) >= SEVERAL and len(total) >= 2 * SEVERAL:
        now = float(np.median(_totals(e.recent[-SEVERAL:])))
        once = float(min(np.median(total[:SEVERAL]), np.median(total)))
        if now > _GROWN * once > 0 and now > 1:
            text = (
                f"the gradients of all parameters together grew from a norm of {decimal(once)} "
                f"to {decimal(now)}: a smaller learning rate or clipping may help"
            )
            found.append(Finding("exploding", "", text))
    sizes, usable = _gradient_sizes(e)
    if usable.size > 1 and sizes[usable[0]] > _APART * sizes[usable[-1]] > 0:
        first, last = usable[0], usable[-1]
        text = (
            f"on the way back from {_name(e, last)} to {_name(e, first)} the values of the gradients grow "
            f"{decimal(float(sizes[first] / sizes[last]))} times"
        )
        found.append(Finding("exploding", e.paths[first], text))
    return found


def _vanishing(e: Evidence) -> list[Finding]:
    sizes, usable = _gradient_sizes(e)
    if usable.size < 2:
        return []
    later = np.maximum.accumulate(sizes[usable][::-1])[::-1]
    small = usable[sizes[usable] * _APART < later]
    if not small.size:
        small = usable[(_largest_ever(e)[usable] < _VANISHED) & (sizes[usable] > 0)]
    if not small.size:
        return []
    low, high = float(sizes[small[0]]), float(later[0])
    text = f"values of about {decimal(low)} in the gradient of {{}}, against {decimal(high)} further on"
    if low * _APART >= high:
        text = f"values of about {decimal(low)} in the gradient of {{}}, since the first look"
    return [_about("vanishing", e, small, text)]


def _dead(e: Evidence) -> list[Finding]:
    if len(e.recent) < SEVERAL:
        return []
    zero = (e.recent[-SEVERAL:, _GRADIENT] == 0).all(axis=0) & (e.numel > 0) & ~e.frozen
    if not zero.any():
        return []
    text = f"every gradient value of {{}} was exactly 0 at the last {SEVERAL} looks: no signal comes back there"
    return [_about("dead", e, np.flatnonzero(zero), text + _leap(e))]


def _leap(e: Evidence) -> str:
    """What may have killed units: a step that was very large. The first step from zero always is."""
    ratio = np.nan_to_num(e.rows[:, _RATIO], posinf=0)
    usable = e.matrix & (np.abs(ratio[0] - 1) > 1e-4)
    largest = np.where(usable, ratio, 0).max(axis=0)
    if not largest.max() > _LEAP:
        return ""
    return (
        f". Before, one step changed {_name(e, int(largest.argmax()))} by {decimal(float(largest.max()))} of its "
        "norm: the learning rate may be too large"
    )


def _quiet_units(e: Evidence) -> list[Finding]:
    partly = (e.quiet >= np.maximum(1, _QUIET_SHARE * e.numel)) & (e.quiet < e.numel)
    which = np.flatnonzero(partly & ~e.frozen)
    if not which.size:
        return []
    worst = which[np.argmax((e.quiet / np.maximum(1, e.numel))[which])]
    others = (
        f" (so it is, to a lesser degree, in {len(which) - 1:,} more)" if len(which) > 1 else ""
    )
    text = (
        f"{int(e.quiet[worst]):,} of {count(int(e.numel[worst]), 'value')} of {_name(e, worst)} had a gradient of "
        f"exactly 0 at each of {e.window} looks: units that were silent in every batch looked at{others}{_leap(e)}"
    )
    return [Finding("dead", e.paths[worst], text)]


def _no_gradient(e: Evidence) -> list[Finding]:
    if len(e.recent) < FEW:
        return []
    none = (e.recent[-FEW:, _GRADIENT] == NO_GRADIENT).all(axis=0) & ~e.frozen
    if not none.any():
        return []
    if none[~e.frozen].all():
        text = "no parameter had a gradient when the optimizer stepped: backward() was not called, or zero_grad() came after it"
        if not e.hooked:
            text = (
                "no parameter had a gradient at tick(): backward() was not called, or zero_grad() came "
                "after it; call tick() before zero_grad()"
            )
        return [Finding("no gradient", "", text)]
    # What the loop moves by itself, such as an average of the weights, needs no gradient.
    none &= (e.recent[-FEW:, _UPDATE] <= 0).all(axis=0)
    if not none.any():
        return []
    text = "no gradient in {}: the loss was not computed from there"
    return [_about("no gradient", e, np.flatnonzero(none), text)]


def _not_moving(e: Evidence) -> list[Finding]:
    if len(e.recent) < FEW:
        return []
    last = e.recent[-FEW:]
    still = (last[:, _UPDATE] == 0).all(axis=0) & (e.numel > 0)
    still &= (last[:, _WEIGHT] == last[0, _WEIGHT]).all(axis=0)
    loose = ~e.held & (e.hooked or e.strangers) & ~e.frozen
    left = ~e.frozen & ~loose
    dense = left & e.matrix & _dense(e) & (e.rate != 0)
    reasons = [
        (e.frozen, "frozen, no step changes it (requires_grad is False): {}"),
        (loose, "in no optimizer that stepped, so no step changes it: {}"),
        *_without_rate(e, left & (e.rate == 0)),
        (
            dense & (e.rate > 0),
            f"{_STILL} (updates too small for its dtype, or an optimizer that stopped at a minimum): {{}}",
        ),
        (
            dense & np.isnan(e.rate),
            f"{_STILL} (perhaps a learning rate of 0, updates too small for its dtype, or an optimizer that stopped at a "
            "minimum): {}",
        ),
    ]
    found = [(np.flatnonzero(still & reason), text) for reason, text in reasons]
    return [_about("not moving", e, which, text) for which, text in found if which.size]


def _without_rate(e: Evidence, which: np.ndarray) -> list[tuple[np.ndarray, str]]:
    """Those that were stepped at a learning rate of 0, by group."""
    names = np.array([e.whose.get(index, "") for index in range(len(which))])
    text = f"the learning rate of %s was 0 at the last {FEW} looks, so no step changes it: {{}}"
    return [
        (which & (names == name), text.replace("%s", name)) for name in dict.fromkeys(names[which])
    ]


def _steps(e: Evidence) -> list[Finding]:
    if len(e.recent) < MANY or len(e.steps) < 2 * MANY:
        return []
    usable = e.matrix & _dense(e)
    now = np.median(e.recent[-MANY:, _RATIO], axis=0)
    early = np.median(e.rows[: max(MANY, len(e.rows) // 4), _RATIO], axis=0)
    large = np.flatnonzero(usable & (now > _LARGE_STEP))
    # Small from the start: that steps get smaller towards the end is as it should be.
    small = np.flatnonzero(usable & (now > 0) & (now < _SMALL_STEP) & (early < _SMALL_STEP))
    found = []
    thumb = "as a rule of thumb about 0.001 is usual"
    if large.size:
        text = f"one step changes {{}} by {decimal(float(now[large[0]]))} of its norm; {thumb}"
        found.append(_about("large steps", e, large, text))
    if 2 * small.size >= usable.sum() > 0:
        text = f"one step changes {{}} by only {decimal(float(now[small[0]]))} of its norm; {thumb}"
        found.append(_about("small steps", e, small, text))
    return found


def _gradient_sizes(e: Evidence) -> tuple[np.ndarray, np.ndarray]:
    """Typical size of a gradient's values over the newest looks, and for which matrices it is known."""
    norm = np.median(e.recent[-SEVERAL:, _GRADIENT], axis=0)
    sizes = norm / np.sqrt(np.maximum(1, e.numel))
    usable = e.matrix & (sizes > 0) & np.isfinite(sizes)
    return sizes, np.flatnonzero(usable) if len(e.recent) >= SEVERAL else np.arange(0)


def _dense(e: Evidence) -> np.ndarray:
    """Which parameters have a gradient that is not mostly zeros."""
    zeros = np.full(len(e.paths), -1.0) if e.latest is None else e.latest.gradient_zeros
    return (zeros >= 0) & (zeros < MOSTLY_ZEROS)


def _largest_ever(e: Evidence) -> np.ndarray:
    return np.nanmax(e.rows[:, _GRADIENT], axis=0) / np.sqrt(np.maximum(1, e.numel))


def _totals(tables: np.ndarray) -> np.ndarray:
    """Norm of all gradients together, for each look."""
    norms = np.maximum(np.nan_to_num(tables[:, _GRADIENT], nan=np.inf), 0)
    return np.sqrt(np.square(norms, dtype=np.float64).sum(axis=1))


def _about(kind: str, e: Evidence, which: np.ndarray, text: str) -> Finding:
    """A finding about one or several parameters; `{}` in the text stands for their names."""
    names = _name(e, which[0])
    if len(which) == 2:
        names += f" and {_name(e, which[1])}"
    elif len(which) > 2:
        names += f" and {len(which) - 1:,} more parameters"
    return Finding(kind, e.paths[which[0]], text.replace("{}", names, 1))


def _name(e: Evidence, index: int) -> str:
    return visible(e.paths[index], 80)
