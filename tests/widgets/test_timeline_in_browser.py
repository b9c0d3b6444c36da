"""HookTimeline in a real browser but without JupyterLab: stepping, scrubbing, the tree, the tensors, the pictures."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from mock_page import Stage
from timeline_subject import timeline

import nbmodule
import nbmodule_widgets as nw
from nbmodule import nn
from nbmodule_widgets.facts.words import decimal

pytestmark = pytest.mark.browser

TEXTS = "[...row.querySelectorAll('{}')].map(each => each.textContent)"
TRAITS = ("moments", "kept", "opened")

# what the cursor says when the pointer is in many places of the picture
EVERYWHERE = """() => {
  const root = document.querySelector(".nbmodule-view").shadowRoot, canvas = root.querySelector(".heat canvas"), said = [];
  const { left, top, width, height } = canvas.getBoundingClientRect();
  for (let y = 2; y < height; y += STEP)
    for (let x = 2; x < width; x += STEP) {
      canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: left + x, clientY: top + y }));
      said.push(root.querySelector(".reading").textContent);
    }
  return said;
}"""


def show(stage: Stage, view: Any) -> Any:
    stage.show(view, TRAITS)
    stage.page.get_by_role("slider").focus()
    return view


def test_each_lane_says_what_it_is(stage: Stage) -> None:
    """At its left, as high as its boxes; where there are many lanes the words stay apart."""
    show(stage, timeline())
    names = stage.page.locator(".names span")
    said = names.all_inner_texts()
    assert said[:3] == ["the model", "its parts", "their parts"]
    places = [each.bounding_box() for each in names.all()]
    lanes = stage.page.locator(".lanes").bounding_box()
    assert all(a["y"] + a["height"] <= b["y"] + 4 for a, b in pairwise(places))
    assert all(
        lanes["y"] < p["y"] + 8 < lanes["y"] + lanes["height"] and p["x"] + p["width"] <= lanes["x"]
        for p in places
    )
    net: Any = nn.Identity()
    for _ in range(40):
        net = nn.Sequential(net)
    show(stage, nw.trace(net, nbmodule.ones(1)))
    assert 5 < names.count() < 14
    assert names.last.inner_text().startswith("level ")


def sentence(stage: Stage) -> str:
    return stage.page.locator(".sentence span").inner_text()


def go(stage: Stage, moment: int) -> None:
    slider = stage.page.get_by_role("slider")
    slider.fill(str(moment))
    slider.focus()


def moment(stage: Stage) -> int:
    return int(stage.page.get_by_role("slider").input_value())


def states(stage: Stage) -> dict[str, str]:
    rows = stage.page.locator("[role=treeitem]")
    return dict(rows.evaluate_all(f"rows => rows.map(row => {TEXTS.format('b, .sign')}.reverse())"))


def sections(stage: Stage) -> dict[str, list[str]]:
    rows = stage.page.locator(".table tr:has(td)")
    found = rows.evaluate_all(f"rows => rows.map(row => {TEXTS.format('th, td')})")
    return {name.removesuffix("▦").replace("\u00a0", " "): cells for name, *cells in found}


def sent(stage: Stage) -> list[Any]:
    return [each for each in stage.page.evaluate("() => window.sent") if each["kind"] != "opened"]


def test_every_moment_is_told_as_python_knows_it(stage):
    view = show(stage, timeline())
    for event in view.facts.events:
        go(stage, event.number)
        said, name = sentence(stage), event.path or "the model"
        assert (name if event.call >= 0 else "loss") in said, (event.kind, said)
        for _, glance in event.tensors if "hook" not in event.kind and event.kind != "loss" else ():
            assert f"{glance.shape} {glance.dtype}" in said
        if "hook" in event.kind:
            assert event.changed.replace("nothing", "changed nothing") in said
        values = sections(stage).values()
        for _, glance in event.tensors:
            if glance.numel > 1:
                row = f"{decimal(float(np.float32(glance.mean)))} ± "
                assert any(cells[1].startswith(row) for cells in values), (event.kind, row)
    assert sent(stage) == []


def test_into_over_and_out_of_modules(stage):
    view = show(stage, timeline())
    kinds = [(event.kind, event.path) for event in view.facts.events]

    def press(key: str) -> tuple[str, str]:
        stage.keys(key)
        return kinds[moment(stage)]

    assert press("i") == ("call", "body")
    assert press("i") == ("call", "body.0")
    assert press("o") == ("return", "body.0")
    assert press("o") == ("call", "body.1")
    assert press("u") == ("return", "body.1")
    assert press("u") == ("return", "body")
    assert press("o") == ("call", "again")
    assert press("u") == ("return", "again")
    assert press("u") == ("return", "")
    assert press("o") == ("loss", "")
    assert press("o") == ("gradient in", "")
    assert press("i") == ("gradient in", "head")
    assert press("o")[0] in ("gradient out", "parameter gradient")
    stage.keys("End", "u")
    assert moment(stage) == len(kinds) - 1


def test_the_tree_says_who_runs_who_has_run_and_who_never_will(stage):
    view = show(stage, timeline())
    kinds = [(event.kind, event.path) for event in view.facts.events]
    go(stage, kinds.index(("call", "body.1")))
    assert states(stage) == {
        "Net": "▶", "body": "▶", "0": "✓", "1": "▶", "again": "·", "head": "·", "spare": "–",
    }  # fmt: skip
    here = stage.page.locator(".row.here")
    assert here.get_attribute("aria-label") == "1 ReLU, runs now, "
    go(stage, kinds.index(("gradient out", "again")))
    found = states(stage)
    assert (found["Net"], found["head"], found["body"]) == ("◀", "✓✓", "✓")
    assert "not reached" in stage.page.locator(".row.is-never").get_attribute("aria-label")
    stage.keys("End")
    assert set(states(stage).values()) <= {"◀", "✓✓", "–"}


def test_enter_on_a_module_goes_round_its_moments(stage):
    view = show(stage, timeline())
    again = [event.number for event in view.facts.events if event.path == "again"]
    stage.page.get_by_role("tree").focus()
    stage.keys("ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown")
    seen = []
    for _ in range(len(again) + 1):
        stage.keys("Enter")
        seen.append(moment(stage))
    assert seen == [*again, again[0]]
    stage.keys("ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft")
    assert "0" not in states(stage)
    stage.page.get_by_role("button", name="step forward").click()
    stage.keys("Home", "i", "i")  # stepping into what is folded unfolds it
    assert states(stage)["0"] == "▶"


def test_tensors_appear_when_their_moment_has_come(stage):
    view = show(stage, timeline())
    kinds = [event.kind for event in view.facts.events]
    assert sections(stage)["out"] == ["not yet"]
    go(stage, kinds.index("forward hook"))
    found = sections(stage)
    assert list(found) == [
        "in",
        "before",
        "after",
        "out",
        "gradient of output",
        "gradient of input",
    ]
    assert found["before"][1] != found["after"][1]
    current = stage.page.locator(".hooks [aria-current]")
    assert current.count() == 1
    assert current.inner_text().startswith("1")
    stage.page.locator(".hooks button").nth(2).click()
    assert view.facts.events[moment(stage)].name == "look"
    stage.page.locator(".hooks button").nth(3).click()  # the one that did not run
    assert view.facts.calls[view.facts.events[moment(stage)].call].direct


def test_the_timeline_is_scrubbed_and_zoomed_in_two_scales(stage):
    view = show(stage, timeline())
    size, lanes = len(view.facts.events), stage.page.locator(".lanes canvas")
    wide = lanes.bounding_box()["width"]

    def click(share: float) -> int:
        lanes.click(position={"x": wide * share, "y": 30})
        return moment(stage)

    for at in (2, size // 2, size - 1):
        assert click((at + 0.5) / size) == at
    stage.page.get_by_role("button", name="by time").click()
    span = view.facts.events[-1].at_us
    late = [event.number for event in view.facts.events if event.at_us <= 0.7 * span]
    assert abs(click(0.7) - late[-1]) <= 1
    stage.page.get_by_role("button", name="by moment").click()
    go(stage, 5)
    call = view.facts.calls[view.facts.events[5].call]
    stage.page.get_by_role("button", name="zoom to this module").click()
    assert click(0.01) == call.first_event
    assert click(0.99) == call.last_event
    go(stage, size - 1)  # the picture follows
    cursor = stage.page.locator(".cursor").bounding_box()
    box = lanes.bounding_box()
    assert box["x"] <= cursor["x"] < box["x"] + box["width"]
    assert sent(stage) == []


def test_channels_lie_side_by_side_and_the_cursor_reads_them(stage):
    values = np.arange(2 * 3 * 4 * 5, dtype="f4").reshape(2, 3, 4, 5)
    show(stage, nw.trace(nn.Identity(), nbmodule.tensor(values)))
    seen = set()
    for said in stage.page.evaluate(EVERYWHERE.replace("STEP", "5")):
        index, value = said.removeprefix("in").split(" = ")
        at = tuple(int(n) for n in index.strip("[]").split(", "))
        assert values[at] == float(value)
        seen.add(at)
    assert len(seen) == values.size


def test_larger_tensors_are_asked_from_python(stage):
    values = np.arange(2 * 8 * 20 * 20, dtype="f4").reshape(2, 8, 20, 20)
    view = show(stage, nw.trace(nn.Identity(), nbmodule.tensor(values), keep="all"))
    assert stage.page.locator(".heat").is_hidden()
    stage.page.get_by_role("button", name="show them").click()
    stage.page.get_by_text("Python is busy").wait_for()
    (message,) = sent(stage)
    view._handle_custom_msg(message, [])
    stage.push("opened")
    found = {
        said.partition(" = ")[0] for said in stage.page.evaluate(EVERYWHERE.replace("STEP", "23"))
    }
    assert found <= {
        f"in[0, {c}, {i}, {j}]" for c in range(8) for i in range(20) for j in range(20)
    }
    assert len(found) > 50
    stage.page.evaluate("() => { window.kernelGone = true; }")
    stage.keys("End")
    assert stage.page.locator(".heat").is_visible()  # the output is the same tensor


def test_a_failure_is_within_reach(stage):
    view = show(
        stage, nw.trace(nn.Sequential(nn.Linear(4, 5), nn.Linear(6, 2)), nbmodule.ones(2, 4))
    )
    assert moment(stage) == view.facts.failed  # what the reader wants to see first
    stage.keys("Home")
    stage.page.get_by_role("button", name="jump to the failure").click()
    assert moment(stage) == view.facts.failed
    assert "It failed in 1: " in sentence(stage)
    assert sections(stage)["in"][0] == "(2, 5) float32"
    assert stage.page.locator(".heat").is_visible()  # the values that it failed on


def test_a_pass_without_a_moment_shows_why(stage):
    class Own(nn.Module):
        def __call__(self, x: Any) -> Any:
            return x

    stage.show(nw.trace(Own(), nbmodule.ones(1)), TRAITS)
    assert "nothing was recorded" in stage.page.locator(".note").inner_text()
    assert "1 module not recorded" in stage.page.locator(".hooks").inner_text()
    assert stage.page.locator(".heat").is_hidden()


def test_the_table_shows_the_present_however_long_it_is(stage):
    class Many(nn.Module):
        def forward(self, *given: Any) -> Any:
            return list(given)

    show(stage, nw.trace(Many(), *(nbmodule.full((2, 2), float(n)) for n in range(9))))
    for keys, first in (("Home", "in [0]"), ("End", "out [0]")):
        stage.keys(keys)
        row = stage.page.locator(".table tr.here").first
        assert row.locator("th").inner_text().startswith(first)
        inner, outer = row.bounding_box(), stage.page.locator(".table").bounding_box()
        assert outer["y"] <= inner["y"]
        assert inner["y"] + inner["height"] <= outer["y"] + outer["height"]


def test_many_tensors_keep_three_digits_and_calls_are_counted(stage):
    class Loop(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell = nn.Linear(3, 3)
            self.twin = self.cell

        def forward(self, x: Any) -> Any:
            for number in range(200):
                x = self.cell(x) + number / 7
            return x

    view = show(stage, nw.trace(Loop(), nbmodule.ones(2, 3)))
    assert view.moments["step"]["scale"]
    rows = stage.page.locator("[role=treeitem]")
    assert rows.nth(1).locator(".chip").inner_text() == "200 calls"
    assert "the same module as cell" in rows.nth(2).inner_text()
    for event in view.facts.events[-40:]:
        go(stage, event.number)
        (name, glance), cells = event.tensors[0], sections(stage)
        mean = cells["in" if event.kind == "call" else "out"][1].split(" ± ")[0]
        assert name == ""
        assert float(mean) == pytest.approx(glance.mean, rel=6e-3)
    go(stage, max(event.number for event in view.facts.events if event.kind == "call"))
    assert "call 200" in sentence(stage)
