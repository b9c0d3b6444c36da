"""Nests in .safetensors and .npz: nothing is lost, and other tools read the tensors."""

import collections
import io
import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbmodule
from nbmodule import nn
from nbmodule._saving import npz, safetensors

FORMATS = [safetensors, npz]
each_format = pytest.mark.parametrize("form", FORMATS, ids=lambda f: f.__name__.rpartition(".")[2])


def again(form, obj):
    """Return `obj` after it was written and read."""
    file = io.BytesIO()
    form.write(obj, file)
    file.seek(0)
    return form.read(file)


def facts(value):
    """Return what can be compared of `value`: types, order of keys, bits, strides, marks."""
    if isinstance(value, nbmodule.Tensor):
        marks = (
            type(value).__name__,
            value.requires_grad,
            value.dtype,
            tuple(value.shape),
            value.stride(),
        )
        return (*marks, value.detach().numpy().tobytes())
    if isinstance(value, np.ndarray | np.generic):
        return type(value), value.dtype, value.shape, value.tobytes()
    if isinstance(value, dict):
        items = [(facts(k), facts(v)) for k, v in value.items()]
        return type(value), items, facts(getattr(value, "_metadata", None))
    if isinstance(value, list | tuple):
        return type(value), [facts(v) for v in value]
    if isinstance(value, float | complex):
        return type(value), repr(value)
    return type(value), value


def a_model():
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))


def trained():
    model = a_model()
    optimizer = nbmodule.optim.Adam(model.parameters(), lr=0.1, amsgrad=True)
    for _ in range(2):
        optimizer.zero_grad()
        model(nbmodule.rand(5, 3)).sum().backward()
        optimizer.step()
    return {"model": model.state_dict(), "optimizer": optimizer.state_dict()}


NESTS = {
    "nothing": None,
    "numbers": [0, -1, 2**63 - 1, -(2**63), 2**64, -(10**40), True, 0.1, -0.0, math.inf, -math.inf, math.nan, 5e-324, 1 - 2j, complex(math.nan, -0.0)],
    "text": ["", "é☃\U0001f600", "\0\n", "half \ud800 pair", "$tensor", b"", b"\0\xff", bytearray(b"ab")],
    "containers": [(), (1, (2,)), [], {}, {1, 2.5, "a", None, (3,)}, set(), frozenset({1}), collections.Counter("aab"), collections.OrderedDict(b=1, a=2), slice(1, None, 2)],
    "keys": {0: "int", "0": "text", None: 1, (1, ("a", None)): 2, 2.5: 3, b"b": 4, True: 5, nbmodule.float32: 6, "": {"": nbmodule.ones(1)}},
    "keys of JSON's own": {"$tensor": "x", "a": {"$": 1}},
    "kinds": [nbmodule.Size([2, 0]), nbmodule.float16, nbmodule.bool, nbmodule.device("cpu"), nbmodule.device("cuda:1")],
    "names": {"a.b": nbmodule.ones(1), "a": {"b": nbmodule.zeros(1)}, "a/b\\c\0d%41/../..": nbmodule.ones(2), "é☃": nbmodule.ones(3), "\ud800": nbmodule.ones(1), "\\ud800": nbmodule.ones(2), "__metadata__": nbmodule.ones(4), "nbmodule.json": nbmodule.ones(1), "x" * 70_000: nbmodule.ones(1)},
    "dtypes": [nbmodule.tensor([0, 1, 1]).to(d) for d in (nbmodule.float16, nbmodule.float32, nbmodule.float64, nbmodule.uint8, nbmodule.int8, nbmodule.int16, nbmodule.int32, nbmodule.int64, nbmodule.bool, nbmodule.uint16, nbmodule.uint32, nbmodule.uint64)],
    "shapes": [nbmodule.tensor(3.0), nbmodule.empty(0), nbmodule.empty(2, 0, 3), nbmodule.ones(1, 1, 1), nbmodule.arange(24.0).view(2, 3, 4).permute(2, 0, 1), nbmodule.ones(1).expand(50, 3)],
    "bits": nbmodule.tensor([math.nan, -math.nan, -0.0, math.inf, 1e-45]),
    "marks": [nbmodule.ones(2, requires_grad=True), nn.Parameter(nbmodule.ones(2)), nn.Parameter(nbmodule.ones(2), requires_grad=False), nn.Buffer(nbmodule.ones(2)).detach()],
    "NumPy": [np.arange(6).reshape(2, 3).T, np.arange(3)[::-1], np.float64(0.1), np.int8(-3), np.bool_(True), np.random.RandomState(0).get_state()],
    "a tensor": nbmodule.ones(2, 2),
    "a training run": trained(),
}  # fmt: skip


@each_format
@pytest.mark.parametrize("name", NESTS)
def test_nothing_is_lost(form, name):
    assert facts(again(form, NESTS[name])) == facts(NESTS[name])


