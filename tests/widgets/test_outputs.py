"""Which cell shows which view, outputs that are written anew, and what an export keeps."""

from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace
from typing import Any

import ipywidgets
import nbformat
import pytest
from module_subjects import Net
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output

import nbmodule_widgets as nw
from nbmodule_course.exporting import StaticViews
from nbmodule_widgets.views import composed, kernel, outputs

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in ("_by_cell", "_now", "_replaced", "_captured"):
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


def captured(output: ipywidgets.Output, *views: nw.ModuleTree) -> None:
    """What `with output: display(view)` does for each; the page then tells what the widget shows."""
    for view in views:
        output.msg_id = "a message"
        bundle, _ = view._repr_mimebundle_()
        output.msg_id = ""
        arrives(output, bundle)


def arrives(output: ipywidgets.Output, *bundles: dict[str, Any]) -> None:
    output.set_state({"outputs": [{"output_type": "display_data", "data": b} for b in bundles]})


def test_what_an_output_widget_shows_no_more_is_closed_with_its_model(wire, clock):
    """As `interact` does it: one view after the other, between two cells."""
    output = ipywidgets.Output()
    models = [Net() for _ in range(4)]
    gone = [weakref.ref(model) for model in models]
    for model in models[:3]:
        captured(output, nw.show(model))
    arrives(
        output, {"text/plain": "what was printed before it"}
    )  # nothing of ours, but nothing is overtaken
    late = nw.show(models[3])
    output.msg_id = "a message"
    late._repr_mimebundle_()
    arrives(output, {"text/plain": "printed"})  # told before the page had the view
    assert late.comm is not None
    models.clear()
    clock.seconds += 10
    outputs.close_what_is_gone()
    del model, late
    wire.sent.clear()
    gc.collect()
    assert [each() is None for each in gone] == [True, True, True, False]


def test_a_cell_that_runs_again_closes_what_its_output_widgets_showed_to_nobody(
    wire, clock, from_page
):
    output, other = ipywidgets.Output(), ipywidgets.Output()
    hidden, seen = nw.show(Net()), nw.show(Net())
    captured(output, hidden)
    captured(other, seen)
    from_page(seen, kind="opened")
    cell("a")
    clock.seconds += 10
    cell("a")
    assert (hidden.comm, seen.comm is None) == (None, False)


def test_a_box_with_views_has_their_static_forms_and_goes_with_its_cell(wire, clock):
    view, slider = nw.show(Net()), ipywidgets.IntSlider(3, description="<rate>")
    tab = ipywidgets.Tab(
        [ipywidgets.HBox([view, slider]), ipywidgets.HTML("<b>bold</b>")], titles=["one", "two"]
    )
    bundle, _ = composed.bundle(tab)
    twin = bundle["text/html"]
    assert twin.startswith('<div class="nbmodule-static">')
    assert view.to_html() in twin
    for said in ("&lt;rate&gt;: 3", "<b>one</b>", "<b>two</b>", "<span>bold</span>"):
        assert said in twin
    assert bundle["text/plain"] == str(view)
    assert bundle[VIEW]["model_id"] == tab.model_id
    assert "text/html" not in composed.bundle(ipywidgets.HBox([slider]))  # not ours
    cell("a")
    clock.seconds += 10
    cell("a")
    assert (tab.comm, view.comm, slider.comm is None) == (None, None, False)
    bundle, _ = composed.bundle(tab)  # displayed again
    assert bundle[VIEW]["model_id"] == tab.model_id
    assert view.comm is not None


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
