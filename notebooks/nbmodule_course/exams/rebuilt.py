"""Our layers, rebuilt on the reader's Module in a process of its own: ours is emptied, so that nothing of it can run."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings
from collections.abc import Mapping
from hashlib import blake2b
from types import FunctionType
from typing import Any

import nbmodule
from nbmodule import nn

from ..mine.again import SecondCopy
from ..referee.slips import of_module
from .module_row import Row
from .questions import REFUSED

SPELLINGS = """\
def _get_name(self):
    return type(self).__name__

def _register_load_state_dict_pre_hook(self, hook, with_module=False):
    def with_the_module(module, *rest):
        return hook(module, *rest) if with_module else hook(*rest)

    return self.register_load_state_dict_pre_hook(with_the_module)
"""
"""Two private names that PyTorch's layers call and no chapter asks for, in the words of the reader's own methods."""
_KEPT = {"__dict__", "__weakref__", "__module__", "__doc__", "__annotations__"}


def rebuild(own: type) -> None:
    """Put layers that inherit from `own` in the place of all of `nn`'s; our Module has no methods afterwards."""

    def instead(ours: type, file: object) -> type:
        _empty(ours)
        return own

    spellings: dict[str, Any] = {}
    exec(SPELLINGS, spellings)
    for name in ("_get_name", "_register_load_state_dict_pre_hook"):
        if not hasattr(own, name):
            setattr(own, name, spellings[name])
    ours = nn.Module
    SecondCopy(instead).stay()
    _empty(ours)
    _close()


def _empty(module: type) -> None:
    for name in set(vars(module)) - _KEPT:
        delattr(module, name)


def _close() -> None:
    """Take the code out of every method of a finished Module, even one that the file has put aside."""
    for each in gc.get_objects():
        if type(each) is FunctionType and of_module(each.__code__):
            code, name = _closed.__code__, each.__code__.co_name
            each.__code__ = code.replace(co_name=name, co_freevars=each.__code__.co_freevars)


def _closed(*args: Any, **kwargs: Any) -> None:
    import sys  # its globals are those of the method whose place it takes

    name = sys._getframe().f_code.co_name
    raise RuntimeError(f"this is the `{name}` of a finished Module, and the exam asks for yours")


def names_for(row: Row) -> dict[str, Any]:
    """Return what the checks ask for by name, for one row.

    `make()` returns the layer, `run(layer)` what it computes from the row's inputs, and `backward(outputs)` fills the
    gradients; all draw the same random numbers each time. `bits` says what is in a tensor, to the last bit.
    """
    names: dict[str, Any] = {"copy": copy, "pickle": pickle}
    exec(REFUSED, names)

    def make(seed: int = 0) -> Any:
        nbmodule.manual_seed(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return row.make(nbmodule)

    def run(layer: Any) -> tuple:
        nbmodule.manual_seed(1)
        inputs = [
            x(nbmodule) if callable(x) else nbmodule.tensor(x, requires_grad=True)
            for x in row.arrays("f4")
        ]
        return row.run(layer, inputs)

    ours = {"ones": nbmodule.ones, "no_grad": nbmodule.no_grad}
    return {**names, **ours, "make": make, "run": run, "backward": backward, "bits": bits}


def backward(outputs: tuple) -> None:
    """Go back from a sum of the outputs in which no number counts as much as another."""
    total = nbmodule.zeros(())
    for out in outputs:
        if out.requires_grad:
            weights = nbmodule.arange(1, out.numel() + 1, dtype=out.dtype) / out.numel()
            total = total + (out * weights.reshape(out.shape)).sum()
    if total.requires_grad:
        total.backward()


def bits(value: Any) -> Any:
    """Return a text for each tensor in `value`: two are the same if every bit is."""
    if isinstance(value, nbmodule.Tensor):
        if type(value).__name__.startswith("Uninitialized"):
            return "no shape yet"
        array = value.detach().numpy()
        first = ", ".join(f"{number:.4g}" for number in array.ravel()[:2].tolist())
        mark = blake2b(array.tobytes(), digest_size=4).hexdigest()
        return f"{array.dtype}{list(array.shape)}: {first} … {mark}"
    if isinstance(value, Mapping):
        return {key: bits(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [bits(each) for each in value]
    return value if value is None or isinstance(value, int | float | str) else type(value).__name__
