"""`nbmodule mine` and `nbmodule reset`: the reader's class and tape from a shell."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from ..numbering import EXERCISE_ID
from ..wording import UsageError, closest, listing
from . import kept_blocks, kept_file, kept_text
from .carried import Carried
from .cells import owner_of
from .loading import start_of


def overview(folder: Path) -> str:
    """Return what a folder's `my_module.py` and `my_tape.py` have: each method, and whose it is.

    Args:
        folder: the reader's.
    """
    file = kept_file.place(folder)
    tape = kept_file.tape_beside(file)
    there = [str(each) for each in (file, tape) if each.exists()]
    if not there:
        return f"There is no {file.name} in {folder} yet. The first exercise that you solve creates it."
    start = start_of("", file)
    where = f"It is in {there[0]}." if len(there) == 1 else f"They are in {listing(there)}."
    parts = [*start.notices, Carried(start, "", file).view.to_text(), where]
    return "\n".join(parts)


def is_exercise(asked: str) -> bool:
    """Tell whether this looks like the id of an exercise; else it is the name of a method, a function or a layer."""
    return EXERCISE_ID.fullmatch(asked) is not None or asked[:1].isdigit()


def take_back(asked: str, folder: Path) -> str:
    """Take what an exercise gave, or one method, function or class, out of the two files; the versions before are kept.

    Args:
        asked: the id of an exercise or a name.
        folder: the reader's.

    Returns:
        What was done; '' where an exercise has given nothing.

    Raises:
        UsageError: there is no such method, or a file that may have it is no Python.
    """
    file = kept_file.place(folder)
    files = [each for each in (file, kept_file.tape_beside(file)) if each == file or each.exists()]
    said, names, broken = [], [], None
    asked = _full_name(asked, files)
    for each in files:
        try:
            said.append(_take_out(asked, each, names))
        except (SyntaxError, UnicodeDecodeError) as error:
            line = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
            broken = UsageError(
                f"{each.name} is not valid Python{line}, so nothing was taken out of it. Fix it first, or rename "
                "it: the next exercise that you solve creates a new one."
            )
    done = " ".join(filter(None, said))
    if broken and not done:
        raise broken
    if done or is_exercise(asked):
        return done
    have = f"It has {listing(names)}." if names else "It has none yet."
    there = " or ".join(each.name for each in files)
    raise UsageError(
        f'There is no exercise "{asked}", and {there} has no method of that name.'
        f"{closest(asked, names)} {have}"
    )


def _full_name(asked: str, files: Iterable[Path]) -> str:
    """Return the name of the one method that is asked for: "backward" is enough where only Tensor has it.

    Raises:
        UsageError: several classes have a method of this name.
    """
    have: list[kept_blocks.Block] = []
    for each in files:
        with contextlib.suppress(SyntaxError, UnicodeDecodeError):
            have += kept_blocks.blocks(kept_file.read(each))
    names = [block.name for block in have if block.kind != "import"]
    if is_exercise(asked) or asked in {part for b in have for part in (b.name, owner_of(b.name))}:
        return asked
    meant = [name for name in names if name.rpartition(".")[2] == asked]
    if len(meant) > 1:
        raise UsageError(f'Several classes have a method "{asked}". Name one of {listing(meant)}.')
    return meant[0] if meant else asked


def _take_out(asked: str, file: Path, names: list[str]) -> str:
    """Take it out of one file; return what was done, or '' and add the names that the file has to `names`."""
    there = kept_blocks.blocks(kept_file.read(file))
    names += [block.name for block in there if block.kind != "import"]
    by_exercise = is_exercise(asked)
    wanted = {
        block.name
        for block in there
        if asked == block.exercise_id
        or (not by_exercise and asked in (block.name, owner_of(block.name)))
    }
    if not wanted:
        return ""

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
