"""The views without a browser: what they say, send, select, and leave alone."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from module_subjects import (
    MISBEHAVING,
    Linear,
    Module,
    Net,
    Parameter,
    Tensor,
    hostile,
    wide,
)

import nbmodule_widgets as nw
from nbmodule_widgets.views import tree


def weight(message: tuple[dict[str, Any], list[Any]]) -> int:
    data, buffers = message
    return len(repr(data)) + sum(len(memoryview(buffer).cast("B")) for buffer in buffers)


# ------------------------------------------------------------------------------------------- the wire


def test_ten_thousand_modules_are_two_messages_and_a_quarter_of_a_megabyte(wire, from_page):
    view = nw.show(wide(10_000))
    assert len(wire.sent) == 2  # the view, and the layout that ipywidgets gives it
    assert 50_000 < sum(map(weight, wire.sent)) <= 250_000
    wire.sent.clear()
    view.refresh()
    from_page(view, kind="opened")
    assert wire.sent == []  # nothing changed, so nothing is said


def test_one_look_is_enough_for_text_html_and_the_live_view(monkeypatch):
    looks = []
    real = tree.facts

    def counted(model: object) -> Any:
        looks.append(model)
        return real(model)

    monkeypatch.setattr(tree, "facts", counted)
    model = Net()
    nw.mimebundle(model)
    assert len(looks) == 1
    view = nw.show(model)
    looks.clear()
    model.third = Linear(1, 1)
    data, _ = view._repr_mimebundle_()
    assert len(looks) == 1
    assert "third" in data["text/plain"]  # and it is a look at the model of now
    assert "third" in data["text/html"]
    assert "third" in view.tree["names"]


def test_five_thousand_parameters_in_one_drawer_stay_short():
    model = Module()
    model._parameters.update({f"p{i}": Parameter([1.0]) for i in range(5_000)})
    view = nw.show(model)
    assert str(view).count("\n") < 310
    assert str(view).endswith("… 4,700 more rows")
    assert len(view.to_html()) < 20_000
    assert "… 4,900 more rows" in view.to_html()


def test_the_script_of_a_view_writes_no_markup():
    for view in (nw.ModuleTree, nw.lessons.Anatomy):
        assert "role" in str(view._esm)
        for word in (
            "innerHTML",
            "insertAdjacentHTML",
            "document.write",
            "console.",
            "eval(",
            "fetch(",
        ):
            assert word not in str(view._esm)


# ------------------------------------------------------------------------------------------- selection


def test_selection_goes_both_ways():
    model = Net()
    view = nw.show(model)
    assert view.selected is None
    assert view.selected_path == ""
    assert view.select("first.weight").selected is model.first.weight
    assert view.selected_path == "first.weight"
    view.selection = [view.tree["version"], 0]  # as the page sets it
    assert view.selected is model
    view.select("again")
    assert view.selected is model.first
    assert dict(view.detail["lines"])["shared"] == "same object as first"


def test_an_unknown_path_says_what_is_possible():
    with pytest.raises(
        KeyError, match=r"no 'wieght' in 'first': there is 'weight', 'bias'.*'weight'\?"
    ):
        nw.show(Net()).select("first.wieght")


def test_refresh_keeps_the_selection_by_path():
    model = Net()
    view = nw.show(model).select("second.weight")
    model._modules = {"new": Linear(1, 1), **model._modules}
    view.refresh()
    assert view.selected is model.second.weight
    assert view.selected_path == "second.weight"
    del model.second
    view.refresh()
    assert view.selected is model  # what is left of the path
    stale = [1, 3]
    view.selection = stale  # a click on a tree that is gone
    assert view.selected is None


def test_the_detail_of_a_parameter_tells_none_zero_and_a_norm_apart():
    model = Linear(2, 3)
    view = nw.show(model).select("weight")
    said = []
    broken = np.ones((3, 2))
    broken[0] = np.nan, np.inf
    for gradient in (None, Tensor(np.zeros((3, 2))), Tensor(np.ones((3, 2))), Tensor(broken)):
        model.weight.grad = gradient
        view.refresh()
        said.append(dict(view.detail["lines"])["gradient"])
    model.weight.grad, model.weight.requires_grad = None, False
    view.refresh()
    said.append(dict(view.detail["lines"])["gradient"])
    assert said == [
        "None: no backward() has reached it",
        "all zeros",
        "norm 2.449",
        "norm 2 without its 2 NaN or infinite",
        "None: requires_grad is False, so backward() leaves it out",
    ]


# ------------------------------------------------------------------------------------------- the twins


class Reader(HTMLParser):
    """Collects what must not be there."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("make", [*MISBEHAVING, Net, lambda: wide(1_000)])
