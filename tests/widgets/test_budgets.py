"""What the views may send and draw, counted in messages, bytes and rows: the same on every machine.

Times are measured by `benchmarks/widgets`.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from mock_page import TREE
from module_subjects import Net, Tensor, wide

import nbmodule_widgets as nw
from nbmodule_widgets.views.live import LiveView

UPDATE = 40_000  # bytes, of all that one tick of `watch` sends
SCRIPT = 51_000  # bytes of JavaScript and CSS, of each kind of view
HELD = 60  # rows of a tree that the page may hold, however many there are

for _name in nw.__all__:
    getattr(nw, _name)  # views that load late are loaded now


def written_views() -> list[type[LiveView]]:
    """All classes of views in our source, in which traitlets' copies for single views do not stand."""
    found, todo = [], [LiveView]
    while todo:
        made = todo.pop().__subclasses__()
        todo += made
        found += [v for v in made if vars(sys.modules[v.__module__]).get(v.__name__) is v]
    return sorted(
        (
            view
            for view in found
            if view.__module__.startswith("nbmodule_widgets.") and hasattr(view, "_esm")
        ),
        key=lambda view: view.__name__,
    )


def size(message: tuple[dict[str, Any], list[Any]]) -> int:
    data, buffers = message
    return len(json.dumps(data, default=str).encode()) + sum(memoryview(b).nbytes for b in buffers)


@pytest.fixture(scope="module", params=[10_000, 100_000])
def large(request: pytest.FixtureRequest) -> Any:
    return SimpleNamespace(modules=request.param, model=wide(request.param))


@pytest.mark.parametrize("view", written_views(), ids=lambda view: view.__name__)
def test_the_script_of_a_view_is_short(view):
    assert 1_000 < len(str(view._esm).encode()) <= SCRIPT


def test_a_large_tree_is_two_messages_of_at_most_25_bytes_a_module(wire, from_page, large):
    view = nw.show(large.model)
    assert len(wire.sent) == 2  # the view, and the layout that ipywidgets gives it
    sent = sum(map(size, wire.sent)) - len(str(view._esm).encode())
    assert 4 * large.modules < sent <= 25 * large.modules  # not less than a name and a pattern need
    wire.sent.clear()
    view.refresh()
    from_page(view, kind="opened")
    assert wire.sent == []  # nothing changed, so nothing is said


def test_selecting_in_a_large_tree_sends_that_row(wire, large):
    view = nw.show(large.model)
    wire.sent.clear()
    view.select("m9.m9")
    assert 0 < sum(map(size, wire.sent)) <= 8_000


def test_the_twins_of_a_large_tree_say_how_much_they_leave_out(large):
    view = nw.show(large.model)
    for twin, most in ((str(view), 40_000), (view.to_html(), 200_000)):
        assert len(twin) < most
        left_out = int(twin.rpartition("… ")[2].split(" ")[0].replace(",", ""))
        assert large.modules * 0.9 < left_out < large.modules * 3


def test_tensors_that_are_alike_are_described_once(monkeypatch, lib):
    """However many there are; and what is too large to be tried on a copy is read once."""
    calls: Counter[str] = Counter()
    readers = importlib.import_module("nbmodule_widgets.facts.tensors").TensorReader
    pages = importlib.import_module("nbmodule_widgets.views.ledger")
    for owner, name in ((readers, "_described"), (pages, "ledger_facts")):
        original = getattr(owner, name)

        def counted(*given: Any, name: str = name, original: Any = original) -> Any:
            calls[name] += 1
            return original(*given)

        monkeypatch.setattr(owner, name, counted)
    model = lib.nn.Sequential(*(lib.nn.Linear(3, 3) for _ in range(2_000)))
    nw.match_keys(model, model.state_dict())
    assert 2 <= calls["_described"] <= 8  # a weight and a bias, of the model and of the state
    calls.clear()
    nw.lessons.ledger(model)
    assert calls == {"_described": 2, "ledger_facts": 1}


@pytest.mark.browser
def test_a_search_that_finds_everything_draws_what_is_in_sight(stage):
    stage.show(nw.show(wide(10_000)), TREE)
    stage.page.locator("input[type=search]").fill("linear")
    stage.page.get_by_text("10,000 of 30,001").first.wait_for()
    assert 10 < stage.rows.count() <= HELD
    stage.tree.evaluate("e => { e.scrollTop = e.scrollHeight / 2; }")
    stage.page.get_by_text("m5").first.wait_for()
    assert 10 < stage.rows.count() <= HELD


# ------------------------------------------------------------------------------------------- live updates

NEVER = 1e-6  # times a second: the page is told when a test says so


class Run:
    """A model that is trained and watched; a page looks at all three views."""

    def __init__(self, model: Any, hz: float, from_page: Any = None) -> None:
        self.watch = nw.watch(model, hz=hz, display=False)
        self.parameters = list(parameters(model))
        self.views = (self.watch.header, self.watch.tree, self.watch.parameters)
        for view in self.views if from_page else ():
            from_page(view, kind="opened")

    def step(self, number: int) -> None:
        for parameter in self.parameters:
            parameter.grad = Tensor(np.full(parameter.shape, 1 / (number + 1), "float32"))
            parameter.numpy()[...] *= 0.9
        metrics = {f"metric {i}": i / (number + 1) for i in range(10)}
        self.watch.tick(epoch=1, loss=1 / (number + 1), **metrics)


@pytest.mark.parametrize("make", [Net, lambda: wide(10_000)], ids=["small", "10,000 modules"])
def test_an_update_is_at_most_forty_kilobytes(wire, from_page, make):
    model = make()
    first = next(iter(model._modules))
    run = Run(model, NEVER, from_page)
    updates = []
    with run.watch as watch:
        for number, path in enumerate(["", first, f"{first}.weight"]):
            watch.tree.path = path
            run.step(number)
            wire.sent.clear()
            watch.screen.show()
            updates.append(sum(map(size, wire.sent)))
            from_page(watch.header, kind="drawn", number=watch.header.status["number"])
    assert min(updates) > 500
    assert max(updates) <= UPDATE


def test_nothing_is_sent_when_nobody_looks(wire):
    run = Run(Net(), hz=1e6)
    with run.watch:
        wire.sent.clear()
        for number in range(20):
            run.step(number)
        assert wire.sent == []


def test_a_page_that_is_behind_gets_one_update(wire, from_page):
    run = Run(Net(), 1e6, from_page)
    with run.watch as watch:
        number = watch.header.status["number"]
        from_page(watch.header, kind="drawn", number=number)
        for step in range(50):
            run.step(step)
        assert (
            watch.header.status["number"] <= number + 1
        )  # the page has not said that it drew that


def parameters(model: Any) -> Iterator[Any]:
    """Those of a tree without shared Modules, except for what is there twice."""
    yield from (parameter for parameter in model._parameters.values() if parameter is not None)
    for child in {id(child): child for child in model._modules.values()}.values():
        yield from parameters(child)
