"""What ships with the Learner: metrics, schedules, gradients, stopping, files and progress."""

import csv
import math
import os
import sys
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbmodule
from nbmodule import nn, optim
from nbmodule.learner import (
    Accuracy,
    Callback,
    Checkpoint,
    CSVLogger,
    EarlyStopping,
    GradientAccumulation,
    GradientClipping,
    Learner,
    LRFinder,
    LRFinderResult,
    Mean,
    Metric,
    NonFiniteLossError,
    OneCycle,
    ProgressBar,
    Scheduler,
    TopKAccuracy,
)
from nbmodule.optim import lr_scheduler

X = nbmodule.linspace(-1, 1, 24, dtype=nbmodule.float64).reshape(12, 2)
Y = X.sum(1, keepdim=True) * 2
BATCHES = [(X[i : i + 5], Y[i : i + 5]) for i in (0, 5, 10)]  # of 5, 5 and 2


def line(batches=BATCHES, loss_fn=None, lr=0.1, **more):
    """Return a learner with two weights of 0."""
    model = nn.Linear(2, 1, bias=False, dtype=nbmodule.float64)
    nn.init.zeros_(model.weight)
    return Learner(model, loss_fn or nn.MSELoss(), partial(optim.SGD, lr=lr), batches, **more)


# ---- metrics


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_metrics_do_not_depend_on_how_samples_are_cut_into_batches(data):
    classes = data.draw(st.integers(2, 5), "classes")
    rows = st.lists(st.integers(-9, 9), min_size=classes, max_size=classes, unique=True)
    scores = nbmodule.tensor(data.draw(st.lists(rows, min_size=1, max_size=9), "scores")).double()
    n = len(scores)
    target = nbmodule.tensor(
        data.draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n))
    )
    cuts = data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n), "cuts")
    k = data.draw(st.integers(1, classes), "k")
    metrics = [Accuracy(), TopKAccuracy(k), Mean(lambda p, y: p.mean(), "mean")]
    start = 0
    for size in cuts:
        part = slice(start, start + size)
        if start < n:
            for metric in metrics:
                metric.update(scores[part], target[part], len(scores[part]))
        start += size
    ranks = [sorted(row, reverse=True).index(row[y]) for row, y in zip(scores.tolist(), target.tolist(), strict=True)]  # fmt: skip
    expected = [ranks.count(0) / n, sum(r < k for r in ranks) / n, scores.mean().item()]
    assert [m.compute() for m in metrics] == [pytest.approx(e, abs=1e-12) for e in expected]


@pytest.mark.parametrize(
    ("metric", "prediction", "target", "value"),
    [
        (Accuracy(), [[[1.0, 5.0], [2.0, 4.0]]], [[1, 0]], 1.0),  # a class for each pixel
        (Accuracy(), [[[1.0, 5.0], [2.0, 4.0]]], [[0, 0]], 0.5),
        (Accuracy(threshold=0.0), [[-1.0], [2.0], [0.5]], [[0.0], [1.0], [0.0]], 2 / 3),
        (Accuracy(threshold=0.5), [0.4, 0.6], [0, 1], 1.0),
        (Mean(lambda p, y: 7, "seven"), [1.0], [1.0], 7.0),
    ],
)
def test_metrics_of_one_batch(metric, prediction, target, value):
    assert metric.compute() is None
    metric.update(nbmodule.tensor(prediction), nbmodule.tensor(target), 1)
    assert metric.compute() == pytest.approx(value)
    state = metric.state_dict()
    metric.reset()
    metric.load_state_dict(state)
    assert metric.compute() == pytest.approx(value)


@pytest.mark.parametrize("metric", [Accuracy(), TopKAccuracy(1)])
def test_shapes_that_do_not_go_together(metric):
    with pytest.raises(ValueError, match=r"got the shapes \(3, 1\) and \(3, 1\)"):
        metric.update(nbmodule.zeros(3, 1), nbmodule.zeros(3, 1), 3)


def test_losses_are_those_of_all_samples_whatever_the_reduction():
    """Batches of 5, 5 and 2 samples: the mean of their means would be another number."""
    rows = [line(loss_fn=nn.MSELoss(reduction=r), lr=0.0, valid_loader=[(X, Y)]).fit(1).rows[0] for r in ("mean", "sum")]  # fmt: skip
    assert rows[0]["train_loss"] == pytest.approx(rows[0]["valid_loss"], rel=1e-14)
    assert rows[1]["train_loss"] == pytest.approx(rows[0]["train_loss"], rel=1e-14)


