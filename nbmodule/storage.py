"""Storages: the memory behind tensors, as one row of bytes or of numbers.

Source: https://docs.pytorch.org/docs/stable/storage.html
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import _dtypes
from ._backend import META, byte_span, device, device_of, move, namespace_of
from ._device import device as Device
from ._dtypes import dtype as Dtype
from ._engine import Storage, TensorBase, note_write
from ._meta import NO_DATA, MetaArray

_TYPED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only "
    "storage class. This should only matter to you if you are using storages directly.  To access "
    "UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()"
)
_warned = False


def root_of(array: Any) -> Any:
    """Return the array that `array` is a view of, in the end; itself if it is none."""
    while isinstance(array.base, type(array)):
        array = array.base
    return array


def bytes_of(array: Any) -> Any:
    """Return all the memory that `array` and other views share, as one row of bytes."""
    root = root_of(array)
    low, high = byte_span(root)
    if isinstance(root, MetaArray):
        return MetaArray.empty((high - low,), np.uint8)
    if not root.size:
        return np.empty(0, np.uint8)
    if isinstance(root, np.ndarray) and (root.flags.c_contiguous or root.flags.f_contiguous):
        return (root if root.flags.c_contiguous else root.T).reshape(-1).view(np.uint8)
    first = root[(slice(0, 1),) * root.ndim].reshape(1).view(np.uint8)
    if not isinstance(root, np.ndarray):
        return namespace_of[type(root)].lib.stride_tricks.as_strided(first, (high - low,), (1,))
    return as_strided(first, (high - low,), (1,), writeable=root.flags.writeable)


class UntypedStorage:
    """The memory behind a tensor, as bytes. Views of one tensor have the same.

    Args:
        size: how many bytes of new memory; a tensor's own memory comes from `Tensor.untyped_storage`.
    """

    def __init__(self, size: int = 0) -> None:
        self._bytes: Any = np.zeros(size, np.uint8)
        self._storage = Storage()

    @classmethod
    def _of(cls, t: TensorBase) -> UntypedStorage:
        return cls._on(bytes_of(t._array), t._storage)

    @classmethod
    def _on(cls, array: Any, storage: Storage | None = None) -> UntypedStorage:
        """Return a storage on the bytes `array`."""
        self = cls.__new__(cls)
        self._bytes, self._storage = array, storage or Storage()
        return self

    @property
    def device(self) -> device:
        """Where the bytes are."""
        return device_of(self._bytes)

    @property
    def is_cuda(self) -> bool:
        """Whether the bytes are on a GPU."""
        return self.device.type == "cuda"

    @property
    def _cdata(self) -> int:
        """A number that tells this memory from others; storages of one memory have the same."""
        return id(self._storage)

    def nbytes(self) -> int:
        """Return how many bytes there are."""
        return self._bytes.size

    size = __len__ = nbytes

    def element_size(self) -> int:
        """Return 1: an element is a byte."""
        return 1

    def data_ptr(self) -> int:
        """Return the address of the first byte."""
        return 0 if self.device == META else byte_span(self._bytes)[0]

    def tolist(self) -> list[int]:
        """Return the bytes as numbers from 0 to 255."""
        return self._bytes.tolist()

    def __getitem__(self, index: Any) -> Any:
        if self.device == META:
            raise NotImplementedError(NO_DATA)
        length = self.nbytes()
        past = isinstance(index, int) and index < 0
        _check_index(index, length, index + length if past else index)
        found = self._bytes[index]
        return UntypedStorage._on(found, self._storage) if isinstance(index, slice) else int(found)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._bytes[index] = value._bytes if isinstance(value, UntypedStorage) else value
        note_write(self._storage, self._bytes)

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def fill_(self, value: int) -> UntypedStorage:
        """Set every byte to `value`."""
        self[:] = value
        return self

    def copy_(self, source: UntypedStorage, non_blocking: bool = False) -> UntypedStorage:
        """Set the bytes to those of `source`.

        Raises:
            RuntimeError: it has another size.
        """
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes"
            )
        self[:] = source
        return self

    def clone(self) -> UntypedStorage:
        """Return a copy on memory of its own."""
        return UntypedStorage._on(self._bytes.copy())

    def to(self, *, device: Any, non_blocking: bool = False) -> UntypedStorage:
        """Return these bytes on `device`: this storage where they are there already, else a copy."""
        moved = move(self._bytes, Device(device))
        return self if moved is self._bytes else UntypedStorage._on(moved)

    def cpu(self) -> UntypedStorage:
        """Return these bytes in the memory of the CPU."""
        return self.to(device="cpu")

    def cuda(self, device: int | None = None, non_blocking: bool = False) -> UntypedStorage:
        """Return these bytes on a GPU."""
        return self.to(device="cuda" if device is None else f"cuda:{device}")

    def untyped(self) -> UntypedStorage:
        """Return this storage."""
        return self

    def __deepcopy__(self, memo: dict) -> UntypedStorage:
        return self.clone()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other._storage is self._storage

    def __hash__(self) -> int:
        return id(self._storage)

    def __repr__(self) -> str:
        return _shown_lines(self, f"UntypedStorage(device={self.device})")


def _check_index(index: Any, length: int, shown: Any) -> None:
    """Raise the IndexError for an int outside of a storage of `length` elements, naming it as `shown`."""
    if isinstance(index, int) and not -length <= index < length:
        raise IndexError(f"index {shown} out of range for storage of size {length}")


def _shown_lines(storage: Any, title: str) -> str:
    text = "..." if storage.device == META else " " + "\n ".join(map(str, storage.tolist()))
    return f"{text}\n[nbmodule.storage.{title} of size {storage.size()}]"


class TypedStorage:
    """The memory behind a tensor, as numbers. PyTorch would rather have `UntypedStorage` used.

    Args:
        wrap_storage: the bytes.
        dtype: the type of the numbers.
    """

    def __init__(self, *, wrap_storage: UntypedStorage, dtype: Dtype) -> None:
        self._untyped, self.dtype = wrap_storage, dtype

    @property
    def _numbers(self) -> Any:
        return self._untyped._bytes.view(self.dtype.numpy)

    @property
    def device(self) -> device:
        """Where the numbers are."""
        return self._untyped.device

    @property
    def is_cuda(self) -> bool:
        """Whether the numbers are on a GPU."""
        return self._untyped.is_cuda

    @property
    def _cdata(self) -> int:
        """A number that tells this memory from others; storages of one memory have the same."""
        return self._untyped._cdata

    def untyped(self) -> UntypedStorage:
        """Return the same memory as bytes."""
        return self._untyped

    def nbytes(self) -> int:
        """Return how many bytes there are."""
        return self._untyped.nbytes()

    def size(self) -> int:
        """Return how many numbers there are."""
        return self.nbytes() // self.dtype.itemsize

    __len__ = size

    def element_size(self) -> int:
        """Return how many bytes a number takes."""
        return self.dtype.itemsize

    def data_ptr(self) -> int:
        """Return the address of the first number."""
        return self._untyped.data_ptr()

    def tolist(self) -> list[Any]:
        """Return the numbers."""
        return self._numbers.tolist()

    def __getitem__(self, index: Any) -> Any:
        if self.device == META:
            raise NotImplementedError(NO_DATA)
        _check_index(index, len(self), index)
        return self._numbers[index].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._numbers[index] = value
        note_write(self._untyped._storage, self._numbers)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def fill_(self, value: Any) -> TypedStorage:
        """Set every number to `value`."""
        self[:] = value
        return self

    def clone(self) -> TypedStorage:
        """Return a copy on memory of its own."""
        return TypedStorage(wrap_storage=self._untyped.clone(), dtype=self.dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypedStorage) and other._untyped == self._untyped

    def __hash__(self) -> int:
        return hash(self._untyped)

    def __repr__(self) -> str:
        return _shown_lines(self, f"TypedStorage(dtype={self.dtype!r}, device={self.device})")


UntypedStorage.__module__ = TypedStorage.__module__ = "nbmodule.storage"


def typed_storage(t: TensorBase) -> TypedStorage:
    """Return the memory behind `t` as numbers; the first time, say that this form is deprecated."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(_TYPED, UserWarning, stacklevel=3)
    dtype = _dtypes.of_numpy[t._array.dtype]
    return TypedStorage(wrap_storage=UntypedStorage._of(t), dtype=dtype)


