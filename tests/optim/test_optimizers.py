"""Optimizers: exact values, the ways to ask for a step, resuming, and nothing half done."""

import copy
import json
import pickle
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optimizer_rows import ROWS, made, parameters, train

import nbmodule
from nbmodule import _cores
from nbmodule.optim import _steps

RECORD = Path(__file__).parents[1] / "parity" / "recorded" / "optim_steps.json"
EACH = [pytest.param(kind, o, id=f"{kind}-{i}") for kind in ROWS for i, o in enumerate(ROWS[kind])]
each = pytest.mark.parametrize(("kind", "options"), EACH)


def close(found, expected):
    """Whether two nests of numbers agree to the last digits of float64."""
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(close, found, expected))
    return found == pytest.approx(expected, rel=1e-12, abs=1e-14)


def everything(optimizer):
    """Return the numbers that an optimizer changes and keeps, to the last bit."""
    state = optimizer.state_dict()["state"]
    kept = [
        v.tolist() for s in state.values() for v in s.values() if isinstance(v, nbmodule.Tensor)
    ]
    return [p.tolist() for group in optimizer.param_groups for p in group["params"]], kept


@cache
def recorded():
    return json.loads(RECORD.read_text(encoding="utf-8"))


@each
def test_float64_agrees_with_pytorch_to_twelve_digits(kind, options):
    rows = recorded()[kind.lower()][2]
    params, states, _ = rows[2 * ROWS[kind].index(options) + 1]
    optimizer = made(nbmodule, kind, options, nbmodule.float64)
    found = train(nbmodule, optimizer)
    assert close([p.tolist() for p in found], [p["values"] for p in params])
    for mine, (_, theirs) in zip(optimizer.state_dict()["state"].values(), states, strict=True):
        for a, b in zip(mine.values(), theirs, strict=True):
            assert close(a.tolist(), b["values"]) if isinstance(b, dict) else a == b


@each
def test_every_way_to_ask_for_it_gives_the_same(kind, options):
    plain = made(nbmodule, kind, options)
    expected = train(nbmodule, plain)
    for way in ("foreach", "fused", "differentiable"):
        if way in plain.defaults:
            asked = made(nbmodule, kind, options, **{way: True})
            for a, b in zip(expected, train(nbmodule, asked), strict=True):
                assert nbmodule.allclose(a.detach(), b.detach(), rtol=2e-5, atol=1e-6), way


@each
def test_options_may_be_tensors(kind, options):
    """An option that stays a tensor would turn ``w -= ...`` into a new tensor, and change nothing."""
    kept = {k: v if isinstance(v, (bool, tuple)) else nbmodule.tensor(v, dtype=nbmodule.float64) for k, v in options.items()}  # fmt: skip
    expected = train(nbmodule, made(nbmodule, kind, options, nbmodule.float64))
    found = train(nbmodule, made(nbmodule, kind, kept, nbmodule.float64))
    for a, b in zip(expected, found, strict=True):
        assert nbmodule.allclose(a.detach(), b.detach(), rtol=1e-12)


@each
@pytest.mark.parametrize("dtype", [nbmodule.float32, nbmodule.float64], ids=str)
def test_a_run_that_was_stopped_goes_on_to_the_last_bit(kind, options, dtype):
    whole = made(nbmodule, kind, options, dtype)
    train(nbmodule, whole)
    half = made(nbmodule, kind, options, dtype)
    train(nbmodule, half, 0, 4)
    loaded = made(nbmodule, kind, {}, dtype)
    loaded.load_state_dict(pickle.loads(pickle.dumps(half.state_dict())))
    for group, other in zip(loaded.param_groups, half.param_groups, strict=True):
        for p, q in zip(group["params"], other["params"], strict=True):
            p.data.copy_(q.data)
    for resumed in (loaded, pickle.loads(pickle.dumps(half)), copy.deepcopy(half)):
        train(nbmodule, resumed, 4)
        assert everything(resumed) == everything(whole)
        assert repr(resumed) == repr(whole)


