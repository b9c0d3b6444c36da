"""Writing a nest as a pickle that PyTorch's restricted reader opens, and no other kind.

The operations are those of protocol 2. A tensor is a call of ``torch._utils._rebuild_tensor_v2`` on its
storage, which is only named here: the bytes of the storages are written after the pickle.

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch-save-format
"""

from __future__ import annotations

import pickle
import struct
from collections import Counter, OrderedDict
from collections.abc import Callable
from enum import Enum
from typing import Any

from .._backend import META
from .._device import device
from .._dtypes import NEVER_PROMOTED, dtype
from .._engine import TensorBase
from .._formats import layout
from .._methods.sizes import Size
from .._tensor import Tensor
from ..storage import TypedStorage, UntypedStorage
from ..utils.hooks import warn_if_has_hooks
from .constructors import VALUES
from .plain import check_readable, parameter_class, shown, unsaveable
from .safe import allowed_by_user, name_of
from .storages import place_of

FITS = (
    "A .pt file holds what PyTorch's restricted reader opens: dict, OrderedDict, Counter, list, tuple, set, "
    "str, bytes, bytearray, int, float, complex, bool, None, tensors, parameters, storages, Size, dtype, device, "
    "and classes given to nbmodule.serialization.add_safe_globals. Make NumPy's arrays tensors with "
    "nbmodule.from_numpy, and its scalars numbers with .item()."
)
SHORT_TUPLES = (pickle.EMPTY_TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3)


