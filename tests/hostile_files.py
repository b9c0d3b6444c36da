"""Files that were made to hurt: each is a function that returns the bytes of one, by its name."""

import io
import json
import struct
import zipfile
from typing import NamedTuple

import numpy as np

CANARY = "touched"
TOUCH = f"open({CANARY!r}, 'w').close()"

# ---- an assembler for pickles


class Global(NamedTuple):
    """A name that the pickle looks up."""

    module: str
    name: str


class Call(NamedTuple):
    """A call of a function, by REDUCE."""

    function: object
    args: tuple


class Key(NamedTuple):
    """A persistent id: the key of a storage."""

    parts: tuple


def code(value):
    """Return the operations that put `value` on the stack."""
    if isinstance(value, Global):
        return f"c{value.module}\n{value.name}\n".encode()
    if isinstance(value, Call):
        return code(value.function) + code(value.args) + b"R"
    if isinstance(value, Key):
        return code(value.parts) + b"Q"
    if isinstance(value, tuple):
        return b"(" + b"".join(map(code, value)) + b"t"
    if isinstance(value, bool):
        return b"\x88" if value else b"\x89"
    if isinstance(value, int):
        digits = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        return b"\x8a" + bytes([len(digits)]) + digits
    text = value.encode()
    return b"X" + struct.pack("<I", len(text)) + text


def pickled(value):
    return b"\x80\x02" + code(value) + b"."


SYSTEM = b"cposix\nsystem\n"
SHELL = code(f"touch {CANARY}")

ADDRESS = (
    b"}" + code("__array_interface__") + b"}(" + code("shape") + code((16,)) + code("typestr") + code("<u1")
    + code("version") + code(3) + code("data") + b"(" + code(0x400000) + b"\x89tus"
)  # fmt: skip
"""A dict with the attribute by which NumPy finds foreign memory."""

PICKLES = {
    "REDUCE": SYSTEM + b"(" + SHELL + b"tR.",
    "exec": pickled(Call(Global("builtins", "exec"), (TOUCH,))),
    "eval of Python 2": pickled(Call(Global("__builtin__", "eval"), (TOUCH,))),
    "INST": b"(" + SHELL + b"iposix\nsystem\n.",
    "OBJ": b"(" + SYSTEM + SHELL + b"o.",
    "NEWOBJ": b"\x80\x02" + SYSTEM + b"(" + SHELL + b"t\x81.",
    "NEWOBJ_EX": b"\x80\x04" + SYSTEM + b"(" + SHELL + b"t}\x92.",
    "STACK_GLOBAL": b"\x80\x04\x8c\x05posix\x8c\x06system\x93(" + SHELL + b"tR.",
    "STACK_GLOBAL of a path": b"\x80\x04\x8c\x13torch.serialization\x8c\x09os.system\x93(" + SHELL + b"tR.",
    "STACK_GLOBAL of no text": b"\x80\x04K\x01K\x02\x93.",
    "EXT1": b"\x80\x02\x82\x01.",
    "EXT2": b"\x80\x02\x83\x01\x00.",
    "EXT4": b"\x80\x02\x84\x01\x00\x00\x00.",
    "a name in a name": pickled(Global("collections", "OrderedDict.__init__.__globals__")),
    "a module of ours": pickled(Call(Global("torch", "load"), ("/etc/passwd",))),
    "getattr": pickled(Call(Global("builtins", "getattr"), (Global("collections", "OrderedDict"), "fromkeys"))),
    "a method of a tensor": pickled(Global("torch", "Tensor.tofile")),
    "operator": pickled(Global("operator", "attrgetter")),
    "functools": pickled(Global("functools", "partial")),
    "BUILD on a class": b"\x80\x02ccollections\nOrderedDict\n}X\x04\x00\x00\x00keysK\x01sb.",
    "BUILD of two states": b"\x80\x02ccollections\nOrderedDict\n)R(N}X\x09\x00\x00\x00__class__K\x01stb.",
    "REDUCE of no tuple": b"\x80\x02ccollections\nOrderedDict\nK\x01R.",
    "REDUCE of a number": b"\x80\x02K\x01)R.",
    "an empty stack": b"\x80\x02R.",
    "no mark": b"\x80\x02K\x01t.",
    "nothing at the end": b"\x80\x02.",
    "a memo that is not there": b"\x80\x02h\x07.",
    "a memo that is not there either": b"\x80\x02j\xff\xff\xff\xff.",
    "a memo of no number": b"gx\n.",
    "an unknown operation": b"\x80\x02\xff.",
    "an unknown protocol": b"\x80\xfa.",
    "text of 2 GB": b"\x80\x02X\xff\xff\xff\x7fabc.",
    "bytes of 2**63": b"\x80\x04\x8e" + b"\xff" * 8 + b"abc.",
    "a negative length": b"\x80\x02\x8b\xff\xff\xff\xff1.",
    "a frame of 2**60": b"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x10N.",
    "no number": b"Iabc\n.",
    "a long number": b"L" + b"9" * 5000 + b"L\n.",
    "text that is none": b"\x80\x02X\x02\x00\x00\x00\xff\xfe.",
    "an unhashable key": b"\x80\x02}]K\x01s.",
    "an unhashable element": b"\x80\x04\x8f(]\x90.",
    "items of no list": b"\x80\x02K\x01K\x02a.",
    "items of no dict": b"\x80\x02K\x01K\x02K\x03s.",
    "a key of no storage": b"\x80\x02K\x01Q.",
    "a storage of a wrong kind": pickled(Key(("storage", Global("collections", "OrderedDict"), "0", "cpu", 3))),
    "a key of 2**60 tuples": b"\x80\x02)q\x00" + b"h\x00h\x00\x86q\x00" * 60 + b"}h\x00K\x01s.",
    "a key of tuples of 100 tuples of 100 tuples": b"\x80\x02)q\x00" + (b"(" + b"h\x00" * 100 + b"tq\x00") * 7 + b"}h\x00K\x01s.",
    "a key of 10,000 bits": b"\x80\x02}" + b"\x8b" + struct.pack("<i", 1250) + b"\x7f" * 1250 + b"K\x01s.",
    "2,000 keys of one hash": b"\x80\x02}(" + b"".join(code(n * (2**61 - 1)) + b"N" for n in range(9, 2009)) + b"u.",
    "2,000 members of one hash": b"\x80\x02cbuiltins\nset\n](" + b"".join(code(n * (2**61 - 1)) for n in range(9, 2009)) + b"e\x85R.",
    "an address on a dict": b"\x80\x02" + code(Call(Global("collections", "OrderedDict"), ())) + ADDRESS + b"b.",
    "lists in one another, 100,000 deep, and no end": b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999,
    "no end": b"\x80\x02]" * 10,
    "nothing": b"",
}  # fmt: skip
"""Programs for the machine that reads pickles; none may be run to its end."""


