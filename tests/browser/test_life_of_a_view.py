"""Views through the life of a notebook: reloaded, restarted, closed, run again, saved, exported."""

from __future__ import annotations

import json

import pytest
from jupyter_lab import write

pytestmark = pytest.mark.browser


@pytest.fixture
def notebook(fresh_notebook):
    return fresh_notebook


CELLS = {
    "model": """\
import nbmodule_widgets as nw

class Part:
    def __init__(self, **modules):
        self._modules, self._parameters, self._buffers, self.training = modules, {}, {}, True

model = Part(first=Part(), second=Part(inner=Part()))""",
    "view": "view = nw.show(model); view",
    "drawers": "nw.lessons.anatomy(model)",
    "change": "model._modules['later'] = Part()",
    "end": "",
}
SUM = """\
from ipywidgets.widgets.widget import _instances
print(sum(isinstance(w, (nw.ModuleTree, nw.lessons.Anatomy)) for w in _instances.values()), len(_instances))"""
KEPT = "from nbmodule_widgets.views.keeper import _kept; print(len(_kept))"
SAVE = "async () => { await jupyterapp.shell.currentWidget.context.save(); }"
NOT_CONNECTED = "Not connected to a kernel"
TOGGLE = "() => jupyterapp.commands.execute('@jupyter-widgets/jupyterlab-manager:saveWidgetState')"
STATE = "application/vnd.jupyter.widget-state+json"


LOOP = {
    "loop": """\
import nbmodule_widgets as nw
import nbmodule
from nbmodule import nn

model = nn.Linear(3, 2)
optimizer = nbmodule.optim.SGD(model.parameters(), lr=0.1)
with nw.watch(model) as w:
    for _ in range(5):
        loss = model(nbmodule.ones(4, 3)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        w.tick(loss=loss.item())"""
}

COURSE = {
    "question": """\
from nbmodule_course import Exercise, Predict, check, expect, progress

Predict("98.a", "What is it?", options=["2", "3"], code="1 + 1")""",
    "report": """\
double = Exercise("98.4", title="Double", takes=("twice",), hints=("one", "two", "three"))

@double.sub("it doubles")
def doubles(twice):
    expect(twice(4) == 8, did="it is 4", real="it is 8")

def twice(x):
    return x

check("98.4", twice)""",
    "map": "progress()",
}


