"""The page on looking at a model: its code runs, and prints what it shows."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import nbmodule_widgets as nw

PAGE = Path(__file__).parents[2] / "docs" / "looking-at-a-model.md"
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
    assert isinstance(names["view"], nw.ModuleTree)


def test_the_page_names_every_entry_point():
    """Whatever the package offers as a function that takes a model stands in the table of calls."""
    text = PAGE.read_text(encoding="utf-8")
    tools = {
        "facts",
        "mimebundle",
        "text",
        "load_ipython_extension",
        "unload_ipython_extension",
        "uninstall",
    }
    offered = {name for name in nw.__all__ if name.islower()} - tools
    assert {name for name in offered if f"nw.{name}(" not in text} == set()