STORAGE = {"tag": "storage", "kind": Global("torch", "FloatStorage"), "name": "0", "place": "cpu", "count": 3}  # fmt: skip


def tensor(offset=0, size=(3,), stride=(1,), **key):
    """Return the pickle of a tensor on a storage of three numbers; `key` changes the key of that."""
    hooks = Call(Global("collections", "OrderedDict"), ())
    args = (Key(tuple((STORAGE | key).values())), offset, size, stride, False, hooks)
    return pickled(Call(Global("torch._utils", "_rebuild_tensor_v2"), args))


def endless(function, *before):
    """Return the pickle of a call with a tensor of 2⁴⁰ rows, all of them one number of its storage."""
    args = (Key(tuple(STORAGE.values())), 0, (2**40, 2), (0, 0), False, ())
    return pickled(
        Call(function, (*before, Call(Global("torch._utils", "_rebuild_tensor_v2"), args)))
    )


def with_state(state):
    """Return the pickle of a parameter with attributes: `state`, operations that push a dict."""
    made = code(Global("torch._utils", "_rebuild_parameter_with_state"))
    return b"\x80\x02" + made + b"(" + tensor()[2:-1] + b"\x88}" + state + b"tR."


TENSORS = {
    "an endless set": endless(Global("builtins", "set")),
    "an endless OrderedDict": endless(Global("collections", "OrderedDict")),
    "an endless Size": endless(Global("torch", "Size")),
    "endless arguments": endless(Global("torch._tensor", "_rebuild_from_type_v2"), Global("torch._utils", "_rebuild_tensor"), Global("torch", "Tensor")),
    "an endless state": b"\x80\x02" + code(Call(Global("torch", "Tensor"), ())) + endless(Global("torch._utils", "_rebuild_parameter"))[2:-1] + b"b.",
    "an address": with_state(ADDRESS),
    "larger than its storage": tensor(size=(4,)),
    "beyond its storage": tensor(offset=1),
    "a huge stride": tensor(stride=(2**62,)),
    "a huge size": tensor(size=(2**62,)),
    "a size that overflows": tensor(size=(2**40, 2**40), stride=(2**40, 1)),
    "a negative offset": tensor(offset=-1),
    "a negative stride": tensor(offset=2, stride=(-1,)),
    "a negative size": tensor(size=(-3,)),
    "two sizes and one stride": tensor(size=(1, 3)),
    "sizes of text": tensor(size=("3",)),
    "no sizes": tensor(size=3),
    "an offset of text": tensor(offset="0"),
    "100 dimensions": tensor(size=(1,) * 100, stride=(1,) * 100),
    "a storage of 2**60 numbers": tensor(count=2**60),
    "a storage of -1 numbers": tensor(count=-1),
    "a storage of text": tensor(count="3"),
    "a storage that is larger than its entry": tensor(count=4),
    "a storage that is not there": tensor(name="7"),
    "a storage outside": tensor(name="../../../etc/passwd"),
    "a storage of no kind": tensor(kind=3),
    "a storage of complex numbers": tensor(kind=Global("torch", "ComplexFloatStorage")),
    "a device that is not there": tensor(place="nowhere:3"),
    "a key that is none": tensor(tag="module"),
}  # fmt: skip
"""Tensors that lie about where they are."""


