"""A pass, played and stepped through in JupyterLab by keyboard alone: what is said, what is sent, what stays."""

from __future__ import annotations

import re

import nbformat
import pytest
from mock_page import CONTRAST
from nbformat.v4 import new_code_cell, new_notebook

pytestmark = pytest.mark.browser

CELLS = {
    "model": """\
import nbmodule
from nbmodule import nn
import nbmodule_widgets as nw

nbmodule.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Dropout(), nn.Linear(3, 1))

def double(module, inputs, output):
    return 2 * output

model[0].register_forward_hook(double)
x = nbmodule.randn(8, 4)""",
    "trace": "view = nw.trace(model, x, loss=lambda y: y.sum()); view",
    "modes": "nw.compare_modes(model, x, draws=4)",
    "graph": "nw.graph(model, x, loss=lambda y: y.sum())",
    "visits": "nw.lessons.visits(model)",
    "lookup": "nw.lessons.lookup(model[0], 'weight')",
    "assignment": "nw.lessons.assignment(model, 'self.extra = 5')",
    "tape": "nw.lessons.call_tape(model, x)",
    "keys": "nw.match_keys(model, {'0.weight': model[0].weight, 'gone': x})",
    "ledger": "nw.lessons.ledger(model)",
}
SUM = """\
from ipywidgets.widgets.widget import _instances
from nbmodule_widgets.views.live import LiveView
print(sum(isinstance(w, LiveView) and w.comm is not None for w in _instances.values()), len(_instances))"""
PLAYED = ("trace", "modes", "graph", "visits", "lookup", "assignment", "tape")
VIEWS = (*PLAYED, "keys", "ledger")
# The controls of a view that can have the focus.
STOPS = "button, input, select, summary, [tabindex='0']"
# What has the focus: the number of its cell, and what it is.
FOCUS = """
() => {
  let at = document.activeElement;
  const cell = [...document.querySelectorAll(".jp-Cell")].findIndex((each) => each.contains(at));
  while (at?.shadowRoot) at = at.shadowRoot.activeElement;
  return [cell, at?.tagName, at && getComputedStyle(at).outlineStyle];
}
"""
KINDS = "() => jupyterapp.shell.currentWidget.content.widgets.map((cell) => cell.model.type)"
# What the page tells the kernel about widgets from now on.
COUNT = """
() => {
  window.told = [];
  const really = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    const text = typeof data === "string" ? data : new TextDecoder().decode(data);
    if (text.includes("comm_msg")) told.push(text.slice(0, 2000));
    return really.call(this, data);
  };
}
"""
RUN = """
async (number) => {
  const panel = jupyterapp.shell.currentWidget;
  panel.content.activeCellIndex = number;
  panel.content.deselectAll();
  await jupyterapp.commands.execute("notebook:run-cell");
}
"""
# The page says at which step it is, a trait that readers observe; that is all that it says.
STEP = re.compile(r'"data":\{"method":"update","state":\{"step":\d+\},"buffer_paths":\[\]\}\}$')
THEME = "(theme) => jupyterapp.commands.execute('apputils:change-theme', { theme })"
RESTART = "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"


@pytest.fixture
def opened(notebook, server):
    cells = [new_code_cell(source, id=name) for name, source in CELLS.items()]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(new_notebook(cells=cells, metadata=kernel), server.root / "travel.ipynb")
    notebook.open("travel.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    yield notebook
    assert notebook.faults == []


def view(opened, cell):
    return opened.output(cell).locator("section.view")


def slider(opened, cell):
    return view(opened, cell).locator("input[type=range]").first


def moment(opened, cell) -> str:
    return slider(opened, cell).get_attribute("aria-valuetext")


def step_through(opened, cell) -> list[str]:
    """What is said at the first three moments, and at the last."""
    slider(opened, cell).focus()
    said = []
    for key in ("Home", "ArrowRight", "ArrowRight", "End"):
        opened.page.keyboard.press(key)
        said.append(moment(opened, cell))
    return said


def run(opened, name) -> str:
    opened.page.evaluate(RUN, list(CELLS).index(name))
    return opened.text_of(name)


def walk_through(opened, cell) -> int:
    """Tab from the first control of a view until it is left; letters on the way are no commands.

    JupyterLab would turn the cell into text at "m", insert one at "a" and "b", and cut it at "x".
    """
    page, number, stops = opened.page, list(CELLS).index(cell), 0
    kinds = page.evaluate(KINDS)
    view(opened, cell).locator(STOPS).first.focus()
    while True:
        at, tag, outline = page.evaluate(FOCUS)
        if at != number:
            break
        stops += 1
        assert stops < 40, f"{cell} is a trap"
        assert outline != "none", f"{cell}: the focus on {tag} cannot be seen"
        if tag not in ("INPUT", "SELECT"):
            for key in "mabx":
                page.keyboard.press(key)
        page.keyboard.press("Tab")
    assert page.evaluate(KINDS) == kinds, cell
    return stops


def test_a_pass_is_played_by_keyboard_and_nothing_is_asked(opened):
    page = opened.page
    for cell in PLAYED:
        slider(opened, cell).wait_for()
    page.evaluate(COUNT)
    said = {cell: step_through(opened, cell) for cell in PLAYED}
    for cell, moments in said.items():
        assert len(set(moments)) == 4, cell
        number, _, words = moments[0].partition(": ")
        # What begins before its first step counts steps; the others count moments.
        assert number.startswith("step 0 of " if cell == "graph" else "1 of "), cell
        assert words
    assert "Sequential" in said["trace"][0]
    slider(opened, "trace").focus()
    buttons = view(opened, "trace").get_by_role("button")
    for key, name in (("Home", "play"), ("Space", "pause"), ("Space", "play")):
        page.keyboard.press(key)
        buttons.and_(page.get_by_label(name, exact=True)).wait_for()
    for _ in range(40):  # to the hook that doubles
        if "double" in moment(opened, "trace"):
            break
        page.keyboard.press("ArrowRight")
    assert "output replaced: mean " in moment(opened, "trace")
    told = page.evaluate("() => told")
    assert [
        each for each in told if not STEP.search(each)
    ] == []  # no moment asked Python for anything
    for cell in VIEWS:
        assert walk_through(opened, cell) > 3

    page.evaluate(THEME, "JupyterLab Dark")
    for cell in VIEWS:
        view(opened, cell).and_(page.locator("[data-theme=dark]")).wait_for()
        assert view(opened, cell).evaluate(CONTRAST) == [], cell
    page.evaluate(THEME, "JupyterLab Light")

    at_first = opened.python(SUM)
    for cell in VIEWS:
        run(opened, cell)
        view(opened, cell).wait_for()
    opened.until(SUM, says=at_first)  # what is still on its way is not closed yet
    assert page.locator(".nbmodule-view").count() == len(VIEWS)

    page.evaluate(RESTART)
    for cell in VIEWS:
        opened.output(cell).get_by_text("Not connected to a kernel").wait_for()
    for cell in PLAYED:
        assert step_through(opened, cell) == said[cell]
