"""The loop of a Learner: the same numbers as a loop by hand, the events and their order, modes, and what is refused."""

import copy
import gc
import weakref
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from learner_runs import BATCH, SAMPLES, built, facts

import nbmodule
from nbmodule import nn, optim
from nbmodule.learner import (
    EVENTS,
    Accuracy,
    Callback,
    CancelBatch,
    CancelEpoch,
    CancelFit,
    CancelStep,
    EarlyStopping,
    Learner,
    Metrics,
    NonFiniteLossError,
    TerminateOnNaN,
    TopKAccuracy,
)
from nbmodule.learner.batches import size_of
from nbmodule.optim import lr_scheduler
from nbmodule.utils.data import DataLoader, TensorDataset

CE = nn.CrossEntropyLoss()
X = nbmodule.arange(18.0).reshape(6, 3) / 10
Y = nbmodule.tensor([0, 1, 0, 1, 1, 0])
ONE = [(X, Y)]


def tiny(loss_fn=CE, batches=ONE, optimizer=optim.SGD, **more):
    return Learner(nn.Linear(3, 2), loss_fn, optimizer, batches, **more)


class Notes(Callback):
    """Writes the events down, and may raise in one of them."""

    order = 50

    def __init__(self, event=None, error=None):
        self.seen, self.at, self.error = [], event, error

    def note(self, name, learner):
        self.seen.append(name)
        if name == self.at and self.error is not None:
            error, self.error = self.error, None
            raise error


for event in EVENTS:
    if event == "on_exception":
        Notes.on_exception = lambda self, learner, error: self.note("on_exception", learner)
    else:
        setattr(Notes, event, lambda self, learner, name=event: self.note(name, learner))


# ---- the same numbers as by hand


