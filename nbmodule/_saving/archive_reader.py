"""Reading the entries of PyTorch's archive, a zip file without compression.

Zip files are read from their end, where the table of contents is: one that breaks off is recognised. What
the table says is believed only as far as the file is long.

Source: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import Any

import numpy as np

CORRUPTED = (
    "PytorchStreamReader failed {}. This is an internal miniz error. If you are seeing this error, there is "
    "a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was not saved "
    "properly, was transferred incorrectly, or the file was modified after saving."
)
OLDEST_VERSION, NEWEST_VERSION = 1, 10
LOCAL_HEADER = struct.Struct("<4s22xHH")
"""The signature, more that the table says again, the lengths of the name and of the extra field."""
ENCRYPTED = 1
"""The bit of an entry's flags that says so."""
EMPTY_DIRECTORY = 22
"""How many bytes the shortest zip file has."""
CHUNK = 2**20
"""How many bytes are read, and their checksum taken while the processor still has them at hand."""


class ArchiveReader:
    """The entries of an archive, by name.

    Args:
        file: a binary file that can be read and searched; the archive ends where it ends.

    Raises:
        RuntimeError: it is no archive, or a damaged one.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error, OSError) as e:  # fmt: skip
            too_short = file.seek(0, io.SEEK_END) < EMPTY_DIRECTORY
            why = "not a ZIP archive" if too_short else "failed finding central directory"
            raise corrupted(f"reading zip archive: {why}", e) from None
        entries = self._zip.infolist()
        if not entries:
            raise corrupted("reading zip archive: it has no entries")
        folder, slash, _ = entries[0].filename.partition("/")
        if not slash:
            raise RuntimeError(
                f"file in archive is not in a subdirectory: {entries[0].filename}\n"
                "This zip file was not made by nbmodule.save or torch.save."
            )
        self._entries = {e.filename.removeprefix(f"{folder}/"): e for e in entries}
        self._refuse_lies(entries)

    def _refuse_lies(self, entries: list[zipfile.ZipInfo]) -> None:
        """Refuse tables of contents that say a name twice, or more bytes than the file has."""
        if len(self._entries) < len(entries):
            raise corrupted("reading zip archive: an entry occurs twice")
        for e in entries:
            if e.compress_type != zipfile.ZIP_STORED or e.file_size != e.compress_size:
                raise corrupted(
                    f"reading file {e.filename}: it is compressed, and PyTorch compresses nothing"
                )
            if e.flag_bits & ENCRYPTED:
                raise corrupted(f"reading file {e.filename}: it is encrypted")
        size = self._file.seek(0, io.SEEK_END)
        if any(not 0 <= e.header_offset < size for e in entries):
            raise corrupted("reading zip archive: the directory points out of it")
        if sum(e.file_size for e in entries) > size:
            raise corrupted("reading zip archive: entries lie over one another")

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def size(self, name: str) -> int:
        """Return how many bytes the entry `name` has."""
        if name not in self._entries:
            raise corrupted(f"locating file {name}: file not found")
        return self._entries[name].file_size

    def offset(self, name: str) -> int:
        """Return where in the file the bytes of `name` begin."""
        entry, size = self._entries[name], self.size(name)
        self._file.seek(entry.header_offset)
        header = self._file.read(LOCAL_HEADER.size)
        if len(header) == LOCAL_HEADER.size:
            signature, name_length, extra_length = LOCAL_HEADER.unpack(header)
            start = entry.header_offset + LOCAL_HEADER.size + name_length + extra_length
            if signature == b"PK\3\4" and start + size <= self._zip.start_dir:
                return start
        raise corrupted(f"reading file {name}: it does not lie where the directory says")

    def read(self, name: str) -> bytes:
        """Return the bytes of the entry `name`."""
        return self.array(name).tobytes()

    def array(self, name: str) -> np.ndarray:
        """Return the bytes of the entry `name` as new memory.

        Raises:
            RuntimeError: there is no such entry, or its checksum is wrong.
        """
        found = np.empty(self.size(name), np.uint8)
        self._file.seek(self.offset(name))
        count, checksum = fill(self._file, found)
        written = self._entries[name].CRC  # 0 where a writer left it out
        if count < found.size or written not in (0, checksum):
            raise corrupted(f"reading file {name}: its bytes are not those that were written")
        return found

    def check_version(self) -> None:
        """Refuse archives that PyTorch would not read.

        Raises:
            RuntimeError: the version is missing, or none that is known.
        """
        if "version" not in self and ".data/version" not in self:
            raise RuntimeError(
                'Expected hasRecord("version") to be true, but got false.  (Could this error message be '
                "improved?  If so, please report an enhancement request to PyTorch.)\n"
                "This zip file was not made by nbmodule.save or torch.save."
            )
        text = self.read("version" if "version" in self else ".data/version")
        try:
            version = int(text[:20])
        except ValueError:
            raise RuntimeError(f"Couldn't parse the version {text[:20]!r} as Long Long.") from None
        if not OLDEST_VERSION <= version <= NEWEST_VERSION:
            raise RuntimeError(
                f"Attempted to read a PyTorch file with version {version}, but the supported versions for "
                f"reading are {OLDEST_VERSION} to {NEWEST_VERSION}."
            )

    def byteorder(self, otherwise: str) -> str:
        """Return in which order the bytes of numbers lie; `otherwise` if the archive does not say."""
        if "byteorder" not in self:
            return otherwise
        found = self.read("byteorder")
        if found not in (b"little", b"big"):
            raise ValueError(f"Unknown endianness type: {found[:40].decode(errors='replace')}")
        return found.decode()


def corrupted(why: str, cause: Any = None) -> RuntimeError:
    """Return the error for an archive that cannot be read."""
    return RuntimeError(CORRUPTED.format(why) + (f"\n({cause})" if cause else ""))


def fill(file: Any, target: np.ndarray) -> tuple[int, int]:
    """Read the next bytes of `file` into `target`; return how many there were, and their checksum."""
    checksum, position, view = 0, 0, target.data
    while position < len(view):
        part = view[position : position + CHUNK]
        if hasattr(file, "readinto"):
            count = file.readinto(part) or 0
        else:
            found = file.read(len(part))
            count = len(found)
            part[:count] = found[: len(part)]
        if not 0 < count <= len(part):  # the end, or a count that cannot be
            break
        checksum = zlib.crc32(part[:count], checksum)
        position += count
    return position, checksum
