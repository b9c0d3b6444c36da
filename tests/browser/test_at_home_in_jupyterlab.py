"""Views among other widgets in a real JupyterLab: its themes, boxes, controls, links and `interact`."""

from __future__ import annotations

import pytest
import shown_code
from jupyter_lab import write

pytestmark = pytest.mark.browser


@pytest.fixture
def notebook(fresh_notebook):
    return fresh_notebook


MODEL = """\
import ipywidgets
import numpy as np

import nbmodule
import nbmodule_widgets as nw
from nbmodule import nn

nbmodule.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 3))
x = nbmodule.randn(16, 6)
optimizer = nbmodule.optim.SGD(model.parameters(), lr=0.5)"""
THEMED = {
    "model": MODEL,
    "tree": "tree = nw.show(model); tree.expand(); tree",
    "parameters": "nw.parameters(model, '0.weight')",
    "compare": "nw.compare_modes(model, x, draws=3)",
    "trace": "nw.trace(model, x)",
}
SAVE = "async () => { await jupyterapp.shell.currentWidget.context.save(); }"
RESTART = "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
SWITCH = "(theme) => jupyterapp.commands.execute('apputils:change-theme', {theme})"
# Of each view: what it takes the page for, how bright its background is, its rows, and a pixel sum of its canvases.
LOOKS = """() => [...document.querySelectorAll('.nbmodule-view')].map((host) => {
    const root = host.shadowRoot.querySelector('.view');
    const [r, g, b] = getComputedStyle(root).backgroundColor.match(/[0-9.]+/g).map(Number);
    const prints = [...root.querySelectorAll('canvas')].filter((c) => c.width && c.clientWidth).map((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce((sum, value, n) => (sum * 31 + value) % 1000003, 7);
    });
    return { theme: root.dataset.theme, dark: r + g + b < 384, rows: root.querySelectorAll('[role=treeitem]').length, prints };
})"""


def looks(notebook, theme: str, unlike=None):
    """What the four views look like when all have come to a theme.

    Args:
        notebook: The page.
        theme: "light" or "dark".
        unlike: What they looked like in the other theme: by now each picture is another one, and the rows are the same.
    """
    notebook.page.wait_for_function(
        f"(theme) => {{ const all = ({LOOKS})(); return all.length === 4"
        " && all.every((view) => view.theme === theme && view.dark === (theme === 'dark')); }",
        arg=theme,
    )
    notebook.page.wait_for_timeout(300)  # canvases are painted in a later frame
    now = notebook.page.evaluate(LOOKS)
    for one, other in zip(now, unlike or (), strict=bool(unlike)):
        assert one["rows"] == other["rows"]
        assert all(a != b for a, b in zip(one["prints"], other["prints"], strict=True))
    return now


