"""The builder stores the same bytes everywhere, and sees what nbval would pass over."""

from __future__ import annotations

import json

import nbformat
import pytest
import scratch_course
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output


def stored(tmp_path, change=lambda notebook: None):
    """Chapter 98 as a file, after `change`."""
    file = scratch_course.write_course(tmp_path)
    notebook = nbformat.read(file, 4)
    change(notebook)
    file.write_text(json.dumps(notebook), encoding="utf-8")
    return file


def test_a_chapter_in_order_has_no_problems(tmp_path, builder):
    assert builder.problems(stored(tmp_path)) == []


def never_run(notebook):
    notebook.cells[2].execution_count = None


def run_out_of_order(notebook):
    notebook.cells[2].execution_count = 7


def widget_state(notebook):
    notebook.metadata["widgets"] = {}


def unexpected_error(notebook):
    notebook.cells[1].outputs = [new_output("error", ename="KeyError", evalue="'w'", traceback=[])]


def twin_ids(notebook):
    notebook.cells[2].id = notebook.cells[1].id


def long_cell(notebook):
    notebook.cells[1].source = "\n".join(f"x = {n}" for n in range(26))


def no_check(notebook):
    notebook.cells[4].source = "pass"


def no_solution(notebook):
    notebook.cells[3].source = "class Drawer: ..."


def untagged_solution(notebook):
    notebook.cells[3].metadata.tags = []


def no_id(notebook):
    notebook.cells[3].metadata.tags = ["exercise"]


def crowded_prediction(notebook):
    notebook.cells[2].source = "x = 1\n" + notebook.cells[2].source


def lone_marker(notebook):
    notebook.cells[1].source += "\n### BEGIN SOLUTION"


def two_titles(notebook):
    notebook.cells.append(new_markdown_cell("# Another"))


def wrong_number(notebook):
    notebook.cells[0].source = "# 97 · Scratch"


def skipped_level(notebook):
    notebook.cells.append(new_markdown_cell("```\n# a comment\n```\n#### Deep"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (never_run, "not run 1..7 in order"),
        (run_out_of_order, "not run 1..7 in order"),
        (widget_state, "widget state is stored"),
        (unexpected_error, "ends in KeyError"),
        (twin_ids, "not unique"),
        (long_cell, "26 lines"),
        (no_check, "exercise 98.1 has no check cell"),
        (no_solution, "exercise 98.1 has no marked solution"),
        (untagged_solution, "outside of an exercise cell"),
        (no_id, "lacks the tag with its id"),
        (crowded_prediction, "a prediction shares its cell with other code: 'x = 1'"),
        (lone_marker, "a solution has no end"),
        (two_titles, "not exactly one heading of level 1"),
        (wrong_number, 'the first heading is not "# 98'),
        (skipped_level, "skips a level: #### Deep"),
    ],
    ids=lambda item: getattr(item, "__name__", None),
)
def test_what_is_wrong_is_named(tmp_path, builder, capsys, change, said):
    file = stored(tmp_path, change)
    assert builder.main(["--check", str(file)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("98_scratch.ipynb: ")
    assert said in out


def test_building_twice_gives_the_same_bytes_and_the_fallback_of_a_view(tmp_path, builder):
    def simple(notebook):
        question = notebook.cells[2]
        notebook.cells[3:] = [
            new_code_cell("import os\n'progress.json' in os.environ['NBMODULE_PROGRESS']")
        ]
        question.metadata["editable"] = True

    file = stored(tmp_path, simple)
    assert builder.build(file)
    first = file.read_bytes()
    assert not builder.build(file)
    assert file.read_bytes() == first
    assert builder.problems(file) == []
    notebook = nbformat.read(file, 4)
    (view,) = notebook.cells[2].outputs
    assert set(view.data) == {"text/plain", "text/html"}
    assert notebook.cells[2].metadata == {"tags": ["predict"]}
    assert notebook.cells[3].outputs[0].data["text/plain"] == "True"
