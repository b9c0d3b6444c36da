"""What the checks of chapter 17 use: optimizers and their states, runs that stop and go on, and hooks around a state."""

from __future__ import annotations

import copy
import os
import tempfile
from collections import OrderedDict
from pathlib import Path
from typing import Any
from unittest.mock import patch

import nbmodule
from nbmodule import nn, tensor
from nbmodule.nn import Parameter

from ..exercise import attempt
from ..referee.world import slots_of
from .lines import compiled, tried, used_in, vocabulary
from .states import show

_MEANING = {
    "p": "`p` is a Parameter, 1 and -2",
    "q": "`q` is a Parameter, 3",
    "made": "`made(p, q)` is an optimizer with one group that counts in each Parameter's state how often it was updated; `made([p], [q])` has two",
    "step": "`step` gives each of these Parameters a gradient, and calls `step()`",
    "told": "`told` shows the optimizer's options and what it knows of each Parameter",
    "tried": "`tried` names the exception",
    "Run": "`Run()` is a new model with Dropout and a new Adam, and `Run(names='abcd')` has other names for the layers; `go(n)` takes n steps and lists the losses",
    "path": "`path` is a file in an empty folder",
    "found": "`found(path)` is what `nbmodule.load` reads there",
    "noting": "`noting(word)` is a hook that appends the word and its arguments to `seen`",
    "Net": "`Net()` is a Module with a Parameter w and a child fc, which has one too",
    "load": "`load(hook, state, version)` calls the hook as `_load_from_state_dict` does, with the prefix 'a.', and shows the state",
    "Counter": "`Counter()` is a Module with a Parameter w, whose extra state is its attribute `count`; as it's loaded, `then` keeps the numbers of w",
    "unpack": "`unpack(m, s)` calls `_load_from_state_dict`, and gives the lists of missing keys, unexpected keys and errors",
    "Half": "`Half(name)` is a Module whose class has only this one of the two methods",
    "old": "`old(m)` is the `__dict__` of m without what its class got in later versions",
    "revived": "`revived(C, s)` makes an object of C without `__init__`, and calls `__setstate__(s)`",
    "slots": "`slots(m)` is the `__dict__` of m",
    "Needy": "`Needy(5)` is a Module whose `__init__` needs an argument",
}  # fmt: skip


def _value_of(text: str, given: Any) -> Any:
    before, last = compiled(text)
    names: dict[str, Any] = {**_WORDS, given.__name__: given, "seen": []}
    used = used_in(before) | used_in(last)
    names |= _world(given, names["seen"])
    if "path" not in used:
        exec(before, names)
        return eval(last, names)
    quick = patch.object(os, "fsync", lambda file: None)  # no need to wait for the disk
    with tempfile.TemporaryDirectory() as folder, quick:
        names["path"] = str(Path(folder, "run.pt"))
        exec(before, names)
        return eval(last, names)


uses = vocabulary(_MEANING, _value_of)


def _world(given: Any, seen: list[Any]) -> dict[str, Any]:
    """Return the names that depend on what is checked."""
    if not isinstance(given, type):
        others = ("save_checkpoint", "load_checkpoint")
        return {n: given.__globals__[n] for n in others if n in given.__globals__}
    if hasattr(given, "step"):
        return {
            "p": _parameter(1.0, -2.0),
            "q": _parameter(3.0),
            "made": lambda *groups: _made(given, groups),
        }
    return {
        "noting": lambda word, then=None: _Noting(seen, word, then),
        "Net": lambda: _net(given),
        "Counter": lambda: _counter(given)(),
        "Half": lambda name: _half(given, name),
        "Needy": _needy(given),
    }


# ---- optimizers


def _parameter(*numbers: float) -> Parameter:
    return Parameter(tensor(list(numbers)).double())


def _made(Optimizer: type, groups: tuple[Any, ...]) -> Any:
    """Return an optimizer of a subclass that counts, and adds up gradients in a tensor that stays the same one."""

    def update(self: Any, p: Any, group: Any, state: Any) -> None:
        state["count"] = state.get("count", 0) + 1
        state["sum"] = state.get("sum", 0) + p.grad.data
        p.data -= group["lr"] * state["sum"]

    kind = type("Counting", (Optimizer,), {"update": update})
    if isinstance(groups[0], list):
        return kind([{"params": g, "lr": (n + 1) / 8} for n, g in enumerate(groups)], speed=3)
    return kind(list(groups), lr=0.5, speed=3)


def _step(optimizer: Any, **grads: float) -> Any:
    """Give Parameters by their place a gradient (`a` is the first), take a step; return the optimizer."""
    params = [p for group in optimizer.param_groups for p in group["params"]]
    for place, p in enumerate(params):
        grad = grads.get("abcdef"[place])
        p.grad = None if grad is None else nbmodule.ones_like(p) * grad
    optimizer.step()
    return optimizer


def _told(optimizer: Any) -> Any:
    """Return the options of each group, and what is known of each Parameter in it."""
    return [
        (
            sorted((k, v) for k, v in group.items() if k != "params"),
            [plain(optimizer.state.get(p, {})) for p in group["params"]],
        )
        for group in optimizer.param_groups
    ]


