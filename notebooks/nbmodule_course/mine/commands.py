"""`nbmodule mine` and `nbmodule reset`: the reader's class from a shell."""

from __future__ import annotations

from pathlib import Path

from ..numbering import EXERCISE_ID
from ..wording import UsageError, closest, listing
from . import kept_blocks, kept_file, kept_text
from .carried import Carried
from .cells import owner_of
from .loading import start_of


def overview(folder: Path) -> str:
    """Return the class in a folder's `my_module.py`: each method, and whose it is.

    Args:
        folder: the reader's.
    """
    file = kept_file.place(folder)
    if not file.exists():
        return f"There is no {file.name} in {folder} yet. The first exercise that you solve creates it."
    start = start_of("", file)
    parts = [*start.notices, Carried(start, "", file).view.to_text(), f"It is in {file}."]
    return "\n".join(parts)


def is_exercise(asked: str) -> bool:
    """Tell whether this looks like the id of an exercise; else it is the name of a method, a function or a layer."""
    return EXERCISE_ID.fullmatch(asked) is not None or asked[:1].isdigit()


def take_back(asked: str, folder: Path) -> str:
    """Take what an exercise gave, or one method, function or layer, out of `my_module.py`; the version before is kept.

    Args:
        asked: the id of an exercise or a name.
        folder: the reader's.

    Returns:
        What was done; '' where an exercise has given nothing.

    Raises:
        UsageError: there is no such method, or the file is no Python.
    """
    file = kept_file.place(folder)
    try:
        there = kept_blocks.blocks(kept_file.read(file))
    except (SyntaxError, UnicodeDecodeError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
        raise UsageError(
            f"{file.name} is not valid Python{line}, so nothing was taken out of it. Fix it first, or rename "
            "it: the next exercise that you solve creates a new one."
        ) from None
    by_exercise = is_exercise(asked)
    wanted = {
        block.name
        for block in there
        if asked == block.exercise_id
        or (not by_exercise and asked in (block.name, owner_of(block.name)))
    }
    if not wanted and by_exercise:
        return ""
    if not wanted:
        names = [block.name for block in there if block.kind != "import"]
        have = f"It has {listing(names)}." if names else "It has none yet."
        raise UsageError(
            f'There is no exercise "{asked}", and {file.name} has no method of that name.'
            f"{closest(asked, names)} {have}"
        )

    def change(text: str) -> str:
        return kept_text.remove(
            text, [b for b in kept_blocks.blocks(text) if b.name in wanted and _asked(b)]
        )

    def _asked(block: kept_blocks.Block) -> bool:
        return block.kind != "import" and (not by_exercise or block.exercise_id == asked)

    written = kept_file.update(file, change)
    return (
        f"Taken out of {file.name}: {listing(sorted(wanted))}. The previous version is {written.kept_as}. "
        "An open notebook still has it until you restart its kernel."
    )
