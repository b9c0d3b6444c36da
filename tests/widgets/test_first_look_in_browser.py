"""What a reader sees at first: as much of the tree as can be looked over, and the three parts of a run as one."""

from __future__ import annotations

import pytest
from mock_page import TREE
from module_subjects import Linear, Module, Net

import nbmodule_widgets as nw
from nbmodule_widgets.views.watch import watch

pytestmark = pytest.mark.browser
NET = ("first.weight", "first.bias", "second.weight", "second.bias")


def encoder(layers: int) -> Module:
    """A stack inside a container, as in a Transformer: layers of four modules each."""
    model, stack = Module(), Module()
    model._modules["layers"] = stack
    for n in range(layers):
        stack._modules[str(n)] = layer = Module()
        layer._modules.update({f"part{k}": Linear(2, 2) for k in range(4)})
    return model


@pytest.mark.parametrize(("layers", "deepest"), [(2, 5), (12, 3), (300, 3)])  # 300 are one row
def test_the_tree_is_unfolded_as_far_as_it_can_be_looked_over(stage, layers, deepest):
    stage.show(nw.show(encoder(layers)), TREE)
    levels = stage.rows.evaluate_all("all => all.map((row) => Number(row.ariaLevel))")
    assert max(levels) == deepest


def test_the_first_column_has_room_for_the_longest_name(stage):
    model = Net()
    model._modules["a_rather_long_name_of_a_layer"] = Linear(2, 2)
    stage.page.set_viewport_size({"width": 1280, "height": 700})
    stage.show(nw.show(model), TREE)
    names = stage.page.locator(".row .name bdi")
    assert names.evaluate_all("all => all.filter((e) => e.scrollWidth > e.clientWidth).length") == 0


def test_small_gradients_have_bars_too(stage):
    """A vanishing gradient is a staircase, not a column of empty bars."""
    view = nw.show(Net())
    stage.show(view, TREE)
    bars = stage.page.locator(".bar")

    def widths(*norms: float) -> list[float]:
        view.paint({"gradient norm": list(norms)}, NET)
        stage.push("watched", "live")
        stage.page.evaluate("() => new Promise(requestAnimationFrame)")
        return bars.evaluate_all(
            "all => all.map((e) => Math.round(e.getBoundingClientRect().width))"
        )

    legend = stage.page.locator(".legend")
    steps = widths(3e-8, 1e-6, 1e-3, 0.5)
    assert legend.inner_text() == "gradient norm, log scale: 1e-8\n1e0"
    assert len(set(steps) - {0}) >= 4
    widths(3e-7, 1e-6, 1e-3, 0.5)
    assert "1e-8" in legend.inner_text()  # what moves a little does not change the scale
    widths(0.01, 0.02, 0.1, 0.5)
    assert "1e-4" in legend.inner_text()


def test_a_run_begins_with_its_first_parameter_in_all_three_parts():
    model = Net()
    with watch(model) as w:
        assert w.tree.selected is w.parameters.selected is model.first.weight
        assert w.header.path == w.tree.path == w.parameters.path == "first.weight"
        assert "nbmodule-watch" in w.screen.page._dom_classes


def test_a_pause_shows_everything_as_it_is_now():
    model = Net()
    with watch(model) as w:
        w.parameters.remember("before")
        model.first.weight.numpy()[:] += 1
        w.tick()
        w.pace.pause()
        w.show_now()
        table = w.parameters.moments["table"]
        assert dict(zip(table["paths"], table["words"], strict=True))["first.weight"].startswith(
            "3.464 ("
        )
