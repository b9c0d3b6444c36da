"""What the checks of chapter 20 use: small networks, what they are made of, and what moves in them."""

from __future__ import annotations

import copy
from functools import lru_cache
from itertools import chain
from types import SimpleNamespace
from typing import Any

import numpy as np

import nbmodule
from nbmodule import nn, tensor

from ..mine.carried import carried_by
from ..referee.world import slots_of
from .lines import compiled, tried, used_in, vocabulary

_MEANING = {
    "layers": "`layers` has the layers of the library, on your Module",
    "filled": "`filled` puts small whole numbers into each Parameter",
    "told": "`told` lists its sizes, and dtype, `requires_grad` and numbers of its Parameters",
    "parts": "`parts` lists every Module in it with its path",
    "spread": "`spread` gives the mean and the standard deviation",
    "net": "`net` is a Sequential of Linear(2, 4), BatchNorm1d(4), Dropout and Linear(4, 3)",
    "deep": "`deep` is a Module with `body`, a Sequential of two such nets, and `head`, a Linear",
    "seen": "`seen` tells how many batches each norm has counted",
    "learns": "`learns` tells for each Parameter whether it requires a gradient",
    "modes": "`modes` lists the modes that occur in it",
    "steady": "`steady` tells whether two calls give the same numbers",
    "plain": "`plain` is a layer with `in_features` and `out_features` that isn't a Linear",
    "eyes": "`eyes` has a convolution, a norm and a Dropout in its first child, and a Linear at its end",
    "pictures": "`pictures` are six pictures of 3 x 3 pixels",
    "hooks": "`hooks` counts the forward hooks in it",
    "tried": "`tried` names the exception",
}


def _value_of(text: str, given: Any) -> Any:
    before, last = compiled(text)
    names = {**getattr(given, "__globals__", {}), **_WORDS, given.__name__: given}
    if isinstance(given, type):  # the functions of the exercise are beside it
        beside = getattr(given.__init__, "__globals__", {})
        names["initialize"] = beside.get("initialize")
        names["layers"] = carried_by(given) or layers_on(given.__mro__[1])
    used = used_in(before) | used_in(last)
    names |= {name: make() for name, make in _MADE.items() if name in used}
    with nbmodule.enable_grad():  # whatever the reader's function leaves behind
        exec(before, names)
        return eval(last, names)


uses = vocabulary(_MEANING, _value_of)

_X = tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.0]])
_PICTURES = tensor(np.random.default_rng(3).permutation(54).reshape(6, 1, 3, 3) / 8.0 - 3).float()


@lru_cache(maxsize=2)
def layers_on(Module: type) -> Any:
    """Return the library's layers as Modules of this class, which its `__setattr__` takes in."""
    names = ("Sequential", "Conv2d", "BatchNorm2d", "ReLU", "MaxPool2d", "AdaptiveAvgPool2d", "Linear", "Flatten", "Identity")  # fmt: skip
    return SimpleNamespace(**{name: type(name, (getattr(nn, name), Module), {}) for name in names})


def _filled(module: Any) -> Any:
    """Return the module with small whole numbers in each Parameter, without a pattern."""
    with nbmodule.no_grad():
        for salt, param in enumerate(_parameters(module)):
            count = np.arange(1, param.numel() + 1)
            values = (count * count * 3 + count * (salt + 2)) % 7 - 3.0
            param.copy_(tensor(values.reshape(tuple(param.shape))))
    return module


def _modules(module: Any, path: str = "") -> list[tuple[str, Any]]:
    """Return a Module and everything in it with its path, whatever class it stands on."""
    children = [(name, child) for name, child in slots_of(module)["_modules"].items() if child is not None]  # fmt: skip
    inner = [_modules(child, f"{path}.{name}" if path else name) for name, child in children]
    return [(path, module), *chain.from_iterable(inner)]


