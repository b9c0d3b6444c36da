"""An observer never changes the model."""

from __future__ import annotations

import pytest
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
        lambda model: nw.anatomy(model).refresh(),
        lambda model: nw.anatomy(model).to_html(),
        lambda model: nw.anatomy(model).try_line("del self.first"),
        lambda model: nw.anatomy(model).try_line("self.training = self._forward_hooks.clear()"),
        lambda model: nw.anatomy(model).try_line("self.second.weight.numpy().fill(0)"),
        lambda model: nw.anatomy(model).try_line(
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
    ],
)
def test_an_observer_changes_nothing(look):
    model = Net()
    model._forward_hooks[1] = print
    before = fingerprint(model)
    look(model)
    assert fingerprint(model) == before
