"""How the gradient flows through a model: its size in every parameter, and what is wrong with it, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, nan, prod, sqrt
from statistics import median
from typing import Any, Literal

import numpy as np

from nbmodule_widgets.facts.arrays import part, shape_of
from nbmodule_widgets.facts.places import Place, Places
from nbmodule_widgets.facts.tensors import gradient
from nbmodule_widgets.facts.weights import measure
from nbmodule_widgets.facts.words import count, decimal, visible
from nbmodule_widgets.protocol import attempt

State = Literal["gradient", "zero", "none", "frozen", "not finite", "unreadable"]

APART = 1000.0  # first and last layers may differ by this factor before it is called a finding
QUIET = 0.05  # part of a layer's units that may well be silent in one batch
FEWEST = 4  # weights between which a trend can be told
SAMPLE = 2**14  # numbers of one gradient
_ROWS = 2**20  # numbers of a gradient that is searched for units without any
_NAMED = 3  # paths in one sentence


@dataclass(frozen=True, slots=True)
class FlowRow:
    """The gradient of one parameter.

    Attributes:
        path: Dotted path of the parameter.
        state: `"gradient"`, or why there is no size to draw: `"zero"` (every number is exactly 0),
            `"none"` (`.grad` is None), `"frozen"`, `"not finite"`, `"unreadable"`.
        rms: Root mean square: the norm for each element. NaN where there are no finite numbers.
        largest: The largest absolute value; NaN likewise.
        nonfinite: How many numbers were NaN or infinite.
        dead: Rows of the gradient (dimension 0: the output units of most layers) that are exactly zero.
        broken: Rows of the gradient with a number that is NaN or infinite.
        units: How many rows there are; 0 if they were not searched.
        weight: Whether it has two or more dimensions, as the weights of layers have.
    """

    path: str
    state: State
    rms: float
    largest: float
    nonfinite: int
    dead: tuple[int, ...]
    units: int
    weight: bool
    broken: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FlowFinding:
    """Something about the gradients that one should know.

    Attributes:
        kind: `"vanishing"`, `"exploding"`, `"dead"`, `"zero"`, `"not finite"` or `"no gradient"`.
        path: The parameter that it is about, or the first of them.
        text: The sentence, with its reason.
    """

    kind: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class GradientFlow:
    """The gradients of a model, or of a module in it, in the order in which the parameters were registered."""

    rows: tuple[FlowRow, ...]
    findings: tuple[FlowFinding, ...]


def gradient_flow(places: Places, wanted: Sequence[Place]) -> GradientFlow:
    """Reads the `.grad` of every parameter.

    Args:
        places: The tensors of the model.
        wanted: Those to look at; buffers among them are passed over.
    """
    rows = tuple(
        _row(place, places.live(place)) for place in wanted if place.tensor.kind == "parameter"
    )
    return GradientFlow(rows, findings(rows))


def flow_within(places: Places, scope: str, recorder: Any, most: int) -> GradientFlow:
    """The gradients below a Module themselves, or a Recorder's last look at them if they are gone.

    Args:
        places: The tensors of the model.
        scope: Path of the Module.
        recorder: A Recorder that watches the model, or None.
        most: Parameters to look at.
    """
    inside = [place for place in places.below(scope) if place.tensor.kind == "parameter"][:most]
    read = gradient_flow(places, inside)
    sample = None if recorder is None else recorder.latest
    if sample is None or any(row.state not in ("none", "frozen") for row in read.rows):
        return read
    return flow_of_sample(recorder, sample, inside)


def flow_of_sample(recorder: Any, sample: Any, wanted: Sequence[Place]) -> GradientFlow:
    """The flow at the last look of a Recorder, when the gradients themselves may be gone.

    Args:
        recorder: Has `paths`, the parameters it watches.
        sample: Its `latest`, with one number for each path.
        wanted: The parameters to look at.
    """
    columns = {
        path: (float(norm), float(most))
        for path, norm, most in zip(
            recorder.paths, sample.gradient_norm, sample.gradient_absmax, strict=False
        )
    }
    rows = []
    for place in wanted:
        norm, most = columns.get(place.path, (-2.0, -2.0))
        shape = place.tensor.shape or ()
        state = _state_of(norm, place.tensor.requires_grad is False)
        seen = state == "gradient"
        rms = norm / sqrt(prod(shape) or 1) if seen else 0.0 if state == "zero" else nan
        largest = most if seen else rms
        rows.append(FlowRow(place.path, state, rms, largest, 0, (), 0, len(shape) > 1))
    return GradientFlow(tuple(rows), findings(tuple(rows)))


def _state_of(norm: float, frozen: bool) -> State:
    if norm == 0:
        return "zero"
    if norm < 0:
        return "unreadable" if norm < -1 else "frozen" if frozen else "none"
    return "gradient" if isfinite(norm) else "not finite"


def _row(place: Place, tensor: object) -> FlowRow:
    weight = len(place.tensor.shape or ()) > 1
    found = gradient(tensor)
    if found is None:
        frozen = place.tensor.requires_grad is False
        return FlowRow(place.path, "frozen" if frozen else "none", nan, nan, 0, (), 0, weight)
    values, _ = measure(found, SAMPLE, bins=0)
    bad = values.nans + values.infinities
    if bad:
        sizes = (nan, nan) if values.problem else (values.rms, values.largest)
        broken, units = _rows_with(found, lambda numbers: ~np.isfinite(numbers))
        return FlowRow(place.path, "not finite", *sizes, bad, (), units, weight, broken)
    if values.problem:
        return FlowRow(place.path, "unreadable", nan, nan, bad, (), 0, weight)
    # Words that do not occur in a batch have no gradient, and nothing is wrong with them.
    alive, units = (
        _rows_with(found, lambda numbers: numbers != 0)
        if "Embedding" not in place.owner
        else ((), 0)
    )
    dead = tuple(np.setdiff1d(range(units), alive).tolist())
    zero = values.largest == 0 and not attempt(lambda: bool(part(found).value.any())).value
    state: State = "zero" if zero else "gradient"
    return FlowRow(place.path, state, values.rms, values.largest, 0, dead, units, weight)


def _rows_with(found: object, test: Callable[[Any], Any]) -> tuple[tuple[int, ...], int]:
    """The rows with a number of a kind, and how many rows there are.

    Args:
        found: A gradient.
        test: From its numbers to whether each is of that kind.
    """
    shape = shape_of(found)
    if not shape or not 0 < prod(shape) <= _ROWS:
        return (), 0
    said = part(found)
    rows = attempt(lambda: test(said.value).reshape(shape[0], -1).any(axis=1))
    if rows.problem:
        return (), 0
    return tuple(int(n) for n in np.flatnonzero(rows.value)), shape[0]


def findings(rows: Sequence[FlowRow]) -> tuple[FlowFinding, ...]:
    """What is wrong with the gradients, most serious first; nothing if all is well."""
    asked = [row for row in rows if row.state != "frozen"]
    if not asked:
        return ()
    if all(row.state == "none" for row in asked):
        said = "no parameter has a gradient: backward() has not run, or zero_grad() came after it"
        return (FlowFinding("no gradient", asked[0].path, said),)
    found = [*_not_finite(asked), *_trend(asked), *_unreached(asked), *_zero(asked), *_dead(asked)]
    return tuple(found)


def _not_finite(rows: Sequence[FlowRow]) -> list[FlowFinding]:
    bad = [row for row in rows if row.state == "not finite"]
    if not bad:
        return []
    said = (
        f"NaN or infinite numbers in the gradient of {_named(bad, _where)}: the next optimizer step would "
        "spread them to the weights"
    )
    return [FlowFinding("not finite", bad[0].path, said)]


def _trend(rows: Sequence[FlowRow]) -> list[FlowFinding]:
    """Compares the first third of the weights with the last third."""
    sized = [row for row in rows if row.weight and row.state == "gradient" and row.rms > 0]
    if len(sized) < FEWEST:
        return []
    third = max(1, len(sized) // 3)
    early, late = sized[:third], sized[-third:]
    first, last = median(row.rms for row in early), median(row.rms for row in late)
    if max(first, last) < APART * min(first, last):
        return []
    faint, loud = (early[0], late[-1]) if first < last else (late[-1], early[0])
    factor = max(first, last) / min(first, last)
    sizes = f"{decimal(loud.rms)} for each element in {visible(loud.path, 60)}, {decimal(faint.rms)} in {visible(faint.path, 60)}"
    if first < last:
        said = (
            f"vanishing: the gradient shrinks on its way back through {count(len(sized), 'weight')} "
            f"({sizes}), a factor of {factor:,.0f} between the last third and the first, so the first "
            "layers hardly learn"
        )
        return [FlowFinding("vanishing", faint.path, said)]
    said = (
        f"exploding: the gradient grows on its way back through {count(len(sized), 'weight')} "
        f"({sizes}), a factor of {factor:,.0f} between the last third and the first"
    )
    return [FlowFinding("exploding", loud.path, said)]


def _unreached(rows: Sequence[FlowRow]) -> list[FlowFinding]:
    without = [row for row in rows if row.state == "none"]
    if not without:
        return []
    said = (
        f"no gradient in {_named(without)}, though others have one: no backward() has reached "
        f"{'it' if len(without) == 1 else 'them'} since such gradients were last cleared. Perhaps forward() does not use "
        f"{'it' if len(without) == 1 else 'them'}, or the loss does not use what comes of that, or detach() cuts it off"
    )
    return [FlowFinding("no gradient", without[0].path, said)]


def _zero(rows: Sequence[FlowRow]) -> list[FlowFinding]:
    zero = [row for row in rows if row.state == "zero"]
    if not zero:
        return []
    said = (
        f"the whole gradient of {_named(zero)} is exactly zero: what follows multiplies it by 0 "
        "(a ReLU that is off for every input, a weight of 0), or zero_grad(set_to_none=False) came last"
    )
    return [FlowFinding("zero", zero[0].path, said)]


def _dead(rows: Sequence[FlowRow]) -> list[FlowFinding]:
    found = []
    for row in rows:
        if row.state != "gradient" or not row.weight or len(row.dead) <= QUIET * row.units:
            continue
        get = "gets" if len(row.dead) == 1 else "get"
        said = (
            f"dead in this batch: {len(row.dead)} of {row.units} output units of "
            f"{visible(row.path, 60)} {get} a gradient of exactly zero ({_listed(row.dead)}), as behind a "
            "ReLU that is off for every input"
        )
        found.append(FlowFinding("dead", row.path, said))
    return sorted(found, key=lambda finding: -_share(rows, finding.path))[:_NAMED]


def _share(rows: Sequence[FlowRow], path: str) -> float:
    return next(len(row.dead) / row.units for row in rows if row.path == path)


def _named(rows: Sequence[FlowRow], where: Callable[[FlowRow], str] = lambda row: "") -> str:
    names = ", ".join(visible(row.path, 60) + where(row) for row in rows[:_NAMED])
    return names + (f" and {len(rows) - _NAMED:,} more" if len(rows) > _NAMED else "")


def _where(row: FlowRow) -> str:
    """`" (rows 3, 7 of 10)"`; nothing where all rows are so, or none were searched."""
    if not 0 < len(row.broken) < row.units:
        return ""
    return f" ({_listed(row.broken)} of {row.units:,})"


def _listed(units: Sequence[int]) -> str:
    """`"rows 3, 7"`."""
    word = "row" if len(units) == 1 else "rows"
    return f"{word} {', '.join(str(unit) for unit in units[:8])}" + (" …" if units[8:] else "")
