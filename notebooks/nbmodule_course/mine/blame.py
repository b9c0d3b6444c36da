"""Says of an exception in the constructor of one of our layers that it comes from a method of the reader's."""

from __future__ import annotations

from ..diagnosis import reader_place
from .kept_file import NAME, TAPE


def explain(error: Exception, layer: type) -> None:
    """Add a note to `error` if the reader's own code raised it: whose method, and which line.

    Args:
        error: what came out of the constructor.
        layer: what was made.
    """
    place = reader_place(error)
    if place is None or not hasattr(layer, place.function) or _has_note(error):
        return
    home = next((name for name in (NAME, TAPE) if place.file.endswith(name)), "its cell")
    error.add_note(
        f"This comes from your own `{place.function}`, which ran while `{layer.__name__}` was being made "
        f"(line {place.number} of {home}): {place.line}"
    )


def _has_note(error: Exception) -> bool:
    notes = getattr(error, "__notes__", ())
    return any(note.startswith("This comes from your own") for note in notes)
