"""The reader's own variables: their names say more to the reader than any number.

This is the one place where a view looks into frames, and only into those of the reader's own code: what stands there is
what the reader wrote. What a library does is heard from the library.
"""

from __future__ import annotations

import sys
import traceback
from itertools import islice
from types import FrameType
from typing import Any

from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.protocol import class_name, has_drawers, plain_text

_MOST_MODELS = 20


def variables_of_caller() -> dict[str, Any]:
    """The variables of the innermost function that is none of ours, with the globals that it sees."""
    frame: Any = sys._getframe(1)
    while frame is not None and plain_text(frame.f_globals.get("__name__", "")).startswith(
        "nbmodule_widgets"
    ):
        frame = frame.f_back
    variables = _variables(frame) if frame is not None else {}
    return {n: v for n, v in variables.items() if not n.startswith("_")}


def variables_where_raised(error: BaseException, place: int) -> dict[str, Any]:
    """The variables of a function of the reader's that an exception has left.

    Args:
        error: The exception.
        place: Which entry of its traceback; one whose code is the reader's.
    """
    frames = traceback.walk_tb(error.__traceback__)
    frame = next(islice(frames, place, None), (None, 0))[0]
    return _variables(frame) if frame is not None else {}


def _variables(frame: FrameType) -> dict[str, Any]:
    variables = {**frame.f_globals, **frame.f_locals}
    return {name: value for name, value in variables.items() if type(name) is str}


def name_variables(names: Names, variables: dict[str, Any], results: tuple[Any, ...] = ()) -> str:
    """Names tensors after variables; returns the name of the result.

    Args:
        names: Where to put them. A parameter or buffer of a known model keeps its own name.
        variables: The caller's variables.
        results: What the graph is drawn of.
    """
    label = ""
    wanted = {id(t) for t in results}
    for name, value in variables.items():
        if not _is_tensor_variable(value):
            continue
        if id(value) in wanted:
            label = label or visible(name, 60)
        if id(value) not in names.kinds:
            names.name(value, visible(name, 60))
    return label


def adopt_models(names: Names, variables: dict[str, Any], leaves: list[Any]) -> list[Any]:
    """Finds the Modules among the variables that hold the leaves, and takes over the names in them.

    Args:
        names: Where to put the names. If there are several models, their paths begin with the variable's name.
        variables: The caller's variables.
        leaves: The leaf tensors of the graph; None stands for nodes that are no leaves.

    Returns:
        The models.
    """
    missing = {id(leaf) for leaf in leaves if leaf is not None and id(leaf) not in names.kinds}
    models = [(name, value) for name, value in variables.items() if has_drawers(value)]
    candidates = []
    for name, model in models[:_MOST_MODELS]:
        held = missing.intersection(Names(model).kinds)
        if held:
            candidates.append((name, model, held))
    adopted: list[Any] = []
    everything = set().union(*(held for _, _, held in candidates)) if candidates else set()
    for name, model, held in sorted(candidates, key=lambda found: -len(found[2])):
        if not held & missing:
            continue  # a part of one that was taken over before
        names.add(model, "" if held == everything else visible(name, 60))
        missing -= held
        adopted.append(model)
    return adopted


def _is_tensor_variable(value: object) -> bool:
    """Whether a variable's value is a tensor that may be part of a graph."""
    return is_tensor(value) or (
        class_name(value) in ("Value", "Tensor", "Var", "Variable", "Scalar")
    )