def test_metrics_by_their_names():
    learner = line(metrics={"worst": lambda p, y: (p - y).abs().max(), "again": Mean(nn.L1Loss())}, valid_loader=BATCHES)  # fmt: skip
    names = ["train_loss", "train_worst", "train_again", "valid_loss", "valid_worst", "valid_again"]
    assert list(learner.fit(1).rows[0]) == ["epoch", *names, "lr"]
    assert list(learner.validate()) == ["loss", "worst", "again"]
    with pytest.raises(NotImplementedError, match="Metric has no reset"):
        Metric("empty")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Checkpoint(".", every_epochs=0), "every_epochs must be at least 1, or None, not 0"),
        (lambda: Checkpoint(".", every_steps=-1), "every_steps must be at least 1"),
        (lambda: Checkpoint(".", keep=0), "keep must be at least 1"),
        (lambda: Checkpoint(".", every_epochs=None), "it would never write"),
        (lambda: Checkpoint(".", suffix=".txt"), "suffix must be '.pt', '.safetensors' or '.npz', not '.txt'"),
        (lambda: EarlyStopping(patience=0), "patience must be at least 1, and is 0"),
        (lambda: EarlyStopping(mode="least"), "mode must be 'min' or 'max', not 'least'"),
        (lambda: EarlyStopping(min_delta=math.nan), "min_delta must not be negative, and is nan"),
        (lambda: GradientAccumulation(0), "a step needs at least one batch, not 0"),
        (lambda: GradientClipping(), "one of max_norm and max_value"),
        (lambda: GradientClipping(1.0, max_value=1.0), "one of max_norm and max_value"),
        (lambda: LRFinder(0.1, 0.1), "positive and grow, not from 0.1 to 0.1"),
        (lambda: LRFinder(0.0), "positive and grow"),
        (lambda: LRFinder(num_it=1), "num_it must be at least 2, and is 1"),
        (lambda: Scheduler(lr_scheduler.StepLR, "batch"), "every must be 'epoch' or 'step', not 'batch'"),
        (lambda: Scheduler(3), "must be an LRScheduler, or make one of an optimizer, not 3"),
        (lambda: Metric("f1", better="more"), "better must be 'min' or 'max', not 'more'"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_are_refused(wrong, words):
    with pytest.raises((ValueError, TypeError), match=words):
        wrong()
    Checkpoint(".", 1, 1, 1)  # the least that can be
    assert [LRFinder(num_it=2).rate(i) for i in (0, 1)] == pytest.approx([1e-7, 10])


# ---- gradients


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_accumulated_batches_step_like_one(n, reduction):
    """Also uneven ones, and those that are left at the end of an epoch."""
    loss_fn = nn.MSELoss(reduction=reduction)
    parts = line(loss_fn=loss_fn, callbacks=[GradientAccumulation(n)])
    groups = [BATCHES[i : i + n] for i in range(0, 3, n)]
    joined = [tuple(nbmodule.cat(part) for part in zip(*group, strict=True)) for group in groups]
    whole = line(joined, loss_fn)
    for learner in (parts, whole):
        learner.fit(2)
    assert parts.model.weight.allclose(whole.model.weight, rtol=1e-12)
    assert parts.step == 6


def test_clipping():
    norms = []

    class Look(Callback):
        def after_step(self, learner):
            norms.append(learner.model.weight.grad.norm().item())

    clip = GradientClipping(max_norm=0.1)
    line(callbacks=[clip, Look(), GradientAccumulation(3)]).fit(1)
    assert norms == [pytest.approx(0.1, rel=1e-4)]  # the mean over three batches, clipped once
    assert clip.norm > 0.1
    learner = line(callbacks=[GradientClipping(max_value=0.01)])
    learner.fit(1)
    assert learner.model.weight.grad.abs().max() <= 0.01


# ---- learning rates


def by_hand(make, steps, losses=None):
    """Return the rates that a scheduler gives to `steps` steps."""
    optimizer = optim.SGD([nn.Parameter(nbmodule.zeros(1))], lr=0.1, momentum=0.9)
    scheduler, rates = make(optimizer), []
    for i in range(steps):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if i < steps - 1:
            scheduler.step(*(losses[i : i + 1] if losses else ()))
    return rates


@pytest.mark.parametrize(
    ("make", "every"),
    [
        (partial(lr_scheduler.StepLR, step_size=2, gamma=0.5), "epoch"),
        (partial(lr_scheduler.ExponentialLR, gamma=0.5), "step"),
        (partial(lr_scheduler.LambdaLR, lr_lambda=lambda e: 1 / (1 + e)), "step"),
    ],
)
def test_schedulers_step_as_by_hand(make, every):
    learner = line(callbacks=[Scheduler(make, every)])
    learner.fit(2)
    learner.fit(1)
    lrs = learner.history.lrs
    assert (lrs if every == "step" else lrs[::3]) == by_hand(make, 9 if every == "step" else 3)
    assert learner.history["lr"] == (lrs[::3] if every == "epoch" else learner.history["lr"])  # fmt: skip


def test_a_plateau_is_seen_in_a_result():
    make = partial(lr_scheduler.ReduceLROnPlateau, patience=0)
    flat = line(lr=0.0, callbacks=[Scheduler(make)])
    flat.optimizer.param_groups[0]["lr"] = 1e-30
    assert flat.fit(3)["lr"] == pytest.approx([1e-30, 1e-30, 1e-30])  # below its eps
    rising = line(lr=0.5, callbacks=[Scheduler(make, monitor="train_up")], metrics={"up": lambda p, y: len(rising.history)})  # fmt: skip
    assert rising.fit(3)["lr"] == pytest.approx([0.5, 0.5, 0.05])
    with pytest.raises(ValueError, match="monitors 'no'"):
        line(callbacks=[Scheduler(make, monitor="no")]).fit(1)


def test_a_scheduler_of_another_optimizer_is_refused():
    other = lr_scheduler.StepLR(optim.SGD([nn.Parameter(nbmodule.zeros(1))]), 1)
    with pytest.raises(ValueError, match="another optimizer"):
        line(callbacks=[Scheduler(other)]).fit(1)


@pytest.mark.parametrize("n", [1, 2])
def test_one_cycle(n):
    learner = line(callbacks=[GradientAccumulation(n)] if n > 1 else [])
    learner.optimizer.param_groups[0]["momentum"] = 0.9
    before = {k: v for k, v in learner.optimizer.param_groups[0].items() if k != "params"}
    learner.fit_one_cycle(4, 0.5, pct_start=0.4)
    steps = 4 * math.ceil(3 / n)
    make = partial(lr_scheduler.OneCycleLR, max_lr=0.5, total_steps=steps, pct_start=0.4)
    seen = learner.history.lrs if n == 1 else [lr for i, lr in enumerate(learner.history.lrs) if i % 3 != 1]  # fmt: skip
    assert seen == pytest.approx(by_hand(make, steps), rel=1e-12)
    after = {k: v for k, v in learner.optimizer.param_groups[0].items() if k != "params"}
    assert after == before
    with pytest.raises(TypeError, match="known from the fit"):
        OneCycle(0.1, total_steps=3)


@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_the_suggested_rate_is_where_the_loss_falls_fastest(noise):
    """A loss that falls from 2 to 1 around a rate of 1e-2 and jumps at 1."""
    lrs = [LRFinder().rate(i) for i in range(100)]
    fall = [2 - 1 / (1 + (1e-2 / lr) ** 1.5) for lr in lrs]
    wave = [noise * (-1) ** i for i in range(100)]
    jump = [0.0 if lr < 1 else lr**2 for lr in lrs]
    found = LRFinderResult(lrs, [sum(parts) for parts in zip(fall, wave, jump, strict=True)])
    assert 3e-3 < found.suggestion < 3e-2
    assert "tried: 100 rates" in repr(found)
    assert LRFinderResult(lrs, sorted(fall)).suggestion is None
    assert LRFinderResult([], []).suggestion is None


# ---- stopping


def losses_of(values, **more):
    """Return a learner whose valid_loss takes these values, epoch by epoch."""

    class Told(Callback):
        order = 5

        def after_validate(self, learner):
            learner.results["valid_loss"] = values[learner.epoch]

    learner = line(valid_loader=BATCHES, **more)
    learner.add(Told())
    return learner


@pytest.mark.parametrize(
    ("values", "options", "epochs", "best"),
    [
        ([3.0, 2.0, 2.5, 2.4, 2.3, 1.0], {"patience": 3}, 5, 2),
        ([3.0, 2.0, 2.5, 2.4, 1.0, 1.0], {"patience": 3}, 6, 5),
        ([3.0, 3.0, 2.0, 2.5, 2.4, 1.0], {"patience": 2}, 5, 3),
        ([3.0, 2.9, 2.8, 1.0], {"patience": 2, "min_delta": 0.5}, 3, 1),
        ([3.0, math.nan, math.nan, 1.0], {"patience": 2}, 3, 1),
        ([1.0, 2.0, 1.5, 1.2, 3.0], {"patience": 2, "mode": "max"}, 4, 2),
    ],
)
def test_stopping_early(values, options, epochs, best):
    stop = EarlyStopping(**options, restore_best=True)
    learner = losses_of(values, callbacks=[stop])
    weights = []
    learner.add(type("Keep", (Callback,), {"after_epoch": lambda self, learner: weights.append(learner.model.weight.detach().clone())})())  # fmt: skip
    assert len(learner.fit(len(values))) == epochs
    assert stop.best.epoch == best
    assert learner.model.weight.equal(weights[best - 1])


def test_each_fit_waits_anew_for_something_better():
    learner = losses_of([1.0] * 9, callbacks=[EarlyStopping(patience=2)])
    learner.fit(9)
    assert learner.epoch == 3
    learner.fit(6)
    assert learner.epoch == 5


def test_what_is_better_must_be_known():
    def f1(prediction, target):
        return 1.0

    with pytest.raises(ValueError, match="less of 'train_f1' better, or more"):
        line(metrics=[f1], callbacks=[EarlyStopping("train_f1")]).fit(1)
    with pytest.raises(ValueError, match="monitors 'val_loss', and the results of epoch 1 are"):
        losses_of([1.0], callbacks=[EarlyStopping("val_loss")]).fit(1)


@pytest.mark.parametrize("who", [EarlyStopping("val_loss"), Checkpoint("never", monitor="val_loss"), Scheduler(lr_scheduler.ReduceLROnPlateau, monitor="val_loss")])  # fmt: skip
def test_a_misspelled_result_is_seen_before_the_first_epoch(who, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    learner = line(callbacks=[who])
    with pytest.raises(
        ValueError, match=r"monitors 'val_loss', and the results will be \['train_loss'\]"
    ):
        learner.fit(1)
    assert learner.step == len(os.listdir(tmp_path)) == 0


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda model, x: model.weight.data.fill_(math.nan), "weight holds numbers that are not finite"),
        (lambda model, x: x.fill_(math.inf), "the batch holds numbers that are not finite"),
        (lambda model, x: x.fill_(1e308), "a division by 0, a log of 0, an overflow in the"),
        (lambda model, x: x.fill_(1e155), "a division by 0 or an overflow in the loss"),
    ],
)  # fmt: skip
def test_a_loss_that_is_no_number_ends_the_fit_before_the_step(spoil, words):
    class Spoil(Callback):
        order = -20

        def before_batch(self, learner):
            if learner.step == 1:
                learner.model.weight.data.fill_(5.0)
                learner.batch = (learner.batch[0].clone(), learner.batch[1])
                spoil(learner.model, learner.batch[0])
                self.weight = learner.model.weight.detach().clone()

    learner = line(callbacks=[spoiler := Spoil()])
    with pytest.raises(NonFiniteLossError, match=words) as caught:
        learner.fit(1)
    assert f"losses before it: {learner.history.losses[0]:.4g}; learning rate: 0.1" in str(caught.value)  # fmt: skip
    assert learner.model.weight.equal(spoiler.weight) or spoiler.weight.isnan().all()


