"""The format `.safetensors`: a JSON header with names, types and places, then the numbers.

Any tool that knows the format reads the tensors. What is more than tensors, our structure, is one text
among the header's metadata, which other tools pass over. Another is a checksum of the whole file, for which zeros
stand in its own place: a file that was changed by accident is refused.

Source: https://huggingface.co/docs/safetensors/index#format
"""

from __future__ import annotations

import json
import re
import zlib
from typing import Any, BinaryIO

import numpy as np

from .._dtypes import NO_COMPLEX
from .bfloat16 import warn_widened, widened
from .damage import damaged
from .plain import VERSION, flatten, unflatten

KEY = "nbmodule"
"""Under which of the metadata our structure is."""

NO_SUM = "00000000"
"""Stands in the place of the checksum while it is computed."""
SUM_KEY = f"{KEY}.crc32"
SUM = re.compile(b'"%s":"([0-9a-f]{8})"' % re.escape(SUM_KEY.encode()))
"""Matches the checksum in a header. No text in it can look like that: quotes in texts have a backslash."""
START = f'{{"version":{VERSION},"checksum":true,'
"""How our structure begins where there is a checksum: so it is missed if it has become unreadable."""

_TYPES = {
    "F64": np.float64, "F32": np.float32, "F16": np.float16, "I64": np.int64, "I32": np.int32, "I16": np.int16,
    "I8": np.int8, "U64": np.uint64, "U32": np.uint32, "U16": np.uint16, "U8": np.uint8, "BOOL": np.uint8,
    "BF16": np.uint16,
}  # fmt: skip
"""The types of the format, as NumPy holds their bytes."""

_MISSING = (
    "the file format .safetensors needs the package safetensors:\n    pip install 'nbmodule[saving]'\n"
    "Without it, .npz and .pt files can be saved and loaded."
)


def sniff(start: bytes) -> bool:
    """Return whether a file that starts with the 16 bytes `start` is likely of this format.

    Eight bytes say how long the header is, which begins with a brace.
    """
    return len(start) > 8 and start[8:9] == b"{" and int.from_bytes(start[:8], "little") < 2**40


def write(obj: Any, file: BinaryIO) -> None:
    """Write `obj`, a nest of what `plain` allows, to `file`.

    Raises:
        ImportError: safetensors is not installed.
        TypeError: something in `obj` cannot be saved.
    """
    library()
    from safetensors.numpy import save

    arrays, structure = flatten(obj, checksum=True)
    data = save(arrays, metadata={"format": "pt", KEY: structure, SUM_KEY: NO_SUM})
    header, numbers = _parts(data)
    checksum = zlib.crc32(numbers, zlib.crc32(header))
    place = SUM.search(header)
    assert place is not None
    file.write(b"%s%08x%s" % (header[: place.start(1)], checksum, header[place.end(1) :]))
    file.write(numbers)


def read(file: BinaryIO, map_location: Any = None, mmap: bool = False) -> Any:
    """Return what `file` holds: a nest that `write` wrote, else a dict of tensors.

    Args:
        file: a binary file, at its start.
        map_location: on which devices tensors shall be.
        mmap: has no effect: the file is read once, in one piece.

    Raises:
        RuntimeError: the file is damaged, or holds a type that does not exist here.
    """
    data = file.read()
    try:
        summed = _has_right_sum(data)
        parts = dict(library().deserialize(data))
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        metadata = header.pop("__metadata__", None) or {}
        del data
        if not summed and metadata.get(KEY, "").startswith(START):
            raise ValueError("its checksum has become unreadable")
        arrays = {name: _array(name, parts.pop(name)) for name in header}
    except (library().SafetensorError, ValueError, RecursionError) as e:
        raise damaged(file, str(e)) from None
    warn_widened([name for name in header if header[name]["dtype"] == "BF16"])
    return unflatten(file, arrays, metadata.get(KEY), map_location)


def _parts(data: bytes) -> tuple[bytes, memoryview]:
    """Return the header, with the eight bytes before it, and the numbers."""
    end = 8 + int.from_bytes(data[:8], "little")
    return data[:end], memoryview(data)[end:]


def _has_right_sum(data: bytes) -> bool:
    """Return whether there is a checksum.

    Raises:
        ValueError: it is another than that of the file.
    """
    header, numbers = _parts(data)
    found = SUM.search(header)
    if found is None:
        return False
    header = header[: found.start(1)] + NO_SUM.encode() + header[found.end(1) :]
    if zlib.crc32(numbers, zlib.crc32(header)) != int(found[1], 16):
        raise ValueError("its checksum is wrong: some of its bytes have changed since it was saved")
    return True


def library() -> Any:
    """Return the package.

    Raises:
        ImportError: it is not installed.
    """
    try:
        import safetensors
    except ImportError:
        raise ImportError(_MISSING) from None
    return safetensors


def _array(name: str, part: dict[str, Any]) -> np.ndarray:
    """Return the tensor `name` as an array on the bytes that safetensors has read."""
    kind = part["dtype"]
    if kind not in _TYPES:
        why = NO_COMPLEX if kind.startswith("C") else "nbmodule has no such type."
        raise ValueError(f"the tensor {name!r} is of type {kind}. {why}")
    array = np.ndarray(part["shape"], np.dtype(_TYPES[kind]).newbyteorder("<"), part["data"])
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if kind == "BF16":
        return widened(array)
    if kind == "BOOL":
        return array.view(bool) if array.max(initial=0) <= 1 else array != 0
    return array
