"""After a comparison every flag, buffer and random state is as before: of any model, in whichever pass it fails or stops."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbmodule_widgets as nw


class Trap:
    """Raises at the n-th call.

    Attributes:
        at: The call; 0 for never.
        error: What is raised.
        calls: How many there were.
    """

    at, error, calls = 0, ValueError, 0

    def step(self) -> None:
        self.calls += 1
        if self.calls == self.at:
            raise self.error("now")


def trapped(lib: Any) -> tuple[Any, Trap]:
    """A layer with a trap; the trap is no part of the model."""
    trap = Trap()

    class Trapped(lib.nn.Module):
        def forward(self, x: Any) -> Any:
            trap.step()
            return x * 2 if self.training else x

    return Trapped(), trap


def plain(lib: Any) -> tuple[Any, Trap]:
    layer, trap = trapped(lib)
    nn = lib.nn
    return nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), layer), trap


def frozen(lib: Any) -> tuple[Any, Trap]:
    model, trap = plain(lib)
    model[1].eval()  # inside a model that trains
    return model, trap


def mixed(lib: Any) -> tuple[Any, Trap]:
    model, trap = plain(lib)
    model.eval()[2].train()
    model[3].training = 1  # no bool
    return model, trap


def trains_its_way(lib: Any) -> tuple[Any, Trap]:
    """Its `train` freezes a part, counts, and goes through the trap."""
    layer, trap = trapped(lib)

    class Own(lib.nn.Sequential):
        switched = 0

        def train(self, mode: bool = True) -> Any:
            self.switched += 1
            super().train(mode)
            self[1].training = False
            self[0].weight.requires_grad_(not mode)
            trap.step()
            return self

    nn = lib.nn
    return Own(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), layer), trap


def refuses_to_train(lib: Any) -> tuple[Any, Trap]:
    model, trap = plain(lib)

    class Refuses(type(model)):
        def train(self, mode: bool = True) -> Any:
            self[0].training = not mode
            raise RuntimeError("not by this name")

    model.__class__ = Refuses
    return model, trap


def by_property(lib: Any) -> tuple[Any, Trap]:
    layer, trap = trapped(lib)

    class Property(lib.nn.Module):
        @property
        def training(self) -> bool:
            return vars(self).get("mode", True)

        @training.setter
        def training(self, mode: bool) -> None:
            vars(self)["mode"] = mode

        def __init__(self) -> None:
            super().__init__()
            self.norm, self.layer = lib.nn.BatchNorm1d(4), layer

        def forward(self, x: Any) -> Any:
            return self.layer(self.norm(x))

    return Property(), trap


def without_a_flag(lib: Any) -> tuple[Any, Trap]:
    layer, trap = trapped(lib)

    class Half:
        def __init__(self) -> None:
            self._modules = {"drop": lib.nn.Dropout(0.5), "layer": layer}

        def __call__(self, x: Any) -> Any:
            return layer(self._modules["drop"](x))

    return Half(), trap


MODELS: list[Callable[..., tuple[Any, Trap]]] = [
    *(plain, frozen, mixed, trains_its_way, refuses_to_train, by_property, without_a_flag),
]


def modules_of(model: Any) -> list[Any]:
    found = [model]
    for module in found:
        found += [child for child in vars(module)["_modules"].values() if child is not None]
    return found


def state_of(lib: Any, model: Any) -> Any:
    """Flags, entries, tensors and random states."""
    states = [random.getstate(), str(np.random.get_state()), lib.get_rng_state().numpy().tobytes()]  # noqa: NPY002
    entries, tensors = [], []
    for module in modules_of(model):
        own = vars(module)
        entries.append({key: id(value) if isinstance(value, dict) else value for key, value in own.items()})  # fmt: skip
        for drawer in ("_parameters", "_buffers"):
            tensors += [
                (id(t), t.requires_grad, t.detach().numpy().tobytes())
                for t in own.get(drawer, {}).values()
                if t is not None
            ]
    return states, entries, tensors


def look(model: Any, x: Any) -> None:
    nw.compare_modes(model, x).draw()


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("make", MODELS)
def test_whichever_pass_fails_or_is_stopped_all_is_as_before(lib, make, error):
    model, trap = make(lib)
    x, before = lib.randn(5, 4), state_of(lib, model)
    look(model, x)
    assert state_of(lib, model) == before
    stopped, last = 0, trap.calls
    phases = range(1, last + 1) if make is plain else (1, last // 2, last)
    for at in phases if error else ():
        trap.at, trap.error, trap.calls = at, error, 0
        try:
            look(model, x)
        except KeyboardInterrupt:
            stopped += 1
        assert state_of(lib, model) == before, at
    assert stopped == (len(phases) if error is KeyboardInterrupt else 0)


def scripted(torch: Any) -> Any:
    """A program of TorchScript, one part of which does not follow."""
    torch.manual_seed(0)
    inner = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    model = torch.jit.script(torch.nn.Sequential(inner, torch.nn.Dropout(0.5)))
    model[0].eval() if hasattr(model, "__getitem__") else None
    return model


def holds_a_script(torch: Any) -> Any:
    return torch.nn.Sequential(scripted(torch), torch.nn.Dropout(0.5))


def quantized(torch: Any) -> Any:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5))
    return torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear})


def compiled(torch: Any) -> Any:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout())
    model[1].eval()
    return torch.compile(model, backend="eager")


def data_parallel(torch: Any) -> Any:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    return torch.nn.DataParallel(model)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("make", [scripted, holds_a_script, quantized, compiled, data_parallel])
def test_flags_and_buffers_of_foreign_models_stay(torch, make, keep):
    model, x = make(torch), torch.randn(5, 4)

    def state() -> Any:
        tensors = [*model.parameters(), *model.buffers()]
        numbers = [(t.detach().numpy().tobytes(), t._version) for t in tensors]
        return [m.training for m in model.modules()], numbers, torch.get_rng_state().tolist()

    before = state()
    view = nw.compare_modes(model, x, keep_modes=keep)
    view.draw(2)
    assert state() == before
    assert not view.facts.problem
    assert any("TorchScript" in note for note in view.facts.notes) == (make in (scripted, holds_a_script))  # fmt: skip


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_a_script_is_judged_as_a_whole(torch):
    found = nw.compare_modes(scripted(torch).train(), torch.randn(5, 4)).facts
    assert found.find("").role == "cause"
    assert found.find("").words.startswith("random in train()")
    assert "changes the buffers" in found.sentence
    linear = torch.jit.script(torch.nn.Sequential(torch.nn.Linear(4, 4)))
    assert not nw.compare_modes(linear, torch.randn(5, 4)).facts.causes
