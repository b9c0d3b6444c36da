"""A training loop watched in JupyterLab: its buttons work while the cell runs, and nothing is lost afterwards."""

from __future__ import annotations

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

pytestmark = pytest.mark.browser

SETUP = """\
import time
import nbmodule as torch
from nbmodule import nn, optim
import nbmodule_widgets as nw

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 4)
y = (x.sum(1) > 0).long()

def train():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss
"""
LOOP = """\
with nw.watch(model) as w:
    for number in w.steps(range(500)):
        time.sleep(0.01)
        if number == 450:
            print("in the loop")
        w.tick(loss=train())
print("after the loop")
"""
DRIVEN = """\
driven = nw.watch(model)

@driven.steps(range(100))
def step(number):
    print("step", number)
    driven.tick(loss=train())
"""


@pytest.fixture
def opened(notebook, server):
    sources = {"setup": SETUP, "loop": LOOP, "queued": "print('queued', w.ticks)", "driven": DRIVEN}
    cells = [new_code_cell(source, id=name) for name, source in sources.items()]
    kernel = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(
        new_notebook(cells=cells, metadata={"kernelspec": kernel}), server.root / "watch.ipynb"
    )
    notebook.open("watch.ipynb")
    yield notebook
    assert notebook.faults == []


def start(notebook):
    """Runs all cells, and does not wait for them."""
    notebook.page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")


def training(notebook, cell):
    return notebook.output(cell).locator("section.view[aria-label=training]")


def count(head):
    return int(head.locator(".counters").inner_text().split()[0].replace(",", ""))


def test_pause_step_select_and_play_while_the_cell_runs(opened):
    start(opened)
    head = training(opened, "loop")
    head.get_by_role("button", name="Pause").click()
    head.get_by_text("paused", exact=True).wait_for()
    before = count(head)
    assert before < 450
    for more in (1, 2):
        head.get_by_role("button", name="Step ▸❙").click()
        head.get_by_text(f"{before + more} steps ·").wait_for()  # not the speed "10 steps/s"
        head.get_by_role("button", name="Play").wait_for()
    tree = opened.output("loop").get_by_role("tree")
    tree.get_by_role("treeitem", name="bias, parameter").first.click()
    opened.output("loop").get_by_text(
        "0.bias"
    ).first.wait_for()  # Python answers in the midst of the cell
    assert opened.text_of("queued") == ""
    head.get_by_role("button", name="Play").click()
    head.get_by_text("finished", exact=True).wait_for()
    opened.output("queued").get_by_text("queued 500").wait_for()
    loop = opened.text_of("loop")
    assert loop.startswith("finished · 500 steps · loss ")  # what is stored is the last state
    assert loop.endswith("in the loop\nafter the loop\n")
    assert count(training(opened, "loop")) == 500
    assert opened.errors() == []


def test_interrupt_while_paused(opened):
    start(opened)
    head = training(opened, "loop")
    head.get_by_role("button", name="Pause").click()
    head.get_by_text("paused", exact=True).wait_for()
    opened.page.evaluate("() => jupyterapp.commands.execute('notebook:interrupt-kernel')")
    head.get_by_text("interrupted at step").wait_for()
    opened.output("loop").get_by_text("KeyboardInterrupt").first.wait_for()
    assert [error.split(":")[0] for error in opened.errors()] == ["KeyboardInterrupt"]
    assert opened.python("print(w.recorder.running)") == "False"


def test_the_buttons_drive_a_function_while_the_kernel_is_idle(opened):
    opened.set_source("loop", "")
    opened.set_source("queued", "")
    opened.run_all()
    head = training(opened, "driven")
    head.get_by_role("button", name="Step ▸❙").click()
    head.get_by_text("1 step ·").wait_for()
    opened.output("driven").get_by_text("step 0", exact=True).wait_for()
    head.get_by_role("button", name="Play").click()
    head.get_by_text("finished", exact=True).wait_for()
    opened.output("driven").get_by_text("step 99").wait_for()  # what is printed may come later
    assert opened.text_of("driven").endswith("step 98\nstep 99\n")


def test_a_reload_shows_the_whole_run(opened, server):
    opened.set_source("driven", "")
    opened.set_source("loop", LOOP.replace("0.01", "0.001"))
    opened.run_all()
    path = training(opened, "loop").locator("figure .line").get_attribute("d")
    assert path.count("L") > 200
    opened.page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
    opened.open("watch.ipynb")
    again = training(opened, "loop").locator("figure .line")
    again.wait_for(state="attached")
    assert again.get_attribute("d") == path
