"""ParameterView without a browser: what it sends, what it remembers, its twins and its figures."""

from __future__ import annotations

import gc
import importlib
import re
from html.parser import HTMLParser
from typing import Any

import module_subjects as subjects
import numpy as np
import pytest
from module_subjects import HOSTILE, Linear, Module, Net, Parameter, Tensor, wide
from pretend_recorder import Recording, paths_of

from nbmodule_widgets.facts.weights import Histogram
from nbmodule_widgets.parameters_html import histogram_svg
from nbmodule_widgets.views.columns import log_column
from nbmodule_widgets.views.parameters import ParameterView, parameters


def trained() -> Net:
    """With a gradient in one parameter."""
    model = Net()
    model.first.weight.grad = Tensor(np.full((4, 3), 0.5))
    return model


def sent_bytes(messages: list[Any]) -> int:
    return sum(len(repr(data)) + sum(memoryview(b).nbytes for b in buffers) for data, buffers in messages)  # fmt: skip


# ------------------------------------------------------------------------------------ choosing


def test_it_shows_what_was_chosen():
    view = parameters(trained(), "second.weight")
    assert view.facts.place.path == "second.weight"
    assert view.select("first").facts.place.path == "first.weight"
    assert view.facts.scope == "first"
    assert [row.path for row in view.facts.flow.rows] == ["first.weight", "first.bias"]
    assert view.selected is view.model.first.weight
    assert view.select("again.bias").facts.place.path == "first.bias"
    assert view.select("mask").selected is view.model._buffers["mask"]


def test_a_wrong_path_says_what_there_is():
    with pytest.raises(KeyError, match=r"'first.weigth'.*'first.weight'"):
        parameters(Net(), "first.weigth")
    with pytest.raises(TypeError, match="Module"):
        parameters([Net()])
    with pytest.raises(TypeError, match="colour"):
        parameters(Net(), colour="red")


def test_the_page_may_choose_what_is_gone():
    model = trained()
    view = ParameterView(model, "second.weight")
    del model._modules["second"]
    view.refresh()
    assert view.shown["path"] == "first.weight"
    view.path = "no.such.thing"
    assert view.problem == ""
    assert view.shown["asked"] == "no.such.thing"
    empty = ParameterView(Module())
    assert empty.facts.place is None
    assert "no parameters" in str(empty)
    assert "no parameters" in empty.to_html()


def test_a_slice_from_the_page_and_from_python(from_page):
    model = Module()
    model._parameters["w"] = Parameter(np.arange(24.0).reshape(2, 3, 4))
    view = ParameterView(model)
    from_page(view, kind="slice", of="weight", axes=[0, 2], index=[0, 1, 0], how="mean")
    np.testing.assert_array_equal(view.facts.heat.cells, model._parameters["w"].numpy()[:, 1, :])
    assert np.frombuffer(view.shown["heat"]["cells"], "f4").sum() == view.facts.heat.cells.sum()
    with pytest.raises(ValueError, match="'weight' or 'gradient'"):
        view.slice(of="grad")
    for wrong in ({"of": "x"}, {"axes": ["a"]}, {"how": 3}, {"index": [None]}):
        asked = {"of": "weight", "axes": [], "index": [], "how": "mean", **wrong}
        from_page(view, kind="slice", **asked)
        assert "Error" in view.problem
    from_page(view, kind="slice")
    assert view.problem == ""


def test_a_small_tensor_travels_whole_and_a_large_one_does_not():
    model = Module()
    model._parameters.update(small=Parameter(np.ones((4, 5))), large=Parameter(np.ones((90, 90))))
    view = ParameterView(model, "small")
    view.refresh()
    assert np.frombuffer(view.shown["whole"]["weight"], "f4").size == 20
    assert view.shown["whole"]["gradient"] == b""
    view.select("large")
    assert "whole" not in view.shown
    assert view.shown["heat"]["block"] == [2, 2]


# ------------------------------------------------------------------------------------ over time


@pytest.mark.parametrize("norm", [1e-38, 3e-5, 1.0, 7.7e20])
def test_norms_travel_within_a_third_of_a_per_cent(norm):
    (code,) = np.frombuffer(log_column(np.array([norm])), "<u2")
    assert 10 ** (code / 700 - 46) == pytest.approx(norm, rel=2e-3)


