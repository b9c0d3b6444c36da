"""`layout` and `memory_format`: the words that PyTorch has for how elements lie in memory.

Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.memory_format
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class _Word:
    """One of a closed set of words; there is one object for each."""

    __slots__ = ("_name",)

    _name: str

    def __new__(cls, *args: Any) -> Any:
        """Refuse: the words that there are stand in this file."""
        raise TypeError(f"cannot create 'nbmodule.{cls.__name__}' instances")

    def __repr__(self) -> str:
        return f"nbmodule.{self._name}"

    def __reduce__(self) -> tuple:
        return _named, (self._name,)


class layout(_Word):  # PyTorch spells this class in lower case
    """How the elements of a tensor are stored; here always `strided`."""

    __slots__ = ()
    __module__ = "nbmodule"


class memory_format(_Word):  # PyTorch spells this class in lower case
    """In which order the elements of a tensor lie in memory."""

    __slots__ = ()
    __module__ = "nbmodule"


def _make(kind: type, name: str) -> Any:
    word = object.__new__(kind)
    word._name = name
    return word


strided: layout = _make(layout, "strided")
contiguous_format: memory_format = _make(memory_format, "contiguous_format")
preserve_format: memory_format = _make(memory_format, "preserve_format")
channels_last: memory_format = _make(memory_format, "channels_last")
channels_last_3d: memory_format = _make(memory_format, "channels_last_3d")

_words = {
    w._name: w
    for w in (strided, contiguous_format, preserve_format, channels_last, channels_last_3d)
}
RANKS = {channels_last: 4, channels_last_3d: 5}
"""How many dimensions a tensor has whose channels can come last."""


def _named(name: str) -> Any:
    """Return the word called `name` (for pickle)."""
    return _words[name]


def checked_format(name: str, given: Any) -> Any:
    """Return `given`, which the function `name` got as its ``memory_format``; None stays.

    Raises:
        TypeError: it is none.
    """
    if given is None or isinstance(given, memory_format):
        return given
    raise TypeError(
        f"{name}(): argument 'memory_format' must be nbmodule.memory_format, not {type(given).__name__}"
    )


def order_of(format: Any, rank: int) -> tuple[int, ...]:
    """Return the dimensions from the slowest to the fastest in memory, for a tensor of `rank` dimensions.

    Raises:
        RuntimeError: the format is for tensors of another rank.
    """
    if format not in RANKS:
        return tuple(range(rank))
    if rank != RANKS[format]:
        raise RuntimeError(f"required rank {RANKS[format]} tensor to use {format._name} format")
    return (0, *range(2, rank), 1)


def empty_in_format(xp: Any, shape: tuple[int, ...], dtype: Any, format: Any) -> Any:
    """Return a new array whose elements lie in memory as `format` says."""
    order = order_of(format, len(shape))
    return empty_in_order(xp, shape, dtype, order)


def empty_in_order(xp: Any, shape: tuple[int, ...], dtype: Any, order: tuple[int, ...]) -> Any:
    """Return a new array with its dimensions in `order` in memory, from the slowest to the fastest."""
    if order == tuple(range(len(shape))):
        return xp.empty(shape, dtype)
    return xp.empty(tuple(shape[i] for i in order), dtype).transpose(
        tuple(int(i) for i in np.argsort(order))
    )


def strides_like(shape: tuple[int, ...], steps: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides, in elements, of a tensor that is made like one of `shape` with strides `steps`.

    Where the elements lie without gaps the strides stay; else the order of the dimensions stays, and the
    gaps close. A stride of 0, of an expanded dimension, has no say in the order.
    """
    if _without_gaps(shape, steps):
        return steps
    order = list(range(len(shape)))[::-1]
    for i in range(1, len(order)):
        here = i
        for before in range(i - 1, -1, -1):
            a, b = order[before], order[here]
            if steps[a] == 0 or steps[b] == 0:
                continue
            if (steps[a], shape[a]) > (steps[b], shape[b]):
                order[before], order[here] = b, a
                here = before
            elif steps[a] < steps[b]:
                break
    found, reach = [0] * len(shape), 1
    for i in order:
        found[i] = reach
        reach *= max(shape[i], 1)
    return tuple(found)


def _without_gaps(shape: tuple[int, ...], steps: tuple[int, ...]) -> bool:
    if 0 in shape:
        return False
    reach = 1
    for step, n in sorted((s, n) for s, n in zip(steps, shape, strict=True) if n > 1):
        if step != reach:
            return False
        reach *= n
    return True


def empty_with_strides(xp: Any, shape: tuple[int, ...], dtype: np.dtype, steps: tuple[int, ...]) -> Any:  # fmt: skip
    """Return a new array without gaps whose neighbours lie `steps` elements apart."""
    in_bytes = tuple(k * dtype.itemsize for k in steps)
    if xp is np:
        flat = np.empty(math.prod(shape), dtype)
        return np.ndarray(shape, dtype, flat, 0, in_bytes)
    order = tuple(sorted(range(len(shape)), key=lambda i: -steps[i]))
    return empty_in_order(xp, shape, dtype, order)