class Pickler:
    """Writes one pickle.

    Args:
        name_storage: returns what names a storage in the file.
        protocol: the version that the pickle claims, from 2 on: later ones have the same operations, too.
    """

    def __init__(self, name_storage: Callable[[Any], tuple], protocol: int = 2) -> None:
        self._name_storage = name_storage
        self._parts: list[bytes] = [pickle.PROTO, bytes([protocol])]
        self._memo: dict[Any, int] = {}
        self._wide_keys = 0
        self._kept: list[Any] = []  # temporary objects: the memo knows objects by their id
        self._by_user = {id(f): path for path, f in allowed_by_user().items()}
        self._names = {id(f): path for path, f in VALUES.items()} | self._by_user

    def dump(self, obj: Any) -> bytes:
        """Return the pickle of `obj`.

        Raises:
            TypeError: it holds something that cannot be saved; the message says where.
            ValueError: it is nested too deeply, or a tuple in it holds itself.
        """
        try:
            self.save(obj, ())
        except RecursionError:
            raise ValueError("cannot save obj: it is nested too deeply") from None
        return b"".join([*self._parts, pickle.STOP])

    def save(self, obj: Any, path: tuple) -> None:
        """Write what pushes `obj`, which lies at `path`."""
        kind = type(obj)
        if kind in ATOMS:
            self.write(ATOMS[kind](obj))
        elif self.has(id(obj)):
            return
        elif kind in WRITERS:
            WRITERS[kind](self, obj, path)
        elif isinstance(obj, TensorBase):
            self.save_tensor(obj, path)
        elif id(obj) in self._names:
            self.save_name(self._names[id(obj)])
        else:
            self.save_object(obj, path)

    def write(self, *parts: bytes) -> None:
        """Write operations and their arguments."""
        self._parts += parts

    def has(self, key: Any) -> bool:
        """Return whether a value was written before; if so, write what pushes it again."""
        n = self._memo.get(key)
        if n is not None:
            self.write(_numbered(pickle.BINGET, pickle.LONG_BINGET, n))
        return n is not None

    def remember(self, key: Any) -> None:
        """Write what remembers the last value, which is found under `key` from now on."""
        n = self._memo[key] = len(self._memo)
        self.write(_numbered(pickle.BINPUT, pickle.LONG_BINPUT, n))

    def _keep(self, temporary: Any) -> Any:
        self._kept.append(temporary)
        return temporary

    # ---- text and containers

    def save_text(self, text: str, path: tuple = ()) -> None:
        """Write a string; equal ones are written once."""
        if not self.has(text):
            encoded = text.encode("utf-8", "surrogatepass")
            self.write(pickle.BINUNICODE, struct.pack("<I", len(encoded)), encoded)
            self.remember(text)

    def save_bytes(self, data: bytes, path: tuple) -> None:
        """Write bytes as protocol 2 does: as a string of which each character is a byte."""
        self.call("_codecs.encode", (data.decode("latin1"), "latin1"), path)
        self.remember(id(data))

    def save_bytearray(self, data: bytearray, path: tuple) -> None:
        """Write a bytearray."""
        self.call("builtins.bytearray", (data.decode("latin1"), "latin1"), path)
        self.remember(id(data))

    def save_complex(self, z: complex, path: tuple) -> None:
        """Write a complex number."""
        self.call("builtins.complex", (z.real, z.imag), path)

    def save_list(self, items: list, path: tuple) -> None:
        """Write a list."""
        self.write(pickle.EMPTY_LIST)
        self.remember(id(items))
        self.append(items, path)

    def append(self, items: list, path: tuple) -> None:
        """Write what appends `items` to the last value."""
        if items:
            self.write(pickle.MARK)
            for i, item in enumerate(items):
                self.save(item, (*path, i))
            self.write(pickle.APPENDS)

    def save_dict(self, items: dict, path: tuple) -> None:
        """Write a dict."""
        self.write(pickle.EMPTY_DICT)
        self.remember(id(items))
        self.fill(items, path)

    def fill(self, items: dict, path: tuple) -> None:
        """Write what puts `items` into the last value."""
        if items:
            self._wide_keys = check_readable(items, path, self._wide_keys)
            self.write(pickle.MARK)
            for key, value in items.items():
                self.save(key, path)
                self.save(value, (*path, key))
            self.write(pickle.SETITEMS)

    def save_tuple(self, items: tuple, path: tuple) -> None:
        """Write a tuple."""
        self.group(items, path)
        if id(items) in self._memo:
            raise ValueError(
                f"cannot save {shown(path)}: a tuple that holds itself cannot be built from its parts"
            )
        self.remember(id(items))

    def group(self, items: tuple, path: tuple) -> None:
        """Write a tuple that occurs only here; there are operations for the short ones."""
        long = len(items) >= len(SHORT_TUPLES)
        self.write(pickle.MARK if long else b"")
        for i, item in enumerate(items):
            self.save(item, (*path, i))
        self.write(pickle.TUPLE if long else SHORT_TUPLES[len(items)])

    def save_ordered_dict(self, items: OrderedDict, path: tuple) -> None:
        """Write an OrderedDict and its attributes, such as the `_metadata` of a state dict."""
        self.call("collections.OrderedDict", (), path)
        self.remember(id(items))
        self.fill(items, path)
        if vars(items):
            self.save(self._keep(dict(vars(items))), path)
            self.write(pickle.BUILD)

    def save_counter(self, items: Counter, path: tuple) -> None:
        """Write a Counter."""
        self.call("collections.Counter", (self._keep(dict(items)),), path)
        self.remember(id(items))

    def save_set(self, items: set, path: tuple) -> None:
        """Write a set."""
        check_readable(items, path)
        self.call("builtins.set", (self._keep(list(items)),), path)
        self.remember(id(items))

    def save_size(self, size: Size, path: tuple) -> None:
        """Write a Size."""
        self.call("torch.Size", (self._keep(tuple(size)),), path)
        self.remember(id(size))

    def save_device(self, place: device, path: tuple) -> None:
        """Write a device."""
        index = () if place.index is None else (place.index,)
        self.call("torch.device", (place.type, *index), path)

    # ---- names and calls

    def save_name(self, path: str) -> None:
        """Write what pushes the class, function or dtype called `path`."""
        if not self.has(("name", path)):
            module, _, name = path.rpartition(".")
            self.write(pickle.GLOBAL, f"{module}\n{name}\n".encode())
            self.remember(("name", path))

    def call(self, name: str, arguments: tuple, path: tuple) -> None:
        """Write a call of the function called `name`."""
        self.save_name(name)
        self.group(arguments, path)
        self.write(pickle.REDUCE)

    # ---- tensors

    def save_tensor(self, t: Any, path: tuple) -> None:
        """Write a tensor: where it lies in its storage; its class and its attributes if it has some."""
        notes = self._keep(t._notes())
        if hasattr(type(t), "cls_to_become"):
            raise TypeError(f"cannot save {shown(path)}: {t!r} has no numbers yet")
        if issubclass(type(t), parameter_class()):  # its own class is not kept, as in PyTorch
            data = (self._keep(t.detach()), t.requires_grad, self._keep(OrderedDict()))
            function = "_rebuild_parameter_with_state" if notes else "_rebuild_parameter"
            self.call(f"torch._utils.{function}", (*data, notes) if notes else data, path)
        elif type(t) is Tensor and not notes:
            self.call(*self._taken_apart(t), path)
        else:
            self._save_with_class(t, notes, path)
        self.remember(id(t))

    def _save_with_class(self, t: Any, notes: dict, path: tuple) -> None:
        """Write a tensor with attributes, or of a class of the user's: to load it, it must be allowed."""
        name = self._names.get(id(type(t))) or name_of(type(t))
        if "<locals>" in name:  # nobody else would find it
            raise unsaveable(shown(path), t)
        self.save_name("torch._tensor._rebuild_from_type_v2")
        self.write(pickle.MARK)
        function, arguments = self._taken_apart(t)
        self.save_name(function)
        self.save_name(name)
        self.group(arguments, path)
        self.save(notes, path)
        self.write(pickle.TUPLE, pickle.REDUCE)

    def _taken_apart(self, t: Any) -> tuple[str, tuple]:
        """Return the name of the function that builds `t`, and its arguments."""
        warn_if_has_hooks(t)
        if t.device == META:
            arguments = (t.dtype, tuple(t.shape), tuple(t.stride()), t.requires_grad)
            return "torch._utils._rebuild_meta_tensor_no_storage", self._keep(arguments)
        storage, offset, stride = place_of(t)
        typed = t.dtype not in NEVER_PROMOTED  # PyTorch has no types of storages for these
        memory = TypedStorage(wrap_storage=storage, dtype=t.dtype) if typed else storage
        arguments = (memory, offset, tuple(t.shape), stride, t.requires_grad, OrderedDict())
        function = "_rebuild_tensor_v2" if typed else "_rebuild_tensor_v3"
        return f"torch._utils.{function}", self._keep(arguments if typed else (*arguments, t.dtype))

    def save_storage(self, storage: Any, path: tuple) -> None:
        """Write the name of a storage."""
        kind, *rest = self._name_storage(storage)
        self.write(pickle.MARK)
        self.save_text("storage")
        self.save_name(kind)
        for part in rest:
            self.save(part, path)
        self.write(pickle.TUPLE, pickle.BINPERSID)

    # ---- what the user allows

    def save_object(self, obj: Any, path: tuple) -> None:
        """Write an object of a class that the user allows, as it takes itself apart for `pickle`.

        Raises:
            TypeError: it is of another class.
        """
        if type(obj) is type or not self._by_user:
            raise _refused(path, obj)
        # Python 3.11 began with another way to take members of enumerations apart, and went back
        parts = (type(obj), (obj.value,)) if isinstance(obj, Enum) else obj.__reduce_ex__(2)
        made: Any = self._keep(parts)
        if isinstance(made, str):  # the name of a function or of a single object
            raise _refused(path, obj)
        function, arguments, state, items, pairs = [*made, None, None, None][:5]
        is_new = getattr(function, "__name__", "") == "__newobj__"
        function, arguments = (arguments[0], arguments[1:]) if is_new else (function, arguments)
        if id(function) not in self._by_user:
            raise _refused(path, obj)
        self.save(function, path)
        self.group(arguments, path)
        self.write(pickle.NEWOBJ if is_new else pickle.REDUCE)
        self.remember(id(obj))
        self.append(self._keep(list(items or ())), path)
        self.fill(self._keep(dict(pairs or ())), path)
        if state is not None:
            self.save(state, path)
            self.write(pickle.BUILD)


