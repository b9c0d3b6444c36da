"""The `nbmodule` command: what it does, and what it says when it cannot."""

from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import nbmodule
from nbmodule.__main__ import main as package_main
from nbmodule_course import chapters, editions, lab, launch
from nbmodule_course.__main__ import main
from nbmodule_course.doctor import Finding, diagnose
from nbmodule_course.markers import without_markers

CHAPTER = "98_scratch.ipynb"
doctor = sys.modules["nbmodule_course.doctor"]  # the package has a function of the same name


@pytest.fixture
def mine(course, tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    editions.write_edition(folder)
    monkeypatch.chdir(tmp_path)
    return folder


def solve(course, folder, *cell_numbers):
    """Copy solutions into the learner's notebook, as a reader would have typed them."""
    solved = nbformat.read(course / CHAPTER, 4)
    notebook = nbformat.read(folder / CHAPTER, 4)
    for number in cell_numbers:
        notebook.cells[number].source = without_markers(solved.cells[number].source)
    nbformat.write(notebook, folder / CHAPTER)


def put(folder, number, source):
    notebook = nbformat.read(folder / CHAPTER, 4)
    notebook.cells[number].source = source
    nbformat.write(notebook, folder / CHAPTER)


def test_check_reads_the_saved_notebook(course, mine, capsys):
    assert main(["check", "98.1", str(mine)]) == 1
    assert capsys.readouterr().out.startswith("○ 98.1 A drawer: not started")
    solve(course, mine, 3)
    assert main(["check", "98.1", str(mine)]) == 0
    assert capsys.readouterr().out.startswith("✓ 98.1 A drawer: solved")


def test_check_all_checks_every_chapter_and_counts(course, mine, capsys):
    solve(course, mine, 5)
    assert main(["check", "all", str(mine)]) == 1
    assert capsys.readouterr().out.rstrip().endswith("1 of 2 exercises solved")
    solve(course, mine, 3)
    assert main(["check", "all", str(mine)]) == 0


def test_a_cell_that_does_not_run_is_named_instead_of_checking_an_older_class(mine, capsys):
    put(mine, 3, "class Drawer(:")
    assert main(["check", "98.1", str(mine)]) == 1
    out = capsys.readouterr().out
    assert "its cell doesn't run" in out
    assert "SyntaxError" in out


def test_a_missing_object_is_explained_by_the_cell_that_failed(mine, capsys):
    put(mine, 3, "pass")
    put(mine, 1, "from nbmodule_course import check\nimport sys\nsys.exit(3)")
    assert main(["check", "98.1", str(mine)]) == 1
    out = capsys.readouterr().out
    assert "NameError: name 'Drawer' is not defined" in out
    assert "an earlier cell failed: SystemExit" in out


def test_an_exercise_is_checked_without_its_check_cell(course, mine, capsys):
    solve(course, mine, 3)
    put(mine, 4, "")
    assert main(["check", "98.1", str(mine)]) == 0


@pytest.mark.parametrize("name", ["my-chapters", "nbmodule-chapters"])
@pytest.mark.parametrize("where", ["{}", "{}/deeper", ".", "docs/pages", "../elsewhere"])
def test_the_folder_is_found_from_everywhere(course, mine, monkeypatch, capsys, name, where):
    checkout = mine.parent / "checkout"  # the course is read from its folder `notebooks`
    checkout.mkdir()
    course.rename(checkout / "notebooks")
    monkeypatch.setattr(chapters, "folder", lambda: checkout / "notebooks")
    mine.rename(checkout / name)
    here = checkout / where.format(name)
    here.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(here)
    assert main(["check", "98.1"]) == 1
    assert main(["reset", "98.1"]) == 0
    assert capsys.readouterr().err == ""


def test_doctor_looks_at_the_readers_folder(course, mine, monkeypatch):
    assert doctor._yours().name == "`nbmodule lab` will write your chapters"
    monkeypatch.chdir(mine)
    assert doctor._yours() == Finding("your chapters in mine can be read and written")
    (mine / CHAPTER).write_text("{", encoding="utf-8")
    found = doctor._yours()
    assert f"{CHAPTER} cannot be read as a notebook" in found.fault
    assert found.remedy.startswith("Rename it")


def test_lab_opens_the_folder_around_or_the_default_one(course, tmp_path, started, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["lab", "--no-browser"]) == 0
    (tmp_path / "my-chapters" / "deeper").mkdir()
    monkeypatch.chdir(tmp_path / "my-chapters" / "deeper")
    assert main(["lab", "--no-browser"]) == 0
    root = f"--ServerApp.root_dir={tmp_path / 'my-chapters'}"
    assert [root in argv for argv in started] == [True, True]


def test_whoever_comes_back_lands_where_they_stopped(course, mine, started):
    assert main(["lab", str(mine), "--no-browser"]) == 0
    put(mine, 3, "my work")
    assert main(["lab", str(mine), "--no-browser"]) == 0
    addresses = [next(a for a in argv if "default_url" in a) for argv in started]
    assert addresses == ["--LabApp.default_url=/lab", f"--LabApp.default_url=/lab/tree/{CHAPTER}"]


@pytest.mark.parametrize(
    ("chosen", "used"),
    [
        ({}, {"1"}),
        ({"OMP_NUM_THREADS": "3"}, {"3"}),
        ({"OPENBLAS_NUM_THREADS": "2"}, {"1", "2"}),
    ],
)
def test_kernels_compute_with_one_thread_unless_the_reader_chose(monkeypatch, chosen, used):
    for name in launch.THREADS:
        monkeypatch.delenv(name, raising=False)
    for name, value in chosen.items():
        monkeypatch.setenv(name, value)
    found = {name: lab.surroundings()[name] for name in launch.THREADS}
    assert set(found.values()) == used
    assert chosen.items() <= found.items()


def test_doctor_tells_how_many_threads_there_are_and_how_to_change_it(monkeypatch):
    for name in launch.THREADS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(doctor.nbmodule, "get_num_threads", lambda: 8)
    bare = doctor._threads()
    assert not bare.well
    assert "8 threads" in bare.name
    assert "set_num_threads(1)" in bare.remedy
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    assert doctor._threads().well
    for name in launch.THREADS:
        monkeypatch.setenv(name, "1")
    assert "one thread (set OMP_NUM_THREADS" in doctor._threads().name


def test_a_home_that_cannot_be_written_is_said_and_replaced(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").touch()
    for name in ("CONFIG", "DATA", "RUNTIME"):
        monkeypatch.setenv(f"JUPYTER_{name}_DIR", str(tmp_path / "file" / name))
    monkeypatch.setattr(lab.tempfile, "tempdir", str(tmp_path))
    instead = lab.substitutes()
    assert lab.substitutes() == instead
    (home,) = tmp_path.glob("nbmodule-home-*")  # not one for every start
    assert Path(instead["JUPYTER_RUNTIME_DIR"]).parent == home
    home.rmdir()
    home.symlink_to(tmp_path / "of somebody else")
    assert lab.substitutes()["IPYTHONDIR"] != instead["IPYTHONDIR"]
    out = capsys.readouterr().out
    assert "cannot be written (Not a directory)" in out
    assert "Try: " in out
    assert not doctor._home().well
    for name in ("CONFIG", "DATA", "RUNTIME"):
        monkeypatch.setenv(f"JUPYTER_{name}_DIR", str(tmp_path / name))
    assert lab.substitutes() == {}
    assert doctor._home().well


def test_doctor_sees_a_full_disk_and_a_missing_chromium(monkeypatch):
    assert doctor._disk().well
    monkeypatch.setattr(
        doctor.shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(9, 8, 1)
    )
    assert "only 0 MB are free" in doctor._disk().fault
    monkeypatch.setattr(doctor.chromium, "find_chromium", lambda: None)
    assert "apt-get install chromium" in doctor._chromium().remedy


def test_a_full_disk_is_one_sentence(course, tmp_path, started, monkeypatch, capsys):
    def full(folder):
        raise OSError(errno.ENOSPC, "No space left on device", str(folder))

    monkeypatch.setattr(lab, "write_edition", full)
    assert main(["lab", str(tmp_path / "new")]) == 2
    assert "No space left on device. Try: free some space" in capsys.readouterr().err


def test_ctrl_c_ends_a_command_in_one_line(course, mine, monkeypatch, capsys):
    put(mine, 3, "raise KeyboardInterrupt")
    assert main(["check", "98.1", str(mine)]) == 130
    assert capsys.readouterr().err == "\nStopped. Run the same command again to go on.\n"


def test_the_version_is_told_by_the_command_and_by_the_package(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"nbmodule {nbmodule.__version__}\n"
    assert package_main([]) == 0
    assert "python -m nbmodule lab" in capsys.readouterr().out


def test_the_package_says_what_its_command_needs(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert package_main(["--version"]) == 0
    assert package_main(["lab"]) == 2
    assert 'Try: pip install "nbmodule[lab]"' in capsys.readouterr().err


def test_where_numpy_is_alone_the_command_still_names_what_is_missing():
    absent = "nbformat", "jupyterlab", "jupyter_core", "platformdirs", "ipywidgets", "anywidget"
    code = f"import sys; sys.modules |= dict.fromkeys({absent}); from nbmodule.__main__ import main; sys.exit(main(['check', 'all']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == 'nbmodule: nbformat is not installed. Try: pip install "nbmodule[lab]"\n'


def test_the_package_hands_over_to_the_command(capsys):
    with pytest.raises(SystemExit):
        package_main(["check", "--help"])
    assert "usage: nbmodule check" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "98.7", "mine"], 'no exercise "98.7"'),
        (["check", "98.1", "nowhere"], "There are no chapters in nowhere"),
        (["check", "98.1"], "write them with: nbmodule lab DIR"),
        (["reset", "all", "mine"], 'no exercise "all"'),
    ],
)
def test_wrong_calls_are_explained(mine, capsys, arguments, said):
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err


