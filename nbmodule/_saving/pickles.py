"""A small pickle machine that builds plain values and tensors, and cannot run code.

A pickle is a program: each byte is an operation on a stack of values. Python's own machine imports and
calls whatever a file names. This one has a table of the few operations that `save` and PyTorch write; a
name in the file is looked up among constructors (`constructors.py`), and never imported.

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#weights-only,
    https://docs.python.org/3/library/pickletools.html
"""

from __future__ import annotations

import io
import pickle
import pickletools
import struct
import warnings
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

from .constructors import Constructors, check_key
from .storages import StorageName

LONGEST_NAME = 1000
"""How many characters the name of a global may have."""
OTHER_PROTOCOL = (
    "Detected pickle protocol {} in the checkpoint, which was not the default pickle protocol used by "
    "`nbmodule.load` (2). The weights_only Unpickler might not support all instructions implemented by this "
    "protocol, please file an issue for adding support if you encounter this."
)

OPERATIONS: dict[int, Callable[[Unpickler], None]] = {}
"""What each byte does."""


def opcode(*codes: bytes) -> Any:
    """Let the decorated method be what the bytes `codes` do."""

    def register(method: Callable) -> Callable:
        OPERATIONS.update({code[0]: method for code in codes})
        return method

    return register


class Unpickler:
    """Runs one pickle.

    Args:
        file: has ``read`` and ``readline``.
        size: how many bytes the file has at most; no string can be longer.
        constructors: what the names in the file stand for.
        persistent_load: called with the key of a storage; returns the storage.
        encoding: of Python 2's strings; "bytes" leaves them as bytes.
    """

    def __init__(self, file: Any, size: int, constructors: Constructors, persistent_load: Callable, encoding: str = "utf-8") -> None:  # fmt: skip
        self._file, self._size, self.encoding = file, size, encoding
        self.constructors, self.persistent_load = constructors, persistent_load
        self.memo: dict[int, Any] = {}
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []

    def load(self) -> Any:
        """Run the program, and return the value that it leaves.

        Raises:
            UnpicklingError: an operation, or what it is applied to, is not allowed or makes no sense.
            EOFError: the file ends early.
        """
        try:
            while (code := self.read(1)[0]) != pickle.STOP[0]:
                if code not in OPERATIONS:
                    raise UnpicklingError(f"Unsupported operand {code}")
                OPERATIONS[code](self)
            return self.stack.pop()
        except (
            IndexError,
            KeyError,
            AttributeError,
            struct.error,
            UnicodeError,
            OverflowError,
        ) as e:
            raise UnpicklingError(
                f"this is no pickle, or a damaged one ({type(e).__name__}: {e})"
            ) from None

    def read(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        found = self._file.read(count) if count <= self._size else b""
        if isinstance(found, str):
            raise AssertionError("Expected bytes, got str")
        if len(found) < count:
            raise EOFError("Ran out of input")
        return found

    def number(self, kind: str) -> int:
        """Return the next number; `kind` is as in the module `struct`."""
        return struct.unpack(kind, self.read(struct.calcsize(kind)))[0]

    def since_mark(self) -> list[Any]:
        """Take what lies on the stack since the last mark."""
        items, self.stack = self.stack, self.marks.pop()
        return items

    # ---- plain values

    @opcode(pickle.PROTO)
    def proto(self) -> None:
        """Read the version of the language: 2 is what `save` writes."""
        version = self.number("B")
        if version != 2:
            warnings.warn(OTHER_PROTOCOL.format(version), stacklevel=2)

    @opcode(pickle.NONE)
    def none(self) -> None:
        """Push None."""
        self.stack.append(None)

    @opcode(pickle.NEWFALSE)
    def false(self) -> None:
        """Push False."""
        self.stack.append(False)

    @opcode(pickle.NEWTRUE)
    def true(self) -> None:
        """Push True."""
        self.stack.append(True)

    @opcode(pickle.BININT)
    def int32(self) -> None:
        """Push an int of four bytes."""
        self.stack.append(self.number("<i"))

    @opcode(pickle.BININT1)
    def uint8(self) -> None:
        """Push an int of one byte."""
        self.stack.append(self.number("B"))

    @opcode(pickle.BININT2)
    def uint16(self) -> None:
        """Push an int of two bytes."""
        self.stack.append(self.number("<H"))

    @opcode(pickle.LONG1)
    def long_int(self) -> None:
        """Push an int of up to 255 bytes."""
        self.stack.append(int.from_bytes(self.read(self.number("B")), "little", signed=True))

    @opcode(pickle.LONG4)
    def longer_int(self) -> None:
        """Push an int of any length."""
        count = self.number("<i")
        if count < 0:
            raise UnpicklingError(f"an int of {count} bytes")
        self.stack.append(int.from_bytes(self.read(count), "little", signed=True))

    @opcode(pickle.BINFLOAT)
    def double(self) -> None:
        """Push a float."""
        self.stack.append(self.number(">d"))

    @opcode(pickle.BINUNICODE)
    def text(self) -> None:
        """Push a string."""
        self.stack.append(str(self.read(self.number("<I")), "utf-8", "surrogatepass"))

    @opcode(pickle.SHORT_BINSTRING)
    def old_text(self) -> None:
        """Push a string of Python 2."""
        found = self.read(self.number("B"))
        self.stack.append(found if self.encoding == "bytes" else found.decode(self.encoding))

    # ---- containers

    @opcode(pickle.MARK)
    def mark(self) -> None:
        """Begin a group of values."""
        self.marks.append(self.stack)
        self.stack = []

    @opcode(pickle.EMPTY_TUPLE)
    def empty_tuple(self) -> None:
        """Push ()."""
        self.stack.append(())

    @opcode(pickle.EMPTY_LIST)
    def empty_list(self) -> None:
        """Push []."""
        self.stack.append([])

    @opcode(pickle.EMPTY_DICT)
    def empty_dict(self) -> None:
        """Push {}."""
        self.stack.append({})

    @opcode(pickle.EMPTY_SET)
    def empty_set(self) -> None:
        """Push set()."""
        self.stack.append(set())

    @opcode(pickle.TUPLE)
    def tuple_since_mark(self) -> None:
        """Make a tuple of the group."""
        items = tuple(self.since_mark())
        self.stack.append(items)

    @opcode(pickle.TUPLE1)
    def tuple_of_1(self) -> None:
        """Make a tuple of the last value."""
        self._tuple_of(1)

    @opcode(pickle.TUPLE2)
    def tuple_of_2(self) -> None:
        """Make a tuple of the last two values."""
        self._tuple_of(2)

    @opcode(pickle.TUPLE3)
    def tuple_of_3(self) -> None:
        """Make a tuple of the last three values."""
        self._tuple_of(3)

    def _tuple_of(self, count: int) -> None:
        if len(self.stack) < count:
            raise IndexError("a tuple of more values than there are")
        self.stack[-count:] = [tuple(self.stack[-count:])]

    @opcode(pickle.APPEND)
    def append(self) -> None:
        """Append the last value to the list before it."""
        self._extend([self.stack.pop()], "append to")

    @opcode(pickle.APPENDS)
    def appends(self) -> None:
        """Append the group to the list before it."""
        self._extend(self.since_mark(), "extend")

    def _extend(self, items: list[Any], verb: str) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise UnpicklingError(f"Can only {verb} lists, but got {type(target)}")
        target.extend(items)

    @opcode(pickle.SETITEM)
    def set_item(self) -> None:
        """Put a key and its value into the dict before them."""
        value, key = self.stack.pop(), self.stack.pop()
        self._update([key, value], "SETITEM")

    @opcode(pickle.SETITEMS)
    def set_items(self) -> None:
        """Put the group of keys and values into the dict before it."""
        self._update(self.since_mark(), "SETITEMS")

    def _update(self, items: list[Any], name: str) -> None:
        target = self.stack[-1]
        if type(target) not in (dict, OrderedDict, Counter):
            raise UnpicklingError(
                f"Can only {name} for dict, collections.OrderedDict, collections.Counter, but got {type(target)}"
            )
        for i in range(0, len(items), 2):
            check_key(items[i])
            target[items[i]] = items[i + 1]

    # ---- values that occur again

    @opcode(pickle.BINPUT)
    def put(self) -> None:
        """Remember the last value under a number of one byte."""
        self.memo[self.number("B")] = self.stack[-1]

    @opcode(pickle.LONG_BINPUT)
    def long_put(self) -> None:
        """Remember the last value under a number of four bytes."""
        self.memo[self.number("<I")] = self.stack[-1]

    @opcode(pickle.BINGET)
    def get(self) -> None:
        """Push the value remembered under a number of one byte."""
        self.stack.append(self.memo[self.number("B")])

    @opcode(pickle.LONG_BINGET)
    def long_get(self) -> None:
        """Push the value remembered under a number of four bytes."""
        self.stack.append(self.memo[self.number("<I")])

    # ---- names and what they construct

    @opcode(pickle.GLOBAL)
    def global_name(self) -> None:
        """Push what a name stands for."""
        self.stack.append(self.constructors.find(*read_name(self._file)))

    @opcode(pickle.REDUCE)
    def reduce(self) -> None:
        """Call the constructor before the arguments."""
        arguments = self.stack.pop()
        self.stack[-1] = self.constructors.call(self.stack[-1], arguments)

    @opcode(pickle.NEWOBJ)
    def new_object(self) -> None:
        """Make an object of the class before the arguments, without its ``__init__``."""
        arguments = self.stack.pop()
        self.stack[-1] = self.constructors.new(self.stack[-1], arguments)

    @opcode(pickle.BUILD)
    def build(self) -> None:
        """Give the object before it its state."""
        state = self.stack.pop()
        self.constructors.build(self.stack[-1], state)

    @opcode(pickle.BINPERSID)
    def storage(self) -> None:
        """Push the storage of the key that is the last value."""
        key = self.stack.pop()
        if type(key) is not tuple and type(key) is not int:
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(key)}")
        if type(key) is int:
            raise AssertionError(f"saved_id must be a tuple, got {type(key).__name__}")
        kind, *rest = key
        if type(kind) not in (str, bytes) or kind not in ("storage", b"storage"):
            raise UnpicklingError(
                f"Only persistent_load of storage is allowed, but got {type(kind)}"
            )
        self.stack.append(self.persistent_load(StorageName.read(rest)))


def read_name(file: Any) -> tuple[str, str]:
    """Return the module and the name that come next; those of Python 2 as Python 3 calls them."""
    lines = [file.readline(LONGEST_NAME) for _ in range(2)]
    if not all(line.endswith(b"\n") for line in lines):
        raise EOFError("Ran out of input")
    module, name = (line[:-1].decode("utf-8") for line in lines)
    if (module, name) in NAME_MAPPING:
        return NAME_MAPPING[module, name]
    return IMPORT_MAPPING.get(module, module), name


def names_in(pickled: bytes) -> set[str]:
    """Return the names of all globals that a pickle asks for, without running it."""
    found = set()
    try:
        for operation, argument, _ in pickletools.genops(pickled):
            if operation.name == "GLOBAL":
                file = io.BytesIO(argument.replace(" ", "\n", 1).encode() + b"\n")
                found.add(".".join(read_name(file)))
    except ValueError as e:
        raise UnpicklingError(f"this is no pickle, or a damaged one ({e})") from None
    return found
