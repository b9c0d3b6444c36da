"""The meta device: arrays that have a shape and a type, but no numbers.

A model can be built and its shapes followed without its memory: ``nn.Linear(10**6, 10**6, device="meta")``.
A `MetaArray` looks like a NumPy array to the rules. Its `shadow` is a real NumPy array of the right shape
and strides whose memory does not exist: it is asked for views, never for elements. Where the shape of a
result cannot be foreseen here, NumPy computes it from zeros that all lie in one place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.lib.stride_tricks import as_strided

NO_DATA = "Cannot copy out of meta tensor; no data!"
NO_ITEM = "Tensor.item() cannot be called on meta tensors"
NEEDS_NUMBERS = frozenset(
    ("nonzero", "flatnonzero", "argwhere", "unique", "bincount", "extract", "compress", "histogram")
)
"""Functions whose result has a shape that depends on the numbers."""

VIEWS = frozenset(
    ("swapaxes", "moveaxis", "expand_dims", "broadcast_to", "transpose", "squeeze", "flip", "diagonal", "rollaxis")
)  # fmt: skip
REDUCTIONS = frozenset(
    ("sum", "mean", "prod", "max", "min", "amax", "amin", "any", "all", "var", "std", "argmax", "argmin")
)  # fmt: skip


class MetaArray(NDArrayOperatorsMixin):
    """An array without numbers.

    Args:
        shadow: a NumPy array of the same shape, strides and type. Its elements are never read.
        base: the meta array that this one is a view of.
    """

    __slots__ = ("__weakref__", "base", "shadow")

    def __init__(self, shadow: np.ndarray, base: MetaArray | None = None) -> None:
        self.shadow, self.base = shadow, base

    @classmethod
    def empty(cls, shape: Any, dtype: Any, strides: tuple[int, ...] | None = None) -> MetaArray:
        """Return an array of `shape`, in row-major order unless `strides` (in bytes) say otherwise."""
        shape, one = tuple(shape), np.zeros(1, dtype)
        if strides is None:
            sizes = [max(n, 1) for n in shape]
            strides = tuple(math.prod(sizes[i + 1 :]) * one.itemsize for i in range(len(shape)))
        return cls(as_strided(one, shape, strides))

    @classmethod
    def like(cls, array: Any) -> MetaArray:
        """Return an array with the shape and strides of `array`, of any library."""
        return cls.empty(array.shape, array.dtype, array.strides)

    @property
    def zeros(self) -> np.ndarray:
        """As many zeros, all in one place: something that NumPy may read."""
        return np.broadcast_to(np.zeros((), self.shadow.dtype), self.shadow.shape)

    # ---- what it is

    shape = property(lambda self: self.shadow.shape)
    dtype = property(lambda self: self.shadow.dtype)
    strides = property(lambda self: self.shadow.strides)
    ndim = property(lambda self: self.shadow.ndim)
    size = property(lambda self: self.shadow.size)
    itemsize = property(lambda self: self.shadow.itemsize)
    nbytes = property(lambda self: self.shadow.nbytes)
    flags = property(lambda self: self.shadow.flags)
    T = property(lambda self: self._view(self.shadow.T))
    mT = property(lambda self: self._view(self.shadow.mT))

    def __len__(self) -> int:
        return len(self.shadow)

    def __repr__(self) -> str:
        return f"MetaArray(shape={self.shape}, dtype={self.dtype})"

    def __reduce__(self) -> tuple:
        return MetaArray.empty, (self.shape, self.dtype, self.strides)

    # ---- what it cannot give

    def refuse_to_copy_out(self, *args: Any, **options: Any) -> NoReturn:
        """Raise: there are no numbers."""
        raise NotImplementedError(NO_DATA)

    def item(self, *args: Any) -> NoReturn:
        """Raise: there are no numbers."""
        raise RuntimeError(NO_ITEM)

    tolist = tobytes = __array__ = refuse_to_copy_out
    __bool__ = __int__ = __float__ = __index__ = __complex__ = item

    # ---- views

    def _view(self, shadow: np.ndarray) -> MetaArray:
        return MetaArray(shadow, self if self.base is None else self.base)

    def transpose(self, *axes: Any) -> MetaArray:
        """Return a view with the dimensions in the order `axes`."""
        return self._view(self.shadow.transpose(*axes))

    def swapaxes(self, a: int, b: int) -> MetaArray:
        """Return a view with two dimensions exchanged."""
        return self._view(self.shadow.swapaxes(a, b))

    def squeeze(self, axis: Any = None) -> MetaArray:
        """Return a view without dimensions of length 1."""
        return self._view(self.shadow.squeeze(axis))

    def view(self, dtype: Any = None) -> MetaArray:
        """Return a view, as another type of elements where `dtype` is given."""
        return self._view(self.shadow.view() if dtype is None else self.shadow.view(dtype))

    def reshape(self, *shape: Any, order: Any = "C") -> MetaArray:
        """Return a view in another shape where there can be one, else a new array."""
        final = self.zeros.reshape(*shape).shape  # NumPy checks it, and fills in the -1
        try:
            return self._view(np.reshape(self.shadow, final, copy=False))
        except (
            TypeError,
            ValueError,
        ):  # NumPy 2.0 has no such option; later ones would have to copy
            return MetaArray.empty(final, self.dtype)

    def __getitem__(self, key: Any) -> MetaArray:
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(k, (MetaArray, np.ndarray, list, bool)) for k in parts):
            return on_meta(self.zeros[tuple(map(_index, parts))])
        if not any(k is ... for k in parts):
            parts = (*parts, ...)  # without it, NumPy would read a single number
        return self._view(self.shadow[parts])

    def __setitem__(self, key: Any, value: Any) -> None:
        np.broadcast_to(_stripped(value), self[key].shape)  # only to check the shape

    # ---- new arrays

    def copy(self, order: Any = "C") -> MetaArray:
        """Return another array of this shape."""
        return MetaArray.empty(self.shape, self.dtype)

    def astype(self, dtype: Any, order: Any = "K", copy: bool = True) -> MetaArray:
        """Return an array of another type."""
        if self.dtype == dtype and not copy:
            return self
        return MetaArray.empty(self.shape, dtype)

    def clip(self, *limits: Any) -> MetaArray:
        """Return an array of this shape."""
        return MetaArray.empty(self.shape, _sample(self).clip(*map(_sample, limits)).dtype)

    def dot(self, other: Any) -> MetaArray:
        """Return an array of the shape of the product of two matrices."""
        return self @ other

    def fill(self, value: Any) -> None:
        """Do nothing: there is nothing to fill."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in NEEDS_NUMBERS:
            return _refuser(name)
        if name in REDUCTIONS:
            return lambda *args, **options: _reduced(getattr(np, name), self, *args, **options)
        method = getattr(np.ndarray, name)
        return lambda *args, **options: on_meta(
            method(self.zeros, *map(_stripped, args), **{k: _stripped(v) for k, v in options.items()})
        )  # fmt: skip

    # ---- what NumPy's functions make of it

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:  # fmt: skip
        if method == "at":
            return None
        if ufunc is not np.matmul:
            _refuse_mixture(inputs)
        if method == "reduce":  # NumPy would add up every zero
            return _reduced(ufunc.reduce, *inputs, **{"axis": 0, **options})
        if method != "__call__":
            result = getattr(ufunc, method)(*map(_stripped, inputs), **options)
            return on_meta(result)
        if ufunc is np.matmul:
            shape = _matmul_shape(*(x.shape for x in inputs))
            result: Any = MetaArray.empty(shape, np.result_type(*(x.dtype for x in inputs)))
        else:
            shape = np.broadcast_shapes(*(np.shape(_stripped(x)) for x in inputs))
            options.pop("where", None)
            found = ufunc(*map(_sample, inputs), **options)
            result = _in_shape(found, shape)
        if out is None:
            return result
        if out[0].shape != shape:
            raise ValueError(
                f"non-broadcastable output operand with shape {out[0].shape} doesn't match the broadcast "
                f"shape {shape}"
            )
        return out[0]

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return getattr(meta_functions, function.__name__)(*args, **options)


