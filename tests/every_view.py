"""Every view of the round "time travel": how to make one of each, how to use it up, and models that run.

The matrices of tests go through these, so that a new view is in all of them by one line here.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from ipywidgets.widgets.widget import _remove_buffers  # as it is sent
from jupyter_client.session import json_packer

import nbmodule_widgets as nw
from nbmodule_widgets.views.summary import summary


def loss_of(output: Any) -> Any:
    """A scalar of whatever a model returns."""
    several = tuple(output.values()) if isinstance(output, dict) else output
    first = several[0] if isinstance(several, tuple) else several
    return (first * first).mean()


def failing_loss(output: Any) -> Any:
    raise ZeroDivisionError("no loss today")


def used_as_a_number(output: Any) -> float:
    """What leaves no graph: the pass is drawn by what ran."""
    return loss_of(output).item()


# What looks at a model without running it, and what runs it with inputs.
STILL: dict[str, Callable[[Any], Any]] = {
    "lookup": lambda model: nw.lessons.lookup(model, "weight"),
    "assignment": lambda model: nw.lessons.assignment(model, "self.extra = 5"),
    "match_keys": lambda model: nw.match_keys(
        model, {"weight": np.ones((2, 2)), "gone": np.ones(3)}
    ),
    "visits": lambda model: nw.lessons.visits(model),
    "ledger": lambda model: nw.lessons.ledger(model),
    "summary": lambda model: summary(model),
}
RUNNING: dict[str, Callable[..., Any]] = {
    "trace": nw.trace,
    "trace with a loss": partial(nw.trace, loss=loss_of, keep="all"),
    "trace with a failing loss": partial(nw.trace, loss=failing_loss),
    "compare_modes": partial(nw.compare_modes, draws=3),
    # Before Python 3.13 a frame whose variables were read for their names holds them until it ends: here, at once.
    "graph": lambda model, *inputs, **named: nw.graph(model, *inputs, loss=loss_of, **named),
    "graph of a failing pass": lambda model, *inputs, **named: nw.graph(
        model, *inputs, loss=failing_loss, **named
    ),
    "graph without gradients": lambda model, *inputs, **named: nw.graph(
        model, *inputs, loss=used_as_a_number, **named
    ),
    "call_tape": nw.lessons.call_tape,
    "summary of a pass": summary,
}
_VARIANTS = (
    "trace",
    "trace with a failing loss",
    "graph of a failing pass",
)  # each has a fuller one beside it
LOOKS: dict[str, Callable[..., Any]] = {
    **{name: (lambda model, *_, look=look, **named: look(model)) for name, look in STILL.items()},
    **RUNNING,
}
ONE_OF_EACH = [name for name in LOOKS if name not in _VARIANTS]


def used_up(view: Any) -> Any:
    """The view after all that a reader and a page do with it; each of its forms was clean.

    Its texts hold no control characters and no script, and what it sends can be sent.
    """
    view._handle_custom_msg({"kind": "opened"}, [])
    view.refresh()
    assert view.problem == ""
    texts = (str(view), view.to_html())
    assert all(texts)
    assert all(mark not in text for text in texts for mark in "\x00\ud800\u2066\u202e\x1b")
    assert "<script" not in texts[1].lower()
    assert "<img" not in texts[1].lower()
    state, _, _ = _remove_buffers(view.get_state())
    json_packer(state)  # raises for what is no UTF-8
    assert view.facts is not None
    return view


# ------------------------------------------------------------------------------------------- models that run


def convolutions(lib: Any) -> tuple[Any, Any]:
    """With batch norm, dropout, an in-place ReLU, one part in eval(), and hooks of a reader."""
    nn = lib.nn
    model = nn.Sequential(
        *(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(inplace=True), nn.Dropout(0.3)),
        *(nn.BatchNorm2d(3).eval(), nn.Flatten(), nn.Linear(3 * 4 * 4, 2)),
    )
    model[0].register_forward_pre_hook(lambda module, given: (given[0] * 2,))
    model[6].register_forward_hook(lambda module, given, result: result + 1)
    model[6].register_full_backward_hook(lambda module, given, result: None)
    model[6].weight.register_hook(lambda gradient: gradient * 2)
    return model, lib.randn(4, 1, 6, 6)


def recurrent(lib: Any) -> tuple[Any, Any]:
    return lib.nn.LSTM(4, 5, 2, dropout=0.2), lib.randn(5, 3, 4)


def transformer(lib: Any) -> tuple[Any, Any]:
    nn = lib.nn
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), lib.randn(2, 3, 16)


def tied(lib: Any) -> tuple[Any, Any]:
    nn = lib.nn
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 4))
    model[2].weight = model[0].weight
    model.add_module("again", model[0])
    return model, lib.randn(3, 4)


def parametrized(lib: Any) -> tuple[Any, Any]:
    """Weights that each pass computes; spectral norm moves its vectors in each."""
    ways = importlib.import_module(f"{lib.__name__}.nn.utils.parametrizations")
    model = lib.nn.Sequential(
        ways.weight_norm(lib.nn.Linear(4, 4)), ways.spectral_norm(lib.nn.Linear(4, 4))
    )
    return model, lib.randn(3, 4)


def broken(lib: Any) -> tuple[Any, Any]:
    """Its second layer does not fit."""
    return lib.nn.Sequential(lib.nn.Linear(4, 8), lib.nn.Linear(7, 3)), lib.randn(3, 4)


MODELS = (convolutions, recurrent, transformer, tied, parametrized, broken)


def state_of(lib: Any, model: Any) -> list[Any]:
    """Everything that looking at a model of nbmodule or PyTorch could disturb, to the last bit."""
    numbers = np.random.get_state()  # noqa: NPY002  # the generator that readers share
    found: list[Any] = [
        repr(random.getstate()),
        repr(numbers),
        lib.get_rng_state().numpy().tobytes(),
    ]
    found.append(lib.is_grad_enabled())
    for module in model.modules():
        for name, value in vars(module).items():
            found.append((name, id(value), type(value), value if isinstance(value, bool) else None))
            if isinstance(value, dict):
                found.append([(key, id(item)) for key, item in value.items()])
    for tensor in (*model.parameters(), *model.buffers()):
        found.append((id(tensor), tensor.requires_grad, tensor.is_leaf, _hooks_on(tensor)))
        found += [
            None if e is None else (id(e), e.detach().numpy().tobytes())
            for e in (tensor, tensor.grad)
        ]
    found.append([tensor._version for tensor in model.parameters()])
    return found


def _hooks_on(tensor: Any) -> list[int]:
    """Which hooks hang on a tensor: of PyTorch, or of nbmodule, where they hang on its node of the graph."""
    notes = getattr(vars(tensor).get("_accumulator"), "notes", None)
    kept = (
        getattr(tensor, "_backward_hooks", None),
        *map(vars(notes or object).get, ("arrived", "accumulated")),
    )
    return [id(hook) for hooks in kept for hook in (hooks or {}).values()]
