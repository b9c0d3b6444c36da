"""The datasets that ship, and those read from folders."""

import gzip
import struct
import tracemalloc
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbmodule
from nbmodule import datasets
from nbmodule.datasets import DataFileError, read_idx

quick = settings(max_examples=50, deadline=None)

PICTURES = [
    (datasets.Digits, True, 1500, 8, 16), (datasets.Digits, False, 297, 8, 16),
    (datasets.FashionMini, True, 2000, 28, 255), (datasets.FashionMini, False, 500, 28, 255),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "train", "n", "side", "white"), PICTURES)
def test_pictures(kind, train, n, side, white):
    found = kind(train)
    picture, target = found[-1]
    assert (len(found), picture.shape, picture.dtype) == (n, (1, side, side), nbmodule.float32)
    assert type(target) is int
    assert target == found.targets[-1]
    assert nbmodule.equal(picture, found.data[-1:].float() / white)
    assert (int(found.data.min()), int(found.data.max())) == (0, white)
    assert (found.data.dtype, found.targets.dtype) == (nbmodule.uint8, nbmodule.int64)
    assert min(np.bincount(found.targets.numpy(), minlength=10)) >= 0.9 * n / 10
    assert found.class_to_idx[found.classes[3]] == 3
    with pytest.raises(IndexError):
        found[n]
    loader = nbmodule.utils.data.DataLoader(found, batch_size=5)
    images, targets = next(iter(loader))
    assert (images.shape, targets.dtype) == ((5, 1, side, side), nbmodule.int64)


def test_transforms_are_called_and_shown_as_by_torchvision():
    found = datasets.Digits(False, transform=nbmodule.nn.Sequential(nbmodule.nn.Flatten()), target_transform=str)  # fmt: skip
    picture, target = found[0]
    assert (picture.shape, target) == ((1, 64), "1")
    assert repr(found) == (
        "Dataset Digits\n"
        "    Number of datapoints: 297\n"
        "    Split: Test\n"
        "    StandardTransform\n"
        "    Transform: Sequential(\n"
        "                 (0): Flatten(start_dim=1, end_dim=-1)\n"
        "               )\n"
        "    Target transform: <class 'str'>"
    )


def test_texts():
    names, sonnets = datasets.Names(), datasets.Sonnets(transform=str.split)
    assert (len(names), len(set(names)), names.text.count("\n")) == (5163, 5163, 5163)
    assert all(name.isalpha() and name.islower() for name in names)
    assert (len(sonnets), sonnets[0][:2], sonnets[-1][-1]) == (154, ["From", "fairest"], "love.")
    assert all(11 < poem.count("\n") + 1 < 16 for poem in sonnets.data)
    assert repr(sonnets) == (
        "Dataset Sonnets\n    Number of datapoints: 154\n    Transform: <method 'split' of 'str' objects>"
    )


@quick
@given(st.text(min_size=1), st.integers(1, 6), st.integers(1, 6))
def test_characters_and_windows(text, length, step):
    letters = datasets.Characters(text)
    numbers = letters.encode(text)
    assert letters.decode(numbers) == letters.decode(numbers.tolist()) == text
    assert sorted(set(numbers.tolist())) == list(range(len(letters)))
    if len(text) <= length:
        with pytest.raises(ValueError, match="a window of"):
            datasets.Windows(numbers, length, step)
        return
    windows = list(datasets.Windows(numbers, length, step))
    for i, (inputs, targets) in enumerate(windows):
        assert letters.decode(inputs) == text[i * step : i * step + length]
        assert letters.decode(targets) == text[i * step + 1 : i * step + length + 1]
    assert len(text) - len(windows) * step <= length  # another would not fit


def test_characters_that_are_not_there():
    letters = datasets.Characters(["ab", "c"])
    with pytest.raises(ValueError, match="the character 'd' is not in the vocabulary"):
        letters.encode("abd")
    with pytest.raises(ValueError, match="there is no character number -1"):
        letters.decode([0, -1])
    for bad in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="length should be a positive integer"):
            datasets.Windows([1, 2, 3], bad)
    with pytest.raises(ValueError, match=r"a row of at least 3 numbers, but got shape \(2, 2\)"):
        datasets.Windows([[1, 2], [3, 4]], 2)
    with pytest.raises(IndexError):
        datasets.Windows([1, 2, 3], 2)[1]


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 and no more", b"\x80\x04."])
def test_a_file_that_ships_and_is_damaged(tmp_path, monkeypatch, content):
    monkeypatch.setattr("nbmodule.datasets.images.FOLDER", tmp_path)
    if content is not None:
        (tmp_path / "digits8x8.npz").write_bytes(content)
    with pytest.raises(DataFileError, match=r"digits8x8.npz is (missing|damaged)"):
        datasets.Digits()


# ---- idx files

TYPES = {"u1": 0x08, "i1": 0x09, "i2": 0x0B, "i4": 0x0C, "f4": 0x0D, "f8": 0x0E}


def idx(array):
    """Return the bytes of an idx file."""
    head = bytes([0, 0, TYPES[array.dtype.str[1:]], array.ndim])
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return head + sizes + array.astype(array.dtype.newbyteorder(">")).tobytes()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", TYPES)
def test_what_is_written_is_read(tmp_path, kind, packed):
    for shape in ((3,), (2, 3, 4), (0, 28, 28)):
        array = np.arange(np.prod(shape), dtype=kind).reshape(shape)
        file = tmp_path / "some-idx"
        file.write_bytes(gzip.compress(idx(array)) if packed else idx(array))
        found = read_idx(file)
        assert found.dtype == array.dtype
        assert found.dtype.isnative
        assert np.array_equal(found, array)


