"""Which cell shows which view, outputs that are written anew, and what an export keeps."""

from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from module_subjects import Net
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output

import nbmodule_widgets as nw
from nbmodule_course.exporting import StaticViews
from nbmodule_widgets.views import kernel, outputs

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in ("_by_cell", "_now", "_replaced"):
        monkeypatch.setattr(outputs, name, type(getattr(outputs, name))())
    monkeypatch.setattr(kernel, "shell", SimpleNamespace)  # there are cells


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test turns."""
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(outputs, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


def cell(name: str | None, *views: nw.ModuleTree) -> None:
    """A cell that displays views has run."""
    for view in views:
        view._repr_mimebundle_()
    outputs.cell_has_run(SimpleNamespace(info=SimpleNamespace(cell_id=name)))


def test_a_cell_that_runs_again_closes_what_it_showed(wire, clock):
    kept, other = nw.show(Net()), nw.show(Net())
    first, second = nw.show(Net()), nw.show(Net())
    cell("a", first, kept, kept)
    cell("b", kept, other)
    clock.seconds += 10
    cell("a", second)
    assert [view.comm is None for view in (first, second, kept, other)] == [
        True,
        False,
        False,
        False,
    ]
    cell("b")  # it failed, or shows nothing any more
    cell(None)  # not a cell: something that the front end asked in passing
    assert [view.comm is None for view in (first, second, kept, other)] == [True, False, True, True]


def test_a_view_that_may_still_be_on_its_way_is_closed_later(wire, clock):
    early = nw.show(Net())
    cell("a", early)
    cell("a", nw.show(Net()))
    assert early.comm is not None
    clock.seconds += 10
    cell("b")
    assert early.comm is None


def test_a_closed_view_comes_back_when_it_is_displayed_again(wire):
    model = Net()
    view = nw.show(model)
    layout = view.layout
    view.close()
    assert (view.comm, layout.comm) == (None, None)
    model.training = False
    bundle, _ = view._repr_mimebundle_()
    assert bundle[VIEW]["model_id"] == view.model_id
    assert "eval" in bundle["text/plain"]
    opened = [
        data["state"]["_model_name"]
        for data, _ in wire.sent
        if "_model_name" in data.get("state", {})
    ]
    assert opened[-2:] == ["LayoutModel", "AnyModel"]


def test_a_closed_view_lets_go_of_its_model(wire, clock):
    model = Net()
    gone = weakref.ref(model)
    bundle, _ = nw.mimebundle(model)
    outputs.cell_has_run(SimpleNamespace(info=SimpleNamespace(cell_id="a")))
    clock.seconds += 10
    cell("a")
    del model, bundle
    wire.sent.clear()
    gc.collect()
    assert gone() is None


def test_without_cells_nothing_is_kept(wire, monkeypatch):
    """A script asks for bundles too, and no cell ever ends in it."""
    monkeypatch.setattr(kernel, "shell", lambda: None)
    view = nw.show(Net())
    view.bundle()
    assert outputs._now == []


@pytest.fixture
def sent(monkeypatch) -> list[dict[str, Any]]:
    """What is published by a shell of our own."""
    calls: list[dict[str, Any]] = []
    publisher = SimpleNamespace(publish=lambda **call: calls.append(call))
    monkeypatch.setattr(kernel, "shell", lambda: SimpleNamespace(display_pub=publisher))
    return calls


def test_where_nothing_is_live_an_output_appears_when_it_is_finished(sent, monkeypatch):
    monkeypatch.setenv("NBMODULE_WIDGETS", "static")
    said = ["before"]
    outlet = outputs.Outlet(lambda: ({"text/plain": said[-1]}, {}))
    outlet.show()
    assert sent == []
    said.append("after")
    outlet.show_again()
    assert [(call["data"]["text/plain"], call["update"]) for call in sent] == [("after", False)]


def test_an_output_is_written_anew_only_if_it_says_something_new(sent):
    said = ["before"]
    outlet = outputs.Outlet(lambda: ({"text/plain": said[-1]}, {}))
    outlet.show_again()
    assert sent == []  # it has not been shown
    outlet.show()
    outlet.show_again()
    said.append("after")
    outlet.show_again()
    assert [(call["data"]["text/plain"], call["update"]) for call in sent] == [
        ("before", False),
        ("after", True),
    ]
    keys = {call["transient"]["display_id"] for call in sent}
    assert len(keys) == 1
    other = outputs.Outlet(lambda: ({}, {}))
    other.show()
    assert sent[-1]["transient"]["display_id"] not in keys


def notebook(*bundles: dict[str, Any]) -> nbformat.NotebookNode:
    shown = [new_output("display_data", data=bundle) for bundle in bundles]
    state = {bundle[VIEW]["model_id"]: {"state": {}} for bundle in bundles}
    widgets = {"application/vnd.jupyter.widget-state+json": {"version_major": 2, "state": state}}
    return new_notebook(cells=[new_code_cell("x", outputs=shown)], metadata={"widgets": widgets})


def exported(book: nbformat.NotebookNode) -> str:
    exporter = HTMLExporter(preprocessors=[StaticViews])
    return exporter.from_notebook_node(book)[0]


def test_an_export_shows_our_static_twins_and_leaves_other_widgets_alone(wire):
    ours, _ = nw.show(Net())._repr_mimebundle_()
    theirs = {
        VIEW: {"model_id": "theirs"},
        "text/plain": "Slider()",
        "text/html": "<p>twin of a stranger</p>",
    }
    page = exported(notebook(ours))
    assert '<div class="nbmodule-static">' in page
    assert "widget-view+json" not in page
    assert "widget-state+json" not in page
    page = exported(notebook(ours, theirs))
    assert '<div class="nbmodule-static">' in page
    assert '"model_id": "theirs"' in page
    assert "twin of a stranger" not in page
    assert f'"{ours[VIEW]["model_id"]}", ' not in page
