"""The random generators and switches that a pass through a model may move, and how they are put back."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nbmodule_widgets.protocol import attempt, class_attribute, own_dict

Undo = Callable[[], Any]


class RandomState(NamedTuple):
    """Where a random generator stood.

    Attributes:
        value: Its state, in the words of its library.
        put: Sets a state.
    """

    value: Any
    put: Callable[[Any], Any]

    def put_back(self) -> None:
        """Lets the generator go on from there."""
        self.put(self.value)


def random_states() -> list[RandomState]:
    """Where every global generator stands: Python's, NumPy's, and those of loaded libraries, their GPUs' included.

    A library is recognised by its `get_rng_state` and `set_rng_state`, the names that PyTorch gave them.
    """
    states = [
        RandomState(random.getstate(), random.setstate),
        RandomState(np.random.get_state(), np.random.set_state),  # noqa: NPY002 - the reader may use it
    ]
    for library in _libraries("get_rng_state", "set_rng_state"):
        states += _state(library.get_rng_state, library.set_rng_state)
        gpu: Any = own_dict(library).get("cuda")
        named = {"is_initialized", "get_rng_state_all", "set_rng_state_all"} <= own_dict(gpu).keys()
        if (
            named and attempt(gpu.is_initialized).value is True
        ):  # to ask it anything else would start it
            states += _state(gpu.get_rng_state_all, gpu.set_rng_state_all)
    return states


def drawn_between(before: list[RandomState], after: list[RandomState]) -> bool:
    """Whether random numbers were drawn between two calls of `random_states`.

    Args:
        before: What the first one returned.
        after: What the second one did.
    """
    return any(not _same(a.value, b.value) for a, b in zip(before, after, strict=False))


def _same(one: Any, other: Any) -> bool:
    """Whether two states are equal: tuples of numbers and arrays, or tensors of bytes."""
    if type(one) in (tuple, list) and type(other) in (tuple, list):
        if one and type(one[0]) is int:
            return one == other
        return len(one) == len(other) and all(map(_same, one, other))
    if type(one) in (int, float, str, type(None)):
        return one == other
    return attempt(lambda: np.array_equal(np.asarray(one), np.asarray(other))).value is not False


def global_generators() -> list[Undo]:
    """Remembers every global generator; returns functions that put them back."""
    return [state.put_back for state in random_states()]


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
    elif issubclass(kind, np.random.RandomState):
        _remember(obj.get_state, obj.set_state, undo)
    elif issubclass(kind, np.random.Generator):
        bits: Any = obj.bit_generator
        _remember(lambda: bits.state, lambda state: setattr(bits, "state", state), undo)
    elif class_attribute(obj, "manual_seed") is not None and class_attribute(obj, "set_state"):
        _remember(obj.get_state, obj.set_state, undo)
    return undo


def _state(get: Callable[[], Any], put: Callable[[Any], Any]) -> list[RandomState]:
    found = attempt(get)
    return [] if found.problem else [RandomState(found.value, put)]


def _remember(get: Callable[[], Any], put: Callable[[Any], Any], undo: list[Undo]) -> None:
    undo += [state.put_back for state in _state(get, put)]


# By the names that are looked for: how many packages were loaded then, and which of them have all of these.
_FOUND: dict[tuple[str, ...], tuple[int, list[str]]] = {}


def _libraries(*names: str) -> list[Any]:
    """The loaded packages that define all of these names at their top level."""
    loaded, found = _FOUND.get(names, (-1, []))
    if loaded != len(sys.modules):
        every = [(name, lib) for name, lib in list(sys.modules.items()) if "." not in name]
        found = [name for name, lib in every if set(names) <= own_dict(lib).keys()]
        _FOUND[names] = len(sys.modules), found
    return [sys.modules[name] for name in found if name in sys.modules]
