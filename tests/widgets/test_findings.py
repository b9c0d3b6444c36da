"""What the Recorder says about a run is true, and about a healthy one it says nothing."""

from __future__ import annotations

import pytest
from training_runs import kinds, mlp, task, train

from nbmodule_widgets.watching import Recorder


def test_a_healthy_run_has_no_findings(lib):
    lib.manual_seed(0)
    model = mlp(lib, 20, 32, 32, 1)
    recorder = Recorder(model)
    recorder.start()
    train(lib, model, 60, recorder)
    assert recorder.history().problems == ()


def test_vanishing_gradients_are_found(lib):
    lib.manual_seed(0)
    layers = [layer for _ in range(12) for layer in (lib.nn.Linear(8, 8), lib.nn.Sigmoid())]
    model = lib.nn.Sequential(*layers)
    recorder = Recorder(model)
    recorder.start()
    train(lib, model, 8, recorder)
    finding = next(f for f in recorder.history().problems if f.kind == "vanishing")
    assert finding.path == "0.weight"
    assert "more parameters" in finding.text


@pytest.mark.parametrize("lr", [3.0, 30.0])
def test_exploding_training_is_found(lib, lr):
    lib.manual_seed(0)
    model = lib.nn.Sequential(lib.nn.Linear(20, 32), lib.nn.ReLU(), lib.nn.Linear(32, 1))
    recorder = Recorder(model)
    recorder.start()
    train(lib, model, 30, recorder, lr=lr)
    assert set(kinds(recorder)) & {"exploding", "NaN", "large steps", "dead"}


def test_dead_units_and_dead_layers_are_found(lib):
    lib.manual_seed(0)
    model = lib.nn.Sequential(lib.nn.Linear(20, 10), lib.nn.ReLU(), lib.nn.Linear(10, 1))
    with lib.no_grad():
        model[0].bias[:4] = -1000.0
    recorder = Recorder(model)
    recorder.start()
    train(lib, model, 40, recorder)
    finding = next(f for f in recorder.history().problems if f.kind == "dead")
    assert finding.path == "0.bias"
    assert finding.text.startswith("4 of 10 values")
    with lib.no_grad():
        model[0].bias[:] = -1000.0
    train(lib, model, 20, recorder)
    finding = next(f for f in recorder.history().problems if f.kind == "dead")
    assert finding.path == "0.weight"
    assert "exactly 0" in finding.text


def test_what_no_optimizer_holds_and_what_gets_no_gradient_is_named(lib):
    model = lib.nn.Sequential(lib.nn.Linear(4, 3), lib.nn.Linear(3, 1))
    model.unused = lib.nn.Linear(2, 2)
    loss = task(lib, model)
    forward = lib.nn.Sequential(model[0], model[1])
    loss = task(lib, forward)
    recorder = Recorder(model)
    recorder.start()
    optimizer = lib.optim.SGD([*model[1].parameters(), *model.unused.parameters()], lr=0.1)
    for _ in range(4):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
        recorder.step({})
    found = {f.kind: f for f in recorder.history().problems}
    assert found["not moving"].path == "0.weight"
    assert "no optimizer" in found["not moving"].text
    assert found["no gradient"].path == "unused.weight"


def test_a_learning_rate_of_0_is_read_and_not_guessed(lib):
    said = {}
    for rates in ((0.1, 0.0), (0.1, 1e-30), (0.1, None)):
        model = mlp(lib, 4, 3, 1)
        loss, recorder = task(lib, model), Recorder(model)
        groups = [
            {"params": list(model[i].parameters()), "lr": rate}
            for i, rate in ((0, 0.1), (2, rates[1] or 0.0))
        ]
        optimizer = lib.optim.SGD(groups, lr=0.1)
        if rates[1] is None:
            optimizer.param_groups[1]["lr"] = lib.tensor(
                0.0
            )  # not a number that can be read at once
        recorder.start()
        for _ in range(4):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()
            recorder.step({})
        recorder.stop()
        said[rates[1]] = [f.text for f in recorder.history().problems if f.kind == "not moving"]
    zero, tiny, unknown = said.values()
    assert zero == [
        "the learning rate of group 1 of SGD was 0 at the last 3 looks, so no step changes it: 2.weight and 2.bias"
    ]
    assert len(tiny) == len(unknown) == 1
    assert "learning rate" not in tiny[0]
    assert "perhaps a learning rate of 0" in unknown[0]


def test_what_a_wrong_loop_does_is_said(lib):
    said = {}
    for wrong in ("other parameters", "zeroed too late", "large learning rate"):
        lib.manual_seed(0)
        model = lib.nn.Sequential(*mlp(lib, 4, 8, 1), lib.nn.Tanh())
        loss, recorder = task(lib, model), Recorder(model)
        held = mlp(lib, 4, 1) if wrong == "other parameters" else model
        optimizer = lib.optim.SGD(held.parameters(), lr=1000.0 if "rate" in wrong else 0.1)
        recorder.start()
        for _ in range(8):
            model.zero_grad()
            loss().backward()
            if wrong == "zeroed too late":
                optimizer.zero_grad()
            optimizer.step()
            recorder.step({})
        recorder.stop()
        said[wrong] = [finding.text for finding in recorder.history().problems]
    assert said["other parameters"] == [
        "in no optimizer that stepped, so no step changes it: 0.weight and 3 more parameters"
    ]
    assert said["zeroed too late"][0].endswith("or zero_grad() came after it")
    assert any("learning rate may be too large" in text for text in said["large learning rate"])