@pytest.fixture
def opened(notebook, server):
    write(server, CELLS)
    notebook.open("life.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    yield notebook
    assert notebook.faults == []


def run(opened, name: str) -> str:
    """Run one cell and return what it says."""
    opened.page.evaluate(
        """async (number) => {
            const panel = jupyterapp.shell.currentWidget;
            panel.content.activeCellIndex = number;
            panel.content.deselectAll();
            await jupyterapp.commands.execute('notebook:run-cell');
        }""",
        list(CELLS).index(name),
    )
    return opened.text_of(name)


def row(opened, text: str, output: str = "view"):
    return opened.output(output).get_by_role("treeitem").filter(has_text=text).first


def wait_for_both(opened) -> None:
    row(opened, "later").wait_for()
    opened.output("drawers").get_by_text("later").first.wait_for()


def reopen(opened) -> None:
    """Open the notebook anew, without its kernel's help."""
    opened.close()
    opened.page.goto("about:blank")
    opened.open("life.ipynb")


def test_every_view_of_a_model_lasts_as_long_as_its_kernel(opened):
    wait_for_both(opened)
    opened.page.evaluate(SAVE)
    opened.python("model._modules['even_later'] = Part()")
    opened.page.reload()
    opened.wait()
    row(opened, "even_later").wait_for()
    row(opened, "even_later").click()
    opened.output("view").locator("aside").get_by_text("even_later").first.wait_for()
    assert opened.python("print(view.selected is model._modules['even_later'])") == "True"
    assert opened.page.get_by_text(NOT_CONNECTED).filter(visible=True).count() == 0
    opened.page.evaluate(
        "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    )
    for output in ("view", "drawers"):
        opened.output(output).get_by_text(NOT_CONNECTED).wait_for()
    row(opened, "second").click()  # what is there can still be looked at
    row(opened, "even_later").wait_for()


def test_a_cell_that_runs_again_leaves_nothing_behind(opened):
    opened.until(KEPT, says="1")  # what stores the views comes when the page has shown one
    at_first = opened.python(SUM)
    assert at_first.startswith("2 ")
    for _ in range(3):
        run(opened, "view")
        run(opened, "drawers")
    opened.until(SUM, says=at_first)  # what is still on its way is not closed yet
    wait_for_both(opened)
    assert opened.page.locator(".nbmodule-view").count() == 2
    opened.python("view.close()")
    opened.output("view").get_by_role("tree").wait_for(state="detached")
    opened.set_source("view", "view")
    run(opened, "view")  # shown again, it comes back
    row(opened, "later").wait_for()


def test_a_view_that_nobody_sees_costs_nothing(opened):
    opened.page.evaluate("() => jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    opened.python("model._modules['unseen'] = Part()")
    assert opened.python("print('unseen' in str(view.tree))") == "False"


@pytest.mark.parametrize("told_to", [True, False])
def test_a_saved_notebook_shows_the_last_state_without_a_kernel(opened, server, told_to):
    """Also in a JupyterLab that is not told to store the state of widgets, which is its default."""
    wait_for_both(opened)
    if not told_to:
        opened.page.evaluate(TOGGLE)
    try:
        opened.python("model._modules['at_last'] = Part()")
        row(opened, "at_last").wait_for()
        opened.page.evaluate(SAVE)
        stored = json.loads((server.root / "life.ipynb").read_text(encoding="utf-8"))
        models = stored["metadata"]["widgets"][STATE]["state"].values()
        ids = sorted(model["state"].get("_anywidget_id", "") for model in models)
        assert [
            name.rpartition(".")[2] for name in ids if "views" in name and "Keeper" not in name
        ] == [
            "Anatomy",
            "ModuleTree",
        ]
        assert (
            opened.page.evaluate("() => jupyterapp.shell.currentWidget.context.model.dirty")
            is False
        )
        reopen(opened)
        row(opened, "at_last").wait_for()
        for output in ("view", "drawers"):
            opened.output(output).get_by_text(NOT_CONNECTED).wait_for()
    finally:
        if not told_to:
            opened.page.evaluate(TOGGLE)


def test_a_watched_loop_is_stored_as_it_ended(notebook, server):
    write(server, LOOP)
    notebook.open("life.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    assert "5 steps" in notebook.text_of("loop")  # what other front ends show
    page = notebook.output("loop")
    page.get_by_text("finished").first.wait_for()
    notebook.page.evaluate(SAVE)
    reopen(notebook)
    page.get_by_text("finished").first.wait_for()
    page.get_by_role("treeitem").filter(has_text="weight").first.wait_for()
    assert (
        page.get_by_text(NOT_CONNECTED).filter(visible=True).count() == 1
    )  # once for all three parts
    assert notebook.faults == []


def test_the_views_of_the_course_are_stored_as_well(notebook, server):
    """In a JupyterLab that stores no state by itself, which would say "model not found"."""
    write(server, COURSE)
    notebook.open("life.ipynb")
    notebook.page.evaluate(TOGGLE)
    try:
        notebook.run_all()
        assert notebook.errors() == []
        shown = {
            "question": notebook.output("question").get_by_role("button", name="a) "),
            "report": notebook.output("report").get_by_role("button", name="✗ failed it doubles"),
            "map": notebook.output("map").get_by_text("Your progress"),
        }
        for each in shown.values():
            each.first.wait_for()
        notebook.page.evaluate(SAVE)
        reopen(notebook)
        for each in shown.values():
            each.first.wait_for()
        notebook.output("report").get_by_text(NOT_CONNECTED).wait_for()
    finally:
        notebook.page.evaluate(TOGGLE)
    assert notebook.faults == []


def test_an_exported_page_needs_neither_scripts_nor_the_network(opened, server, browser):
    wait_for_both(opened)
    opened.page.evaluate(SAVE)
    address = f"{server.url}/nbconvert/html/life.ipynb?token={server.token}"
    html = opened.page.context.request.get(address).text()
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.set_content(html)
    view, drawers = page.locator(".nbmodule-static").all()
    assert view.get_by_text("second").first.is_visible()
    assert drawers.get_by_text("_modules").first.is_visible()
    assert "widget-view+json" not in html
    context.close()
