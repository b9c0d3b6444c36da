"""A run that stops at any step and is resumed from its checkpoint equals the one that never stopped, bit for bit."""

import copy
import pickle
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learner_runs import EPOCHS, EXTRAS, LOADERS, OPTIMIZERS, STEPS, built, facts, plain, trained

import nbmodule
from nbmodule.learner import Callback, Checkpoint, EarlyStopping, Learner, Metrics, OneCycle

TESTS = Path(__file__).parents[1]


class StopsAt(Callback):
    """Saves at a step, and stops the run with an error."""

    order = 200

    def __init__(self, step, path):
        self.step, self.path = step, path

    def after_batch(self, learner):
        if learner.training and learner.step == self.step:
            learner.save(self.path)
            raise StopIteration


@cache
def uninterrupted(optimizer, extra, loader):
    return facts(trained(built(optimizer, extra, loader), extra))


@given(
    st.sampled_from(list(OPTIMIZERS)),
    st.sampled_from(list(EXTRAS)),
    st.sampled_from(LOADERS),
    st.integers(1, STEPS),
    st.sampled_from([".pt", ".safetensors", ".npz"]),
)
@settings(max_examples=15, deadline=None)
def test_stopped_at_any_step(optimizer, extra, loader, step, suffix):
    expected = uninterrupted(optimizer, extra, loader)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"stopped{suffix}")
        learner = built(optimizer, extra, loader, more=[StopsAt(step, path)])
        if step > expected["step"]:  # it has stopped early by itself
            return
        with pytest.raises(StopIteration):
            trained(learner, extra)
        fresh = built(optimizer, extra, loader)
        nbmodule.rand(7)
        fresh.resume(path)
    assert facts(fresh) == expected


def test_checkpoints_hold_what_callbacks_did(tmp_path):
    """Every file that a Checkpoint writes is such a state: in the middle of an epoch, and at its end."""
    learner = built("adam", "stopping", folder=tmp_path / "run")
    trained(learner, "stopping")
    expected = facts(learner)
    files = sorted((tmp_path / "run").glob("epoch-*"))
    assert len(files) == learner.step + learner.epoch
    for file in [*files[3:6], files[-1], tmp_path / "run"]:  # of the folder the newest
        fresh = built("adam", "stopping", folder=tmp_path / "again")
        fresh.resume(file)
        assert facts(fresh) == expected


KILLED = """
import os, signal, sys
from learner_runs import built, trained
from nbmodule.learner import Callback

class Kill(Callback):
    def before_step(self, learner):
        if learner.step == 7:
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

trained(built(extra="one cycle", folder=sys.argv[1], more=[Kill()]), "one cycle")
"""


def test_a_killed_run_is_finished_by_another_process(tmp_path):
    run = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=TESTS, check=False)
    assert run.returncode not in (0, 1)
    assert len(list(tmp_path.iterdir())) == 9  # seven steps, an epoch, and best.pt
    learner = built(extra="one cycle", folder=tmp_path)
    learner.resume(tmp_path)
    found = facts(learner)
    whole = built(extra="one cycle", folder=tmp_path / "whole")
    assert found == facts(trained(whole, "one cycle"))


def test_loading_takes_the_state_and_begins_an_epoch(tmp_path):
    learner = built(more=[StopsAt(7, tmp_path / "stopped.pt")])
    with pytest.raises(StopIteration):
        learner.fit_one_cycle(3, 0.5)
    weights = copy.deepcopy(learner.model.state_dict())
    other = built()
    other.load(tmp_path / "stopped.pt")
    assert all(w.equal(weights[name]) for name, w in other.model.state_dict().items())
    assert other.optimizer.param_groups[0]["lr"] == 0.1  # not that of the middle of a cycle
    assert (other.epoch, other.step, len(other.fit(1))) == (1, 7, 2)
    assert other.step == 7 + STEPS // EPOCHS  # all batches of an epoch, not those that were left


def test_what_the_learner_lacks_is_said(tmp_path):
    built(extra="stopping").save(tmp_path / "state.pt")
    with pytest.warns(UserWarning, match="holds what EarlyStopping had counted"):
        built().load(tmp_path / "state.pt")


@pytest.fixture(scope="module")
def two_learners(tmp_path_factory):
    """One whose state is damaged, and one that has to stay as it is."""
    both = [built(extra="stopping", more=[Checkpoint(tmp_path_factory.mktemp("run"))]) for _ in range(2)]  # fmt: skip
    for learner in both:
        learner.fit(1)
    return both


def damaged(change):
    def apply(state):
        state = copy.deepcopy(state)
        change(state)
        return state

    return apply


