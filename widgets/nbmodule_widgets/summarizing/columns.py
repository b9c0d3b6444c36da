"""The table as plain columns, and as a data frame where pandas is there."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbmodule_widgets.summarizing.records import UNHEARD, LayerFacts, Shape, SummaryFacts

_HOW = (
    "pandas is not installed: `pip install pandas` installs it. `view.columns` has the same columns as a dict of lists "
    "and NumPy arrays, and does not need it"
)


def columns(found: SummaryFacts) -> dict[str, Any]:
    """A column for each number: lists of texts and shapes, NumPy arrays of numbers; every row, nothing folded.

    Multiply-adds that are not known are -1; those of a Module at a second place are counted at the first.

    Args:
        found: What `summarize` returned.
    """
    layers = list(found.layers)
    made: dict[str, Any] = {
        "path": [layer.path for layer in layers],
        "type": [layer.class_name for layer in layers],
        "depth": np.array([layer.depth for layer in layers]),
    }
    if found.ran:
        made["input"] = [_shapes(layer.inputs) for layer in layers]
        made["output"] = [_shapes(layer.outputs) for layer in layers]
        made["calls"] = np.array([layer.calls or 0 for layer in layers])
    for name in ("parameters", "trainable", "frozen"):
        made[name] = np.array([getattr(layer, name) for layer in layers])
    made["bytes"] = np.array([layer.nbytes for layer in layers])
    if found.ran:
        made["multiply_adds"] = np.array([_known(layer) for layer in layers])
        made["output_bytes"] = np.array([layer.output_bytes for layer in layers])
    made["note"] = [", ".join(filter(None, [*layer.shared, layer.note])) for layer in layers]
    return made


def frame(found: SummaryFacts) -> Any:
    """The columns as a `pandas.DataFrame`.

    Args:
        found: What `summarize` returned.

    Raises:
        ImportError: If pandas is not there; the message says what to do.
    """
    try:
        from pandas import DataFrame
    except ImportError as error:
        raise ImportError(_HOW) from error
    return DataFrame(columns(found))


def _shapes(shapes: tuple[Shape, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(shape.shape for shape in shapes)


def _known(layer: LayerFacts) -> int:
    if layer.multiply_adds is None and layer.note.startswith(UNHEARD):
        return -1
    return layer.multiply_adds or 0
