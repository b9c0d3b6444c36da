"""`show` as the one place to look at a model: values, what becomes of each tensor, and what has changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mock_page import TREE
from module_subjects import Linear, Module, Net, Parameter

import nbmodule_widgets as nw
from nbmodule_widgets.engines import engine_of
from nbmodule_widgets.facts import checksums, facts
from nbmodule_widgets.facts.changes import changes
from nbmodule_widgets.lessons import anatomy, ledger


def rules(view: Any) -> dict[str, list[str]]:
    """What stands in the ledger's columns of each tensor, by the name of its row."""
    patterns = view.tree["patterns"]
    return {t["name"]: t["rules"] for p in patterns for t in p["tensors"] if "rules" in t}


# ------------------------------------------------------------------------------------------- values below


def test_the_view_of_the_values_is_made_when_it_is_asked_for(from_page):
    model = Net()
    view = nw.show(model).select("first.weight")
    assert view.numbers is None
    from_page(view, kind="numbers")
    assert view.problem == ""
    assert view.numbers is view.parameters
    assert view.parameters.selected is model.first.weight
    assert view.get_state("numbers") == {"numbers": f"IPY_MODEL_{view.parameters.model_id}"}


def test_the_selection_is_one_in_both():
    model = Net()
    view = nw.show(model)
    below = view.parameters
    view.select("second.bias")
    assert below.selected is model.second.bias
    below.set_state({"path": "first.weight"})  # as the reader chooses it there
    assert view.selected is model.first.weight
    view.select("second")  # of a Module the first tensor, and the gradients inside it
    assert (below.path, below.selected) == ("second", model.second.weight)
    assert view.selected is model.second


def test_closing_a_view_closes_what_it_shows():
    view = nw.show(Net())
    below = view.parameters
    view.close()
    assert below.comm is None
    assert view.parameters is not below


@pytest.mark.browser
def test_choosing_a_tensor_shows_its_values_below(stage):
    view = nw.show(Net())
    stage.show(view, TREE)
    asked = "() => window.sent.filter((message) => message.kind === 'numbers').length"
    rows = stage.rows
    rows.filter(has_text="first").first.click()
    assert stage.selection() == "first"
    stage.push("detail")
    assert stage.page.evaluate(asked) == 0  # a Module asks for none
    stage.keys("ArrowRight", "ArrowDown")
    assert stage.selection() == "first.bias"
    stage.push("detail")
    assert stage.page.evaluate(asked) == 1
    view.handle({"kind": "numbers"})
    stage.push("numbers")
    below = stage.page.locator(".below")
    below.get_by_text("histogram of the values").wait_for()
    assert below.locator(".title").inner_text() == "first.bias"
    box, head = below.bounding_box(), stage.page.locator("section").first.bounding_box()
    assert box["y"] >= head["y"] + head["height"] - 2  # below the tree, and as one panel with it
    stage.page.get_by_label("values", exact=True).uncheck()
    assert below.is_hidden()
    stage.page.get_by_label("values", exact=True).check()
    below.get_by_text("histogram of the values").wait_for()
    assert stage.page.evaluate(asked) == 1


@pytest.mark.browser
def test_a_front_end_that_draws_no_view_inside_another_says_so(stage):
    view = nw.show(Net()).select("first.weight")
    view.parameters.close()  # as if there were none
    stage.show(view, TREE)
    stage.page.evaluate("() => { window.inside = {}; window.cleanUp(); return window.draw(); }")
    stage.page.locator(".below").get_by_text("nw.parameters(model, path)").wait_for()


# ------------------------------------------------------------------------------------------- the ledger's columns


def test_what_becomes_of_a_tensor_is_what_the_ledger_says(lib):
    nn = lib.nn
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    model[0].bias.requires_grad_(False)
    model.register_buffer("mask", lib.ones(3), persistent=False)
    said = rules(nw.show(model))
    assert said["bias"] == ["learned", "saved", "yes"]  # of the batch norm, which comes last
    assert said["num_batches_tracked"] == ["–", "saved", "yes, stays int64"]
    assert said["mask"] == ["–", "not saved", "yes"]
    for row in ledger(model).facts.rows:
        name = row.path.rpartition(".")[2]
        if row.path != "0.bias":
            assert [word == good for word, good in zip(said[name], ("learned", "saved"), strict=False)] == [row.learned, row.remembered]  # fmt: skip
    assert ["frozen", "saved", "yes"] in [
        t["rules"] for p in nw.show(model[0]).tree["patterns"] for t in p["tensors"]
    ]


@pytest.mark.browser
def test_the_columns_of_the_ledger_are_switched_on_by_name(stage):
    view = nw.show(Net())
    stage.show(view, TREE)
    assert stage.rows.locator(".rule").count() == 0
    box = stage.page.get_by_label("learned, saved, moved")
    box.check()
    assert stage.page.evaluate("() => window.trait('columns')") == "ledger"
    line = stage.rows.filter(has_text="mask").locator(".rule").all_inner_texts()
    assert line == ["–", "not saved", "yes, stays bool"]
    assert stage.page.locator(".columns .rule").all_inner_texts() == ["learned", "saved", "moved, cast"]  # fmt: skip
    view.columns = "size"
    stage.push("columns")
    assert not box.is_checked()
    assert stage.rows.locator(".rule").count() == 0


