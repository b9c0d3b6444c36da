"""Every chapter as a reader meets it: the learner's edition, run and solved in JupyterLab."""

from __future__ import annotations

import pytest
from course_chapters import course_chapters

from nbmodule_course.chapters import calls_of
from nbmodule_course.editions import edition_text
from nbmodule_course.markers import without_markers
from nbmodule_course.replay import checked_ids

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("chapter", course_chapters(), ids=lambda chapter: chapter.path.stem)
def test_a_chapter_runs_untouched_and_then_solved(chapter, notebook, server):
    assert (server.root / chapter.path.name).read_text(encoding="utf-8") == edition_text(chapter)
    notebook.open(chapter.path.name)
    notebook.run_all()
    assert notebook.errors() == []
    checks = [cell for cell in chapter.cells if checked_ids(cell)]
    for cell in checks:
        assert "not started" in notebook.text_of(cell.id)
    answer_every_prediction(chapter, notebook)
    for cell in chapter.cells:
        if cell.exercise_id:
            notebook.set_source(cell.id, without_markers(cell.source))
    notebook.run_all()
    assert notebook.errors() == []
    for cell in checks:
        assert ": solved" in notebook.text_of(cell.id)
        notebook.output(cell.id).get_by_text("✓ passed").first.wait_for()
    click_every_tree(notebook)
    assert notebook.faults == []


def answer_every_prediction(chapter, notebook) -> None:
    """Choose the first option of each question, and see what came out."""
    for cell in chapter.cells:
        if calls_of(cell, "Predict"):
            output = notebook.output(cell.id)
            output.get_by_role("button", name="a) ").click()
            output.get_by_text("What came out:").wait_for()


def click_every_tree(notebook) -> None:
    """A click on the last row in sight of each live tree shows its details."""
    trees = notebook.page.get_by_role("tree", name="modules, parameters and buffers")
    for number in range(trees.count()):
        row = trees.nth(number).get_by_role("treeitem").last
        row.click()
        assert row.get_attribute("aria-selected") == "true"
