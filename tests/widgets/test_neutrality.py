"""An observer never changes the model."""

from __future__ import annotations

import contextlib
import gc
import weakref

import pytest
from every_view import LOOKS, MODELS, STILL, broken, convolutions, loss_of, state_of, used_up
from fingerprints import fingerprint
from module_subjects import Net

import nbmodule_widgets as nw


def watched(model: object) -> nw.Watch:
    """A watch after two steps, with all of it on a page."""
    with nw.watch(model, display=False) as run:
        for view in (run.header, run.tree, run.parameters):
            view._handle_custom_msg({"kind": "opened"}, [])
        run.tick(loss=1.0)
        run.tick(loss=0.5)
        run.refresh()
    return run


@pytest.mark.parametrize(
    "look",
    [
        lambda model: nw.show(model),
        lambda model: nw.show(model).refresh(),
        lambda model: nw.show(model).select("first.weight").to_html(),
        lambda model: nw.show(model).paint({"gradient norm": [1.0]}, ["first.weight"]),
        lambda model: str(nw.show(model)),
        lambda model: nw.show(model).select("").expand(2),
        lambda model: nw.lessons.anatomy(model).refresh(),
        lambda model: nw.lessons.anatomy(model).to_html(),
        lambda model: nw.lessons.anatomy(model).try_line("del self.first"),
        lambda model: nw.lessons.anatomy(model).try_line(
            "self.training = self._forward_hooks.clear()"
        ),
        lambda model: nw.lessons.anatomy(model).try_line("self.second.weight.numpy().fill(0)"),
        lambda model: nw.lessons.anatomy(model).try_line(
            "import random, numpy; random.random(); numpy.random.rand()"
        ),
        lambda model: nw.mimebundle(model),
        lambda model: nw.parameters(model, "first.weight").refresh(),
        lambda model: nw.parameters(model).to_html(),
        lambda model: nw.parameters(model).remember("then"),
        lambda model: nw.parameters(model, "first.weight").slice(how="extreme").figure("values"),
        lambda model: watched(model).to_html(),
        lambda model: watched(model).bundle(),
        lambda model: watched(model).figure(),
        *STILL.values(),
    ],
)
def test_an_observer_changes_nothing(look):
    model = Net()
    model._forward_hooks[1] = print
    before = fingerprint(model)
    look(model)
    assert fingerprint(model) == before


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
@pytest.mark.parametrize("make", MODELS)
def test_looking_at_a_pass_changes_nothing(lib, make, look, wire):
    """Modes, hooks and their order, gradients, random states, graphs that are still needed: all as before."""
    lib.manual_seed(0)
    model, inputs = make(lib)
    inputs.requires_grad_().grad = lib.ones_like(inputs)
    pending = None
    if make is not broken:
        loss_of(model(inputs)).backward()
        pending = loss_of(model(inputs))
    gradient, before = inputs.grad, (state_of(lib, model), inputs.grad.numpy().tobytes())
    view = used_up(look(model, inputs))
    if make is convolutions:
        assert view.figure().axes
        assert view.bundle()
    view.close()
    assert inputs.grad is gradient
    assert (state_of(lib, model), gradient.numpy().tobytes()) == before
    if pending is not None:
        pending.backward()  # what was kept for a backward pass is still there
    if make is convolutions:  # collecting takes time
        gone = weakref.ref(model)
        pending = model = view = None
        gc.collect()
        assert gone() is None


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("look", ["trace with a loss", "compare_modes", "graph", "call_tape"])
def test_a_pass_that_is_interrupted_leaves_nothing_behind(lib, look, error):
    """The reader presses "interrupt" in the midst of it: the error comes out, and the model is as before."""
    model, inputs = MODELS[0](lib)
    loss_of(model(inputs)).backward()
    pressed = []

    def press(module: object, given: object) -> None:
        pressed.append(module)
        raise error

    model[5].register_forward_pre_hook(press)
    before = state_of(lib, model)
    with contextlib.suppress(error):
        LOOKS[look](model, inputs)
    assert pressed
    assert state_of(lib, model) == before