def test_what_is_no_norm_has_a_number_of_its_own():
    column = log_column(np.array([0, np.nan, np.inf, -1, -2, 1e-300, 1e300]))
    codes = np.frombuffer(column, "<u2").tolist()
    assert codes == [0, 65535, 65534, 65533, 65532, 1, 65531]


def test_the_past_is_thinned_but_keeps_the_whole_run_and_its_end():
    model = wide(300)
    recorder = Recording(paths_of(model), 120)
    view = ParameterView(model, recorder=recorder)
    view.refresh()
    past = view.past
    assert past["steps"][-1] == 120
    assert past["steps"][0] <= 8
    looks, width = len(past["steps"]), len(past["rows"]) // 2
    norms = np.frombuffer(past["weight"], "<u2").reshape(looks, width)
    assert 10 ** (norms[-1, 0] / 700 - 46) == pytest.approx(2.0**119, rel=3e-3)
    assert sum(len(past[name]) for name in ("weight", "gradient", "update")) < 310_000


@pytest.mark.parametrize("modules", [3, 450, 3000])
def test_one_update_of_a_running_loop_is_small(wire, modules):
    model = wide(modules)
    model._parameters["big"] = Parameter(np.ones((300, 300)))
    view = ParameterView(model, "big", recorder=Recording(paths_of(model), 50))
    view.refresh()
    wire.sent.clear()
    view._recorder.looks = 51
    view.advance()
    assert 0 < sent_bytes(wire.sent) < 30_000
    assert view.news["step"] == 51


def test_the_flow_of_a_watched_run_is_there_when_the_gradients_are_gone():
    model = Net()
    recorder = Recording(paths_of(model), 3)
    flow = ParameterView(model, recorder=recorder).facts.flow
    assert {row.state for row in flow.rows} == {"gradient"}
    assert flow.rows[0].rms == pytest.approx(0.4 / np.sqrt(12))
    model.first.weight.grad = Tensor(np.full((4, 3), 0.5))  # a gradient that is there counts more
    assert ParameterView(model, recorder=recorder).facts.flow.rows[0].rms == 0.5


# ------------------------------------------------------------------------------------ moments


def test_moments_are_compared_by_name(from_page):
    model = trained()
    view = ParameterView(model, "first.weight")
    view.remember("before")
    model.first.weight.numpy()[:] *= 3
    far = {row.path: row.relative for row in view.compare().rows}
    assert far.pop("first.weight") == pytest.approx(2.0)
    assert far["second.weight"] == 0
    view.remember("after")
    assert (view.facts.comparison.before, view.facts.comparison.after) == ("before", "after")
    model.first.weight.numpy()[:] = 0
    again = {row.path: row.relative for row in view.compare().rows}
    assert again["first.weight"] == pytest.approx(2.0)  # a moment does not change
    state = {"first.weight": np.zeros((4, 3)), "again.weight": np.ones((4, 3))}
    view.remember("checkpoint", state)
    (row,) = view.compare("checkpoint", "now").rows
    assert (row.path, row.distance) == ("first.weight", 0)
    assert view.facts.comparison.missing == ()
    from_page(view, kind="remember")
    assert view.moments["keys"] == ["before", "after", "checkpoint", "moment 1", "now"]
    from_page(view, kind="compare", before="after", after="moment 1")
    assert view.facts.comparison.before == "after"
    with pytest.raises(KeyError, match="'later'"):
        view.compare("later")
    with pytest.raises(ValueError, match="name"):
        view.remember("now")


def test_a_comparison_that_failed_leaves_the_last_one():
    view = ParameterView(trained())
    view.remember("before")
    for wrong in (("later",), ("before", "later")):
        with pytest.raises(KeyError):
            view.compare(*wrong)
    view.refresh()
    assert view.facts.comparison.before == "before"


def test_only_a_few_moments_are_kept():
    view = ParameterView(trained())
    for number in range(9):
        view.remember(f"m{number}")
    assert view.moments["keys"] == ["m3", "m4", "m5", "m6", "m7", "m8", "now"]


