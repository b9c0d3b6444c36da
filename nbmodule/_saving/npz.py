"""The format `.npz`: a zip archive of NumPy's arrays. `numpy.load` reads it, and we read what NumPy wrote.

What is more than arrays, our structure, is one more entry of the archive. Arrays of Python objects, which
are pickles, are refused.

Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import math
import os
import struct
import tokenize
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from .._dtypes import from_numpy_dtype
from .damage import damaged
from .plain import flatten, unflatten

STRUCTURE = "nbmodule.json"
"""The name of the entry that holds our structure."""

BOMB = 2**28
"""Bytes that an archive may always hold when unpacked; beyond them it may be at most 100 times its size."""

LONGEST_END = 22 + 2**16
"""How many bytes the last record of an archive may have, with a comment."""
MANY = 2**16 - 1
"""What it says of more entries than it can count."""

_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, ValueError, TypeError, EOFError, RuntimeError,
    NotImplementedError, RecursionError, MemoryError, SyntaxError, OverflowError, LookupError, tokenize.TokenError,
)  # fmt: skip
"""What `zipfile` and NumPy raise where an archive is not as it should be."""


_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def is_npz(names: Sequence[str]) -> bool:
    """Return whether a zip archive with entries of these `names` is of this format."""
    return any(name == STRUCTURE or name.endswith(".npy") for name in names)


def write(obj: Any, file: BinaryIO) -> None:
    """Write `obj`, a nest of what `plain` allows, to `file`.

    Raises:
        TypeError: something in `obj` cannot be saved.
    """
    arrays, structure = flatten(obj)
    archive = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)
    try:
        for name, array in arrays.items():
            with archive.open(_entry(name), "w", force_zip64=True) as entry:
                npy.write_array(entry, array, allow_pickle=False)
        archive.writestr(zipfile.ZipInfo(STRUCTURE), structure)
        archive.close()
    except BaseException:
        archive.fp = (
            None  # closed: to close it properly now would write on, and hide what went wrong
        )
        raise


def read(file: BinaryIO, map_location: Any = None, mmap: bool = False) -> Any:
    """Return what `file` holds: a nest that `write` wrote, else a dict of tensors.

    Args:
        file: a binary file, at its start.
        map_location: on which devices tensors shall be.
        mmap: has no effect.

    Raises:
        RuntimeError: the file is damaged, or holds something else than arrays of numbers.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            _check_sizes(archive, file.seek(0, os.SEEK_END))
            _check_count(archive, file)
            names = archive.namelist()
            arrays = {n.removesuffix(".npy"): _array(archive, n) for n in names if n != STRUCTURE}
            structure = archive.read(STRUCTURE) if STRUCTURE in names else None
        if structure is not None:
            arrays = {_unquoted(name): array for name, array in arrays.items()}
    except _DAMAGE as e:
        raise damaged(file, str(e) or type(e).__name__) from None
    return unflatten(file, arrays, structure, map_location)


def _check_sizes(archive: zipfile.ZipFile, size: int) -> None:
    """Refuse an archive that names an entry twice, or that unpacks into far more than it is.

    Raises:
        ValueError: it does.
    """
    infos = archive.infolist()
    twice = [name for name, n in Counter(info.filename for info in infos).items() if n > 1]
    if twice:
        raise ValueError(f"it holds the entry {twice[0]!r} twice")
    if any(info.compress_type not in _COMPRESSIONS for info in infos):
        raise ValueError("it is compressed in a way that NumPy does not use")
    if sum(info.compress_size for info in infos) > size:
        raise ValueError("its entries overlap")
    if any(not 0 <= info.header_offset < size for info in infos):
        raise ValueError("its table of contents points out of it")
    unpacked = sum(info.file_size for info in infos)
    if unpacked > max(BOMB, 100 * size):
        raise ValueError(f"its {size} bytes unpack into {unpacked}, which looks like a zip bomb")


def _check_count(archive: zipfile.ZipFile, file: BinaryIO) -> None:
    """Refuse an archive whose last record does not count the entries that were found: zipfile does not look.

    Raises:
        ValueError: a damaged table of contents has lost some.
    """
    file.seek(max(0, file.seek(0, os.SEEK_END) - LONGEST_END))
    end, found = file.read(), len(archive.infolist())
    place = end.rfind(b"PK\5\6") + 10
    count = int.from_bytes(end[place : place + 2], "little")
    if count not in (found, MANY) or (not found and archive.start_dir):
        raise ValueError(f"its table of contents names {found} entries, and there are more")


def _array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """Return the array in the entry `name`; what its header says is compared with its size first."""
    if not name.endswith(".npy"):
        raise ValueError(f"it holds the entry {name!r}, which is no array")
    with archive.open(name) as entry:
        version = npy.read_magic(entry)
        header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(version)
        if header is None:
            raise ValueError(f"the array {name!r} is in version {version} of NumPy's format")
        shape, by_columns, dtype = header(entry)
        if dtype.hasobject:
            raise ValueError(
                f"the array {name!r} holds Python objects, as pickles, which could run any code"
            )
        ours = from_numpy_dtype(dtype).numpy
        count = math.prod(shape)
        if (
            min(shape, default=0) < 0
            or count * dtype.itemsize != archive.getinfo(name).file_size - entry.tell()
        ):
            raise ValueError(
                f"the array {name!r} of shape {shape} has another size than its header says"
            )
        flat = np.empty(count, dtype)
        _fill(flat, entry, name)
        entry.read()  # the end, where zipfile compares the checksum
    array = flat.reshape(shape, order="F" if by_columns else "C")
    return array.astype(ours, copy=False)


def _fill(flat: Any, entry: Any, name: str) -> None:
    """Read the bytes of `flat` from `entry`; no other copy of them is made."""
    rest = memoryview(flat.view(np.uint8))
    while rest:
        got = entry.readinto(rest)
        if not got:
            raise ValueError(f"the array {name!r} is cut off")
        rest = rest[got:]


def _entry(name: str) -> zipfile.ZipInfo:
    """Return the entry for the array `name`, without a date, so that equal nests give equal files."""
    return zipfile.ZipInfo(_quoted(name) + ".npy")


def _quoted(name: str) -> str:
    r"""Return `name` without what zip archives change: they end names at \0, and Windows turns \ to /."""
    return "".join(f"%{ord(c):02X}" if c < " " or c in "%\\" else c for c in name)


def _unquoted(name: str) -> str:
    parts = name.split("%")
    return parts[0] + "".join(chr(int(part[:2], 16)) + part[2:] for part in parts[1:])
