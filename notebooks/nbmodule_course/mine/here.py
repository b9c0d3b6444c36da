"""Which chapter is running, and which of its cells: from what Jupyter says, or else from the cell's text."""

from __future__ import annotations

import ast
import difflib
import linecache
import os
import sys
from pathlib import PurePath
from types import FrameType
from typing import Any

from ..chapters import Cell, Chapter, chapters
from ..markers import stub_of, without_markers
from ..numbering import chapter_number

SESSION = "JPY_SESSION_NAME"
"""Jupyter tells a kernel the path of its notebook under this name."""

_LEAST_LIKENESS = 0.3


def cell_source(frame: FrameType) -> str:
    """Return the text of the cell that `frame` runs, or ''."""
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    return "".join(lines)


def chapter_of(frame: FrameType, asked: str = "") -> str:
    """Return the number of the chapter that `frame` belongs to, or '' for any other notebook.

    Args:
        frame: runs the cell.
        asked: what the reader says that it is.
    """
    if asked:
        return asked
    named = chapter_number(PurePath(os.environ.get(SESSION, "")).name)
    if named:
        return named
    source = cell_source(frame).strip()
    same = [chapter.number for chapter in chapters() if source and _has(chapter, source)]
    return same[0] if len(same) == 1 else ""


def exercise_cell(source: str, chapter: str, after: str = "") -> Cell | None:
    """Return the chapter's own cell that the reader's cell is, or has grown out of; None if there is none.

    Args:
        source: the reader's text.
        chapter: the number of the chapter.
        after: the id of the exercise cell that ran before: of two cells that look the same the next one is meant.
    """
    home = next((c for c in chapters() if c.number == chapter), None)
    cells = [cell for cell in home.cells if cell.exercise_id] if home else []
    known = next((cell for cell in cells if cell.id and cell.id == running_cell_id()), None)
    if known is not None:
        return known
    source = without_markers(source)
    names = _defined(source)
    cells = [cell for cell in cells if names & _defined(without_markers(cell.source))]
    likeness = [_likeness(source, cell) for cell in cells]
    best = max(likeness, default=0.0)
    if best < _LEAST_LIKENESS:
        return None
    alike = [cell for cell, like in zip(cells, likeness, strict=True) if like == best]
    earlier = next((place for place, cell in enumerate(cells) if cell.id == after), -1)
    return next((cell for cell in alike if cells.index(cell) > earlier), alike[-1])


def running_cell_id() -> str:
    """Return the id of the cell that Jupyter runs, or ''."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    parent = getattr(shell, "get_parent", dict)()
    return str(parent.get("metadata", {}).get("cellId", "")) if isinstance(parent, dict) else ""


def _defined(source: str) -> set[str]:
    """Return the names of all functions and methods in a cell; none for one that is no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set()
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def _has(chapter: Chapter, source: str) -> bool:
    return any(cell.kind == "code" and cell.source.strip() == source for cell in chapter.cells)


def _likeness(source: str, cell: Cell) -> float:
    """Return how alike the cell and its stub or its solution are; the names that are defined count most."""
    forms = (stub_of(cell.source), without_markers(cell.source))
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    return max(
        difflib.SequenceMatcher(
            None, lines, [s.strip() for s in form.splitlines() if s.strip()]
        ).ratio()
        for form in forms
    )
