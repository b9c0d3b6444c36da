"""Damaged and hostile files: a clear error that names the file, no code run, nothing changed, no memory eaten."""

import io
import os
import random
import sys
import warnings
from functools import partial
from pickle import UnpicklingError

import hostile_files as hostile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbmodule
from nbmodule import nn
from nbmodule._saving import npz, safetensors

KINDS = (
    ".safetensors",
    ".npz",
    ".pt",
    ".pth",
)  # the last one for PyTorch's files of old, which are no archives
REFUSED = (RuntimeError, UnpicklingError, EOFError, TypeError, ValueError, AssertionError)
"""What `load` raises where a file is not as it should be: PyTorch's types."""

watched = []
"""What happens while a file is loaded that must not happen, told by Python itself."""


DANGEROUS = {"os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "pickle.find_class", "socket.connect"}  # fmt: skip


@sys.addaudithook
def watch(event, args):
    if watching:
        writing = event == "open" and isinstance(args[1], str) and args[1].strip("rbU")
        if writing or event in DANGEROUS:
            watched.append((event, args))


watching = False


def refusal(path):
    """Return the error that loading `path` raises; None if it loads, which damage to numbers does not hinder."""
    global watching
    watched.clear()
    watching = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nbmodule.load(path)
    except REFUSED as e:
        found = e
    else:
        found = None
    finally:
        watching = False
    assert watched == []
    assert found is None or path.name in str(found), found
    return found


def a_checkpoint(t):
    model = t.nn.Sequential(t.nn.Linear(2, 3), t.nn.BatchNorm1d(3))
    optimizer = t.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(t.ones(4, 2)).sum().backward()
    optimizer.step()
    return {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": 3,
        "note": "é",
    }


def whole(kind):
    """Return the bytes of a whole file of this `kind`."""
    file = io.BytesIO()
    writers = {".safetensors": safetensors.write, ".npz": npz.write}
    write = writers.get(kind, partial(nbmodule.save, _use_new_zipfile_serialization=kind == ".pt"))
    write(a_checkpoint(nbmodule), file)
    return file.getvalue()


@pytest.fixture(scope="module")
def files():
    return {kind: whole(kind) for kind in KINDS}


@pytest.mark.parametrize(("kind", "name", "data"), [pytest.param(*f, id=f"{f[0]}: {f[1]}") for f in hostile.all_files()])  # fmt: skip
def test_a_hostile_file_is_refused(tmp_path, monkeypatch, kind, name, data):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"evil{kind}"
    path.write_bytes(data)
    assert refusal(path) is not None
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_ends_too_early_is_refused(tmp_path, files, kind):
    path, data = tmp_path / f"cut{kind}", files[kind]
    places = random.Random(0).sample(range(len(data)), 60)
    for place in {0, 1, 7, 8, 9, len(data) - 1, *places}:
        path.write_bytes(data[:place])
        assert refusal(path) is not None, place


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_any_damage_gives_an_error_or_other_numbers(tmp_path_factory, files, kind, data):
    damaged = bytearray(files[kind])
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / f"damaged{kind}"
    path.write_bytes(bytes(damaged))
    refusal(path)


def test_each_bit_of_a_safetensors_file_counts(files):
    data = files[".safetensors"]
    for place in range(0, 8 * len(data), 7):
        changed = bytearray(data)
        changed[place // 8] ^= 1 << place % 8
        with pytest.raises((RuntimeError, UnpicklingError, EOFError)):
            nbmodule.load(io.BytesIO(bytes(changed)))


def test_an_npz_archive_misses_no_array(files):
    data = files[".npz"]
    end = data.rindex(b"PK\5\6")
    size, place = (int.from_bytes(data[end + i : end + i + 4], "little") for i in (12, 16))
    last = data.rindex(b"PK\1\2")
    for gone in (end - last, size):  # the last entry of the table of contents, or all of it
        left = (size - gone).to_bytes(4, "little")
        cut = data[: end - gone] + data[end : end + 12] + left + data[end + 16 :]
        assert int.from_bytes(cut[-6:-2], "little") == place
        with pytest.raises(RuntimeError, match="entries"):
            nbmodule.load(io.BytesIO(cut))


def test_other_tools_read_our_safetensors_and_we_theirs(files):
    from safetensors.numpy import load, save

    theirs = load(files[".safetensors"])
    assert theirs["model.0.weight"].shape == (3, 2)
    assert nbmodule.load(io.BytesIO(save(theirs))).keys() == theirs.keys()  # without a checksum


PIECES = {
    "a long number": b"\x8b\xd0\x07\x00\x00" + b"\x7f" * 2000,
    "a deep tuple": b")" + b"\x85" * 3000,
    "a deep list": b"]" * 2000 + b"a" * 1999,
    "a number": b"K\x05",
    "a key": b"Q",
    "a dict": b"}",
    "a call": b"R",
    "state": b"b",
    "a mark": b"(",
    "a list of one": b"]K\x05a",
    "an end": b".",
    "nothing": b"",
}
"""What is put into pickles: operations that are fine, in places where they are not."""


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@pytest.mark.parametrize("kind", [".pth", ".pt"])
@pytest.mark.parametrize("piece", PIECES)
def test_operations_in_wrong_places_give_our_errors(files, kind, piece):
    data, draw = files[kind], random.Random(piece)
    start = data.find(b"\x80\x02")
    for _ in range(60):
        place = draw.randrange(start, start + 1500)
        changed = data[:place] + PIECES[piece] + data[place + draw.randrange(3) :]
        said = None
        try:
            nbmodule.load(io.BytesIO(changed))
        except OURS[kind] as e:
            said = e
        assert not isinstance(said, RecursionError)
        assert said is None or "the given BytesIO" in str(said)


OURS = {".pth": (RuntimeError, UnpicklingError, EOFError)}
OURS[".pt"] = (*OURS[".pth"], TypeError)  # of a call with too few arguments, as in PyTorch


def test_an_error_of_the_user_s_own_code_is_not_the_file_s(files):
    def map_location(storage, location):
        raise ValueError("mine")

    for kind in (".pth", ".pt"):
        with pytest.raises(ValueError, match=r"^mine"):
            nbmodule.load(io.BytesIO(files[kind]), map_location)


@settings(max_examples=30, deadline=None)
@given(data=st.binary(max_size=200))
def test_any_bytes_give_an_error(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    refusal(path)


@pytest.mark.parametrize("kind", [*KINDS, ".txt"])
def test_what_is_no_file(tmp_path, kind):
    path = tmp_path / f"a{kind}"
    with pytest.raises(FileNotFoundError, match=path.name):
        nbmodule.load(path)
    path.mkdir()
    with pytest.raises((IsADirectoryError, PermissionError), match=path.name):
        nbmodule.load(path)
    for content in ("", "hello, world\n", "{}", "PK\x03\x04", "\x80\x02"):
        path = tmp_path / f"b{kind}"
        path.write_text(content, encoding="latin1")
        assert refusal(path) is not None


def test_the_bytes_decide_and_not_the_name(tmp_path, files):
    for kind, data in files.items():
        for other in KINDS:
            path = tmp_path / f"a{other}"
            path.write_bytes(data)
            assert nbmodule.load(path)["step"] == 3, (kind, other)


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_file_changes_nothing(tmp_path, files, kind):
    path = tmp_path / f"a{kind}"
    path.write_bytes(files[kind][:-40])
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    optimizer = nbmodule.optim.SGD(model.parameters(), lr=0.5)
    before = [str(model.state_dict()), str(optimizer.state_dict()), str(nbmodule.get_rng_state())]
    with pytest.raises(REFUSED):
        model.load_state_dict(nbmodule.load(path)["model"])
    path.write_bytes(files[kind])
    state = nbmodule.load(path)
    state["model"].pop("1.bias")
    state["optimizer"]["param_groups"].append({})
    with pytest.raises(RuntimeError, match="Missing key"):
        nn.Linear(2, 2).load_state_dict(state["model"])
    with pytest.raises(ValueError, match="parameter groups"):
        optimizer.load_state_dict(state["optimizer"])
    assert [
        str(model.state_dict()),
        str(optimizer.state_dict()),
        str(nbmodule.get_rng_state()),
    ] == before


def test_a_name_that_is_refused_is_told_with_what_to_do(tmp_path):
    path = tmp_path / "evil.pt"
    told = {
        "REDUCE": "posix.system",
        "exec": "exec",
        "a module of ours": "torch.load",
        "getattr": "getattr",
    }
    told |= {
        "STACK_GLOBAL": "operand 140",
        "INST": "operand 105",
        "OBJ": "posix.system",
        "EXT1": "operand 130",
    }
    for name, found in told.items():
        path.write_bytes(hostile.archive(hostile.PICKLES[name]))
        text = str(refusal(path))
        assert found in text, text
        assert text.startswith("Weights only load failed"), text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for load in (nbmodule.load, nbmodule.serialization.get_unsafe_globals_in_checkpoint):
        with pytest.raises(io.UnsupportedOperation, match="is a pipe"):
            load(tmp_path / "pipe")


@pytest.mark.parametrize("kind", [".pt", ".pth"])
@pytest.mark.parametrize("count", [-1, 0, 10**6, None])
def test_a_file_that_says_wrongly_how_much_it_has_read(files, kind, count):
    class Lying(io.BytesIO):
        def readinto(self, target):
            return count

    with pytest.raises(RuntimeError):
        nbmodule.load(Lying(files[kind]))


def test_what_changes_while_it_is_saved_has_the_checksum_of_what_was_written():
    class Training(io.BytesIO):
        def write(self, data):
            weight.add_(1)
            return super().write(data)

    weight, file = nbmodule.zeros(200_000), Training()
    nbmodule.save(weight, file)
    file.seek(0)
    assert len(nbmodule.load(file).unique()) > 1
