"""Views of a model in a real JupyterLab: buttons reach the model, two views agree, and what is stored is read untrusted."""

from __future__ import annotations

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

import nbmodule
import nbmodule_widgets as nw

pytestmark = pytest.mark.browser

CELLS = {
    "view": """\
import nbmodule_widgets as nw
from nbmodule import nn

model = nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.Dropout(), nn.Linear(2, 1)))
view = nw.show(model)
view""",
    "other": "nw.show(model)",
    "again": "",
}


def run(notebook, name: str) -> None:
    notebook.page.evaluate(
        """async (id) => {
            const notebook = jupyterapp.shell.currentWidget.content;
            notebook.activeCellIndex = notebook.widgets.findIndex((cell) => cell.model.id === id);
            await jupyterapp.commands.execute('notebook:run-cell');
        }""",
        name,
    )


def test_buttons_change_the_model_and_every_view_says_so(notebook, server):
    made = [new_code_cell(source, id=name) for name, source in CELLS.items()]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(new_notebook(cells=made, metadata=kernel), server.root / "tree.ipynb")
    notebook.open("tree.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    first, other = notebook.output("view"), notebook.output("other")
    first.locator("[role=treeitem]").first.wait_for()

    # by keyboard alone: to the inner Sequential, then to its button
    first.locator("[role=tree]").focus()
    for key in ("End", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
        notebook.page.keyboard.press(key)
    button = first.get_by_role("button", name="eval(): eval()")
    button.wait_for()
    button.focus()
    notebook.page.keyboard.press("Enter")
    first.locator(".story").get_by_text("1.eval(): 3 modules train → eval: 1, 1.0, 1.1").wait_for()
    other.locator(".story").get_by_text("since the last look: 3 modules train → eval").wait_for()
    said = notebook.python(
        "print([m.training for m in model.modules()], view.path, view.selected is model[1])"
    )
    assert said == "[True, True, False, False, False] 1 True"

    # a cell shows the same view once more: it begins with what was unfolded
    first.get_by_role("button", name="1", exact=True).click()
    rows = first.locator("[role=treeitem]").count()
    assert rows == 3
    notebook.set_source("again", "model[0].requires_grad_(False)\nview")
    run(notebook, "again")
    again = notebook.output("again")
    again.locator("[role=treeitem]").first.wait_for()
    assert again.locator("[role=treeitem]").count() == rows
    again.locator(".story").get_by_text(
        "2 parameters trainable → frozen: 0.weight, 0.bias"
    ).wait_for()
    again.get_by_role("button", name="next ›").click()
    again.locator("aside h4").get_by_text("0.weight").wait_for()  # Python has answered
    assert notebook.python("print(view.selected is model[0].weight)") == "True"
    assert notebook.faults == []


ONE_PLACE = """\
import nbmodule as nb, nbmodule_widgets as nw
from nbmodule import nn

model = nn.Sequential(*(nn.Linear(3, 3) for _ in range(12)))
view = nw.show(model, nb.ones(2, 3), tab="tree")
view"""


def test_values_and_layers_are_drawn_inside_the_view(notebook, server):
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    cells = [new_code_cell(ONE_PLACE, id="view")]
    nbformat.write(new_notebook(cells=cells, metadata=kernel), server.root / "one_place.ipynb")
    notebook.open("one_place.ipynb")
    notebook.run_all()
    output = notebook.output("view")
    rows, below = output.locator("[role=treeitem]"), output.locator(".below")
    rows.first.wait_for()

    # by keyboard alone: a tensor, and its values below
    output.locator("[role=tree]").focus()
    for key in ("Home", "ArrowDown", *["ArrowRight"] * 4):  # opens all twelve, and the first
        notebook.page.keyboard.press(key)
    below.locator(".title").get_by_text("0.weight").wait_for()
    below.get_by_text("histogram of the values").wait_for()
    below.get_by_role("button", name="next tensor").click()
    output.locator("aside h4").get_by_text("0.bias").wait_for()
    assert notebook.python("print(view.path, view.selected is model[0].bias)") == "0.bias True"

    # the layers, by a pass; it is not run again unasked
    output.get_by_role("tab", name="Layers").click()
    table = output.get_by_role("region", name="layers")
    table.get_by_text("(2, 3)").first.wait_for()
    notebook.python("model.eval()")
    again = output.get_by_role("button", name="run it again")
    again.wait_for()
    again.click()
    output.get_by_text("one pass in eval mode").wait_for()
    output.get_by_role("tab", name="Tree").click()

    # another theme: rows and both views follow
    drawn = rows.count()
    notebook.page.evaluate(
        "() => jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' })"
    )
    output.locator("section[data-theme=dark]").nth(1).wait_for()
    assert output.locator("section[data-theme=light]").count() == 0
    assert rows.count() == drawn > 15

    # written values are noticed after a cell
    notebook.python("import nbmodule\nwith nbmodule.no_grad(): model[3].weight.mul_(2)")
    output.locator(".story").get_by_text("values of 1 tensor written").wait_for()
    assert notebook.faults == []


def test_a_notebook_that_is_not_trusted_has_words_instead_of_a_drawing(notebook, server):
    a = nbmodule.tensor([1.0, 2.0], requires_grad=True)
    stored = new_output("display_data", {"text/html": nw.graph(a * a).to_html()})
    made = [new_code_cell("graph(a * a)", id="graph", outputs=[stored])]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(new_notebook(cells=made, metadata=kernel), server.root / "foreign.ipynb")
    notebook.open("foreign.ipynb")
    output = notebook.output("graph")
    instead = output.get_by_text("The drawing shows once the notebook is trusted.", exact=True)
    instead.wait_for()
    place = instead.locator("..")
    assert place.locator("svg").count() == 0
    assert "a · leaf" in place.inner_text()  # it's there, and takes no place
    assert place.bounding_box()["height"] < 2 * instead.bounding_box()["height"]
    notebook.page.evaluate(
        "() => { jupyterapp.shell.currentWidget.content.widgets[0].model.trusted = true; }"
    )
    output.locator("svg text").first.wait_for()
    assert instead.is_hidden()
    assert notebook.faults == []
