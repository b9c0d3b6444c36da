"""Says of an exception in the constructor of one of our layers that it comes from a method of the reader's."""

from __future__ import annotations

from types import TracebackType

from ..diagnosis import reader_place
from .kept_file import NAME


def explained(error: Exception, layer: str) -> None:
    """Add a note to `error` if the reader's own code raised it: whose method, and which line.

    Args:
        error: what came out of the constructor.
        layer: the name of the layer that was made.
    """
    place = reader_place(error)
    if place is None or not place.function.startswith("__") or _has_note(error):
        return
    file, number = _where(error.__traceback__)
    where = f"line {number} of {NAME}" if file.endswith(NAME) else f"line {number} of its cell"
    error.add_note(
        f"This comes from your own `{place.function}`, which ran while `{layer}` was being made "
        f"({where}): {place.line}"
    )


def _has_note(error: Exception) -> bool:
    notes = getattr(error, "__notes__", ())
    return any(note.startswith("This comes from your own") for note in notes)


def _where(traceback: TracebackType | None) -> tuple[str, int]:
    """Return file and line of the last frame that `reader_place` would choose."""
    from ..diagnosis import is_reader

    found = ("", 0)
    while traceback is not None:
        if is_reader(traceback.tb_frame):
            found = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next
    return found