def _in_shape(found: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(found, tuple):
        return tuple(_in_shape(f, shape) for f in found)
    return MetaArray.empty(shape, found.dtype)


def on_meta(x: Any) -> Any:
    """Return what NumPy computed as meta arrays."""
    if isinstance(x, (np.ndarray, np.generic)):
        return MetaArray.empty(x.shape, x.dtype)
    return type(x)(map(on_meta, x)) if type(x) in (tuple, list) else x


def _stripped(x: Any) -> Any:
    """Return `x` with zeros in place of meta arrays."""
    if isinstance(x, MetaArray):
        return x.zeros
    return type(x)(map(_stripped, x)) if type(x) in (tuple, list) else x


def _sample(x: Any) -> Any:
    """Return an array of one element and of the type of `x`, which is an array or a number."""
    return np.ones(1, x.dtype) if isinstance(x, (MetaArray, np.ndarray)) else x


def _index(key: Any) -> Any:
    if isinstance(key, MetaArray) and key.dtype == bool:
        _refuser("nonzero")()
    return _stripped(key)


def _refuse_mixture(values: Any) -> None:
    """Raise if arrays with numbers and arrays without meet; single numbers may."""
    homes = ["meta" if isinstance(x, MetaArray) else "cpu" for x in values if getattr(x, "ndim", 0)]
    other = next((h for h in homes if h != homes[0]), None)
    if other is not None:
        raise RuntimeError(f"Tensor on device {other} is not on the expected device {homes[0]}!")


def _refuser(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **options: Any) -> NoReturn:
        raise NotImplementedError(
            f"The register_meta function for nbmodule.{name}() raises unimplemented by default, as a correct "
            "data-independent implementation does not exist.\nThe shape of the result depends on numbers, "
            "and a meta tensor has none."
        )

    return refuse


def _matmul_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    rows, columns = a[:-1][-1:], b[1:][-1:] if len(b) > 1 else ()
    inner = b[-2] if len(b) > 1 else b[0] if b else None
    if not a or a[-1] != inner:
        raise ValueError(f"matmul: shapes {a} and {b} do not match")
    return (*np.broadcast_shapes(a[:-2], b[:-2]), *rows, *columns)


def _reduced(reduce: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **options: Any) -> Any:  # fmt: skip
    """Return what NumPy's `reduce` makes of `a`, without looking at every element."""
    if reduce.__name__ in ("argmax", "argmin", "max", "min", "amax", "amin") and dtype is not None:
        keepdims, dtype = dtype, None
    if dtype is not None:
        options["dtype"] = dtype
    one = np.ones([min(n, 1) for n in a.shape], a.dtype)
    found = reduce(one, axis=axis, keepdims=True, **options)
    axes = range(a.ndim) if axis is None else np.atleast_1d(axis) % max(a.ndim, 1)
    shape = [1 if i in axes else n for i, n in enumerate(a.shape)]
    if not keepdims:
        shape = [n for i, n in enumerate(shape) if i not in axes]
    return MetaArray.empty(shape, found.dtype)


class _MetaFunctions:
    """NumPy's functions for meta arrays: what the rules call ``xp``."""

    def __init__(self, home: Any = np) -> None:
        self._home = home

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._home, name)
        if isinstance(function, (np.ufunc, type)):
            return function
        if isinstance(function, ModuleType):  # a part of NumPy, such as linalg
            function = _MetaFunctions(function)
        elif name in NEEDS_NUMBERS and self._home is np:
            function = _refuser(name)
        elif name in REDUCTIONS and self._home is np:
            function = _reduction(name)
        elif callable(function):
            function = _lifted(function, name)
        self.__dict__[name] = function
        return function

    def zeros(self, shape: Any, dtype: Any = float) -> MetaArray:
        """Return an array of `shape`."""
        return MetaArray.empty((shape,) if isinstance(shape, int) else shape, dtype)

    ones = empty = zeros

    def full(self, shape: Any, value: Any, dtype: Any = None) -> MetaArray:
        """Return an array of `shape`, in the type of `value` where none is given."""
        return self.zeros(shape, np.asarray(_stripped(value)).dtype if dtype is None else dtype)

    def zeros_like(self, a: Any, dtype: Any = None, order: Any = "K") -> MetaArray:
        """Return an array in the shape of `a`."""
        return MetaArray.empty(a.shape, a.dtype if dtype is None else dtype)

    ones_like = empty_like = zeros_like

    def full_like(self, a: Any, value: Any, dtype: Any = None) -> MetaArray:
        """Return an array in the shape of `a`."""
        return self.zeros_like(a, dtype)

    def where(self, condition: Any, *sides: Any) -> Any:
        """Return an array in the common shape and type of `sides`."""
        if not sides:
            return _refuser("nonzero")()
        _refuse_mixture((condition, *sides))
        shapes = [np.shape(_stripped(x)) for x in (condition, *sides)]
        found = np.where([True], *map(_sample, sides))
        return MetaArray.empty(np.broadcast_shapes(*shapes), found.dtype)

    def concatenate(self, arrays: Any, axis: int = 0) -> MetaArray:
        """Return an array as long along `axis` as all `arrays` together."""
        _refuse_mixture(arrays)
        first, axis = arrays[0], axis % arrays[0].ndim
        shape = list(first.shape)
        shape[axis] = sum(a.shape[axis] for a in arrays)
        return MetaArray.empty(shape, np.result_type(*(a.dtype for a in arrays)))

    @property
    def ogrid(self) -> Any:
        """Open grids, as meta arrays."""
        return _OpenGrid()


class _OpenGrid:
    def __getitem__(self, key: Any) -> Any:
        return on_meta(np.ogrid[key])


def _reduction(name: str) -> Callable[..., Any]:
    return lambda a, *args, **options: _reduced(getattr(np, name), a, *args, **options)


def _lifted(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return `function` of NumPy for meta arrays."""

    def call(*args: Any, **options: Any) -> Any:
        first = args[0] if args else None
        if name in VIEWS and isinstance(first, MetaArray):
            return first._view(function(first.shadow, *args[1:], **options))
        return on_meta(
            function(*map(_stripped, args), **{k: _stripped(v) for k, v in options.items()})
        )

    return call


meta_functions = _MetaFunctions()