def _parameters(module: Any) -> list[Any]:
    drawers = [slots_of(part)["_parameters"].values() for _, part in _modules(module)]
    return [param for drawer in drawers for param in drawer if param is not None]


def _parts(module: Any) -> list[str]:
    """Return a line for each Module that has no children: path, class, and the shapes of its Parameters."""
    lines = []
    for path, part in _modules(module):
        shapes = [tuple(param.shape) for param in _parameters(part)]
        if len(_modules(part)) == 1:
            lines.append(f"{path}: {type(part).__name__} {shapes}")
    return lines


def _own(*kinds: type) -> list[type]:
    """Return a new class for each of these: what an answer does to a class is gone with the object."""
    return [type(kind.__name__, (kind,), {}) for kind in kinds]


def _net() -> Any:
    nbmodule.manual_seed(0)
    Sequential, Linear, BatchNorm1d, Dropout = _own(nn.Sequential, nn.Linear, nn.BatchNorm1d, nn.Dropout)  # fmt: skip
    return Sequential(Linear(2, 4), BatchNorm1d(4), Dropout(0.5), Linear(4, 3))


class _Plain(nn.Module):
    """A head that isn't a Linear."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, **options: Any) -> None:  # fmt: skip
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = nn.Parameter(nbmodule.zeros(out_features, in_features, **options))
        self.register_parameter("bias", nn.Parameter(nbmodule.zeros(out_features, **options)) if bias else None)  # fmt: skip


class _Deep(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        Sequential, Linear = _own(nn.Sequential, nn.Linear)
        self.body = Sequential(_net(), Sequential(Linear(3, 2), _net()))
        self.head = Linear(3, 5, bias=False)

    def forward(self, x: Any) -> Any:
        return self.head(self.body(x))


def _eyes() -> Any:
    """Return a small network on pictures; no two of its peaks are equal."""
    nbmodule.manual_seed(1)
    conv = nn.Conv2d(1, 4, 2)
    return nn.Sequential(nn.Sequential(conv, nn.BatchNorm2d(4), nn.Dropout(0.5)), nn.Flatten(), nn.Linear(16, 2)).train()  # fmt: skip


def _told(layer: Any) -> Any:
    """Return what a Linear is, and what it computes for the first few inputs."""
    params = slots_of(layer)["_parameters"]
    sizes = layer.in_features, layer.out_features
    kinds = [(str(p.dtype), p.requires_grad, p.is_leaf) for p in params.values() if p is not None]
    return sizes, kinds, [p.tolist() for p in params.values() if p is not None]


def _spread(values: Any) -> tuple[float, float]:
    return round(values.mean().item(), 1), round(values.std().item(), 1)


def _seen(module: Any) -> list[int]:
    drawers = [slots_of(part)["_buffers"] for _, part in _modules(module)]
    return [drawer["num_batches_tracked"].item() for drawer in drawers if "num_batches_tracked" in drawer]  # fmt: skip


def _modes(module: Any) -> list[bool]:
    return sorted({part.training for _, part in _modules(module)})


def _steady(module: Any, x: Any) -> bool:
    return module(x).tolist() == module(x).tolist()


_MADE = {
    "net": _net,
    "deep": lambda: _own(_Deep)[0](),
    "eyes": _eyes,
    "pictures": _PICTURES.clone,
    "x": _X.clone,
}
_WORDS: dict[str, Any] = {
    "nn": nn, "nbmodule": nbmodule, "tensor": tensor, "copy": copy, "filled": _filled, "told": _told, "parts": _parts, "spread": _spread,
    "seen": _seen, "modes": _modes, "steady": _steady, "plain": _Plain,
    "learns": lambda module: [param.requires_grad for param in _parameters(module)],
    "hooks": lambda module: sum(len(slots_of(part)["_forward_hooks"]) + len(slots_of(part)["_forward_pre_hooks"]) for _, part in _modules(module)),
    "tried": tried,
}  # fmt: skip