def plain(value: Any) -> Any:
    """Return values with lists instead of tensors, in an order of their own."""
    if isinstance(value, dict):
        return sorted((str(key), plain(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.tolist() if isinstance(value, nbmodule.Tensor) else value


# ---- runs


class Run:
    """A small training run, which draws random numbers for its data and in its Dropout."""

    def __init__(self, seed: int = 0, names: str = "0123") -> None:
        nbmodule.manual_seed(seed)
        layers = nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 1)
        self.model = nn.Sequential(OrderedDict(zip(names, layers, strict=True)))
        self.optimizer = nbmodule.optim.Adam(self.model.parameters(), lr=0.1)

    def go(self, steps: int) -> list[float]:
        """Take some steps, and return the losses."""
        losses = []
        for _ in range(steps):
            x = nbmodule.rand(5, 3)
            loss = nn.functional.mse_loss(self.model(x), x.sum(1, keepdim=True))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return losses

    @property
    def parts(self) -> tuple[Any, Any]:
        """Return the model and the optimizer."""
        return self.model, self.optimizer

    def grads(self) -> list[bool]:
        """Return for each Parameter whether it has a gradient."""
        return [p.grad is not None for p in self.model.parameters()]

    def numbers(self) -> Any:
        """Return the weights and what the optimizer knows."""
        return plain(dict(self.model.state_dict())), plain(self.optimizer.state_dict())


def _found(path: str) -> Any:
    """Return what is in a file; nothing if it can't be read, since the error would name the folder of the day."""
    read = attempt(lambda: nbmodule.load(path))
    return {} if read.error else read.value


# ---- hooks and states


class _Noting:
    """A hook that appends its word and its arguments to `seen`; it can be copied."""

    def __init__(self, seen: list[Any], word: str, then: Any = None) -> None:
        self.seen, self.word, self.then = seen, word, then

    def __deepcopy__(self, memo: Any) -> _Noting:
        return self

    def __call__(self, *args: Any) -> None:
        self.seen.append([self.word, *(_argument(item) for item in args)])
        if self.then is not None:
            self.then(*args)


def _argument(item: Any) -> Any:
    """Return an argument in plain words: of a Module its attribute `name`."""
    if "_modules" in slots_of(item):
        return f"Module {slots_of(item).get('name', '?')}"
    if isinstance(item, dict):
        return sorted(map(str, item))
    return [sorted(part) for part in item] if isinstance(item, tuple) else item


def _net(Module: type) -> Any:
    net, fc = Module(), Module()
    net.w, fc.w = Parameter(tensor([1.0])), Parameter(tensor([2.0]))
    net.fc = fc
    net.name, fc.name = "net", "fc"
    return net


def _load(hook: Any, state: dict[str, Any], version: Any = None) -> Any:
    """Call a load pre-hook for a Module whose path is 'a', and show what became of the state."""
    found = OrderedDict(state)
    noted = {"assign_to_params_buffers": False} | ({} if version is None else {"version": version})
    lists = [], [], []
    result = hook(nn.Module(), found, "a.", noted, True, *lists)
    return sorted(show(found)), list(lists), result


def _counter(Module: type) -> type:
    """Return a class of Modules whose extra state is a number."""

    def __init__(self: Any) -> None:
        Module.__init__(self)
        self.w = Parameter(tensor([1.0]))
        self.__dict__["count"] = 0

    def get_extra_state(self: Any) -> Any:
        return {"count": self.count}

    def set_extra_state(self: Any, state: Any) -> None:
        self.__dict__.update(count=state["count"], then=self.w.tolist())

    own = {"__init__": __init__, "get_extra_state": get_extra_state, "set_extra_state": set_extra_state}  # fmt: skip
    return type("Counter", (Module,), own)


def _half(Module: type, name: str) -> Any:
    """Return a Module whose class has only one of the two methods."""
    if name == "get_extra_state":
        return type("Half", (Module,), {name: lambda self: 5})()
    return type("Half", (Module,), {name: lambda self, state: self.__dict__.update(got=state)})()


def _unpack(module: Any, state: Any, prefix: str = "", strict: bool = True) -> Any:
    missing, unexpected, errors = [], [], []
    module._load_from_state_dict(state, prefix, {}, strict, missing, unexpected, errors)
    return missing, sorted(unexpected), len(errors)


_LATER = ("_forward_pre_hooks", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
          "_load_state_dict_post_hooks", "_non_persistent_buffers_set", "_is_full_backward_hook")  # fmt: skip


def _needy(Module: type) -> type:
    """Return a subclass whose `__init__` needs an argument."""

    def __init__(self: Any, size: int) -> None:
        Module.__init__(self)
        self.size = size

    return type("Needy", (Module,), {"__init__": __init__})


def _old(module: Any) -> dict[str, Any]:
    """Return what `__getstate__` would have given before the class had these slots."""
    return {name: value for name, value in slots_of(module).items() if name not in _LATER}


def _revived(kind: type, state: dict[str, Any]) -> Any:
    """Return a new object of a class that was made without `__init__`, from its state."""
    module: Any = object.__new__(kind)
    module.__setstate__(state)
    return module


_WORDS = {
    "Run": Run, "step": _step, "told": _told, "plain": plain, "load": _load, "unpack": _unpack, "tensor": tensor,
    "Parameter": Parameter, "nbmodule": nbmodule, "show": show, "old": _old, "revived": _revived, "copy": copy,
    "OrderedDict": OrderedDict, "slots": slots_of, "found": _found,
    "tried": tried,
}  # fmt: skip
