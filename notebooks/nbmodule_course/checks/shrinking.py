"""What the checks of chapter 21 use: a layer with known numbers, and lines about what becomes of it."""

from __future__ import annotations

import copy
import gc
from types import FunctionType, ModuleType
from typing import Any

import nbmodule
from nbmodule import nn, tensor
from nbmodule.nn import Parameter

from .lines import compiled, tried, vocabulary

_MEANING = {
    "m": "`m` is a Linear(3, 2) with the weight [[1, -2, 3], [-4, 5, 6]] and the bias [7.25, 8]",
    "mask": "`mask` is [[1, 0, 1], [0, 1, 1]]",
    "x": "`x` is [[1, 2, 3]]",
    "pruned": "`pruned(m)` is `m` with that mask on its weight, and `pruned(m, 'bias')` has the mask [1, 0] on its bias, each by your `Masking`",
    "names": "`names` lists the Parameters, the buffers, and the other attributes that a Linear doesn't have",
    "sgd": "`sgd(m)` takes one step on the sum of the outputs, with lr=1",
    "double": "`double` multiplies by 2, and `square` takes the square",
    "square": "`double` multiplies by 2, and `square` takes the square",
    "linear": "`linear(rows, bias)` is a Linear with these weights",
    "floats": "`floats` lists the shapes of the float tensors that it holds, however deep inside",
    "tried": "`tried` names the exception",
}


def _value_of(text: str, given: Any) -> Any:
    before, last = compiled(text)
    theirs = getattr(given, "__globals__", {})  # of a function: what stands beside it
    names = {
        **_WORDS, given.__name__: given, "m": linear([[1, -2, 3], [-4, 5, 6]], [7.25, 8]),
        "mask": tensor([[1, 0, 1], [0, 1, 1]]), "x": tensor([[1.0, 2.0, 3.0]]),
        "pruned": lambda m, name="weight": _pruned(theirs["Masking"], m, name),
    }  # fmt: skip
    exec(before, names)
    return eval(last, names)


uses = vocabulary(_MEANING, _value_of)


def linear(rows: list[Any], bias: list[Any] | None = None) -> Any:
    """Return a Linear with these numbers, of a class that nobody else has: an answer may change it."""
    Linear = type("Linear", (nn.Linear,), {})
    layer = Linear(len(rows[0]), len(rows), bias is not None)
    layer.weight.data = tensor(rows).float()
    if bias is not None:
        layer.bias.data = tensor(bias).float()
    return layer


def _pruned(Masking: Any, module: Any, name: str) -> Any:
    """Prune as 21.1 asks for, step by step: a mistake there isn't one here."""
    original = module._parameters.pop(name)
    mask = tensor([[1, 0, 1], [0, 1, 1]]) if name == "weight" else tensor([1, 0])
    module.register_parameter(f"{name}_orig", original)
    module.register_buffer(f"{name}_mask", mask.float())
    setattr(module, name, original * mask)
    module.register_forward_pre_hook(Masking(name))
    return module


def _names(module: Any) -> Any:
    others = sorted(set(vars(module)) - set(vars(nn.Linear(1, 1))))
    return sorted(module._parameters), sorted(module._buffers), others


def _floats(module: Any) -> Any:
    """Follow everything that an object holds, but not into classes and functions: the world hangs on those."""
    known, open_, shapes = set(), [vars(module)], set()
    while open_:
        item = open_.pop()
        if id(item) in known or isinstance(item, type | ModuleType | FunctionType):
            continue
        known.add(id(item))
        if isinstance(item, nbmodule.Tensor):
            shapes |= {tuple(item.shape)} if item.is_floating_point() else set()
        open_ += gc.get_referents(item)
    return sorted(shapes)


def _sgd(module: Any) -> Any:
    """Take a step, and return the module."""
    module.zero_grad()
    module(tensor([[1.0, 2.0, 3.0]])).sum().backward()
    for p in module.parameters():
        p.data -= 0 if p.grad is None else p.grad
    return module


_WORDS = {
    "nbmodule": nbmodule, "nn": nn, "tensor": tensor, "Parameter": Parameter, "copy": copy, "linear": linear,
    "names": _names, "floats": _floats, "sgd": _sgd, "double": lambda w: 2 * w, "square": lambda w: w * w,
    "tried": tried,
}  # fmt: skip
