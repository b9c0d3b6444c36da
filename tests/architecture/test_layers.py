"""Every module stands in a layer of an import contract, and no files import each other in a circle."""

import pkgutil
import tomllib
from functools import cache
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ["nbmodule", "nbmodule_widgets", "nbmodule_course"]
FOLDERS = {
    "nbmodule": "nbmodule",
    "nbmodule_widgets": "widgets/nbmodule_widgets",
    "nbmodule_course": "notebooks/nbmodule_course",
}

TOGETHER = [
    # What shows itself asks for its live view, which knows it, and a report's view checks again.
    "nbmodule_course.report nbmodule_course.report_view nbmodule_course.check",
    "nbmodule_course.predict nbmodule_course.predict_view",
    "nbmodule_course.progress nbmodule_course.progress_view",
    # An annotation of the one below names the one above.
    "nbmodule_course.mine.carried nbmodule_course.mine.on_tape",
    "nbmodule_widgets.facts.model nbmodule_widgets.facts.searching",
    "nbmodule_widgets.watching.history nbmodule_widgets.watching.text",
    "nbmodule_widgets.lesson_facts.ledger nbmodule_widgets.lesson_facts.ledger_words",
    "nbmodule_widgets.tracing.firings nbmodule_widgets.tracing.hooked nbmodule_widgets.tracing.tracer",
]
"""The circles that there are. No further one may come; who opens one takes its line out."""


def layers():
    """Return the modules that stand in a layer of a contract."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    rows = [row for c in contracts if c["type"] == "layers" for row in c["layers"]]
    return {name.strip() for row in rows for name in row.replace(":", "|").split("|")}


def children(package):
    folder = ROOT / FOLDERS[package.partition(".")[0]] / "/".join(package.split(".")[1:])
    return [f"{package}.{m.name}" for m in pkgutil.iter_modules([str(folder)])]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_stands_in_a_layer(package):
    known = layers()
    there = [m for m in children(package) if m not in known]
    left = [m for m in there if not set(children(m)) or not set(children(m)) <= known]
    assert left == []


def test_every_layer_is_there():
    assert layers() - set().union(*(graph(p).modules for p in PACKAGES)) == set()


@cache
def graph(package, annotations=True):
    """Return what imports what, late imports included."""
    return grimp.build_graph(package, exclude_type_checking_imports=not annotations, cache_dir=None)


def circles(package):
    """Return the sets of files each of which is reached from all others."""
    all_of_them, running = graph(package), graph(package, annotations=False)
    below = {}
    for m in all_of_them.modules:
        below[m] = all_of_them.find_modules_directly_imported_by(m)
        # What a folder tells type checkers of its own files, which it imports late, is its table of contents.
        own = {n for n in below[m] if n.startswith(f"{m}.")}
        below[m] -= own - running.find_modules_directly_imported_by(m)
    # A file that imports none of the others, or that none of them imports, is in no circle.
    while True:
        above = set().union(*below.values())
        ends = {m for m in below if not below[m] or m not in above}
        if not ends:
            break
        below = {m: below[m] - ends for m in below.keys() - ends}
    return {frozenset(reached(below, m) & reached_by(below, m)) for m in below} - {frozenset()}


def reached(below, start):
    found, todo = set(), [start]
    while todo:
        new = below[todo.pop()] - found
        found |= new
        todo += new
    return found


def reached_by(below, start):
    above = {m: {n for n in below if m in below[n]} for m in below}
    return reached(above, start)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_files_import_each_other_in_a_circle(package):
    known = [set(line.split()) for line in TOGETHER]
    assert [sorted(c) for c in circles(package) if not any(c <= k for k in known)] == []


def test_a_circle_is_noticed(tmp_path, monkeypatch):
    folder = tmp_path / "planted"
    folder.mkdir()
    (folder / "__init__.py").write_text("from . import a")
    (folder / "a.py").write_text("def f():\n    from . import b")
    (folder / "b.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import a, c"
    )
    (folder / "c.py").write_text("import sys")
    monkeypatch.syspath_prepend(tmp_path)
    assert circles("planted") == {frozenset({"planted.a", "planted.b"})}
