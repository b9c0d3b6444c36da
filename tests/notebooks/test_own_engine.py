"""The solutions of chapter 12 give the numbers that nbmodule and PyTorch give, on every line of the checks."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import nbmodule
from nbmodule_course.checks.tapes import value_of
from nbmodule_course.exercise import find_exercise
from nbmodule_course.referee.calls import _equal
from nbmodule_course.referee.solutions import build

_LIBRARIES = ["nbmodule", "torch"]
_OWN = re.compile(r"tree|vjps|Sub|np\.|\b[cf]\b|type\(|Tensor\(|backward\(|\+ \[")
"""Lines about what belongs to the reader's tensor alone: nodes, NumPy arrays, and what the libraries refuse or warn of."""


@pytest.mark.filterwarnings("ignore:The .grad attribute")
@pytest.mark.parametrize("name", _LIBRARIES)
@pytest.mark.parametrize("exercise_id", ["12.4", "12.5", "12.6"])
def test_the_numbers_are_those_of_the_libraries(exercise_id: str, name: str) -> None:
    library: Any = nbmodule if name == "nbmodule" else pytest.importorskip("torch")

    def theirs(data: Any, requires_grad: bool = False) -> Any:
        made = library.tensor(np.asarray(data, float).tolist(), dtype=library.float64)
        return made.requires_grad_(requires_grad)

    ours = build(exercise_id)["Tensor"]
    cases = [case for group in find_exercise(exercise_id).referee.groups for case in group.cases]
    lines = [case.text.partition("  # ")[0] for case in cases]
    lines = [line for line in lines if "slopes" in line and not _OWN.search(line)]
    assert len(lines) > 40
    for line in lines:
        assert _equal(_given(line, ours), _given(line, theirs)), line


def _given(line: str, Tensor: Any) -> Any:
    try:
        return value_of(line, Tensor)
    except (RuntimeError, ValueError):  # nothing in it requires a gradient, or the shapes don't fit
        return "an error"
