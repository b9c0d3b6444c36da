"""Reading the numbers of a tensor as they lie in its dimensions, whichever library made it."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from nbmodule_widgets.facts.tensors import is_possible, refuse_freed
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    Outcome,
    attempt,
    class_attribute,
    class_name,
    read,
    said_as_text,
)

Pick = tuple[int | slice, ...]

_NOT_IN_NUMPY = ("bfloat16", "float8")  # types of numbers that become float32 on the way
_NUMBERS = "biufc"  # NumPy's letters for truth values, whole, real and complex numbers
_MOST_DIMENSIONS = 64


def shape_of(tensor: object) -> tuple[int, ...] | None:
    """The shape as Python numbers, or None if the object has none that can be read."""
    said = read(tensor, "shape")
    if said.problem or said.value is None:
        return None
    found = attempt(lambda: tuple(int(n) for n, _ in zip(said.value, range(_MOST_DIMENSIONS))))  # noqa: B905
    return found.value if not found.problem and is_possible(found.value) else None


def part(tensor: object, pick: Pick = ()) -> Outcome:
    """A part of a tensor as a NumPy array of real numbers; complex ones by their size.

    Args:
        tensor: A tensor of any library, on any device, dense or sparse.
        pick: What would stand between the brackets. It is applied before anything is copied or
            converted, so that a slice of a huge tensor is cheap.

    Returns:
        The array, which may share memory with the tensor, or why there is none.
    """
    if said_as_text(tensor, "device").startswith("meta"):
        return Outcome(None, "it is on the meta device: it has a shape, but no numbers")
    found = attempt(_part, tensor, pick)
    return Outcome(None, visible(found.problem)) if found.problem else found


def thinned(tensor: object, most: int) -> tuple[Outcome, tuple[int, ...]]:
    """An evenly spaced part of a tensor that keeps its dimensions.

    Args:
        tensor: A tensor of any library.
        most: Numbers that the part may hold, at least 1.

    Returns:
        The array (or why there is none), and for each dimension the n of "every n-th". These are odd,
        so that they do not beat in time with heads and channels, whose numbers are powers of two.
    """
    shape = shape_of(tensor) or ()
    steps = [1] * len(shape)
    while prod(-(-n // step) for n, step in zip(shape, steps, strict=True)) > most:
        longest = max(range(len(shape)), key=lambda axis: -(-shape[axis] // steps[axis]))
        steps[longest] += 2 * max(1, steps[longest] // 8)  # a shape may claim 2**62 rows
    return part(tensor, tuple(slice(None, None, step) for step in steps)), tuple(steps)


def _part(tensor: Any, pick: Pick) -> np.ndarray:
    if not issubclass(type(tensor), np.ndarray):
        tensor = _numpy(tensor, pick)
        pick = () if type(tensor) is _Picked else pick
    array = np.asarray(tensor)[pick]
    if array.dtype.kind not in _NUMBERS:
        raise TypeError(f"its values are not numbers but {class_name(tensor)}")
    return np.abs(array) if array.dtype.kind == "c" else array


class _Picked(np.ndarray):
    """Marks an array of which the wanted part has been taken already."""


def _numpy(tensor: Any, pick: Pick) -> np.ndarray:
    source = tensor.detach() if _can(tensor, "detach") else tensor
    refuse_freed(source)
    if "sparse" in str(getattr(source, "layout", "")):
        source = source.to_dense()
    away = "cpu" not in str(getattr(source, "device", "cpu")).lower() and _can(source, "cpu")
    foreign = _can(source, "float") and any(kind in str(source.dtype) for kind in _NOT_IN_NUMPY)
    if away or foreign:  # cut out there, so that little has to travel
        source = source[pick]
        source = source.cpu() if away else source
        source = source.float() if foreign else source
        return np.asarray(source.numpy()).view(_Picked)
    # `numpy()` of PyTorch forbids the storage ever to be resized again: a change made by looking.
    shared = attempt(np.from_dlpack, source) if _can(source, "__dlpack__") else None
    if shared is not None and not shared.problem:
        return shared.value
    return np.asarray(source.numpy() if _can(source, "numpy") else source)


def _can(obj: object, method: str) -> bool:
    """Whether the object really has the method (a `__getattr__` may answer to any name)."""
    return class_attribute(obj, method) is not None
