"""The formats of files: how each is recognised, written and read.

`save` goes by the extension of the path, `load` by the first bytes of the file.
"""

from __future__ import annotations

import os
import struct
from typing import Any

from . import archive, legacy, npz, safetensors

BY_EXTENSION: dict[str, Any] = {".safetensors": safetensors, ".npz": npz}
"""The module that writes files of an extension, with ``write(obj, file)``; all others are archives."""
ENOUGH_TO_SNIFF = 2**10
FIRST_NAME = struct.Struct("<26xH2x")
"""The length of the name of a zip file's first entry; the name follows."""


def of_path(path: str) -> Any:
    """Return the module whose ``write(obj, file)`` writes a file called `path`."""
    return BY_EXTENSION.get(os.path.splitext(path)[1].lower(), archive)


def of_file(file: Any) -> Any:
    """Return the module whose ``read`` reads `file`; the file stands where it stood."""
    start = file.tell()
    head = file.read(ENOUGH_TO_SNIFF)
    if isinstance(head, str):
        raise AssertionError("Expected bytes, got str\nOpen the file with mode 'rb'.")
    file.seek(start)
    if safetensors.sniff(head):
        return safetensors
    if archive.sniff(head):
        return npz if npz.is_npz([_first_name(head)]) else archive
    return legacy


def _first_name(head: bytes) -> str:
    """Return the name of the first entry of a zip file that begins with `head`."""
    if len(head) < FIRST_NAME.size:
        return ""
    (length,) = FIRST_NAME.unpack_from(head)
    return head[FIRST_NAME.size : FIRST_NAME.size + length].decode("utf-8", "replace")