# ---- files


def test_checkpoints_have_names_that_can_be_foreseen(tmp_path):
    values = [3.0, 1.0, 2.0]
    learner = losses_of(values, callbacks=[Checkpoint(tmp_path / "run", every_steps=2, keep=3, monitor="valid_loss")])  # fmt: skip
    learner.fit(3)
    assert sorted(os.listdir(tmp_path / "run")) == [
        "best.pt", "epoch-0002-step-00000006.pt", "epoch-0002-step-00000008.pt", "epoch-0003-step-00000009.pt",
    ]  # fmt: skip
    best = nbmodule.load(tmp_path / "run" / "best.pt")
    assert (best["epoch"], best["results"]["valid_loss"]) == (2, 1.0)


def test_a_run_that_diverges_is_called_so():
    with pytest.raises(NonFiniteLossError, match="losses before it were growing: the last steps"):
        line([(X * 1e30, Y)], lr=1e10).fit(9)


def test_a_place_to_write_to_is_looked_at_before_the_first_epoch(tmp_path):
    (tmp_path / "file").touch()
    learner = line(callbacks=[Checkpoint(tmp_path / "file")])
    with pytest.raises(NotADirectoryError, match="file is a file"):
        learner.fit(1)
    assert learner.step == 0


def test_numbers_of_a_callback_stand_in_the_history(tmp_path):
    class Norm(Callback):
        def after_train(self, learner):
            learner.results["norm"] = learner.model.weight.norm()
            learner.results["one"] = np.float64(1)

    learner = line(callbacks=[Norm(), Checkpoint(tmp_path, every_epochs=41)])
    history = learner.fit(41)
    assert nbmodule.load(tmp_path / os.listdir(tmp_path)[0])["results"]["one"] == 1
    assert [type(value) for value in history["norm"]] == [float] * 41
    assert history[-1] == history.rows[40]
    table = repr(history).splitlines()
    assert [row.split()[0] for row in table] == ["epoch", *map(str, range(1, 21)), "...", *map(str, range(22, 42))]  # fmt: skip


