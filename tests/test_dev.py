"""`dev.py` on machines that lack something: it says what, and how to mend it; stopped at any moment, it goes on."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from course_chapters import ROOT, load

INSTALLED = {"version": [*sys.version_info[:2]], "missing": [], "half": []}
FAKE_PYTHON = """#!/bin/sh
# Answers as an environment does in which `pip install` takes its time. The files beside it tell how far it is.
here=$(dirname "$0"); log="$here/../calls"
case "$*" in
  *"-m venv"*)
    mkdir -p "$3/bin"; touch "$3/begun"; sleep "$SLOW_VENV"; cp "$0" "$3/bin/python"; touch "$3/pyvenv.cfg" ;;
  *"pip install"*)
    echo "$$ begins" >>"$log"; echo "Collecting numpy"; touch "$here/../half"; sleep "$SLOW_PIP"
    touch "$here/../whole"; rm "$here/../half"; echo "$$ ends" >>"$log" ;;
  *"-c"*)
    half=""; [ -e "$here/../half" ] && half='"numpy"'
    missing=""; [ -e "$here/../whole" ] || missing='"numpy"'
    echo "{\\"version\\": [VERSION], \\"missing\\": [$missing], \\"half\\": [$half]}" ;;
  *launch.py*) echo "started: $*" ;;