# ------------------------------------------------------------------------------------ twins


class Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "img", "style", "link", "iframe")
        assert not [name for name, _ in attributes if name.startswith("on") or name in ("id", "src", "href")]  # fmt: skip
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: Any) -> None:
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def full_view(model: Module) -> ParameterView:
    view = ParameterView(model, recorder=Recording(paths_of(model), 20))
    view.remember("before")
    return view


def test_the_twins_say_the_same_every_time():
    first, second = full_view(trained()), full_view(trained())
    assert str(first) == str(second)
    assert first.to_html() == second.to_html()
    assert "first.weight: parameter (4, 3) float32 in Linear" in str(first)
    assert "weight norm" in str(first)
    assert "no gradient in first.bias, second.weight" in str(first)
    assert "from before to now" in str(first)
    checker = Checker()
    checker.feed(first.to_html())
    assert checker.open == []
    for sentence in (
        "first.weight",
        "no gradient in first.bias",
        "cosine 1",
        "4 rows by 3 columns",
    ):
        assert sentence in checker.text


def test_a_histogram_has_no_floor_and_one_number_is_seen():
    svg = histogram_svg(Histogram(-1.0, 3.0, (10_000, 0, 1, 0)), "red")
    assert re.findall(r"M(\d+) 60v-([\d.]+)h7", svg) == [("0", "60"), ("16", "1")]
    assert 'd="M8 0V60"' in svg  # zero, a quarter of the way
    assert "dashed: 0" in svg
    assert "dashed" not in histogram_svg(Histogram(1.0, 2.0, (1, 2)), "red")


def test_the_mosaic_of_a_convolution_is_in_all_twins():
    pytest.importorskip("matplotlib")
    model = Module()
    model._parameters["w"] = Parameter(np.full((40, 40, 3, 3), 5.0))
    view = ParameterView(model)
    words = "the first 21 × 21 of 40 × 40 slices, each 3 × 3"
    assert words in view.to_html()
    svg = view.to_html().split(words)[1]
    assert svg.count("h1v1h-1z") == 63 * 63
    assert 'viewBox="0 0 75 75"' in svg  # 63 cells and 20 gaps of 0.6
    figure = view.figure("values")
    assert words in figure.axes[0].get_title()
    assert figure.axes[0].images[0].get_array().shape == (63, 63)
    assert view.slice(index=(2, 3, 0, 0)).facts.heat.place(1, 2) == "[2, 3, 1, 2]"


def test_hostile_names_are_text():
    model = Module()
    model._modules[HOSTILE] = Linear(2, 2)
    view = full_view(model)
    checker = Checker()
    checker.feed(view.to_html())
    assert checker.open == []
    assert "<img src=x" in checker.text
    for twin in (str(view), checker.text):
        assert "\u202e" not in twin
        assert "\x07" not in twin


def test_a_bundle_holds_all_three_and_looks_once():
    view = ParameterView(trained())
    data, _ = view._repr_mimebundle_()
    assert data["text/plain"] == str(view)
    assert view.to_html() in data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in data


# ------------------------------------------------------------------------------------ figures


def test_figures_hold_the_facts():
    pytest.importorskip("matplotlib")
    model = trained()
    model.first.weight.numpy()[:] = np.arange(12.0).reshape(4, 3) - 5
    view = full_view(model)
    model.first.weight.numpy()[:] += 1
    heat = view.figure("values").axes[0]
    np.testing.assert_array_equal(heat.images[0].get_array(), model.first.weight.numpy())
    limit = view.facts.heat.limit
    assert heat.images[0].get_clim() == (-limit, limit)
    counts = view.figure("histogram").axes[0].patches[0].get_data().values
    np.testing.assert_array_equal(counts, view.facts.weight.histogram.counts)
    time = view.figure("time")
    assert [axis.get_ylabel() for axis in time.axes] == ["weight norm", "gradient norm", "update norm", "update / weight"]  # fmt: skip
    assert time.axes[0].get_yscale() == "log"
    assert max(time.axes[0].lines[-1].get_ydata()) == 2.0**19
    flow = view.figure("flow").axes[0]
    assert flow.get_yticklabels()[0].get_text() == "first.weight"
    assert flow.lines[0].get_xdata()[0] == 0.5
    moved = view.figure("compare").axes[1].images[0].get_array()
    np.testing.assert_array_equal(moved, np.ones((4, 3)))
    for kind in ("values", "histogram", "time", "flow", "compare"):
        figure = view.figure(kind)
        figure.canvas.draw()
        assert all(axis.get_xlabel() for axis in figure.axes if axis.images or axis.lines)


