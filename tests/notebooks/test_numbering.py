"""Numbers of chapters, exercises and predictions: with or without a letter."""

from __future__ import annotations

import pytest

from nbmodule_course.chapters import Cell
from nbmodule_course.exercise import find_exercise
from nbmodule_course.numbering import chapter_files, chapter_number, chapter_of_id, order_of
from nbmodule_course.wording import UsageError


def test_a_chapter_may_carry_a_letter(tmp_path):
    names = [
        "01_one.ipynb",
        "00b_between.ipynb",
        "00_start.ipynb",
        "00b-copy.ipynb",
        "A_after.ipynb",
        "notes.ipynb",
    ]
    for name in names:
        (tmp_path / name).touch()
    found = [path.name for path in chapter_files(tmp_path)]
    assert found == ["00_start.ipynb", "00b_between.ipynb", "01_one.ipynb", "A_after.ipynb"]
    assert [chapter_number(name) for name in found] == ["00", "00b", "01", "A"]


def test_exercises_are_in_the_order_of_the_course():
    ids = ["01.1", "00b.10", "02.10", "00.1", "00b.2", "02.9"]
    assert sorted(ids, key=order_of) == ["00.1", "00b.2", "00b.10", "01.1", "02.9", "02.10"]
    assert [chapter_of_id(name) for name in ("00b.2", "01.1")] == ["00b", "01"]


def test_a_cell_names_its_exercise_with_the_letter():
    cell = Cell("id", "code", "...", frozenset({"exercise", "00b.1"}))
    assert cell.exercise_id == "00b.1"


def test_a_wrong_id_lists_the_chapter_that_was_meant():
    with pytest.raises(UsageError, match=r"Possible: .*00\.1"):
        find_exercise("00.9")
