"""`my_module.py` and `my_tape.py` in the course itself: what stands beside Module survives whatever a reader does."""

from __future__ import annotations

import numpy as np
import pytest
from course_chapters import code_of, course_chapters

from nbmodule_course import carried, check
from nbmodule_course.chapters import stub_source
from nbmodule_course.exercise import find_exercise
from nbmodule_course.mine import course_map
from nbmodule_course.mine.cells import owner_of
from nbmodule_course.mine.solutions import solutions
from nbmodule_course.mine.solved import write_solved
from nbmodule_course.referee.solutions import solution_source
from nbmodule_course.replay import Session

CLASSES = {
    "my_module.py": ("15.1", "15.5"),
    "my_tape.py": ("19.1", "19.2", "19.3"),
}
each_file = pytest.mark.parametrize("name", CLASSES)


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """Opens chapters as a kernel does, with the reader's files in a folder."""
    opened = []

    def begin(exercise_id, folder=tmp_path):
        monkeypatch.setenv("NBMODULE_MINE", str(folder / "my_module.py"))
        (home,) = [chapter for chapter in course_chapters() if exercise_id in chapter.exercise_ids]
        session = Session(home.path)
        opened.append(session.__enter__())
        assert session.run(code_of(home.cells)[0].source) is None
        for each in home.exercise_ids:
            session.run(stub_source(each))
        return session

    yield begin
    for session in reversed(opened):
        session.__exit__()


def solve(session, exercise_id):
    assert session.run(solution_source(exercise_id)) is None
    report = check(exercise_id, *map(session.value_of, find_exercise(exercise_id).takes))
    assert report.passed, report
    assert report.landing is not None
    return report.landing.to_text()


@each_file
def test_the_order_makes_no_difference_and_neither_does_solving_twice(notebook, tmp_path, name):
    texts = []
    for number, order in enumerate((CLASSES[name], CLASSES[name][::-1], CLASSES[name] * 2)):
        folder = tmp_path / str(number)
        folder.mkdir()
        session = notebook(order[0], folder)
        for exercise_id in order:
            assert f"Saved in {name}" in solve(session, exercise_id)
        texts.append((folder / name).read_text())
    assert len(set(texts)) == 1


@each_file
def test_a_broken_file_stays_as_it_is_and_a_lost_block_comes_again(notebook, tmp_path, name):
    first, *_, last = CLASSES[name]
    session = notebook(first)
    for exercise_id in CLASSES[name]:
        solve(session, exercise_id)
    file = tmp_path / name
    whole = file.read_text()
    file.write_text(whole + "def broken(:\n")
    assert "is not valid Python" in solve(session, last)
    assert file.read_text() == whole + "def broken(:\n"
    lines = whole.split("\n")
    marks = [i for i, line in enumerate(lines) if line.strip() == f"# exercise {last}"]
    file.write_text("\n".join([*lines[: marks[-1]], ""]))  # its last definition is gone
    again = notebook(first)
    solve(again, last)
    assert file.read_text() == whole


@each_file
def test_two_kernels_write_into_one_file(notebook, tmp_path, name):
    first, *_, last = CLASSES[name]
    one, other = notebook(first), notebook(first)
    solve(other, last)
    one.run("mine")
    assert "Saved in" in solve(one, first)
    text = (tmp_path / name).read_text()
    assert f"# exercise {first}\n" in text
    assert f"# exercise {last}\n" in text


def test_a_file_that_has_grown_leaves_the_sources_of_a_running_notebook_true(notebook, tmp_path):
    session = notebook("15.1")
    solve(session, "15.1")
    again = carried(chapter="16")
    file = tmp_path / "my_module.py"
    file.write_text("# one line\n# and another\n" + file.read_text())
    carried(chapter="16")
    rows = dict(again.view.layers)["RemovableHandle"]
    assert all(f"def {row.name}(" in row.source for row in rows if row.name != "next_id")


def test_what_is_to_come_is_what_an_exercise_writes():
    given = [name for solution in solutions().values() for name in solution.names]
    written = {part for name in given for part in (name, owner_of(name))}
    for named in (course_map.methods_by_chapter(), course_map.beside_by_chapter()):
        assert {name for names in named.values() for name in names} <= written


def test_our_conv2d_stands_in_on_the_tape_for_one_that_cannot_run_there(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("NBMODULE_MINE", str(write_solved(tmp_path)))
    file = tmp_path / "my_module.py"
    ours, theirs = "math.prod(shape[1:])", "nbmodule.empty(shape)[0].numel()"
    assert file.read_text().count(ours) == 1
    file.write_text(file.read_text().replace(ours, theirs))
    tape = carried(chapter="19").on_my_tape()
    assert "Your `MyConv2d.__init__` (exercise 18.6) asks for something" in capsys.readouterr().out
    assert tape.MyConv2d(1, 2, 2)(tape.Tensor(np.ones((1, 1, 3, 3)))).shape == (1, 2, 2, 2)
