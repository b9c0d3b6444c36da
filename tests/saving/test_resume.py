"""A run that was stopped at any step and resumed from its file equals the uninterrupted one, bit for bit."""

import functools
import os
import subprocess
import sys
import warnings

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from resumed_runs import BY_EPOCH, BY_STEP, LOADERS, OPTIMIZERS, Run

import nbmodule

# A scheduler that begins its second epoch right after resuming sees an optimizer that has made no step.
pytestmark = pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")

KINDS = (".safetensors", ".npz", ".pt")


@functools.cache
def uninterrupted(**options):
    nbmodule.manual_seed(0)
    run = Run(**options).train()
    return run.outcome(), run.step


def resumed(path, stop, **options):
    """Return what comes out if the run is stopped after `stop` steps, saved to `path`, and resumed."""
    nbmodule.manual_seed(0)
    nbmodule.save(Run(**options).train(stop).checkpoint(), path)
    nbmodule.manual_seed(99)  # whatever the program did meanwhile
    nbmodule.rand(7)
    return Run.resumed(nbmodule.load(path)).train().outcome()


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_optimizer(tmp_path, optimizer):
    expected, _ = uninterrupted(optimizer=optimizer)
    for kind, stop in zip(KINDS, (1, 4, 6), strict=True):  # within an epoch, and at the end of one
        assert resumed(tmp_path / f"run{kind}", stop, optimizer=optimizer) == expected, (kind, stop)


options = st.fixed_dictionaries({
    "optimizer": st.sampled_from(sorted(OPTIMIZERS)),
    "by_epoch": st.sampled_from(sorted(BY_EPOCH)),
    "by_step": st.sampled_from(sorted(BY_STEP)),
    "loader": st.sampled_from(sorted(LOADERS)),
    "workers": st.sampled_from([0, 0, 2]),
})  # fmt: skip


# no shrinking: a run is small
@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(options=options, data=st.data())
def test_any_run_stopped_at_any_step(tmp_path_factory, options, data):
    expected, steps = uninterrupted(**options)
    path = tmp_path_factory.getbasetemp() / f"run{data.draw(st.sampled_from(KINDS))}"
    assert resumed(path, data.draw(st.integers(1, steps)), **options) == expected


def test_stopped_and_resumed_at_every_step(tmp_path):
    expected, steps = uninterrupted(loader="own generator")
    nbmodule.manual_seed(0)
    run = Run(loader="own generator")
    for stop in range(1, steps + 1):
        nbmodule.save(run.train(stop).checkpoint(), tmp_path / "run.pt")
        nbmodule.manual_seed(stop)
        run = Run.resumed(nbmodule.load(tmp_path / "run.pt"))
    assert run.train().outcome() == expected


def test_a_fresh_process_goes_on(tmp_path):
    path = tmp_path / "run.safetensors"
    expected, _ = uninterrupted(workers=2)
    nbmodule.manual_seed(0)
    nbmodule.save(Run(workers=2).train(5).checkpoint(), path)
    program = "import sys, nbmodule; from resumed_runs import Run; print(Run.resumed(nbmodule.load(sys.argv[1])).train().outcome())"
    folders = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program, path], capture_output=True, text=True, env=folders
    )
    assert done.stdout.strip() == expected, done.stderr


def test_a_save_that_is_interrupted_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    expected, _ = uninterrupted()
    nbmodule.manual_seed(0)
    run = Run().train(2)
    nbmodule.save(run.checkpoint(), path)
    with monkeypatch.context() as patch:

        def stop(*args):
            raise KeyboardInterrupt

        patch.setattr("os.replace", stop)
        with pytest.raises(KeyboardInterrupt):
            nbmodule.save(run.train(3).checkpoint(), path)
    assert Run.resumed(nbmodule.load(path)).train().outcome() == expected


def test_what_comes_back_is_taken_by_every_load_state_dict(tmp_path):
    """Each part in a file of its own, and nothing said about it."""
    run = Run(by_epoch="ReduceLROnPlateau", by_step="LambdaLR").train(4)
    for kind in KINDS:
        for part in ("model", "optimizer", "by_epoch", "by_step", "loader"):
            path, fresh = (
                tmp_path / f"{part}{kind}",
                Run(by_epoch="ReduceLROnPlateau", by_step="LambdaLR"),
            )
            nbmodule.save(getattr(run, part).state_dict(), path)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                getattr(fresh, part).load_state_dict(nbmodule.load(path))
            assert repr(getattr(fresh, part).state_dict()) == repr(
                getattr(run, part).state_dict()
            ), (part, kind)
