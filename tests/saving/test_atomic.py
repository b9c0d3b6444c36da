"""Writing in one step: whatever stops it, the path holds the old content or the new one."""

import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import nbmodule
from nbmodule._saving import atomic
from nbmodule._saving.atomic import replacing

KINDS = (".safetensors", ".npz", ".pt")
needs_posix = pytest.mark.skipif(
    os.name != "posix", reason="permissions, links and devices of POSIX"
)

CHILD = """
import sys, time
import nbmodule
from nbmodule._saving import atomic

def stop(*args):
    print("here", flush=True)
    time.sleep(60)

class Slow:
    def __init__(self, file): self.file, self.left = file, 3000
    def __getattr__(self, name): return getattr(self.file, name)
    def __enter__(self): return self
    def __exit__(self, *args): self.file.close()
    def write(self, data):
        data = memoryview(data).cast("B")
        self.file.write(data[:self.left])
        self.left -= len(data)
        if self.left < 0:
            self.file.flush()
            stop()
        return len(data)

path, point = sys.argv[1:]
if point == "writing":
    opened = atomic._opened
    atomic._opened = lambda *names: Slow(opened(*names))
else:
    setattr(atomic.os, point, stop)
nbmodule.save({"new": nbmodule.ones(2000)}, path)
"""


@pytest.mark.parametrize(
    ("kind", "point"), [(".pt", "writing"), (".npz", "writing"), (".safetensors", "replace")]
)
def test_a_kill_keeps_the_old_file(tmp_path, kind, point):
    path = tmp_path / f"checkpoint{kind}"
    nbmodule.save({"old": nbmodule.zeros(3)}, path)
    child = subprocess.Popen([sys.executable, "-c", CHILD, path, point], stdout=subprocess.PIPE)
    with child:
        assert child.stdout.readline().strip() == b"here"
        child.kill()
    assert list(nbmodule.load(path)) == ["old"]
    left = [name for name in os.listdir(tmp_path) if name != path.name]
    assert [name.endswith(atomic.LEFTOVER) and path.name in name for name in left] == [True]
    nbmodule.save({"new": 1}, path)  # what is left behind is in nobody's way
    assert nbmodule.load(path) == {"new": 1}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("reason", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_error_keeps_the_old_file_and_leaves_nothing(tmp_path, monkeypatch, kind, point, reason):
    path = tmp_path / f"a{kind}"
    nbmodule.save([1], path)
    with monkeypatch.context() as patch:

        def fail(*args):
            raise reason

        patch.setattr(os, point, fail)
        if (point, type(reason)) == (
            "chmod",
            OSError,
        ):  # permissions are kept where that is possible
            nbmodule.save([1], path)
        else:
            with pytest.raises(type(reason)):
                nbmodule.save([2], path)
    assert nbmodule.load(path) == [1]
    assert os.listdir(tmp_path) == [path.name]


def test_an_interruption_of_a_zip_file_stays_one(monkeypatch, tmp_path):
    def stop(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(zipfile, "_get_compressor", stop)
    with pytest.raises(KeyboardInterrupt):
        nbmodule.save([nbmodule.ones(1)], tmp_path / "a.npz")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_saved_is_found_before_anything_is_written(tmp_path, kind):
    path = tmp_path / f"a{kind}"
    for present in (False, True):
        with pytest.raises(TypeError, match=r"obj\['a'\]\[1\]"):
            nbmodule.save({"a": [nbmodule.ones(1), object()]}, path)
        assert path.exists() == present
        nbmodule.save([1], path)


def test_windows_is_told_why_a_file_cannot_be_replaced(tmp_path, monkeypatch):
    def refuse(*args):
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(os, "replace", refuse)
    with (
        pytest.raises(PermissionError, match="another program, or an open file or memory map"),
        replacing(tmp_path / "a"),
    ):
        pass
    assert os.listdir(tmp_path) == []


@needs_posix
def test_permissions_links_and_devices(tmp_path):
    path, link = tmp_path / "a", tmp_path / "link"
    with replacing(path) as file:
        file.write(b"old")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask  # as `open` makes them
    path.chmod(0o640)
    link.symlink_to(path.name)
    with replacing(link) as file:
        file.write(b"new")
        secret = next(tmp_path.glob(".a.*")).stat().st_mode
    assert stat.S_IMODE(secret) == 0o640 & ~umask  # while it is written, too
    assert link.is_symlink()
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)
    with replacing(os.devnull) as file:
        file.write(b"gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@needs_posix
def test_a_read_only_file_stays(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *args: False)  # root may always write
    with pytest.raises(PermissionError, match="is read-only"), replacing(path):
        pass
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ("", RuntimeError, "invalid file name: ''"),
        (".", RuntimeError, "open file failed with strerror: Is a directory"),
        ("missing/a", RuntimeError, "Parent directory missing does not exist."),
        ("a\0b", ValueError, "embedded null byte"),
        (3, TypeError, "expected str, bytes or os.PathLike object"),
    ],
)
def test_names_that_cannot_be_files(tmp_path, monkeypatch, given, error, text):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=text), replacing(given):
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["plain", "ünï\u2603 code", "x" * 250])
def test_names_that_can(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    for given in (name, os.fsencode(name), Path(name), tmp_path / name):
        with replacing(given) as file:
            file.write(b"1")
    assert os.listdir(tmp_path) == [name]
