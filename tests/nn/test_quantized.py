"""Linears that hold int8: their numbers, the bound of their error, their files, and what is replaced."""

import copy
import os
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import nbmodule as nb
from nbmodule import nn
from nbmodule.ao.nn.quantized.dynamic import Linear
from nbmodule.quantization import quantize_dynamic

BIAS, LITTLE = [0.5, -1.0, 2.0], 1e-4
numbers = st.floats(-1e4, 1e4, width=32)


def made(weight, bias=None):
    layer = Linear(weight.shape[1], weight.shape[0])
    layer.set_weight_bias(nb.tensor(weight), bias)
    return layer


def net():
    nb.manual_seed(0)
    return nn.Sequential(nn.Linear(256, 32), nn.ReLU(), nn.Linear(32, 10, bias=False))


@settings(max_examples=60, deadline=None)
@given(arrays(np.float32, (3, 5), elements=numbers), arrays(np.float32, (2, 5), elements=numbers))
def test_a_weight_is_off_by_half_a_scale_at_most_and_an_output_by_what_follows(w, x):
    layer = made(w, nb.tensor(BIAS))
    half = layer.weight_scale.numpy().astype(float) / 2 * (1 + LITTLE)
    assert (np.abs(layer.weight().numpy() - w) <= half[:, None]).all()
    exact = x.astype(float) @ w.T.astype(float) + BIAS
    room = np.abs(x).sum(1, keepdims=True) * half
    rounding = 1e-6 * (np.abs(x).astype(float) @ np.abs(w).T + 2)
    assert (np.abs(layer(nb.tensor(x)).numpy() - exact) <= room + rounding).all()


def test_it_uses_the_whole_range_and_zero_stays_zero():
    layer = made(np.array([[2.5, -5.0, 5.0, 0.0], [0.0] * 4], dtype=np.float32))
    assert layer.weight_int8.tolist() == [[64, -128, 127, 0], [0] * 4]
    assert layer.weight()[1].tolist() == [0] * 4


@pytest.mark.parametrize(("ending", "most"), [("safetensors", 0.3), ("npz", 0.35), ("pt", 0.35)])
def test_a_file_is_about_a_quarter_and_gives_the_same_numbers_back(tmp_path, ending, most):
    model, x = net(), nb.randn(4, 256)
    small = quantize_dynamic(model)
    floats, integers = tmp_path / f"floats.{ending}", tmp_path / f"integers.{ending}"
    nb.save(model.state_dict(), floats)
    nb.save(small.state_dict(), integers)
    assert os.path.getsize(integers) <= most * os.path.getsize(floats)
    assert sum(b.nbytes for b in small.buffers()) == (256 * 32 + 32 * 10) + 4 * (32 + 32 + 10)
    other = quantize_dynamic(nn.Sequential(nn.Linear(256, 32), nn.ReLU(), nn.Linear(32, 10, bias=False)))  # fmt: skip
    other.load_state_dict(nb.load(integers))
    assert (other(x) == small(x)).all()
    assert not list(other.parameters())


def test_copies_and_pickles_are_equal_and_independent():
    small, x = quantize_dynamic(net()), nb.randn(4, 256)
    for other in (copy.deepcopy(small), pickle.loads(pickle.dumps(small))):
        assert (other(x) == small(x)).all()
        other[0].weight_int8.zero_()
        assert small[0].weight_int8.any()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"weight_int8": nb.zeros(3, 3, dtype=nb.int8)}, "size mismatch for weight_int8"),
        ({"weight_scale": nb.ones(2)}, "size mismatch for weight_scale"),
        ({"weight_int8": nb.zeros(3, 2)}, "weight_int8 must be nbmodule.int8, but is nbmodule.float32"),
        ({"zero_point": nb.zeros(3)}, "Unexpected key"),
    ],
)  # fmt: skip
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(change, says):
    layer = made(np.ones((3, 2), dtype=np.float32), nb.tensor(BIAS))
    before = copy.deepcopy(layer.state_dict())
    with pytest.raises(RuntimeError, match=says):
        layer.load_state_dict({**copy.deepcopy(before), "weight_scale": nb.zeros(3), **change})
    assert all((layer.state_dict()[k] == v).all() for k, v in before.items())


def test_no_gradient_and_every_shape():
    layer = Linear.from_float(nn.Linear(4, 3))
    assert [tuple(layer(nb.randn(*s, 4)).shape) for s in [(), (0,), (2,), (2, 5)]] == [(3,), (0, 3), (2, 3), (2, 5, 3)]  # fmt: skip
    assert not layer(nb.randn(2, 4, requires_grad=True)).requires_grad
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        layer(nb.randn(2, 5))


