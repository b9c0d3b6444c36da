"""PyTorch's own files: those that PyTorch wrote open here, ours open there, and nothing else gets in or out."""

import collections
import dataclasses
import enum
import io
import mmap
import pickle
import struct
import sys
import tarfile
import zipfile
from collections import Counter, OrderedDict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from saved_nest import nest

import nbmodule
from nbmodule import nn, serialization

FILES = Path(__file__).with_name("files")
OLD = {"_use_new_zipfile_serialization": False}
FORMATS = pytest.mark.parametrize("options", [{}, OLD], ids=["archive", "legacy"])


def saved(obj, **options):
    file = io.BytesIO()
    nbmodule.save(obj, file, **options)
    return file.getvalue()


def loaded(data, **options):
    return nbmodule.load(io.BytesIO(data), **options)


def same(a, b):
    """Assert that two nests are equal: types, values, attributes, and which tensors share memory."""
    memories = {}

    def compare(a, b, path):
        assert type(a).__name__ == type(b).__name__, path
        if hasattr(a, "untyped_storage"):
            compare_tensors(a, b, path)
        elif isinstance(a, dict):
            assert list(a) == list(b), path
            assert vars(a) == vars(b) if hasattr(a, "__dict__") else True, path
            for key in a:
                compare(a[key], b[key], f"{path}[{key!r}]")
        elif isinstance(a, list | tuple):
            assert len(a) == len(b), path
            for i, pair in enumerate(zip(a, b, strict=True)):
                compare(*pair, f"{path}[{i}]")
        else:
            assert without_library(a) == without_library(b), path

    def compare_tensors(a, b, path):
        for name in ("dtype", "shape", "requires_grad", "device"):
            assert without_library(getattr(a, name)) == without_library(getattr(b, name)), path
        assert getattr(a, "tag", None) == getattr(b, "tag", None), path
        if a.device.type == "meta" or not a.numel():
            return
        assert (a.stride(), a.storage_offset()) == (b.stride(), b.storage_offset()), path
        np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy(), path)
        pointers = [("a", a.untyped_storage().data_ptr()), ("b", b.untyped_storage().data_ptr())]
        for one, other in (pointers, pointers[::-1]):
            assert memories.setdefault(one, other) == other, (
                f"{path}: other tensors share its memory"
            )

    compare(a, b, "obj")


def without_library(value):
    return repr(value).replace("nbmodule.", "").replace("torch.", "")


# ---- files that PyTorch wrote


@pytest.mark.parametrize("name", ["nest.pt", "nest_legacy.pt"])
def test_a_nest_that_pytorch_wrote(name):
    same(nbmodule.load(FILES / name), nest(nbmodule))


@pytest.mark.parametrize("name", ["bfloat16.pt", "bfloat16_legacy.pt"])
def test_bfloat16_becomes_float32(name):
    with pytest.warns(UserWarning, match="1 bfloat16 tensors .* were loaded as float32"):
        x = nbmodule.load(FILES / name)
    assert x.dtype == nbmodule.float32
    assert x.tolist() == [1.0, -2.5, 3.0]


@pytest.mark.parametrize(
    ("name", "what", "instead"),
    [
        ("complex.pt", "torch.ComplexFloatStorage", "two tensors"),
        ("sparse.pt", "torch._utils._rebuild_sparse_tensor", "to_dense"),
        ("quantized.pt", "torch._utils._rebuild_qtensor", "dequantize"),
        ("float8.pt", "torch.float8_e5m2", "float32"),
    ],
)
def test_kinds_of_tensors_that_are_not_here_are_named(name, what, instead):
    with pytest.raises(TypeError, match=what) as e:
        nbmodule.load(FILES / name)
    assert instead in str(e.value)
    assert name in str(e.value)


def test_a_whole_module_loads_only_where_its_class_is_allowed():
    for weights_only in (None, True, False):
        with pytest.raises(pickle.UnpicklingError, match=r"torch\.nn\.modules\.linear\.Linear was not an allowed"):  # fmt: skip
            nbmodule.load(FILES / "module.pt", weights_only=weights_only)
    assert serialization.get_unsafe_globals_in_checkpoint(FILES / "module.pt") == ["torch.nn.modules.linear.Linear"]  # fmt: skip
    with serialization.safe_globals([nn.Linear]):
        net = nbmodule.load(FILES / "module.pt")
    assert net(nbmodule.ones(1, 2)).tolist() == [[2.0]]


def test_the_format_of_2016_is_recognised(tmp_path):
    with tarfile.open(tmp_path / "old.pt", "w") as tar:
        tar.addfile(tarfile.TarInfo("storages"))
    with pytest.raises(RuntimeError, match=r"legacy \.tar format"):
        nbmodule.load(tmp_path / "old.pt")


