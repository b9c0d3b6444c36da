"""The types of storages that `.pt` files name, and how their bytes become memory."""

from __future__ import annotations

import sys
from pickle import UnpicklingError
from typing import Any, NamedTuple

import numpy as np

from .. import _dtypes
from .._backend import META, namespace_of
from .._dtypes import dtype as Dtype
from ..storage import UntypedStorage
from .bfloat16 import widened
from .places import location_tag

NO_QUANTIZED = "nbmodule has no quantized tensors: save tensor.dequantize() instead."
NO_SPARSE = "nbmodule has no sparse tensors: save tensor.to_dense() instead."
NO_NARROW = "nbmodule has no such type: save tensor.to(torch.float32) instead."


class StorageType:
    """The type of a storage in a file, by PyTorch's name for it.

    Args:
        name: such as "FloatStorage".

    Raises:
        KeyError: nbmodule has no such storage.

    Source: https://docs.pytorch.org/docs/stable/storage.html

    Example:
        >>> from nbmodule.serialization import StorageType
        >>> print(StorageType("FloatStorage"))
        StorageType(dtype=nbmodule.float32)
    """

    def __init__(self, name: str) -> None:
        self._dtype, self.in_file = _TYPES[name], _IN_FILE.get(name, _TYPES[name].numpy)

    @property
    def dtype(self) -> Dtype:
        """The type of its elements once it is loaded."""
        return self._dtype

    def __str__(self) -> str:
        return f"StorageType(dtype={self.dtype})"


StorageType.__module__ = "nbmodule.serialization"

BFLOAT16 = "BFloat16Storage"
_TYPES = {
    **{f"{d.scalar_name}Storage": d for d in _dtypes.ALL if d not in _dtypes.NEVER_PROMOTED},
    BFLOAT16: _dtypes.float32,
}
_IN_FILE = {BFLOAT16: np.dtype(np.uint16)}
"""How NumPy reads the elements of a storage from a file, where it has no such type."""

STORAGE_TYPES = {
    f"torch.{place}{name}": StorageType(name) for place in ("", "cuda.") for name in _TYPES
}
"""The types that can be read, by the names that stand in files."""

NOT_HERE = {
    **{f"torch.{n}": NO_QUANTIZED for n in ("quint8", "qint8", "qint32", "quint4x2", "quint2x4")},
    **{f"torch.{n}Storage": NO_QUANTIZED for n in ("QUInt8", "QInt8", "QInt32", "QUInt4x2", "QUInt2x4")},
    **{f"torch.Complex{n}Storage": _dtypes.NO_COMPLEX for n in ("Float", "Double")},
    **{f"torch.float8_{n}": NO_NARROW for n in ("e5m2", "e4m3fn", "e5m2fnuz", "e4m3fnuz", "e8m0fnu")},
    "torch.bfloat16": NO_NARROW,
    "torch._utils._rebuild_qtensor": NO_QUANTIZED,
    "torch._utils._rebuild_sparse_tensor": NO_SPARSE,
    "torch._utils._rebuild_nested_tensor": "nbmodule has no nested tensors: save their parts.",
    "torch._utils._rebuild_wrapper_subclass": "nbmodule has no wrapper subclasses of Tensor.",
}  # fmt: skip
"""What PyTorch's reader would take, and why this one refuses."""


class StorageName(NamedTuple):
    """What stands for a storage in a pickle."""

    kind: Any
    key: str
    location: str
    numel: int
    view: tuple | None = None

    @classmethod
    def read(cls, parts: list[Any]) -> StorageName:
        """Return the name that consists of `parts`, as a file has them.

        Raises:
            UnpicklingError: they are no name of a storage.
        """
        if len(parts) not in (4, 5):
            raise UnpicklingError(f"a storage is named by 4 or 5 parts, and not by {len(parts)}")
        kind, key, location, count = parts[:4]
        if not isinstance(kind, StorageType) and kind is not UntypedStorage:
            raise UnpicklingError(f"a storage is of a type of storages, and not of {type(kind)}")
        if not isinstance(key, str | bytes) or not isinstance(location, str | bytes):
            raise UnpicklingError("the key and the place of a storage are text")
        if type(count) is not int or not 0 <= count < 2**63:
            raise UnpicklingError("the size of a storage is a number")
        return cls(kind, as_text(key), as_text(location), count, *parts[4:])


def as_text(name: Any) -> Any:
    """Return a name in a file as text: Python 2 wrote bytes."""
    return name.decode("ascii") if isinstance(name, bytes) else name


def bytes_per_element(kind: Any) -> int:
    """Return how many bytes of a file an element of the storage type `kind` takes."""
    return kind.in_file.itemsize if isinstance(kind, StorageType) else 1


def dtype_of(kind: Any) -> Dtype:
    """Return the type of the elements of the storage type `kind`; without a type they are bytes."""
    return kind.dtype if isinstance(kind, StorageType) else _dtypes.uint8


def is_bfloat16(kind: Any) -> bool:
    """Return whether a storage of the type `kind` is widened when it is read."""
    return isinstance(kind, StorageType) and kind.in_file != kind.dtype.numpy


def as_storage(raw: Any, kind: Any, byteorder: str = sys.byteorder) -> UntypedStorage:
    """Return the bytes `raw` of a file as a storage: in the byte order of this machine, and widened."""
    numbers = raw.view(kind.in_file) if isinstance(kind, StorageType) else raw
    if byteorder != sys.byteorder and numbers.itemsize > 1:
        numbers = numbers.byteswap()
    if is_bfloat16(kind):
        numbers = widened(numbers)
    return UntypedStorage._on(numbers.view(np.uint8))


def place_of(t: Any) -> tuple[UntypedStorage, int, tuple[int, ...]]:
    """Return the storage of `t`, and where in it `t` lies: offset and strides, in elements.

    A tensor whose elements lie in no such order is copied.
    """
    array = t._array
    size = array.itemsize
    if array.size and t.device != META:
        storage = UntypedStorage._of(t)
        offset = t.data_ptr() - storage.data_ptr()
        whole = not any(n % size for n in (offset, *array.strides, storage.nbytes()))
        if whole and min(array.strides, default=0) >= 0:
            return storage, offset // size, tuple(t.stride())
    array = namespace_of[type(array)].ascontiguousarray(array)
    storage = UntypedStorage._on(array.reshape(-1).view(np.uint8))
    return storage, 0, tuple(step // size for step in array.strides)


class StorageTable:
    """The storages of a nest that is being written; each is written once."""

    def __init__(self) -> None:
        self.storages: dict[str, UntypedStorage] = {}
        self.dtypes: dict[str, Dtype] = {}
        self._keys: dict[Any, str] = {}

    def name(self, storage: Any) -> tuple[str, str, str, int]:
        """Return what stands for a storage in a pickle: type, key, place and number of elements.

        Raises:
            RuntimeError: its memory was seen with another type.
        """
        typed = hasattr(storage, "dtype")
        dtype, untyped = storage.dtype if typed else _dtypes.uint8, storage.untyped()
        place = (untyped.data_ptr(), untyped.nbytes())
        memory = place if untyped.nbytes() else id(untyped._storage)
        key = self._keys.setdefault(memory, str(len(self._keys)))
        if self.dtypes.setdefault(key, dtype) is not dtype and untyped.nbytes():
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types"
            )
        self.storages.setdefault(key, untyped)
        kind = f"torch.{dtype.scalar_name}Storage" if typed else "torch.storage.UntypedStorage"
        return kind, key, location_tag(untyped), untyped.nbytes() // dtype.itemsize
