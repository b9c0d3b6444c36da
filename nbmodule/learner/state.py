"""What the rest of a training run depends on, as a plain nest: taken, put back, written and read.

The nest has the keys of `KEYS`. Put back at any step, the run goes on as if it had never stopped, to the last bit:
numbers of the model and the optimizer, counters, callbacks, three random generators, and the place in the loader.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._random_states import RandomStates
from ..autograd import no_grad
from ..serialization import load, save
from ..utils.data import DataLoader

if TYPE_CHECKING:
    from .callback import Callback, Learner

FORMAT = "nbmodule.learner/1"
COUNTERS = ("epoch", "step", "step_in_epoch", "epochs")
FLAGS = ("stopping", "accumulating")
KEYS = {
    "format", *COUNTERS, *FLAGS, "results", "model", "loss_fn", "gradients", "optimizer", "optimizer_class", "callbacks",
    "loader", "random", "random_at_epoch",
}  # fmt: skip

OF_BATCH = ("training", "batch", "prediction", "target", "size", "loss", "loss_value")
"""The attributes of a learner that belong to the batch at work, and to no checkpoint."""


def of(learner: Learner) -> dict[str, Any]:
    """Return the state: the tensors are the learner's own, not copies."""
    gradients = {}
    if learner.accumulating:  # elsewhere the next batch begins with none
        named = learner.model.named_parameters()
        gradients = {name: p.grad for name, p in named if p.grad is not None}
    began = learner.random_at_epoch
    states = {name: callback.state_dict() for name, callback in _named(learner).items()}
    return {
        "format": FORMAT,
        **{name: getattr(learner, name) for name in (*COUNTERS, *FLAGS)},
        "results": dict(learner.results),
        "model": learner.model.state_dict(),
        "loss_fn": _state_of(learner.loss_fn),
        "gradients": gradients,
        "optimizer": learner.optimizer.state_dict(),
        "optimizer_class": type(learner.optimizer).__name__,
        "callbacks": {name: state for name, state in states.items() if state},
        "loader": {
            "train": _position(learner.train_loader, learner.step_in_epoch == 0),
            "valid": _position(learner.valid_loader, True),
        },
        "random": RandomStates([]).plain(),
        "random_at_epoch": began.plain() if began is not None and learner.step_in_epoch else None,
    }


def put(learner: Learner, found: dict[str, Any]) -> None:
    """Put a state into `learner`. What fails leaves it half changed: see `put_or_leave`."""
    learner.model.load_state_dict(found["model"])
    if found["loss_fn"] is not None:
        learner.loss_fn.load_state_dict(found["loss_fn"])
    for name, p in learner.model.named_parameters():
        gradient = found["gradients"].get(name)
        p.grad = None if gradient is None else gradient.clone()
    if found["optimizer_class"] != (own := type(learner.optimizer).__name__):
        raise ValueError(
            f"the checkpoint is of a run with {found['optimizer_class']}, and this learner has {own}"
        )
    learner.optimizer.load_state_dict(found["optimizer"])
    if found["step"]:  # schedulers warn if they come before the first step of an optimizer
        vars(learner.optimizer)["_opt_called"] = True
    callbacks = _named(learner)
    for name, state in found["callbacks"].items():
        if name in callbacks:
            _check_kinds(name, callbacks[name].state_dict(), state)
            callbacks[name].load_state_dict(copy.deepcopy(state))
    for name in (*COUNTERS, *FLAGS):
        setattr(learner, name, found[name])
    learner.results = dict(found["results"])
    _put_loaders(learner, found["loader"], within=found["step_in_epoch"] > 0)
    RandomStates.of(found["random"]).put_back([])


def put_or_leave(learner: Learner, found: Any) -> None:
    """Put a state into `learner`, all of it or, where it does not fit, nothing.

    Raises:
        ValueError: it is not the state of a learner, or has counters that cannot be.
        RuntimeError: it is that of another model.
    """
    check(found)
    before = Snapshot(learner)
    try:
        put(learner, found)
    except BaseException as error:
        before.put_back()
        error.add_note("the checkpoint does not fit this learner, which stays as it was")
        if isinstance(error, (LookupError, TypeError, AttributeError, OverflowError)):
            raise ValueError(f"the state of the Learner is damaged: {error!r}") from error
        raise
    for name in set(found["callbacks"]) - set(_named(learner)):
        warnings.warn(
            f"the checkpoint holds what {name} had counted, and this learner has no such callback",
            stacklevel=3,
        )


def check(found: Any) -> None:
    """Raise if `found` is not the state of a learner.

    Raises:
        ValueError: keys are missing or unknown, or a value cannot be.
    """
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        keys = f"a dictionary with the keys {list(found)[:8]}" if isinstance(found, dict) else type(found).__name__  # fmt: skip
        raise ValueError(
            f"this is not the state of a Learner, but {keys}. A state dict goes into model.load_state_dict"
        )
    if set(found) != KEYS:
        raise ValueError(
            f"the state of the Learner is incomplete or damaged: missing {sorted(KEYS - set(found))}, "
            f"unknown {sorted(map(str, set(found) - KEYS))}"
        )
    for name in COUNTERS:
        if type(found[name]) is not int or found[name] < 0:
            raise ValueError(f"the state of the Learner is damaged: {name} is {found[name]!r}")
    for name in ("results", "model", "gradients", "optimizer", "callbacks", "loader", "random"):
        if not isinstance(found[name], dict):
            raise ValueError(f"the state of the Learner is damaged: {name} is no dictionary")