def _refused(path: tuple, obj: Any) -> TypeError:
    error = unsaveable(shown(path), obj)
    if callable(getattr(obj, "state_dict", None)):
        return error
    return TypeError(f"{str(error).splitlines()[0]}\n{FITS}")


def _numbered(short: bytes, long: bytes, n: int) -> bytes:
    return short + bytes([n]) if n < 256 else long + struct.pack("<I", n)


def _int(n: int) -> bytes:
    if 0 <= n < 256:
        return pickle.BININT1 + bytes([n])
    if -(2**31) <= n < 2**31:
        return pickle.BININT + struct.pack("<i", n)
    digits = n.to_bytes(n.bit_length() // 8 + 1, "little", signed=True)
    if len(digits) < 256:
        return pickle.LONG1 + bytes([len(digits)]) + digits
    return pickle.LONG4 + struct.pack("<i", len(digits)) + digits


ATOMS: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda value: pickle.NONE,
    bool: lambda value: pickle.NEWTRUE if value else pickle.NEWFALSE,
    int: _int,
    float: lambda x: pickle.BINFLOAT + struct.pack(">d", x),
}
"""Values that are written anew wherever they occur."""

WRITERS: dict[type, Callable[[Pickler, Any, tuple], None]] = {
    str: Pickler.save_text, bytes: Pickler.save_bytes, bytearray: Pickler.save_bytearray,
    complex: Pickler.save_complex, list: Pickler.save_list, dict: Pickler.save_dict, tuple: Pickler.save_tuple,
    OrderedDict: Pickler.save_ordered_dict, Counter: Pickler.save_counter, set: Pickler.save_set,
    Size: Pickler.save_size, device: Pickler.save_device,
    TypedStorage: Pickler.save_storage, UntypedStorage: Pickler.save_storage,
    dtype: lambda pickler, d, path: pickler.save_name(f"torch.{d.name}"),
    layout: lambda pickler, kind, path: pickler.call("torch.serialization._get_layout", ("torch.strided",), path),
}  # fmt: skip