GOOD = idx(np.arange(6, dtype=np.uint8))
HOSTILE = {
    "empty": (b"", "is not an idx file: it begins with nothing"),
    "short": (b"\0\0\x08", "is not an idx file"),
    "magic": (b"\x89PNG" + GOOD, "is not an idx file: it begins with 89 50 4e 47"),
    "type": (b"\0\0\x07\x01" + GOOD[4:], "is not an idx file"),
    "no dimensions": (b"\0\0\x08\0", "says that it has 0 dimensions"),
    "many dimensions": (b"\0\0\x08\xff" + b"\0" * 2000, "says that it has 255 dimensions"),
    "dimensions cut off": (b"\0\0\x08\x03\0\0\0\x01", "ends within its 3 dimensions"),
    "one missing": (GOOD[:-1], "of 6 bytes of numbers 1 are missing"),
    "one too many": (GOOD + b"\0", "goes on after the 6 bytes"),
    "huge": (b"\0\0\x08\x03" + b"\xff" * 12, "which cannot be in so short a file"),
    "huge and empty": (b"\0\0\x08\x03" + b"\0" * 4 + b"\xff" * 8, "which cannot be in so short a file"),
    "large": (b"\0\0\x08\x02" + struct.pack(">II", 6000, 10), "cannot be in so short|are missing"),
    "packed, cut off": (gzip.compress(GOOD)[:-6], "is damaged"),
    "packed, changed": (gzip.compress(GOOD)[:-8] + b"\0" * 8, "is damaged"),
    "packed, no stream": (b"\x1f\x8b\x08\0" + b"\xff" * 30, "is damaged"),
    "packed, a bomb": (gzip.compress(GOOD + bytes(1 << 24)), "goes on after the 6 bytes"),
    "packed, huge": (gzip.compress(b"\0\0\x08\x03" + b"\xff" * 12), "cannot be in so short a file"),
}  # fmt: skip


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_at_once(tmp_path, name, packed):
    content, words = HOSTILE[name]
    file = tmp_path / "bad-idx3-ubyte"
    file.write_bytes(gzip.compress(content) if packed and not name.startswith("packed") else content)  # fmt: skip
    tracemalloc.start()
    try:
        with pytest.raises(DataFileError, match=words) as caught:
            read_idx(file)
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()
    assert str(caught.value).startswith("bad-idx3-ubyte ")


@quick
@given(st.data())
def test_a_changed_byte_is_read_or_refused(tmp_path_factory, data):
    at, value = data.draw(st.integers(0, len(GOOD) - 1)), data.draw(st.integers(0, 255))
    file = tmp_path_factory.getbasetemp() / "changed-idx"
    file.write_bytes(GOOD[:at] + bytes([value]) + GOOD[at + 1 :])
    with suppress(DataFileError):
        assert read_idx(file).size <= 6


# ---- folders of them


def fill(folder, part="train", images=None, labels=None, packed=False, name="{}-idx{}-ubyte"):
    """Write a small set into `folder`."""
    images = (
        np.arange(3 * 28 * 28).reshape(3, 28, 28).astype(np.uint8) if images is None else images
    )
    labels = np.array([1, 9, 0], np.uint8) if labels is None else labels
    folder.mkdir(parents=True, exist_ok=True)
    for kind, array in (("images", images), ("labels", labels)):
        file = folder / name.format(f"{part}-{kind}", 3 if kind == "images" else 1)
        content = idx(array)
        if packed:
            file.with_name(file.name + ".gz").write_bytes(gzip.compress(content))
        else:
            file.write_bytes(content)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("where", ["FashionMNIST/raw", "."])
def test_a_folder_as_torchvision_lays_it_out(tmp_path, where, packed):
    fill(tmp_path / where, packed=packed)
    fill(tmp_path / where, "t10k", labels=np.array([7, 7, 7], np.uint8), packed=packed)
    train, test = (datasets.FashionMNIST(tmp_path, train=part, download=True) for part in (True, False))  # fmt: skip
    assert (train.targets.tolist(), test.targets.tolist()) == ([1, 9, 0], [7, 7, 7])
    assert train[1][0].shape == (1, 28, 28)
    assert train.classes[train[1][1]] == "Ankle boot"
    assert repr(train) == (
        f"Dataset FashionMNIST\n    Number of datapoints: 3\n    Root location: {tmp_path}\n    Split: Train"
    )


def test_a_folder_that_lacks_files_or_holds_others(tmp_path):
    with pytest.raises(RuntimeError, match=r"Dataset not found\.\ntrain-images-idx3-ubyte or .*MNIST.raw"):  # fmt: skip
        datasets.MNIST(str(tmp_path))
    wrong = {
        "holds float32 of shape": dict(images=np.zeros((3, 2, 2), np.float32)),
        "should hold uint8 of three dimensions": dict(images=np.zeros((3, 4), np.uint8)),
        r"labels-idx1-ubyte holds uint8 of shape \(2,\), and .* 3 pictures": dict(labels=np.zeros(2, np.uint8)),
        "holds a class 10, and there are 10": dict(labels=np.array([0, 10, 2], np.uint8)),
    }  # fmt: skip
    for words, arrays in wrong.items():
        fill(tmp_path / "MNIST" / "raw", **arrays)
        with pytest.raises(DataFileError, match=words):
            datasets.MNIST(tmp_path)