# ---- ours


@FORMATS
def test_a_nest_comes_back(options):
    same(loaded(saved(nest(nbmodule), **options)), nest(nbmodule))


keys = st.text(max_size=3) | st.integers(-5, 300) | st.none() | st.tuples(st.integers(0, 9), st.text(max_size=2))  # fmt: skip
numbers = st.integers(-(2**80), 2**80) | st.floats(allow_nan=False) | st.booleans() | st.complex_numbers(allow_nan=False)  # fmt: skip
types = st.sampled_from([d.numpy for d in nbmodule._dtypes.ALL])
arrays = types.flatmap(lambda d: npst.arrays(d, npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)))  # fmt: skip
leaves = (
    numbers
    | st.none()
    | st.text(max_size=4)
    | st.binary(max_size=4)
    | st.sets(st.integers(0, 9))
    | arrays
)
nests = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=3).map(OrderedDict)
    ),
    max_leaves=12,
)


def with_tensors(value):
    """Return `value` with tensors for its arrays, and each array's views beside it."""
    if isinstance(value, np.ndarray):
        x = nbmodule.from_numpy(value)
        return {
            "x": x,
            "views": [x.reshape(-1), x[1:] if x.dim() else x, x.t() if x.dim() == 2 else x],
        }
    if isinstance(value, dict):
        return type(value)((k, with_tensors(v)) for k, v in value.items())
    return type(value)(map(with_tensors, value)) if isinstance(value, list | tuple) else value


@settings(max_examples=60, deadline=None)
@given(nests, st.sampled_from([{}, OLD]))
def test_any_nest_comes_back(value, options):
    obj = with_tensors(value)
    data = saved(obj, **options)
    same(loaded(data), obj)
    assert options or saved(obj) == data, "equal nests make equal files"


@dataclasses.dataclass
class Config:
    width: int
    layers: list


class Mode(enum.Enum):
    FAST = 1


Pair = collections.namedtuple("Pair", "first second")


class Marked(nbmodule.Tensor):
    pass


class OwnParameter(nn.Parameter):
    pass


def local_class():
    return type("Local", (nbmodule.Tensor,), {"__qualname__": "local_class.<locals>.Local"})


@FORMATS
def test_tensors_of_the_users_classes(options):
    """They are saved, and come back where the class is allowed; a parameter comes back as a plain one."""
    data = saved([nbmodule.ones(2).as_subclass(Marked)], **options)
    with pytest.raises(
        pickle.UnpicklingError, match=r"Marked was not an allowed global by default"
    ):
        loaded(data)
    with serialization.safe_globals([Marked]):
        assert type(loaded(data)[0]) is Marked
    found = loaded(saved(OwnParameter(nbmodule.ones(2)), **options))
    assert (type(found), found.tolist()) == (nn.Parameter, [1.0, 1.0])


@FORMATS
def test_objects_of_allowed_classes_come_back(options):
    obj = {"c": Config(3, [1, 2]), "m": Mode.FAST, "p": Pair(1, 2), "t": nbmodule.ones(2).as_subclass(Marked)}  # fmt: skip
    with serialization.safe_globals([Config, Mode, Pair, Marked]):
        data = saved(obj, **options)
        found = loaded(data)
    assert (found["c"], found["m"], found["p"]) == (obj["c"], Mode.FAST, Pair(1, 2))
    assert type(found["t"]) is Marked
    with pytest.raises(pickle.UnpicklingError, match="was not an allowed global"):
        loaded(data)


@pytest.mark.parametrize(
    ("obj", "where"),
    [
        ({"optimizer": {"hooks": [1, lambda: 0]}}, "obj['optimizer']['hooks'][1], which is of type builtins.function"),
        (nn.Linear(1, 1), "obj, which is of type nbmodule.nn.modules.linear.Linear\nSave its state_dict()"),
        ([Config(1, [])], "obj[0], which is of type test_pytorch_files.Config"),
        ({"loss": np.float64(1)}, "obj['loss'], which is of type numpy.float64"),
        ([collections.defaultdict(int)], "obj[0], which is of type collections.defaultdict"),
        ([nbmodule.ones(1).as_subclass(local_class())], "obj[0], which is of type test_pytorch_files.local_class"),
        ([nn.UninitializedParameter()], "obj[0]: <UninitializedParameter> has no numbers yet"),
    ],
)  # fmt: skip
@FORMATS
def test_what_cannot_be_saved_is_named_and_nothing_is_written(tmp_path, obj, where, options):
    path = tmp_path / "x.pt"
    path.write_bytes(b"old")
    with pytest.raises(TypeError) as e:
        nbmodule.save(obj, path, **options)
    assert where in str(e.value).replace(f"{__name__}.", "test_pytorch_files.")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.pt"]
    file = io.BytesIO()
    with pytest.raises(TypeError):
        nbmodule.save(obj, file, **options)
    assert file.getvalue() == b""


