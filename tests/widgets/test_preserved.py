"""`Preserved`: after the block a model is bit for bit what it was, whatever the block did, also if it raised."""

from __future__ import annotations

import random
import signal
import threading
from collections import OrderedDict
from typing import Any

import module_subjects as subjects
import numpy as np
import pytest
from model_picture import picture

import nbmodule
from nbmodule import nn
from nbmodule_widgets import preserved
from nbmodule_widgets.facts.dictionaries import Dictionaries
from nbmodule_widgets.facts.tensor_columns import Columns
from nbmodule_widgets.preserved import Preserved


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.drop = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Dropout()
        self.calls, self.cache = 0, []  # type: ignore[var-annotated]
        self.seen = {"last": [1, 2]}
        self.generator = nbmodule.Generator()
        self.plain = nbmodule.zeros(2)

    def forward(self, x: Any) -> Any:
        self.calls += 1
        self.cache.append(x)
        self.seen["last"].append(x)
        self.new = x
        with nbmodule.no_grad():
            self.plain.add_(1)
        x.mul_(2)
        random.random()
        np.random.rand()  # noqa: NPY002
        nbmodule.rand(1, generator=self.generator)
        return self.drop(self.norm(self.conv(x))).sum()


@pytest.mark.parametrize("raises", [False, True])
def test_everything_is_put_back(raises: bool) -> None:
    model, x = Net(), nbmodule.randn(2, 1, 5, 5)
    model(x.clone()).backward()
    model.conv.register_forward_hook(print)
    model.conv.register_forward_hook(repr, prepend=True)
    model.conv.weight.register_hook(lambda g: None)
    before, numbers = picture(model, nbmodule), (x.numpy().tobytes(), x._version)
    own_state = model.generator.get_state().tolist()
    kept = Preserved(model, x)
    try:
        with kept:
            assert all(p.grad is None for p in model.parameters())
            model.eval().train()
            model.conv._forward_hooks.clear()
            model(x).backward()
            model.conv.weight.register_hook(lambda g: g * 2)
            model.norm.running_mean = nbmodule.ones(2)
            model.conv.bias.requires_grad_(False)
            model.conv.weight.data = nbmodule.zeros(2, 1, 3, 3)
            model.drop = nn.Identity()
            nbmodule.set_grad_enabled(False)
            if raises:
                raise KeyError("x")
    except KeyError:
        assert raises
    finally:
        nbmodule.set_grad_enabled(True)
    assert picture(model, nbmodule) == before
    assert not kept.problems
    assert (x.numpy().tobytes(), x._version) == numbers
    assert model.generator.get_state().tolist() == own_state
    assert len(model.seen["last"]) == 3
    assert list(model.conv._forward_hooks.values()) == [repr, print]
    assert model.plain.tolist() == [1.0, 1.0]


def test_two_runs_in_one_block_begin_alike_and_the_model_is_read_once(monkeypatch: Any) -> None:
    model, x = Net(), nbmodule.randn(2, 1, 5, 5)
    model(x.clone()).backward()
    before, numbers = picture(model, nbmodule), (x.numpy().tobytes(), x._version)
    read, opened = [], preserved._opened
    monkeypatch.setattr(preserved, "_opened", lambda root: read.append(root) or opened(root))
    found = []
    with Preserved(model, x) as kept:
        for _ in range(2):
            assert all(p.grad is None for p in model.parameters())
            loss = model(x)
            loss.backward()
            found.append((loss.item(), model.calls, random.random(), *(p.grad.sum().item() for p in model.parameters())))  # fmt: skip
            kept.rewind()
    assert found[0] == found[1]
    assert (picture(model, nbmodule), (x.numpy().tobytes(), x._version)) == (before, numbers)
    assert read == [model]
    assert kept.problems == ()


def test_gradients_may_stay_in_their_places_and_are_put_back_all_the_same() -> None:
    model, x = nn.Linear(2, 2), nbmodule.ones(1, 2)
    model(x).sum().backward()
    gradient, bits = model.weight.grad, model.weight.grad.numpy().tobytes()
    with Preserved(model, gradients=False):
        assert model.weight.grad is gradient
        model(x).sum().backward()
        assert gradient.numpy().tobytes() != bits
    assert model.weight.grad is gradient
    assert gradient.numpy().tobytes() == bits


def test_a_graph_that_the_reader_still_holds_can_be_walked_afterwards() -> None:
    model, x = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid()), nbmodule.ones(1, 2, requires_grad=True)
    plain = nn.functional.linear(x, model[0].weight.detach() * 1, model[0].bias.detach() * 1)
    plain.sigmoid().sum().backward()
    expected, x.grad = x.grad.tolist(), None
    held = model(x).sum()
    with Preserved(model, x):
        with nbmodule.no_grad():
            model[0].weight.add_(1)
        model(x).sum().backward()
    held.backward()
    assert x.grad.tolist() == expected


