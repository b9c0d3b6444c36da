"""What is left of a drawing where a front end cuts SVG out: none of its words, and a few that say so."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import every_view
import numpy as np
import pytest

import nbmodule
import nbmodule_widgets as nw
from nbmodule import nn

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


class Untrusted(HTMLParser):
    """Reads HTML as JupyterLab shows it untrusted: tags of SVG are cut, what is written between them stays."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen = ""  # by the reader
        self.outside = ""  # of the drawings, and instead of them
        self.drawings, self.instead = 0, [""]
        self._open: list[tuple[str, bool, bool]] = [("", True, False)]  # tag, has a size, in SVG
        self._written = [True]  # whether SVG's own texts have a size, where the tags are there
        self.feed(html)
        self.close()
        assert len(self._open) == 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        _, size, drawn = self._open[-1]
        sizes = re.findall(r"font(?:-size)?:\s*([\d.]+)", given.get("style", ""))
        sizes += [given["font-size"]] if "font-size" in given else []
        self._written.append(float(sizes[-1]) > 0 if sizes else self._written[-1])
        if tag == "svg":
            self.drawings += 1
            drawn = True
        if tag == "text":
            assert self._written[-1], "a text of the drawing that nobody could read"
        if tag == "foreignobject":
            assert given == {"display": "none"}
            self.instead.append("")
            drawn = False
        elif not drawn and sizes:
            size = float(sizes[-1]) > 0
        self._open.append((tag, size, drawn))
        if tag in ("br", "hr", "input"):  # which nobody closes
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag
        self._written.pop()

    def handle_data(self, data: str) -> None:
        _, size, drawn = self._open[-1]
        self.seen += data if size else ""
        self.outside += "" if drawn else data
        if any(tag == "foreignobject" for tag, *_ in self._open):
            self.instead[-1] += data


def assert_reads_well(html: str) -> None:
    read = Untrusted(html)
    assert read.seen == read.outside
    assert len(read.instead) - 1 == read.drawings
    assert all(read.instead[1:])


def odd_weights() -> Any:
    model = nn.Linear(3, 2)
    model.weight.data[0, 0] = float("nan")
    return nw.parameters(model)


def a_run() -> Any:
    with nw.watch(nn.Linear(2, 2), display=False) as view:
        for loss in (2.0, float("nan"), 1.0):
            view.tick(loss=loss)
    return view.header


def of_a_pass(look: Any) -> Any:
    nbmodule.manual_seed(0)
    model, *inputs = every_view.convolutions(nbmodule)
    return look(model, *inputs)


VIEWS = {
    **{name: lambda look=look: of_a_pass(look) for name, look in every_view.RUNNING.items()},
    "parameters": odd_weights,
    "watch": a_run,
    "color_strip": lambda: nw.lessons.color_strip({"<b>a</b>": np.eye(5).tolist()}),
}
DRAW = {"graphing/html", "tracing/html", "curves", "parameters_html", "views/strip"}


@pytest.mark.parametrize("name", VIEWS)
def test_no_word_of_a_drawing_is_left_behind(name):
    html = VIEWS[name]().to_html()
    assert ("<svg" in html) == name.startswith(("trace", "graph", "parameters", "watch", "color"))
    assert_reads_well(html)


def test_every_module_that_draws_is_among_these_views():
    folder = ROOT / "widgets" / "nbmodule_widgets"
    found = {
        path.relative_to(folder).with_suffix("").as_posix()
        for path in folder.rglob("*.py")
        if "<svg" in path.read_text(encoding="utf-8")
    }
    assert found == DRAW


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_the_notebooks_store_reads_well(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            assert_reads_well("".join(output.get("data", {}).get("text/html", "")))
