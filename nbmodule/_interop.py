"""Functions that make tensors of what is there already: numbers, arrays, buffers, capsules."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import _dtypes
from ._backend import device as Device
from ._backend import is_on, move
from ._data import as_array, checked_array
from ._device import chosen_device
from ._dtypes import dtype as Dtype
from ._engine import TensorBase, wrap
from ._errors import name_of_type, warn_once
from ._methods.new_tensors import checked_options, finished
from ._tensor import Tensor

READ_ONLY_ARRAY = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
    "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
    "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
    "the rest of this program. (nbmodule refuses to write to it.)"
)
READ_ONLY_BUFFER = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can "
    "write to the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the "
    "buffer to protect its data or make it writable before converting it to a tensor. This type of warning "
    "will be suppressed for the rest of this program. (nbmodule refuses to write to it.)"
)
COPY_CONSTRUCT = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than nbmodule.tensor(sourceTensor)."
)
UNSPECIFIED = (
    "nbmodule.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning."
)
ARRAYS_IN_LIST = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list "
    "to a single numpy.ndarray with numpy.array() before converting to a tensor."
)
_MISSING: Any = object()


def tensor(data: Any = _MISSING, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:  # fmt: skip
    """Return a new tensor with a copy of `data`.

    Args:
        data: a number, nested sequences of numbers, or an array.
        dtype: by default what `data` suggests: float32 for Python floats, int64 for ints, bool for bools.
        device: "cpu" by default.
        requires_grad: whether operations on it are recorded.
        pin_memory: only False.

    Raises:
        TypeError: `data` holds something that is not a number.
        ValueError: rows have different lengths.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.tensor.html

    Example:
        >>> import nbmodule
        >>> nbmodule.tensor([[1.0, 2.0], [3.0, 4.0]])
        tensor([[1., 2.],
                [3., 4.]])
    """
    if data is _MISSING:
        raise TypeError('tensor() missing 1 required positional arguments: "data"')
    asked = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "pin_memory": pin_memory}  # fmt: skip
    found = checked_options("tensor", asked)
    if isinstance(data, TensorBase):
        warnings.warn(COPY_CONSTRUCT, UserWarning, stacklevel=2)
    elif isinstance(data, (list, tuple)) and data and isinstance(data[0], np.ndarray):
        warn_once(ARRAYS_IN_LIST, 2)
    array = as_array(data, found["dtype"])
    place = found["device"] or chosen_device()
    return finished(array if place is None else move(array, place), found)


def as_tensor(data: Any, dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """Return `data` as a tensor, without a copy where it is a tensor or NumPy array that fits.

    Args:
        data: a tensor, an array, or what `tensor` takes.
        dtype: by default what `data` has or suggests.
        device: by default where a tensor lives already, else the CPU.
    """
    dtype = _dtypes.checked(dtype, "as_tensor")
    if isinstance(data, Tensor):
        return data.to(dtype=dtype or data.dtype, device=device)
    place = device if device is not None else chosen_device()
    if isinstance(data, np.ndarray):
        return from_numpy(data).to(dtype=dtype, device=place)
    return tensor(data, dtype=dtype, device=place)


def asarray(obj: Any, *, dtype: Dtype | None = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None) -> Tensor:  # fmt: skip
    """Return `obj` as a tensor that shares its memory where that is possible.

    Args:
        obj: a tensor, a NumPy array or scalar, a buffer, what has ``__dlpack__``, or a sequence.
        dtype: by default what `obj` has; bytes of a buffer are read as the default dtype.
        device: by default where `obj` lives.
        copy: True for a copy in any case; False for an error where there would have to be one.
        requires_grad: whether operations on the result are recorded.

    Raises:
        ValueError: `copy` is False, and memory cannot be shared.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.asarray.html
    """
    asked = {"dtype": dtype, "device": device, "requires_grad": bool(requires_grad)}
    found = checked_options("asarray", asked)
    t, shared = _sharing(obj, found["dtype"])
    if copy is False:
        _refuse_copy(t, shared, found)
    out: Any = t.to(dtype=found["dtype"] or t.dtype, device=found["device"])
    if copy and shared and out._array is t._array:
        out = t.clone()
    if requires_grad is None:
        if out.requires_grad:
            warn_once(UNSPECIFIED, 2)
        return out
    if requires_grad and not out.requires_grad:
        return finished(out._array, found) if out is not obj else out.requires_grad_()
    return out if requires_grad else out.detach()


def _sharing(obj: Any, dtype: Dtype | None) -> tuple[Any, bool]:
    """Return `obj` as a tensor, and whether that shares its memory."""
    if isinstance(obj, Tensor):
        return obj, True
    if isinstance(obj, np.ndarray):
        return from_numpy(obj), True
    if isinstance(obj, np.generic):
        return tensor(obj, dtype=dtype), False
    if hasattr(obj, "__dlpack__"):
        return from_dlpack(obj), True
    try:
        memoryview(obj)
    except TypeError:
        return tensor(obj, dtype=dtype), False
    return frombuffer(obj, dtype=dtype or _dtypes.get_default_dtype()), True


def _refuse_copy(t: Any, shared: bool, found: dict[str, Any]) -> None:
    if not shared:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    if found["device"] is not None and not is_on(t._array, found["device"]):
        raise ValueError(f"can't alias tensor from device '{t.device}' to '{found['device']}'.")
    if found["dtype"] is not None and found["dtype"] is not t.dtype:
        names = (d.scalar_name for d in (t.dtype, found["dtype"]))
        raise ValueError("can't alias tensor with dtype '{}' into dtype '{}'.".format(*names))


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """Return a tensor on the memory of a NumPy array.

    Raises:
        TypeError: it is not an array, or holds elements that no dtype describes.
        ValueError: it is reversed, or in another byte order than this machine's.
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {name_of_type(ndarray)})")
    array = checked_array(ndarray)
    if not array.flags.writeable:
        warn_once(READ_ONLY_ARRAY, 2)
    if array.base is not None:
        # with memory of its own: else a write to a tensor of another part of that array would count for this one, too
        array = np.asarray(memoryview(array))  # type: ignore[arg-type]
    return wrap(array if type(array) is np.ndarray else array.view(np.ndarray))


