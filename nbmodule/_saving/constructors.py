"""The names that a `.pt` file may use, and what each of them makes: the allow-list.

A file says `torch._utils._rebuild_tensor_v2`; here stands our function of that name, which checks what it
is given. Everything else is refused by its name, unless the user has allowed it with `add_safe_globals`.

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#weights-only
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import cache
from pickle import UnpicklingError
from typing import Any

from .. import _dtypes, _formats
from .._device import device
from .._engine import TENSOR_FIELDS, wrap
from .._meta import MetaArray
from .._tensor import Size, Tensor
from ..storage import TypedStorage, UntypedStorage, window
from .plain import parameter_class
from .storages import NOT_HERE, STORAGE_TYPES

BLOCKED = ("sys", "os", "posix", "nt")
"""Modules of which nothing can be allowed, not even by the user."""
MOST_DIMENSIONS = 64
DEPTH_OF_KEYS = 8
"""How deeply tuples may be nested in the key of a dict: hashing deeper ones would be the attack."""
CODECS = ("latin1", "latin-1", "ascii", "utf-8")
NOT_ALLOWED = (
    "Unsupported global: GLOBAL {0} was not an allowed global by default. Please use "
    "`nbmodule.serialization.add_safe_globals([{0}])` or the `nbmodule.serialization.safe_globals([{0}])` "
    "context manager to allowlist this global if you trust this class/function."
)

_allowed_by_user: set[Any] = set()


def brief(value: Any) -> str:
    """Return a few characters that tell of `value`, which may be as deep or long as a file made it."""
    if isinstance(value, str | bytes):
        return repr(value[:40])
    if isinstance(value, type):
        return repr(value)
    return (
        repr(value)
        if isinstance(value, int | float) and abs(value) < 2**64
        else f"a {type(value).__name__}"
    )


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


def _rebuild_tensor_v2(storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any, backward_hooks: Any, metadata: Any = None) -> Tensor:  # fmt: skip
    """Return a leaf. Hooks are not restored: they are functions."""
    t = _rebuild_tensor(storage, storage_offset, size, stride)
    if isinstance(metadata, dict) and metadata.get(
        "neg"
    ):  # PyTorch negates such numbers when it reads them
        t = -t
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
    if func not in REBUILDERS.values():
        raise UnpicklingError(f"{brief(func)} does not rebuild tensors")
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
    for name, value in pairs.items():
        if name in TENSOR_FIELDS or hasattr(type(t), name):
            raise UnpicklingError(f"{name!r} is no attribute that a file may set on a tensor")
        t.__dict__[name] = value
    return t


REBUILDERS = {
    f"torch._utils.{f.__name__}": f
    for f in (
        _rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3, _rebuild_meta_tensor_no_storage,
        _rebuild_parameter, _rebuild_parameter_with_state,
    )
}  # fmt: skip


# ---- other values


def check_key(key: Any, depth: int = 0) -> None:
    """Refuse keys of dicts and members of sets that would take forever to hash."""
    if isinstance(key, tuple):
        if depth == DEPTH_OF_KEYS:
            raise UnpicklingError(f"a key of tuples nested more than {DEPTH_OF_KEYS} deep")
        for part in key:
            check_key(part, depth + 1)


def _ordered_dict(*pairs: Any) -> OrderedDict:
    return _checked_pairs(OrderedDict(), pairs)


def _counter(*counts: Any) -> Counter:
    return _checked_pairs(Counter(), [list(c.items()) if isinstance(c, dict) else c for c in counts])  # fmt: skip


def _checked_pairs(target: Any, pairs: Any) -> Any:
    """Return `target` with the pairs of keys and values of the one argument in `pairs`, if there is one."""
    for key, value in (*pairs, ())[0]:
        check_key(key)
        target[key] = value
    return target


def _set(members: Any = ()) -> set:
    for member in members:
        check_key(member)
    return set(members)


def _encode(text: str, encoding: str = "latin1") -> bytes:
    """Return the bytes that protocol 2 writes as a string of their numbers."""
    if not isinstance(text, str) or encoding not in CODECS:
        raise UnpicklingError(f"bytes are written as text in latin1, and not in {brief(encoding)}")
    return text.encode(encoding)


def _bytearray(*data: Any) -> bytearray:
    """Return the bytes of `data`; a number, which would ask for that much memory, is refused."""
    if data and not isinstance(data[0], bytes):
        data = (_encode(*data),)
    return bytearray(*data)


def _complex(*parts: float) -> complex:
    return complex(*parts)


def _get_layout(name: str) -> Any:
    """Return the layout called `name`: there is one here."""
    if name != "torch.strided":
        raise UnpicklingError(f"{brief(name)} is no layout of nbmodule: it has dense tensors only")
    return _formats.strided


VALUES: dict[str, Any] = {
    "collections.OrderedDict": OrderedDict, "collections.Counter": Counter,
    "torch.Size": Size, "torch.Tensor": Tensor, "torch.device": device,
    "torch.serialization._get_layout": _get_layout, "_codecs.encode": _encode,
    "builtins.bytearray": bytearray, "builtins.set": set, "builtins.complex": complex,
    "torch._tensor._rebuild_from_type_v2": _rebuild_from_type_v2,
    "torch.storage.UntypedStorage": UntypedStorage, "torch.storage.TypedStorage": TypedStorage,
    **{f"torch.{d.name}": d for d in _dtypes.ALL},
    **STORAGE_TYPES, **REBUILDERS,
}  # fmt: skip
"""What each name stands for. `torch.nn.parameter.Parameter` is the one that is not here: see `find`."""

MAKERS: dict[Any, Callable] = {
    OrderedDict: _ordered_dict, Counter: _counter, Size: Size, device: device, set: _set,
    bytearray: _bytearray, complex: _complex,
    **{f: f for f in (_get_layout, _encode, _rebuild_from_type_v2, *REBUILDERS.values())},
}  # fmt: skip
"""What is called where a file calls one of the values."""
PARAMETER = "torch.nn.parameter.Parameter"


class Constructors:
    """What a file may name, call, make and fill: the list above and what the user has allowed."""

    def __init__(self) -> None:
        self._by_user = allowed_by_user()

    def find(self, module: str, name: str) -> Any:
        """Return what ``module.name`` stands for.

        Raises:
            UnpicklingError: it is not allowed.
            TypeError: it is a kind of tensor that nbmodule has not.
        """
        path = f"{module}.{name}"
        if module in BLOCKED:
            raise UnpicklingError(
                f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked."
            )
        if path == PARAMETER:
            return parameter_class()
        for known in (VALUES, self._by_user):
            if path in known:
                return known[path]
        if path in NOT_HERE:
            raise TypeError(f"{path} cannot be loaded: {NOT_HERE[path]}")
        raise UnpicklingError(NOT_ALLOWED.format(path.removeprefix("builtins.")))

    def _of_user(self, function: Any) -> bool:
        return any(function is allowed for allowed in self._by_user.values())

    def call(self, function: Any, arguments: Any) -> Any:
        """Return ``function(*arguments)``."""
        if callable(function) and type(arguments) is tuple:
            if function in MAKERS:
                return MAKERS[function](*arguments)
            if function is parameter_class():
                return _rebuild_parameter(*arguments)
            if self._of_user(function):
                return function(*arguments)
        raise UnpicklingError(f"Trying to call reduce for unrecognized function {brief(function)}")

    def new(self, cls: Any, arguments: Any) -> Any:
        """Return a new object of the class `cls`."""
        if isinstance(cls, type) and type(arguments) is tuple:
            if self._of_user(cls):
                return cls.__new__(cls, *arguments)
            if cls in MAKERS or cls is parameter_class():
                return self.call(cls, arguments)
        raise UnpicklingError(
            "Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` "
            f"but got {brief(cls)}"
        )

    def build(self, made: Any, state: Any) -> None:
        """Give `made`, which this file has made, the attributes in `state`."""
        kind = type(made)
        if kind is OrderedDict:
            _fill_ordered_dict(made, state)
        elif self._of_user(kind):
            _fill(made, state)
        else:
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, "
                f"but got {kind}"
            )


def _fill_ordered_dict(made: OrderedDict, state: dict[str, Any]) -> None:
    """Set attributes such as the `_metadata` of a state dict; a method's name is refused."""
    for name in state:
        if type(name) is not str or hasattr(OrderedDict, name):
            raise UnpicklingError(f"{brief(name)} is no attribute that a file may set on a dict")
    made.__dict__.update(state)


