"""The solutions of chapters 12 and 13 give what nbmodule and PyTorch give, and one cell of an exercise leaves the others alone."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from nbmodule_course import check
from nbmodule_course.chapters import chapters
from nbmodule_course.checks import playing
from nbmodule_course.checks.tapes import value_of
from nbmodule_course.exercise import find_exercise
from nbmodule_course.markers import stub_of
from nbmodule_course.referee.calls import _equal
from nbmodule_course.referee.solutions import build
from nbmodule_course.replay import Session

_OWN = re.compile(r"tree|vjps|Sub|np\.|\b[cf]\b|type\(|Tensor\(|backward\(|\+ \[")
"""Lines about what belongs to the reader's tensor alone: nodes, NumPy arrays, and what the libraries refuse or warn of."""


@pytest.fixture(params=["nbmodule", pytest.param("torch", marks=pytest.mark.torch)])
def library(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


@pytest.mark.filterwarnings("ignore:The .grad attribute")
@pytest.mark.parametrize("exercise_id", ["12.4", "12.5", "12.6"])
def test_the_numbers_are_those_of_the_libraries(exercise_id: str, library: Any) -> None:

    def theirs(data: Any, requires_grad: bool = False) -> Any:
        made = library.tensor(np.asarray(data, float).tolist(), dtype=library.float64)
        return made.requires_grad_(requires_grad)

    ours = build(exercise_id)["Tensor"]
    lines = _lines(exercise_id)
    lines = [line for line in lines if "slopes" in line and not _OWN.search(line)]
    assert len(lines) > 40
    for line in lines:
        assert _equal(_given(line, ours), _given(line, theirs)), line


def _lines(exercise_id: str) -> list[str]:
    """Return the programs of an exercise without what explains them."""
    groups: list[Any] = find_exercise(exercise_id).referee.groups
    return [case.text.partition("  # ")[0] for group in groups for case in group.cases]


def _given(line: str, Tensor: Any) -> Any:
    try:
        return value_of(line, Tensor)
    except (RuntimeError, ValueError):  # nothing in it requires a gradient, or the shapes don't fit
        return "an error"


_OF_READERS = re.compile(r"ref\(|agrees|\.data|slopes|order\(|@ \[|_node|vjps|tree|tried|np\.")
"""Lines of chapter 13 about arrays and nodes, or lists in the place of tensors; and those that it keeps of chapter 12."""


@pytest.mark.filterwarnings("ignore:The .grad attribute")
@pytest.mark.parametrize("exercise_id", ["13.2", "13.3", "13.4"])
def test_freed_graphs_versions_and_no_grad_are_those_of_the_libraries(exercise_id: str, library: Any) -> None:  # fmt: skip

    def theirs(data: Any, requires_grad: bool = False) -> Any:
        return library.tensor(data, dtype=library.float64).requires_grad_(requires_grad)

    solved = build(exercise_id)
    lines = _lines(exercise_id)
    lines = [line for line in lines if not _OF_READERS.search(line)]
    assert len(lines) > 35
    for line in lines:
        right = _played(line, theirs, library.no_grad)
        assert _equal(right, _played(line, solved["Tensor"], solved.get("no_grad"))), line


def _played(line: str, Tensor: Any, no_grad: Any) -> Any:
    try:
        return _plain(playing.run(line, playing.tensors(Tensor, no_grad)))
    except Exception as error:
        return type(error).__name__


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return np.asarray(value.data).tolist() if hasattr(value, "grad_fn") else value


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
