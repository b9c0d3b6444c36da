"""Functions that order elements, or look for places in an order."""

from __future__ import annotations

from typing import Any

from .._backend import meet
from .._engine import number, wrap
from .._methods.common import library
from .._methods.sorting import search
from .._tensor import Tensor
from ._wrap import function

sort = function(Tensor.sort)
argsort = function(Tensor.argsort)
msort = function(Tensor.msort)
topk = function(Tensor.topk)
unique_consecutive = function(Tensor.unique_consecutive)
unique = function(Tensor.unique)


def searchsorted(sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None, sorter: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return where each value of `input` would go in an ordered sequence, row by row.

    Args:
        sorted_sequence: ordered along its last dimension; a vector serves all values.
        input: a tensor, or a number where the sequence is a vector.
        out_int32: return int32 in place of int64.
        right: go behind equal elements, not before them.
        side: "right" or "left", which says the same.
        sorter: the indices that bring `sorted_sequence` in order, where it is not.

    Raises:
        RuntimeError: the shapes do not fit, or `right` and `side` contradict.
    """
    if side not in (None, "left", "right"):
        raise RuntimeError(
            f"nbmodule.searchsorted(): side can only be 'left' or 'right' but got {side}"
        )
    if side == "left" and right:
        raise RuntimeError(
            "nbmodule.searchsorted(): side and right can't be set to opposites, got side of left while "
            "right was True"
        )
    ordered, xp = sorted_sequence._array, library(sorted_sequence)
    if not isinstance(input, Tensor):
        if ordered.dtype.kind in "iu" and isinstance(input, int):
            input = number(input, ordered.dtype)
        input = wrap(xp.asarray(input))
    values = input._array
    meet(ordered, values, None if sorter is None else sorter._array)
    if ordered.ndim != 1 and not values.ndim:
        raise RuntimeError(
            "nbmodule.searchsorted(): input value can be a scalar only when boundaries tensor dimension is "
            f"1, but we got boundaries tensor dim({ordered.ndim}) and input value's dim(0) numel(1)"
        )
    if ordered.ndim != 1 and ordered.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            "nbmodule.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions "
            "of boundaries tensor and input value tensor must match, but we got boundaries tensor "
            f"{list(ordered.shape)} and input value tensor {list(values.shape)}"
        )
    if sorter is not None:
        ordered = xp.take_along_axis(ordered, sorter._array, -1)
    found = search(xp, ordered, values, "right" if right or side == "right" else "left")
    return wrap(xp.asarray(found, "i4" if out_int32 else "i8"))


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:  # fmt: skip
    """Return the number of the bucket of each value of `input`, between the ordered `boundaries`.

    Args:
        input: a tensor or a number.
        boundaries: (N,), ordered.
        out_int32: return int32 in place of int64.
        right: an element that equals a boundary goes into the bucket behind it.
    """
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)
