"""The learner's edition holds no solution, and the reader's work is never overwritten."""

from __future__ import annotations

import errno
import json

import nbformat
import pytest
import scratch_course

from nbmodule_course import UsageError, editions
from nbmodule_course.markers import MarkerError, stub_of, without_markers

CHAPTER = "98_scratch.ipynb"


@pytest.fixture
def mine(course, tmp_path):
    """A learner's folder with the edition of the scratch course."""
    folder = tmp_path / "mine"
    editions.write_edition(folder)
    return folder


def cell_of(folder, cell_id):
    return next(c for c in nbformat.read(folder / CHAPTER, 4).cells if c.id == cell_id)


def rewrite(folder, change):
    notebook = nbformat.read(folder / CHAPTER, 4)
    change(notebook)
    nbformat.write(notebook, folder / CHAPTER)


@pytest.mark.parametrize(
    ("solved", "stub"),
    [
        ("a\n### BEGIN SOLUTION\nb\n### END SOLUTION\nc", "a\n...\nc"),
        ("def f():\n    ### BEGIN SOLUTION\n    b\n    ### END SOLUTION", "def f():\n    ..."),
        ("x = ...\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION", "x = ..."),
        ("no markers", "no markers"),
        ("### BEGIN SOLUTION\nb\n### INSTEAD\n### END SOLUTION\nc", "c"),
        (
            "  ### BEGIN SOLUTION\n  b\n  ### INSTEAD\n  # if a:\n  #     c  # d\n  ### END SOLUTION",
            "  if a:\n      c  # d",
        ),
    ],
)
def test_a_stub_is_what_remains(solved, stub):
    assert stub_of(solved) == stub


@pytest.mark.parametrize(
    "source",
    [
        "### BEGIN SOLUTION",
        "### END SOLUTION",
        "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION",
        "### INSTEAD",
        "### BEGIN SOLUTION\n### INSTEAD\n### INSTEAD\n### END SOLUTION",
    ],
)
def test_markers_must_pair_up(source):
    with pytest.raises(MarkerError):
        stub_of(source)


def test_a_solved_cell_has_no_markers_and_no_broken_lines():
    cell = "a\n### BEGIN SOLUTION\nb\n### INSTEAD\n# c\n### END SOLUTION\nd"
    assert without_markers(cell) == "a\nb\nd"


def test_the_edition_has_no_solutions_and_no_outputs(mine):
    notebook = nbformat.read(mine / CHAPTER, 4)
    nbformat.validate(notebook)
    text = nbformat.writes(notebook)
    assert "SOLUTION" not in text
    assert "self.held[name]" not in text
    assert "for the teacher" not in text
    assert all(not c.outputs and c.execution_count is None for c in notebook.cells[1:])
    solved = scratch_course.chapter()
    assert [c.id for c in notebook.cells] == [c.id for c in solved.cells[:-1]]
    assert cell_of(mine, "cell-3").metadata.tags == ["exercise", "98.1"]


def test_the_source_of_a_prediction_is_folded_since_it_holds_the_reason(mine):
    folded = [c.id for c in nbformat.read(mine / CHAPTER, 4).cells if "jupyter" in c.metadata]
    assert folded == ["cell-2"]
    assert cell_of(mine, "cell-2").source.startswith("# Predict 98.a: run this cell, then choose\n")


def test_writing_twice_changes_nothing(mine):
    before = {file.name: file.read_bytes() for file in mine.iterdir()}
    report = editions.write_edition(mine)
    assert report.unchanged == [CHAPTER]
    assert {file.name: file.read_bytes() for file in mine.iterdir()} == before


def newer_course(course):
    notebook = scratch_course.chapter()
    notebook.cells[0].source += " A better question."
    nbformat.write(notebook, course / CHAPTER)


def test_a_newer_course_updates_an_untouched_chapter(course, mine):
    newer_course(course)
    assert editions.write_edition(mine).updated == [CHAPTER]
    assert "A better question" in cell_of(mine, "cell-0").source


def test_a_newer_course_never_overwrites_the_readers_work(course, mine):
    rewrite(mine, lambda notebook: notebook.cells[3].update(source="my work"))
    newer_course(course)
    before = (mine / CHAPTER).read_bytes()
    for _ in range(2):  # the second time the manifest is another one
        report = editions.write_edition(mine)
        assert report.kept == [CHAPTER]
        assert report.lines() == [f"Kept your own {CHAPTER}."]
        assert (mine / CHAPTER).read_bytes() == before


@pytest.mark.parametrize("damage", ["{", "[]", None])
def test_without_a_readable_manifest_every_file_is_the_readers(course, mine, damage):
    newer_course(course)
    before = (mine / CHAPTER).read_bytes()
    if damage is not None:
        (mine / editions.MANIFEST).write_text(damage, encoding="utf-8")
        assert editions.write_edition(mine).kept == [CHAPTER]
    else:
        (mine / editions.MANIFEST).unlink()
        with pytest.raises(UsageError, match="is not empty"):
            editions.write_edition(mine)
    assert (mine / CHAPTER).read_bytes() == before


def test_a_deleted_chapter_comes_back(mine):
    (mine / CHAPTER).unlink()
    assert editions.write_edition(mine).written == [CHAPTER]


