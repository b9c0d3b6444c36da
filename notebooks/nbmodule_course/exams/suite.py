"""All questions of the first exam, in the order of the course, and the answer of a library to one of them."""

from __future__ import annotations

import copy
import pickle
import sys
from collections import OrderedDict
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..capture import Outcome, run_snippet
from . import objects, states, trees
from .questions import BEFORE, Question

NAMES = ("Parameter", "Tensor", "tensor", "ones", "zeros", "no_grad", "float16", "float64", "int64")
LAYERS = ("Sequential", "ModuleList", "ModuleDict", "Dropout", "BatchNorm1d")
PLACE = "exam"
"""The `__name__` that the questions run under."""


def questions() -> tuple[Question, ...]:
    """Return all of them, in the order in which the course teaches what they ask."""
    found = (*objects.QUESTIONS, *trees.QUESTIONS, *states.QUESTIONS)
    return tuple(sorted(found, key=lambda each: each.chapter))


def names_of(library: ModuleType, **own: Any) -> dict[str, Any]:
    """Return what the questions ask for by name.

    Args:
        library: nbmodule or torch: the tensors, and the layers unless `own` has them.
        own: the reader's classes, `Module` and others; without `Module`, those of the library are asked.
    """
    names = {name: getattr(library, name, None) or getattr(library.nn, name) for name in NAMES}
    if "Module" not in own:
        own = {name: getattr(library.nn, name) for name in ("Module", "Linear", *LAYERS)}
    return {"copy": copy, "pickle": pickle, "OrderedDict": OrderedDict, **names, **own}


def answer(
    question: Question,
    names: dict[str, Any],
    told: Callable[[BaseException], None] | None = None,
) -> Outcome:
    """Run the lines of a question.

    Args:
        question: what is asked.
        names: what its lines know; see `names_of`.
        told: is given an exception that they raise.
    """
    place = sys.modules[PLACE] = ModuleType(PLACE)  # pickle looks for classes by name
    vars(place).update(names)
    made = run_snippet(BEFORE, vars(place), told)
    if made.error:
        return made
    return run_snippet(question.code, vars(place), told)
