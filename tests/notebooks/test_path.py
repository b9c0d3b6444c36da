"""The path through the course: every chapter has its links and times, and they lead somewhere."""

from __future__ import annotations

from types import SimpleNamespace

import nbformat
import pytest
from course_chapters import course_chapters
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from nbmodule_course import path
from nbmodule_course.chapters import Chapter, chapters_in

ALL = course_chapters()


@pytest.mark.parametrize("chapter", ALL, ids=lambda chapter: chapter.path.stem)
def test_a_chapter_has_its_path_and_every_link_leads_somewhere(chapter, builder):
    assert builder.path_problems(chapter.path) == []


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Four chapters with a heading each; 98 has two exercises."""
    costs = {"98.1": (1, "core"), "98.2": (12, "extra")}
    monkeypatch.setattr(path, "find_exercise", lambda name: SimpleNamespace(minutes=costs[name][0], importance=costs[name][1]))  # fmt: skip
    for name in ("00_start_here", "00b_a_class", "01_inside", "98_scratch"):
        heading = new_markdown_cell(f"# {name[:3].strip('_')} · About `{name}`\n\n*Question?*")
        cells = [heading, new_markdown_cell("## The map")]
        if name.startswith("98"):
            for number in (1, 2):
                cells.append(new_markdown_cell(f"Words.\n\n### Exercise 98.{number}\n\nWrite it."))
                cells.append(new_code_cell("x", metadata={"tags": ["exercise", f"98.{number}"]}))
        write(tmp_path / f"{name}.ipynb", new_notebook(cells=cells))
    return chapters_in(tmp_path)


def write(file, notebook):
    file.write_text(nbformat.writes(notebook), encoding="utf-8")


def with_path(chapter, course):
    notebook = nbformat.read(chapter.path, as_version=4)
    path.write_path(notebook, chapter, course)
    write(chapter.path, notebook)
    return [cell.source for cell in notebook.cells]


def test_lines_are_written_once_and_replaced_when_the_course_has_changed(course):
    first, *_, end = with_path(course[0], course)
    assert first.split("\n")[2] == (
        "[the map](#The-map) · [00b · About `00b_a_class` →](00b_a_class.ipynb) (optional) · "
        "[01 · About `01_inside` →](01_inside.ipynb)"
    )
    assert end == first.split("\n")[2]
    cells = with_path(course[3], course)
    assert cells[0].endswith("[first exercise: 98.1](#Exercise-98.1)\n\n*Question?*")
    assert cells[2].split("\n")[2:7] == [
        *("### Exercise 98.1", ""),
        "*core, about 1 minute* · [next exercise: 98.2](#Exercise-98.2)",
        *("", "Write it."),
    ]
    assert "*extra, about 12 minutes*\n\nWrite it." in cells[4]
    assert with_path(Chapter(course[3].path), course) == cells
    shorter = with_path(Chapter(course[3].path), [course[0], course[3]])
    assert len(shorter) == len(cells)
    assert "01_inside" not in shorter[0] + shorter[-1]


def test_links_that_lead_nowhere_are_named(course):
    links = (
        "[a](97_gone.ipynb) [b](01_inside.ipynb#The-map) [c](#No-such) [d](https://x.org/1.ipynb)"
    )
    write(course[2].path, new_notebook(cells=[new_markdown_cell(links), new_markdown_cell("## The map")]))  # fmt: skip
    assert list(path.broken_links(Chapter(course[2].path), course)) == [
        "there is no chapter 97_gone.ipynb: 97_gone.ipynb",
        "01_inside.ipynb has no such heading: #No-such",
    ]


def test_an_exercise_without_a_heading_is_named(course):
    cells = [new_markdown_cell("# 98 · x"), new_code_cell("x", metadata={"tags": ["exercise", "98.2"]})]  # fmt: skip
    with pytest.raises(
        ValueError, match=r'exercise 98\.2 has no heading .* "### Exercise 98\.2: …"'
    ):
        path.write_path(new_notebook(cells=cells), course[3], course)
