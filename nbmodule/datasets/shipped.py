"""The files that ship with the library: plain arrays and texts, nothing that could run code."""

from __future__ import annotations

from pathlib import Path
from zipfile import BadZipFile
from zlib import error as ZlibError

import numpy as np

FOLDER = Path(__file__).resolve().parent / "files"


class DataFileError(RuntimeError):
    """A file of data is missing, damaged, or not what it says.

    Source: https://docs.pytorch.org/vision/stable/datasets.html

    Example:
        >>> import pathlib
        >>> from nbmodule.datasets.shipped import DataFileError, read_arrays
        >>> try:
        ...     read_arrays(pathlib.Path("lost.npz"), "images")
        ... except DataFileError as error:
        ...     print(error)
        The data file lost.npz is missing.
        Install nbmodule again.
    """


def read_arrays(file: Path, *names: str) -> list[np.ndarray]:
    """Return the arrays called `names` of an ``.npz`` file.

    Raises:
        DataFileError: the file is missing, damaged, or lacks one of them.
    """
    try:
        with file.open("rb") as raw, np.load(raw, allow_pickle=False) as held:
            return [held[name] for name in names]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, ZlibError) as error:
        raise _fault(file, error) from None


def read_text(file: Path) -> str:
    """Return a text file, with line feeds between lines on every system.

    Raises:
        DataFileError: the file is missing or damaged.
    """
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise _fault(file, error) from None


def _fault(file: Path, error: Exception) -> DataFileError:
    missing = isinstance(error, FileNotFoundError)
    fault = "is missing" if missing else f"is damaged ({type(error).__name__})"
    return DataFileError(f"The data file {file.name} {fault}.\nInstall nbmodule again.")
