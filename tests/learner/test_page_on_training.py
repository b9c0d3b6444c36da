"""The page on training: its code runs, and prints what it shows."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

from nbmodule import learner

PAGE = Path(__file__).parents[2] / "docs" / "training.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)


def test_the_page_shows_what_happens():
    found = [(m[1], m[2]) for m in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    following = [*found[1:], ("python", "")]
    names: dict[str, Any] = {}
    for (kind, code), (below, shown) in zip(found, following, strict=True):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(code, PAGE.name, "exec"), names)
            assert out.getvalue() == (shown if below == "text" else ""), code


def test_the_page_names_every_class():
    text = PAGE.read_text(encoding="utf-8")
    told_elsewhere = {"Cancel", "EVENTS", "LRFinderResult"}
    assert [
        name for name in learner.__all__ if name not in text and name not in told_elsewhere
    ] == []
