"""What the constructors that a file may name do here: tensors, and the values that protocol 2 builds by calls.

Each has the name and the arguments of PyTorch's, which is what stands in files, and believes none of them.

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#weights-only
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from pickle import UnpicklingError
from typing import Any

from .. import _dtypes, _formats
from .._engine import TENSOR_FIELDS, wrap
from .._meta import MetaArray
from .._tensor import Size, Tensor
from ..storage import TypedStorage, window
from .keys import check_keys, checked_set
from .plain import parameter_class

MOST_DIMENSIONS = 64
CODECS = ("latin1", "latin-1", "ascii", "utf-8")


def brief(value: Any) -> str:
    """Return a few characters that tell of `value`, which may be as deep or long as a file made it."""
    if isinstance(value, str | bytes):
        return repr(value[:40])
    small = isinstance(value, int | float) and abs(value) < 2**64
    return repr(value) if small or isinstance(value, type) else f"a {type(value).__name__}"


# ---- tensors


def _rebuild_tensor(storage: Any, storage_offset: Any, size: Any, stride: Any) -> Tensor:
    """Return the tensor that shows `size` elements of `storage`, `stride` apart, from `storage_offset` on."""
    if not isinstance(storage, TypedStorage):
        raise UnpicklingError(f"a tensor needs a storage, and got {type(storage).__name__}")
    size, stride = _whole_numbers("size", size), _whole_numbers("stride", stride)
    _whole_numbers("storage_offset", (storage_offset,))
    if len(size) != len(stride):
        raise RuntimeError(
            f"mismatch in length of strides and shape\nsize {list(size)}, stride {list(stride)}"
        )
    try:
        array = window(storage._numbers, storage_offset, size, stride)
    except (ValueError, OverflowError) as e:
        raise RuntimeError(f"a tensor of size {list(size)}, stride {list(stride)}: {e}") from None
    return wrap(array, storage._untyped._storage)


def _whole_numbers(name: str, given: Any) -> tuple[int, ...]:
    if not isinstance(given, tuple | list) or len(given) > MOST_DIMENSIONS:
        raise UnpicklingError(f"the {name} of a tensor is a tuple of ints, and not {brief(given)}")
    for n in given:
        if type(n) is not int or not 0 <= n < 2**63:
            raise UnpicklingError(f"the {name} of a tensor holds {brief(n)}")
    return tuple(given)


def show(t: Tensor, storage: Any, storage_offset: Any, size: Any, stride: Any) -> None:
    """Let `t`, which shows nothing yet, show what `_rebuild_tensor` returns."""
    if t.numel():
        raise UnpicklingError("a tensor that has its numbers already")
    made = _rebuild_tensor(storage, storage_offset, size, stride)
    t._array, t._storage = made._array, made._storage


def _rebuild_tensor_v2(storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any, backward_hooks: Any, metadata: Any = None) -> Tensor:  # fmt: skip
    """Return a leaf. Hooks are not restored: they are functions."""
    t = _rebuild_tensor(storage, storage_offset, size, stride)
    if isinstance(metadata, dict) and metadata.get("neg"):
        # as of an expanded tensor: each would need memory of its own
        if t.numel() > storage.size():
            raise UnpicklingError("a tensor to be negated has more elements than its storage")
        t = -t  # in PyTorch, a note to negate the numbers when they are used
    return t.requires_grad_(bool(requires_grad)) if requires_grad else t


def _rebuild_tensor_v3(storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any, backward_hooks: Any, dtype: Any, metadata: Any = None) -> Tensor:  # fmt: skip
    """Return a leaf of type `dtype` on a storage of bytes."""
    if not isinstance(storage, TypedStorage) or not isinstance(dtype, _dtypes.dtype):
        raise UnpicklingError(f"a tensor of {brief(dtype)} on {type(storage).__name__}")
    typed = TypedStorage(wrap_storage=storage._untyped, dtype=dtype)
    return _rebuild_tensor_v2(typed, storage_offset, size, stride, requires_grad, backward_hooks)


def _rebuild_meta_tensor_no_storage(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> Tensor:  # fmt: skip
    """Return a tensor without numbers."""
    size, stride = _whole_numbers("size", size), _whole_numbers("stride", stride)
    if not isinstance(dtype, _dtypes.dtype):
        raise UnpicklingError(f"a tensor of {brief(dtype)}")
    steps = tuple(k * dtype.itemsize for k in stride)
    t = wrap(MetaArray.empty(size, dtype.numpy, steps))
    return t.requires_grad_() if requires_grad else t


def _rebuild_parameter(data: Any, requires_grad: Any, backward_hooks: Any = None) -> Any:
    return parameter_class()(data, requires_grad)


def _rebuild_parameter_with_state(data: Any, requires_grad: Any, backward_hooks: Any, state: Any) -> Any:  # fmt: skip
    """Return a parameter with the attributes that a user has put on it."""
    return _with_notes(_rebuild_parameter(data, requires_grad), state)


def _rebuild_from_type_v2(func: Any, new_type: Any, args: Any, state: Any) -> Any:
    """Return a tensor of another class, or one with attributes."""
    if not any(func is known for known in REBUILDERS.values()) or type(args) is not tuple:
        raise UnpicklingError(f"{brief(func)} of {brief(args)} does not rebuild a tensor")
    t = func(*args)
    if type(t) is not new_type:
        t = t.as_subclass(new_type)
    own = getattr(type(t), "__setstate__", None)
    if own is not None and own is not getattr(Tensor, "__setstate__", None):
        own(t, state)
        return t
    return _with_notes(t, state)


def _with_notes(t: Any, state: Any) -> Any:
    """Put the attributes in `state` on `t`, but none that means something to the library."""
    pairs = {**(state[0] or {}), **(state[1] or {})} if isinstance(state, tuple) else state or {}
    check_attributes(type(t), pairs)
    t.__dict__.update(pairs)
    return t


def check_attributes(kind: type, names: Any) -> None:
    """Refuse attributes that mean something to `kind`, to Python or to NumPy.

    ``__array_interface__``, for one, is an address from which NumPy would read.
    """
    if not isinstance(names, dict):
        raise UnpicklingError(f"attributes are a dict, and not {brief(names)}")
    for name in names:
        if type(name) is not str or name.startswith("__") or name in TENSOR_FIELDS or hasattr(kind, name):  # fmt: skip
            raise UnpicklingError(
                f"{brief(name)} is no attribute that a file may set on a {kind.__name__}"
            )


REBUILDERS = {
    f"torch._utils.{f.__name__}": f
    for f in (
        _rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3, _rebuild_meta_tensor_no_storage,
        _rebuild_parameter, _rebuild_parameter_with_state,
    )
}  # fmt: skip


# ---- other values


def finite(values: Any) -> Any:
    """Return `values`, a list, tuple, set or text; others, such as a tensor of 2⁴⁰ elements, are not gone through."""
    if not isinstance(values, list | tuple | set | str):
        raise UnpicklingError(f"a list or tuple is expected, and not {brief(values)}")
    return values


def ordered_dict(pairs: Any = ()) -> OrderedDict:
    """Return an OrderedDict of `pairs`."""
    items = [(key, value) for key, value in finite(pairs)]
    check_keys(key for key, _ in items)
    return OrderedDict(items)


def counter(counts: Any = None) -> Counter:
    """Return a Counter of `counts`, a dict."""
    return Counter({} if counts is None else dict(counts.items()))


def set_of(members: Any = ()) -> set:
    """Return the set of `members`."""
    return checked_set(finite(members))


def size(lengths: Any = ()) -> Size:
    """Return the Size of these `lengths`."""
    return Size(finite(lengths))


def encode(text: str, encoding: str = "latin1") -> bytes:
    """Return the bytes that protocol 2 writes as a string of their numbers."""
    if not isinstance(text, str) or encoding not in CODECS:
        raise UnpicklingError(f"bytes are written as text in latin1, and not in {brief(encoding)}")
    return text.encode(encoding)


def checked_bytearray(*data: Any) -> bytearray:
    """Return the bytes of `data`; a number, which would ask for that much memory, is refused."""
    if data and not isinstance(data[0], bytes):
        data = (encode(*data),)
    return bytearray(*data)


def _get_layout(name: str) -> Any:
    """Return the layout called `name`: there is one here."""
    if name != "torch.strided":
        raise UnpicklingError(f"{brief(name)} is no layout of nbmodule: it has dense tensors only")
    return _formats.strided
