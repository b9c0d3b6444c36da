"""compare_modes in JupyterLab: the draws that go on while one looks, their bar, and Stop, between cells and while one runs."""

from __future__ import annotations

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

pytestmark = pytest.mark.browser

CELLS = {
    "setup": """\
import time
import nbmodule as torch
from nbmodule import nn
import nbmodule_widgets as nw

class Slow(nn.Module):
    def forward(self, x):
        time.sleep(0.4)
        return x

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), Slow(), nn.Linear(8, 3))
x = torch.randn(6, 4)""",
    "modes": "view = nw.compare_modes(model, x); view",
    "busy": "time.sleep(2); print('done')",
    "told": "print(view.facts.draws)",
}


@pytest.fixture
def opened(notebook, server):
    cells = [new_code_cell(source, id=name) for name, source in CELLS.items()]
    kernel = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(
        new_notebook(cells=cells, metadata={"kernelspec": kernel}), server.root / "draws.ipynb"
    )
    notebook.open("draws.ipynb")
    yield notebook
    assert notebook.faults == []


def test_the_bar_moves_cells_run_and_stop_works_while_one_runs(opened):
    page = opened.page
    run = "(n) => { const it = jupyterapp.shell.currentWidget.content; it.activeCellIndex = n; it.deselectAll(); jupyterapp.commands.execute('notebook:run-cell'); }"
    for number in (0, 1):
        page.evaluate(run, number)
    view = opened.output("modes").locator("section.view")
    drawn, bar = view.locator(".drawn"), view.locator("progress")
    bar.wait_for()
    counter = view.locator(".player-count")
    page.wait_for_function(
        "(node) => Number(node.textContent.split(' of ')[1]) >= 3", arg=counter.element_handle()
    )
    assert view.locator(".sentence").inner_text().startswith("Between train() and eval(), 1 of 4")
    page.evaluate(run, 2)  # a cell in the midst of it
    page.wait_for_timeout(500)
    drawn.get_by_role("button", name="Stop").click()
    opened.output("busy").get_by_text("done").wait_for()
    drawn.get_by_text("stopped").wait_for()
    assert bar.is_hidden()
    stopped = drawn.inner_text().split()[0]
    page.evaluate(run, 3)
    opened.output("told").get_by_text(stopped, exact=True).wait_for()
    drawn.get_by_role("button", name="Draw more").click()
    bar.wait_for()
    page.wait_for_function(
        "([node, before]) => Number(node.textContent.split(' of ')[1]) > Number(before)",
        arg=[counter.element_handle(), stopped],
    )
    drawn.get_by_role("button", name="Stop").click()
    drawn.get_by_text("stopped").wait_for()