def batches_of_epoch(learner: Learner) -> Iterator[Any]:
    """Return the batches of an epoch: all of them, or those that were left when the state to go on from was taken."""
    loader, found, learner.resuming = learner.train_loader, learner.resuming, None
    if found is None or not found["step_in_epoch"]:
        learner.step_in_epoch = 0
        learner.random_at_epoch = None if _keeps_state(loader) else RandomStates([])
        return iter(loader)
    put(learner, found)  # again: the events that begin an epoch have reset what they count
    if _keeps_state(loader):
        batches, learner.awaits_rest = iter(loader), False
    else:  # draw the batches that were seen once more, with the random numbers of then
        learner.random_at_epoch = RandomStates.of(found["random_at_epoch"])
        learner.random_at_epoch.put_back([])
        batches = iter(loader)
        for _ in range(found["step_in_epoch"]):
            next(batches, None)
    RandomStates.of(found["random"]).put_back([])
    return batches


def write(learner: Learner, path: Any) -> None:
    """Write the state of `learner` to `path`, at once or not at all."""
    save(of(learner), path)


def read(path: Any) -> dict[str, Any]:
    """Return the state in a file, or in the newest file of a folder.

    Raises:
        FileNotFoundError: there is none.
        ValueError: the file holds something else.
    """
    if Path(path).is_dir():
        path = newest(path)
    found = load(path)
    try:
        check(found)
    except ValueError as error:
        error.add_note(f"read from {path}")
        raise
    return found


def newest(folder: Any) -> Path:
    """Return the file of the latest step among those that `Checkpoint` wrote into `folder`.

    Raises:
        FileNotFoundError: there is none.
    """
    files = sorted(Path(folder).glob("epoch-*-step-*"), key=lambda file: (file.stat().st_mtime_ns, file.name))  # fmt: skip
    if not files:
        raise FileNotFoundError(f"no checkpoint in {folder}: no file epoch-*-step-*")
    return files[-1]


class Snapshot:
    """A copy of all that a state holds, and of what it leaves out: gradients, buffers that are not saved."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self.state = copy.deepcopy(of(learner))
        tensors = [*learner.model.parameters(), *learner.model.buffers()]
        self.tensors = [
            (t, t.detach().clone(), t.grad, None if t.grad is None else t.grad.detach().clone())
            for t in tensors
        ]
        self.callbacks = [(callback, dict(vars(callback))) for callback in learner.callbacks]
        self.attributes = {name: getattr(learner, name) for name in (*OF_BATCH, "awaits_rest")}
        loaders = [
            x for x in (learner.train_loader, learner.valid_loader) if isinstance(x, DataLoader)
        ]
        self.places = [(loader, loader._position, loader._resumed) for loader in loaders]

    def put_back(self) -> None:
        """Give the learner everything back."""
        put(self.learner, self.state)
        with no_grad():
            for t, values, gradient, numbers in self.tensors:
                t.copy_(values)
                t.grad = gradient  # the same tensor as before, with the numbers of before
                if gradient is not None:
                    gradient.copy_(numbers)
        for callback, attributes in self.callbacks:  # those without a state, too
            vars(callback).clear()
            vars(callback).update(attributes)
        vars(self.learner).update(self.attributes)
        for loader, position, resumed in self.places:  # an epoch that was left stays left
            loader._position, loader._resumed = position, resumed


def _named(learner: Learner) -> dict[str, Callback]:
    """Return the callbacks by the names that they have in a state: "Checkpoint", "Checkpoint 2"."""
    named: dict[str, Any] = {}
    for callback in learner.callbacks:
        name, number = type(callback).__name__, 1
        while (full := name if number == 1 else f"{name} {number}") in named:
            number += 1
        named[full] = callback
    return named


def _check_kinds(name: str, own: dict[str, Any], found: Any) -> None:
    """Raise if a value in the state of a callback is of another kind than its own."""
    if not isinstance(found, dict):
        raise ValueError(f"the state of {name} is no dictionary, but {type(found).__name__}")
    for key in own.keys() & found.keys():
        a, b = own[key], found[key]
        numbers = isinstance(a, (int, float)) and isinstance(b, (int, float))
        if not (a is None or b is None or numbers or isinstance(b, type(a))):
            raise ValueError(
                f"the state of {name} has {type(b).__name__} for {key!r}, which is {type(a).__name__}"
            )


def _keeps_state(thing: Any) -> bool:
    return callable(getattr(thing, "state_dict", None)) and callable(getattr(thing, "load_state_dict", None))  # fmt: skip


def _state_of(thing: Any) -> Any:
    return thing.state_dict() if _keeps_state(thing) else None


def _position(loader: Any, between_epochs: bool) -> Any:
    """Return the state of `loader`; an epoch that was left in its middle is not gone on with in the next."""
    found = _state_of(loader)
    if between_epochs and isinstance(found, dict) and (epoch := found.get("epoch")):
        found = found if epoch.get("finished") else {**found, "epoch": None}
    return found


def _put_loaders(learner: Learner, found: dict[str, Any], within: bool) -> None:
    """Put states into the loaders; `within` an epoch the one of training yields the batches that are left."""
    loaders: dict[str, Any] = {"train": learner.train_loader, "valid": learner.valid_loader}
    for name, loader in loaders.items():
        if _keeps_state(loader) and found[name] is not None:
            loader.load_state_dict(found[name])
        elif within and name == "train" and _keeps_state(loader) != (found[name] is not None):
            raise ValueError(
                f"the checkpoint was made with another kind of train_loader than {type(loader).__name__}"
            )
    learner.awaits_rest = within


def forget_rest(learner: Learner) -> None:
    """Let the next epoch have all its batches, after a state from the middle of one was taken over."""
    if learner.awaits_rest and _keeps_state(loader := learner.train_loader):
        loader.load_state_dict(_position(loader, True))
    learner.awaits_rest = False
