"""What the page of a ParameterView is sent: columns of numbers, and the words that go with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from nbmodule_widgets.facts.arrays import part, shape_of
from nbmodule_widgets.facts.flow import GradientFlow
from nbmodule_widgets.facts.heat import HeatMap
from nbmodule_widgets.facts.moments import Comparison
from nbmodule_widgets.facts.parameters import ParameterFacts, Slice, TensorLook
from nbmodule_widgets.facts.places import Place
from nbmodule_widgets.facts.remembered import Remembered
from nbmodule_widgets.facts.slots import tensor_words
from nbmodule_widgets.facts.tensors import gradient
from nbmodule_widgets.facts.weights import Histogram, Values
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.parameters_text import distance_text, flow_words, moved_text, unlike_lines
from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.views.columns import log_column

LISTED = 2000  # tensors that can be chosen in the page; Python and the tree reach all of them
WHOLE = 2048  # numbers; a tensor with no more is sent whole, so that the page can slice it alone
_PATH = 120
_HISTORY = 300_000  # bytes


def pack_index(places: Sequence[Place]) -> dict[str, Any]:
    """The tensors that the page lets the reader choose from."""
    listed = places[:LISTED]
    return {
        "paths": [place.path for place in listed],
        "names": [visible(place.path, _PATH) for place in listed],
        "words": [tensor_words(place.tensor) for place in listed],
        "kinds": [place.tensor.kind for place in listed],
        "numels": [place.tensor.numel for place in listed],
        "more": max(0, len(places) - LISTED),
    }


def pack_look(
    asked: str, place: Place | None, tensor: object, look: TensorLook, wanted: Slice
) -> dict[str, Any]:
    """One tensor: its statistics, histograms and picture."""
    shape = place.tensor.shape if place else None
    packed = {
        "asked": asked,
        "path": place.path if place else "",
        "name": visible(place.path, 300) if place else "no tensor",
        "words": f"{place.tensor.kind} {tensor_words(place.tensor)} in {visible(place.owner, 60)}"
        if place
        else "no parameters and no buffers here",
        "lines": _lines(look.weight, look.gradient),
        "weight": _values(look.weight),
        "gradient": _values(look.gradient),
        "shared": _pair(look.shared),
        "heat": {**pack_heat(look.heat), "of": wanted.of, "tiled": wanted.tiles},
    }
    if shape is not None and 0 < prod(shape) <= WHOLE and not look.heat.problem:
        packed["whole"] = {"shape": list(shape), "weight": _all_of(tensor, shape)}
        packed["whole"]["gradient"] = _all_of(gradient(tensor), shape)
    return packed


def pack_heat(heat: HeatMap | None) -> dict[str, Any]:
    """A picture of cells."""
    if heat is None:
        return {}
    rows, columns = heat.cells.shape
    return {
        "shape": list(heat.shape),
        "axes": list(heat.axes),
        "index": list(heat.index),
        "rows": rows,
        "columns": columns,
        "used": heat.used,
        "block": list(heat.block),
        "steps": list(heat.steps),
        "how": heat.how,
        "limit": heat.limit,
        "words": heat.words,
        "problem": heat.problem,
        "cells": heat.cells.astype("<f4").tobytes(),
        **(_tiles(heat) if heat.line else {}),
    }


def _tiles(heat: HeatMap) -> dict[str, Any]:
    return {
        "tile": list(heat.tile),
        "tiles": prod(heat.tiles),
        "others": [0, 1],
        "grid": [*heat.tiles, *heat.tile],
    }


def pack_flow(
    flow: GradientFlow, scope: str, total: int, listed: Mapping[str, int]
) -> dict[str, Any]:
    """The size of every gradient, and what is to be said about them.

    Args:
        flow: The gradients.
        scope: Path of the module that they are in; empty for the whole model.
        total: How many parameters there are.
        listed: Where each path stands in what `pack_index` returned.
    """
    where = f" in {visible(scope, _PATH)}" if scope else ""
    rows = [row for row in flow.rows if row.path in listed]
    more = f" {total - len(rows):,} more are not shown." if total > len(rows) else ""
    return {
        "rows": np.array([listed[row.path] for row in rows], "<u2").tobytes(),
        "words": [flow_words(row) for row in rows],
        "rms": _singles([row.rms for row in rows]),
        "largest": _singles([row.largest for row in rows]),
        "findings": pack_findings(flow),
        "caption": f"RMS of each gradient{where}, the usual size of one number in it, in the order of "
        f"registration; log scale. The thin line leads to the largest number.{more}",
    }


def pack_findings(flow: GradientFlow) -> list[dict[str, str]]:
    """The findings as the page lists them."""
    return [{"kind": f.kind, "path": f.path, "text": f.text} for f in flow.findings]


def pack_history(history: Any, positions: list[int], rows: list[int]) -> dict[str, Any]:
    """The norms over time of every parameter, thinned so that they fit.

    Args:
        history: `TrainingFacts`.
        positions: Columns of `history` to send.
        rows: For each of these the number of the same tensor in what `pack_index` returned.
    """
    if history is None or not len(history.steps) or not positions:
        return {}
    most = max(16, _HISTORY // (6 * len(positions)))
    looks = np.arange(len(history.steps))
    while len(looks) > most:  # the newest look always stays
        looks = looks[(len(looks) - 1) % 2 :: 2]
    pick = np.ix_(looks, np.asarray(positions))
    return {
        "rows": np.array(rows, "<u2").tobytes(),
        "steps": [int(step) for step in np.asarray(history.steps)[looks]],
        "weight": log_column(history.weight_norm[pick]),
        "gradient": log_column(history.gradient_norm[pick]),
        "update": log_column(history.update_norm[pick]),
        "more": len(history.paths) - len(positions),
    }


def pack_news(sample: Any, positions: list[int]) -> dict[str, Any]:
    """The same for one look more."""
    return {
        "step": int(sample.step),
        "weight": log_column(sample.weight_norm[positions]),
        "gradient": log_column(sample.gradient_norm[positions]),
        "update": log_column(sample.update_norm[positions]),
        "largest": log_column(sample.gradient_absmax[positions]),
    }


def pack_moments(found: ParameterFacts, moments: Remembered, most: int) -> dict[str, Any]:
    """The moments that were remembered, and how far tensors moved between two of them.

    Args:
        found: What is shown.
        moments: What was remembered.
        most: Tensors in the table.
    """
    if found.comparison is None:
        return {}
    return {
        "names": [visible(name, 60) for name in moments.names],
        "keys": moments.names,
        "chosen": list(moments.chosen),
        "table": pack_comparison(found.comparison, most),
        "heat": pack_heat(found.moved),
        "overlay": pack_pair(found.overlay),
    }


def pack_comparison(found: Comparison, most: int) -> dict[str, Any]:
    """How far each tensor moved; the rows in the order of registration."""
    rows = found.rows[:most]
    before, after = visible(found.before, 60), visible(found.after, 60)
    more = (
        f" {len(found.rows) - most:,} more tensors are not shown." if len(found.rows) > most else ""
    )
    unlike = "".join(f" {line.strip()}." for line in unlike_lines(found))
    return {
        "from": before,
        "to": after,
        "paths": [row.path for row in rows],
        "names": [visible(row.path, _PATH) for row in rows],
        "percent": _singles([100 * row.relative for row in rows]),
        "words": [row.note or distance_text(row) for row in rows],
        "lines": [moved_text(row) for row in rows],
        "caption": f"‖{after} − {before}‖ of each tensor, in per cent of ‖{before}‖, log scale.{more}{unlike}",
    }


def pack_pair(pair: tuple[Histogram, Histogram] | None) -> dict[str, Any] | None:
    """Two histograms on one axis."""
    return _pair(pair)


def _values(values: Values) -> dict[str, Any]:
    packed: dict[str, Any] = {"problem": values.problem, "limit": values.limit}
    if values.histogram is not None:
        packed["histogram"] = _histogram(values.histogram)
    return packed


def _histogram(found: Histogram) -> dict[str, Any]:
    return {"low": found.low, "high": found.high, "counts": list(found.counts)}


def _pair(pair: tuple[Histogram, Histogram] | None) -> dict[str, Any] | None:
    return None if pair is None else {"first": _histogram(pair[0]), "second": _histogram(pair[1])}


def _singles(numbers: list[float]) -> bytes:
    """As float32, in which what is too large is infinite."""
    with np.errstate(over="ignore"):
        return np.array(numbers, "<f4").tobytes()


def _all_of(tensor: object, shape: tuple[int, ...]) -> bytes:
    """The numbers of a small tensor; no bytes if there are none, or if they have another shape than they should."""
    if tensor is None or shape_of(tensor) != shape:
        return b""
    said = part(tensor)
    with np.errstate(over="ignore"):
        return attempt(lambda: said.value.astype("<f4").tobytes()).value or b""


def _lines(weight: Values, slope: Values) -> list[list[str]]:
    """Statistics side by side: a name, the weight's, the gradient's."""
    names = (
        ("mean", "mean"), ("std", "std"), ("min", "minimum"), ("max", "maximum"), ("norm √Σx²", "norm"),
        ("RMS √(Σx²/n)", "rms"), ("zeros", "zeros"), ("NaN", "nans"), ("infinite", "infinities"),
    )  # fmt: skip
    lines = [
        [name, _number(weight, attribute), _number(slope, attribute)] for name, attribute in names
    ]
    read = [_share(values) for values in (weight, slope)]
    return [*lines, ["numbers read", *read]]


def _number(values: Values, attribute: str) -> str:
    number = getattr(values, attribute)
    counted = isinstance(number, int)
    if values.problem and not (counted and values.read and attribute != "zeros"):
        return "–"
    return f"{number:,}" if counted else decimal(number)


def _share(values: Values) -> str:
    if not values.read:
        return "–"
    read = (
        f"{values.read:,} of {values.numel:,}"
        if values.read < values.numel
        else f"all {values.numel:,}"
    )
    return read if values.finite == values.read else f"{read}, {values.finite:,} finite"
