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

from .constructors import Constructors
from .keys import check_keys
from .storages import StorageName

LONGEST_NAME = 1000
"""How many characters the name of a global may have."""
OTHER_PROTOCOL = (
    "Detected pickle protocol {} in the checkpoint, which was not the default pickle protocol used by "
    "`nbmodule.load` (2). The weights_only Unpickler might not support all instructions implemented by this "
    "protocol, please file an issue for adding support if you encounter this."
)

DAMAGE = (IndexError, KeyError, AttributeError, struct.error, UnicodeError, OverflowError)
"""What programs that make no sense come to."""

OPERATIONS: dict[int, Callable[[Unpickler], None]] = {}
"""What the other bytes do with the values on the stack."""


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
        self.code = 0
        self.wide_keys = 0

    def load(self) -> Any:
        """Run the program, and return the value that it leaves.

        Raises:
            UnpicklingError: an operation, or what it is applied to, is not allowed or makes no sense.
            EOFError: the file ends early.
        """
        try:
            while (code := self.read(1)[0]) != pickle.STOP[0]:
                self.code = code
                if code in VALUES:
                    self.stack.append(VALUES[code](self))
                elif code in OPERATIONS:
                    OPERATIONS[code](self)
                else:
                    raise UnpicklingError(f"Unsupported operand {code}")
            return self.stack.pop()
        except DAMAGE as e:
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

    @opcode(pickle.PROTO)
    def proto(self) -> None:
        """Read the version of the language: 2 is what `save` writes."""
        version = self.number("B")
        if version != 2:
            warnings.warn(OTHER_PROTOCOL.format(version), stacklevel=2)

    # ---- containers

    @opcode(pickle.MARK)
    def mark(self) -> None:
        """Begin a group of values."""
        self.marks.append(self.stack)
        self.stack = []

    @opcode(pickle.TUPLE)
    def tuple_since_mark(self) -> None:
        """Make a tuple of the group."""
        items = tuple(self.since_mark())
        self.stack.append(items)

    @opcode(pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3)
    def short_tuple(self) -> None:
        """Make a tuple of the last one, two or three values."""
        count = SHORT_TUPLES[self.code]
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
        self.wide_keys = check_keys(items[::2], self.wide_keys)
        for i in range(0, len(items), 2):
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
        if type(key) is int:
            raise AssertionError("saved_id must be a tuple, got int")
        if type(key) is not tuple:
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(key)}")
        kind, *rest = key or (None,)
        if type(kind) not in (str, bytes) or kind not in ("storage", b"storage"):
            raise UnpicklingError(
                f"Only persistent_load of storage is allowed, but got {type(kind)}"
            )
        self.stack.append(self.persistent_load(StorageName.read(rest)))


def _long(machine: Unpickler, count: int) -> int:
    return int.from_bytes(machine.read(count), "little", signed=True)


def _old_text(machine: Unpickler) -> str | bytes:
    """Return a string of Python 2, which had one type for text and bytes."""
    found = machine.read(machine.number("B"))
    return found if machine.encoding == "bytes" else found.decode(machine.encoding)


VALUES: dict[int, Callable[[Unpickler], Any]] = {
    code[0]: value
    for code, value in {
        pickle.NONE: lambda machine: None,
        pickle.NEWFALSE: lambda machine: False,
        pickle.NEWTRUE: lambda machine: True,
        pickle.BININT: lambda machine: machine.number("<i"),
        pickle.BININT1: lambda machine: machine.number("B"),
        pickle.BININT2: lambda machine: machine.number("<H"),
        pickle.LONG1: lambda machine: _long(machine, machine.number("B")),
        pickle.LONG4: lambda machine: _long(machine, machine.number("<I")),
        pickle.BINFLOAT: lambda machine: machine.number(">d"),
        pickle.BINUNICODE: lambda machine: str(machine.read(machine.number("<I")), "utf-8", "surrogatepass"),
        pickle.SHORT_BINSTRING: _old_text,
        pickle.EMPTY_TUPLE: lambda machine: (),
        pickle.EMPTY_LIST: lambda machine: [],
        pickle.EMPTY_DICT: lambda machine: {},
        pickle.EMPTY_SET: lambda machine: set(),
    }.items()
}  # fmt: skip
"""The values that bytes push onto the stack."""

SHORT_TUPLES = {pickle.TUPLE1[0]: 1, pickle.TUPLE2[0]: 2, pickle.TUPLE3[0]: 3}


def read_name(file: Any) -> tuple[str, str]:
    """Return the module and the name that come next; those of Python 2 as Python 3 calls them."""
    lines = [file.readline(LONGEST_NAME) for _ in range(2)]
    if not all(line.endswith(b"\n") for line in lines):
        raise EOFError("Ran out of input")
    module, name = (line[:-1].decode("utf-8") for line in lines)
    moved: Any = NAME_MAPPING.get((module, name))
    return moved or (str(IMPORT_MAPPING.get(module, module)), name)


def names_in(pickled: bytes) -> set[str]:
    """Return the names of all globals that a pickle asks for, without running it."""
    found = set()
    try:
        for operation, argument, _ in pickletools.genops(pickled):
            if operation.name == "GLOBAL":
                file = io.BytesIO(str(argument).replace(" ", "\n", 1).encode() + b"\n")
                found.add(".".join(read_name(file)))
    except ValueError as e:
        raise UnpicklingError(f"this is no pickle, or a damaged one ({e})") from None
    return found