def test_reset_by_command(mine, capsys):
    put(mine, 3, "mine")
    assert main(["reset", "98.1", str(mine)]) == 0
    assert "as it was at the start" in capsys.readouterr().out


def test_only_lab_passes_arguments_on(mine, capsys):
    with pytest.raises(SystemExit):
        main(["check", "98.1", "--", "--debug"])
    assert "only `nbmodule lab`" in capsys.readouterr().err


@pytest.fixture
def started(monkeypatch):
    """Instead of starting JupyterLab, keep the command."""
    kept = []
    monkeypatch.setattr(lab, "start", lambda argv, folder: kept.append(argv) or 0)
    return kept


def test_lab_writes_the_edition_and_starts_jupyterlab_silently(course, tmp_path, started, capsys):
    folder = tmp_path / "new" / "chapters"
    assert main(["lab", str(folder), "--no-browser", "--", "--debug"]) == 0
    (argv,) = started
    assert (folder / CHAPTER).exists()
    assert f"--ServerApp.root_dir={folder}" in argv
    silent = {"--no-browser", "--LabApp.news_url=None", "--ServerApp.answer_yes=True"}
    assert silent <= set(argv)
    assert argv[-1] == "--debug"
    assert "Wrote 1 chapter" in capsys.readouterr().out


