"""A view whose script is held by another widget: that comes late, never, or only to a second place."""

from __future__ import annotations

import pytest

import nbmodule_widgets as nw
from nbmodule import nn
from nbmodule_widgets.views import held
from nbmodule_widgets.views.held import LOADER

pytestmark = pytest.mark.browser

# A front end with the loader of a view. `window.there` says whether the widget that holds the script is restored.
PAGE = """
async (loader) => {
  const url = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const drawn = "export default { render({ el }) { el.textContent = 'drawn'; } };";
  window.sent = [];
  window.there = false;
  const hearing = new Set();
  const get_model = async (id) => {
    if (id !== "code" || !window.there) throw new Error("widget model not found");
    return { get: () => drawn };
  };
  const on = (_, hear) => hearing.add(hear), off = (_, hear) => hearing.delete(hear);
  const send = ({ kind }) => {
    sent.push(kind);
    if (window.gone) throw new Error("Cannot send");
  };
  window.answers = () => hearing.forEach((hear) => hear({ kind: "script", text: drawn.replace("drawn", "sent") }));
  const model = { get: () => "IPY_MODEL_code", send, on, off, widget_manager: { get_model } };
  const view = (await import(url(loader))).default;
  view.initialize({ model });
  window.draw = async () => {
    const el = document.body.appendChild(document.createElement("main"));
    await view.render({ model, el });
    return el.textContent;
  };
}
"""
# A notebook in which JupyterLab has given up on two views; a third was drawn, a fourth is not there.
GIVEN_UP = """
async (loader) => {
  const place = document.body.appendChild(document.createElement("div"));
  place.className = "jp-OutputArea-output jupyter-widgets";
  place.textContent = "Error displaying widget: model not found";
  const output = (id) => ({ data: { "application/vnd.jupyter.widget-view+json": { model_id: id } }, toJSON: () => id });
  window.again = [];
  const cell = (...ids) => ({ outputs: { length: ids.length, get: (i) => output(ids[i]), set } });
  const set = (i, value) => { again.push(value); window.notebook.dirty = true; };
  const views = { a: {}, b: {}, drawn: { 1: null } };
  window.notebook = { dirty: false, cells: [cell("a", "gone"), {}, cell("drawn", "b")] };
  const widget_manager = {
    context: { model: window.notebook },
    has_model: (id) => id in views,
    get_model: async (id) => ({ views: views[id] }),
  };
  const text = URL.createObjectURL(new Blob([loader], { type: "text/javascript" }));
  const view = (await import(text)).default;
  for (let i = 0; i < 3; i++) view.initialize({ model: { widget_manager } });
}
"""


@pytest.fixture
def page(browser):
    context = browser.new_context()
    opened = context.new_page()
    opened.set_content("<body></body>")
    yield opened
    context.close()


def test_a_view_waits_for_a_script_that_is_restored_after_it(page):
    page.evaluate(PAGE, LOADER)
    page.evaluate("() => { setTimeout(() => { window.there = true; }, 300); }")
    assert page.evaluate("() => Promise.all([draw(), draw()])") == ["drawn", "drawn"]
    assert page.evaluate("() => sent") == []


@pytest.mark.parametrize("gone", [False, True])
def test_a_view_whose_script_never_comes_asks_python_and_says_what_to_do(page, gone):
    page.evaluate(PAGE, LOADER)
    page.evaluate("(gone) => { window.gone = gone; draw(); draw(); }", gone)
    places = page.locator("main").filter(has_text="run the cell again")
    places.nth(1).wait_for()
    assert page.evaluate("() => sent") == ["script"]
    page.evaluate("() => { window.there = true; }")
    assert page.evaluate("() => draw()") == "drawn"  # another place has more luck
    if not gone:
        page.evaluate("() => answers()")
        page.locator("main").filter(has_text="sent").nth(1).wait_for()
        assert page.evaluate("() => draw()") == "sent"
    assert page.evaluate("() => sent") == ["script"]


def test_views_that_jupyterlab_gave_up_are_drawn_again(page):
    page.evaluate(GIVEN_UP, LOADER)
    page.wait_for_function("() => again.length >= 2")
    assert page.evaluate("() => again") == ["a", "b"]
    assert page.evaluate("() => notebook.dirty") is False


def test_python_sends_the_script_to_a_view_that_asks(wire, monkeypatch):
    monkeypatch.setattr(held.kernel, "kernel", object)
    monkeypatch.setattr(held, "_held", {})
    views = [nw.show(nn.ReLU()) for _ in range(2)]
    assert [view._esm for view in views] == [LOADER, LOADER]
    assert views[0]._code is views[1]._code  # once for all
    wire.sent.clear()
    views[0]._handle_custom_msg({"kind": "script"}, [])
    assert [data["content"] for data, _ in wire.sent if data["method"] == "custom"] == [
        {"kind": "script", "text": views[0]._script}
    ]
    assert [view._esm for view in views] == [LOADER, LOADER]