@pytest.mark.parametrize(
    "damage",
    [
        lambda state: None,
        lambda state: [],
        lambda state: state["model"],
        damaged(lambda s: s.pop("loader")),
        damaged(lambda s: s.update(more=1)),
        damaged(lambda s: s.update(format="nbmodule.learner/9")),
        damaged(lambda s: s.update(step=-1)),
        damaged(lambda s: s.update(epoch="2")),
        damaged(lambda s: s.update(model=[])),
        damaged(lambda s: s["model"].pop("0.weight")),
        damaged(lambda s: s["model"].update({"4.weight": nbmodule.zeros(2, 7)})),
        damaged(lambda s: s["optimizer"]["param_groups"].clear()),
        damaged(lambda s: s.update(optimizer={})),
        damaged(lambda s: s.update(optimizer_class="Adam")),
        damaged(lambda s: s["callbacks"].update(EarlyStopping={})),
        damaged(lambda s: s["callbacks"]["EarlyStopping"].update(waited="2")),
        damaged(lambda s: s["callbacks"].update(EarlyStopping=[1])),
        damaged(lambda s: s["callbacks"].update(Checkpoint={"files": ["../../etc/passwd"], "best": {}})),
        damaged(lambda s: s["callbacks"]["Metrics"]["metrics"].update(f1={})),
        damaged(lambda s: s["callbacks"]["History"].update(rows=3)),
        damaged(lambda s: s["loader"].update(train={"epoch": 3})),
        damaged(lambda s: s["random"].pop("nbmodule")),
        damaged(lambda s: s["random"]["numpy"].update(next=10**9)),
        damaged(lambda s: s["random"]["numpy"].update(has_gauss=10**30)),
        damaged(lambda s: s["random"].update(nbmodule=nbmodule.zeros(3))),
    ],
)  # fmt: skip
def test_a_damaged_state_is_refused_and_changes_nothing(damage, two_learners, tmp_path):
    source, learner = two_learners
    nbmodule.save(damage(source.state_dict()), tmp_path / "damaged.pt")
    gradient = learner.model[0].weight.grad
    before = plain(learner.state_dict())
    for call in (learner.load, learner.resume):
        with pytest.raises((ValueError, RuntimeError)):
            call(tmp_path / "damaged.pt")
        assert plain(learner.state_dict()) == before
        assert learner.model[0].weight.grad is gradient


def test_a_refused_state_leaves_a_stopped_learner_stopped(tmp_path):
    """It stays in the middle of its epoch, which the next loop over its loader begins anew."""

    def stopped():
        learner = built(more=[StopsAt(7, tmp_path / "stopped.pt"), OneCycle(0.2)])
        with pytest.raises(StopIteration):
            learner.fit(EPOCHS)
        return learner

    def attributes(learner):
        return str([learner.awaits_rest, *(sorted(vars(c).items()) for c in learner.callbacks)])

    source, learner, same = stopped(), stopped(), stopped()
    state = source.state_dict() | {"random": {}}
    state["callbacks"]["OneCycle"] = {
        "options": {"max_lr": 1},
        "before": [],
        "scheduler": {"total_steps": 1},
    }
    before = attributes(learner)
    with pytest.raises(ValueError, match="damaged"):
        learner.load_state_dict(state)
    assert attributes(learner) == before
    assert len(list(learner.train_loader)) == len(list(same.train_loader)) == STEPS // EPOCHS
    state["callbacks"]["OneCycle"] = {"options": 3}
    nbmodule.save(state, tmp_path / "damaged.pt")
    with pytest.raises(ValueError, match="OneCycle is damaged"):
        built().resume(tmp_path / "damaged.pt")


@pytest.mark.parametrize(
    ("ours", "theirs", "change"),
    [
        ("shuffled", "shuffled", lambda s: s["loader"]["train"].update(epoch={"taken": 2})),
        ("shuffled", "shuffled", lambda s: s["loader"]["train"].update(num_workers=3)),
        ("plain", "shuffled", lambda s: None),
        ("shuffled", "plain", lambda s: None),
        ("own generator", "shuffled", lambda s: None),
    ],
)
def test_a_place_in_another_loader_is_refused(ours, theirs, change, tmp_path):
    """Before anything has changed, and not when the epoch begins."""
    source = built(loader=theirs, more=[StopsAt(7, tmp_path / "stopped.pt")])
    with pytest.raises(StopIteration):
        source.fit(2)
    state = nbmodule.load(tmp_path / "stopped.pt")
    change(state)
    nbmodule.save(state, tmp_path / "stopped.pt")
    learner = built(loader=ours)
    before = plain(learner.state_dict())
    for call in (learner.load, learner.resume):
        with pytest.raises(ValueError, match="load"):
            call(tmp_path / "stopped.pt")
        assert plain(learner.state_dict()) == before
    assert len(learner.fit(1)) == 1
    assert learner.step == STEPS // EPOCHS


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (None, FileNotFoundError),
        (b"", (RuntimeError, EOFError, ValueError)),
        (b"hello", (RuntimeError, ValueError, pickle.UnpicklingError)),
    ],
)
def test_no_checkpoint(content, kind, tmp_path):
    path = tmp_path / "x.pt"
    if content is not None:
        path.write_bytes(content)
    learner = built()
    with pytest.raises(kind):
        learner.resume(path)
    with pytest.raises(FileNotFoundError, match="no checkpoint in"):
        learner.resume(tmp_path)


def test_several_callbacks_of_a_kind_keep_apart():
    first, second = EarlyStopping(patience=1), EarlyStopping(patience=2)
    learner = built(more=[first, second])
    first.waited, second.waited = 5, 7
    state = learner.state_dict()["callbacks"]
    assert (state["EarlyStopping"]["waited"], state["EarlyStopping 2"]["waited"]) == (5, 7)
    assert isinstance(learner, Learner)
    assert Metrics().state_dict() == {"total": 0.0, "count": 0, "metrics": {}}
