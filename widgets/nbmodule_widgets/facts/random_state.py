"""The random generators and switches that a pass through a model may move, and how they are put back."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.protocol import attempt, class_attribute, own_dict

Undo = Callable[[], Any]


def global_generators() -> list[Undo]:
    """Remembers every global generator: Python's, NumPy's, and those of loaded libraries, their GPUs' included.

    A library is recognised by its `get_rng_state` and `set_rng_state`, the names that PyTorch gave them.

    Returns:
        Functions that put them back.
    """
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002 - the reader may use it
    undo: list[Undo] = [
        lambda: random.setstate(python),
        lambda: np.random.set_state(numpy),  # noqa: NPY002
    ]
    for library in _libraries("get_rng_state", "set_rng_state"):
        _remember(library.get_rng_state, library.set_rng_state, undo)
        gpu: Any = own_dict(library).get("cuda")
        named = {"is_initialized", "get_rng_state_all", "set_rng_state_all"} <= own_dict(gpu).keys()
        if named and attempt(gpu.is_initialized).value is True:
            _remember(gpu.get_rng_state_all, gpu.set_rng_state_all, undo)
    return undo


@contextlib.contextmanager
def generators_kept() -> Iterator[None]:
    """A block after which every global random generator is where it was."""
    undo = global_generators()
    try:
        yield
    finally:
        for put_back in undo:
            attempt(put_back)


def gradient_modes() -> list[Undo]:
    """Remembers for every loaded library whether it records operations; returns what puts that back."""
    undo: list[Undo] = []
    for library in _libraries("is_grad_enabled", "set_grad_enabled"):
        _remember(library.is_grad_enabled, library.set_grad_enabled, undo)
    return undo


def generator_of(obj: Any) -> list[Undo]:
    """Remembers the state of a generator that somebody holds: Python's, NumPy's or a library's.

    Args:
        obj: Anything.

    Returns:
        A function that puts it back, or nothing if it is no generator.
    """
    undo: list[Undo] = []
    kind = type(obj)
    if issubclass(kind, random.Random):
        _remember(obj.getstate, obj.setstate, undo)
    elif issubclass(kind, np.random.Generator):
        bits: Any = obj.bit_generator
        _remember(lambda: bits.state, lambda state: setattr(bits, "state", state), undo)
    elif class_attribute(obj, "manual_seed") is not None and class_attribute(obj, "set_state"):
        _remember(obj.get_state, obj.set_state, undo)
    return undo


def _remember(get: Callable[[], Any], put: Callable[[Any], Any], undo: list[Undo]) -> None:
    found = attempt(get)
    if not found.problem:
        undo.append(lambda: put(found.value))


def _libraries(*names: str) -> list[Any]:
    """The loaded packages that define all of these names at their top level."""
    loaded = list(sys.modules.items())
    return [lib for name, lib in loaded if "." not in name and set(names) <= own_dict(lib).keys()]
