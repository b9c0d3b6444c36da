"""Chapter 12: its solutions give the numbers that nbmodule and PyTorch give, and one cell of an exercise leaves the others alone."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import nbmodule
from nbmodule_course import check
from nbmodule_course.chapters import chapters
from nbmodule_course.checks.tapes import value_of
from nbmodule_course.exercise import find_exercise
from nbmodule_course.markers import stub_of
from nbmodule_course.referee.calls import _equal
from nbmodule_course.referee.solutions import build
from nbmodule_course.replay import Session

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


def test_what_one_cell_has_given_stays_when_another_cell_is_untouched(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = next(chapter.cells for chapter in chapters() if chapter.number == "12")
    last = [cell.source for cell in cells if cell.exercise_id == "12.6"]
    with Session() as session:
        first = (
            "import numpy as np\nfrom nbmodule_course import carried\nmine = carried(chapter='12')"
        )
        assert session.run(first) is None
        for cell in cells:
            if cell.exercise_id:
                assert session.run(stub_of(cell.source)) is None
        Tensor = session.names["Tensor"]
        assert check("12.6", Tensor).status == "not started"
        assert session.run(last[0]) is None
        for source in last[1:]:
            assert session.run(stub_of(source)) is None
        said = check("12.6", Tensor).to_text()
        assert "`Tensor.sum`" in said
        assert "__matmul__" not in said, said
        assert "__pow__" not in said, said
        for source in reversed(last):
            assert session.run(source) is None
        assert check("12.6", Tensor).passed
