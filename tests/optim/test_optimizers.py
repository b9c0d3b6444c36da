"""Optimizers: exact values, the ways to ask for a step, resuming, and nothing half done."""

import copy
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optimizer_rows import ROWS, made, parameters, train

import nbmodule
from nbmodule.optim import _steps

RECORD = Path(__file__).parents[1] / "parity" / "recorded" / "optim_steps.json"
EACH = [pytest.param(kind, o, id=f"{kind}-{i}") for kind in ROWS for i, o in enumerate(ROWS[kind])]
WAYS = {"foreach": True, "fused": True, "differentiable": True}
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


@each
def test_float64_agrees_with_pytorch_to_twelve_digits(kind, options):
    rows = json.loads(RECORD.read_text(encoding="utf-8"))[kind.lower()][2]
    params, states, _ = rows[2 * ROWS[kind].index(options) + 1]
    optimizer = made(nbmodule, kind, options, nbmodule.float64)
    found = train(nbmodule, optimizer)
    assert close([p.tolist() for p in found], [p["values"] for p in params])
    for mine, (_, theirs) in zip(optimizer.state_dict()["state"].values(), states, strict=True):
        for a, b in zip(mine.values(), theirs, strict=True):
            assert close(a.tolist(), b["values"]) if isinstance(b, dict) else a == b


@each
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_ask_for_it_gives_the_same(kind, options, way):
    if way not in made(nbmodule, kind, options).defaults:
        pytest.skip(f"{kind} has no {way}")
    plain = made(nbmodule, kind, options)
    asked = made(nbmodule, kind, options, **{way: WAYS[way]})
    for a, b in zip(train(nbmodule, plain), train(nbmodule, asked), strict=True):
        assert nbmodule.allclose(a.detach(), b.detach(), rtol=2e-5, atol=1e-6)


@each
@pytest.mark.parametrize("moved", ["state_dict", "pickle", "deepcopy"])
def test_a_run_that_was_stopped_goes_on_to_the_last_bit(kind, options, moved):
    whole = made(nbmodule, kind, options)
    train(nbmodule, whole)
    half = made(nbmodule, kind, options)
    train(nbmodule, half, 0, 4)
    if moved == "state_dict":
        state = pickle.loads(pickle.dumps(half.state_dict()))
        resumed = made(nbmodule, kind, {})
        resumed.load_state_dict(state)
        for p, q in zip(
            resumed.param_groups[0]["params"], half.param_groups[0]["params"], strict=True
        ):
            p.data.copy_(q.data)
    else:
        resumed = pickle.loads(pickle.dumps(half)) if moved == "pickle" else copy.deepcopy(half)
    train(nbmodule, resumed, 4)
    assert everything(resumed) == everything(whole)
    assert repr(resumed) == repr(whole)


@each
def test_pieces_of_large_arrays_change_nothing(kind, options, monkeypatch):
    whole = everything(trained_large(kind, options))
    monkeypatch.setattr(_steps, "PIECE", 7)
    monkeypatch.setattr(_steps, "LARGE", 10)
    assert everything(trained_large(kind, options)) == whole


def trained_large(kind, options):
    nbmodule.manual_seed(0)
    params = [nbmodule.randn(5, 6).requires_grad_(), nbmodule.randn(6, 5).T.requires_grad_()]
    optimizer = getattr(nbmodule.optim, kind)(params, **options)
    for _ in range(3):
        for p in params:
            p.grad = nbmodule.randn(*p.shape)
        optimizer.step()
    return optimizer


@each
@pytest.mark.parametrize(
    "kept", ["non-contiguous", "0-d", "shared", "float16", "a scalar in a Module"]
)
def test_hostile_parameters(kind, options, kept):
    """Each is changed in place, in its own memory, and stays finite."""
    if kept == "non-contiguous":
        base = nbmodule.ones(4, 6)
        p = base[::2, 1::2].detach().requires_grad_()
    elif kept == "shared":
        base = nbmodule.ones(6)
        p = base[2:4].detach().requires_grad_()
    else:
        base = nbmodule.tensor(1.0, dtype=nbmodule.float16 if kept == "float16" else None)
        p = nbmodule.nn.Parameter(base) if kept == "a scalar in a Module" else base.requires_grad_()
    before = base.detach().sum().item()
    optimizer = getattr(nbmodule.optim, kind)([p], **options)
    for _ in range(2):
        p.grad = nbmodule.ones_like(p)
        optimizer.step()
    assert base.detach().sum().item() != before
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