def test_a_figure_of_nothing_says_what_is_missing():
    pytest.importorskip("matplotlib")
    view = ParameterView(Net())
    with pytest.raises(ValueError, match="'values', 'histogram'"):
        view.figure("pie")
    for kind, words in (("time", "watch"), ("compare", "remember"), ("flow", "backward")):
        with pytest.raises(ValueError, match=words):
            view.figure(kind)


# ------------------------------------------------------------------------------------ libraries


def test_looking_changes_nothing(lib):
    model = lib.nn.Sequential(lib.nn.Linear(5, 4), lib.nn.ReLU(), lib.nn.Linear(4, 2))
    model(lib.randn(3, 5)).sum().backward()
    state = lib.get_rng_state().numpy().tobytes()
    before = [(id(p), p.detach().numpy().tobytes(), p._version, id(p.grad)) for p in model.parameters()]  # fmt: skip
    own = [dict(vars(module)) for module in model.modules()]
    view = ParameterView(model)
    view.remember("before")
    for path in view.index["paths"]:
        view.select(path).slice(of="gradient")
    assert [(id(p), p.detach().numpy().tobytes(), p._version, id(p.grad)) for p in model.parameters()] == before  # fmt: skip
    assert lib.get_rng_state().numpy().tobytes() == state
    assert [dict(vars(module)) for module in model.modules()] == own


def test_numbers_are_those_of_the_library(lib):
    model = lib.nn.Conv2d(2, 3, 4)
    model(lib.randn(1, 2, 6, 6)).sum().backward()
    found = ParameterView(model, "weight").slice(index=(2, 1, 0, 0)).facts
    assert found.weight.norm == pytest.approx(float(model.weight.detach().norm().item()), rel=1e-5)
    assert found.gradient.norm == pytest.approx(float(model.weight.grad.norm().item()), rel=1e-5)
    np.testing.assert_array_equal(found.heat.cells, model.weight.detach().numpy()[2, 1])


def test_a_model_that_trains_under_a_recorder(lib):
    watching = importlib.import_module("nbmodule_widgets.watching")
    model = lib.nn.Sequential(lib.nn.Linear(5, 4), lib.nn.ReLU(), lib.nn.Linear(4, 2))
    optimizer = lib.optim.SGD(model.parameters(), lr=0.1)
    recorder = watching.Recorder(model)
    view = ParameterView(model, "2.weight", recorder=recorder)
    recorder.start()
    for _ in range(5):
        optimizer.zero_grad()
        model(lib.randn(8, 5)).square().sum().backward()
        optimizer.step()
        recorder.step({})
        view.advance()
    recorder.stop()
    view.refresh()
    rows = np.frombuffer(view.past["rows"], "<u2")
    assert [view.index["paths"][row] for row in rows] == [
        "0.weight",
        "0.bias",
        "2.weight",
        "2.bias",
    ]
    assert view.past["steps"] == [1, 2, 3, 4, 5]
    last = np.frombuffer(view.past["weight"], "<u2").reshape(5, 4)[-1, 2]
    assert 10 ** (last / 700 - 46) == pytest.approx(view.facts.weight.norm, rel=3e-3)
    assert re.search(r"over time, steps 1 to 5 \(5 looks\)", str(view))


