"""The table on its way to the page: texts, ready to be shown."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.summarizing.records import LayerFacts, SummaryFacts
from nbmodule_widgets.summarizing.words import (
    HEADS,
    footnotes,
    headline,
    remarks,
    row_of,
    totals_lines,
)

_ROWS = 1000
_MEANING = (
    "name and type",
    "shapes of what the first call was given",
    "shapes of what the first call returned",
    "numbers in its parameters and in those below it, each object counted once",
    "of all its calls, those of the modules below it included",
    "bytes of its parameters and buffers",
    "bytes of the tensors that its calls returned",
)


def packed(found: SummaryFacts, fold: bool = True) -> dict[str, Any]:
    """The table as one trait.

    Args:
        found: What `summarize` returned.
        fold: Whether neighbours that differ in their number alone are one row.
    """
    places = found.rows(fold)
    total = found.totals.multiply_adds or 0
    rows, parts = [], []
    for place in places[:_ROWS]:
        rows.append(row_of(found, place))
        computed = found.layers[place.index].multiply_adds or 0
        parts.append(round(computed / total, 4) if total else 0)
    nodes = found.model.nodes
    used = [0, *(n for n in range(1, 7) if any(row.cells[n - 1] for row in rows))]
    return {
        "label": visible(found.model.root.label, 120),
        "headline": headline(found),
        "heads": [[HEADS[n], _MEANING[n], n > 2] for n in used],
        "names": ["" if place.index == 0 else row.name for place, row in zip(places, rows, strict=False)],
        "kinds": [row.kind for row in rows],
        "labels": [_title(found.layers[place.index]) for place in places[:_ROWS]],
        "depths": [nodes.depth[place.index] for place in places[:_ROWS]],
        "notes": [list(row.notes) for row in rows],
        "cells": [[row.cells[n - 1] for n in used[1:]] for row in rows],
        "parts": parts,
        "computed": 4 in used,
        "more": f"… {count(len(places) - _ROWS, 'row')} more; `view.columns` has all" * (len(places) > _ROWS),
        "totals": totals_lines(found),
        "remarks": remarks(found),
        "folded": fold,
        "folds": not fold or any(place.times > 1 for place in places),
        "foot": footnotes(found, places),
    }  # fmt: skip


def _title(layer: LayerFacts) -> str:
    """Where a row stands, and what its class says of it."""
    return f"{visible(layer.path, 200)}: {layer.label}" if layer.path else layer.label
