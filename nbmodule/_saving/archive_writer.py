"""Writing PyTorch's archive: a zip file without compression, entry after entry, never going back.

Each entry is a header, its bytes and a descriptor; at the end comes the table of contents. The header is
made longer, so that the bytes begin at a multiple of 64: then they can be mapped into memory as numbers.

Source: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

LIMIT = 2**32 - 1
"""What takes more bytes than this, or lies beyond, is said with 8 bytes in an extra field."""
FLAGS = 0x0808
"""Names are UTF-8, and sizes stand behind the bytes."""
FIRST_DAY = 0x21
"""1980-01-01: an archive has no date, so that equal nests make equal files."""
CHUNK = 2**18
"""How many bytes are written at a time, while the processor still has them at hand."""
HEADER = struct.Struct("<4sHHHHHLLLHH")
DIRECTORY = struct.Struct("<4sHHHHHHLLLHHHHHLL")
END = struct.Struct("<4sHHHHLLH")
END_64 = struct.Struct("<4sQHHLLQQQQ")
LOCATOR_64 = struct.Struct("<4sLQL")


class ArchiveWriter:
    """Writes entries to anything that has ``write``.

    Args:
        file: where to.
        name: of the folder in the archive.
        alignment: the bytes of each entry begin at a multiple of it.
        checksums: whether each entry gets one.
    """

    def __init__(self, file: Any, name: str, alignment: int = 64, checksums: bool = True) -> None:
        self._file, self._folder = file, name
        self._alignment, self._checksums = alignment, checksums
        self._position = 0
        self._directory: list[bytes] = []

    def _write(self, data: Any) -> None:
        self._file.write(data)
        self._position += len(data)

    def add(self, name: str, data: Any) -> None:
        """Write the entry `name`.

        Args:
            name: of the entry, in the archive's folder.
            data: its bytes.
        """
        data = memoryview(data)
        path, start, size = f"{self._folder}/{name}".encode(), self._position, len(data)
        version = 45 if max(size, start) >= LIMIT else 20
        extra = self._padding(len(path), size)
        self._write(
            HEADER.pack(b"PK\3\4", version, FLAGS, 0, 0, FIRST_DAY, 0, 0, 0, len(path), len(extra))
        )
        self._write(path + extra)
        checksum = self._write_data(data)
        if size:
            sizes = "<4sLQQ" if max(size, start) >= LIMIT else "<4sLLL"
            self._write(struct.pack(sizes, b"PK\7\x08", checksum, size, size))
        self._list(path, start, size, checksum, version)

    def _write_data(self, data: memoryview) -> int:
        """Write `data`, and return its checksum, or 0 if none is wanted.

        Another thread may be training what is saved: each part is copied, so that the checksum is that of
        what is written.
        """
        checksum = 0
        for start in range(0, len(data), CHUNK):
            part = bytes(data[start : start + CHUNK])
            checksum = zlib.crc32(part, checksum) if self._checksums else 0
            self._write(part)
        return checksum

    def _padding(self, name_length: int, size: int) -> bytes:
        """Return the extra field that moves the bytes of the next entry to a multiple of the alignment."""
        large, far = size >= LIMIT, self._position >= LIMIT
        wide = struct.pack("<HH", 1, 16 * large + 8 * far) if large or far else b""
        wide += struct.pack("<QQ", size, size) if large else b""
        wide += struct.pack("<Q", self._position) if far else b""
        start = self._position + HEADER.size + name_length + len(wide) + 4
        padding = self._alignment - start % self._alignment
        return wide + b"FB" + struct.pack("<H", padding) + b"Z" * padding

    def _list(self, path: bytes, start: int, size: int, checksum: int, version: int) -> None:
        """Note the entry for the table of contents."""
        wide = [n for n in (size, size, start) if n >= LIMIT]
        extra = struct.pack(f"<HH{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
        shown = min(size, LIMIT)
        entry = DIRECTORY.pack(
            b"PK\1\2", version, version, FLAGS, 0, 0, FIRST_DAY, checksum, shown, shown, len(path), len(extra),
            0, 0, 0, 0, min(start, LIMIT),
        )  # fmt: skip
        self._directory.append(entry + path + extra)

    def close(self) -> None:
        """Write the table of contents."""
        start, count = self._position, len(self._directory)
        self._write(b"".join(self._directory))
        size = self._position - start
        if max(start, size) >= LIMIT or count >= 2**16 - 1:
            end = self._position
            self._write(END_64.pack(b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start))
            self._write(LOCATOR_64.pack(b"PK\6\7", 0, end, 1))
        few = min(count, 2**16 - 1)
        self._write(END.pack(b"PK\5\6", 0, 0, few, few, min(size, LIMIT), min(start, LIMIT), 0))
