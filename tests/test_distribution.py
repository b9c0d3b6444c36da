"""The built distribution: what is in it, and that it works far from the checkout."""

from __future__ import annotations

import email
import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with sdist and wheel; the wheel is built from the sdist, as pip would."""
    folder = tmp_path_factory.mktemp("dist")
    call = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (file,) = built.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The Python of a fresh environment that has settings, then got the wheel, and sees this one's other packages."""
    folder = tmp_path_factory.mktemp("elsewhere")
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True
    )
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    settings_of(python).parent.mkdir(parents=True)
    settings_of(python).write_text(SETTINGS, encoding="utf-8")
    own = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    ).strip()
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    install = ["install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([*pip, *install], check=True)
    # A plain path, unlike this environment's own .pth files, does not lead back to the checkout.
    Path(own, "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python


SETTINGS = '{"TemplateExporter": {"preprocessors": ["theirs.Shout"]}}'


def settings_of(python: Path) -> Path:
    """Return where an administrator would write what `jupyter nbconvert` does in an environment."""
    return python.parents[1] / "etc" / "jupyter" / "jupyter_nbconvert_config.json"


def run(python: Path, *arguments: str, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        [python, *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1", "PYTHONPATH": "", **environment},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def chapter_names() -> set[str]:
    return {path.name for path in (ROOT / "notebooks").glob("[0-9A-Z]*_*.ipynb")}


def test_the_wheel_holds_everything_that_a_reader_needs(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        texts = {name: archive.read(name) for name in names if name.endswith((".py", ".json"))}
    for package, folder in [
        ("nbmodule", "."),
        ("nbmodule_widgets", "widgets"),
        ("nbmodule_course", "notebooks"),
    ]:
        source = ROOT / folder
        wanted = {
            path.relative_to(source).as_posix()
            for path in (source / package).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert wanted <= names
        assert f"{package}/py.typed" in names
    assert {n for n in names if n.startswith("nbmodule_course/chapters/")} == {
        f"nbmodule_course/chapters/{name}" for name in chapter_names()
    }
    assert any(name.endswith(".js") for name in names)
    assert any(name.endswith(".css") for name in names)
    assert {Path(name).name for name in names if "/licenses/" in name} == {"LICENSE", "NOTICE"}
    # Anything else could replace a file of the environment, and be deleted with us.
    packages = {name for name in names if ".dist-info/" not in name}
    assert {name.split("/")[0] for name in packages} == {
        "nbmodule",
        "nbmodule_widgets",
        "nbmodule_course",
    }
    assert [name for name, text in texts.items() if str(ROOT).encode() in text] == []


def test_an_index_can_show_what_it_is_told(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        told = email.message_from_bytes(archive.read(name))
    urls = dict(line.split(", ") for line in told.get_all("Project-URL"))
    assert {"Source", "Documentation", "Issues", "Changelog"} <= urls.keys()
    source = urls["Source"]
    assert all(url.startswith(source) for url in urls.values())
    links = re.findall(r"\]\((.*?)\)", told.get_payload(decode=True).decode())
    assert all(link.startswith(("https://", "#")) for link in links), links
    files, pictures = f"{source}/blob/main/", f"{source}/raw/main/"  # the README's own are relative
    own = [link.removeprefix(files) for link in links if link.startswith(files)]
    assert len(own) >= 8
    shown = [link.removeprefix(pictures) for link in links if link.endswith(".png")]
    assert len(shown) == 3
    own += shown
    assert [file for file in own if not (ROOT / file).exists()] == []


def test_the_source_archive_can_be_tested(built):
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"dev.py", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE"} <= names
    assert {"tests/test_distribution.py", "scripts/build_notebooks.py"} <= names
    assert {f"notebooks/{name}" for name in chapter_names()} <= names


def test_the_library_loads_numpy_alone(installed, tmp_path):
    code = (
        "import sys, json, numpy; before = set(sys.modules); import nbmodule; "
        "print(json.dumps(sorted({name.partition('.')[0] for name in set(sys.modules) - before}"
        " - set(sys.stdlib_module_names)))); print(nbmodule.__file__)"
    )
    loaded, file = run(installed, "-c", code, folder=tmp_path).splitlines()
    assert json.loads(loaded) == ["nbmodule"]
    assert not file.startswith(str(ROOT / "nbmodule"))


def test_the_command_works_from_the_wheel(installed, tmp_path):
    assert "lab" in run(installed, "-m", "nbmodule_course", "--help", folder=tmp_path)
    command = installed.with_name("nbmodule.exe" if os.name == "nt" else "nbmodule")
    assert "doctor" in run(command, "--help", folder=tmp_path)


def test_the_menu_for_exports_needs_no_views(installed, tmp_path):
    """It is imported wherever the server runs, also without ipywidgets and anywidget, and must not stop it."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['ipywidgets', 'anywidget', 'nbmodule_widgets']));"
        "import json; from traitlets.utils.importstring import import_item;"
        "from nbmodule_course import lab, export_menu as menu;"
        "told = json.loads((lab._CONFIG / 'jupyter_server_config.d' / 'nbmodule.json').read_text());"
        "assert told['ServerApp']['jpserver_extensions'] == {menu.__name__: True};"
        "assert menu._jupyter_server_extension_points() == [{'module': menu.__name__}];"
        "print(import_item(menu.OURS).__name__)"
    )
    assert run(installed, "-c", code, folder=tmp_path).strip() == "StaticViews"


EXPORT = """
import subprocess, sys
from nbmodule_course.lab import surroundings
command = [sys.executable, "-m", "nbconvert", "--to", "html", "--stdout", "book.ipynb"]
subprocess.run(command, env=surroundings(), check=True)
"""
THEIRS = """
from nbconvert.preprocessors import Preprocessor

class Shout(Preprocessor):
    def preprocess_cell(self, cell, resources, index):
        cell.outputs[0].data["text/html"] += "<b>theirs</b>"
        return cell, resources
"""


def test_settings_of_an_administrator_survive_us_and_exports_obey_both(installed, tmp_path):
    assert settings_of(installed).read_text(encoding="utf-8") == SETTINGS
    (record,) = installed.parents[1].rglob(
        "nbmodule-*.dist-info/RECORD"
    )  # what pip would take away
    listed = [Path(line.split(",")[0]) for line in record.read_text(encoding="utf-8").splitlines()]
    assert {path.stem for path in listed if ".." in path.parts} == {"nbmodule"}, "the command"

    data = {
        "application/vnd.jupyter.widget-view+json": {"model_id": "0" * 32},
        "text/html": '<div class="nbmodule-static">the twin</div>',
    }
    cell = new_code_cell("view", outputs=[new_output("display_data", data)])
    state = {
        "version_major": 2,
        "state": {"0" * 32: {"state": {}}},
    }  # with it nbconvert takes the live form
    widgets = {"application/vnd.jupyter.widget-state+json": state}
    book = new_notebook(cells=[cell], metadata={"widgets": widgets})
    nbformat.write(book, tmp_path / "book.ipynb")
    (tmp_path / "theirs.py").write_text(THEIRS, encoding="utf-8")
    templates = Path(sysconfig.get_path("data"), "share", "jupyter")
    page = run(installed, "-c", EXPORT, folder=tmp_path, PYTHONPATH=str(tmp_path), JUPYTER_PATH=str(templates))  # fmt: skip
    assert "the twin</div><b>theirs</b>" in page
    assert "widget-view+json" not in page
    assert "widget-state+json" not in page


def test_an_edition_is_written_and_checked_from_the_wheel(installed, tmp_path):
    code = (
        "import pathlib; from nbmodule_course.editions import write_edition; "
        "print(*write_edition(pathlib.Path('mine')).written)"
    )
    environment = {"NBMODULE_PROGRESS": str(tmp_path / "progress.json")}
    written = run(installed, "-c", code, folder=tmp_path, **environment).split()
    assert set(written) == chapter_names()
    assert {file.name for file in (tmp_path / "mine").glob("[0-9A-Z]*_*.ipynb")} == chapter_names()
    data = "from nbmodule_course import fashion; print(fashion().train_images.shape)"
    assert run(installed, "-c", data, folder=tmp_path).strip() == "(2000, 1, 28, 28)"
