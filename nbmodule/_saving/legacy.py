"""PyTorch's format before 1.6: pickles one after the other, then the bytes of each storage.

    a magic number, the version 1001, facts about the machine, the nest, the keys of the storages;
    then for each key: the number of elements, in 8 bytes, and the elements, the lowest byte first

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch-save-format
"""

from __future__ import annotations

import io
import struct
import sys
from pickle import UnpicklingError
from typing import Any

import numpy as np

from .._backend import META, move, to_numpy
from ..storage import TypedStorage, UntypedStorage
from .archive import ReadOptions
from .archive_reader import fill
from .bfloat16 import warn_widened
from .constructors import Constructors, NotHere
from .damage import damaged, is_of_user
from .pickle_writer import Pickler
from .pickles import Unpickler
from .places import restorer
from .rebuilding import brief, finite
from .storages import (
    StorageName,
    StorageTable,
    as_storage,
    as_text,
    bytes_per_element,
    dtype_of,
    is_bfloat16,
)

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001
SIZES = {"short": 2, "int": 4, "long": struct.calcsize("=l")}
SENSELESS = (
    AssertionError, ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError
)  # fmt: skip
"""What the programs in a damaged file come to, where they do not come to an error that says so."""
TAR = b"ustar"
"""What stands at byte 257 of a tar file, the format of 2016."""


def write(obj: Any, file: Any, protocol: int = 2) -> None:
    """Write `obj` to `file`."""
    table = StorageTable()
    machine = {"protocol_version": PROTOCOL_VERSION, "little_endian": sys.byteorder == "little", "type_sizes": SIZES}  # fmt: skip
    nest = Pickler(lambda storage: (*table.name(storage), None), protocol).dump(obj)
    before = [_pickled(x, protocol) for x in (MAGIC_NUMBER, PROTOCOL_VERSION, machine)]
    keys = sorted(table.storages)
    for part in (*before, nest, _pickled(keys, protocol)):
        file.write(part)
    for key in keys:
        storage, dtype = table.storages[key], table.dtypes[key]
        numbers = to_numpy(storage._bytes).view(dtype.numpy)
        numbers = numbers.astype(dtype.numpy.newbyteorder("<"), copy=False)
        file.write(struct.pack("<q", numbers.size))
        file.write(numbers.view(np.uint8).data)
    file.flush()


def _pickled(value: Any, protocol: int) -> bytes:
    return Pickler(lambda storage: (), protocol).dump(value)


def read(file: Any, options: ReadOptions | None = None) -> Any:
    """Return what is in the legacy file `file`, from where it stands.

    Raises:
        RuntimeError: it is no such file, or a damaged one.
        UnpicklingError: it asks for what is not allowed.
        EOFError: it ends early.
    """
    try:
        return _read(file, options or ReadOptions())
    except SENSELESS as e:
        if isinstance(e, NotHere) or is_of_user(e):
            raise
        raise damaged(file, f"what it says makes no sense ({type(e).__name__}: {e})") from None


def _read(file: Any, options: ReadOptions) -> Any:
    storages = _Storages(file, options)

    def next_value() -> Any:
        return Unpickler(file, storages.size, Constructors(), storages.load, options.encoding).load()  # fmt: skip

    magic = next_value()
    if type(magic) is not int or magic != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = next_value()
    if type(version) is not int or version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {brief(version)}")
    next_value()  # facts about the machine that wrote it
    found, keys = next_value(), next_value()
    if not options.skip_data:
        storages.fill_all(keys)
    warn_widened(storages.widened)
    return found


def is_tar(file: Any) -> bool:
    """Return whether `file` is a tar file; it stands where it stood."""
    start = file.tell()
    file.seek(start + 257)
    found = file.read(len(TAR))
    file.seek(start)
    return found == TAR


class _Storages:
    """The storages that the nest names: memory that gets its numbers at the end, from what follows."""

    def __init__(self, file: Any, options: ReadOptions) -> None:
        self._file = file
        start = file.tell()
        self.size = self._left = file.seek(0, io.SEEK_END) - start
        file.seek(start)
        self._restore = restorer(options.map_location)
        self._made: dict[Any, tuple[Any, UntypedStorage]] = {}
        self._views: dict[Any, UntypedStorage] = {}
        self.widened: list[str] = []

    def load(self, name: StorageName) -> TypedStorage:
        """Return the storage of that name, or the part of it that the name means."""
        dtype = dtype_of(name.kind)
        if name.key not in self._made:
            self._made[name.key] = name.kind, self._new(name)
        storage = self._made[name.key][1]
        if name.view is not None:
            storage = self._part(storage, dtype.itemsize, *finite(name.view))
        return TypedStorage(wrap_storage=storage, dtype=dtype)

    def _new(self, name: StorageName) -> UntypedStorage:
        """Return memory of the right size, which is not more than the file can fill."""
        self._left -= name.numel * bytes_per_element(name.kind)
        if self._left < 0:
            raise RuntimeError(
                f"unexpected EOF, expected {-self._left} more bytes. The file might be corrupted."
            )
        if is_bfloat16(name.kind):
            self.widened.append(name.key)
        empty = UntypedStorage._on(np.empty(name.numel * dtype_of(name.kind).itemsize, np.uint8))
        return self._restore(empty, name.location)

    def _part(self, root: UntypedStorage, width: int, key: Any, offset: Any, count: Any) -> UntypedStorage:  # fmt: skip
        """Return a part of a storage: tensors of 2017 had storages that were views."""
        key = as_text(key)
        if not all(type(n) is int for n in (offset, count)) or type(key) is not str:
            raise UnpicklingError("a part of a storage is a key and two numbers")
        if key not in self._views:
            start, stop = offset * width, (offset + count) * width
            if not 0 <= start <= stop <= root.nbytes():
                raise RuntimeError(
                    f"storage {key[:40]!r} lies outside of the one that it is a part of"
                )
            self._views[key] = root[start:stop]
        return self._views[key]

    def fill_all(self, keys: Any) -> None:
        """Read the numbers of the storages `keys`, in this order.

        Raises:
            RuntimeError: the file ends early, or holds other sizes than its pickle says.
        """
        keys = [as_text(key) for key in finite(keys)]
        for key in keys:
            if type(key) is not str or key not in self._made:
                raise AssertionError(f"storage key {brief(key)} not found in deserialized_objects")
            self._fill(*self._made[key])
        if left := self._made.keys() - set(keys):  # their memory holds what lay there before
            raise RuntimeError(
                f"the file has no numbers for the storages {brief(sorted(left)[:3])}"
            )

    def _fill(self, kind: Any, storage: UntypedStorage) -> None:
        width = bytes_per_element(kind)
        size = storage.nbytes() // dtype_of(kind).itemsize * width
        count = np.empty(8, np.uint8)
        self._read(count)
        found = int(count.view("<i8")[0]) * width
        if found != size:
            raise RuntimeError(f"storage has wrong byte size: expected {size} got {found}")
        target = storage._bytes
        direct = (
            isinstance(target, np.ndarray) and not is_bfloat16(kind) and sys.byteorder == "little"
        )
        raw = target if direct else np.empty(size, np.uint8)
        self._read(raw)
        if not direct and storage.device != META:
            target[...] = move(as_storage(raw, kind, "little")._bytes, storage.device)

    def _read(self, target: np.ndarray) -> None:
        count, _ = fill(self._file, target)
        if count < target.nbytes:
            raise RuntimeError(
                f"unexpected EOF, expected {target.nbytes - count} more bytes. The file might be corrupted."
            )
