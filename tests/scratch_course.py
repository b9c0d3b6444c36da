"""A course of one tiny chapter, so that the engine's tests don't hang on the prose of the real ones."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from nbmodule_course.exercise import Exercise, attempt, expect

SOLUTION = """\
class Drawer:
    def __init__(self):
        object.__setattr__(self, "held", {})

    def __setattr__(self, name, value):
        ### BEGIN SOLUTION
        self.held[name] = value
        ### END SOLUTION
"""

drawer = Exercise(
    "98.1",
    title="A drawer",
    takes=("Drawer",),
    hints=("Where does a value go?", "Into `held`.", "`self.held[name] = value`"),
)


@drawer.sub("a value goes into the drawer")
def goes_in(Drawer):
    box = Drawer()
    box.pen = 1
    expect(
        box.held.get("pen") == 1,
        did=f"after `box.pen = 1`, `held` is {box.held}",
        real="it is {'pen': 1}",
        likely="nothing is written to `self.held`",
    )


@drawer.sub("it goes nowhere else")
def nowhere_else(Drawer):
    box = Drawer()
    attempt(lambda: setattr(box, "pen", 1))
    expect(
        "pen" not in vars(box),
        did="`pen` is in `__dict__`",
        real="`__dict__` holds `held` alone",
        likely="`super().__setattr__` is called as well",
    )


counting = Exercise("98.2", title="Count", takes=("answer",), hints=("one", "two", "three"))


@counting.sub("it is seventeen")
def seventeen(answer):
    expect(answer == 17, did=f"it is {answer!r}", real="it is 17", likely="an off-by-one slip")


def chapter() -> nbformat.NotebookNode:
    """Return the solved chapter 98."""
    cells = [
        new_markdown_cell("# 98 · Scratch\n\nWhat is a drawer?"),
        new_code_cell("from nbmodule_course import Predict, check\nstart = 1"),
        new_code_cell(
            'Predict("98.a", "What is it?", options=["2", "3"], code="start + 1")',
            metadata={"tags": ["predict"]},
        ),
        new_code_cell(SOLUTION, metadata={"tags": ["exercise", "98.1"]}),
        new_code_cell('check("98.1", Drawer)', metadata={"tags": ["check"]}),
        new_code_cell(
            "answer = ...\n### BEGIN SOLUTION\nanswer = 17\n### END SOLUTION",
            metadata={"tags": ["exercise", "98.2"]},
        ),
        new_code_cell('check("98.2", answer)', metadata={"tags": ["check"]}),
        new_code_cell("print('for the teacher')", metadata={"tags": ["solution-only"]}),
    ]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
        if cell.cell_type == "code":
            cell.execution_count = number
    return new_notebook(cells=cells)


def write_course(folder: Path) -> Path:
    """Write the solved chapter to `folder` and return its file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "98_scratch.ipynb"
    nbformat.write(chapter(), file)
    return file
