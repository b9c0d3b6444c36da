"""Batches that are taken out of tensors at once, where collating samples one by one would give the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...._backend import namespace_of
from ...._engine import wants_grad, wrap
from ...._tensor import Tensor


def is_as_written(dataset: Any, kind: type) -> bool:
    """Return whether samples of `dataset` are what its class `kind` says, and no subclass says otherwise."""
    return type(dataset).__getitem__ is kind.__getitem__ and not hasattr(dataset, "__getitems__")  # type: ignore[attr-defined] # fmt: skip


def rows_at(tensors: Iterable[Any], indices: list[int]) -> list[Tensor] | None:
    """Return ``stack([t[i] for i in indices])`` of each tensor, by one copy instead of a view for every row.

    None stands for what takes more than a copy (gradients, subclasses, other orders in memory) or is an error.
    """
    if not indices or set(map(type, indices)) != {int}:
        return None
    first, last = min(indices), max(indices)
    out = []
    for t in tensors:
        if type(t) is not Tensor or t.is_meta or wants_grad(t):
            return None
        array = t._array
        if not array.ndim or not array.flags.c_contiguous:
            return None
        if not -len(array) <= first <= last < len(array):
            return None
        places = namespace_of[type(array)].asarray(indices)
        out.append(wrap(array.take(places, 0)))
    return out
