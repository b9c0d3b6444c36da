"""CuPy under NumPy's names, where the two differ: what the rules call `xp` for arrays on a GPU.

CuPy writes NumPy's functions anew, and some are missing or take fewer types. The few that our rules use are
made here of what CuPy has, so that a rule is written once. `tests/pretend_cupy.py` refuses what CuPy refuses.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

SIGN = np.uint64(1 << 63)


class CuPyFunctions:
    """CuPy's functions, and those of NumPy's that it lacks."""

    __name__ = "cupy"

    def __init__(self, cupy: ModuleType) -> None:
        self.cupy = cupy
        self.add = Function(cupy, cupy.add, cupy.sum, _add_at)
        self.multiply = Function(cupy, cupy.multiply, cupy.prod, _multiply_at)
        self.maximum = Function(cupy, cupy.maximum, cupy.max, _extreme_at)
        self.minimum = Function(cupy, cupy.minimum, cupy.min, _extreme_at)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.cupy, name)
        self.__dict__[name] = found  # the next time it is found at once
        return found

    def indices(self, shape: tuple[int, ...], dtype: Any = int, sparse: bool = False) -> Any:
        """Return the number of each element along each axis; `sparse`: in shapes that broadcast."""
        if not sparse:
            return self.cupy.indices(shape, dtype)
        rank = len(shape)
        return tuple(
            self.cupy.arange(n, dtype=dtype).reshape((1,) * i + (n,) + (1,) * (rank - i - 1))
            for i, n in enumerate(shape)
        )

    def where(self, condition: Any, *sides: Any) -> Any:
        """Return elements of two sides; for two Python numbers CuPy does not promise NumPy's type."""
        if sides and not any(hasattr(x, "dtype") for x in sides):
            kind = np.asarray(sides).dtype.type
            sides = tuple(map(kind, sides))
        if not hasattr(condition, "astype"):
            condition = self.cupy.asarray(condition)
        return self.cupy.where(condition, *sides)

    def vecdot(self, a: Any, b: Any) -> Any:
        """Return the products of rows with rows."""
        return (a * b).sum(-1)


class Function:
    """A function of two arrays, with `reduce`, and an `at` that takes every type: ``add.at(target, key, values)``."""

    def __init__(self, cupy: ModuleType, ufunc: Any, along: Any, at: Any) -> None:
        self.cupy, self.ufunc, self._along, self._at = cupy, ufunc, along, at
        self.__name__ = ufunc.__name__

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.ufunc(*args, **options)

    def reduce(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:  # fmt: skip
        """Return what the function makes of all elements along `axis`."""
        kind = {} if dtype is None else {"dtype": dtype}
        return self._along(array, axis=axis, out=out, keepdims=keepdims, **kind)

    def at(self, target: Any, key: Any, values: Any) -> None:
        """Apply the function to elements of `target`, in place; those that `key` names twice, twice."""
        self._at(self.cupy, self.ufunc, target, key, values)


def _cast(values: Any, kind: Any) -> Any:
    return values.astype(kind) if hasattr(values, "astype") else kind.type(values)


def _add_at(cupy: Any, add: Any, target: Any, key: Any, values: Any) -> None:
    """CUDA adds atomically in 32 and 64 bits, and to signed numbers of 64 bits under another name."""
    kind = target.dtype
    if kind == np.int64:  # in two's complement, signed and unsigned sums have the same bits
        add.at(target.view(np.uint64), key, _cast(_cast(values, kind), np.dtype(np.uint64)))
    elif kind.kind in "biu" and kind.itemsize < 4:
        wide = target.astype(np.int32)
        add.at(wide, key, _cast(values, wide.dtype))
        target[...] = wide
    else:
        add.at(target, key, values)


def _extreme_at(cupy: Any, choose: Any, target: Any, key: Any, values: Any) -> None:
    """As `_add_at`: what CUDA cannot compare atomically is compared in a type that keeps the order."""
    kind = target.dtype
    if kind == np.int64:  # with the sign turned, negative numbers come before the others
        unsigned = target.view(np.uint64) ^ SIGN
        choose.at(unsigned, key, _cast(_cast(values, kind), np.dtype(np.uint64)) ^ SIGN)
        target[...] = (unsigned ^ SIGN).view(np.int64)
    elif kind.itemsize < 4:
        wide = target.astype(np.float32 if kind.kind == "f" else np.int32)
        choose.at(wide, key, _cast(values, wide.dtype))
        target[...] = wide.astype(kind)
    else:
        choose.at(target, key, values)


def _multiply_at(cupy: Any, multiply: Any, target: Any, key: Any, values: Any) -> None:
    """CUDA has no atomic product: the first factors of all places at once, then the second ones, ..."""
    places = cupy.arange(target.size).reshape(target.shape)[key]
    factors = (
        values if not hasattr(values, "shape") else cupy.broadcast_to(values, places.shape).ravel()
    )
    places = places.ravel()
    order = cupy.argsort(places)  # CuPy's sort is stable
    sorted_places = places[order]
    first = sorted_places.searchsorted(sorted_places)  # where the run of equal places begins
    turn = cupy.zeros(places.shape, np.int64)
    turn[order] = cupy.arange(places.size) - first
    flat = target.reshape(-1)
    for k in range(int(turn.max()) + 1 if places.size else 0):
        now = turn == k
        flat[places[now]] *= factors if not hasattr(factors, "shape") else factors[now]
    if flat.base is None:  # a copy, of elements that do not lie in a row
        target[...] = flat.reshape(target.shape)
