"""What a look at a pass runs, sends and draws, counted: the same on every machine.

Times are measured by `benchmarks/widgets`.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections import Counter
from typing import Any

import pytest
from every_view import loss_of

import nbmodule
import nbmodule_widgets as nw
from nbmodule_widgets import graphing, preserved
from nbmodule_widgets.graphing import flow, recording
from nbmodule_widgets.lesson_facts import tape_rows
from nbmodule_widgets.tracing import columns, record

nn = nbmodule.nn
STEP = 8_000  # bytes, of one recorded step of a 12-layer transformer
EVENTS = 20_000
COMPARED = 32_000  # bytes, of all that 32 draws tell the page
DRAWN = 500  # boxes of a graph in the page


def size(value: Any) -> int:
    """Bytes of a trait: binary columns as they are, the rest as JSON."""
    if isinstance(value, (bytes, memoryview)):
        return len(value)
    if isinstance(value, dict):
        return 2 + sum(len(json.dumps(key)) + 2 + size(item) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return 2 + sum(1 + size(item) for item in value)
    return len(json.dumps(value))


def sent(wire: Any, view: Any) -> int:
    """Bytes of all messages, apart from the script."""
    total = sum(size(data) + sum(memoryview(b).nbytes for b in more) for data, more in wire.sent)
    return total - len(json.dumps(str(view._esm)))


def test_a_step_of_a_transformer_of_twelve_layers_is_small(wire):
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)
    view = nw.trace(model, nbmodule.randn(2, 3, 16), loss=loss_of, keep="none")
    assert len(view.facts.events) > 400
    assert view.facts.dropped == 0
    assert size(view.moments["step"]) <= STEP
    assert sent(wire, view) <= 4 * STEP  # with names and tree


class Rows(nn.Module):
    """Calls one layer very often."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Identity()

    def forward(self, x: Any) -> Any:
        for _ in range(900):
            x = self.layer(x)
        return x


def test_events_beyond_the_limit_are_left_out_and_counted(wire):
    assert inspect.signature(record).parameters["limit"].default == EVENTS
    found = record(Rows(), (nbmodule.ones(1),), limit=500)
    assert 400 < len(found.events) <= 500
    assert len(found.events) + found.dropped == 2 * 901
    view = nw.HookTimeline(found)
    assert f"{found.dropped:,}" in str(view)
    assert f"{found.dropped:,}" in view.to_html()
    assert size(view.moments["step"]) < 25 * 500  # so that 20,000 are half a megabyte
    assert len(str(view)) < 60_000
    assert len(view.to_html()) < 400_000


def test_thirty_two_draws_are_67_passes_and_32_kilobytes_and_the_answer_three(wire):
    passes = []

    class LeNet(nn.Sequential):
        def forward(self, input: Any) -> Any:
            passes.append(self.training)
            return super().forward(input)

    model = LeNet(
        *(nn.Conv2d(1, 6, 5), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(256, 120), nn.ReLU(), nn.Dropout(0.5)),
        *(nn.Linear(120, 84), nn.ReLU(), nn.Dropout(0.25), nn.Linear(84, 10)),
    )
    x = nbmodule.randn(4, 1, 28, 28)
    nw.compare_modes(model, x)
    assert len(passes) <= 3  # the code above mentions the mode: else it were two
    passes.clear(), wire.sent.clear()
    view = nw.compare_modes(model, x, draws=32)
    assert len(passes) <= 67  # eval() follows each draw
    assert sent(wire, view) <= COMPARED