@each
def test_pieces_of_large_arrays_change_nothing(kind, options, monkeypatch):
    """Nor do threads that share them."""
    whole, before = everything(trained_large(kind, options)), nbmodule.get_num_threads()
    for module, name, value in ((_steps, "PIECE", 7), (_steps, "LARGE", 10), (_cores, "PART", 1), (_cores, "MUCH", 1)):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    try:
        for threads in (1, 2, 3):
            nbmodule.set_num_threads(threads)
            assert everything(trained_large(kind, options)) == whole
    finally:
        nbmodule.set_num_threads(before)


def trained_large(kind, options):
    nbmodule.manual_seed(0)
    params = [nbmodule.randn(5, 6).requires_grad_(), nbmodule.randn(6, 5).T.requires_grad_()]
    optimizer = getattr(nbmodule.optim, kind)(params, **options)
    for _ in range(3):
        for p in params:
            p.grad = nbmodule.randn(*p.shape)
        optimizer.step()
    return optimizer


def hostile():
    """Yield tensors, each with the one whose memory it is a part of."""
    base = nbmodule.ones(4, 6)
    yield base, base[::2, 1::2].detach()
    base = nbmodule.ones(6)
    yield base, base[2:4].detach()
    base = nbmodule.ones(2, 3)
    yield base, base.T.detach()
    for dtype in (nbmodule.float16, nbmodule.float32):
        base = nbmodule.tensor(1.0, dtype=dtype)
        yield base, nbmodule.nn.Parameter(base)
    base = nbmodule.ones(1, 3)
    yield base, base.expand(1, 3)[0].detach()


@each
def test_hostile_parameters_are_changed_in_their_own_memory(kind, options):
    for base, p in hostile():
        optimizer = getattr(nbmodule.optim, kind)([p.requires_grad_()], **options)
        for _ in range(2):
            p.grad = nbmodule.ones_like(p)
            optimizer.step()
        assert (base != 1).sum() == p.numel()
        assert p.detach().isfinite().all()
        assert p.dtype is base.dtype


@pytest.mark.parametrize("kind", ROWS)
def test_what_a_step_refuses_leaves_everything_as_it_was(kind):
    p = nbmodule.ones(1).expand(3).detach().requires_grad_()
    q = nbmodule.ones(2, requires_grad=True)
    optimizer = getattr(nbmodule.optim, kind)([p, q], lr=0.1)
    p.grad, q.grad = nbmodule.ones(3), nbmodule.ones(2)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        optimizer.step()
    assert q.tolist() == [1.0, 1.0]
    before = optimizer.state_dict()
    for wrong in (
        {},
        {"state": {}, "param_groups": []},
        {"state": {}, "param_groups": [{"params": [0]}]},
    ):
        with pytest.raises((KeyError, ValueError)):
            optimizer.load_state_dict(wrong)
    assert repr(optimizer.state_dict()) == repr(before)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_the_order_of_groups_and_steps_does_not_matter(data):
    """Parameters are independent: in groups of any cut they end up the same."""
    kind = data.draw(st.sampled_from(sorted(ROWS)))
    cut = data.draw(st.integers(1, 3))
    options = data.draw(st.sampled_from(ROWS[kind]))
    one = made(nbmodule, kind, options)
    params = parameters(nbmodule, nbmodule.float32)
    groups = [{"params": params[:cut]}, {"params": params[cut:]}]
    several = getattr(nbmodule.optim, kind)(groups, **options)
    assert [p.tolist() for p in train(nbmodule, several)] == [
        p.tolist() for p in train(nbmodule, one)
    ]


def test_the_average_of_models_is_their_mean():
    model = nbmodule.nn.Linear(1, 1)
    average = nbmodule.optim.swa_utils.AveragedModel(model)
    found = []
    for value in (1.0, 4.0, 7.0, 0.0):
        nbmodule.nn.init.constant_(model.weight, value)
        average.update_parameters(model)
        found.append(average.module.weight.item())
    assert found == [1.0, 2.5, 4.0, 3.0]
    assert average.n_averaged.item() == 4