def test_a_folder_of_something_else_is_left_alone(course, tmp_path):
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "chapter.txt").write_text("mine")
    with pytest.raises(UsageError, match="Nothing was changed"):
        editions.write_edition(folder)
    assert [file.name for file in folder.iterdir()] == ["chapter.txt"]
    with pytest.raises(UsageError, match="is a file"):
        editions.write_edition(folder / "chapter.txt")


def test_reset_brings_back_one_exercise_and_keeps_the_old_notebook(mine):
    start = cell_of(mine, "cell-3").source

    def work(notebook):
        notebook.cells[3].source = "class Drawer: 'mine'"
        notebook.cells[3].metadata.tags = []
        notebook.cells[5].source = "answer = 4"

    rewrite(mine, work)
    said = editions.reset("98.1", mine)
    assert cell_of(mine, "cell-3").source == start
    assert cell_of(mine, "cell-3").metadata.tags == ["exercise", "98.1"]
    assert cell_of(mine, "cell-5").source == "answer = 4"
    assert "98_scratch.before-reset-1.ipynb" in said
    kept = nbformat.read(mine / "98_scratch.before-reset-1.ipynb", 4)
    assert kept.cells[3].source == "class Drawer: 'mine'"
    rewrite(mine, work)
    editions.reset("98.1", mine)
    assert (mine / "98_scratch.before-reset-2.ipynb").exists()


def test_reset_of_an_untouched_exercise_keeps_no_copy(mine):
    before = (mine / CHAPTER).read_bytes()
    assert "was already as it was at the start" in editions.reset("98.1", mine)
    assert (mine / CHAPTER).read_bytes() == before
    printed = nbformat.v4.new_output("stream", text="...")
    rewrite(mine, lambda notebook: notebook.cells[3].update(outputs=[printed]))
    editions.reset("98.1", mine)
    assert cell_of(mine, "cell-3").outputs == []
    assert sorted(file.name for file in mine.iterdir()) == [editions.MANIFEST, CHAPTER]


def test_a_full_disk_or_an_interruption_harms_no_file(course, mine, monkeypatch):
    rewrite(mine, lambda notebook: notebook.cells[3].update(source="my work"))
    before = {file.name: file.read_bytes() for file in mine.iterdir()}
    for fault in (OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()):

        def fail(file, content, fault=fault):
            file.touch()
            raise fault

        with monkeypatch.context() as disk:
            disk.setattr(type(mine), "write_bytes", fail)
            with pytest.raises(type(fault)):
                editions.reset("98.1", mine)
            with pytest.raises(type(fault)):
                editions.write_edition(mine)
        assert {file.name: file.read_bytes() for file in mine.iterdir()} == before


@pytest.mark.parametrize("stopped_at", [1, 2, 3])
def test_a_first_writing_that_was_stopped_goes_on(course, tmp_path, monkeypatch, stopped_at):
    write, written = editions._write_text, []

    def stop(file, text):
        written.append(file)
        if len(written) == stopped_at:
            file.with_name(f"{file.name}.new").touch()  # killed: nobody tidies up
            raise KeyboardInterrupt
        write(file, text)

    folder = tmp_path / "new"
    with monkeypatch.context() as killed:
        killed.setattr(editions, "_write_text", stop)
        with pytest.raises(KeyboardInterrupt):
            editions.write_edition(folder)
    editions.write_edition(folder)
    assert editions.write_edition(folder).unchanged == [CHAPTER]
    assert set(json.loads((folder / editions.MANIFEST).read_text(encoding="utf-8"))) == {CHAPTER}


def test_the_newest_work_is_the_readers_last_changed_notebook(mine):
    assert editions.newest_work(mine) == ""
    rewrite(mine, lambda notebook: notebook.cells[3].update(source="my work"))
    assert editions.newest_work(mine) == CHAPTER
    editions.reset("98.1", mine)  # what it keeps is not where the reader stopped
    assert editions.newest_work(mine) in ("", CHAPTER)
    nbformat.write(nbformat.v4.new_notebook(), mine / "my own.ipynb")
    assert editions.newest_work(mine) == "my own.ipynb"


def test_reset_puts_a_deleted_cell_where_it_stood(mine):
    rewrite(mine, lambda notebook: notebook.cells.__delitem__(slice(2, 4)))
    editions.reset("98.1", mine)
    ids = [cell.id for cell in nbformat.read(mine / CHAPTER, 4).cells]
    assert ids == ["cell-0", "cell-1", "cell-3", "cell-4", "cell-5", "cell-6"]


def test_reset_says_what_is_missing(mine, tmp_path):
    with pytest.raises(UsageError, match="no exercise"):
        editions.reset("98.9", mine)
    with pytest.raises(UsageError, match=r"98_scratch.ipynb is not in"):
        editions.reset("98.1", tmp_path)
    (mine / CHAPTER).write_text("no notebook", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be read as a notebook"):
        editions.reset("98.1", mine)
    assert (mine / CHAPTER).read_text(encoding="utf-8") == "no notebook"


def test_the_edition_is_the_same_on_every_system(mine):
    assert b"\r" not in (mine / CHAPTER).read_bytes()
    assert set(json.loads((mine / editions.MANIFEST).read_text(encoding="utf-8"))) == {CHAPTER}
