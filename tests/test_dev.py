"""`dev.py` on machines that lack something: it says what, and how to mend it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest
from course_chapters import ROOT, load


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """`dev.py` with an environment that does not exist yet, where nothing is really run."""
    monkeypatch.setenv("NBMODULE_VENV", str(tmp_path / "venv"))
    module = load(ROOT / "dev.py")
    calls = []

    def pretend(command, **_):
        calls.append([str(part) for part in command])
        if command[1:3] == ["-m", "venv"]:
            module.PYTHON.parent.mkdir(parents=True)
            module.PYTHON.touch()
        return module.answer

    module.answer, module.calls = 0, calls
    monkeypatch.setattr(module.subprocess, "call", pretend)
    return module


def test_without_a_command_it_shows_how_to_use_it(dev, capsys):
    assert dev.main([]) == 2
    assert dev.main(["--help"]) == 0
    assert "python3 dev.py lab [DIR]" in capsys.readouterr().out


def test_the_environment_is_made_once_and_again_when_the_requirements_change(dev, monkeypatch):
    dev.prepare("test")
    made, installed, compiled = dev.calls
    assert "compileall" in compiled
    assert made[1:3] == ["-m", "venv"]
    assert installed[-2:] == ["--editable", f"{ROOT}[test]"]
    dev.prepare("test")
    assert len(dev.calls) == 3
    monkeypatch.setattr(dev, "fingerprint", lambda: "other requirements")
    dev.prepare("test")
    assert len(dev.calls) == 5


def test_a_folder_of_wheels_replaces_the_network(dev, monkeypatch):
    monkeypatch.setenv("NBMODULE_WHEELS", "wheelhouse")
    dev.prepare("lab")
    command = dev.calls[-2]
    assert command[command.index("--no-index") :][:3] == [
        "--no-index",
        "--find-links",
        "wheelhouse",
    ]


def test_an_old_python_is_named(dev, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 2))
    with pytest.raises(SystemExit, match=r"Python 3\.11 or newer is needed; this is 3\.10\.2"):
        dev.prepare("test")


def test_a_python_without_venv_names_the_package(dev, monkeypatch):
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        dev.prepare("test")


def test_a_failed_installation_names_the_way_without_network(dev):
    dev.make_environment()
    dev.answer = 1
    with pytest.raises(SystemExit, match="set NBMODULE_WHEELS"):
        dev.prepare("test")
    assert not list(dev.VENV.glob(".nbmodule-*"))


def test_one_failure_makes_the_whole_fail_and_is_named_last(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev, "prepare", lambda extra: None)
    monkeypatch.setattr(dev, "has_chapters", lambda: True)
    monkeypatch.setattr(dev, "pytest", lambda arguments: int("--nbval" in arguments))
    assert dev.main(["test"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "FAILED: chapters"
    monkeypatch.setattr(dev, "pytest", lambda arguments: 0)
    assert dev.main(["test"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "All well: tests, chapters"


def test_types_that_are_not_checked_are_no_secret(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev, "prepare", lambda extra: None)
    assert dev.main(["check"]) == 0
    *_, missing, last = capsys.readouterr().out.splitlines()
    assert missing.startswith("Not looked at: types")
    assert missing.endswith(f'{dev.PYTHON} -m pip install --editable "{ROOT}[types]"')
    assert "types" not in last
    dev.BIN.mkdir(parents=True)
    dev.script("pyright").touch()
    assert dev.main(["check"]) == 0
    assert "types" in capsys.readouterr().out.splitlines()[-1]


def test_a_commit_is_checked_whatever_python_is_called(tmp_path):
    """The hook's own line, where nothing but Windows' `py` answers."""
    hook = re.search(r"sh -c '(.*?)'", (ROOT / ".pre-commit-config.yaml").read_text(), re.DOTALL)
    sh = shutil.which("sh")
    if sh is None:
        pytest.skip("no sh on the path: git's own has hooks run")
    (tmp_path / "py").write_text('#!/bin/sh\n[ "$1" = -c ] || echo "py $*"\n')
    (tmp_path / "py").chmod(0o755)
    call = {"args": [sh, "-c", " ".join(hook[1].split())], "env": {"PATH": str(tmp_path)}, "text": True}  # fmt: skip
    assert subprocess.check_output(**call) == "py dev.py check\n"
    (tmp_path / "py").unlink()
    assert subprocess.run(**call, stdout=subprocess.PIPE, check=False).returncode == 1


def test_the_last_lines_count_skips_and_tell_the_seed_and_a_browser_may_be_a_must(tmp_path):
    lines = ["import pytest", "@pytest.mark.parametrize('i', range(3))"]
    lines += ["def test_a(i): pytest.skip('no moon')", "def test_b(): pytest.skip('no sun')"]
    lines += ["@pytest.mark.browser", "def test_c(): pytest.importorskip('no_playwright')"]
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_sky.py").write_text("\n".join(lines))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = browser: drives one")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--randomly-seed=7"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests"), "NBMODULE_REQUIRE_BROWSER": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)  # fmt: skip
    *_, moon, sun, seed, _, failed, last = done.stdout.splitlines()
    assert [moon, sun] == ["3 x Skipped: no moon", "1 x Skipped: no sun"], done.stdout + done.stderr
    assert seed == "The order was that of --randomly-seed=7"
    assert failed.startswith("FAILED test_sky.py::test_c - must not be skipped here")  # fmt: skip
    assert last.startswith("1 failed, 4 skipped")


def test_the_script_needs_the_standard_library_alone():
    code = f"import sys, runpy; runpy.run_path({str(ROOT / 'dev.py')!r}); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True
    )
    top = {name.partition(".")[0] for name in done.stdout.split()}
    assert top <= sys.stdlib_module_names | {"__main__"}
