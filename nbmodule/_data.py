"""What numbers, nested sequences and arrays become, and in which type."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from itertools import islice
from typing import Any

import numpy as np

from . import _dtypes
from ._backend import device as Device
from ._backend import to_numpy
from ._dtypes import dtype as Dtype
from ._engine import TensorBase, be_silent, is_grad_enabled, wants_grad
from ._errors import invalid_call, name_of_type, warn_once
from .storage import TypedStorage, UntypedStorage

ONE_ELEMENT = "only one element tensors can be converted to Python scalars"

HISTORY_IS_LOST = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)

NEGATIVE_STRIDES = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
    "currently supported. (You can probably work around this by making a copy of your array  with "
    "array.copy().) "
)
OTHER_BYTE_ORDER = (
    "given numpy array has byte order different from the native byte order. Conversion between byte orders "
    "is currently not supported."
)


def as_array(data: Any, dtype: Dtype | None = None) -> np.ndarray:
    """Return a new NumPy array of `data`: numbers, nested sequences, tensors, or arrays.

    Floats become the default dtype; the dtype of arrays and tensors stays.

    Raises:
        RuntimeError: there is no dtype for such data, or a number does not fit into `dtype`.
        TypeError: it holds strings.
        ValueError: rows have different lengths, or an array lies in memory in a way that PyTorch refuses.
    """
    if isinstance(data, TensorBase):
        array = to_numpy(data._array)
    elif isinstance(data, np.character):
        raise TypeError(f"new(): invalid data type '{name_of_type(data)}'")
    elif isinstance(data, (np.ndarray, np.generic)):
        array = checked_array(np.asarray(data))
    else:
        data = list(data) if type(data) is tuple else data
        try:
            plain = _is_plain(data)
            tensors: list[TensorBase] = []
            listed = data if plain else _as_lists(data, tensors)
        except RecursionError:  # a list that holds itself, too
            raise ValueError(f"too many dimensions '{type(data).__name__}'") from None
        for t in tensors:
            warn_of_lost_history(t, 4)
        array = _from_python(listed, dtype)
        if dtype is None:
            dtype = _suggested_dtype(array, () if plain else data)
        else:
            array = _whole_numbers(data, array, dtype)
    _dtypes.from_numpy_dtype(array.dtype)
    be_silent()  # a number that is too large becomes infinite without a word
    return np.array(array, dtype.numpy if dtype else array.dtype, order="C")


def checked_array(array: np.ndarray) -> np.ndarray:
    """Return `array`, of which a tensor is to be made.

    Raises:
        TypeError: there is no dtype for its elements.
        ValueError: it lies in memory in a way that PyTorch refuses.
    """
    _dtypes.from_numpy_dtype(array.dtype)
    if any(step < 0 for step in array.strides):
        raise ValueError(NEGATIVE_STRIDES)
    if not array.dtype.isnative:
        raise ValueError(OTHER_BYTE_ORDER)
    return array


def _is_sequence(data: Any) -> bool:
    if isinstance(data, (list, tuple)):
        return True
    if isinstance(data, (int, float, str, bytes, dict, TensorBase, np.ndarray, np.generic, type)):
        return False
    # An object can answer to every name that it is asked for, and the class of an enumeration has a length itself.
    written = {name for base in type(data).__mro__ for name in vars(base)}
    return {"__len__", "__getitem__"} <= written


def _is_plain(data: Any) -> bool:
    """Return whether `data` is a number of Python, or lists of such numbers and of nothing else.

    It looks at the elements all at once: one by one, a long list would take longer than NumPy does.
    """
    if type(data) is not list:
        return type(data) in _NUMBERS
    kinds = set(map(type, data))
    return kinds <= _NUMBERS or (kinds == {list} and all(map(_is_plain, data)))


_NUMBERS = {bool, int, float}


def _from_python(data: Any, dtype: Dtype | None = None) -> np.ndarray:
    """Return numbers of Python, in nested sequences, as an array of any type that holds them.

    `dtype` is what they are to become: errors depend on it.
    """
    shape, first = _shape_by_first(data)
    if 0 in shape:
        return np.zeros(shape)  # as PyTorch, which looks no further
    try:
        array = np.array(data)
    except ValueError:
        if not isinstance(data, list):
            raise _no_numbers(data, dtype) from None
        raise _uneven(data, shape) or ValueError("too many dimensions 'list'") from None
    kind = array.dtype.kind
    hidden = kind == "f" and type(first) is int and not np.abs(array).max() < _LARGE
    if kind == "O" or hidden:
        return _from_large(data, array, dtype)
    if kind not in "US":
        return array
    raise _no_numbers(data, dtype)


_LARGE = 2.0**63


def _from_large(data: Any, array: np.ndarray, dtype: Dtype | None) -> np.ndarray:
    """Return numbers of which some may be integers that need more than 63 bits; `array` is NumPy's guess.

    Raises:
        ValueError: such a number is to become an integer.
        OverflowError: it does not fit into uint64 either.
        TypeError: so does a number that is no integer, or something is no number.
    """
    flat = list(_leaves(data))
    if not all(isinstance(x, (int, float, np.generic)) for x in flat):
        raise _no_numbers(data, dtype)
    if dtype is not None and not dtype.category:  # bool
        return np.array([bool(x) for x in flat]).reshape(array.shape)
    if dtype is _dtypes.uint64:
        if not all(isinstance(x, (int, np.integer)) for x in flat):
            raise TypeError("an integer is required")
        if min(flat) < 0:
            raise OverflowError("can't convert negative int to unsigned")
        if max(flat) >= 2**64:
            raise OverflowError("int too big to convert")
        return np.array(flat, np.uint64).reshape(array.shape)
    whole = not dtype.is_floating_point if dtype else all(isinstance(x, int) for x in flat)
    if whole and any(isinstance(x, int) and not -(2**63) <= x < 2**63 for x in flat):
        raise ValueError("Overflow when unpacking long long")
    return (
        array
        if array.dtype.kind == "f"
        else np.array([float(x) for x in flat]).reshape(array.shape)
    )


def _no_numbers(data: Any, dtype: Dtype | None) -> Exception:
    """Return the error for nested lists in which something is no number that fits."""
    flat = list(_leaves(data))
    for x in flat:
        if isinstance(x, (str, bytes)):
            first = data
            while isinstance(first, list) and first:
                first = first[0]
            if first is x and first is not data and isinstance(x, str):
                return ValueError("too many dimensions 'str'")
            if dtype is None or isinstance(data, (str, bytes)):
                return TypeError(f"new(): invalid data type '{type(x).__name__}'")
    for x in flat:
        if not isinstance(x, (int, float, np.generic)):
            if dtype is not None and dtype.is_floating_point:
                return TypeError(f"must be real number, not {type(x).__name__}")
            if dtype is not None:
                return TypeError(f"'{type(x).__name__}' object cannot be interpreted as an integer")
            return RuntimeError(f"Could not infer dtype of {name_of_type(x)}")
    return ValueError("Overflow when unpacking long long")


def _leaves(data: Any) -> Iterator[Any]:
    if isinstance(data, list):
        for x in data:
            yield from _leaves(x)
    else:
        yield data


def _whole_numbers(data: Any, array: np.ndarray, dtype: Dtype) -> np.ndarray:
    """Return `array`, whose numbers are to become integers of type `dtype`.

    Raises:
        RuntimeError: one of them does not fit.
        ValueError: one needs more than 64 bits.
    """
    fits = dtype.is_floating_point or not dtype.category or dtype is _dtypes.uint64
    if array.dtype.kind == "u" and not fits and not _holds_own_type(data):
        raise ValueError("Overflow when unpacking long long")
    target = dtype.numpy
    if target.kind not in "iu" or array.dtype.kind not in "iuf" or not array.size:
        return array
    if array.dtype.kind == target.kind and array.dtype.itemsize <= target.itemsize:
        return array
    low, high = array.min().item(), array.max().item()
    if not (_fits(low, target) and _fits(high, target)):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return array.astype(np.int64) if target.kind == "u" and array.dtype.kind == "i" else array


def _fits(value: Any, target: np.dtype) -> bool:
    """Return whether a number fits into an integer type; -1 fits into unsigned ones, and wraps around."""
    if value != value:
        return False
    limits = np.iinfo(target)
    low = -int(limits.max) if target.kind == "u" and isinstance(value, int) else int(limits.min)
    return low <= value <= int(limits.max)


LARGEST = {_dtypes.float16: (65504, "c10::Half"), _dtypes.float32: (3.4028234663852886e38, "float")}
"""Of types to which numbers of Python may be too large: the largest number, and their name in C++."""


def fill_number(value: Any, dtype: Dtype, function: str = "fill_") -> Any:
    """Return a number of Python that NumPy can put into an array of type `dtype`.

    Args:
        value: a number, or a tensor of one without dimensions.
        dtype: of the array.
        function: was asked to do so.

    Raises:
        TypeError: `value` is no number.
        RuntimeError: it does not fit.
    """
    if isinstance(value, TensorBase) and not value._array.ndim:
        value = value._array.item()
    elif isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (int, float)):
        raise TypeError(
            f"{function}(): argument 'fill_value' (position 2) must be Number, not {name_of_type(value)}"
        )
    if isinstance(value, int) and value < -(2**63):
        raise OverflowError("can't convert negative int to unsigned")
    if isinstance(value, int) and value >= 2**64:
        raise OverflowError("int too big to convert")
    target = dtype.numpy
    if target.kind == "b":
        return bool(value)
    if target.kind == "f":
        largest, name = LARGEST.get(dtype, (math.inf, ""))
        if abs(value) > largest and not math.isinf(value):
            raise RuntimeError(f"value cannot be converted to type {name} without overflow")
        return value
    if not _fits(value, target):
        name = "int" if dtype is _dtypes.int32 else f"{dtype.name}_t"
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")
    value = int(value)
    return value % (1 << 8 * target.itemsize) if target.kind == "u" else value


def _suggested_dtype(array: np.ndarray, data: Any) -> Dtype | None:
    """Return the dtype that numbers of Python take together; None stands for what `array` has."""
    if array.size and _holds_own_type(data):
        return reduce(_dtypes.promote_types, _types_in(data))
    if array.dtype.kind == "f":
        return _dtypes.get_default_dtype()
    if array.dtype.kind == "u":
        raise ValueError("Overflow when unpacking long long")
    return _dtypes.int64 if array.dtype.kind == "i" else None


def _as_lists(data: Any, tensors: list[TensorBase]) -> Any:
    """Return `data` with lists in place of sequences, and NumPy's scalars in place of tensors of one.

    The tensors found are added to `tensors`.
    """
    if _is_sequence(data):
        return [_as_lists(d, tensors) for d in islice(data, len(data))]
    if isinstance(data, np.ndarray):
        return [_as_lists(d, tensors) for d in data] if data.ndim else len(data)  # type: ignore[arg-type]
    if not isinstance(data, TensorBase):
        return data
    if data._array.size > 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    if not data._array.size:
        raise ValueError(ONE_ELEMENT)
    tensors.append(data)
    return to_numpy(data._array).reshape(())[()]


def warn_of_lost_history(t: TensorBase, stacklevel: int) -> None:
    """Warn, once, that a number made of `t` has no derivative, where one was asked for."""
    if wants_grad(t) and is_grad_enabled():
        warn_once(HISTORY_IS_LOST, stacklevel)


def _holds_own_type(data: Any) -> bool:
    """Return whether there is an array, a NumPy scalar or a tensor somewhere in `data`."""
    if _is_sequence(data):
        return any(_holds_own_type(x) for x in data)
    return isinstance(data, (np.ndarray, np.generic, TensorBase))


def _types_in(data: Any) -> Iterator[Dtype]:
    """Yield the dtype of every number and array in nested sequences."""
    if _is_sequence(data):
        for x in data:
            yield from _types_in(x)
    elif isinstance(data, TensorBase):
        yield _dtypes.of_numpy[data._array.dtype]
    else:
        found = getattr(data, "dtype", None)
        yield _dtypes.of_number(data) if found is None else _dtypes.from_numpy_dtype(found)


def _shape_by_first(data: Any) -> tuple[list[int], Any]:
    """Return the lengths of `data`, of its first part, of the first part of that, and so on; and the last such part."""
    shape = []
    while isinstance(data, list):
        shape.append(len(data))
        if not data:
            break
        data = data[0]
    return shape, data


def _uneven(data: Any, shape: list[int], dim: int = 0) -> Exception | None:
    """Return the error for nested lists that are not of `shape` throughout; None where they are."""
    if dim == len(shape):
        if isinstance(data, list):
            return TypeError("'list' object cannot be interpreted as an integer")
        return None
    if not isinstance(data, list):
        return TypeError("not a sequence")
    if len(data) != shape[dim]:
        return ValueError(
            f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)})"
        )
    found = (_uneven(part, shape, dim + 1) for part in data)
    return next((error for error in found if error is not None), None)


LEGACY_FORMS = """
 * (*, device device = None)
 * (Tensor other)
 * (tuple of ints size, *, device device = None)
 * (object data, *, device device = None)"""


def legacy_array(dtype: Dtype, args: tuple[Any, ...], named: dict[str, Any], any_type: bool = False) -> Any:  # fmt: skip
    """Return the array for ``FloatTensor(...)``, ``Tensor(...)`` or ``t.new(...)``.

    Args:
        dtype: of the elements.
        args: sizes, or one tensor, whose memory is shared, or one sequence of numbers.
        named: `size`, `data`, `other` or `device` by name.
        any_type: a tensor in `args` may have another dtype, and keeps it.

    Raises:
        TypeError: the arguments are something else.
        RuntimeError: another device than the CPU is asked for.
    """
    rest = dict(named)
    place = rest.pop("device", None)
    if place is not None and Device(place).type != "cpu":
        raise RuntimeError(
            "legacy constructor expects device type: cpu but device type: "
            f"{Device(place).type} was passed"
        )
    if not args and len(rest) == 1 and next(iter(rest)) in ("size", "data", "other"):
        name, value = rest.popitem()
        if name == "size" and not value:
            return np.zeros((), dtype.numpy)
        args = tuple(value) if name == "size" else (value,)
    if rest:
        raise invalid_call("new", args, named, LEGACY_FORMS)
    if len(args) == 0:
        return np.empty(0, dtype.numpy)
    first: Any = args[0]
    if isinstance(first, TensorBase) and len(args) == 1:
        return _of_same_type(first, dtype, place, any_type)
    if type(first).__name__ == "Size" or _is_size(first) or len(args) > 1:
        return np.zeros(_legacy_size(args, named), dtype.numpy)
    if isinstance(first, (TypedStorage, UntypedStorage)):
        row = first if isinstance(first, UntypedStorage) else first.untyped()
        return row._bytes.view(dtype.numpy)
    if isinstance(first, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(first).__name__}'")
    if not (_is_sequence(first) or isinstance(first, np.ndarray)):
        raise TypeError(f"new(): data must be a sequence (got {name_of_type(first)})")
    return as_array(first, dtype)


def _is_size(x: Any) -> bool:
    return hasattr(x, "__index__") and not isinstance(x, (bool, np.ndarray))


def _legacy_size(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[int, ...]:
    first: Any = args[0]
    if not _is_size(first) and len(args) > 1:
        raise invalid_call("new", args, named, LEGACY_FORMS)
    shape = args if _is_size(first) else tuple(first)
    for position, n in enumerate(shape):
        if not _is_size(n):
            raise TypeError(
                f"new(): argument 'size' failed to unpack the object at pos {position + 1} with error "
                f'"type must be tuple of ints,but got {type(n).__name__}"'
            )
    shape = tuple(n.__index__() for n in shape)
    if shape and min(shape) < 0:
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
        )
    return shape


def _of_same_type(t: TensorBase, dtype: Dtype, place: Any, any_type: bool) -> Any:
    if place is not None:
        raise RuntimeError(
            "Legacy tensor constructor of the form nbmodule.Tensor(tensor, device=device) is not supported.  "
            "Use nbmodule.tensor(...) or nbmodule.as_tensor(...) instead."
        )
    found = _dtypes.of_numpy[t._array.dtype]
    if found is not dtype and not any_type:
        rest = (
            "device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
            "memory_format=(nullopt)"
        )
        raise TypeError(
            f"expected TensorOptions(dtype={dtype.c_name}, {rest}) "
            f"(got TensorOptions(dtype={found.c_name}, {rest}))"
        )
    return t._array
