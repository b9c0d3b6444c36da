"""What a forward takes and gives: its numbers, copies of it, and how far two are apart."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.tensors import as_float64, refuse_freed, values
from nbmodule_widgets.protocol import (
    attempt,
    class_attribute,
    has_drawers,
    has_own_dict,
    is_exactly,
    may_be_module,
    own_dict,
    read,
)

NUMBERS = 2**14  # of one tensor that are compared; of larger ones every n-th
_MOST_ATTRIBUTES = 64  # of an object that is copied with what it holds
_ROUNDING = 1e-4  # of the largest value: two ways to add up the same numbers are not further apart


class Look(NamedTuple):
    """The numbers of one tensor, as they were.

    Attributes:
        name: Where in the nest it was.
        shape: Its shape.
        numbers: A flat copy of them, every `step`-th.
        step: 1 if these are all.
    """

    name: str
    shape: tuple[int, ...]
    numbers: np.ndarray
    step: int


def look(nest: object) -> tuple[Look, ...]:
    """Copies of the numbers of all tensors in a nest; what cannot be read is left out."""
    found = []
    for name, tensor in tensors_in(nest):
        said, step = values(tensor, NUMBERS)
        shape = attempt(lambda tensor=tensor: tuple(int(n) for n in tensor.shape))
        if not said.problem and not shape.problem:
            found.append(Look(name, shape.value, np.array(said.value), step))
    return tuple(found)


def copied(nest: Any, wants_grad: bool = False) -> Any:
    """The nest with its tensors copied, so that nothing done to the copy reaches the original.

    Args:
        nest: What `forward` is given.
        wants_grad: Whether copies of tensors that require a gradient require one too.
    """
    return rebuilt(nest, lambda tensor: _copy_of(tensor, wants_grad))


def rebuilt(
    nest: Any, change: Callable[[Any], Any], depth: int = 0, known: dict[int, Any] | None = None
) -> Any:
    """The nest with each of its tensors changed; other objects stay themselves.

    Args:
        nest: What `forward` is given.
        change: Makes a tensor of a tensor.
        depth: How deep in the nest this is.
        known: What was made of the objects that were met already, by their `id`.
    """
    if is_tensor(nest):
        return change(nest)
    if depth > 8:
        return nest
    known = {} if known is None else known
    if is_exactly(nest, list, tuple):
        return type(nest)(rebuilt(item, change, depth + 1, known) for item in nest)
    if is_exactly(nest, dict):
        return {key: rebuilt(item, change, depth + 1, known) for key, item in nest.items()}
    if issubclass(type(nest), tuple) and class_attribute(nest, "_fields") is not None:
        items = [rebuilt(item, change, depth + 1, known) for item in tuple.__iter__(nest)]
        made = attempt(lambda: type(nest)(*items))
        return nest if made.problem else made.value
    if issubclass(type(nest), dict) or class_attribute(nest, "__dataclass_fields__") is not None:
        said = attempt(_rebuilt_like, nest, change, depth, known)
        return nest if said.problem else said.value
    if _holds_state(nest):  # such as a cache of keys and values, to which each pass adds
        if id(nest) not in known:
            made = known[id(nest)] = object.__new__(type(nest))
            for name, value in list(own_dict(nest).items()):
                own_dict(made)[name] = rebuilt(value, change, depth + 1, known)
        return known[id(nest)]
    return nest


def _holds_state(obj: Any) -> bool:
    """Whether it is an object written in Python with a few attributes, and no Module, class or function."""
    kind = type(obj)
    plain = has_own_dict(obj) and kind.__new__ is object.__new__ and not has_drawers(obj)
    return plain and may_be_module(obj) and len(own_dict(obj)) <= _MOST_ATTRIBUTES


def _rebuilt_like(
    nest: Any, change: Callable[[Any], Any], depth: int, known: dict[int, Any]
) -> Any:
    """A dict of a class of its own, or a dataclass: a shallow copy, with other entries."""
    made = copy(nest)
    inside = made if issubclass(type(made), dict) else own_dict(made)
    for key, item in list(dict.items(inside)):
        dict.__setitem__(inside, key, rebuilt(item, change, depth + 1, known))
    return made


def _copy_of(tensor: Any, wants_grad: bool) -> Any:
    if issubclass(type(tensor), np.ndarray):
        return tensor.copy()
    if class_attribute(tensor, "detach") is None or class_attribute(tensor, "clone") is None:
        return tensor
    made = attempt(_cloned, tensor)
    if made.problem:
        return tensor
    if wants_grad and read(tensor, "requires_grad").value is True:
        attempt(made.value.requires_grad_)
    return made.value


def _cloned(tensor: Any) -> Any:
    refuse_freed(tensor)
    return tensor.detach().clone()


def detached(nest: Any) -> Any:
    """The nest with its tensors outside of any graph, but in the same memory."""
    return rebuilt(nest, lambda tensor: attempt(lambda: tensor.detach()).value)


def versions_in(nest: object) -> list[int | None]:
    """How often each tensor was written to; None where nobody counts."""
    found = [read(tensor, "_version").value for _, tensor in tensors_in(nest)]
    return [version if type(version) is int else None for version in found]


class Distance(NamedTuple):
    """How far two nests are apart.

    Attributes:
        equal: Whether they are the same bit for bit (NaN equals NaN).
        rounding: Whether they are the same up to rounding.
        mean: Mean of the absolute differences, NaN if shapes differ.
        most: The largest.
        size: Mean of the absolute values of the second.
    """

    equal: bool
    rounding: bool
    mean: float
    most: float
    size: float


NOTHING = Distance(True, True, 0.0, 0.0, 0.0)
APART = Distance(False, False, float("nan"), float("nan"), float("nan"))


def distance(one: tuple[Look, ...], other: tuple[Look, ...]) -> Distance:
    """How far two looks are apart, over all their tensors."""
    if [(a.name, a.shape) for a in one] != [(b.name, b.shape) for b in other]:
        return APART
    if all(_equal(a.numbers, b.numbers) for a, b in zip(one, other, strict=True)):
        return NOTHING
    gaps, sizes, most, largest, apart = [], [], 0.0, 0.0, False
    with np.errstate(all="ignore"):
        for a, b in zip(one, other, strict=True):
            first, second = as_float64(a.numbers), as_float64(b.numbers)
            gap = np.abs(first - second)
            gap[(first == second) | (np.isnan(first) & np.isnan(second))] = 0
            if gap.size:
                gaps.append(gap)
                sizes.append(np.abs(second))
                apart = apart or bool(np.isnan(gap).any())  # NaN in one only is no rounding
                finite = sizes[-1][np.isfinite(sizes[-1])]  # an infinite one would allow any gap
                most, largest = max(most, float(gap.max())), max(largest, float(finite.max(initial=0)))  # fmt: skip
        mean, size = (float(np.concatenate(parts).mean()) for parts in (gaps, sizes))
    rounding = not apart and most <= _ROUNDING * max(largest, 1e-30)
    return Distance(False, rounding, mean, most, size)


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype != b.dtype:
        return False
    if a.tobytes() == b.tobytes():  # the same bits: quicker for small ones
        return True
    return bool(((a == b) | ((a != a) & (b != b))).all())
