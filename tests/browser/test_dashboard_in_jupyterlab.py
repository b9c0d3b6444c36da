"""The dashboard at the end of chapter 19: pressed, steered by its sliders, saved, reopened, exported."""

from __future__ import annotations

import nbformat
import pytest
from course_chapters import ROOT
from jupyter_lab import write

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

CHAPTER = ROOT / "notebooks" / "19_dataset_dataloader_learner.ipynb"
NEEDED = ("imports", "data", "model", "watch-learner", "bar", "dashboard")  # with the exercises
ACCURACY = """\
def accuracy(prediction, target):
    return (prediction.argmax(1) == target).double().mean().item()"""
SAVE = "async () => { await jupyterapp.shell.currentWidget.context.save(); }"
DASHBOARD = "c19-dashboard"


def cells() -> dict[str, str]:
    """Return the cells that the dashboard needs, by their ids, with the exercises solved."""
    found = {}
    for cell in nbformat.read(CHAPTER, as_version=4).cells:
        if "exercise" in cell.metadata.get("tags", ()) or cell.id.removeprefix("c19-") in NEEDED:
            if cell.id == DASHBOARD:
                found["accuracy"] = ACCURACY
            found[cell.id] = cell.source
    return found


def test_the_readers_dashboard_trains_and_outlives_its_kernel(notebook, server, browser):
    write(server, cells())
    notebook.open("life.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    board = notebook.output(DASHBOARD)
    board.get_by_text("after 32 steps").wait_for()  # the cell has pressed its button once
    epochs = board.locator(".widget-readout").nth(2)
    epochs.fill("2")
    epochs.press("Enter")
    notebook.until("print(epochs.value)", "2")
    board.get_by_role("button", name="train", exact=True).click()
    board.get_by_text("after 96 steps").wait_for()
    board.locator("section.view[aria-label=training] .counters").get_by_text("96 steps").wait_for()
    board.get_by_role("treeitem").filter(has_text="hidden").first.wait_for()
    said = notebook.python("print(learner.epoch, run.ticks, len(metrics.history), model.training)")
    assert said == "2 96 3 False"

    notebook.page.evaluate(SAVE)
    notebook.close()
    notebook.page.goto("about:blank")
    notebook.open("life.ipynb")  # its new kernel knows nothing of the dashboard
    board.get_by_text("after 96 steps").wait_for()
    board.get_by_text("finished").first.wait_for()
    board.get_by_role("treeitem").filter(has_text="hidden").first.wait_for()
    assert epochs.inner_text() == "2"

    address = f"{server.url}/nbconvert/html/life.ipynb?token={server.token}"
    html = notebook.page.context.request.get(address).text()
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.set_content(html)
    stored = page.locator(".nbmodule-static").last
    for text in ("rate: 0.1", "batch size: 64", "after 32 steps", "hidden"):  # when its cell ended
        assert stored.get_by_text(text).first.is_visible(), text
    context.close()
    # On a busy machine the widget manager may ask 2 s for a model whose saved state comes later: it says so, and then draws it.
    late = "Error: widget model not found"
    assert [fault for fault in notebook.faults if late not in fault] == []