def frombuffer(buffer: Any, *, dtype: Dtype = _MISSING, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a vector on the memory of an object with Python's buffer protocol.

    Args:
        buffer: such as a bytearray or an `array.array`.
        dtype: what its bytes are read as.
        count: how many elements; -1 for all that there are.
        offset: how many bytes to pass over.
        requires_grad: whether operations on the result are recorded.

    Raises:
        ValueError: `buffer` is no buffer, or does not hold what is asked for.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.frombuffer.html
    """
    if dtype is _MISSING:
        raise TypeError('frombuffer() missing 1 required positional arguments: "dtype"')
    kind = _dtypes.checked(dtype, "frombuffer")
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    size, room = view.nbytes, kind.itemsize
    if size == 0 or count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} bytes) "
            "minus 1"
        )
    if count < 0 and (size - offset) % room:
        raise ValueError(
            f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of "
            f"element size ({room})"
        )
    if count > 0 and count * room > size - offset:
        raise ValueError(
            f"requested buffer length ({count} * {room} bytes) after offset ({offset} bytes) must not be "
            f"greater than actual buffer length ({size} bytes)"
        )
    if view.readonly:
        warn_once(READ_ONLY_BUFFER, 2)
    array = np.frombuffer(buffer, kind.numpy, count if count > 0 else -1, offset)
    return finished(array, {"requires_grad": requires_grad})


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Return a tensor on the memory of an object with ``__dlpack__``, of whatever library.

    Args:
        ext_tensor: an array or tensor of another library, or a capsule that one made.
        device: where the result is to live; by default where the memory is.
        copy: True for a copy in any case.

    Raises:
        RuntimeError: it has no ``__dlpack__``.

    Source: https://docs.pytorch.org/docs/stable/dlpack.html
    """
    if type(ext_tensor).__name__ == "PyCapsule":
        ext_tensor = _Capsule(ext_tensor)
    if not hasattr(ext_tensor, "__dlpack__"):
        raise RuntimeError(_INVALID_CAPSULE)
    try:
        array = np.from_dlpack(ext_tensor)
    except ValueError:
        if isinstance(ext_tensor, _Capsule) and '"dltensor' not in repr(ext_tensor.capsule):
            raise RuntimeError(_INVALID_CAPSULE) from None
        raise
    _dtypes.from_numpy_dtype(array.dtype)
    t = wrap(array.copy() if copy else array)
    return t if device is None else t.to(Device(device))


_INVALID_CAPSULE = (
    "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, "
    "so you might have already constructed a tensor from it once."
)


class _Capsule:
    """Gives a capsule the methods that NumPy asks for."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the CPU
