"""A reader at work in JupyterLab: predicts, clicks in the tree, solves an exercise, sees it turn green."""

from __future__ import annotations

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from nbmodule_course.editions import learners_edition
from nbmodule_course.markers import without_markers

pytestmark = pytest.mark.browser

PREDICT = """\
from nbmodule_course import Predict
Predict(
    "98.a",
    "What does it print?",
    options=["<b>41</b>", "42"],
    code="print(6 * 7)",
    why="Six times seven.",
)
"""
REGISTER = """\
from nbmodule_course import Exercise, check, expect

scratch = Exercise("98.3", title="Double", takes=("double",), hints=("one", "two", "three"))

@scratch.sub("it doubles")
def doubles(double):
    expect(double(4) == 8, did=f"double(4) is {double(4)}", real="it is 8", likely="no return")
"""
EXERCISE = """\
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
"""
TREE = """\
import nbmodule_widgets

class Part:
    def __init__(self, **modules):
        self._modules, self._parameters, self._buffers, self.training = modules, {}, {}, True

model = Part(first=Part(), second=Part(inner=Part()))
view = nbmodule_widgets.show(model)
view
"""
# Run one cell, as a click on its arrow does.
RUN = """
async (number) => {
  const panel = jupyterapp.shell.currentWidget;
  panel.content.activeCellIndex = number;
  panel.content.deselectAll();
  await jupyterapp.commands.execute("notebook:run-cell");
}
"""


def solved_notebook() -> nbformat.NotebookNode:
    cells = [
        new_markdown_cell("# 98 · Scratch"),
        new_code_cell(PREDICT),
        new_code_cell(REGISTER),
        new_code_cell(EXERCISE, metadata={"tags": ["exercise", "98.3"]}),
        new_code_cell('check("98.3", double)', metadata={"tags": ["check"]}),
        new_code_cell(TREE),
    ]
    for name, cell in zip(
        ["title", "predict", "register", "exercise", "check", "tree"], cells, strict=True
    ):
        cell.id = name
    return new_notebook(
        cells=cells,
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )


@pytest.fixture
def opened(notebook, server):
    nbformat.write(learners_edition(solved_notebook()), server.root / "scratch.ipynb")
    notebook.open("scratch.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    yield notebook
    assert notebook.faults == []


def test_a_prediction_is_answered_and_revealed(opened):
    output = opened.output("predict")
    assert output.locator(".options b").count() == 0  # an option is text, never markup
    output.get_by_role("button", name="b) ").focus()
    opened.page.keyboard.press("Enter")
    output.get_by_text("As you predicted: b) 42").wait_for()
    output.get_by_text("Six times seven.").wait_for()
    opened.run_all()  # the answer stays
    output.get_by_text("As you predicted: b) 42").wait_for()
    asked = "from nbmodule_course import progress_file as p; print(p.read()['predictions']['98.a'])"
    assert opened.python(asked) == "{'chosen': 'b', 'right': True}"


def test_a_click_in_the_tree_selects_in_python(opened):
    row = opened.output("tree").get_by_role("treeitem").filter(has_text="inner")
    row.click()
    opened.output("tree").locator("aside").get_by_text("second.inner").first.wait_for()
    said = opened.python(
        "print(view.selected_path, view.selected is model._modules['second']._modules['inner'])"
    )
    assert said == "second.inner True"


def test_an_exercise_is_solved_and_turns_green(opened):
    output = opened.output("check")
    output.get_by_text("not started").wait_for()
    opened.set_source("exercise", "def double(x):\n    return x + x + 1")
    opened.run_all()
    output.get_by_text("✗ failed").wait_for()
    output.get_by_text("double(4) is 9").wait_for()
    red = border(output)
    opened.set_source("exercise", without_markers(EXERCISE))
    opened.run_all()
    output.get_by_text("solved, 1 check passed").wait_for()
    assert border(output) != red
    assert opened.errors() == []


def test_a_report_gives_hints_and_checks_again(opened):
    """Solved after a hint, without running the cell of the check a second time."""
    output, page = opened.output("check"), opened.page
    opened.python(
        "from nbmodule_course import progress_file as p; p.path().unlink(missing_ok=True)"
    )
    opened.set_source("exercise", "def double(x):\n    return x")
    opened.run_all()
    output.get_by_text("double(4) is 4").wait_for()
    output.get_by_role("button", name="show the solution").focus()
    page.keyboard.press("Enter")
    output.get_by_text("The solution opens when 98.3 is solved").wait_for()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    output.get_by_text("hints: 1 of 3 open").wait_for()
    assert opened.python("print(p.hints_opened('98.3'))") == "1"
    opened.set_source("exercise", without_markers(EXERCISE))
    page.evaluate(RUN, 3)
    output.get_by_text("double has changed since this check.").wait_for()
    output.get_by_role("button", name="check again").press("Enter")
    output.get_by_text("Checked again: solved, 1 check passed.").wait_for()
    assert opened.python("print(p.solved('98.3'))") == "True"


def border(output) -> str:
    """The colour of the report's edge, as the browser draws it."""
    return output.locator("section.view").evaluate("e => getComputedStyle(e).borderLeftColor")


def test_letters_on_a_prediction_are_no_commands(opened):
    """JupyterLab would cut the cell at "x", insert one at "a" and "b", and delete it at "d d"."""
    cells = "() => jupyterapp.shell.currentWidget.content.widgets.length"
    before = opened.page.evaluate(cells)
    opened.output("predict").locator(".options button").first.focus()
    for key in ("x", "a", "b", "d", "d", "z"):
        opened.page.keyboard.press(key)
    assert opened.page.evaluate(cells) == before
