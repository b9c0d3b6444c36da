"""The views as figures: what they say, that a fresh kernel shows each once, and that nothing global is touched."""

from __future__ import annotations

import gc
import sys
import weakref
from base64 import b64decode
from io import BytesIO

import matplotlib
import numpy as np
import pytest
from every_view import ONE_OF_EACH
from matplotlib.image import imread
from module_subjects import Linear, Net

import nbmodule_widgets as nw

WORDS = {
    "ledger": (nw.ledger, ["weight", "learned"]),
    "visits": (nw.visits, ["modules()", "again: Linear"]),
    "match_keys": (
        lambda model: nw.match_keys(model, {"x$": Linear(1, 1)._parameters["bias"]}),
        ["missing", r"x\$"],
    ),
}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("name", WORDS)
def test_a_figure_says_what_the_view_says(name):
    make, expected = WORDS[name]
    figure = make(Net()).figure()
    said = "\n".join(
        text.get_text() for axes in figure.axes for text in (*axes.texts, axes._left_title)
    )
    assert all(words in said for words in expected), said
    figure.draw_without_rendering()
    assert "matplotlib.pyplot" not in sys.modules


SETUP = f"""
import sys
sys.path[:0] = {sys.path!r}
import nbmodule as lib, nbmodule_widgets as nw
from every_view import LOOKS, convolutions
model, x = convolutions(lib)
loss = model(x).sum()
with nw.watch(model) as run:
    loss.backward()
    run.tick(loss=loss)
"""
# Each as the last line of a cell, as a reader would write it.
LINES = {
    "parameters": "nw.parameters(model).figure()",
    "values": "nw.parameters(model).figure('values')",
    "watch": "run.figure()",
    **{name: f"LOOKS[{name!r}](model, x).figure()" for name in ONE_OF_EACH},
}


def test_each_view_shows_its_figure_once_in_a_kernel():
    """First as it comes, then after `%matplotlib inline`, which has a way of its own to show figures."""
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient").NotebookClient
    lines = [SETUP, *LINES.values(), "%matplotlib inline", *LINES.values()]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(line) for line in lines])
    client(notebook, timeout=300).execute()
    shown = {}
    for cell in notebook.cells[1:]:
        pictures = [out.data["image/png"] for out in cell.outputs if "image/png" in out.get("data", ())]  # fmt: skip
        assert all(b64decode(picture).startswith(PNG) for picture in pictures)
        shown.setdefault(cell.source, []).append(len(pictures))
    assert shown == {"%matplotlib inline": [0], **{line: [1, 1] for line in LINES.values()}}


def test_the_settings_of_the_notebook_neither_change_nor_matter():
    view = nw.ledger(Net())
    expected = view.figure().encoded("png")
    mine = {
        "figure.facecolor": "black", "text.color": "red", "font.size": 30, "savefig.transparent": True,
        "axes.facecolor": "black", "savefig.bbox": "tight",
    }  # fmt: skip
    with matplotlib.rc_context(mine):
        before = dict(matplotlib.rcParams)
        figure = view.figure()
        assert dict(matplotlib.rcParams) == before
    assert figure.encoded("png") == expected


def test_a_figure_is_a_file_in_two_kinds_and_goes_when_nobody_holds_it(tmp_path):
    figure = nw.lookup(Net(), "first").figure()
    assert b"<svg" in figure.encoded("svg")
    assert figure.encoded("svg") == figure.encoded("svg")  # no date, no random names
    figure.savefig(tmp_path / "ladder.pdf")
    assert (tmp_path / "ladder.pdf").read_bytes().startswith(b"%PDF")
    gone = weakref.ref(figure)
    del figure
    gc.collect()
    assert gone() is None


def test_without_matplotlib_the_error_says_how_it_comes(monkeypatch):
    view = nw.ledger(Net())
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "nbmodule\[widgets\]"'):
        view.figure()


def test_a_corner_of_a_figure_is_white():
    """Its ground is its own, so that it can be read on a dark page."""

    pixels = imread(BytesIO(nw.visits(Net()).figure().encoded("png")))
    assert np.all(pixels[0, 0] == 1)
