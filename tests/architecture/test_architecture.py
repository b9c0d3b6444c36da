"""The house keeps its shape: arrows point down, imports stay light, files stay small."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = [
    ROOT / "nbmodule",
    ROOT / "widgets" / "nbmodule_widgets",
    ROOT / "notebooks" / "nbmodule_course",
]
SOURCES = sorted(f for package in PACKAGES for f in package.rglob("*.py"))


def run(*command, cwd=ROOT):
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_import_contracts_hold():
    found = run(
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command(['--no-cache'])",
    )
    assert "0 broken" in found.stdout, found.stdout + found.stderr


def test_importing_nbmodule_loads_numpy_alone():
    code = (
        "import numpy, sys; before = set(sys.modules); import nbmodule; "
        "print(sorted({m.split('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    found = run(sys.executable, "-c", code)
    assert found.stdout.strip() == "['nbmodule']", found.stdout + found.stderr


def test_importing_the_views_loads_neither_our_library_nor_torch():
    code = "import nbmodule_widgets, sys; print([m for m in ('nbmodule', 'torch', 'nbmodule_course') if m in sys.modules])"
    found = run(sys.executable, "-c", code)
    assert found.stdout.strip() == "[]", found.stdout + found.stderr


LONGER = {
    "nbmodule/nn/modules/module.py": 1400,
    "nbmodule/nn/modules/loss.py": 1000,
    "nbmodule/nn/modules/conv.py": 900,
    "nbmodule/nn/modules/pooling.py": 900,
    "nbmodule/nn/modules/activation.py": 1300,
    "nbmodule/nn/modules/rnn.py": 900,
}
"""What is read from top to bottom as in PyTorch: the class this product is about, and layers, which are mostly docstrings."""


@pytest.mark.parametrize("file", [f.relative_to(ROOT).as_posix() for f in SOURCES])
def test_a_file_holds_one_idea(file):
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGER.get(file, 700)


def test_rules_never_say_np():
    for file in (ROOT / "nbmodule" / "_ops").glob("*.py"):
        assert "np." not in file.read_text(encoding="utf-8"), file.name


def test_cupy_is_imported_in_one_place():
    users = [f for f in SOURCES if "import cupy" in f.read_text(encoding="utf-8")]
    assert [f.name for f in users] == ["_backend.py"]


@pytest.mark.parametrize(
    "folder",
    [
        "_engine",
        "_ops",
        "_methods",
        "_functions",
        "nn/functional",
        "nn/modules",
        "nn/utils",
    ],
)
def test_a_folder_lists_its_files(folder):
    here = ROOT / "nbmodule" / folder
    text = (here / "__init__.py").read_text(encoding="utf-8")
    told = set(re.findall(r"^    (\w+) ", text, re.M)) | set(re.findall(r"`(\w+)\.py`", text))
    assert {f.stem for f in here.glob("*.py")} - {"__init__"} <= told