def test_a_log_of_comma_separated_values(tmp_path):
    path = tmp_path / "new" / "log.csv"
    learner = line(callbacks=[CSVLogger(path)])
    learner.fit(3)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["train_loss"]) for row in rows] == learner.history["train_loss"]
    assert list(rows[0]) == learner.history.names


# ---- progress


class FakeBar:
    """Takes down what is asked of tqdm."""

    made: list = []

    def __init__(self, total, initial, unit, dynamic_ncols, disable):
        self.total, self.n, self.closed, self.text = total, initial, False, ""
        self.made.append(self)

    def set_description_str(self, text):
        self.text = text

    def set_postfix_str(self, text, refresh):
        assert text.startswith("loss ")

    def update(self, n):
        self.n += n

    def write(self, line):
        print(line)

    def close(self):
        self.closed = True


@pytest.fixture
def fake(monkeypatch):
    FakeBar.made.clear()
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(__spec__=SimpleNamespace()))
    monkeypatch.setitem(sys.modules, "tqdm.auto", SimpleNamespace(tqdm=FakeBar))
    return FakeBar.made


def test_the_bar_counts_all_batches_and_is_closed(fake, capsys):
    line(callbacks=[ProgressBar()], lr=0.0).fit(2)
    assert [(b.total, b.n, b.closed, b.text) for b in fake] == [(6, 6, True, "epoch 2/2")]
    loss = f"{(Y * Y).mean().item():.4g}"
    assert (
        capsys.readouterr().out == f"epoch 1/2  train_loss {loss}\nepoch 2/2  train_loss {loss}\n"
    )


