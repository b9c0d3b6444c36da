"""The format `.safetensors`: a JSON header with names, types and places, then the numbers.

    8 bytes                      how long the header is, as a little-endian number
    {"w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {...}}
    24 bytes                     the numbers of "w"; offsets count from the end of the header

Any tool that knows the format reads the tensors. What is more than tensors, our structure, is one text
among the header's metadata, which other tools pass over.

Source: https://huggingface.co/docs/safetensors/index#format
"""

from __future__ import annotations

import json
import math
import os
from typing import Any, BinaryIO

import numpy as np

from .._dtypes import NO_COMPLEX
from .bfloat16 import warn_widened, widened
from .damage import damaged
from .plain import flatten, unflatten

KEY = "nbmodule"
"""Under which of the metadata our structure is."""

_TYPES = {
    "F64": np.float64, "F32": np.float32, "F16": np.float16, "I64": np.int64, "I32": np.int32, "I16": np.int16,
    "I8": np.int8, "U64": np.uint64, "U32": np.uint32, "U16": np.uint16, "U8": np.uint8, "BOOL": np.uint8,
    "BF16": np.uint16,
}  # fmt: skip
"""The types of the format, as NumPy holds their bytes."""

_NAMES = {np.dtype(t): kind for kind, t in _TYPES.items() if kind not in ("BOOL", "BF16")}
_NAMES[np.dtype(bool)] = "BOOL"

_LONGEST_HEADER = 100_000_000
"""What other readers take; 8 bytes before the header say how long it is."""

_MOST_DIMENSIONS = 64

_ALIGNMENT = 8
"""The numbers begin at a multiple of it: spaces make the header longer."""


def sniff(start: bytes) -> bool:
    """Return whether a file that starts with the 16 bytes `start` is likely of this format.

    Eight bytes say how long the header is, which begins with a brace.
    """
    return len(start) > 8 and start[8:9] == b"{" and int.from_bytes(start[:8], "little") < 2**40


def write(obj: Any, file: BinaryIO) -> None:
    """Write `obj`, a nest of what `plain` allows, to `file`.

    Raises:
        TypeError: something in `obj` cannot be saved.
    """
    arrays, structure = flatten(obj)
    # the widest first: each begins at a multiple of its own width
    arrays = dict(sorted(arrays.items(), key=lambda item: (-item[1].itemsize, item[0])))
    header: dict[str, Any] = {"__metadata__": {"format": "pt", KEY: structure}}
    end = 0
    for name, a in arrays.items():
        start, end = end, end + a.nbytes
        header[name] = {"dtype": _NAMES[a.dtype], "shape": a.shape, "data_offsets": (start, end)}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    file.write(len(text).to_bytes(8, "little") + text)
    for a in arrays.values():
        file.write(a.astype(a.dtype.newbyteorder("<"), copy=False).reshape(-1).view(np.uint8).data)


def read(file: BinaryIO, map_location: Any = None, mmap: bool = False) -> Any:
    """Return what `file` holds: a nest that `write` wrote, else a dict of tensors.

    Args:
        file: a binary file, at its start.
        map_location: on which devices tensors shall be.
        mmap: has no effect: the file is read once, tensor by tensor.

    Raises:
        RuntimeError: the file is damaged, or holds a type that does not exist here.
    """
    start = file.tell()
    size = file.seek(0, os.SEEK_END) - start
    file.seek(start)
    try:
        header = _header(file, size)
        metadata = header.pop("__metadata__", {})
        _check(header, metadata, start + size - file.tell())
        base = file.tell()
        arrays = {name: _array(file, base, entry) for name, entry in header.items()}
    except (ValueError, RecursionError, OverflowError, MemoryError) as e:
        raise damaged(file, str(e)) from None
    warn_widened([name for name in header if header[name]["dtype"] == "BF16"])
    return unflatten(file, arrays, metadata.get(KEY), map_location)


def _header(file: BinaryIO, size: int) -> dict[str, Any]:
    """Return the header of a file of `size` bytes; `file` stands behind it then."""
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > min(_LONGEST_HEADER, size - 8):
        raise ValueError(f"its header of {length} bytes does not fit into its {size} bytes")
    header = json.loads(file.read(length).decode(), object_pairs_hook=_without_repetition)
    if not isinstance(header, dict):
        raise ValueError("its header is no JSON object")
    return header


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("its header says a name twice")
    return found


def _check(header: dict[str, Any], metadata: Any, room: int) -> None:
    """Refuse tensors that are not what their places have room for, or do not fill `room` without a gap.

    Raises:
        ValueError: they are or do not.
    """
    if not (isinstance(metadata, dict) and all(isinstance(v, str) for v in metadata.values())):
        raise ValueError("its metadata are no text")
    for name, entry in header.items():
        if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
            raise ValueError(f"the tensor {name!r} has no dtype, shape and data_offsets")
        kind, shape, place = entry["dtype"], entry["shape"], entry["data_offsets"]
        if not isinstance(kind, str) or kind not in _TYPES:
            why = NO_COMPLEX if str(kind).startswith("C") else "nbmodule has no such type."
            raise ValueError(f"the tensor {name!r} is of type {kind}. {why}")
        if not (_whole_numbers(shape) and _whole_numbers(place) and len(place) == 2):
            raise ValueError(f"the shape or the place of the tensor {name!r} are no whole numbers")
        if len(shape) > _MOST_DIMENSIONS:  # the product of many huge numbers takes forever
            raise ValueError(f"the tensor {name!r} has {len(shape)} dimensions")
        if place[1] - place[0] != math.prod(shape) * np.dtype(_TYPES[kind]).itemsize:
            raise ValueError(f"the tensor {name!r} of shape {shape} does not fit its place {place}")
    end = 0
    for start, behind in sorted(entry["data_offsets"] for entry in header.values()):
        if start != end:
            raise ValueError(f"its tensors overlap or leave a hole at byte {end}")
        end = behind
    if end != room:
        raise ValueError(f"its tensors have {end} bytes, and behind the header there are {room}")


def _whole_numbers(numbers: Any) -> bool:
    return isinstance(numbers, list) and all(type(n) is int and n >= 0 for n in numbers)


def _array(file: BinaryIO, base: int, entry: dict[str, Any]) -> np.ndarray:
    """Return the tensor of `entry`; its place counts from `base`."""
    kind = entry["dtype"]
    array = np.empty(entry["shape"], np.dtype(_TYPES[kind]).newbyteorder("<"))
    file.seek(base + entry["data_offsets"][0])
    _fill(array.reshape(-1).view(np.uint8).data, file)
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if kind == "BF16":
        return widened(array)
    if kind == "BOOL":
        return array.view(bool) if array.max(initial=0) <= 1 else array != 0
    return array


def _fill(rest: memoryview, file: Any) -> None:
    """Read as many bytes as `rest` has room for."""
    if not hasattr(file, "readinto"):
        rest[:] = file.read(len(rest))
        return
    while rest:
        got = file.readinto(rest) or 0
        if not 0 < got <= len(rest):
            raise ValueError("it ends too early")
        rest = rest[got:]
