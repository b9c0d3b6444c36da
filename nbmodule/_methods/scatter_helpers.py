"""What the methods that write to given places share: checks of indices, and folding values together."""

from __future__ import annotations

from typing import Any

from .._engine import renamed, wrap
from .._errors import broadcast_text
from .._ops import scatter as sc
from .._ops import shape as s
from .common import library, limits
from .index_expressions import are_places
from .layout import fresh

_INTO = {"prod": sc.multiply_into, "amax": sc.largest_into, "amin": sc.smallest_into}


def fold(t: Any, source: Any, key: Any, reduce: str, include_self: bool) -> Any:
    """Return `t` with `source` folded into the places at `key`."""
    start = t
    if not include_self:
        kind = t._array.dtype
        neutral = {"sum": 0, "mean": 0, "prod": 1}.get(reduce)
        if neutral is None:
            neutral = limits(kind)[reduce == "amin"]
        start = s.put(t, neutral, key=key)
    if reduce in _INTO:
        return _INTO[reduce](start, source, key=key)
    total = sc.accumulate(start, source, key=key)
    if reduce == "sum":
        return total
    xp = library(t)
    count = xp.full(t._array.shape, int(include_self), "i8")
    xp.add.at(count, key, 1)
    counted: Any = wrap(xp.asarray(xp.maximum(count, 1)))
    if t._array.dtype.kind == "f":
        return total / counted.to(total.dtype)
    return total.div(counted, rounding_mode="floor").to(total.dtype)


def with_dimension(t: Any) -> Any:
    """Return `t`, a number without dimensions as a vector of one."""
    return t if t._array.ndim else t.reshape(1)


def like(t: Any, out: Any, name: str) -> Any:
    """Return `out`, made of `with_dimension` of `t`, in the shape of `t`, as the result of a node of this name."""
    return renamed(out if t._array.ndim else fresh(out.reshape(())), name)


def check_kind(index: Any, name: str) -> None:
    """Raise if the array `index` cannot name places, for the function `name`."""
    if not are_places(index):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def check_bounds(index: Any, n: int, axis: int) -> None:
    """Raise if a number in the array `index` names nothing along `axis`, which has `n` places."""
    wrong = index[(index < 0) | (index >= n)]
    if wrong.size:
        raise RuntimeError(
            f"index {int(wrong.reshape(-1)[0])} is out of bounds for dimension {axis} with size {n}"
        )


def check_reach(index: Any, n: int) -> None:
    """Raise if a number in the array `index` names none of `n` elements; -1 names the last."""
    wrong = index[(index < -n) | (index >= n)]
    if wrong.size:
        raise IndexError(
            f"out of range: tried to access index {int(wrong.reshape(-1)[0])} on a tensor of {n} elements."
        )


def broadcast_pair(t: Any, other: Any) -> tuple[Any, Any]:
    """Return both tensors expanded to their common shape."""
    a, b = t._array.shape, other._array.shape
    if a == b:
        return t, other
    xp = library(t)
    try:
        shape = xp.broadcast_shapes(a, b)
    except ValueError:
        raise RuntimeError(broadcast_text([a, b])) from None
    return t.expand(shape), other.expand(shape)
