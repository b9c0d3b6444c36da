"""Where the reader's folder is, when nobody names it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from . import chapters

DEFAULT_FOLDER = "my-chapters"
EARLIER_FOLDER = "nbmodule-chapters"  # the default of an earlier version


def nearby() -> Path | None:
    """Return the folder that `lab` goes on with: the one around this place, or the default one in it."""
    here = Path().resolve()
    return _first([here, *here.parents, *_defaults(here)])


def anywhere() -> Path | None:
    """Return the folder that all others mean: in those above, too, and in the checkout that the course is read from."""
    above = [*Path().resolve().parents, chapters.folder().parent]
    return nearby() or _first(folder for place in above for folder in _defaults(place))


def _first(candidates: Iterable[Path]) -> Path | None:
    from .editions import is_edition  # it needs nbformat; the command can say so

    return next(filter(is_edition, candidates), None)


def _defaults(place: Path) -> tuple[Path, Path]:
    return place / DEFAULT_FOLDER, place / EARLIER_FOLDER