def test_it_does_what_a_loop_by_hand_does():
    ours = built("sgd", loader="shuffled")
    ours.fit(2)
    theirs = built("sgd", loader="shuffled")
    model, optimizer, loss_fn = theirs.model, theirs.optimizer, theirs.loss_fn
    rows = []
    for _ in range(2):
        model.train()
        total = right = 0
        for x, y in theirs.train_loader:
            prediction = model(x)
            loss = loss_fn(prediction, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total, right = total + loss.item() * len(x), right + (prediction.argmax(1) == y).sum().item()  # fmt: skip
        model.eval()
        with nbmodule.no_grad():
            valid = sum(loss_fn(model(x), y).item() * len(x) for x, y in theirs.valid_loader)
        rows.append((total / SAMPLES, right / SAMPLES, valid / 8))
    for a, b in zip(ours.model.state_dict().values(), model.state_dict().values(), strict=True):
        assert a.equal(b)
    names = ("train_loss", "train_accuracy", "valid_loss")
    assert [tuple(row[name] for name in names) for row in ours.history] == rows
    assert len(ours.history.losses) == ours.step == 2 * -(-SAMPLES // BATCH)


# ---- events


def test_events_come_in_order():
    notes = Notes()
    tiny(batches=ONE * 2, valid_loader=ONE, callbacks=[notes]).fit(1)
    batch = ["before_batch", "after_predict", "after_loss"]
    train = [*batch, "before_step", "after_step", "after_batch"]
    assert notes.seen == [
        "before_fit", "before_epoch", "before_train", *train, *train, "after_train",
        "before_validate", *batch, "after_batch", "after_validate", "after_epoch", "after_fit",
    ]  # fmt: skip


def test_callbacks_run_by_their_order():
    seen = []

    class First(Callback):
        order = -5

        def before_fit(self, learner):
            seen.append("first")

    class Late(Callback):
        order = 200

        def before_fit(self, learner):
            seen.append("late")

    tiny(callbacks=[Late(), First()]).fit(1)
    assert seen == ["first", "late"]


@pytest.mark.parametrize(
    ("at", "cancel", "missing", "then", "steps"),
    [
        ("before_fit", CancelFit, "before_epoch", "after_fit", 0),
        ("before_epoch", CancelEpoch, "before_batch", "after_epoch", 0),
        ("before_batch", CancelBatch, "after_predict", "after_batch", 0),
        ("after_loss", CancelBatch, "before_step", "after_batch", 0),
        ("before_step", CancelStep, "after_step", "after_batch", 0),
        ("before_step", CancelFit, "after_batch", "after_fit", 0),
        ("after_batch", CancelEpoch, "after_train", "after_epoch", 1),
        ("before_validate", CancelEpoch, "after_validate", "after_epoch", 1),
        ("after_epoch", CancelFit, "never", "after_fit", 1),
    ],
)
def test_cancelling(at, cancel, missing, then, steps):
    notes = Notes(at, cancel())
    learner = tiny(valid_loader=ONE, callbacks=[notes])
    weight = learner.model.weight.detach().clone()
    learner.fit(1)
    rest = notes.seen[notes.seen.index(at) + 1 :]
    assert missing not in rest[: rest.index(then)]
    assert weight.equal(learner.model.weight) == (steps == 0)
    learner.fit(1)
    assert not learner.accumulating
    assert learner.history.rows[-1]["train_loss"] > 0


def test_a_cancellation_in_the_wrong_place_is_an_error():
    with pytest.raises(CancelBatch) as caught:
        tiny(callbacks=[Notes("after_epoch", CancelBatch())]).fit(1)
    assert "no part of what it leaves out" in caught.value.__notes__[0]


def test_a_cancelled_epoch_leaves_no_place_in_the_loader_behind():
    """The next epoch has all its batches, also after a save and a load in between."""

    class Short(Callback):
        def after_batch(self, learner):
            if learner.training and learner.epoch == 0 and learner.step_in_epoch == 2:
                raise CancelEpoch

    learner = built(more=[Short()])
    learner.fit(1)
    between = copy.deepcopy(learner.state_dict())
    learner.fit(1)
    assert learner.step == 2 + -(-SAMPLES // BATCH)
    expected, other = facts(learner), built(more=[Short()])
    other.load_state_dict(between)
    other.fit(1)
    assert facts(other) == expected


def test_what_a_callback_raises_names_it_and_keeps_its_type():
    learner = tiny(callbacks=[notes := Notes("after_step", ZeroDivisionError("mine"))])
    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        learner.fit(1)
    assert caught.value.__notes__ == ["raised in Notes.after_step, after 0 complete epochs and 0 training batches"]  # fmt: skip
    assert notes.seen[-1] == "on_exception"
    assert len(learner.fit(1)) == 1


def test_ctrl_c_leaves_a_learner_that_goes_on(tmp_path):
    learner = built(more=[notes := Notes("after_batch", KeyboardInterrupt())])
    with pytest.raises(KeyboardInterrupt) as caught:
        learner.fit_one_cycle(2, 0.5)
    assert "can fit on, or save" in caught.value.__notes__[0]
    assert notes.seen[-1] == "on_exception"
    assert learner.step == 1
    learner.save(tmp_path / "stopped.pt")
    again = built(more=[Notes()])
    again.resume(tmp_path / "stopped.pt")
    assert (again.epoch, again.step) == (2, 10)
    learner.fit(1)
    assert learner.optimizer.param_groups[0]["lr"] == 0.1  # the cycle is given up
    assert learner.history["epoch"] == [1]


# ---- modes and memory


def test_modes_are_given_back():
    learner = built()
    model = learner.model
    model.eval()
    model[3].train()
    modes = [m.training for m in model.modules()]
    for call in (lambda: learner.fit(1), learner.validate, lambda: learner.predict(learner.valid_loader)):  # fmt: skip
        call()
        assert [m.training for m in model.modules()] == modes


def test_training_and_validation_have_their_modes():
    seen = []

    class Look(Callback):
        def before_train(self, learner):
            learner.model[1].eval()  # as one does with a frozen BatchNorm

        def after_predict(self, learner):
            inner = learner.model[1].training
            seen.append((learner.training, learner.model.training, inner, nbmodule.is_grad_enabled()))  # fmt: skip

    learner = built(more=[Look()])
    learner.fit(1)
    learner.validate()
    assert set(seen) == {(True, True, False, True), (False, False, False, False)}


def test_validating_within_a_fit_disturbs_nothing():
    class Often(Callback):
        def after_step(self, learner):
            self.seen = learner.validate()
            assert learner.training
            assert learner.model.training
            assert learner.loss.requires_grad

    found, look = [], Often()
    for more in ([], [look]):
        learner = built(more=more)
        learner.valid_loader = list(learner.valid_loader)  # a DataLoader would draw a seed
        learner.fit(2)
        found.append((facts(learner)["model"], learner.history.rows))
    assert found[0] == found[1]
    assert look.seen == learner.validate()


def test_no_graph_is_kept():
    kept = []

    class Look(Callback):
        def after_loss(self, learner):
            kept.append(weakref.ref(learner.loss.grad_fn))

    learner = tiny(metrics={"first": lambda p, y: p[0, 0]}, batches=ONE * 3, callbacks=[Look()])
    gc.disable()
    try:
        learner.fit(1)
        assert [ref() for ref in kept] == [None] * 3
    finally:
        gc.enable()


# ---- what goes in


class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(nbmodule.ones(3))

    def forward(self, a, b=0.0):
        return (a + b) * self.w


@pytest.mark.parametrize(
    ("batch", "loss"),
    [
        ((X, X + 1), 1.0),
        ([X, X + 1], 1.0),
        ((X, X, X), 0.9917),
        ((X,), 0.0),
        (X, 0.0),
        ({"a": X, "b": 1.0, "label": X}, 1.0),
    ],
)
def test_kinds_of_batches(batch, loss):
    learner = Learner(Sum(), nn.MSELoss(), partial(optim.SGD, lr=0.0), [batch])
    learner.fit(1)
    assert learner.history["train_loss"] == [pytest.approx(loss, abs=1e-3)]
    assert learner.size == 6


def test_the_size_of_a_batch_is_that_of_its_first_tensor():
    nests = (X, X[0, 0], [3, {"a": "b", "x": X}], (), "text")
    assert [size_of(nest) for nest in nests] == [6, 1, 6, 0, 0]


def test_predictions_of_a_loader_are_those_of_its_batches():
    learner = tiny()
    loader = DataLoader(TensorDataset(X, Y), 4)
    whole = learner.predict(X)
    assert not whole.requires_grad
    assert learner.predict(loader).allclose(whole)
    assert learner.predict((X, Y)).equal(whole)
    assert learner.predict([X, Y]).equal(whole)  # a batch, as a DataLoader yields it
    assert learner.predict([(X[:2], Y[:2]), [X[2:], Y[2:]]]).allclose(whole)


def test_finding_a_learning_rate_changes_nothing():
    runs = []
    for finding in (False, True):
        learner = built("adam", "every step")
        learner.fit(1)
        learner.model[0].weight.grad = nbmodule.ones(6, 4)
        if finding:
            found = learner.lr_find(1e-4, 10, num_it=30)
            assert 1e-4 < found.suggestion < 10
            assert len(found.lrs) == len(found.losses) <= 30
        assert learner.model[0].weight.grad.equal(nbmodule.ones(6, 4))
        learner.fit(1)
        runs.append(facts(learner))
    assert runs[0] == runs[1]


# ---- what is refused


def frozen():
    model = nn.Linear(3, 2)
    model.requires_grad_(False)
    return Learner(model, CE, optim.SGD, ONE).fit(1)


class Misspelled(Callback):
    def after_bach(self, learner):
        pass


@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        (lambda: Learner(nn.ReLU(), CE, optim.SGD, ONE), ValueError, "ReLU has no parameters"),
        (lambda: Learner(nn.Linear, CE, optim.SGD, ONE), TypeError, "not a class: give Linear"),
        (lambda: Learner(3, CE, optim.SGD, ONE), TypeError, "int has no parameters"),
        (lambda: tiny(optimizer="sgd"), TypeError, "partial.SGD, lr=0.1., not 'sgd'"),
        (lambda: tiny(optimizer=optim.SGD(nn.Linear(1, 1).parameters())), ValueError, "no parameter of the model"),
        (lambda: tiny("ce"), TypeError, "loss_fn must be callable, and str is not"),
        (lambda: tiny(nn.CrossEntropyLoss), TypeError, r"is a class: give CrossEntropyLoss\(\)"),
        (lambda: tiny(optim.SGD, optimizer=CE), TypeError, "the order is model, loss_fn, optimizer"),
        (lambda: tiny(batches=(X, Y)), TypeError, "a tuple of tensors is one batch: give"),
        (lambda: tiny().predict(TensorDataset(X, Y)), TypeError, "holds samples"),
        (lambda: tiny(batches=TensorDataset(X, Y)), TypeError, r"holds samples: give DataLoader\(dataset"),
        (lambda: tiny(batches=X), TypeError, "a Tensor holds samples"),
        (lambda: tiny(batches=3), TypeError, "int is not iterable"),
        (lambda: tiny(batches=[]).fit(1), ValueError, "no batches in epoch 1"),
        (lambda: tiny(batches=iter(ONE)).fit(2), ValueError, "epoch 2: an iterator can be run through only once"),
        (lambda: tiny(batches=DataLoader(range(3), 8, drop_last=True)).fit(1), ValueError, "drop_last=True"),
        (lambda: tiny(valid_loader=[]).fit(1), ValueError, "valid_loader yielded no batches"),
        (lambda: tiny(batches=[3]).fit(1), TypeError, "the loader gave int"),
        (lambda: tiny(batches=[()]).fit(1), TypeError, "tuple without anything"),
        (lambda: tiny(batches=[{"x": X}]).fit(1), ValueError, "has no targets"),
        (lambda: tiny(nn.CrossEntropyLoss(reduction="none")).fit(1), ValueError, r"the shape \(6,\)"),
        (lambda: tiny(lambda p, y: 3.0).fit(1), TypeError, "returned float"),
        (lambda: tiny(lambda p, y: p.detach().sum()).fit(1), RuntimeError, "no gradient comes from this loss: it was"),
        (frozen, RuntimeError, "all parameters of the model are frozen"),
        (lambda: tiny().fit(1.0), TypeError, "whole number"),
        (lambda: tiny().fit(-1), ValueError, "negative"),
        (lambda: tiny().validate(), ValueError, "no valid_loader"),
        (lambda: tiny(callbacks=[EarlyStopping]), TypeError, r"give EarlyStopping\(\)"),
        (lambda: tiny(callbacks=EarlyStopping()), TypeError, "a list of them, not EarlyStopping"),
        (lambda: tiny().fit(1, 0.1), TypeError, "a list of them, not float"),
        (lambda: tiny(callbacks=[Accuracy()]), TypeError, "as metrics="),
        (lambda: tiny(callbacks=[lr_scheduler.StepLR(tiny().optimizer, 1)]), TypeError, r"give Scheduler\("),
        (lambda: tiny(metrics=[EarlyStopping()]), TypeError, "as callbacks="),
        (lambda: tiny(callbacks=[print]), TypeError, "a subclass of Callback"),
        (lambda: tiny(callbacks=[Misspelled()]), ValueError, "Misspelled.after_bach would never run: 'after_batch' was"),
        (lambda: tiny(callbacks=[type("One", (Callback,), {"remembers": ("a")})()]), TypeError, r"a tuple: \('a',\)"),
        (lambda: tiny(metrics=[type("Own", (Accuracy,), {"__init__": lambda self: None})()]), TypeError, "Own.__init__ must call super"),
        (lambda: tiny(metrics=Accuracy()), TypeError, "a list"),
        (lambda: tiny(metrics=["accuracy"]), TypeError, "not 'accuracy'"),
        (lambda: tiny(metrics=[Accuracy]), TypeError, r"give Accuracy\(\)"),
        (lambda: tiny(metrics=[lambda p, y: 0]), ValueError, "a lambda has no name"),
        (lambda: tiny(metrics=[Accuracy(), Accuracy()]), ValueError, "names of their own"),
        (lambda: tiny(metrics={"v": lambda p, y: p}).fit(1), ValueError, r"'v' must return one number.*\(6, 2\)"),
        (lambda: tiny(metrics=[TopKAccuracy()]).fit(1), ValueError, "the 5 largest of 2 scores"),
        (lambda: Accuracy().update((X, X), Y, 6), TypeError, "a tensor as prediction, and got tuple"),
        (lambda: Accuracy().update(X, X, 6), ValueError, r"takes y.argmax\(1\)"),
        (lambda: tiny().remove(EarlyStopping), ValueError, "no callback of this learner"),
        (lambda: tiny().load_state_dict({"weight": X}), ValueError, r"keys \['weight'\]"),
        (lambda: tiny().lr_find(1, 0.1), ValueError, "positive and grow"),
        (lambda: tiny(batches=[(X * nbmodule.inf, Y)]).lr_find(), NonFiniteLossError, "look at the data"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(wrong, kind, words):
    with pytest.raises(kind, match=words):
        wrong()


def test_none_is_no_metric_and_no_callback():
    assert len(tiny(metrics=None, callbacks=None).fit(np.int64(2), None)) == 2


def test_a_fit_within_a_fit_is_refused():
    class Again(Callback):
        def after_step(self, learner):
            learner.fit(1)

    with pytest.raises(RuntimeError, match="in the middle of a fit"):
        tiny(callbacks=[Again()]).fit(1)


def test_callbacks_may_be_taken_away():
    learner = tiny()
    learner.remove(TerminateOnNaN, Metrics)
    with suppress(ArithmeticError):
        learner.fit(1)
    assert learner.history["lr"] == [0.001]
