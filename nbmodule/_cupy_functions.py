"""CuPy under NumPy's names, where the two differ: what the rules call `xp` for arrays on a GPU.

CuPy writes NumPy's functions anew, and some are missing or take fewer types. The few that our rules use are
made here of what CuPy has, so that a rule is written once. `tests/pretend_cupy` refuses what CuPy refuses.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

SIGN = np.uint64(1 << 63)


class CuPyFunctions:
    """CuPy's functions, and those of NumPy's that it lacks."""

    __name__ = "cupy"

    def __init__(self, cupy: ModuleType, cupyx: ModuleType) -> None:
        self.cupy = cupy
        self.add = Function(cupy, cupy.add, cupy.sum, _add_at)
        self.multiply = Function(cupy, cupy.multiply, cupy.prod, _multiply_at)
        self.maximum = Function(cupy, cupy.maximum, cupy.max, _extreme_at)
        self.minimum = Function(cupy, cupy.minimum, cupy.min, _extreme_at)
        self.linalg = LinearAlgebra(cupy, cupyx)

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


class LinearAlgebra:
    """CuPy's, which says as NumPy's does when a matrix is not as it must be; by itself it returns wrong numbers."""

    def __init__(self, cupy: ModuleType, cupyx: ModuleType) -> None:
        self.cupy, self.cupyx = cupy, cupyx

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.cupy.linalg, name)
        if name not in ("det", "slogdet"):  # where a determinant is 0, nothing is wrong
            found = self._looking(found)
        self.__dict__[name] = found
        return found

    def solve(self, a: Any, b: Any) -> Any:
        """Return ``a**-1 @ b``; CuPy wants as many matrices in the one as in the other."""
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = (self.cupy.broadcast_to(x, batch + x.shape[-2:]) for x in (a, b))
        return self._looking(self.cupy.linalg.solve)(a, b)

    def _looking(self, function: Any) -> Any:
        """Return `function`, which then looks at what the GPU found out about the matrices: it waits for that."""

        def call(*args: Any, **options: Any) -> Any:
            with self.cupyx.errstate(linalg="raise"):
                return function(*args, **options)

        return call


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
    """CuPy compares atomically, but float64 as float32 and without NaN: so we compare ranks, whole numbers."""
    kind = target.dtype
    nan = np.copysign(
        np.nan, 1.0 if choose is cupy.maximum else -1.0
    )  # the last of all, the first of all
    ranks = _ranked(cupy, target, nan)
    choose.at(ranks, key, _ranked(cupy, values.astype(kind, copy=False), nan))
    target[...] = _unranked(ranks, kind)


def _ranked(cupy: Any, x: Any, nan: Any) -> Any:
    """Return unsigned numbers of 64 bits in the order of the elements of `x`."""
    if x.dtype == np.uint64:
        return x.copy()
    if x.dtype.kind == "f":
        bits = _turned(cupy.where(x == x, x.astype(np.float64), nan).view(np.int64))
    else:
        bits = x.astype(np.int64)
    return (
        bits.view(np.uint64) ^ SIGN
    )  # with the sign turned, negative numbers come before the others


def _unranked(ranks: Any, kind: Any) -> Any:
    """Return what `_ranked` has made unsigned numbers of, as the type `kind`."""
    if kind == np.uint64:
        return ranks
    bits = (ranks ^ SIGN).view(np.int64)
    return (_turned(bits).view(np.float64) if kind.kind == "f" else bits).astype(kind)


def _turned(bits: Any) -> Any:
    """Turn all bits of negative floats but the sign: then their bits grow as they do. Twice is not at all."""
    return bits ^ ((bits >> 63) & np.int64((1 << 63) - 1))


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