def long_sum(operations: int) -> Any:
    x = total = nbmodule.ones(3, requires_grad=True)
    for _ in range(operations // 2):
        total = (total * 0.5) + x
    return total.sum()


@pytest.mark.browser
def test_a_graph_of_ten_thousand_nodes_is_sent_small_and_drawn_in_part(wire, stage):
    view = nw.graph(long_sum(10_000))
    nodes = len(view.facts.nodes)
    assert nodes >= 10_000
    assert sent(wire, view) <= 60_000
    assert len(str(view)) < 60_000
    assert len(view.to_html()) < 400_000
    own = set(view.keys) - {"layout", "tabbable", "tooltip"}
    stage.show(view, tuple(name for name in own if not name.startswith("_")))
    boxes = stage.page.locator("g.box")
    boxes.first.wait_for(state="attached")
    assert 1 < boxes.count() <= DRAWN
    view._handle_custom_msg({"kind": "rest"}, [])  # which the page asks for
    assert 10_000 < sent(wire, view) <= 60_000 + 30 * nodes
    stage.push("rest", "played")
    stage.page.get_by_role("button", name="unfold").click()
    stage.page.wait_for_function(
        "() => document.querySelector('.nbmodule-view').shadowRoot.querySelectorAll('g.box').length > 100"
    )
    assert boxes.count() <= DRAWN


def test_only_what_is_shown_of_a_large_pass_is_put_into_words(monkeypatch, wire):
    """Of ten thousand Modules a page shows some hundred rows: the others cost a few numbers each."""
    told: list[str] = []

    def counted(name: str, function: Any) -> Any:
        return lambda *given: told.append(name) or function(*given)

    monkeypatch.setattr(columns, "sentence", counted("sentence", columns.sentence))
    monkeypatch.setattr(tape_rows.Pass, "item", counted("row", tape_rows.Pass.item))
    model = nn.Sequential(*(nn.Identity() for _ in range(2_000)))
    timeline = nw.trace(model, nbmodule.ones(1), loss=loss_of)
    assert len(timeline.facts.events) > 4_000
    assert told == []
    assert timeline.facts.events[0].words.startswith("the model (Sequential) is called with")
    told.clear()
    tape = nw.lessons.call_tape(model, nbmodule.ones(1))
    assert tape.facts.left_out > 3_000
    assert Counter(told) == {"row": 2 * 300 + 2}


def test_a_large_pass_is_sent_and_written_without_a_record_for_each_moment(monkeypatch):
    """A page gets columns; the twins write some hundred moments. Only where hooks ran each moment is looked at."""
    made: list[str] = []
    for name in ("event", "call_record"):
        original = getattr(columns.Columns, name)
        monkeypatch.setattr(
            columns.Columns,
            name,
            lambda self, n, f=original, to=name: made.append(to) or f(self, n),
        )
    model = nn.Sequential(*(nn.Identity() for _ in range(2_000)))
    model[7].register_forward_hook(lambda *given: None)
    view = nw.trace(model, nbmodule.ones(1), loss=loss_of)
    assert len(view.facts.events) > 4_000
    assert Counter(made) == {
        "event": 2
    }  # where the hook ran: for the list of hooks, and for the page
    str(view), view.to_html()
    assert Counter(made)["event"] <= 1_000
    assert Counter(made)["call_record"] <= 2_000


def test_a_tape_of_two_passes_reads_the_model_once(monkeypatch):
    read, walked = [], []
    tracing = importlib.import_module("nbmodule_widgets.tracing.recording")
    walk = tracing.structure
    monkeypatch.setattr(tracing, "structure", lambda model: walked.append(model) or walk(model))
    opened = preserved._opened
    monkeypatch.setattr(preserved, "_opened", lambda root: read.append(root) or opened(root))
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
    tape = nw.lessons.call_tape(model, nbmodule.ones(1, 2))
    assert read == walked == [model]
    assert (
        tape.facts.same
    )  # the dropout drew the same numbers: the second pass began where the first did


def test_what_ran_is_put_together_only_where_the_library_has_no_graph(monkeypatch):
    """Or where what the operations made would be too much to hold."""
    asked: list[str] = []
    add = flow.Flow.add
    monkeypatch.setattr(
        flow.Flow,
        "add",
        lambda self, heard, *rest: asked.append(heard.name) or add(self, heard, *rest),
    )
    model, x = nn.Sequential(nn.Linear(2, 3), nn.ReLU()), nbmodule.ones(1, 2)
    assert [node.word for node in nw.graph(model, x).facts.nodes][-1] == "relu"
    assert asked == []
    monkeypatch.setattr(recording, "_HELD", 0)
    nw.graph(model, x)
    assert asked
    del asked[:]
    with nbmodule.no_grad():
        found = nw.graph(model, x).facts
    assert found.forward_only
    assert len(asked) >= 2


def test_only_what_is_drawn_of_a_large_graph_is_laid_out(monkeypatch, wire):
    """Until the page asks for the rest; and then it is the same rows for what was drawn before."""
    rows = importlib.import_module("nbmodule_widgets.graphing.layout")._Rows
    made: list[int] = []
    original = rows.__init__

    def counted(self: Any, *given: Any) -> None:
        made.append(1)
        original(self, *given)

    monkeypatch.setattr(rows, "__init__", counted)
    inside = (nn.Sequential(*(nn.Linear(2, 2) for _ in range(30))) for _ in range(40))
    view = nw.graph(nn.Sequential(*inside), nbmodule.ones(1, 2))
    assert not view.graph["whole"]
    assert len(made) == len(view.opened) < 40
    part = graphing.layout(view.facts, frozenset(view.opened))
    whole = graphing.layout(view.facts)
    assert len(made) > 1_200
    for group in view.opened:
        a, b = (slice(*one.items[group : group + 2]) for one in (part, whole))
        for name in ("kind", "rank", "order"):
            assert getattr(part, name)[a].tolist() == getattr(whole, name)[b].tolist()
