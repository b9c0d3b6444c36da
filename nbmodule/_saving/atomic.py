"""Writing a file so that its path holds the old content or the new one, and never half of either.

The new content goes into a file beside the old one and reaches the disk (`fsync`); then one step of the
file system, `os.replace`, gives it the name. Whoever is stopped before that step, by an error, Ctrl-C,
a kill or a power cut, has lost nothing: the name still stands for the old content.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

LEFTOVER = ".partial"
"""How names of unfinished files end: what a killed process leaves behind may be deleted."""

HELD_OPEN = (
    "another program, or an open file or memory map of this one, holds it. The file is as it was; "
    "close what reads it (tensors loaded with mmap=True do) and save again."
)


@contextmanager
def replacing(path: Any) -> Iterator[BinaryIO]:
    """Yield a new binary file that takes the place of `path` when the block ends well.

    If the block raises, the old file stays as it is, and the new one is removed. The new file has the
    permissions of the one that it replaces. A symbolic link stays a link: the file behind it is replaced.
    A hard link does not: its other names keep the old content. Pipes and devices, such as `/dev/null`,
    are written to directly.

    Args:
        path: a str, bytes or path object.

    Raises:
        RuntimeError: the folder does not exist, or `path` is empty or a folder.
        OSError: the system refuses: no permission, no space, a name too long.
    """
    target = os.path.realpath(_checked(path))
    mode = _mode_of(target)
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as file:
            yield file
        return
    made = _name_beside(target)
    try:
        with _opened(made, target, mode) as file:
            yield file
            file.flush()
            _keep_owner_and_mode(target, made)
            os.fsync(file.fileno())
        _replace(made, target)
    except BaseException:  # Ctrl-C, too
        with suppress(OSError):
            os.unlink(made)
        raise
    _sync_folder(os.path.dirname(target))


def _checked(path: Any) -> str:
    """Return `path` as a str, or say with PyTorch's first lines why nothing can be written there."""
    name = os.fsdecode(path)
    if not name:
        raise RuntimeError("invalid file name: ''")
    if "\0" in name:
        raise ValueError(f"embedded null byte in the file name {name!r}")
    if os.path.isdir(name):
        raise RuntimeError(f"open file failed with strerror: Is a directory\nSaving to {name!r}.")
    folder = os.path.dirname(name)
    if folder and not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    return name


def _mode_of(target: str) -> int | None:
    """Return the mode of what is at `target`, None where there is nothing.

    Raises:
        PermissionError: it may not be written to; replacing it would get around that.
    """
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(
            f"{target!r} is read-only: save under another name, or allow writing to it."
        )
    return mode


def _name_beside(target: str) -> str:
    """Return a name in the folder of `target`: only within one file system is replacing one step."""
    folder, name = os.path.split(target)
    # 40 letters are at most 160 bytes: the longer name still fits into the usual 255.
    short = name if len(os.fsencode(name)) <= 200 else name[:40]
    return os.path.join(folder, f".{short}.{secrets.token_hex(6)}{LEFTOVER}")


def _opened(made: str, target: str, mode: int | None) -> BinaryIO:
    """Return the new file `made`, which is to replace `target`: nobody reads it who may not read that."""
    rights = 0o666 if mode is None else stat.S_IMODE(mode)
    try:
        return open(made, "x+b", opener=lambda name, flags: os.open(name, flags, rights))
    except PermissionError as e:
        raise PermissionError(
            e.errno,
            "No permission to make a file in this folder; a new file is written beside the old one, "
            "so that the old one survives if saving is interrupted",
            target,
        ) from None


def _keep_owner_and_mode(target: str, made: str) -> None:
    """Give `made` what the file at `target` has, as far as the system lets us."""
    with suppress(OSError):
        old = os.stat(target)
        if hasattr(os, "chown"):
            with suppress(OSError):
                os.chown(made, old.st_uid, old.st_gid)
        os.chmod(made, stat.S_IMODE(old.st_mode))


def _replace(made: str, target: str) -> None:
    try:
        os.replace(made, target)
    except PermissionError as e:  # Windows does not replace a file that someone has open
        raise PermissionError(e.errno, f"Cannot replace the file: {HELD_OPEN}", target) from e


def _sync_folder(folder: str) -> None:
    """Let the new name reach the disk, too. Windows cannot open a folder, and does not need to."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