def test_a_terminal_in_jupyterlab_finds_the_command():
    found = shutil.which("nbmodule", path=lab.surroundings()["PATH"].split(os.pathsep)[0])
    assert found is not None


@pytest.mark.skipif(os.name != "posix", reason="elsewhere JupyterLab is a child process")
def test_jupyterlab_starts_in_the_readers_folder(monkeypatch, tmp_path):
    seen = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "execve", lambda *_: seen.append(os.getcwd()))
    monkeypatch.setattr(lab.subprocess, "call", lambda *_, **__: 0)
    folder = tmp_path / "chapters"
    folder.mkdir()
    lab.start(["python"], folder)
    assert os.path.samefile(seen[0], folder)


def test_a_busy_port_is_said_before_anything_is_written(course, tmp_path, started, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["lab", str(tmp_path / "new"), "--port", str(port)]) == 2
    err = capsys.readouterr().err
    assert f"Port {port} cannot be used" in err
    assert "--port" in err
    assert started == []
    assert not (tmp_path / "new").exists()


def test_a_foreign_folder_is_refused_before_jupyterlab_starts(course, tmp_path, started, capsys):
    (tmp_path / "thesis.txt").write_text("mine")
    assert main(["lab", str(tmp_path)]) == 2
    assert "Nothing was changed" in capsys.readouterr().err
    assert started == []


def test_a_folder_that_cannot_be_made_is_said(course, tmp_path, started, capsys):
    (tmp_path / "file").write_text("")
    assert main(["lab", str(tmp_path / "file" / "chapters")]) == 2
    err = capsys.readouterr().err
    assert err.startswith("nbmodule: ")
    assert "file" in err
    assert "Traceback" not in err


def test_a_missing_jupyterlab_names_its_remedy(course, tmp_path, started, monkeypatch, capsys):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "jupyterlab" else find(name)
    )
    assert main(["lab", str(tmp_path / "new")]) == 2
    assert 'pip install "nbmodule[lab]"' in capsys.readouterr().err


def test_doctor_finds_this_environment_well(course):
    found = diagnose([doctor._python, doctor._numpy, doctor._lab, doctor._extensions])
    assert found.well, repr(found)


def test_doctor_names_each_fault_with_its_remedy(course, tmp_path, monkeypatch, capsys):
    (course / CHAPTER).unlink()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NBMODULE_PROGRESS", str(tmp_path / "file" / "progress.json"))
    monkeypatch.setattr(doctor, "_kernel", lambda: Finding("a Python kernel starts"))
    monkeypatch.setattr(doctor.webbrowser, "get", lambda: 1 / 0)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "problem: no chapters are installed" in out
    assert "try: make " in out
    assert "fault: ZeroDivisionError" in out  # a look that fails itself does not stop the others
    assert "3 faults found." in out
    monkeypatch.setattr(doctor, "_browser", lambda: print("the last look") or Finding("browser"))
    main(["doctor"])
    out = capsys.readouterr().out  # what was found is told at once: a kernel takes its time
    assert out.index("Python is new enough") < out.index("the last look")


def test_doctor_has_the_same_text_wherever_all_is_well():
    well = doctor.Diagnosis((Finding("one"), Finding("two")))
    assert repr(well) == "✓ one\n✓ two\nEverything is in order."
    assert "Everything is in order." in well.to_html()