def test_a_fit_that_ends_early_is_complete(fake):
    """More to come would be a red bar in a notebook."""
    line(callbacks=[ProgressBar(), EarlyStopping(patience=1)], lr=0.0).fit(9)
    assert [(b.total, b.n, b.closed) for b in fake] == [(6, 6, True)]


def test_a_notebook_stores_a_text_that_stays_the_same(fake, monkeypatch):
    shown = []

    class NotebookBar(FakeBar):
        def __init__(self, display, **options):
            assert not display
            super().__init__(**options)
            widget = {"application/vnd.jupyter.widget-view+json": {}, "text/plain": "0:00:01"}
            self.container = SimpleNamespace(_repr_mimebundle_=lambda: widget)

    def display(bundle, raw, display_id):
        shown.append(bundle["text/plain"])
        return SimpleNamespace(update=lambda bundle, raw: shown.append(bundle["text/plain"]))

    notebook = SimpleNamespace(tqdm_notebook=NotebookBar, display=display)
    monkeypatch.setitem(sys.modules, "tqdm.notebook", notebook)
    monkeypatch.setitem(sys.modules, "tqdm.auto", SimpleNamespace(tqdm=NotebookBar))
    line(callbacks=[ProgressBar()]).fit(2)
    assert shown == ["6 batches"]
    line(callbacks=[ProgressBar(), EarlyStopping(patience=1)], lr=0.0).fit(9)
    assert shown == ["6 batches", "27 batches", "6 batches"]  # what is planned, and what was done


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_the_bar_is_closed_after_an_error(fake, error):
    class Fails(Callback):
        def before_step(self, learner):
            if learner.step == 1:
                raise error

    with pytest.raises(error):
        line(callbacks=[ProgressBar(), Fails()]).fit(1)
    assert [(b.n, b.closed) for b in fake] == [(1, True)]


def test_without_tqdm_there_are_lines(monkeypatch, capsys):
    monkeypatch.setattr("nbmodule.learner.progress.find_spec", lambda name: None)
    line(callbacks=[ProgressBar()]).fit(1)
    assert capsys.readouterr().out.startswith("epoch 1/1  train_loss ")
    with pytest.raises(ImportError, match=r"pip install 'nbmodule\[learner\]'"):
        ProgressBar(bar=True)
