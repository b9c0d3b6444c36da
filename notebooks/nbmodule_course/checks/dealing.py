"""What the checks of chapter 19 use: lines about small data, a model of one weight, and callbacks that log or cancel."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

import nbmodule
from nbmodule import nn, tensor
from nbmodule.learner import CancelBatch, CancelEpoch, CancelFit
from nbmodule.nn import functional as F

from .lines import compiled, tried, vocabulary

_MEANING = {
    "x": "`x` is a tensor of shape (5, 2)",
    "y": "`y` is a tensor of 5 numbers",
    "letters": '`letters` is "abcde"',
    "tens": "`tens[i]` is 10 * i, and there are five",
    "plain": "`plain` returns the samples as they are",
    "kept": "`kept` returns the very list that it's given",
    "seeded": "`seeded` is a generator with this seed",
    "tried": "`tried` names the exception",
    "orders": "`orders` lists the batches of three epochs, after `manual_seed`",
    "three": "`three` is a list of batches of 2, 2 and 1 rows",
    "made": "`made` is a Learner with a model of one weight",
    "Log": "`Log` lists the events that it gets",
    "at": "`at` raises the exception when this event comes for the n-th time",
    "Look": "`Look` records the value of the expression in this event",
    "Rates": "`Rates` lists the learning rates that `optimizer.step` uses",
    "Fake": "`Fake` is a Learner that gets its losses, predictions and targets by hand",
}


def same_batch(right: Any, got: Any) -> bool:
    """Tell whether two batches are the same; a list of strings may be a tuple, as in PyTorch."""
    if isinstance(right, nbmodule.Tensor):
        alike = isinstance(got, nbmodule.Tensor) and got.dtype == right.dtype
        return alike and got.tolist() == right.tolist()
    if isinstance(right, dict):
        alike = isinstance(got, dict) and got.keys() == right.keys()
        return alike and all(same_batch(right[key], got[key]) for key in right)
    if isinstance(right, str):
        return right == got
    kinds = list | tuple if right and isinstance(right[0], str) else list
    return isinstance(got, kinds) and len(got) == len(right) and all(map(same_batch, right, got))


def samples(text: str) -> list[Any]:
    """Return the samples that a text lists."""
    return eval(
        text, {"tensor": tensor, "np": np, "Parameter": nn.Parameter, "OrderedDict": OrderedDict}
    )


def _value_of(text: str, given: Any) -> Any:
    before, last = compiled(text)
    names = {given.__name__: given, **_WORDS}
    names |= {"x": _X.clone(), "y": _Y.clone()}
    names["default_collate"] = getattr(given.__init__, "__globals__", {}).get("default_collate")
    names["made"] = lambda *args, **options: _made(given, *args, **options)
    with nbmodule.enable_grad():  # whatever the reader's class leaves behind
        exec(before, names)
        return eval(last, names)


uses = vocabulary(_MEANING, _value_of)


_X, _Y = nbmodule.arange(10.0).reshape(5, 2), nbmodule.arange(5)


def _batches(*sizes: int) -> list[tuple[Any, Any]]:
    return [(rows.clone(), twice.clone()) for rows, twice in _made_once(sizes)]


@lru_cache(maxsize=64)
def _made_once(sizes: tuple[int, ...]) -> list[tuple[Any, Any]]:
    rows = nbmodule.arange(1.0, 1 + sum(sizes)).double().reshape(sum(sizes), 1)
    return [(part, 2 * part) for part in rows.split(list(sizes))] if sizes else []


class _Weight(nn.Module):
    """A model of one weight, which counts how often it is called in each mode."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(tensor([1.0]).double())
        self.calls: list[tuple[bool, bool]] = []

    def forward(self, x: Any, bias: Any = 0) -> Any:
        self.calls.append((self.training, nbmodule.is_grad_enabled()))
        return x * self.w + bias


def _made(Learner: type, *callbacks: Any, train: Any = (2, 2, 1), valid: Any = None, lr: float = 0.01, loss: Any = F.mse_loss) -> Any:  # fmt: skip
    """Return a Learner for a model of one weight; loaders are the sizes of their batches, or lists."""
    model = _Weight()
    loaders = [_batches(*sizes) if isinstance(sizes, tuple) else sizes for sizes in (train, valid) if sizes is not None]  # fmt: skip
    given = {"callbacks": list(callbacks)} if callbacks else {}
    return Learner(model, loss, nbmodule.optim.SGD(model.parameters(), lr=lr), *loaders, **given)


EVENTS = ("before_fit", "before_epoch", "before_batch", "after_loss", "before_step", "after_batch", "after_epoch", "after_fit")  # fmt: skip


class Log:
    """A callback that lists the events that it gets."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name not in EVENTS:
            raise AttributeError(name)
        return lambda learner: self.lines.append(name)


class Look:
    """A callback that records the value of an expression in one event."""

    def __init__(self, event: str, look: Callable[[Any], Any]) -> None:
        self.seen: list[Any] = []
        setattr(self, event, lambda learner: self.seen.append(look(learner)))


def _at(event: str, error: type[BaseException], time: int = 1) -> Any:
    """Return a callback that raises an exception when the event comes for the n-th time."""
    seen: list[Any] = []

    def raising(learner: Any) -> None:
        seen.append(1)
        if len(seen) == time:
            raise error

    return type("At", (), {event: staticmethod(raising)})()


class Rates:
    """A callback that lists the learning rates that a step uses."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def before_step(self, learner: Any) -> None:
        """Note the rates of all groups."""
        self.seen += [round(float(group["lr"]), 9) for group in learner.optimizer.param_groups]


class Fake:
    """A Learner for a callback alone: it is fed by hand."""

    def __init__(self, training: bool = True) -> None:
        self.training, self.epoch, self.step = training, 0, 0
        self.loss: Any = None
        self.prediction: Any = None
        self.target: Any = None

    def feed(self, callback: Any, loss: float, size: int, training: bool = True) -> None:
        """Give the callback a batch with this loss and this many rows."""
        self.training = training
        self.loss = tensor(loss, requires_grad=True).double() * 1
        self.prediction, self.target = tensor([[loss]] * size), tensor([1.0] * size)
        callback.after_loss(self)


def _orders(make: Callable[[], Any], epochs: int = 3) -> list[Any]:
    nbmodule.manual_seed(0)
    loader = make()
    return [list(loader) for _ in range(epochs)]


_WORDS: dict[str, Any] = {
    "Log": Log, "Look": Look, "Rates": Rates, "Fake": Fake, "at": _at, "math": math, "np": np, "tensor": tensor,
    "nbmodule": nbmodule, "letters": "abcde", "tens": [0, 10, 20, 30, 40], "plain": list, "kept": lambda samples: samples, "orders": _orders,
    "three": _batches(2, 2, 1), "F": F,
    "CancelBatch": CancelBatch, "CancelEpoch": CancelEpoch, "CancelFit": CancelFit,
    "seeded": lambda seed: nbmodule.Generator().manual_seed(seed),
    "tried": tried,
}  # fmt: skip
