"""The stored chapters: their form, their exercises, their predictions and their recorded answers."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from textwrap import dedent

import pytest
from course_chapters import Rehearsal, course_chapters, course_exercises, literal_calls

from nbmodule_course.capture import tidy
from nbmodule_course.chapters import solved_source, stub_source
from nbmodule_course.mine.solved import write_solved
from nbmodule_course.referee import ask_torch
from nbmodule_course.replay import checked_ids

CHAPTERS = course_chapters()
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.path.stem)


def test_every_exercise_has_a_home_and_every_home_an_exercise():
    in_chapters = [name for chapter in CHAPTERS for name in chapter.exercise_ids]
    assert sorted(in_chapters) == sorted(course_exercises())
    checked = {name for chapter in CHAPTERS for cell in chapter.cells for name in checked_ids(cell)}
    assert checked == set(in_chapters)


def test_every_prediction_has_a_name_of_its_own():
    names = [name for chapter in CHAPTERS for name in chapter.question_ids]
    assert len(set(names)) == len(names)
    for chapter in CHAPTERS:
        assert all(name.startswith(chapter.number) for name in chapter.question_ids)


@each_chapter
def test_a_stored_chapter_is_in_order(chapter, builder):
    assert builder.problems(chapter.path) == []


@pytest.mark.parametrize(
    "chapter", [c for c in CHAPTERS if c.exercise_ids], ids=lambda chapter: chapter.path.stem
)
def test_the_solutions_pass_and_the_stubs_are_not_started(chapter):
    """The chapter runs once, as for a reader who solves exercise by exercise."""
    with Rehearsal(chapter.exercise_ids[0]) as stage:
        for exercise_id in chapter.exercise_ids:
            stage.go_to(exercise_id)
            solved = stage.report_on(solved_source(exercise_id))
            assert solved.passed, repr(solved)
            stub = stage.report_on(stub_source(exercise_id))
            assert stub.status == "not started", repr(stub)


def test_of_two_functions_in_a_cell_the_written_one_is_the_readers():
    first, second = solved_source("18.1"), stub_source("18.1")
    half = first[: first.rindex("@mine.extend")] + second[second.rindex("@mine.extend") :]
    with Rehearsal("18.1") as stage:
        assert "`windows` is still as at the start" in repr(stage.report_on(half))


@each_chapter
def test_recorded_answers_stand_alone(chapter):
    for code, keywords in literal_calls(chapter, "with_torch"):
        assert code
        assert keywords["recorded"].strip()


@pytest.mark.torch
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
@each_chapter
def test_recorded_answers_are_what_pytorch_says(chapter):
    for code, keywords in literal_calls(chapter, "with_torch"):
        assert ask_torch(dedent(code).strip("\n")) == tidy(dedent(keywords["recorded"]))


def test_the_script_at_the_end_of_chapter_04_runs_beside_the_file(tmp_path):
    cells = [cell for chapter in CHAPTERS for cell in chapter.cells]
    text = next(cell.source for cell in cells if "as `my_net.py`" in cell.source)
    (tmp_path / "my_net.py").write_text(text.partition("```python\n")[2].partition("```")[0])
    write_solved(tmp_path)
    done = subprocess.run(
        [sys.executable, "my_net.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-2:] == [")", "nbmodule.Size([2, 1])"]
