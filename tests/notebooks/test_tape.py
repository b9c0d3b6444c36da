"""The tape of the reader's own: classes that stand on nothing, and functions, in `my_tape.py` beside `my_module.py`."""

import copy
import pickle
import sys
from pathlib import Path

import pytest
import tape_course

from nbmodule_course import chapters, check, stubs
from nbmodule_course.markers import stub_of, without_markers
from nbmodule_course.mine.commands import overview, take_back
from nbmodule_course.mine.solved import solved_text
from nbmodule_course.replay import Session

FILE, TAPE = Path("my_module.py"), Path("my_tape.py")
SOURCES = {
    exercise_id: (without_markers(source), taken)
    for cells in tape_course.CHAPTERS.values()
    for exercise_id, source, taken in cells
}


@pytest.fixture(autouse=True)
def in_a_course(tmp_path, monkeypatch):
    folder = tape_course.write_course(tmp_path / "course")
    monkeypatch.setattr(chapters, "folder", lambda: folder)
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    stubs._work_places.cache_clear()
    yield
    stubs._work_places.cache_clear()


@pytest.fixture
def chapter():
    opened = []

    def start(number):
        session = Session()
        session.__enter__()
        opened.append(session)
        assert session.run(f"{tape_course.FIRST}# {number}") is None
        for name in ("Tensor", "order", "no_grad", "SGD"):
            session.run(f"{name} = mine.{name}")
        return session

    yield start
    for each in reversed(opened):
        each.__exit__()


def solve(session, exercise_id, source=None):
    own, taken = SOURCES[exercise_id]
    error = session.run(source or own)
    assert error is None, error
    report = check(exercise_id, session.names[taken])
    assert report.passed, report
    return report.landing.to_text()


def solve_chapter(chapter, number):
    session = chapter(number)
    for exercise_id in SOURCES:
        if exercise_id.startswith(f"{number}."):
            solve(session, exercise_id)
    return session


def solve_all(chapter):
    for number in ("94", "95", "96b"):
        solve_chapter(chapter, number)
    return solve_chapter(chapter, "96c")


def test_it_lands_beside_the_module_in_the_readers_own_words(chapter):
    session = solve_all(chapter)
    text = TAPE.read_text()
    assert text == solved_text(name="my_tape.py"), text
    classes = "\n\nclass Module:"
    assert FILE.read_text().partition(classes)[2] == solved_text().partition(classes)[2]
    assert "Tensor" not in FILE.read_text()
    assert (
        "    # exercise 96b.1\n    # Each product remembers what it was made of.\n    def __mul__"
        in text
    )
    names = {}
    exec(text, names)  # it stands alone
    a = names["Tensor"]([3.0], True)
    (a * a).backward()
    assert a.grad.data.tolist() == [6.0]
    assert Path("my_tape_earlier").is_dir()
    assert session.names["mine"].tape == TAPE.absolute()