MAGIC = pickled(0x1950A86A20F9469CFC6C)
LEGACY = {
    "a version of 2**60 lists": MAGIC + b"\x80\x02]q\x00" + b"]h\x00ah\x00aq\x00" * 60 + b".",
    "memory that nothing is read into": MAGIC + pickled(1001) + pickled(()) + tensor() + pickled(()) + bytes(100),
    "an endless part of a storage": MAGIC + pickled(1001) + pickled(()) + tensor(view="no tuple") + bytes(100),
}  # fmt: skip
"""Files of old, which are no archives."""


def archive(pickle, compression=zipfile.ZIP_STORED, name="archive", leave_out=(), **more):
    """Return a `.pt` with this pickle and a storage of three numbers."""
    entries = {
        "data.pkl": pickle,
        "byteorder": b"little",
        "data/0": bytes(12),
        "version": b"3\n",
        **more,
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as z:
        for entry, data in entries.items():
            if entry not in leave_out:
                z.writestr(f"{name}/{entry}", data)
    return file.getvalue()


def bomb(data, size=300_000_000):
    """Return the zip archive `data` whose first entry now says that it unpacks into `size` bytes."""
    first = data.index(b"PK\x01\x02")  # its entry in the directory; its own header is at the start
    out = bytearray(data)
    out[22:26] = out[first + 24 : first + 28] = struct.pack("<I", size)
    return bytes(out)


ARCHIVES = {
    "no pickle": archive(b"", leave_out=["data.pkl"]),
    "no version": archive(pickled(1), leave_out=["version"]),
    "no order of bytes that there is": archive(tensor(), byteorder=b"middle"),
    "no storage": archive(tensor(), leave_out=["data/0"]),
    "a bomb": bomb(archive(bytes(1_000_000), zipfile.ZIP_DEFLATED)),
    "TorchScript": archive(pickled(1), **{"constants.pkl": pickled(())}),
    "an archive of something else": archive(b"", leave_out=["data.pkl", "version", "byteorder", "data/0"], **{"readme.txt": b"hello"}),
}  # fmt: skip


# ---- .safetensors


def safetensors(header, data=b"", length=None):
    """Return a file with this header, a nest or bytes, which says of itself to have `length` bytes."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def one(name="a", kind="F32", shape=(1,), place=(0, 4)):
    return {name: {"dtype": kind, "shape": list(shape), "data_offsets": list(place)}}


SAFETENSORS = {
    "a header of 2**63 bytes": safetensors(one(), bytes(4), 2**63),
    "a header that is too long": safetensors(one(), bytes(4), 100_000),
    "a header that is too short": safetensors(one(), bytes(4), 10),
    "no JSON": safetensors(b"{]", b""),
    "no text": safetensors(b'{"\xff": 1}', b""),
    "JSON of 100,000 levels": safetensors(b'{"a":' + b"[" * 100_000),
    "two tensors in one place": safetensors(one() | one("b"), bytes(4)),
    "tensors that overlap": safetensors(one() | one("b", place=(2, 6)), bytes(6)),
    "a hole": safetensors(one() | one("b", place=(8, 12)), bytes(12)),
    "more than its tensors": safetensors(one(), bytes(9)),
    "less than its tensors": safetensors(one(), bytes(3)),
    "one name twice": safetensors(b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}', b"ab"),
    "a huge shape": safetensors(one(shape=[2**40, 2**40]), bytes(4)),
    "a huge empty shape": safetensors(one(shape=[0, 2**62, 2**62], place=(0, 0))),
    "100 dimensions": safetensors(one(shape=[1] * 100), bytes(4)),
    "200,000 huge dimensions": safetensors(one(shape=[2**63 - 1] * 200_000), bytes(4)),
    "a negative shape": safetensors(one(shape=[-1]), bytes(4)),
    "places the wrong way round": safetensors(one(place=(4, 0)), bytes(4)),
    "an unknown type": safetensors(one(kind="F128"), bytes(4)),
    "float8": safetensors(one(kind="F8_E4M3", shape=[4]), bytes(4)),
    "complex numbers": safetensors(one(kind="C64", place=(0, 8)), bytes(8)),
    "metadata that are no text": safetensors({"__metadata__": {"a": 5}}),
}  # fmt: skip

# ---- .npz


def npz(compression=zipfile.ZIP_STORED, **entries):
    """Return an archive of these entries; an underscore in a name stands for the dot before "npy"."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as z:
        for name, data in entries.items():
            z.writestr(name.replace("_npy", ".npy"), data)
    return file.getvalue()


def npy(header=None, data=bytes(4), version=1, length=None, **fields):
    """Return one array of a `.npz`, with this header."""
    text = header or repr({"descr": "<f4", "fortran_order": False, "shape": (1,)} | fields)
    text += "\n"
    size = len(text) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", size) + text.encode() + data  # fmt: skip


def objects():
    file = io.BytesIO()
    np.save(file, np.array([[], "a"], object), allow_pickle=True)
    return file.getvalue()


def twice():
    data = npz(a_npy=npy(), b_npy=npy())
    return data.replace(b"b.npy", b"a.npy")


NPZ = {
    "an array of objects": npz(a_npy=objects()),
    "an array of text": npz(a_npy=npy(descr="<U1")),
    "an array of records": npz(a_npy=npy(descr=[("x", "<f4")])),
    "an array of complex numbers": npz(a_npy=npy(descr="<c8", data=bytes(8))),
    "a header that is code": npz(a_npy=npy(header=f"__import__('os').system('touch {CANARY}')")),
    "a header of 100,000 brackets": npz(a_npy=npy(header="(" * 60_000)),
    "a header that is too long": npz(a_npy=npy(length=60_000)),
    "another version": npz(a_npy=npy(version=9)),
    "no array": npz(a_npy=b"hello"),
    "an empty array": npz(a_npy=b""),
    "a huge shape": npz(a_npy=npy(shape=(2**40,))),
    "a shape that overflows": npz(a_npy=npy(shape=(2**62, 4))),
    "a negative shape": npz(a_npy=npy(shape=(-1, -1))),
    "100 dimensions": npz(a_npy=npy(shape=(1,) * 100)),
    "a shape of text": npz(a_npy=npy(shape="1")),
    "more than its array": npz(a_npy=npy(data=bytes(9))),
    "less than its array": npz(a_npy=npy(data=bytes(3))),
    "one name twice": twice(),
    "something else among arrays": npz(a_npy=npy(), readme=b"hello"),
    "a bomb": bomb(npz(zipfile.ZIP_DEFLATED, a_npy=npy(shape=(75_000_000,), data=bytes(1_000_000)))),
    "a bomb for a structure": bomb(npz(zipfile.ZIP_DEFLATED, **{"nbmodule.json": b"[" * 1_000_000})),
    "more than it says": bomb(npz(zipfile.ZIP_DEFLATED, a_npy=npy(shape=(250_000,), data=bytes(1_000_000))), 1000),
    "another compression": npz(zipfile.ZIP_BZIP2, a_npy=npy()),
    "only a structure": npz(**{"nbmodule.json": b"hello"}),
}  # fmt: skip

# ---- structures, for either of the two

STRUCTURES = {
    "a missing tensor": {"$tensor": "b"},
    "an unknown type": {"$call": ["os.system", f"touch {CANARY}"]},
    "a dunder": {"$__reduce__": []},
    "a view beyond its tensor": [{"$tensor": "a"}, {"$tensor": "b", "of": "a", "dtype": "float32", "shape": [2], "strides": [4], "offset": 0}],
    "a view before its tensor": {"$tensor": "b", "of": "a", "dtype": "float32", "shape": [1], "strides": [4], "offset": -4},
    "a view backwards": {"$tensor": "b", "of": "a", "dtype": "float32", "shape": [1], "strides": [-4], "offset": 0},
    "a huge view": {"$tensor": "b", "of": "a", "dtype": "float32", "shape": [2**40, 2**40], "strides": [4, 4], "offset": 0},
    "a view whose strides overflow": {"$tensor": "b", "of": "a", "dtype": "float32", "shape": [5], "strides": [2**62], "offset": 0},
    "a view of half a place": {"$tensor": "b", "of": "a", "dtype": "float32", "shape": [1]},
    "a view of objects": {"$tensor": "b", "of": "a", "dtype": "object", "shape": [1], "strides": [4], "offset": 0},
    "a wrong order": {"$tensor": "a", "order": [5]},
    "an order of text": {"$tensor": "a", "order": "a"},
    "a name that is none": {"$tensor": [1]},
    "bytes that are none": [{"$tensor": "a"}, {"$bytes": "!"}],
    "a number that is none": [{"$tensor": "a"}, {"$int": "zz"}],
    "a float that is none": [{"$tensor": "a"}, {"$float": "1e5"}],
    "a type that is none": [{"$tensor": "a"}, {"$dtype": "object"}],
    "a device that is none": [{"$tensor": "a"}, {"$device": "nowhere"}],
    "a set of lists": [{"$tensor": "a"}, {"$set": [[1]]}],
    "keys of lists": [{"$tensor": "a"}, {"$dict": [[[1], 2]]}],
    "keys of one hash": [{"$tensor": "a"}, {"$dict": [[{"$int": hex(n * (2**61 - 1))}, 2] for n in range(9, 2009)]}],
    "members of one hash": [{"$tensor": "a"}, {"$set": [{"$int": hex(n * (2**61 - 1))} for n in range(9, 2009)]}],
    "pairs of three": [{"$tensor": "a"}, {"$dict": [[1, 2, 3]]}],
    "a number for a row": [{"$tensor": "a"}, {"$tuple": 5}],
    "a tensor that nobody mentions": 5,
    "integers that require a gradient": [{"$tensor": "a"}, {"$tensor": "b", "of": "a", "dtype": "int32", "shape": [1], "strides": [4], "offset": 0, "requires_grad": True}],
}  # fmt: skip


def structure(tree, kind):
    """Return a file of this `kind` with a tensor "a" and this structure, a nest or text."""
    text = tree if isinstance(tree, str) else json.dumps({"version": 1, "obj": tree})
    if kind == ".npz":
        return npz(a_npy=npy(), **{"nbmodule.json": text.encode()})
    return safetensors({"__metadata__": {"nbmodule": text}} | one(), bytes(4))


TEXTS = {
    "no JSON": "hello",
    "an empty text": "",
    "another version": '{"version": 99, "obj": 1}',
    "no object": '{"version": 1}',
    "a list": "[]",
    "NaN": '{"version": 1, "obj": NaN}',
    "100,000 levels": '{"version": 1, "obj": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "1,000 levels": '{"version": 1, "obj": ' + "[" * 800 + "]" * 800 + "}",
    "a number of 10,000 digits": '{"version": 1, "obj": ' + "9" * 10_000 + "}",
}


def all_files():
    """Return every hostile file as (extension, name, bytes)."""
    yield from ((".pt", name, archive(p)) for name, p in (PICKLES | TENSORS).items())
    yield from (
        (".pth", name, p) for name, p in PICKLES.items()
    )  # as files of old, without an archive
    yield from ((".pth", name, data) for name, data in LEGACY.items())
    yield from ((".pt", name, data) for name, data in ARCHIVES.items())
    yield from ((".safetensors", name, data) for name, data in SAFETENSORS.items())
    yield from ((".npz", name, data) for name, data in NPZ.items())
    for kind in (".npz", ".safetensors"):
        trees = STRUCTURES | TEXTS
        yield from (
            (kind, f"structure: {name}", structure(tree, kind)) for name, tree in trees.items()
        )
