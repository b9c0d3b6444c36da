"""The Clinic: it's found by the words that people type, each section stands alone, and PyTorch shows the same."""

from __future__ import annotations

import ast
import contextlib
import io
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from programs import DISEASES

from nbmodule_course.chapters import stub_source
from nbmodule_course.check import examine
from nbmodule_course.exercise import find_exercise
from nbmodule_course.referee.wrong_answers import item_of

pytestmark = pytest.mark.usefixtures("one_thread")
FILE = Path(__file__).resolve().parents[2] / "notebooks" / "C_clinic.ipynb"
CELLS = {cell.id: cell for cell in nbformat.read(FILE, 4).cells}
PARTS = ("ill", "proof", "cured")
TYPED = """
my loss does not move | my layer is not in `parameters()` | results change in eval | KeyError | unexpected key module.
gradient is None | out of memory after some steps | it learned, and after loading it does not
Missing key(s) in state_dict | _orig_mod. | size mismatch for | optimizer got an empty parameter list
element 0 of tensors does not require grad | modified by an inplace operation | expected version 0
Trying to backward through the graph a second time | retain_graph=True | the loss is nan | same device
Expected more than 1 value per channel when training | Weights only load failed | Can't get attribute
Using a target size that is different to the input size | CUDA out of memory | early stopping
"""


def run(source: str, names: dict[str, Any]) -> tuple[str, Any]:
    """Run a cell; return what it printed, and what it would display."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), names)
        shown = eval(ast.unparse(last), names) if last is not None else None
    return printed.getvalue(), shown


def stage(library: str) -> dict[str, Any]:
    """Return the names of the first code cell, where nbmodule may be another library."""
    source = CELLS["cC-imports"].source
    if library != "nbmodule":
        source = re.sub(r"\bnbmodule(?=[ .])", library, source)
    names: dict[str, Any] = {"__name__": "__main__"}
    run(source, names)
    return names


def stored(cell: Any) -> str:
    """Return what is stored as printed."""
    return "".join(o.text for o in cell.outputs if o.output_type == "stream")


def test_what_people_type_stands_in_the_table():
    missing = [words for words in re.split(r"[|\n]", TYPED) if words.strip() not in CELLS["cC-table"].source.replace("*", "")]  # fmt: skip
    there = "\n".join(c.source for c in CELLS.values() if c.cell_type == "markdown")
    assert [words for words in missing if words.strip() not in there] == []
    first_seven = [words.strip() for words in re.split(r"[|\n]", TYPED)[1:9]]
    assert not set(first_seven) & {words.strip() for words in missing}


def test_the_sections_are_the_twenty_in_their_order():
    sections = [name.removesuffix("-ill") for name in CELLS if name.endswith("-ill")]
    assert sections == [f"cC-{name}" for name in DISEASES]
    for number, name in enumerate(sections, 1):
        text = CELLS[name].source
        assert text.startswith(f"### {number}. ")
        parts = re.findall(r"^\*\*(.+?)\*\* ", text, re.MULTILINE)
        assert parts == ["You see", "Cause", "Proof", "Cure", "Chapter"]
        (row,) = [row for row in CELLS["cC-table"].source.splitlines() if f"[{number}. " in row]
        assert re.findall(r"\]\((\d\w+\.ipynb[^)]*)\)", row) == re.findall(r"\*\*Chapter\*\* .*?\]\((.*?)\)", text)  # fmt: skip


def test_fourteen_of_the_twenty_run_without_an_error():
    import nbmodule

    nbmodule.manual_seed(0)
    errors = [program(nbmodule).given.get("error") for program in DISEASES.values()]
    assert errors.count(None) == 14
    assert "Fourteen of the twenty programs" in CELLS["cC-table"].source


@pytest.mark.parametrize("library", ["nbmodule", pytest.param("torch", marks=pytest.mark.torch)])
@pytest.mark.parametrize("name", DISEASES)
def test_a_section_stands_alone_on_both_libraries(name, library):
    pytest.importorskip(library)
    names = stage(library)
    for part in PARTS:
        cell = CELLS[f"cC-{name}-{part}"]
        printed, shown = run(cell.source, names)
        if "diagnose(" in cell.source and (name, library) != ("pickled-model", "torch"):
            assert list(shown.names) == [name]
        if name != "pickled-model":
            assert printed.replace("torch.", "nbmodule.") == stored(cell).replace("torch.", "nbmodule.")  # fmt: skip


def test_a_healthy_program_stays_without_a_finding():
    _, shown = run(CELLS["cC-healthy"].source, stage("nbmodule"))
    assert list(shown.names) == []


def test_an_untouched_exercise_is_a_broken_program_to_mend():
    exercise = find_exercise("C.1")
    report = examine(exercise, (item_of(exercise, stub_source("C.1")),))
    assert report.status == "not started"
    assert "Mend the program in the exercise's cell" in report.next_step


def test_a_report_names_the_call_that_never_ended(monkeypatch):
    monkeypatch.setattr("nbmodule_course.referee.budget.CPU_SECONDS", 1)
    exercise = find_exercise("C.4")
    cell = """
def load_unwrapped(net, saved):
    while saved.keys() != net.state_dict().keys() and all(k.startswith("module.") for k in saved):
        saved = {k[7:]: value for k, value in saved.items()}
    return net.load_state_dict(saved)
"""
    text = repr(examine(exercise, (item_of(exercise, cell),)))
    assert "so it was stopped, in `tried(lambda: load_unwrapped(nn.Linear(2, 1), {}))`" in text
