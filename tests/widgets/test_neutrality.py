"""An observer never changes the model."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from module_subjects import Module, Net, Tensor

import nbmodule_widgets as nw


def fingerprint(model: Module) -> list[Any]:
    """Everything an observer could disturb, to the last byte."""
    found: list[Any] = [repr(random.getstate()), repr(np.random.get_state())]  # noqa: NPY002
    pending, seen = [model], set()
    while pending:
        module = pending.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name, value in vars(module).items():
            found.append((id(module), name, id(value), type(value)))
            if isinstance(value, dict):
                found.append([(key, id(item)) for key, item in value.items()])
                tensors = [item for item in value.values() if isinstance(item, Tensor)]
                found += [
                    (id(t), t.numpy().tobytes(), id(t.grad), sorted(vars(t))) for t in tensors
                ]
        pending += [child for child in module._modules.values() if child is not None]
    return found


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
    ],
)
def test_an_observer_changes_nothing(look):
    model = Net()
    model._forward_hooks[1] = print
    before = fingerprint(model)
    look(model)
    assert fingerprint(model) == before