@each_format
def test_shared_memory_is_stored_once_and_shared_again(form):
    base, flat, tied = nbmodule.arange(12.0).view(3, 4), nbmodule.zeros(1000), nbmodule.zeros(1000)
    halves = {"low": flat[:600], "high": flat[400:]}  # nobody holds all of it
    nest = {"row": base[1], "t": base.t(), "base": base, "whole": base[:], "same": base, **halves, "tied": [tied, tied.detach()]}  # fmt: skip
    file = io.BytesIO()
    form.write(nest, file)
    assert file.tell() < 11_000
    file.seek(0)
    read = form.read(file)
    assert facts(read) == facts(nest)
    assert read["same"] is read["base"] is not read["whole"]
    read["base"][1, 2] = 7.0
    read["low"][500] = 5.0
    read["tied"][0][3] = 3.0
    assert [read["row"][2], read["t"][2, 1], read["whole"][1, 2], read["high"][100], read["tied"][1][3]] == [7, 7, 7, 5, 3]  # fmt: skip
    assert read["row"].untyped_storage().data_ptr() == read["base"].untyped_storage().data_ptr()


def one_view(t, kind, i):
    """Return a view of the matrix `t`."""
    return {
        "row": lambda: t[i],
        "column": lambda: t[:, i],
        "block": lambda: t[i:, : i + 1],
        "transposed": lambda: t.t(),
        "every other": lambda: t[::2],
        "flat": lambda: t.view(-1)[i:],
        "as integers": lambda: t.view(nbmodule.int32)[:, i:],
        "expanded": lambda: t[i].expand(2, 3),
        "whole": lambda: t[:],
    }[kind]()


views = st.tuples(st.sampled_from(["row", "column", "block", "transposed", "every other", "flat", "as integers", "expanded", "whole"]), st.integers(0, 2))  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(chosen=st.lists(views, min_size=1, max_size=5), where=st.integers(0, 8))
def test_any_views_are_views_again(chosen, where):
    """What is written through one of them is seen through the others, as it was before."""
    for form in FORMATS:
        matrix = nbmodule.arange(9.0).view(3, 3)
        before = [one_view(matrix, *view) for view in chosen]
        after = again(form, before)
        assert [t.tolist() for t in after] == [t.tolist() for t in before]
        for tensors in (before, after):
            first = tensors[0][0] if chosen[0][0] == "expanded" else tensors[0]
            first.select(0, where % len(first)).fill_(77)
        assert [t.tolist() for t in after] == [t.tolist() for t in before]


@each_format
def test_a_small_part_of_a_large_tensor_is_a_small_file(form):
    file = io.BytesIO()
    form.write([nbmodule.zeros(100_000)[:5], nbmodule.zeros(100_000)[::20_000]], file)
    assert file.tell() < 2000


@each_format
def test_tensors_that_lie_side_by_side_keep_their_names(form):
    model = a_model()
    nn.utils.vector_to_parameters(
        nn.utils.parameters_to_vector(model.parameters()), model.parameters()
    )
    assert names_for_others(form, model.state_dict()) == sorted(model.state_dict())


def names_for_others(form, nest):
    """Return the names of the tensors that NumPy or safetensors see in the file of `nest`."""
    file = io.BytesIO()
    form.write(nest, file)
    if form is npz:
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            return sorted(n for n in arrays.files if n != npz.STRUCTURE)
    from safetensors.numpy import load

    return sorted(load(file.getvalue()))


@each_format
def test_other_tools_see_the_names_of_a_state_dict(form):
    assert names_for_others(form, a_model().state_dict()) == sorted(a_model().state_dict())
    nested = names_for_others(form, trained())
    assert {"model.0.weight", "optimizer.state.0.exp_avg", "optimizer.state.5.step"} <= set(nested)


def test_files_of_other_tools_are_dicts_of_tensors():
    from safetensors.numpy import save

    arrays = {
        "b": np.ones((2, 3), ">f4", order="F"),
        "a": np.array(True),
        "c/d": np.zeros((0, 2), np.uint16),
    }
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    file.seek(0)
    native = {k: np.ascontiguousarray(v, v.dtype.newbyteorder("=")) for k, v in arrays.items()}
    for read in (npz.read(file), safetensors.read(io.BytesIO(save(native, {"made": "elsewhere"})))):
        assert set(read) == set(arrays)
        for name, array in arrays.items():
            assert (read[name].numpy() == array).all()
            assert read[name].dtype == nbmodule.from_numpy(native[name]).dtype
            read[name].zero_()  # writable


def test_bfloat16_becomes_float32_and_says_so():
    header = b'{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}'
    data = len(header).to_bytes(8, "little") + header + np.array([0x3FC0, 0xFF80], "<u2").tobytes()
    with pytest.warns(
        UserWarning, match=r"1 bfloat16 tensors \(a\) were loaded as float32"
    ) as caught:
        assert safetensors.read(io.BytesIO(data))["a"].tolist() == [1.5, -math.inf]
    assert caught[0].filename == __file__