def test_what_is_too_large_to_be_copied_is_said_to_have_changed(monkeypatch: Any) -> None:
    monkeypatch.setattr("nbmodule_widgets.preserved.COPIED", 10)
    model = nn.Linear(2, 2)
    with Preserved(model) as kept, nbmodule.no_grad():
        model.weight.add_(1)
        model.bias.mul_(1)
    assert len(kept.problems) == 1
    assert "parameter of Linear" in kept.problems[0]
    assert "too large" in kept.problems[0]


@pytest.mark.parametrize("build", subjects.MISBEHAVING)
def test_a_misbehaving_model_never_makes_it_raise(build: Any) -> None:
    with Preserved(build(), {"x": [subjects.Tensor([1.0])]}) as kept:
        pass
    assert isinstance(kept.problems, tuple)


def test_a_readers_own_tensors_keep_their_gradients_and_get_their_numbers_back() -> None:
    model = subjects.Linear(2, 3)
    weight = model._parameters["weight"]
    weight.grad = np.ones((3, 2))
    before = weight._array.copy()
    with Preserved(model):
        assert weight.grad is not None, "their backward may count on it"
        weight._array += 1
        weight.grad += 1
        model._parameters["weight"] = subjects.Parameter([1.0])
    assert model._parameters["weight"] is weight
    assert np.array_equal(weight._array, before)
    assert np.array_equal(weight.grad, np.ones((3, 2)))


def test_an_ordered_dictionary_keeps_its_order() -> None:
    model = nn.Linear(1, 1)
    model._forward_hooks = hooks = OrderedDict([(1, print), (2, repr)])
    hooks.move_to_end(1)
    with Preserved(model):
        hooks.move_to_end(1, last=False)
        hooks[3] = len
    assert model._forward_hooks is hooks
    assert list(hooks) == [2, 1]


class Meter:
    """A helper of a reader's that is no Module."""

    def __init__(self) -> None:
        self.count, self.total, self.seen = 0, nbmodule.zeros(1), [nbmodule.zeros(1)]


def test_objects_that_are_nothing_but_data_are_put_back_and_those_with_a_life_of_their_own_left_alone() -> (
    None
):
    model = nn.Linear(1, 1)
    model.meter, model.lock, model.legacy = Meter(), Meter(), np.random.RandomState(3)
    model.lock.guard, drawn = threading.Lock(), repr(model.legacy.get_state())
    with Preserved(model):
        for meter in (model.meter, model.lock):
            meter.count += 1
            meter.total += 1
            meter.seen[0] += 1
            meter.seen.append(1)
        model.legacy.rand()
    assert (model.meter.count, model.meter.total.item(), len(model.meter.seen)) == (0, 0.0, 1)
    assert model.meter.seen[0].item() == 0
    assert repr(model.legacy.get_state()) == drawn
    assert (model.lock.count, len(model.lock.seen)) == (1, 2), "a thread may be at work on it"


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_interrupt_waits_until_everything_is_put_back(monkeypatch: Any, when: str) -> None:
    """Also one that comes while gradients are set aside, before the block has begun."""
    model, x = Net(), nbmodule.randn(2, 1, 5, 5)
    model(x.clone()).backward()
    before, ran = picture(model, nbmodule), []

    def pressed(function: Any) -> Any:
        def run(*given: Any) -> Any:
            signal.raise_signal(signal.SIGINT)
            return function(*given)

        return run

    if when == "before":
        monkeypatch.setattr(Columns, "set_aside", pressed(Columns.set_aside))
    else:
        monkeypatch.setattr(Dictionaries, "put_back", pressed(Dictionaries.put_back))

    def look() -> None:
        with Preserved(model, x):
            model(x).backward()
            model.conv.new = 1
            ran.append(True)

    with pytest.raises(KeyboardInterrupt):
        look()
    assert ran == ([] if when == "before" else [True])
    assert picture(model, nbmodule) == before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_leaves_behind_an_input_get_no_gradient() -> None:
    weight, head = nbmodule.ones(2, 2, requires_grad=True), nn.Linear(2, 1)
    x = nbmodule.ones(1, 2) @ weight
    with Preserved(head, {"x": [x]}) as kept:
        head(x).sum().backward(retain_graph=True)
        assert weight.grad is not None
    assert not kept.problems
    assert weight.grad is None
    assert head.weight.grad is None
