"""`my_module.py` and `my_tape.py` on the disk, beside the notebooks: read, change safely, keep every earlier version."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..safely import locked, replace_file

NAME = "my_module.py"
TAPE = "my_tape.py"
ENVIRONMENT = "NBMODULE_MINE"


@dataclass(frozen=True)
class Written:
    """What became of a change.

    Attributes:
        changed: whether the file is another one now.
        kept_as: where the version before is kept, such as "my_module_earlier/003.py"; '' if there was none.
    """

    changed: bool
    kept_as: str = ""


def place(folder: Path | None = None) -> Path:
    """Return where `my_module.py` is: $NBMODULE_MINE, or in the folder of the notebook.

    Args:
        folder: another folder than the one that this process works in.
    """
    asked = os.environ.get(ENVIRONMENT)
    if asked and folder is None:
        return Path(asked).expanduser().absolute()
    return (folder or Path()).absolute() / NAME


def tape_beside(file: Path) -> Path:
    """Return where `my_tape.py` is: beside `my_module.py`."""
    return file.with_name(TAPE)


def earlier_beside(file: Path) -> Path:
    """Return the folder of the earlier versions of a file."""
    return file.with_name(f"{file.stem}_earlier")


def read(file: Path) -> str:
    """Return the text of the file; '' if there is none.

    Raises:
        OSError: it cannot be read.
        UnicodeDecodeError: it is no text.
    """
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""


def update(file: Path, change: Callable[[str], str]) -> Written:
    """Replace the text of the file by ``change(text)``; two notebooks may do so at the same moment.

    Args:
        file: the file; it need not exist yet.
        change: gets '' if there is none. What it raises leaves the file as it was.

    Raises:
        OSError: the file cannot be read or written, or is marked as read-only.
    """
    with locked(file, f".{file.name}.lock"):
        before = read(file)
        after = change(before)
        if after == before:
            return Written(False)
        mode = _mode(file)
        kept_as = _keep(file, before) if before else ""
        replace_file(file.resolve(), after)  # behind a link, where there is one
        if mode:
            file.chmod(mode)
        return Written(True, kept_as)


def _mode(file: Path) -> int:
    """Return who may do what with the file; 0 if there is none."""
    if not file.exists():
        return 0
    mode = stat.S_IMODE(file.stat().st_mode)
    if not mode & stat.S_IWUSR:
        raise OSError(errno.EACCES, "the file is read-only")
    return mode


def _keep(file: Path, text: str) -> str:
    """Keep `text` as an earlier version, unless there is one like it; return its name."""
    folder = earlier_beside(file)
    folder.mkdir(exist_ok=True)
    versions = sorted(path for path in folder.glob("*.py") if path.stem.isdecimal())
    for version in versions:
        if version.read_bytes() == text.encode("utf-8"):
            return f"{folder.name}/{version.name}"
    number = max((int(version.stem) for version in versions), default=0) + 1
    new = folder / f"{number:03}.py"
    replace_file(new, text)
    return f"{folder.name}/{new.name}"
