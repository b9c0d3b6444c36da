"""What stands in front of `forward` while a pass runs, and what is there afterwards."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import nbmodule_widgets as nw
from nbmodule_widgets.protocol import own_dict
from nbmodule_widgets.shadowing import Shadows


def test_a_copy_that_the_pass_makes_runs_with_its_own_weights(lib: Any) -> None:
    """As an average of weights does: a shadow that knew only the original would run the original."""

    class Twin(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = lib.nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            twin = copy.deepcopy(self.layer)
            with lib.no_grad():
                twin.weight.fill_(1.0)
                twin.bias.zero_()
            return twin(x)

    x = lib.ones(1, 2)
    output: Any = nw.compare_modes(Twin(), x, draws=2).facts.output
    assert output.eval.tolist() == [2, 2]
    values: Any = nw.trace(Twin(), x).facts.events[-1].tensors[0][1].values
    assert values.tolist() == [[2, 2]]


class Layer:
    """What a shadow is put in front of."""

    def forward(self) -> str:
        return "the class's"


@pytest.mark.parametrize("before", [{}, {"forward": lambda: "the reader's"}])
def test_what_stood_there_stands_there_again(before: dict[str, Any]) -> None:
    layer, shadows = Layer(), Shadows()
    own = own_dict(layer)
    own.update(before)
    shadows.place(layer, own, lambda module: module)
    assert layer.forward() is layer
    shadows.remove()
    assert own == before


def test_what_the_pass_puts_there_stays() -> None:
    layer, shadows = Layer(), Shadows()
    shadows.place(layer, own_dict(layer), lambda module: module)
    layer.forward = lambda: "new"  # type: ignore[method-assign]
    shadows.remove()
    assert layer.forward() == "new"