@pytest.mark.torch
def test_torch_tensors_of_every_kind():
    torch = pytest.importorskip("torch")
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.b16 = nn.Linear(4, 3).to(torch.bfloat16)
            self.lstm = nn.LSTM(3, 4)
            self.embedding = nn.Embedding(10, 4, sparse=True)
            self.head = nn.Linear(4, 10, bias=False)
            self.head.weight = self.embedding.weight
            self.normed = nn.utils.parametrizations.weight_norm(nn.Linear(3, 3))
            self.lazy = nn.LazyLinear(5)
            self.meta = nn.Linear(3, 3, device="meta")

    model = Model()
    model.embedding(torch.tensor([1, 2])).sum().backward()
    view = ParameterView(model)
    said = {path: view.select(path).facts for path in view.index["paths"]}
    assert said["b16.weight"].weight.norm == pytest.approx(model.b16.weight.float().norm().item(), rel=1e-3)  # fmt: skip
    assert said["lstm.weight_ih_l0"].heat.cells.shape == (16, 3)
    assert said["embedding.weight"].gradient.norm == pytest.approx(np.sqrt(8))
    assert view.select("head.weight").facts.place.path == "embedding.weight"
    assert "normed.parametrizations.weight.original0" in said
    assert "no shape yet" in said["lazy.weight"].weight.problem
    assert "meta" in said["meta.weight"].weight.problem
    assert said["b16.weight"].heat.problem == said["embedding.weight"].heat.problem == ""
    assert model.embedding.weight.untyped_storage().resizable()
    assert str(view)


def test_a_closed_view_is_let_go(wire):
    view = ParameterView(trained())
    view.remember("before")
    view.close()
    model = view.model
    del view
    gc.collect()
    held = [one for one in gc.get_referrers(model) if type(one).__name__ == "ParameterView"]
    assert held == []


# ------------------------------------------------------------------------------------ hostile


def lying_tensors() -> Module:
    """Tensors whose gradient raises, is no tensor, or has another shape; and one that lies about its shape."""

    class GradRaises(Parameter):
        grad = property(lambda self: 1 / 0, lambda self, value: None)  # type: ignore[assignment]

    class ShapeLies(Parameter):
        shape = property(lambda self: (5, 5))

    model = Linear(3, 2)
    model.weight.grad = "steep"  # type: ignore[assignment]
    model.bias.grad = Tensor(np.ones((7, 7)))
    model._parameters["raises"] = GradRaises(np.ones(2))
    model._parameters["lies"] = ShapeLies(np.ones(3))
    model._parameters["deep"] = Parameter(np.ones((1,) * 30))
    return model


MODELS = [
    subjects.ReturnsNone, subjects.RaisesKeyError, subjects.RaisesEverywhere, subjects.SharedDrawer,
    subjects.ListOfModules, subjects.OddTensors, subjects.HidesItsDict, subjects.of_unfriendly_class, lying_tensors,
    subjects.OddShapes, subjects.StubbornDrawers, subjects.hostile, subjects.cycle,
]  # fmt: skip


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_every_path_of_a_hostile_model_can_be_looked_at(make):
    view = ParameterView(make())
    for path in view.index["paths"]:
        view.select(path)
        assert view.problem == ""
        view.slice(of="gradient")
    view.remember("before")
    assert str(view)
    assert view.to_html()


def test_a_model_that_contains_itself_and_a_deep_one_end():
    model = Net()
    model.first._modules["root"] = model
    assert ParameterView(model).index["paths"][-1] == "second.bias"
    deep = subjects.chain(3000)
    assert ParameterView(deep).facts.place is None
    subjects.dismantle(deep)


def test_statistics_say_of_which_numbers_they_are():
    """NaN and infinities are counted, and left out of everything else."""
    made = Linear(3, 2)
    made.weight.numpy()[0] = np.nan, np.inf, 4.0
    view = ParameterView(made, "weight")
    view.refresh()
    lines = {name: numbers for name, *numbers in view.shown["lines"]}
    assert lines["numbers read"] == ["all 6, 4 finite", "–"]
    finite = made.weight.numpy()[np.isfinite(made.weight.numpy())]
    assert float(lines["norm √Σx²"][0]) == pytest.approx(np.linalg.norm(finite), rel=1e-3)
    assert float(lines["RMS √(Σx²/n)"][0]) == pytest.approx(np.sqrt(np.mean(finite**2)), rel=1e-3)
    assert [lines["NaN"][0], lines["infinite"][0]] == ["1", "1"]
