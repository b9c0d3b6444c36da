"""Views as ipywidgets among others: traits, links, closing, and looking again after a control."""

from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace
from typing import Any

import ipywidgets
import pytest
import traitlets
from every_view import LOOKS, RUNNING
from IPython.core import formatters
from ipywidgets import embed
from ipywidgets.widgets.widget import _instances

import nbmodule
import nbmodule_widgets as nw
from nbmodule import nn
from nbmodule_widgets.views import composed, kernel, ties
from nbmodule_widgets.views.live import LiveView
from nbmodule_widgets.views.looking import Lookout

VIEWS = {
    **LOOKS,
    "show": lambda model: nw.show(model),
    "parameters": lambda model: nw.parameters(model, "0.weight"),
    "anatomy": lambda model: nw.lessons.anatomy(model),
}


def made(name: str, model: Any) -> LiveView:
    given = (nbmodule.randn(3, 4),) if name in RUNNING else ()
    return VIEWS[name](model, *given)


def model() -> Any:
    found = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 2))
    found.weight = nn.Parameter(nbmodule.ones(2))
    return found


@pytest.mark.parametrize("name", VIEWS)
def test_closing_a_view_leaves_nothing_behind(wire, from_page, name):
    before, looked_at = set(_instances), model()
    gone = weakref.ref(looked_at)
    slider = ipywidgets.IntSlider()
    view = made(name, looked_at)
    from_page(view, kind="opened")
    view._repr_mimebundle_()
    for trait in view._for_readers:
        other = made(name, looked_at)
        traitlets.link((view, trait), (other, trait)) if trait == "path" else None
        if view.trait_metadata(trait, "sync"):
            ipywidgets.jslink((view, trait), (slider, "description"))
        other.close()
        view.observe(lambda change: None, trait)
    view.close()
    slider.close()
    slider.layout.close()
    slider.style.close()
    del view, looked_at, slider
    other = None
    wire.sent.clear()
    gc.collect()
    assert set(_instances) <= before
    assert gone() is None


@pytest.mark.parametrize("name", VIEWS)
def test_a_trait_that_there_is_not_is_refused(wire, name):
    view = made(name, model())
    with pytest.raises(AttributeError, match="no trait 'nonsense'") as error:
        view.observe(print, "nonsense")
    for trait in view._for_readers:
        assert repr(trait) in str(error.value)
        assert view.trait_metadata(trait, "from_page") or isinstance(
            view.traits()[trait], ties.Live
        )
    assert (view.layout.width, "320px" in view.layout.min_width) == ("100%", True)
    view.layout = {"width": "50%"}
    assert (view.layout.width, view.layout.min_width) == ("50%", None)


@pytest.mark.parametrize("make", [nw.show, nw.parameters])
def test_selected_tells_of_another_object(wire, make):
    shown, heard = model(), []
    view = make(shown)
    view.observe(lambda change: heard.append((change.old, change.new)), "selected")
    first = view.selected
    view.path = "2.bias"
    view.refresh()
    shown[2].bias = nn.Parameter(nbmodule.zeros(2))
    view.refresh()
    ids = [tuple(map(id, pair)) for pair in heard]
    assert [new for _, new in ids] == [ids[1][0], id(shown[2].bias)]
    assert ids[0][0] == id(first)
    with pytest.raises(TypeError, match="selected cannot be synced"):
        ipywidgets.jslink((view, "selected"), (ipywidgets.Text(), "value"))


@pytest.fixture
def loop(monkeypatch) -> list[Any]:
    """What a kernel's loop was asked to do later."""
    later: list[Any] = []
    made = SimpleNamespace(
        add_callback=lambda f, *a: f(*a), call_later=lambda s, f: later.append(f)
    )
    monkeypatch.setattr(
        kernel, "shell", lambda: SimpleNamespace(kernel=SimpleNamespace(io_loop=made))
    )
    return later


def test_many_messages_are_answered_by_one_look_and_a_cell_by_another(loop):
    looked: list[int] = []
    lookout = Lookout(lambda: looked.append(1))
    for _ in range(5):
        lookout.message_was_handled()
    assert (len(loop), looked) == (1, [])
    loop.pop()()
    assert looked == [1]
    lookout.message_was_handled()
    lookout.cell_has_run()  # it came first
    loop.pop()()
    assert looked == [1, 1]
    lookout.own_message()
    lookout.message_was_handled()
    assert loop == []
    lookout.message_was_handled()
    assert len(loop) == 1


def test_what_a_view_says_is_a_reason_to_look_only_if_somebody_listens(wire, monkeypatch):
    own: list[bool] = []
    monkeypatch.setattr(Lookout, "own_message", lambda self: own.append(True))
    view = nw.show(model())
    message = {"content": {"data": {"method": "update", "state": {"path": "0"}}}, "buffers": []}
    view._handle_msg(message)
    assert (own, view.path) == ([True], "0")
    view.observe(lambda change: None, "path")
    view._handle_msg(message)
    assert own == [True]


def test_a_readers_own_display_of_boxes_stays():
    formatter = formatters.MimeBundleFormatter()
    shell = SimpleNamespace(display_formatter=SimpleNamespace(mimebundle_formatter=formatter))
    composed.install(shell)
    composed.install(shell)
    assert formatter.type_printers == {ipywidgets.Box: composed.bundle}
    composed.uninstall(shell)
    assert formatter.type_printers == {}
    formatter.for_type(ipywidgets.Box, repr)
    composed.install(shell)
    composed.uninstall(shell)
    assert formatter.type_printers == {ipywidgets.Box: repr}


def test_a_page_of_ipywidgets_has_all_that_a_view_needs(wire):
    view = nw.show(nn.ReLU())
    state = embed.dependency_state(view)[view.model_id]["state"]
    assert state["_view_name"] == "AnyView"
    assert state["_esm"] == view._esm