# ------------------------------------------------------------------------------------------- what was written


def written(before: Any, model: Any) -> list[str]:
    return [change.path for change in changes(before, facts(model)) if change.what == "values"]


def test_values_that_were_written_are_noticed(lib):
    model = lib.nn.Sequential(lib.nn.Linear(2, 2), lib.nn.Linear(2, 2))
    model.again = model[0]
    first = facts(model)
    assert written(first, model) == []
    with lib.no_grad():
        model[0].weight.add_(1)
    assert written(first, model) == ["0.weight"]  # shared ones once
    second = facts(model)
    model[1].bias.data = lib.zeros(2)
    assert written(second, model) == ["1.bias"]
    third = facts(model)
    model[1].requires_grad_(False)
    model.eval()
    assert written(third, model) == []  # a flag is no value
    model.double()
    assert written(third, model) == []  # said as a dtype
    assert len(third.stamps) == len(list(third.tensor_rows()))


def test_statistics_that_batch_norm_writes_unnoticed_are_noticed(lib):
    model = lib.nn.Sequential(
        lib.nn.BatchNorm1d(3), lib.nn.InstanceNorm1d(3, track_running_stats=True)
    )
    view = nw.show(model)
    model(lib.randn(4, 3, 5))
    view.refresh()
    written = [f"{layer}.running_{what}" for layer in (0, 1) for what in ("mean", "var")]
    assert {change.path for change in view.changes} == {*written, "0.num_batches_tracked"}
    view.clear_changes()
    model.eval()(lib.randn(4, 3, 5))
    view.refresh()
    assert {change.what for change in view.changes} == {"training"}


def test_what_is_written_past_the_count_of_writes_is_noticed(lib, monkeypatch):
    """A few numbers of each tensor are read again; of which only one look has a sum, nothing is claimed."""
    model = lib.nn.Sequential(lib.nn.Linear(300, 200), lib.nn.BatchNorm1d(5000))
    tied = model[0].weight.detach().numpy()
    model[0].register_buffer("turned", lib.zeros(80, 90).t())
    first = facts(model)
    assert {len(stamp) for stamp in first.stamps if stamp} == {3}
    tied[50:60] += 1  # a few of its rows
    model[1].running_var.numpy()[:] += 1
    model[0].turned.numpy()[:] = 3
    noted = ["0.weight", "0.turned", "1.running_var"]
    assert written(first, model) == noted
    monkeypatch.setattr(checksums, "_MOST", 3)  # as in a model of many more tensors: buffers first
    now = facts(model)
    assert [len(stamp) for stamp in now.stamps if stamp] == [2, 2, 3, 2, 2, 3, 3, 2]
    assert [change.path for change in changes(first, now)] == noted[1:]
    assert [change.path for change in changes(now, first)] == noted[1:]


def test_what_a_tensor_does_not_tell_is_not_claimed():
    model = Net()
    model.own = Module()
    model.own._parameters["weight"] = Unstamped([1.0])
    model._buffers["table"] = np.zeros(3)  # type: ignore[assignment]
    view = nw.show(model)
    view.refresh()
    assert view.changed == {}
    model.own._parameters["weight"].numpy()[:] = 5
    model._buffers["table"][0] = 1
    view.refresh()
    assert view.changed == {}
    model._parameters["late"] = Parameter([1.0])
    view.refresh()
    assert "values" not in view.changed["line"]


class Unstamped(Parameter):
    """A reader's own tensor: whatever it says of its writes need not be so."""

    @property
    def _version(self) -> int:
        raise AssertionError("nobody asks a class that is not the library's own")


def test_the_page_is_told_which_tensors_were_written(torch, wire):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    view = nw.show(model).select("0.weight")
    version = view.tree["version"]
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2)
    wire.sent.clear()
    view.refresh()
    assert view.changed["line"] == (
        "since the last look: values of 4 tensors written, as far as tensors tell: "
        "0.weight, 0.bias, 1.weight, 1.bias"
    )
    assert view.tree["version"] == version  # the tree stays, and with it what is unfolded
    assert [str(change) for change in view.changes][:1] == ["0.weight: values written"]
    wire.sent.clear()
    view.refresh()
    assert wire.sent == []


def test_a_watched_run_marks_no_row_for_its_steps():
    model = Net()
    with nw.watch(model, display=False) as w:
        model.first.weight.numpy()[:] += 1
        w.tick()
        w.tree.refresh()
        assert w.tree.changed == {}
        model._modules["late"] = Linear(1, 1)
        w.tree.refresh()
        assert "added" in w.tree.changed["line"]