def test_what_is_replaced_and_what_is_not():
    class Sub(nn.Linear):
        pass

    shared, called = nn.Linear(2, 2), []
    shared.register_forward_hook(lambda *_: called.append(1))
    model = nn.ModuleDict({"a": shared, "b": shared, "c": Sub(2, 2), "d": nn.LSTM(2, 2)})
    small = quantize_dynamic(model)
    assert [type(m).__name__ for m in small.values()] == ["Linear", "Linear", "Sub", "LSTM"]
    assert small["a"] is small["b"]
    assert isinstance(small["a"], Linear)
    assert model.training
    assert not small.training
    assert model["a"] is shared
    small["a"](nb.ones(2))
    assert called == [1]
    assert quantize_dynamic(model, {"b"}, inplace=True) is model
    assert model["a"] is shared
    assert isinstance(model["b"], Linear)
    deep = nn.Sequential(net(), nn.Linear(10, 1))
    kinds = {"0": [True, False], "0.2": [False, False], nn.Sequential: [True, True]}
    for asked, wanted in kinds.items():
        found = quantize_dynamic(deep, {asked})
        assert [isinstance(found[0][0], Linear), isinstance(found[1], Linear)] == wanted
    assert type(quantize_dynamic(shared)) is nn.Linear


def test_a_class_in_the_mapping_keeps_the_hooks_that_it_registers():
    class Seven(nn.Module):
        @classmethod
        def from_float(cls, layer):
            made = cls()
            made.register_forward_hook(lambda module, inputs, output: output + 7)
            return made

        def forward(self, x):
            return x

    model = nn.Sequential(nn.Linear(1, 1))
    model[0].register_forward_hook(lambda module, inputs, output: output * 10)
    assert quantize_dynamic(model, mapping={nn.Linear: Seven})(nb.zeros(1)).tolist() == [70]


def test_what_cannot_be_is_refused_before_anything_changes():
    model = net()
    model[2].weight.data[0, 0] = float("nan")
    for error, call in {
        ValueError: lambda: quantize_dynamic(model, inplace=True),
        TypeError: lambda: quantize_dynamic(model, {nn.Linear: None}, inplace=True),
        NotImplementedError: lambda: quantize_dynamic(model, {nn.LSTM, nn.Linear}, inplace=True),
        AssertionError: lambda: Linear.from_float(nn.Conv1d(1, 1, 1)),
        RuntimeError: lambda: Linear(2, 2, dtype=nb.float16),
    }.items():
        with pytest.raises(error):
            call()
    none: Any = None
    nothing = {nn.Linear: type("Nothing", (), {"from_float": lambda layer: None})}
    for says, call in {
        "model must be a Module, and not 3": lambda: quantize_dynamic(3),
        "mapping must be a dictionary": lambda: quantize_dynamic(model, mapping=[nn.Linear]),
        "must return a Module for Linear.*but": lambda: quantize_dynamic(net(), mapping=nothing),
        "'w' must be Tensor, not NoneType": lambda: Linear(2, 2).set_weight_bias(none, None),
    }.items():
        with pytest.raises(TypeError, match=says):
            call()
    with pytest.raises(ValueError, match="too large for float32"):
        Linear(1, 1).set_weight_bias(nb.tensor([[1e300]], dtype=nb.float64), None)
    with pytest.raises(NotImplementedError, match="not Embedding, GRU: leave"):
        quantize_dynamic(model, {nn.Embedding, nn.GRU})
    with pytest.raises(ValueError, match="quantizes to int8"):
        quantize_dynamic(model, dtype=nb.float16)
    with pytest.raises(ValueError, match="must have the shape"):
        Linear(2, 3).set_weight_bias(nb.zeros(2, 3), None)
    assert model.training
    assert type(model[0]) is nn.Linear


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("power", [-12, -3, 0, 3, 30])
def test_the_integers_and_scales_are_pytorchs_to_the_bit(power):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    per_channel = torch.ao.quantization.qconfig.per_channel_dynamic_qconfig

    w = (np.random.default_rng(power + 12).normal(size=(17, 9)) * 10.0**power).astype(np.float32)
    w[0] = 0
    theirs = torch.nn.Linear(9, 17)
    theirs.weight.data = torch.tensor(w)
    spec = {torch.nn.Linear: per_channel}
    there = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(theirs), spec)[0].weight()
    here = made(w)
    assert (here.weight_int8.numpy() == there.int_repr().numpy()).all()
    assert (here.weight_scale.numpy() == there.q_per_channel_scales().float().numpy()).all()
    assert (here.weight().numpy() == there.dequantize().numpy()).all()
