"""`save` and `load` through PyTorch's own formats: what comes back, what is shared, what is refused and how."""

import io
import pickle
import struct
import tempfile
import zipfile
from collections import Counter, OrderedDict
from pathlib import Path

from casebook import case, error, heard, told

OLD = {"_use_new_zipfile_serialization": False}


def saved(t, obj, **options):
    """Return the bytes that `save` writes."""
    file = io.BytesIO()
    t.save(obj, file, **options)
    return file.getvalue()


def again(t, obj, old=False, **options):
    """Return `obj`, saved and loaded."""
    return t.load(io.BytesIO(saved(t, obj, **(OLD if old else {}))), **options)


def archive(**entries):
    """Return an archive of these entries: `_` stands for a dot, `__` for a slash."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as z:
        for name, data in entries.items():
            z.writestr("a/" + name.replace("__", "/").replace("_", "."), data)
    return file.getvalue()


def unpickled(t, pickled, **options):
    """Return what `load` makes of a pickle in an archive."""
    return t.load(io.BytesIO(archive(data_pkl=pickled, version="3\n")), **options)


def name(path):
    """Return the operation that pushes a global."""
    module, _, last = path.rpartition(".")
    return f"c{module}\n{last}\n".encode()


def text(s):
    """Return the operation that pushes a string."""
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def place_of(x):
    return [x, list(x.stride()), x.storage_offset(), x.untyped_storage().nbytes(), x.requires_grad]


@case
def tensors(t):
    x = t.arange(12.0).reshape(3, 4)
    found = [
        x, x[1], x[:, 1:3], x.t(), x[0, 0], x.expand(2, 3, 4), t.zeros(0), t.tensor(3),
        t.tensor(True), t.zeros(2, dtype=t.float16), x.double().requires_grad_(),
        (x.clone().requires_grad_() * 2), t.zeros(3, dtype=t.int8), t.zeros(2, dtype=t.uint16),
    ]  # fmt: skip
    zipped = [place_of(again(t, v)) for v in found]
    return [zipped, [place_of(again(t, v, old=True)) for v in found[:-1]]]


@case
def plain_values(t):
    values = [
        None, True, 0, 255, 256, 65535, 65536, -1, 2**31, -(2**31), 2**70, -(2**70), 2**2000, 1.5, float("inf"),
        float("nan"), "", "text", "\u1234\U0001f600", b"abc", b"\0\xff", (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [],
        [[]], {}, {1: 2, "a": (3,), None: 4, (1, 2): 5, 2.5: 6, False: 7}, {1, 2}, set(), 1 + 2j,
        bytearray(b"abc"), OrderedDict(b=1, a=2), Counter("aab"), t.float32, t.int64, t.bool, t.device("cpu"),
        t.device("cuda:1"), t.Size([2, 3]), t.strided,
    ]  # fmt: skip
    return [[repr(again(t, v)), repr(again(t, v, old=True))] for v in values if v != 2**2000]


@case
def identity(t):
    x, items = t.arange(4.0), [1]
    nest = {"x": x, "again": x, "view": x[1:], "list": items, "same": items, "pair": (x, items)}
    found = again(t, nest)
    found["x"][2] = 9
    itself = []
    itself.append(itself)
    loop = again(t, itself)
    return [
        found, found["x"] is found["again"], found["list"] is found["same"], found["pair"][0] is found["x"],
        loop[0] is loop,
    ]  # fmt: skip


@case
def state_dicts(t):
    net = t.nn.Sequential(t.nn.Linear(2, 3), t.nn.BatchNorm1d(3))
    state = net.state_dict()
    found = again(t, state)
    other = t.nn.Sequential(t.nn.Linear(2, 3), t.nn.BatchNorm1d(3))
    report = other.load_state_dict(found)
    equal = all(
        (a == b).all().item() for a, b in zip(net.parameters(), other.parameters(), strict=True)
    )
    return [type(found).__name__, list(found), dict(found._metadata), repr(report), equal]


@case
def optimizer_states(t):
    p = t.nn.Parameter(t.ones(2))
    optimizer = t.optim.Adam([{"params": [p], "lr": 0.1}])
    p.sum().backward()
    optimizer.step()
    state = again(t, optimizer.state_dict())
    other = t.optim.Adam([p])
    other.load_state_dict(state)
    return [state, other.param_groups[0]["lr"]]


@case
def parameters_and_attributes(t):
    plain, frozen, noted = (t.nn.Parameter(t.ones(2), grad) for grad in (True, False, True))
    noted.tag = {"a": [1]}
    x = t.ones(2)
    x.tag = "mine"
    found = [again(t, v) for v in (plain, frozen, noted, x, t.nn.Buffer(t.ones(1)))]
    return [
        [type(v).__name__, v, v.requires_grad, getattr(v, "tag", None), isinstance(v, t.nn.Buffer)]
        for v in found
    ]


@case
def storages(t):
    x = t.arange(3, dtype=t.int16)
    bytes_of = x.untyped_storage()
    found = again(t, [bytes_of, x.float(), x.double()[1:]])
    return [found[0].tolist(), str(found[0].dtype), found[1:], found[2].untyped_storage().nbytes()]


@case
def two_types_on_one_memory(t):
    x = t.zeros(4, dtype=t.int32)
    return [error(lambda: saved(t, [x, x.view(t.float32)])), error(lambda: saved(t, [x, x.view(t.float32)], **OLD))]  # fmt: skip


@case
def map_location(t):
    x = {"a": t.ones(2)}
    seen = []

    def look(storage, location):
        seen.append([type(storage).__name__, storage.nbytes(), str(storage.device), location])

    return [
        again(t, x, map_location="cpu"),
        again(t, x, map_location=t.device("cpu")),
        again(t, x, map_location={"cpu": "cpu", "cuda:0": "cpu"}),
        again(t, x, map_location=lambda storage, location: storage),
        again(t, x, map_location=look), again(t, x, old=True, map_location=look), seen,
        str(again(t, x, map_location="meta")["a"].device),
        str(again(t, x, map_location=t.device("meta"))["a"].device),
        str(again(t, x, map_location={"cpu": "meta"})["a"].device),
        str(again(t, x, old=True, map_location="meta")["a"].device),
        str(again(t, t.ones(2, device="meta")).device),
        error(lambda: again(t, x, map_location="nowhere")),
        error(lambda: again(t, x, map_location=5)),
        error(lambda: again(t, x, map_location=lambda storage, location: 5))[:75],
    ]  # fmt: skip


@case
def arguments(t):
    good = saved(t, [1])
    load = lambda **options: t.load(io.BytesIO(good), **options)  # noqa: E731

    class NoWrite:
        write = 5

    class OnlyRead:
        def read(self, n=-1):
            return b""

    return [
        load(weights_only=True), load(weights_only=False), load(mmap=False), load(pickle_module=pickle),
        error(lambda: load(weights_only=True, pickle_module=pickle)),
        told(lambda: load(encoding="ascii")),
        told(lambda: load(nonsense=3)),
        error(lambda: load(mmap=True)),
        error(lambda: t.load(io.BytesIO(saved(t, [1], **OLD)), mmap=True)),
        error(lambda: t.load(5)), error(lambda: t.load(OnlyRead())),
        error(lambda: t.load("/no/such/file.pt")),
        error(lambda: t.save(1, 5)), error(lambda: t.save(1, NoWrite())),
        error(lambda: t.save(1, "/no/such/folder/file.pt")),
        error(lambda: saved(t, 1, pickle_protocol=9)),
        heard(lambda: t.load(io.BytesIO(saved(t, [1], pickle_protocol=3)))),
        error(lambda: t.load(io.StringIO("text"))),
    ]  # fmt: skip


@case
def files(t):
    """Paths, a file that begins in the middle, two legacy files one after the other."""
    with tempfile.TemporaryDirectory(
        ignore_cleanup_errors=True
    ) as folder:  # Windows keeps mapped files
        path = Path(folder) / "x.y.pt"
        t.save({"a": t.ones(2)}, path)
        names = sorted(zipfile.ZipFile(path).namelist())
        found = [t.load(path), t.load(str(path)), t.load(path, mmap=True)]
        mapped = t.load(path, mmap=True)
        mapped["a"][0] = 5
        found += [mapped, t.load(path)]
        del mapped
    file = io.BytesIO()
    file.write(b"before")
    t.save([1], file)
    file.seek(6)
    found.append(t.load(file))
    two = io.BytesIO(saved(t, [t.ones(1)], **OLD) + saved(t, "second", **OLD))
    found += [t.load(two), t.load(two)]
    return [found, [n for n in names if not n.endswith("serialization_id")]]


@case
def entries(t):
    """The archive: names, sizes, alignment, checksums."""
    opened = zipfile.ZipFile(io.BytesIO(saved(t, {"a": t.ones(2), "b": t.zeros(3, dtype=t.int64)})))
    ours = [
        i for i in opened.infolist() if i.filename[8:] not in ("data.pkl", ".data/serialization_id")
    ]
    text_of = [
        opened.read(f"archive/{n}") for n in (".format_version", ".storage_alignment", "version")
    ]
    return [[[i.filename, i.file_size, i.CRC, i.compress_type] for i in ours], str(text_of), opened.testzip()]  # fmt: skip


@case
def settings(t):
    s = t.serialization
    before = [str(s.get_default_load_endianness()), s.get_crc32_options()]
    numbers = archive(
        data_pkl=zipfile.ZipFile(io.BytesIO(saved(t, t.ones(1)))).read("archive/data.pkl"),
        data__0=struct.pack(">f", 1.5), version="3\n",
    )  # fmt: skip
    s.set_default_load_endianness(s.LoadEndianness.BIG)
    big = t.load(io.BytesIO(numbers))
    s.set_default_load_endianness(None)
    s.set_crc32_options(False)
    unchecked = zipfile.ZipFile(io.BytesIO(saved(t, t.ones(1)))).getinfo("archive/data/0").CRC
    s.set_crc32_options(True)
    with s.skip_data():
        empty = saved(t, t.ones(2))
        refused = error(lambda: saved(t, t.ones(2), **OLD))
    with s.skip_data():
        unread = again(t, t.ones(2)).shape
    return [
        before, big, unchecked, t.load(io.BytesIO(empty)), refused, list(unread), error(lambda: s.set_default_load_endianness(5)),
        [e.name for e in s.LoadEndianness],
        str(s.StorageType("FloatStorage")), s.location_tag(t.ones(1).untyped_storage()),
    ]  # fmt: skip


@case
def old_ways_of_writing_tensors(t):
    """`Tensor()` that is given its memory afterwards, and ``_rebuild_tensor``; a legacy file of Python 2."""
    x = t.arange(30.0).as_strided((2, 3), (9, 3), 2)
    storage = zipfile.ZipFile(io.BytesIO(saved(t, x))).read("archive/data.pkl")
    place = storage[storage.index(b"((") : storage.index(b"\x89")]  # storage, offset, size, stride
    begin, data = b"\x80\x02", struct.pack("<30f", *range(30))
    programs = [
        begin + name("torch.Tensor") + b")R" + place + b"tb.",
        begin + name("torch._utils._rebuild_tensor") + place + b"tR.",
    ]
    python_2 = (
        b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}.\x80\x02](U\x02\xc5\xbc"
        + name("torch._utils._rebuild_tensor_v2") + b"((U\x07storage" + name("torch.FloatStorage")
        + b"U\x0212U\x03cpuK\x01NtQK\x00K\x01\x85K\x01\x85\x89NtRe.\x80\x02]U\x0212a." + struct.pack("<qf", 1, 2.5)
    )  # fmt: skip
    found = [t.load(io.BytesIO(archive(data_pkl=p, version="3\n", data__0=data))) for p in programs]
    return [
        [place_of(v) for v in found],
        [repr(t.load(io.BytesIO(python_2), encoding=e)) for e in ("utf-8", "latin1", "bytes")],
    ]


@case
def byte_orders(t):
    pickled = zipfile.ZipFile(io.BytesIO(saved(t, t.ones(1)))).read("archive/data.pkl")
    entry = dict(data_pkl=pickled, version="3\n", data__0=struct.pack(">f", 1.5))
    return [
        t.load(io.BytesIO(archive(**entry, byteorder="big"))),
        error(lambda: t.load(io.BytesIO(archive(**entry, byteorder="middle")))),
    ]


@case
def damaged(t):
    good, old = saved(t, {"a": t.arange(4.0)}), saved(t, {"a": t.arange(4.0)}, **OLD)
    load = lambda data: error(lambda: t.load(io.BytesIO(data)))  # noqa: E731
    pickled = zipfile.ZipFile(io.BytesIO(good)).read("archive/data.pkl")
    return [
        [load(good[:n]) for n in (4, 5, 30, 200, len(good) - 1)],
        [load(b"").split(":")[0], [load(old[:n]).split(":")[0] for n in (2, 5, 20, 60, 150)]],
        [load(old[:-n]) for n in (1, 9, 17)],
        load(pickle.dumps({"a": 1}, 2)),
        load(archive(version="3\n")), load(archive(data_pkl=pickled)),
        load(archive(data_pkl=pickled, version="3\n")),
        load(archive(data_pkl=pickled, version="3\n", data__0=b"1234")),
        load(archive(data_pkl=pickled, version="3\n", data__0=b"1234" * 9)),
        load(archive(data_pkl=b"\x80\x02](", version="3\n")).split(":")[0],
    ]  # fmt: skip


@case
def refused(t):
    """Operations and globals that a restricted reader does not follow; the last line says why."""

    def why(pickled):
        try:
            return repr(unpickled(t, pickled))
        except pickle.UnpicklingError as e:
            lines = [line for line in str(e).splitlines() if line and "check" not in line.lower()]
            ours = [line for line in lines if not line.startswith("The file is")]
            return [str(e).splitlines()[0], ours[-1].replace("\tWeightsUnpickler error: ", "")]

    begin, rebuild = b"\x80\x02", name("torch._utils._rebuild_tensor_v2")
    programs = [
        name("os.system") + text("true") + b"\x85R.", name("posix.system") + b".", name("sys.exit") + b".",
        name("builtins.eval") + text("1") + b"\x85R.", name("builtins.bytes") + b".", name("a.b") + b".",
        name("__builtin__.exec") + b".", b"i", b"o", b"\x8f.", b"}K\x01a.", b"}(K\x01e.", b"]K\x01K\x02s.",
        b"](K\x01K\x02u.", b"]}b.", b"K\x01)\x81.", b"K\x01)R.", text("x") + b"Q.", text("x") + b"\x85Q.",
        name("collections.OrderedDict") + b")\x81.", name("collections.OrderedDict") + b".",
        name("__builtin__.set") + b"](K\x01K\x02e\x85R.", name("copy_reg._reconstructor") + b".",
    ]  # fmt: skip
    calls = [rebuild + b")R.", name("torch.Size") + text("ab") + b"\x85R.", b"}]K\x01s."]
    errors = [error(lambda p=p: unpickled(t, begin + p)) for p in calls]
    return [[why(begin + p) for p in programs], errors]


class Fixed:
    """A class of the user's."""

    def __init__(self, value):
        self.value = value


@case
def allowed_by_the_user(t):
    s = t.serialization
    with s.safe_globals([Fixed]):
        found = again(t, {"a": Fixed(t.ones(2))})
        inside = Fixed in s.get_safe_globals()
        data = saved(t, [Fixed(1)])
    outside = [s.get_unsafe_globals_in_checkpoint(io.BytesIO(data)), Fixed in s.get_safe_globals()]
    s.add_safe_globals([(Fixed, "somewhere.Else")])
    renamed = unpickled(t, b"\x80\x02" + name("somewhere.Else") + text("v") + b"\x85R.").value
    s.clear_safe_globals()
    net = saved_module(t)
    return [
        type(found["a"]).__name__, found["a"].value, inside, outside, renamed, net,
        error(lambda: s.get_unsafe_globals_in_checkpoint(io.BytesIO(saved(t, 1, **OLD)))),
        error(lambda: s.add_safe_globals(5)),
    ]  # fmt: skip


def saved_module(t):
    """Return what comes back of a whole Module, whose classes are allowed."""
    net = t.nn.Linear(2, 1)
    with t.serialization.safe_globals([t.nn.Linear]):
        found = again(t, net)
    x = t.ones(1, 2)
    return [repr(found), (found(x) == net(x)).all().item()]