def test_nests_that_hold_themselves():
    items, table = [], {}
    items.append(items), table.update(me=table)
    found = loaded(saved([items, table]))
    assert found[0][0] is found[0]
    assert found[1]["me"] is found[1]
    pair = ([],)
    pair[0].append(pair)
    deep = []
    for _ in range(5000):
        deep = [deep]
    for obj in (pair, deep):
        with pytest.raises(ValueError, match="cannot save obj"):
            saved(obj)


def test_a_mapped_file_is_read_when_it_is_used(tmp_path):
    path = tmp_path / "x.pt"
    nbmodule.save({"a": nbmodule.arange(4.0), "b": nbmodule.zeros(0)}, path)
    found = nbmodule.load(path, mmap=True)
    assert found["a"]._array.base is not None
    assert found["a"]._array.ctypes.data % 64 == 0  # aligned: pages can be numbers
    found["a"][0] = 5
    assert nbmodule.load(path)["a"].tolist() == [0, 1, 2, 3]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such flags")
def test_a_shared_map_writes_to_the_file(tmp_path):
    path = tmp_path / "x.pt"
    nbmodule.save(nbmodule.arange(4.0), path)
    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        nbmodule.load(path, mmap=True)[0] = 5
    assert nbmodule.load(path, mmap=True).tolist() == [5, 1, 2, 3]
    assert serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    with pytest.raises(
        ValueError, match=r"expected mmap\.MAP_PRIVATE or mmap\.MAP_SHARED, but got 77"
    ):
        serialization.set_default_mmap_options(77)


def test_a_flipped_bit_in_a_number_is_noticed(tmp_path):
    data = bytearray(saved(nbmodule.arange(100.0)))
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        entry = opened.getinfo("archive/data/0")
    start = data.index(struct.pack("<f", 99.0), entry.header_offset)
    data[start] ^= 1
    with pytest.raises(RuntimeError, match="its bytes are not those that were written"):
        loaded(bytes(data))


# ---- programs that do harm


BEGIN, STORAGE = (
    b"\x80\x02",
    b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x04tQ",
)
REBUILD, ORDERED = b"ctorch._utils\n_rebuild_tensor_v2\n", b"ccollections\nOrderedDict\n)R"


def number(n):
    digits = n.to_bytes(n.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(digits)]) + digits


def tensor(offset, size, stride):
    return REBUILD + b"(" + STORAGE + number(offset) + number(size) + b"\x85" + number(stride) + b"\x85\x89" + ORDERED + b"tR"  # fmt: skip


