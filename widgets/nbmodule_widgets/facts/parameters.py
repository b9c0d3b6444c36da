"""Everything that a view of one tensor is drawn from: its numbers, its gradient, its past, its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nbmodule_widgets.facts.flow import GradientFlow
from nbmodule_widgets.facts.heat import HeatMap, How, heat_map, mosaic
from nbmodule_widgets.facts.moments import Comparison, Moment, difference, matched
from nbmodule_widgets.facts.places import Place
from nbmodule_widgets.facts.tensors import gradient
from nbmodule_widgets.facts.weights import EXACT, Histogram, Values, measure, together
from nbmodule_widgets.protocol import read

Which = Literal["weight", "gradient"]

NO_GRADIENT = "None: no backward() has reached it"
NOT_ASKED_FOR = "None: requires_grad is False, so backward() leaves it out"


@dataclass(frozen=True, slots=True)
class Slice:
    """Which part of a tensor the heat map shows.

    Attributes:
        of: `"weight"` (the tensor itself) or `"gradient"`.
        axes: The dimensions that run down and across; the last two if empty.
        index: Where the other dimensions are held.
        how: What a cell shows that covers several numbers: `"mean"` or `"extreme"`.
        tiles: Whether a tensor of four dimensions is shown slice by slice; one slice of it otherwise.
    """

    of: Which = "weight"
    axes: tuple[int, ...] = ()
    index: tuple[int, ...] = ()
    how: How = "mean"
    tiles: bool = True


def chosen_slice(of: Any, axes: Any, index: Any, how: Any, tiles: bool) -> Slice:
    """The slice that was asked for, by a reader or by a page.

    Raises:
        ValueError: If `of` or `how` is none of the words that there are.
    """
    if of not in ("weight", "gradient"):
        raise ValueError(f"of must be 'weight' or 'gradient'; got {of!r}")
    if how not in ("mean", "extreme"):
        raise ValueError(f"how must be 'mean' or 'extreme'; got {how!r}")
    return Slice(of, tuple(int(n) for n in axes), tuple(int(n) for n in index), how, tiles)


@dataclass(frozen=True, slots=True, eq=False)
class ParameterFacts:
    """One tensor of a model, and the gradients around it.

    Attributes:
        place: Where the tensor lies and what it is; None if the model has no tensor.
        scope: Path of the module whose gradients are shown in `flow`; empty for the whole model.
        weight: Its numbers, summed up.
        gradient: Those of its gradient.
        shared: Histograms of both on one axis; None where there is none.
        heat: A picture of `slice.of`.
        slice: What was asked of the picture.
        flow: The gradients of all parameters in the scope.
        history: What a Recorder has noted (`TrainingFacts`), or None.
        comparison: Two moments side by side, or None.
        moved: A picture of how far each number of the tensor moved in between, or None.
        overlay: Histograms of the tensor at the two moments, or None.
    """

    place: Place | None
    scope: str
    weight: Values
    gradient: Values
    shared: tuple[Histogram, Histogram] | None
    heat: HeatMap
    slice: Slice
    flow: GradientFlow
    history: Any = None
    comparison: Comparison | None = None
    moved: HeatMap | None = None
    overlay: tuple[Histogram, Histogram] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TensorLook:
    """What one look at one tensor found: the part of `ParameterFacts` that is about it alone."""

    weight: Values
    gradient: Values
    shared: tuple[Histogram, Histogram] | None
    heat: HeatMap


def look_at(tensor: object, wanted: Slice, most: int = EXACT) -> TensorLook:
    """Reads a tensor and its gradient.

    Args:
        tensor: A tensor of any library, or None.
        wanted: What the picture should show.
        most: If there are more numbers, every n-th is counted into the statistics.
    """
    slope = gradient(tensor) if tensor is not None else None
    weight, numbers = measure(tensor, most)
    if slope is None:
        steep, slopes = Values(why_no_gradient(tensor)), np.empty(0)
    else:
        steep, slopes = measure(slope, most)
    shown, values = (slope, steep) if wanted.of == "gradient" else (tensor, weight)
    heat = _explained(values.problem) if shown is None else _picture(shown, wanted, values.limit)
    return TensorLook(weight, steep, together(numbers, slopes), heat)


def _picture(tensor: object, wanted: Slice, limit: float) -> HeatMap:
    if wanted.tiles and wanted.axes in ((), (2, 3)):
        return mosaic(tensor, wanted.how, limit)
    return heat_map(tensor, wanted.axes, wanted.index, wanted.how, limit)


def why_no_gradient(tensor: object) -> str:
    """Why the gradient of a tensor is None."""
    return NOT_ASKED_FOR if read(tensor, "requires_grad").value is False else NO_GRADIENT


def moved_heat(before: Moment, after: Moment, path: str, wanted: Slice) -> HeatMap | None:
    """A picture of the difference of one tensor between two moments; None if one of them lacks it."""
    first, second = before.kept.get(path), after.kept.get(path)
    if first is None or second is None:
        return None
    change, problem = difference(first, second)
    if change is None:
        return _explained(problem)
    steps = tuple(max(pair) for pair in zip(first.steps, second.steps, strict=True))
    index = [n // step for n, step in zip(_padded(wanted.index, len(steps)), steps, strict=True)]
    drawn = heat_map(change, wanted.axes, index, wanted.how)
    return HeatMap(
        drawn.shape, drawn.axes, drawn.index, drawn.cells, drawn.used, drawn.block, drawn.how,
        drawn.limit, drawn.problem, steps,
    )  # fmt: skip


def moved_histograms(
    before: Moment, after: Moment, path: str
) -> tuple[Histogram, Histogram] | None:
    """The numbers of one tensor at two moments, counted on one axis."""
    first, second = before.kept.get(path), after.kept.get(path)
    if first is None or second is None:
        return None
    both = [
        np.asarray(kept, dtype=np.float64).reshape(-1)
        for kept in matched(first, second)
        if kept is not None
    ]
    if len(both) < 2:
        return None
    old, new = (numbers[np.isfinite(numbers)] for numbers in both)
    return together(old, new)


def _padded(index: Sequence[int], length: int) -> list[int]:
    return [*index, *[0] * length][:length]


def _explained(problem: str) -> HeatMap:
    return HeatMap((), (), (), np.empty((0, 0), np.float32), 0, (1, 1), "mean", 1.0, problem)
