"""Draws that go on between the cells, in a real kernel and with no browser: this file says what a page would say."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kernel_page import Page, started

_HERE = Path(__file__).parents[1]
SETUP = f"""
import sys, time
sys.path[:0] = {[str(_HERE), *(p for p in sys.path if p.endswith(("widgets", "main")))]!r}
import random
import nbmodule as torch
from nbmodule import nn
import nbmodule_widgets as nw

class Slow(nn.Module):
    def forward(self, x):
        if pause > 1:
            print("asleep")
        time.sleep(pause)
        return x

pause = 0
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), Slow(), nn.Linear(8, 3))
x = torch.randn(6, 4)
"""
SLOWLY = "pause = 0.15\nview = nw.compare_modes(model, x)\nview"


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    manager = started() or started() or started()
    yield manager
    manager.shutdown_kernel(now=True)


@pytest.fixture
def page(kernel: Any) -> Iterator[Page]:
    client = kernel.client()
    client.start_channels()
    client.wait_for_ready(timeout=120)
    made = Page(client, "progress")
    made.done(made.run(SETUP))
    yield made
    client.stop_channels()


def opened(page: Page, code: str = SLOWLY) -> None:
    """Runs a cell, and opens the view that it displays."""
    cell = page.run(code)
    page.listen(page.comm)
    page.done(cell)
    page.says(kind="opened")


def told(page: Page, code: str) -> str:
    """What a cell prints."""
    cell = page.run(code)
    page.done(cell)
    assert cell not in page.errors
    return page.printed[cell]


def until(page: Page, true: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Listens until this is true of the progress; returns it."""
    page.listen(lambda: true(page.header()["progress"]))
    return page.header()["progress"]


def test_all_draws_come_and_are_those_that_were_asked_for_at_once(page):
    opened(page, "view = nw.compare_modes(model, x)\nview")
    until(page, lambda it: it["done"] == 32 and not it["runs"] and not it["more"])
    told_ = told(
        page, "print(view.facts.draws, str(view) == str(nw.compare_modes(model, x, draws=32)))"
    )
    assert told_ == "32 True\n"
    assert page.header()["found"]["draws"] == 32


def test_cells_run_between_the_draws_and_random_numbers_are_theirs(page):
    opened(page)
    until(page, lambda it: it["runs"] and it["done"] > 1)
    first = told(
        page,
        "random.seed(5); torch.manual_seed(5); print(random.random(), torch.randn(2).tolist())",
    )
    told(page, "random.seed(5); torch.manual_seed(5); print()")
    done = page.header()["progress"]["done"]
    until(page, lambda it: it["done"] > done + 1)
    assert told(page, "print(random.random(), torch.randn(2).tolist())") == first
    modes = (
        "[m.training for m in model.modules()], any('forward' in vars(m) for m in model.modules())"
    )
    assert told(page, f"print({modes})") == "([True, True, True, True, True], False)\n".replace(
        "(", ""
    ).replace(")", "").replace(
        "True, True, True, True, True], F", "True, True, True, True, True] F"
    )
    page.says(kind="stop")
    until(page, lambda it: not it["runs"])


def test_stop_and_draw_on(page):
    opened(page)
    until(page, lambda it: it["runs"] and it["done"] > 1)
    page.says(kind="stop")
    stopped = until(page, lambda it: not it["runs"])
    assert stopped["words"] == f"{stopped['done']} draws, stopped"
    assert stopped["more"]
    assert told(page, "pause = 0; print(view.facts.draws)") == f"{stopped['done']}\n"
    page.says(kind="on")
    until(page, lambda it: it["done"] == 32)


def test_interrupt_stops_the_draws_and_leaves_the_model_as_it_was(page, kernel):
    opened(page)
    until(page, lambda it: it["runs"] and it["done"] > 1)
    told(page, "pause = 100; print()")
    page.listen(lambda: "asleep\n" in page.printed.values())  # in the cell that made the view
    kernel.interrupt_kernel()
    stopped = until(page, lambda it: not it["runs"])
    assert stopped["words"].endswith(", stopped by interrupt")
    assert (
        told(page, "print([m.training for m in model.modules()])")
        == "[True, True, True, True, True]\n"
    )


def test_draws_of_a_changed_model_are_not_mixed(page):
    opened(page)
    until(page, lambda it: it["runs"] and it["done"] > 1)
    told(page, "model[0].weight.data[0, 0] += 1; print()")
    stopped = until(page, lambda it: not it["runs"])
    assert (
        'stopped: `0.weight` has changed. "Run again" compares the model as it is now'
        in stopped["words"]
    )
    assert 1 < stopped["done"] < 32
    page.says(kind="again", draws=3, seed=1, keep=False)
    again = until(page, lambda it: it["goal"] == 3 and it["done"] == 3)
    assert not again["runs"]
    assert (
        told(
            page,
            "pause = 0; print(view.facts.seed, str(view) == str(nw.compare_modes(model, x, draws=3, seed=1)))",
        )
        == "1 True\n"
    )


def test_a_page_that_is_closed_ends_them_and_a_cell_that_awaits_is_not_disturbed(page):
    opened(page)
    until(page, lambda it: it["runs"] and it["done"] > 1)
    widgets_message = "[get_ipython().events.trigger(e) for e in ('pre_execute', 'post_execute')]"
    awaiting = f"import asyncio; n = len(view._experiment.outputs); {widgets_message}; await asyncio.sleep(0.6); print(len(view._experiment.outputs) - n)"
    assert told(page, awaiting) == "0\n"
    page.says(kind="closed")
    until(page, lambda it: not it["runs"])
    done = page.header()["progress"]["done"]
    assert (
        told(page, "view.close(); await asyncio.sleep(0.5); print(view.facts.draws)") == f"{done}\n"
    )
