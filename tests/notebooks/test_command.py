"""The `nbmodule` command: what it does, and what it says when it cannot."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import sys

import nbformat
import pytest

from nbmodule_course import editions, lab
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
    assert "its cell does not run" in out
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


def test_the_folder_is_found_from_inside_and_from_beside(course, mine, monkeypatch, capsys):
    monkeypatch.chdir(mine)
    assert main(["check", "98.1"]) == 1
    mine.rename(mine.parent / "nbmodule-chapters")
    monkeypatch.chdir(mine.parent)
    assert main(["check", "98.1"]) == 1
    assert capsys.readouterr().err == ""


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
    assert {"--no-browser", "--LabApp.news_url=None"} <= set(argv)
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
    assert "fault: no chapters are installed" in out
    assert "remedy: make " in out
    assert "fault: ZeroDivisionError" in out  # a look that fails itself does not stop the others
    assert "3 faults found." in out


def test_doctor_has_the_same_text_wherever_all_is_well():
    well = doctor.Diagnosis((Finding("one"), Finding("two")))
    assert repr(well) == "✓ one\n✓ two\nEverything is in order."
    assert "Everything is in order." in well.to_html()
