"""How chapters, exercises and predictions are numbered: `00b_a_class.ipynb`, "00b.1", "00b.a"; an appendix has a capital."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

CHAPTER = r"(?:\d\d[a-z]?|[A-Z])"
EXERCISE_ID = re.compile(rf"{CHAPTER}\.\d+")
QUESTION_ID = re.compile(rf"{CHAPTER}\.[a-z]+")
_FILE = re.compile(rf"({CHAPTER})_.+\.ipynb")


def chapter_number(file_name: str) -> str:
    """Return "00b" for "00b_a_class.ipynb", or "" when it is not the name of a chapter."""
    found = _FILE.fullmatch(file_name)
    return found[1] if found else ""


def chapter_of_id(exercise_id: str) -> str:
    """Return "00b" for "00b.1"."""
    return exercise_id.partition(".")[0]


def order_of(exercise_id: str) -> tuple[str, int]:
    """Return a sort key that puts "02.10" after "02.9", and "00b.1" between "00.9" and "01.1"."""
    chapter, _, number = exercise_id.partition(".")
    return chapter, int(number)


def chapter_files(folder: Path) -> list[Path]:
    """Return the chapters in `folder`, in the order of the course."""
    return in_order(path for path in folder.glob("*.ipynb") if chapter_number(path.name))


def in_order(paths: Iterable[Path]) -> list[Path]:
    """Sort chapters by number."""
    return sorted(paths, key=lambda path: (chapter_number(path.name), path.name))
