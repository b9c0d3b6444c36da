"""The page on saving and resuming: its code runs, and prints what it shows."""

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "saving-and-resuming.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)


def test_the_page_shows_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = [(m[1], m[2]) for m in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    names = {"__name__": "page"}
    for (kind, code), (below, shown) in zip(found, [*found[1:], ("python", "")], strict=True):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(code, PAGE.name, "exec"), names)
            assert out.getvalue() == (shown if below == "text" else ""), code
