"""PyTorch's archive: a zip file that holds a pickle and one entry for each storage.

    archive/data.pkl            the nest; where a tensor is, "storage 0 from element 4 on, in such strides"
    archive/.format_version     "1"
    archive/.storage_alignment  "64": each storage begins at a multiple of so many bytes
    archive/byteorder           "little" or "big"
    archive/data/0              the bytes of storage 0
    archive/version             "3"

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch-save-format
"""

from __future__ import annotations

import io
import mmap
import os
import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._backend import to_numpy
from .._meta import MetaArray
from ..storage import TypedStorage, UntypedStorage
from .archive_reader import ArchiveReader
from .archive_writer import ArchiveWriter
from .bfloat16 import warn_widened
from .constructors import Constructors
from .pickle_writer import Pickler
from .pickles import Unpickler
from .places import is_meta, restorer
from .storages import (
    StorageName,
    StorageTable,
    as_storage,
    bytes_per_element,
    dtype_of,
    is_bfloat16,
)

WRITTEN_VERSION = b"3\n"
LOOKS_LIKE_TORCHSCRIPT = (
    "'nbmodule.load' received a zip file that looks like a TorchScript archive dispatching to "
    "'nbmodule.jit.load' (call 'nbmodule.jit.load' directly to silence this warning)"
)


def sniff(start: bytes) -> bool:
    """Return whether a file that begins with `start` is a zip file."""
    return start.startswith((b"PK\3\4", b"PK\5\6"))


@dataclass
class WriteOptions:
    """How an archive is written: see `nbmodule.save` and `nbmodule.utils.serialization.config`."""

    folder: str = "archive"
    protocol: int = 2
    alignment: int = 64
    checksums: bool = True
    byteorder: bool = True
    skip_data: bool = False


def write(obj: Any, file: Any, options: WriteOptions | None = None) -> None:
    """Write `obj` to `file`, which needs no more than ``write``.

    Raises:
        TypeError: `obj` holds something that cannot be saved; nothing has been written then.
    """
    options = options or WriteOptions()
    table = StorageTable()
    pickled = Pickler(table.name, options.protocol).dump(obj)
    archive = ArchiveWriter(file, options.folder, options.alignment, options.checksums)
    archive.add("data.pkl", pickled)
    archive.add(".format_version", b"1")
    archive.add(".storage_alignment", str(options.alignment).encode())
    if options.byteorder:
        archive.add("byteorder", sys.byteorder.encode())
    for key, storage in table.storages.items():
        empty = np.zeros(storage.nbytes(), np.uint8) if options.skip_data else None
        archive.add(f"data/{key}", to_numpy(storage._bytes) if empty is None else empty)
    archive.add("version", WRITTEN_VERSION)
    archive.close()


@dataclass
class ReadOptions:
    """How a file is read: see `nbmodule.load` and `nbmodule.utils.serialization.config`."""

    map_location: Any = None
    encoding: str = "utf-8"
    byteorder: str = "little"
    skip_data: bool = False
    mmap: bool = False
    shared: bool = False


def read(file: Any, options: ReadOptions | None = None) -> Any:
    """Return what is in the archive `file`.

    Raises:
        RuntimeError: it is damaged.
        UnpicklingError: it asks for what is not allowed.
    """
    options = options or ReadOptions()
    archive = ArchiveReader(file)
    archive.check_version()
    if "constants.pkl" in archive:
        warnings.warn(LOOKS_LIKE_TORCHSCRIPT, UserWarning, stacklevel=3)
        raise RuntimeError(
            "Cannot use ``weights_only=True`` with TorchScript archives passed to ``nbmodule.load``.\n"
            "Such archives hold programs. Open it with PyTorch, and save model.state_dict() there."
        )
    storages = _Storages(archive, file, options)
    pickled = archive.read("data.pkl")
    found = Unpickler(io.BytesIO(pickled), len(pickled), Constructors(), storages.load, options.encoding).load()  # fmt: skip
    warn_widened(storages.widened)
    return found


class _Storages:
    """The storages of an archive; each is read when the pickle first names it."""

    def __init__(self, archive: ArchiveReader, file: Any, options: ReadOptions) -> None:
        self._archive, self._options = archive, options
        self._byteorder = archive.byteorder(options.byteorder)
        self._restore = restorer(options.map_location)
        self._loaded: dict[str, UntypedStorage] = {}
        self._map = _mapped(file, options.shared) if options.mmap else None
        self.widened: list[str] = []

    def load(self, name: StorageName) -> TypedStorage:
        """Return the storage of that name; the same for the same key."""
        if name.key not in self._loaded:
            storage = self._read(name)
            if not is_meta(self._options.map_location):
                storage = self._restore(storage, name.location)
            self._loaded[name.key] = storage
        return TypedStorage(wrap_storage=self._loaded[name.key], dtype=dtype_of(name.kind))

    def _read(self, name: StorageName) -> UntypedStorage:
        entry = f"data/{name.key}"
        size, expected = self._archive.size(entry), name.numel * bytes_per_element(name.kind)
        if size != expected:
            raise RuntimeError(
                f"record size ({size} bytes) does not match expected size ({expected} bytes = {expected} "
                "elements * 1 bytes/element) for dtype Byte"
            )
        if is_bfloat16(name.kind):
            self.widened.append(entry)
        if is_meta(self._options.map_location):
            nbytes = name.numel * dtype_of(name.kind).itemsize
            return UntypedStorage._on(MetaArray.empty((nbytes,), np.uint8))
        return as_storage(self._bytes(entry, size), name.kind, self._byteorder)

    def _bytes(self, entry: str, size: int) -> np.ndarray:
        if self._options.skip_data:
            return np.zeros(size, np.uint8)
        if self._map is None or not size:
            return self._archive.array(entry)
        return np.frombuffer(self._map, np.uint8, size, self._archive.offset(entry))


def _mapped(file: Any, shared: bool) -> mmap.mmap:
    """Return the memory that stands for `file`; writing to it changes the file if `shared`."""
    if not shared:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    with open(os.fspath(file.name), "r+b") as writable:
        return mmap.mmap(writable.fileno(), 0, access=mmap.ACCESS_WRITE)