def is_storage(obj: object) -> bool:
    """Return whether `obj` is a storage."""
    return isinstance(obj, (TypedStorage, UntypedStorage))


def shown(old: Any, source: Any, offset: int, size: Any, stride: Any) -> tuple[Any, Storage]:
    """Return the array that ``t.set_(source, offset, size, stride)`` shows, and its storage.

    `old` is the array that `t` has shown until now.

    Raises:
        TypeError: `source` is neither a tensor nor a storage.
        RuntimeError: it holds too few elements.
    """
    if source is None:
        return np.empty(0, old.dtype), Storage()
    if isinstance(source, TensorBase):
        if size is None:
            return source._array, source._storage
        source = TypedStorage(
            wrap_storage=UntypedStorage._of(source), dtype=_dtypes.of_numpy[source._array.dtype]
        )
    if isinstance(source, UntypedStorage):
        source = TypedStorage(wrap_storage=source, dtype=_dtypes.of_numpy[old.dtype])
    if not isinstance(source, TypedStorage):
        raise TypeError(
            f"set_(): argument 'source' (position 1) must be Tensor, not {type(source).__name__}"
        )
    flat = source._numbers
    shape = (flat.size - offset,) if size is None else tuple(size)
    array = window(flat, offset, shape, None if stride is None else tuple(stride))
    return array, source._untyped._storage


def window(flat: Any, offset: int, shape: tuple[int, ...], stride: tuple[int, ...] | None) -> Any:
    """Return a view of the row `flat` from `offset` on, with `stride` elements between neighbours.

    Raises:
        RuntimeError: it would reach beyond the row.
    """
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if min(shape, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    if stride is None:
        stride = tuple(int(np.prod(shape[i + 1 :])) for i in range(len(shape)))
    reach = (
        sum((n - 1) * k for n, k in zip(shape, stride, strict=True)) + 1 if 0 not in shape else 0
    )
    if offset + reach > flat.size:
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{flat.itemsize} requiring a storage size of {(offset + reach) * flat.itemsize} are out of "
            f"bounds for storage of size {flat.size * flat.itemsize}"
        )
    steps = tuple(k * flat.itemsize for k in stride)
    if isinstance(flat, MetaArray):
        return MetaArray(MetaArray.empty(shape, flat.dtype, steps).shadow, flat)
    if not isinstance(flat, np.ndarray):
        return namespace_of[type(flat)].lib.stride_tricks.as_strided(flat[offset:], shape, steps)
    row = flat.view(np.uint8)
    return np.ndarray(shape, flat.dtype, row, offset * flat.itemsize, steps)
