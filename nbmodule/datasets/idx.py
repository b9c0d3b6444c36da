"""`read_idx`: the file format of MNIST.

====================  ==========================================================================
bytes                 meaning
====================  ==========================================================================
2                     0
1                     the type of the numbers: 0x08 for uint8, and so on, see `_TYPES`
1                     n, how many dimensions
4 n                   the dimensions, unsigned, big-endian
the rest              the numbers, big-endian, the last dimension changing fastest
====================  ==========================================================================

Source: http://yann.lecun.com/exdb/mnist/ ("The IDX file format")
"""

from __future__ import annotations

import gzip
import math
import struct
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np

from .shipped import DataFileError

_TYPES = {
    0x08: np.dtype("u1"), 0x09: np.dtype("i1"), 0x0B: np.dtype(">i2"),
    0x0C: np.dtype(">i4"), 0x0D: np.dtype(">f4"), 0x0E: np.dtype(">f8"),
}  # fmt: skip
_MOST_DIMENSIONS = 8
_MOST_SHRUNK = 1032
"""Deflate makes no file smaller than by this factor."""
_MOST_BESIDE_ZERO = 1 << 40
"""An array without numbers, because one dimension is 0, has others that NumPy can count."""
_PIECE = 1 << 20


def read_idx(file: Any) -> np.ndarray:
    """Return the array in an idx file, which may be compressed by gzip.

    What the header says is held against the size of the file before anything of that size is asked for.

    Args:
        file: a path.

    Raises:
        FileNotFoundError: there is no such file.
        DataFileError: it is no idx file, or damaged.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.MNIST.html

    Example:
        >>> import tempfile, pathlib
        >>> from nbmodule.datasets import read_idx
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "labels-idx1-ubyte")
        ...     _ = file.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9]))
        ...     read_idx(file)
        array([7, 8, 9], dtype=uint8)
    """
    path = Path(file)
    try:
        with path.open("rb") as plain:
            packed = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            room = path.stat().st_size * (_MOST_SHRUNK if packed else 1)
            source: Any = gzip.GzipFile(fileobj=plain) if packed else plain
            return _read(source, room, path.name)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataFileError(f"{path.name} is damaged: {error}") from None


def _read(source: IO[bytes], room: int, name: str) -> np.ndarray:
    """Read from `source`, which holds at most `room` bytes."""
    head = source.read(4)
    if len(head) < 4 or head[:2] != b"\0\0" or head[2] not in _TYPES:
        raise DataFileError(
            f"{name} is not an idx file: it begins with {head.hex(' ') or 'nothing'}, and an idx file "
            "with 00 00, the type of the numbers and how many dimensions there are"
        )
    kind, n = _TYPES[head[2]], head[3]
    if not 1 <= n <= _MOST_DIMENSIONS:
        raise DataFileError(
            f"{name} says that it has {n} dimensions; 1 to {_MOST_DIMENSIONS} can be read"
        )
    sizes = source.read(4 * n)
    if len(sizes) < 4 * n:
        raise DataFileError(f"{name} is truncated: it ends within its {n} dimensions")
    shape = struct.unpack(f">{n}I", sizes)
    told, beside_zero = math.prod(shape) * kind.itemsize, math.prod(filter(None, shape))
    if told > room or beside_zero > _MOST_BESIDE_ZERO:
        raise DataFileError(
            f"{name} says that it holds {shape} numbers, which cannot be in so short a file"
        )
    pieces, left = [], told
    while left and (piece := source.read(min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    if left:
        raise DataFileError(f"{name} is truncated: of {told} bytes of numbers {left} are missing")
    if source.read(1):
        raise DataFileError(f"{name} goes on after the {told} bytes of numbers that it says it has")
    numbers = np.frombuffer(b"".join(pieces), kind).reshape(shape)
    return numbers.astype(kind.newbyteorder("="))
