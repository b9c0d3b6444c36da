"""Buttons while a cell runs, in a real kernel and with no browser: this file says what a page would say."""

from __future__ import annotations

import queue
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kernel_page import Page, started

_HERE = Path(__file__).parents[1]

SETUP = f"""
import sys, time
sys.path[:0] = {[str(_HERE), *(p for p in sys.path if p.endswith(("widgets", "main")))]!r}
from module_subjects import Net
from nbmodule_widgets.views.watch import watch
model = Net()
"""
LOOP = """
with watch(model) as w:
    for number in w.steps(range(100_000)):
        time.sleep(0.002)
        if number in (0, 1):
            print("in the loop", number)
        w.tick(loss=float(number))
print("after the loop")
"""


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
    made = Page(client)
    made.done(made.run(SETUP))
    yield made
    client.stop_channels()


def opened(page: Page, code: str) -> str:
    """Runs a cell, and opens the view that it displays."""
    cell = page.run(code)
    page.listen(page.comm)
    page.says(kind="opened")
    return cell


def test_pause_step_and_play_while_the_cell_runs(page):
    cell = opened(page, LOOP.replace("100_000", "400"))
    queued = page.run("print('queued', w.ticks)")
    last = page.run("print('last')")
    clicked = page.says(kind="pause")
    page.listen(lambda: page.phase() == "paused")
    page.done(clicked)  # ipywidgets waits for this before it sends the next change
    before = page.steps()
    for more in (1, 2):
        page.says(kind="step")
        page.listen(lambda more=more: page.steps() == before + more and page.phase() == "paused")
        page.listen(lambda: page.header()["control"]["paused"])
    assert cell not in page.idle
    page.says(kind="play")
    page.done(last)
    assert page.idle.index(cell) < page.idle.index(queued) < page.idle.index(last)
    assert page.printed[cell] == "in the loop 0\nin the loop 1\nafter the loop\n"
    assert (page.printed[queued], page.printed[last]) == ("queued 400\n", "last\n")
    assert (page.phase(), page.steps()) == ("done", 400)


def test_clicks_may_come_through_a_subshell_as_jupyterlab_sends_them(page):
    request = page.client.session.msg("create_subshell_request")
    page.client.control_channel.send(request)
    try:
        page.subshell = page.client.control_channel.get_msg(timeout=60)["content"]["subshell_id"]
    except queue.Empty:
        pytest.skip("ipykernel 6 has no subshells")
    cell = opened(page, LOOP.replace("100_000", "200"))
    page.says(kind="pause")
    page.listen(lambda: page.phase() == "paused")
    before = page.steps()
    page.says(kind="step")
    page.listen(lambda: page.steps() == before + 1)
    page.says(kind="play")
    page.done(cell)
    assert page.printed[cell].endswith("after the loop\n")


def test_a_loop_in_a_thread_of_its_own_can_be_watched(page):
    loop = (
        LOOP.replace("100_000", "1500")
        .replace("with watch(model) as w:", "def train():")
        .replace("after the loop", "started")
    )
    cell = opened(
        page,
        f"import threading\nw = watch(model).start(){loop}\nthreading.Thread(target=train).start()",
    )
    page.done(cell)
    clicked = page.says(kind="pause")
    page.listen(lambda: page.phase() == "paused")
    page.done(clicked)
    other = page.run("print(w.running); w.pace.play()")
    page.done(other)
    assert page.printed[other] == "True\n"
    page.done(page.run("while w.ticks < 1500: time.sleep(0.05)\nw.stop()"))
    assert (page.phase(), page.steps()) == ("done", 1500)


def test_interrupt_while_paused(page, kernel):
    cell = opened(page, LOOP)
    page.says(kind="pause")
    page.listen(lambda: page.phase() == "paused")
    kernel.interrupt_kernel()
    page.done(cell)
    assert page.errors == {cell: "KeyboardInterrupt"}
    assert page.header()["status"]["words"].startswith("interrupted at step ")
    after = page.run("print(w.recorder.running, 6 * 7)")
    page.done(after)
    assert page.printed[after] == "False 42\n"


PRESSED = """
import ipywidgets
import nbmodule_widgets as nw
def train(button):
    model.added = Net()
    print("trains", flush=True)
    time.sleep(100)
button = ipywidgets.Button(description="train")
button.on_click(train)
view = nw.show(model)
display(button, view)
"""


def test_a_view_sees_what_an_interrupted_button_has_done(page, kernel):
    page.trait = "tree"
    cell = opened(page, PRESSED)
    page.done(cell)
    version = page.header()["selection"][0]
    page.trait = "button_style"
    pressed = page.says(event="click")
    page.listen(lambda: any("trains" in said for said in page.printed.values()))
    kernel.interrupt_kernel()
    page.done(pressed)
    page.trait = "tree"
    page.listen(lambda: page.header()["selection"][0] > version)
    assert "added" in page.header()["changed"]["line"]


def test_a_loop_that_begins_paused_waits_for_the_page_but_not_for_ever(page):
    paused = LOOP.replace("100_000)", "30), paused=True")
    cell = opened(page, paused)
    page.listen(lambda: page.phase() == "paused" and page.header()["control"]["paused"])
    assert page.steps() == 0
    page.says(kind="step")
    page.listen(lambda: page.steps() == 1)
    page.says(kind="play")
    page.done(cell)
    assert page.steps() == 30
    nobody = page.run(paused.replace("watch(model)", "watch(model, display=False)"))
    page.done(nobody)  # in some seconds
    assert page.printed[nobody].endswith("after the loop\n")


DRIVEN = """
w = watch(model)
@w.steps(range(40))
def step(number):
    print("step", number)
    if number == 30:
        raise ValueError("thirty")
"""


def test_the_buttons_drive_a_function_while_the_kernel_is_idle(page):
    cell = opened(page, DRIVEN)
    page.done(cell)
    assert cell not in page.printed
    page.says(kind="step")
    page.listen(lambda: page.steps() == 1)
    other = page.run("print('between', w.ticks)")
    page.done(other)
    page.says(kind="play")
    page.listen(lambda: page.phase() == "failed" and cell in page.errors)
    assert page.errors == {cell: "ValueError"}
    assert page.printed == {
        cell: "".join(f"step {number}\n" for number in range(31)),
        other: "between 1\n",
    }
    assert page.header()["status"]["words"] == "stopped by ValueError at step 30"


def test_a_cell_that_is_run_again_ends_what_its_last_run_left_running(page):
    def run(code: str) -> str:
        message = page.client.session.msg("execute_request", {"code": code, "silent": False})
        message["metadata"] = {"cellId": "the cell"}
        page.client.shell_channel.send(message)
        page.done(message["header"]["msg_id"])
        return message["header"]["msg_id"]

    code = "watches = globals().setdefault('watches', []); watches.append(watch(model).start())"
    for _ in range(3):
        run(code)
    told = run("print([w.running for w in watches]); watches[-1].stop()")
    assert page.printed[told] == "[False, False, True]\n"
