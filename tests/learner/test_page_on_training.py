"""The page on training: its code runs, and prints what it shows."""

from shown_code import DOCS, blocks, run

import nbmodule
from nbmodule import learner

PAGE = "training.md"


def test_the_page_shows_what_happens():
    assert run(PAGE, {"__name__": "page"}) >= 7


def test_the_page_names_every_class():
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    told_elsewhere = {"Cancel", "EVENTS", "LRFinderResult"}
    assert [name for name in {*learner.__all__} - told_elsewhere if name not in text] == []


def test_the_readme_trains(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(
        next(code for code, _ in blocks("../README.md") if "learner.fit" in code),
        {"torch": nbmodule},
    )
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["digits.pt", "run"]