@each_format
@pytest.mark.parametrize(
    ("nest", "text"),
    [
        (lambda: 0, "cannot save obj, which is of type builtins.function"),
        ({"a": [nn.ReLU()]}, r"cannot save obj\['a'\]\[0\].*\nSave its state_dict\(\) instead"),
        ([{("k", object()): 1}], r"cannot save obj\[0\]\[1\], which is of type builtins.object"),
        (np.array(["a"]), "cannot save obj, an array of <U1"),
        ([nbmodule.ones(2, device="meta")], r"cannot save obj\[0\]: it is on the meta device"),
        (collections.namedtuple("Pair", "a b")(1, 2), "cannot save obj, which is of type .*Pair"),
        (nn.LazyLinear(2).state_dict(), r"obj\['weight'\], .*\nIt has no shape yet"),
        (nbmodule.ones(2).as_subclass(type("Mine", (nbmodule.Tensor,), {})), "of type .*Mine"),
    ],
    ids=range(8),
)
def test_what_is_not_plain_is_refused_with_its_place(form, nest, text):
    with pytest.raises(TypeError, match=text):
        form.write(nest, io.BytesIO())


@each_format
def test_depth(form):
    deep = []
    for _ in range(99):
        deep = [deep]
    assert again(form, deep) == deep
    for endless in (deep, [deep]):
        deep.append(endless)
        with pytest.raises(ValueError, match="is nested more than 100 deep, or holds itself"):
            form.write(endless, io.BytesIO())
        deep.clear()


def test_equal_nests_give_equal_files():
    files = []
    for letters in ("abc", "cba"):
        file = io.BytesIO()
        npz.write({"set": set(letters), "w": nbmodule.ones(3)}, file)
        files.append(file.getvalue())
    assert files[0] == files[1]


@pytest.mark.parametrize("kind", [".pt", ".npz", ".safetensors"])
def test_what_could_not_be_read_is_not_written(tmp_path, kind):
    wide = {n * 2**70: n for n in range(1, 2000)}
    for nest in (wide, collections.OrderedDict(wide), set(wide), {"a": {2**2000: 1}}):
        with pytest.raises(ValueError, match=r"cannot save obj.* keys? .*, which load refuses"):
            nbmodule.save(nest, tmp_path / f"a{kind}")
    assert list(tmp_path.iterdir()) == []


def test_safetensors_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)
    for use in (
        lambda: safetensors.write([], io.BytesIO()),
        lambda: safetensors.read(io.BytesIO(b"abc")),
    ):
        with pytest.raises(ImportError, match=r"pip install 'nbmodule\[saving\]'"):
            use()


plain = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.complex_numbers()
)
arrays = st.builds(lambda shape, d: nbmodule.ones(shape, dtype=d), st.lists(st.integers(0, 3), max_size=3), st.sampled_from([nbmodule.float32, nbmodule.int8, nbmodule.bool]))  # fmt: skip
keys = st.recursive(
    st.none() | st.integers() | st.text() | st.binary(), lambda k: st.tuples(k, k), max_leaves=3
)
nests = st.recursive(
    plain | arrays,
    lambda n: st.lists(n) | st.lists(n).map(tuple) | st.dictionaries(keys, n) | st.dictionaries(st.text(), n).map(collections.OrderedDict),
    max_leaves=10,
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(nest=nests)
def test_any_nest_comes_back(nest):
    for form in FORMATS:
        assert facts(again(form, nest)) == facts(nest)


@pytest.mark.torch
def test_pytorchs_own_tools_and_these_files(tmp_path):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    from safetensors.torch import load_file, save_file

    theirs, path = torch.nn.BatchNorm1d(3).state_dict(), tmp_path / "a.safetensors"
    save_file(theirs, path)
    ours = nbmodule.load(path)
    model = nn.BatchNorm1d(3)
    model.load_state_dict(ours)
    assert list(ours) == list(load_file(path))
    assert {k: v.tolist() for k, v in ours.items()} == {k: v.tolist() for k, v in theirs.items()}
    nbmodule.save(model.state_dict(), path)
    torch.nn.BatchNorm1d(3).load_state_dict(load_file(path))
    save_file({"h": torch.tensor([1.5, 2.0], dtype=torch.bfloat16)}, path)
    with pytest.warns(UserWarning, match="bfloat16"):
        assert nbmodule.load(path)["h"].tolist() == [1.5, 2.0]
    for unknown in (torch.complex64, torch.float8_e4m3fn):
        save_file({"h": torch.zeros(2, dtype=unknown)}, path)
        with pytest.raises(RuntimeError, match=r"a.safetensors.*the tensor 'h' is of type"):
            nbmodule.load(path)