def test_views_follow_the_theme_through_switches_reloads_and_a_restart(notebook, server):
    write(server, THEMED)
    notebook.open("life.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    notebook.output("trace").get_by_text("moment", exact=False).first.wait_for()
    light = looks(notebook, "light")
    notebook.page.evaluate(SWITCH, "JupyterLab Dark")
    dark = looks(notebook, "dark", unlike=light)
    notebook.page.evaluate(SAVE)
    for _ in range(3):
        notebook.page.reload()
        notebook.wait()
        looks(notebook, "dark", unlike=light)
    notebook.page.evaluate(SWITCH, "JupyterLab Light")
    looks(notebook, "light", unlike=dark)
    notebook.page.evaluate(SWITCH, "JupyterLab Dark")
    notebook.page.evaluate(RESTART)
    notebook.output("tree").get_by_text("Not connected to a kernel").wait_for()
    looks(notebook, "dark", unlike=light)
    assert notebook.faults == []


COMPOSED = {
    "model": MODEL,
    "kinds": """\
def both():
    return nw.show(model), ipywidgets.IntSlider(description='rate')
def grid():
    made = ipywidgets.GridspecLayout(2, 3)
    made[0, :2], made[0, 2], made[1, :] = nw.show(model), ipywidgets.IntSlider(), nw.parameters(model)
    return made""",
    "HBox": "ipywidgets.HBox(both())",
    "HBox-of-two": "ipywidgets.HBox([nw.show(model), nw.parameters(model)])",
    "VBox": "ipywidgets.VBox(both())",
    "HBox-in-VBox": "ipywidgets.VBox([ipywidgets.HBox(both()), nw.parameters(model)])",
    "Accordion": "ipywidgets.Accordion(both(), selected_index=0)",
    "GridBox": "ipywidgets.GridBox(both(), layout={'grid_template_columns': '2fr 1fr'})",
    "GridspecLayout": "grid()",
    "AppLayout": "ipywidgets.AppLayout(left_sidebar=ipywidgets.IntSlider(), center=nw.show(model))",
    "interact": "ipywidgets.interact(lambda name: nw.parameters(model, name), name=['0.weight', '4.weight']);",
    "narrow": "narrow = nw.show(model); narrow.layout.width = '400px'; ipywidgets.HBox([narrow])",
    "Tab": "ipywidgets.Tab([nw.show(model), nw.parameters(model)], titles=['tree', 'numbers'])",
}
WIDTHS = """(output) => {
    const all = [...output.querySelectorAll('.nbmodule-view')], whole = output.querySelector('.jp-OutputArea-output').clientWidth;
    return [whole, all.map((host) => Math.round(host.getBoundingClientRect().width))];
}"""


def test_a_view_is_wide_in_every_container(notebook, server):
    write(server, COMPOSED)
    notebook.open("life.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    for name in list(COMPOSED)[2:]:
        notebook.output(name).locator(".nbmodule-view .view").first.wait_for()
        whole, widths = notebook.output(name).evaluate(WIDTHS)
        least = {"narrow": 390, "HBox-of-two": 0.45 * whole, "AppLayout": 0.4 * whole}.get(
            name, 0.55 * whole
        )
        assert all(width >= least for width in widths if width), (name, whole, widths)
        assert all(width <= whole for width in widths), (name, whole, widths)
    tab = notebook.output("Tab")
    tab.get_by_role("tab", name="numbers").click()
    canvas = tab.locator("canvas").first  # drawn while nobody could see it
    canvas.wait_for()
    notebook.page.wait_for_function(
        "(canvas) => canvas.clientWidth > 100", arg=canvas.element_handle()
    )
    assert notebook.faults == []


CONTROLS = {
    "model": MODEL,
    "views": """\
tree, numbers = nw.show(model), nw.parameters(model, '4.bias')
again = nw.trace(model, x); beside = nw.trace(model, x)
step = ipywidgets.Button(description='one step')
heard = []
tree.observe(lambda change: heard.append((change.new, tree.selected is model[0].weight)), 'path')
def train(_):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
    model._modules['3'].training = False
step.on_click(train)
ipywidgets.jslink((tree, 'path'), (numbers, 'path'))
ipywidgets.jslink((again, 'step'), (beside, 'step'))
ipywidgets.VBox([step, tree, numbers, again, beside])""",
    "choose": """\
import gc, weakref
alive = []
def look(n):
    made = nn.Linear(n, 2)
    alive.append(weakref.ref(made))
    return nw.parameters(made)
ipywidgets.interact(look, n=ipywidgets.IntSlider(1, 1, 9, continuous_update=False));""",
}
ALIVE = "gc.collect(); print([each() is None for each in alive])"
STEPS = "() => [...document.querySelectorAll('.nbmodule-view')].flatMap((host) => [...host.shadowRoot.querySelectorAll('.player-count')].map((each) => each.textContent))"


def test_controls_links_and_interact(notebook, server):
    write(server, CONTROLS)
    notebook.open("life.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    views = notebook.output("views")
    views.get_by_role("treeitem").filter(has_text="Dropout").first.wait_for()
    # a button trains one step: what stands beside it follows, though no cell has run
    views.get_by_role("button", name="one step").click()
    views.get_by_role("treeitem").filter(has_text="Dropout").filter(has_text="eval").wait_for()
    # a click in the tree is heard in Python, and the other view goes along
    views.get_by_role("treeitem").filter(has_text="weight").first.click()
    views.locator("bdi.title", has_text="0.weight").wait_for()
    notebook.page.wait_for_timeout(300)
    assert notebook.python("print(heard[-1], numbers.path)") == "('0.weight', True) 0.weight"
    notebook.python("again.step = 4")
    notebook.page.wait_for_function(
        f"() => {{ const at = ({STEPS})(); return at.length === 2 && at.every((words) => words.startsWith('5 of')); }}"
    )
    assert notebook.python("print(beside.step)") == "4"
    # `interact` makes a view for each value, and leaves none behind
    chosen = notebook.output("choose")
    for n in range(2, 6):
        chosen.locator(".noUi-handle").first.press("ArrowRight")
        chosen.locator("bdi.words", has_text=f"(2, {n}) float32").wait_for()
    gone = str([True] * 4 + [False])
    for _ in range(40):  # what is still on its way is closed some seconds later
        notebook.page.wait_for_timeout(250)
        if notebook.python(ALIVE) == gone:
            break
    assert notebook.python(ALIVE) == gone
    assert notebook.faults == []


SEVERAL = {
    "model": MODEL,
    "tree": "tree = nw.show(model); tree.expand(); tree",
    "again": "tree",
    "other": "nw.compare_modes(model, x, draws=3)",
}
ALSO = {"third": "tree", "name": "nw.lessons.anatomy(model[0])"}
AT = """async ([number, command]) => {
    const { content } = jupyterapp.shell.currentWidget;
    content.activeCellIndex = number;
    content.deselectAll();
    await jupyterapp.commands.execute(command);
}"""
OPEN_BESIDE = """async () => {
    const notebook = jupyterapp.shell.currentWidget, { id } = notebook.sessionContext.session.kernel;
    const beside = await jupyterapp.commands.execute('docmanager:open', { path: 'beside.ipynb', factory: 'Notebook', kernel: { id } });
    await beside.context.ready;
    await beside.sessionContext.ready;
    jupyterapp.shell.activateById(beside.id);
}"""
CHOSEN = """() => [...document.querySelectorAll('.nbmodule-view')].map((host) => host.shadowRoot.querySelector('[role=treeitem][aria-selected=true]')?.innerText ?? '')"""


def test_one_view_in_several_places_and_two_notebooks_on_one_kernel(notebook, server):
    page = notebook.page
    write(server, ALSO)
    (server.root / "life.ipynb").replace(server.root / "beside.ipynb")
    write(server, SEVERAL)
    notebook.open("life.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    page.evaluate(AT, [3, "notebook:enable-output-scrolling"])
    page.evaluate(AT, [1, "notebook:create-output-view"])
    page.locator(".jp-LinkedOutputView .nbmodule-view").wait_for(state="attached")
    notebook.output("other").locator(".nbmodule-view .sentence").first.wait_for()
    whole, widths = notebook.output("other").evaluate(WIDTHS)
    assert all(0.9 * whole < width <= whole for width in widths)
    page.evaluate(OPEN_BESIDE)
    notebook.run_all()
    assert notebook.errors() == []
    third = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)").get_by_role("treeitem")
    third.filter(has_text="BatchNorm1d").first.click()
    page.wait_for_function(
        f"() => ({CHOSEN})().filter((row) => row.includes('BatchNorm1d')).length === 4"
    )
    page.wait_for_timeout(600)  # what stores the views has found the second notebook
    page.evaluate(SAVE)
    assert notebook.faults == []
    # both are stored: opened with a kernel of its own, the second shows what it showed
    notebook.close()
    page.goto("about:blank")
    notebook.open("beside.ipynb")
    page.get_by_role("treeitem").filter(has_text="BatchNorm1d").first.wait_for()
    assert page.get_by_text("Not connected to a kernel").filter(visible=True).count() == 2
    assert notebook.faults == []


def test_the_dashboard_of_the_docs(notebook, server):
    blocks = [code for code, _ in shown_code.blocks("a-dashboard.md")]
    cells = {f"block-{n}": code for n, code in enumerate(blocks) if "pth" not in code}
    (shown,) = (name for name, code in cells.items() if "dashboard" in code)
    write(server, cells)
    notebook.open("life.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    page = notebook.output(shown)
    numbers = page.locator(".nbmodule-view").last  # those of the tree stand inside it
    numbers.locator("bdi.title", has_text="2.weight").wait_for()
    page.get_by_role("treeitem", selected=True).filter(has_text="(1, 8)").wait_for()
    page.get_by_role("combobox").first.select_option("0.bias")
    numbers.locator("bdi.title", has_text="0.bias").wait_for()
    before = numbers.locator("table.stats").inner_text()
    page.get_by_role("button", name="one step").click()
    notebook.page.wait_for_function(
        "([table, before]) => table.getRootNode().querySelector('table.stats').innerText !== before",
        arg=[numbers.locator(".view .panel").first.element_handle(), before],
    )
    page.get_by_role("treeitem").filter(has_text="bias").last.click()
    numbers.locator("bdi.title", has_text="2.bias").wait_for()
    assert notebook.faults == []