@pytest.mark.parametrize("view", [nw.show, nw.lessons.anatomy])
def test_static_html_is_well_formed_and_can_do_nothing(view, make):
    reader = Reader()
    reader.feed(view(make()).to_html())
    assert reader.open == []
    assert reader.tags <= {"div", "span", "details", "summary", "code", "b", "bdi"}
    assert reader.attributes <= {"style", "open"}


@pytest.mark.parametrize("view", [nw.show, nw.lessons.anatomy])
def test_twins_are_the_same_each_time_and_bounded(view):
    first, second = view(hostile()), view(hostile())
    assert str(first) == str(second) == repr(first)
    assert first.to_html() == second.to_html()
    assert "0x" not in str(first)
    large = view(wide(5_000))
    assert len(large.to_html()) < 150_000
    assert len(str(large)) < 40_000


def test_the_text_tree_of_a_small_model():
    assert nw.text(Net()) == (
        "Net() · train\n"
        "3 modules · 26 parameters (24 trainable, 2 frozen) · 6 numbers in buffers · 122 B\n"
        "├─ empty None\n"
        "├─ mean (4,) float32 · buffer\n"
        "├─ mask (2,) bool · buffer · not in state_dict\n"
        "├─ first: Linear(3, 4) · 16\n"
        "│  ├─ weight (4, 3) float32\n"
        "│  └─ bias (4,) float32\n"
        "├─ second: Linear(4, 2) · 10\n"
        "│  ├─ weight (2, 4) float32\n"
        "│  └─ bias (2,) float32, frozen\n"
        "└─ again: Linear(3, 4) ⇄ same object as first"
    )


def test_the_text_of_the_drawers():
    model = Net()
    model.layers = [Linear(1, 1)]
    assert str(nw.lessons.anatomy(model)) == (
        "Net(): what lies in its __dict__\n"
        "  _parameters   1 entry\n"
        "    empty  None\n"
        "  _buffers      2 entries\n"
        "    mean  (4,) float32\n"
        "    mask  (2,) bool\n"
        "  _modules      3 entries\n"
        "    first   Linear(3, 4)\n"
        "    second  Linear(4, 2)\n"
        "    again   Linear(3, 4)\n"
        "  training      True\n"
        "  _non_persistent_buffers_set 1 entry\n"
        "    mask\n"
        "  hooks         12 hook drawers, all empty\n"
        "plain attributes, invisible to parameters(), state_dict() and .to()\n"
        "    layers  list, 1 entry   ! holds 1 Module that parameters() cannot find: use nn.ModuleList"
    )


@pytest.mark.parametrize("mode", ["auto", "widget", "static"])
def test_the_bundle_offers_three_renderings(monkeypatch, mode):
    monkeypatch.setenv("NBMODULE_WIDGETS", mode)
    data, _ = nw.mimebundle(Net())
    widget = "application/vnd.jupyter.widget-view+json"
    assert (widget in data) == (mode != "static")
    assert data["text/plain"] == nw.text(Net())
    assert "<details" in data["text/html"]
    assert set(nw.mimebundle(Net(), include=["text/html"])[0]) == {"text/html"}
    assert "text/html" not in nw.mimebundle(Net(), exclude=["text/html"])[0]


# ------------------------------------------------------------------------------------------- arguments


def test_unknown_arguments_are_named_with_the_known_ones():
    with pytest.raises(TypeError, match=r"show\(\) got depth=: neither one of its options"):
        nw.show(Net(), depth=3)