def _fill(made: Any, state: Any) -> None:
    """Do what `pickle` does with the state of an object."""
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    state, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    made.__dict__.update(state or {})
    for name, value in (slots or {}).items():
        setattr(made, name, value)


# ---- what the user allows


def allow(functions: Any) -> None:
    """Add `functions` to what files may use."""
    global _allowed_by_user
    _allowed_by_user = _allowed_by_user | set(functions)


def disallow(functions: Any = None) -> None:
    """Remove `functions` from what files may use, or all that the user has ever allowed."""
    global _allowed_by_user
    _allowed_by_user = set() if functions is None else _allowed_by_user - set(functions)


def allowed() -> list[Any]:
    """Return what the user has allowed."""
    return list(_allowed_by_user)


def allowed_by_user() -> dict[str, Any]:
    """Return what the user has allowed by its names: our classes have PyTorch's, too."""
    found: dict[str, Any] = {}
    for item in _allowed_by_user:
        function, path = _named_pair(item) if isinstance(item, tuple) else (item, name_of(item))
        found[path] = function
        head, dot, rest = path.partition(".")
        if head == "nbmodule":
            found["torch" + dot + rest] = function
    return found


def _named_pair(pair: tuple) -> tuple[Any, str]:
    if len(pair) != 2:
        raise ValueError(
            "Expected tuple of length 2 (global, str of callable full path), but got tuple of length: "
            f"{len(pair)}"
        )
    if type(pair[1]) is not str:
        raise TypeError(
            f"Expected second item in tuple to be str of callable full path, but got: {type(pair[1])}"
        )
    return pair


def name_of(function: Any) -> str:
    """Return the full name of a class or function."""
    return f"{function.__module__}.{function.__qualname__}"


@cache
def names() -> frozenset[str]:
    """Return the names that are allowed without the user's help."""
    return frozenset({*VALUES, PARAMETER})
