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

import nbmodule as nb
import nbmodule_widgets as nw
from nbmodule import nn
from nbmodule_widgets.views.pictures import file_name

WORDS = {
    "ledger": (nw.lessons.ledger, ["weight", "learned"]),
    "visits": (nw.lessons.visits, ["modules()", "again: Linear"]),
    "match_keys": (
        lambda model: nw.match_keys(model, {"x$": Linear(1, 1)._parameters["bias"]}),
        ["missing", r"x\$"],
    ),
    "diagnose": (
        lambda model: nw.diagnose(model, error=ValueError("Expected more than 1 value per $")),
        ["1 finding in Net", "bn-batch-of-one (certain)", r"per \$", "chapter: 09"],
    ),
}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("name", WORDS)
def test_a_figure_says_what_the_view_says(name):
    make, expected = WORDS[name]
    known = "matplotlib.pyplot" in sys.modules  # another test may have asked for it
    figure = make(Net()).figure()
    said = "\n".join(
        text.get_text() for axes in figure.axes for text in (*axes.texts, axes._left_title)
    )
    assert all(words in said for words in expected), said
    figure.draw_without_rendering()
    assert ("matplotlib.pyplot" in sys.modules) == known


@pytest.mark.parametrize("name", ["_orig_mod", "plain"])
def test_a_legend_names_what_begins_with_an_underscore(name):
    """matplotlib leaves such a label out, and the parameters of a compiled model have no other."""
    model = nn.Module()
    model.add_module(name, nn.Linear(2, 2))
    with nw.watch(model, display=False) as run:
        loss = getattr(model, name)(nb.ones(1, 2)).sum()
        loss.backward()
        run.tick(loss=loss)
    legend = run.figure().axes[-1].get_legend()
    said = [text.get_text().strip() for text in legend.get_texts()]
    assert sorted(said) == sorted(run.facts.paths), said
    assert all(path.startswith(name) for path in said)


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
    view = nw.lessons.ledger(Net())
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
    figure = nw.lessons.lookup(Net(), "first").figure()
    assert b"<svg" in figure.encoded("svg")
    assert figure.encoded("svg") == figure.encoded("svg")  # no date, no random names
    figure.savefig(tmp_path / "ladder.pdf")
    assert (tmp_path / "ladder.pdf").read_bytes().startswith(b"%PDF")
    gone = weakref.ref(figure)
    del figure
    gc.collect()
    assert gone() is None


def test_without_matplotlib_the_error_says_how_it_comes(monkeypatch):
    view = nw.lessons.ledger(Net())
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "nbmodule\[widgets\]"'):
        view.figure()


def test_a_corner_of_a_figure_is_white():
    """Its ground is its own, so that it can be read on a dark page."""

    pixels = imread(BytesIO(nw.lessons.visits(Net()).figure().encoded("png")))
    assert np.all(pixels[0, 0] == 1)


# ------------------------------------------------------------------------------------------- saved from the page


@pytest.fixture
def ledger_page(stage):
    stage.show(nw.lessons.ledger(Net()), ("ledger", "pictures"))
    return stage


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_page_saves_what_python_draws(ledger_page, kind, tmp_path):
    page = ledger_page.page
    page.get_by_role("button", name="Save picture").press("Enter")  # by keyboard
    page.keyboard.press("Tab" if kind == "svg" else "Shift")
    page.keyboard.press("Enter")
    with page.expect_download() as waiting:
        ledger_page.answer()
    saved = waiting.value
    assert saved.suggested_filename == f"parameter-ledger.{kind}"
    saved.save_as(tmp_path / "picture")
    assert (tmp_path / "picture").read_bytes() == ledger_page.view.figure().encoded(kind)
    menu = page.locator(".picture-menu")
    assert menu.get_by_role("status").inner_text() == f"saved as parameter-ledger.{kind}"
    page.keyboard.press("Escape")
    assert not page.get_by_role("button", name="PNG").is_visible()


@pytest.mark.browser
def test_the_menu_says_why_there_is_no_picture(ledger_page, monkeypatch):
    page = ledger_page.page
    monkeypatch.setattr(ledger_page.view, "figure", _nothing_to_draw)
    page.get_by_role("button", name="Save picture").click()
    page.get_by_role("button", name="PNG").click()
    ledger_page.answer()
    said = page.locator(".picture-menu [role=status]")
    assert said.inner_text() == "! ValueError: nothing was watched <img>"
    page.evaluate("() => window.receives({ kind: 'picture', ticket: 'of another page' }, [])")
    assert said.inner_text() == "! ValueError: nothing was watched <img>"


def _nothing_to_draw():
    raise ValueError("nothing was watched <img>")


@pytest.mark.browser
def test_without_a_kernel_no_picture_is_offered(ledger_page):
    page = ledger_page.page
    page.get_by_role("button", name="Save picture").wait_for()
    page.evaluate("() => { window.kernelGone = true; window.happens('comm_live_update'); }")
    assert not page.get_by_role("button", name="Save picture").is_visible()


def test_a_file_has_a_name_that_every_system_takes():
    view = nw.parameters(Net()).select("first.weight")
    assert file_name(view) == "parameter-view-first.weight"
    view.path = "../<b>\u202e/x" * 40
    assert set(file_name(view)[15:]) <= set("._bx")
    assert len(file_name(view)) < 100