esac
"""


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """`dev.py` with an environment that does not exist yet, where nothing is really run."""
    monkeypatch.setenv("NBMODULE_VENV", str(tmp_path / "venv"))
    module = load(ROOT / "dev.py")
    calls, answers = [], {}

    def pretend(command, doing):
        calls.append([str(part) for part in command])
        if "venv" in command:
            module.PYTHON.parent.mkdir(parents=True, exist_ok=True)
            module.PYTHON.touch()
        name = "uv" if command[0] == "uv" else " ".join(command[1 : 3 if "venv" in command else 4])
        return answers.get(name, (0, ""))

    def ask(names=(), deep=False):
        half = module.facts["half"] if deep else []  # who asks in haste does not see them
        return {**module.facts, "half": half} if module.PYTHON.exists() else {}

    module.calls, module.answers, module.facts = calls, answers, dict(INSTALLED)
    monkeypatch.setattr(module, "follow", pretend)
    monkeypatch.setattr(module, "ask", ask)
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
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
    assert installed[-2:] == ["--editable", ".[test]"]
    dev.prepare("test")
    dev.prepare("lab")  # what the tests need includes it
    assert len(dev.calls) == 3
    monkeypatch.setattr(dev, "state", lambda extra: f"other requirements of {extra}")
    dev.prepare("test")
    assert len(dev.calls) == 5


def test_what_tools_are_told_in_pyproject_is_no_requirement(dev, tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    before = dev.state("lab")
    with (tmp_path / "pyproject.toml").open("a") as file:
        file.write("[tool.other]\n")
    assert dev.state("lab") == before
    text = (tmp_path / "pyproject.toml").read_text(encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(text.replace("numpy>=2.0", "numpy>=2.1"), "utf-8")
    assert dev.state("lab") != before


def test_a_folder_of_wheels_replaces_the_network(dev, monkeypatch):
    monkeypatch.setenv("NBMODULE_WHEELS", "wheelhouse")
    dev.prepare("lab")
    command = dev.calls[-2]
    assert command[command.index("--no-index") :][:3] == [
        "--no-index",
        "--find-links",
        str(Path("wheelhouse").absolute()),
    ]


def test_uv_installs_where_it_is_present_and_pip_where_it_fails(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev.shutil, "which", lambda name: "uv")
    dev.prepare("lab")
    assert [call[:3] for call in dev.calls[:2]] == [
        ["uv", "venv", "--seed"],
        ["uv", "pip", "install"],
    ]
    shutil.rmtree(dev.VENV)
    dev.calls.clear()
    dev.answers["uv"] = (2, "no route to host")
    dev.prepare("lab")
    assert [call[1:3] for call in dev.calls] == [
        *(["venv", "--seed"], ["-m", "venv"]),
        *(["pip", "install"], ["-m", "pip"], ["-m", "compileall"]),
    ]
    assert "pip tries" in capsys.readouterr().out


def test_an_old_python_is_named(dev, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 2))
    with pytest.raises(SystemExit, match=r"Python 3\.11 or newer is needed; this is 3\.10\.2"):
        dev.prepare("test")


@pytest.mark.parametrize(
    "said", ["not created successfully because ensurepip is not available", "No module named venv"]
)
def test_a_python_without_venv_names_the_package(dev, said):
    dev.answers["-m venv"] = (1, said)
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        dev.prepare("test")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Could not find a version", "set NBMODULE_WHEELS"),
        ("OSError: [Errno 28] No space left on device", "Remedy: free 2 GB"),
        ("error: Read-only file system (os error 30)", "Remedy: set NBMODULE_VENV"),
    ],
)
def test_a_failed_installation_names_its_remedy(dev, said, told):
    dev.answers["-m pip install"] = (1, said)
    dev.facts["missing"] = ["numpy"]
    with pytest.raises(SystemExit, match=told) as ended:
        dev.prepare("test")
    assert said in str(ended.value)
    assert not dev.INSTALLED.exists()


def test_without_a_network_what_is_there_goes_on_and_the_next_call_tries_again(
    dev, monkeypatch, capsys
):
    dev.prepare("lab")
    monkeypatch.setattr(dev, "state", lambda extra: f"other requirements of {extra}")
    dev.answers["-m pip install"] = (1, "Temporary failure in name resolution")
    dev.prepare("lab")
    out = capsys.readouterr().out
    assert "going on with it" in out
    assert "made again" not in out
    assert not dev.INSTALLED.exists()  # whatever pyproject.toml becomes: nobody knows what is there
    dev.answers.clear()
    dev.calls.clear()
    dev.prepare("lab")
    assert "install" in dev.calls[0]
    dev.prepare("lab")
    assert len(dev.calls) == 2


def break_python(dev):
    dev.PYTHON.unlink()


def make_half(dev):
    dev.PLACE.write_text("")


def move(dev):
    dev.PLACE.write_text("/another/place/.venv")


def leave_half_a_package(dev):
    dev.facts["half"] = ["numpy"]


def upgrade_the_system(dev):
    (dev.VENV / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.10.12\n")


@pytest.mark.parametrize(
    ("harm", "named"),
    [
        (break_python, "has no Python that runs"),
        (make_half, "is half made"),
        (move, "was moved here"),
        (leave_half_a_package, "is half installed: numpy"),
        (upgrade_the_system, "was made with Python 3.10"),
        (lambda dev: dev.facts.update(version=[3, 10]), "is one of Python 3.10, which is too old"),
    ],
)
def test_an_environment_that_cannot_work_is_named_and_made_again(dev, capsys, harm, named):
    dev.prepare("lab")
    (dev.VENV / "left-over").touch()
    harm(dev)
    dev.INSTALLED.unlink()  # all but the first are looked for where somebody installs
    made = dev.calls.copy()
    dev.prepare("lab")
    assert named in capsys.readouterr().out
    assert not (dev.VENV / "left-over").exists()
    assert dev.calls[3:] == made


def test_an_older_python_than_the_one_that_runs_is_made_again(dev, monkeypatch, capsys):
    dev.prepare("lab")
    newer = (sys.version_info[0], sys.version_info[1] + 1)
    monkeypatch.setattr(sys, "version_info", (*newer, 0))
    dev.prepare("lab")
    assert f"this is {newer[0]}.{newer[1]}. It is made again" in capsys.readouterr().out


def test_without_a_network_an_older_python_stays(dev, monkeypatch, capsys):
    dev.prepare("lab")
    monkeypatch.setattr(sys, "version_info", (sys.version_info[0], sys.version_info[1] + 1, 0))
    dev.answers["-m pip download"] = dev.answers["-m pip install"] = (1, "no route to host")
    dev.prepare("lab")
    out = capsys.readouterr().out
    assert "going on with it" in out
    assert "made again" not in out
    dev.answers.clear()
    dev.prepare("lab")
    assert "It is made again" in capsys.readouterr().out


@pytest.mark.parametrize("inside", ["thesis.tex", "pyvenv.cfg"])
def test_a_folder_that_was_made_elsewhere_stays_as_it_is(dev, inside):
    dev.VENV.mkdir()
    (dev.VENV / inside).write_text("mine")
    with pytest.raises(SystemExit, match="stays as it is"):
        dev.prepare("lab")
    assert (dev.VENV / inside).read_text() == "mine"
    assert dev.calls == []


def test_the_environment_of_the_clone_is_emptied_only_if_it_is_one(dev, monkeypatch, tmp_path):
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "VENV", tmp_path / ".venv")
    (tmp_path / ".venv" / "lib").mkdir(parents=True)
    assert dev.ours()  # an earlier version of this script left it half made
    (tmp_path / ".venv" / "notes.txt").touch()
    assert not dev.ours()


@pytest.fixture
def clone(tmp_path):
    """A function that starts `dev.py nbmodule` in a clone, where making the environment and installing take so many seconds."""
    folder = tmp_path / "clöne with spaces"
    (folder / "notebooks" / "nbmodule_course").mkdir(parents=True)
    course = "notebooks/nbmodule_course"
    for name in ("dev.py", "pyproject.toml", f"{course}/launch.py", f"{course}/locking.py"):
        shutil.copy(ROOT / name, folder / name)
    fake = tmp_path / "bin" / "python"
    fake.parent.mkdir()
    fake.write_text(FAKE_PYTHON.replace("VERSION", "{}, {}".format(*sys.version_info)))
    fake.chmod(0o755)
    code = f"import sys, runpy; sys._base_executable = {str(fake)!r}; sys.argv = ['dev.py', 'nbmodule', 'doctor']; "
    code += f"runpy.run_path({str(folder / 'dev.py')!r}, run_name='__main__')"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NBMODULE_")}
    started = []

    def start(venv=0, pip=0):
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                **environment,
                "SLOW_VENV": str(venv),
                "SLOW_PIP": str(pip),
                "PATH": "/usr/bin:/bin",
            },
            start_new_session=True,
        )
        started.append(process)
        return process

    start.folder = folder
    yield start
    for process in started:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_for(path):
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not come"
        time.sleep(0.01)


posix = pytest.mark.skipif(os.name != "posix", reason="the pretended Python is a shell script")


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize(("step", "begun"), [("venv", "begun"), ("pip", "half")])
def test_whoever_stops_it_at_any_moment_goes_on_with_the_next_call(clone, number, step, begun):
    stopped = clone(**{step: 2 if number == signal.SIGKILL else 3600})
    wait_for(clone.folder / ".venv" / begun)
    stopped.send_signal(number)
    out, _ = stopped.communicate(timeout=30)
    if number != signal.SIGKILL:  # else what it has begun goes on, and is waited for
        assert stopped.returncode == 128 + number
        assert out.endswith("Stopped. This goes on where it was: python3 dev.py nbmodule doctor\n")
    assert "Traceback" not in out
    again = clone()
    out, _ = again.communicate(timeout=30)
    if number != signal.SIGKILL:
        fault = "is half installed: numpy" if step == "pip" else "has no Python that runs"
        assert fault in out.partition("It is made again")[0]
    assert "launch.py nbmodule_course doctor" in out
    assert again.returncode == 0


@posix
def test_two_calls_at_once_install_once(clone):
    calls = [clone(pip=1), clone(pip=1)]
    outs = [call.communicate(timeout=60)[0] for call in calls]
    assert sorted("waiting for it" in out for out in outs) == [False, True]
    assert all("started: " in out for out in outs)
    log = (clone.folder / ".venv" / "calls").read_text().split()
    assert log[1::2] == ["begins", "ends"]


def test_one_failure_makes_the_whole_fail_and_is_named_last(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev, "prepare", lambda extra: None)
    monkeypatch.setattr(dev, "pytest", lambda arguments: int("--nbval" in arguments))
    assert dev.main(["test"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "FAILED: chapters"
    monkeypatch.setattr(dev, "pytest", lambda arguments: 0)
    assert dev.main(["test"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "All well: tests, chapters"


def test_the_check_of_the_scripts_and_its_caller_mean_the_same(dev):
    told = (ROOT / "scripts/check_scripts.py").read_text("utf-8")
    assert re.search(rf"^UNREAD = {dev.UNREAD}\b", told, re.M)


def test_types_that_are_not_checked_are_no_secret(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev, "prepare", lambda extra: None)
    monkeypatch.setattr(dev, "call", lambda command, **options: 0)
    assert dev.main(["check"]) == 0
    *_, missing, last = capsys.readouterr().out.splitlines()
    assert missing.startswith("Not looked at: types, scripts")
    assert missing.endswith(f'{dev.PYTHON} -m pip install --editable "{ROOT}[types]"')
    assert "types" not in last
    dev.BIN.mkdir(parents=True)
    dev.script("pyright").touch()
    assert dev.main(["check"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("types, scripts")
    reads = {"scripts/check_scripts.py": dev.UNREAD}
    monkeypatch.setattr(dev, "call", lambda command, **options: reads.get(command[-1], 0))
    assert dev.main(["check"]) == 0
    *_, missing, last = capsys.readouterr().out.splitlines()
    assert missing.startswith("Not looked at: scripts")
    assert last.endswith("types")
    reads["scripts/check_scripts.py"] = 1
    assert dev.main(["check"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "FAILED: scripts"


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
