"""Schedules: resumed at any step they go on alike, and their rates are PyTorch's to the last bit."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schedules import SCHEDULES, advance, optimizer, options

import nbmodule

# As in PyTorch, a chain that begins a sequence is stepped as it is made, before any optimizer; and the
# copy of an optimizer takes no note of its steps.
pytestmark = pytest.mark.filterwarnings("ignore:Detected call", "ignore:Seems like")

names = st.sampled_from(sorted(SCHEDULES))


def made(t, name, **kinds):
    o = optimizer(t, **kinds)
    return o, SCHEDULES[name](t.optim.lr_scheduler, o)


@given(names, st.integers(0, 12), st.integers(1, 12), st.booleans())
@settings(max_examples=60, deadline=None)
def test_resumed_at_any_step_it_goes_on_alike(name, before, after, tensors):
    o, schedule = made(nbmodule, name, tensors=tensors)
    advance(o, schedule, before)
    saved = copy.deepcopy([o.state_dict(), schedule.state_dict()])
    expected = advance(o, schedule, after)
    later, again = made(nbmodule, name, tensors=tensors)
    later.load_state_dict(saved[0])
    again.load_state_dict(saved[1])
    assert advance(later, again, after) == expected
    assert options(later) == options(o)


@pytest.mark.parametrize("end", [".pt", ".safetensors", ".npz"])
def test_its_state_comes_back_from_a_file(end, tmp_path):
    for name in SCHEDULES:
        o, schedule = made(nbmodule, name, tensors=name == "linear")
        advance(o, schedule, 3)
        state = {"schedule": schedule.state_dict(), "optimizer": o.state_dict()}
        nbmodule.save(state, tmp_path / f"state{end}")
        assert repr(nbmodule.load(tmp_path / f"state{end}")) == repr(state)


@given(names, st.integers(0, 12))
@settings(max_examples=30, deadline=None)
def test_a_copy_goes_on_alike_and_apart(name, before):
    o, schedule = made(nbmodule, name, kind="Adam")
    advance(o, schedule, before)
    other = copy.deepcopy(schedule)
    kept = copy.deepcopy(options(o))
    found = advance(other.optimizer, other, 3)
    assert options(o) == kept
    assert advance(o, schedule, 3) == found


def test_a_refused_schedule_leaves_the_optimizer_as_it_was():
    plain = nbmodule.optim.Optimizer([nbmodule.ones(1, requires_grad=True)], {"lr": 1.0})
    m, o = nbmodule.optim.lr_scheduler, optimizer(nbmodule)
    for refused, whose, why in (
        (lambda: m.OneCycleLR(plain, 0.1, 10), plain, "must support momentum"),
        (lambda: m.CyclicLR(plain, 0.1, 0.2), plain, "must support momentum"),
        (lambda: m.CyclicLR(o, 0.1, [0.2]), o, "max_lr has 1 values"),
        (lambda: m.OneCycleLR(o, 0.1, 10, max_momentum=[1]), o, "max_momentum has 1 values"),
        (lambda: nbmodule.optim.swa_utils.SWALR(o, 0.1, anneal_epochs=-1), o, "anneal_epochs"),
    ):
        before = copy.deepcopy(options(whose))
        with pytest.raises(ValueError, match=why):
            refused()
        assert options(whose) == before


def test_a_state_may_be_loaded_twice():
    o, schedule = made(nbmodule, "own cycles")
    advance(o, schedule, 2)
    state = schedule.state_dict()
    for _ in range(2):
        schedule.load_state_dict(state)
    assert schedule.state_dict() == state


def test_an_interrupted_count_of_statistics_leaves_the_model_as_it_was():
    model = nbmodule.nn.Sequential(nbmodule.nn.BatchNorm1d(2, momentum=0.25)).eval()

    def broken():
        yield nbmodule.ones(3, 2)
        raise OSError("the file is gone")

    with pytest.raises(OSError, match="gone"):
        nbmodule.optim.swa_utils.update_bn(broken(), model)
    assert (model[0].momentum, model.training) == (0.25, False)


@pytest.mark.torch
def test_torch_reads_its_state_and_it_reads_that_of_torch(tmp_path):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    for name in SCHEDULES:
        saved = []
        for t in (nbmodule, torch):
            o, schedule = made(t, name)
            advance(o, schedule, 3)
            saved.append(schedule.state_dict())
        nbmodule.save(saved[0], tmp_path / "ours.pt")
        torch.save(saved[1], tmp_path / "theirs.pt")
        assert torch.load(tmp_path / "ours.pt", weights_only=True) == saved[1]
        assert nbmodule.load(tmp_path / "theirs.pt") == saved[0]


@pytest.mark.torch
@pytest.mark.parametrize("name", SCHEDULES)
def test_the_rates_are_those_of_torch_to_the_last_bit(name):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    steps = 30 if "one" in name else 200
    found, expected = (advance(*made(t, name), steps) for t in (nbmodule, torch))
    assert found == expected