HOSTILE = {
    "beyond the storage": tensor(1, 4, 1),
    "a negative stride": tensor(3, 2, -1),
    "a negative offset": tensor(-1, 2, 1),
    "a negative size": tensor(0, -2, 1),
    "a huge size": tensor(0, 2**62, 1),
    "a huge stride": tensor(0, 2, 2**62),
    "a size beyond 64 bits": tensor(0, 2**64, 0),
    "a tensor of nothing": REBUILD + b"(NK\0K\x01\x85K\x01\x85\x89NtR",
    "another number of elements": STORAGE.replace(b"K\x04", b"K\x05"),
    "a storage that is not there": STORAGE.replace(b"\x000X", b"\x009X"),
    "a storage of a dtype": STORAGE.replace(b"FloatStorage", b"float32"),
    "a storage of a list": STORAGE.replace(b"X\x01\0\0\x000", b"]"),
    "a bytearray as long as a number": b"cbuiltins\nbytearray\n" + number(2**40) + b"\x85R",
    "text in a codec that unpacks": b"c_codecs\nencode\nX\x01\0\0\0aX\x03\0\0\0zip\x86R",
    "a deep key": b"}" + b")" + b"\x85" * 20_000 + b"K\x01s",
    "a deep member of a set": b"c__builtin__\nset\n](" + b")" + b"\x85" * 20_000 + b"e\x85R",
    "a key that is a list": b"}]K\x01s",
    "an attribute over a method": ORDERED + b"}X\x05\0\0\0itemsK\x01sb",
    "an attribute of the engine": b"ctorch._tensor\n_rebuild_from_type_v2\n(" + REBUILD + b"ctorch\nTensor\n("
    + tensor(0, 2, 1)[len(REBUILD) + 1 : -2] + b"t}X\x06\0\0\0_arrayK\x01stR",
    "a function that builds no tensor": b"ctorch._tensor\n_rebuild_from_type_v2\n(c_codecs\nencode\nctorch\nTensor\n)}tR",
    "a string longer than the file": b"X\xff\xff\xff\xff",
    "an int longer than the file": b"\x8b\xff\xff\xff\x7f",
    "a value nobody remembered": b"h\x07",
    "a mark nobody made": b"t",
    "an empty stack": b"0",
    "a call of a number": b"K\x01)R",
    "a class that is a number": b"K\x01)\x81",
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_program_is_refused(what):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as z:
        z.writestr("a/data.pkl", BEGIN + HOSTILE[what] + b".")
        z.writestr("a/data/0", bytes(16))
        z.writestr("a/version", "3\n")
    with pytest.raises((pickle.UnpicklingError, RuntimeError, TypeError, EOFError)) as e:
        loaded(file.getvalue())
    assert not isinstance(e.value, RecursionError)
    assert len(str(e.value)) < 2000


def test_a_list_within_a_list_many_times_is_only_a_list():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as z:
        z.writestr("a/data.pkl", BEGIN + b"]" * 10**5 + b"a" * (10**5 - 1) + b".")
        z.writestr("a/version", "3\n")
    assert len(loaded(file.getvalue())) == 1


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([("a/data.pkl", b"N.", zipfile.ZIP_DEFLATED), ("a/version", b"3\n", 0)], "it is compressed"),
        ([("a/data.pkl", b"N.", 0), ("a/data.pkl", b"N.", 0), ("a/version", b"3\n", 0)], "an entry occurs twice"),
        ([("data.pkl", b"N.", 0)], "not in a subdirectory: data.pkl"),
        ([("a/data.pkl", b"N.", 0), ("a/version", b"99\n", 0)], "version 99"),
        ([("a/data.pkl", b"N.", 0), ("a/version", b"3\n", 0), ("a/constants.pkl", b"", 0)], "TorchScript archives"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Duplicate name", "ignore:'nbmodule.load' received")
def test_archives_that_save_does_not_write(entries, message):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as z:
        for name, data, compression in entries:
            z.writestr(name, data, compression)
    with pytest.raises(RuntimeError, match=message):
        loaded(file.getvalue())


def test_entries_that_lie_over_one_another_are_refused():
    """Many entries of the table of contents that mean the same bytes would fill the memory."""
    data = saved([nbmodule.zeros(1000) + i for i in range(3)])
    opened = zipfile.ZipFile(io.BytesIO(data))
    offsets = [opened.getinfo(f"archive/data/{i}").header_offset for i in range(3)]
    for offset in offsets[1:]:
        data = data.replace(struct.pack("<L", offset) + b"archive/data/", struct.pack("<L", offsets[0]) + b"archive/data/")  # fmt: skip
    with pytest.raises(RuntimeError, match="failed reading"):
        loaded(data)


# ---- with PyTorch itself


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
@FORMATS
def test_pytorch_opens_our_files(options, tmp_path):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    data = saved(nest(nbmodule), **options)
    same(torch.load(io.BytesIO(data), weights_only=True), nest(torch))
    same(torch.load(io.BytesIO(data), weights_only=False), nest(torch))
    if not options:
        (tmp_path / "x.pt").write_bytes(data)
        same(torch.load(tmp_path / "x.pt", mmap=True), nest(torch))
        assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
@FORMATS
def test_models_and_optimizers_go_back_and_forth(options):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")

    def trained(t, saved_state=None, load=None):
        t.manual_seed(0)
        net = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.BatchNorm1d(4), t.nn.Linear(4, 1))
        optimizer = t.optim.Adam(net.parameters(), lr=0.1, amsgrad=True)
        if saved_state is not None:
            state = load(io.BytesIO(saved_state))
            net.load_state_dict(state["net"]), optimizer.load_state_dict(state["optimizer"])
        x = t.linspace(-1, 1, 15).reshape(5, 3)
        for _ in range(3):
            optimizer.zero_grad()
            net(x).square().sum().backward()
            optimizer.step()
        file = io.BytesIO()
        t.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, file, **options)
        return net(x).detach().numpy(), file.getvalue()

    for one, other in ((torch, nbmodule), (nbmodule, torch)):
        _, half = trained(one)
        expected, _ = trained(one, half, one.load)
        found, _ = trained(other, half, other.load)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_counters_and_sets_are_checked_like_dicts():
    assert loaded(saved([Counter("aab"), {(1, 2), "a"}])) == [Counter("aab"), {(1, 2), "a"}]
