"""Hints open one by one, the solution after them, and progress survives what happens to files."""

from __future__ import annotations

import json
import multiprocessing

import pytest
import scratch_course

from nbmodule_course import Predict, check, hint, progress, progress_file, safely, solution
from nbmodule_course.progress import ChapterProgress, ProgressMap

pytestmark = pytest.mark.usefixtures("course")


def test_hints_open_one_after_the_other_and_then_stay():
    assert repr(hint("98.1")) == (
        "98.1 hint 1 of 3: Where does a value go?\n"
        'More help: `hint("98.1")` again opens the next one.'
    )
    assert hint("98.1").opened == scratch_course.drawer.hints[:2]
    third = hint("98.1")
    assert 'solution("98.1")` is open now' in repr(third)
    assert repr(hint("98.1")) == repr(third)
    assert hint("98.2").opened == ("one",)


def test_the_report_names_the_next_hint():
    assert 'hint("98.2")` opens hint 1 of 3' in repr(check("98.2", 3))
    for _ in range(3):
        hint("98.2")
    assert 'All 3 hints are open: `solution("98.2")`' in repr(check("98.2", 3))


def test_the_solution_waits_for_the_third_hint():
    hint("98.1"), hint("98.1")
    closed = solution("98.1")
    assert closed.source == ""
    assert "2 of 3 are open" in repr(closed)
    assert "self.held" not in closed.to_html()
    hint("98.1")
    opened = solution("98.1")
    assert "        self.held[name] = value\n" in opened.source + "\n"
    assert "BEGIN SOLUTION" not in opened.source
    assert "held" in opened.to_html()


def test_the_solution_opens_with_success():
    check("98.2", 17)
    assert solution("98.2").source == "answer = ...\nanswer = 17"


def test_an_optional_chapter_is_called_optional():
    early = ChapterProgress("00", "First", (("00.1", "passed"),), 0, 0, 0)
    optional = ChapterProgress("00b", "Between", (("00b.1", "open"),), 0, 0, 0)
    assert (
        ProgressMap((early, optional)).next_step == "Next: exercise 00b.1 in chapter 00b (optional)"
    )


def test_the_map_counts_exercises_and_predictions():
    assert repr(progress()) == (
        "98  Scratch: 0 of 2 exercises solved; 0 of 1 prediction made, 0 right\n    ○ 98.1  ○ 98.2"
    )
    check("98.2", 17)
    check("98.1", type("Drawer", (), {"held": 1}))
    Predict("98.a", "?", options=["1", "2"], code="2").answer("b")
    assert repr(progress()) == (
        "98  Scratch: 1 of 2 exercises solved; 1 of 1 prediction made, 1 right\n    ✗ 98.1  ✓ 98.2"
    )
    assert "1 of 2 exercises solved" in progress().to_html()


@pytest.mark.parametrize(
    "damage",
    ["", "{", "[]", '{"checks": 3}', '{"hints": {"98.1": "x"}}', '{"predictions": {"98.a": 1}}'],
)
def test_a_damaged_file_is_kept_aside_and_said(progress_path, capsys, damage):
    progress_path.parent.mkdir(parents=True)
    progress_path.write_text(damage, encoding="utf-8")
    assert "0 of 2" in repr(progress())  # looking changes nothing
    assert progress_path.read_text(encoding="utf-8") == damage
    hint("98.1")
    assert progress_path.with_name("progress.json.bak").read_text(encoding="utf-8") == damage
    assert "kept as progress.json.bak" in capsys.readouterr().out
    assert progress_file.hints_opened("98.1") == 1


def test_progress_that_cannot_be_written_stops_nobody(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(progress_file.ENVIRONMENT, str(tmp_path / "file" / "progress.json"))
    assert check("98.2", 17).passed
    assert hint("98.2").opened == ("one",)
    assert "Progress could not be kept" in capsys.readouterr().out


def test_a_lock_is_never_broken_open_and_never_left_behind(progress_path, monkeypatch, capsys):
    monkeypatch.setattr(safely, "_LOCK_SECONDS", 0.05)
    hint("98.1")
    with safely.locked(progress_path):  # its owner is slow, or was halted
        hint("98.1")
    assert "Progress could not be kept" in capsys.readouterr().out
    assert progress_file.hints_opened("98.1") == 1
    assert progress_path.with_name("progress.json.lock").exists()  # and stands in nobody's way
    hint("98.1")
    assert progress_file.hints_opened("98.1") == 2


def _write_many(path: str, name: str) -> None:
    import os

    os.environ[progress_file.ENVIRONMENT] = path
    for number in range(20):
        progress_file.record_check(f"{name}.{number}", "passed")


def test_two_notebooks_lose_nothing_of_each_other(progress_path):
    spawn = multiprocessing.get_context("spawn")
    writers = [
        spawn.Process(target=_write_many, args=(str(progress_path), name)) for name in ("11", "12")
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(300)
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert len(progress_file.read()["checks"]) == 40
    left = {file.name for file in progress_path.parent.iterdir()}
    assert left == {"progress.json", "progress.json.lock"}


def test_the_file_holds_what_was_done_and_nothing_about_the_reader(progress_path):
    check("98.2", 17)
    hint("98.1")
    assert json.loads(progress_path.read_text(encoding="utf-8")) == {
        "checks": {"98.2": "passed"},
        "hints": {"98.1": 1},
        "predictions": {},
        "editions": {},
    }
