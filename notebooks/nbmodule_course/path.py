"""The path through the course: links to the chapters around, the map and the next exercise, and what each exercise costs.

The order of the chapters, the minutes and the importance are known elsewhere, so these lines are written by
`python dev.py notebooks` and nobody types them. Three kinds of line belong to the path:

    [← 01 …](…) · [the map](…) · …           below a chapter's title, and in a cell of its own at the end
    *core, about 6 minutes* · [next …](…)    below the heading of an exercise
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from .chapters import Chapter, cells_of
from .exercise import find_exercise
from .numbering import CHAPTER
from .wording import counted

MAP = "The map"
PATH_TAG = "path"
_PATH_LINE = re.compile(r"(?:←|\[).*\[the map\]\([^)]*\).*|\[the map\]\([^)]*\).*")
_COST_LINE = re.compile(r"\*\w+, about \d+ minutes?\*.*")
_HEADING = re.compile(r"#+ +(.+)")
_LINK = re.compile(r"\]\(([^()\s]*)\)")
_OPTIONAL = re.compile(rf"(?!\d\d$){CHAPTER}")


def write_path(notebook: NotebookNode, chapter: Chapter, course: Sequence[Chapter]) -> None:
    """Put the lines of the path into a chapter, in place of those that are there.

    Args:
        notebook: the chapter's notebook; its Markdown cells are changed.
        chapter: the chapter that it holds.
        course: all chapters in order.

    Raises:
        ValueError: an exercise has no heading with its id.
    """
    notebook.cells = [cell for cell in notebook.cells if PATH_TAG not in _tags(cell)]
    ids = list(dict.fromkeys(cell.exercise_id for cell in cells_of(notebook) if cell.exercise_id))
    headings = {name: exercise_heading(notebook.cells, name) for name in ids}
    for name, following in zip_longest(ids, ids[1:]):
        place = headings[name]
        onward = _link(f"next exercise: {following}", headings[following]) if following else ""
        _below(place, _cost_of(name) + (f" · {onward}" if onward else ""), _COST_LINE)
    first = _link(f"first exercise: {ids[0]}", headings[ids[0]]) if ids else ""
    title = _first_heading(notebook.cells)
    _below(title, _path_line(chapter, course, first), _PATH_LINE)
    end = new_markdown_cell(_path_line(chapter, course, ""), metadata={"tags": [PATH_TAG]})
    end["id"] = f"c{chapter.number}-path"
    notebook.cells.append(end)


def exercise_heading(cells: Sequence[Any], exercise_id: str) -> tuple[Any, str]:
    """Return the Markdown cell with the heading of an exercise, and that heading.

    Raises:
        ValueError: no heading above the exercise's cell holds its id.
    """
    found = None
    for cell in cells:
        if cell["cell_type"] == "markdown":
            for heading in _headings(cell["source"]):
                if re.search(rf"(?<![\w.]){re.escape(exercise_id)}(?!\d)", heading):
                    found = cell, heading
        elif exercise_id in _tags(cell):
            break
    if found is None:
        raise ValueError(
            f"exercise {exercise_id} has no heading with its id above its cell; "
            f'write "### Exercise {exercise_id}: …" there'
        )
    return found


def broken_links(chapter: Chapter, course: Sequence[Chapter]) -> Iterator[str]:
    """Find the links between chapters that lead nowhere: a missing file, or a missing heading."""
    known = {other.path.name: other for other in course}
    for cell in chapter.cells:
        for target in _LINK.findall(cell.source) if cell.kind == "markdown" else ():
            file, _, anchor = target.partition("#")
            if file and not (file.endswith(".ipynb") and "/" not in file):
                continue  # the web, or a picture
            there = known.get(file) if file else chapter
            if there is None:
                yield f"there is no chapter {file}: {target}"
            elif anchor and anchor not in _anchors(there):
                yield f"{there.path.name} has no such heading: {target}"


def anchor_of(heading: str) -> str:
    """Return the anchor that JupyterLab gives to a heading: its text, with hyphens for spaces."""
    return re.sub(r"[`*]", "", heading).strip().replace(" ", "-")


def _anchors(chapter: Chapter) -> set[str]:
    texts = [cell.source for cell in chapter.cells if cell.kind == "markdown"]
    return {anchor_of(heading) for text in texts for heading in _headings(text)}


def _headings(source: str) -> list[str]:
    outside_code = re.sub(r"```.*?```", "", source, flags=re.DOTALL)
    return [found for line in outside_code.split("\n") if (found := _heading_in(line))]


def _heading_in(line: str) -> str:
    """Return the heading that is this line, or ''."""
    found = _HEADING.fullmatch(line)
    return found[1].strip() if found else ""


def _first_heading(cells: Sequence[Any]) -> tuple[Any, str]:
    for cell in cells:
        if cell["cell_type"] == "markdown" and (found := _headings(cell["source"])):
            return cell, found[0]
    raise ValueError("the chapter has no heading")


def _path_line(chapter: Chapter, course: Sequence[Chapter], first_exercise: str) -> str:
    """Return the links to the chapters around and the map, with one to the first exercise."""
    order = [other.number for other in course]
    here = order.index(chapter.number)
    steps = [_chapter_link(course[here - 1], "← ")] if here else []
    steps.append(f"[the map](00_start_here.ipynb#{anchor_of(MAP)})" if here else f"[the map](#{anchor_of(MAP)})")  # fmt: skip
    steps += [first_exercise] if first_exercise else []
    onward = list(course[here + 1 : here + 2])
    if onward and _OPTIONAL.fullmatch(onward[0].number):
        onward += course[here + 2 : here + 3]
    steps += [_chapter_link(other, after=" →") for other in onward]
    return " · ".join(steps)


def _chapter_link(chapter: Chapter, before: str = "", after: str = "") -> str:
    optional = " (optional)" if _OPTIONAL.fullmatch(chapter.number) else ""
    return f"[{before}{chapter.number} · {chapter.title}{after}]({chapter.path.name}){optional}"


def _cost_of(exercise_id: str) -> str:
    exercise = find_exercise(exercise_id)
    return f"*{exercise.importance}, about {counted(exercise.minutes, 'minute')}*"


def _link(text: str, place: tuple[Any, str]) -> str:
    return f"[{text}](#{anchor_of(place[1])})"


def _below(place: tuple[Any, str], line: str, kind: re.Pattern[str]) -> None:
    """Write `line` below a heading, in place of the line of its kind that is there."""
    cell, heading = place
    lines = [text for text in cell["source"].split("\n") if not kind.fullmatch(text)]
    at = next(i for i, text in enumerate(lines) if _heading_in(text) == heading) + 1
    above, rest = "\n".join(lines[:at]), "\n".join(lines[at:]).strip("\n")
    rest = re.sub(
        r"\n{3,}", "\n\n", rest
    )  # a line of the path was taken out between two empty ones
    cell["source"] = "\n\n".join([above, line, *([rest] if rest else [])])


def _tags(cell: Any) -> list[str]:
    return cell["metadata"].get("tags", [])