def test_a_look_asks_each_tensor_once_whether_it_was_written(lib, monkeypatch):
    model = lib.nn.Sequential(*(lib.nn.Linear(2, 2) for _ in range(50)))
    engine: Any = engine_of(model[0].weight)
    asked = []
    ask = type(engine).stamp
    monkeypatch.setattr(engine, "stamp", lambda t: (asked.append(t), ask(engine, t))[1])
    assert None not in facts(model).stamps
    assert len(asked) == 100


# ------------------------------------------------------------------------------------------- the table of layers


def test_with_inputs_the_table_of_layers_is_open(lib):
    model = lib.nn.Sequential(lib.nn.Linear(4, 3), lib.nn.ReLU())
    view = nw.show(model, lib.ones(2, 4))
    assert (view.tab, view.layers) == ("layers", None)  # no pass before somebody looks
    assert "(2, 3)" in str(view)
    assert "(2, 3)" in view.to_html()
    assert view.layers is view.summary
    view.tab = "tree"
    assert str(view) == nw.text(model)
    made = view.summary
    view.refresh()
    assert view.layers is made
    model.add_module("late", lib.nn.Linear(3, 1))
    view.refresh()
    assert view.layers is None  # it told of another model
    assert made.comm is None
    assert "late" in view.summary.text()


def test_inputs_go_by_name_and_options_are_named(lib):
    model = lib.nn.Sequential(lib.nn.Linear(4, 3))
    assert "(2, 3)" in str(nw.show(model, input=lib.ones(2, 4)))
    assert nw.show(model, tab="layers").calls is False
    assert nw.show(model, path="0.bias").selected is model[0].bias
    assert nw.show(model, columns="ledger").columns == "ledger"
    for wrong, said in (("tab", "'tree' or 'layers'"), ("columns", "'size' or 'ledger'")):
        with pytest.raises(ValueError, match=f"{wrong}={said}; got 'nonsense'"):
            nw.show(model, **{wrong: "nonsense"})  # type: ignore[arg-type]


@pytest.mark.browser
def test_the_tabs_are_the_tree_and_the_layers(stage):
    view = nw.show(Net(), path="first.weight")
    view.parameters  # noqa: B018  # made
    stage.show(view, TREE)
    stage.page.locator(".below").get_by_text("histogram of the values").wait_for()
    asked = "() => window.sent.filter((message) => message.kind === 'layers').length"
    stage.page.get_by_role("tab", name="Tree").focus()
    stage.keys("ArrowRight")
    assert stage.page.evaluate("() => [window.trait('tab'), window.saved.length]") == ["layers", 1]
    assert stage.page.evaluate(asked) == 1
    view.handle({"kind": "layers"})
    stage.push("layers")
    table = stage.page.get_by_role("region", name="layers")
    table.get_by_text("Linear").first.wait_for()
    assert stage.tree.is_hidden()
    assert stage.page.locator(".below").is_hidden()
    view.calls = True
    view.forget_layers()
    stage.push("calls", "layers")
    again = stage.page.get_by_role("button", name="run it again")
    again.wait_for()  # a pass is not run unasked
    assert table.count() == 0
    assert stage.page.evaluate(asked) == 1
    again.click()
    assert stage.page.evaluate(asked) == 2
    stage.page.get_by_role("tab", name="Tree").first.click()
    assert stage.tree.is_visible()
    stage.page.locator(".below").get_by_text("histogram of the values").wait_for()


# ------------------------------------------------------------------------------------------- the figure


def texts(figure: Any) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_the_figure_shows_modules_with_their_parameters(torch):
    pytest.importorskip("matplotlib")
    nn = torch.nn
    blocks = nn.ModuleList(nn.Sequential(nn.Linear(2, 2), nn.ReLU()) for _ in range(12))
    model = nn.Sequential(nn.Linear(2, 3), blocks)
    model.again = model[0]
    said = texts(nw.show(model).figure())
    assert "0 … 11: Sequential × 12" in said
    assert {"72", "6 each", "9", "again: Linear (shared)"} <= set(said)
    assert nw.show(model, torch.ones(1, 2), tab="layers").figure() is not None


def test_a_figure_of_a_large_tree_says_that_it_is_cut(torch):
    pytest.importorskip("matplotlib")
    nn = torch.nn
    model = nn.Sequential(*(nn.Sequential(nn.Linear(i + 1, 1)) for i in range(150)))
    figure = nw.show(model).figure()
    names = [text.get_text() for text in figure.axes[0].texts]
    assert len(names) == 60
    assert names[:3] == ["Sequential", "0: Sequential", "1: Sequential"]
    assert "241 rows more" in figure.get_supxlabel()


def test_the_figure_of_the_drawers_says_what_is_not_there_and_what_is_cut(torch):
    pytest.importorskip("matplotlib")
    drawers = anatomy(torch.nn.BatchNorm1d(3)).figure()
    assert {"_buffers", "running_mean   (3,) float32"} <= set(texts(drawers))
    half = Module()
    vars(half).pop("_buffers")
    vars(half).update({f"plain{i}": i for i in range(20)})
    said = texts(anatomy(half).figure())
    assert any(text.endswith(": not created yet") for text in said)
    assert "cut: 8 more" in said
