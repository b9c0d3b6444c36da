"""Filling a tensor with random numbers, in place: the same ones as PyTorch's for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _dtypes
from .._backend import namespace_of, to_numpy
from .._engine import TensorBase, by_blocks, note_write, wrap, write
from .._generator import FEW, Generator, default_generator, drawing
from .common import kind_of, not_implemented
from .pytorch_errors import pytorch_errors_in_methods
from .random_draws import RandomDraws

if TYPE_CHECKING:
    from .._engine.state import Tensor

_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_BLOCK = 2**16
_LARGEST = {kind: float(np.finfo(kind).max) for kind in "efd"}


@pytorch_errors_in_methods
class RandomFills(RandomDraws):
    """Methods that overwrite their tensor with draws. Gradients of what was there before are 0."""

    def uniform_(self, from_: Any = 0.0, to: Any = 1.0, *, generator: Generator | None = None, **named: Any) -> Tensor:  # fmt: skip
        """Fill with numbers drawn evenly from [from, to). The first argument is called `from`."""
        from_ = _from(named, from_) if named else from_
        array = self._array
        if array.dtype.kind != "f":
            kind = kind_of(self)
            raise NotImplementedError(f"\"check_uniform_bounds\" not implemented for '{kind}'")
        _check_bounds(self, from_, to)
        kind = _DOUBLE if array.dtype == _DOUBLE else _SINGLE
        low, high = kind.type(from_), kind.type(to)
        source = generator or default_generator

        def draw(n: int) -> np.ndarray:
            drawn = _even(source, n, kind, low, high)
            if array.itemsize == 2:
                drawn = drawn.astype(_SINGLE)  # float16 is rounded twice
                # what rounds up to the end of the range becomes its start
                drawn[drawn.astype(np.float16) == np.float16(high)] = low
            return drawn

        return _fill(self, _in_blocks(draw, array.size, array.dtype))

    def normal_(self, mean: Any = 0.0, std: Any = 1.0, *, generator: Generator | None = None) -> Tensor:  # fmt: skip
        """Fill with numbers drawn from a normal distribution."""
        if not std >= 0:  # NaN is refused too
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
        _refuse_integers(self, "normal_kernel_cpu")
        array, source = self._array, generator or default_generator
        if array.size < 16 or not array.flags.c_contiguous:
            return _fill(self, source._few_normal(array.size) * std + mean)
        drawn = source._normal(array.size, array.dtype)
        return _fill(self, by_blocks(lambda z: (z.astype(_DOUBLE) * std + mean).astype(array.dtype), drawn))  # fmt: skip

    def log_normal_(self, mean: Any = 1.0, std: Any = 2.0, *, generator: Generator | None = None) -> Tensor:  # fmt: skip
        """Fill with numbers whose logarithms have a normal distribution."""
        if not std > 0:
            raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
        _refuse_integers(self, "log_normal_cpu")
        draw = (generator or default_generator)._few_normal(self._array.size)
        return _fill(self, np.exp(draw * std + mean))

    def exponential_(self, lambd: Any = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with waiting times for an event that happens `lambd` times in a unit of time."""
        if not lambd > 0:
            raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
        _refuse_discrete(self, "Exponential", kind_of(self))
        return _fill(self, -1 / lambd * np.log1p(-_reals(self, generator)))

    def cauchy_(self, median: Any = 0.0, sigma: Any = 1.0, *, generator: Generator | None = None) -> Tensor:  # fmt: skip
        """Fill with numbers drawn from Cauchy's distribution."""
        if not sigma > 0:
            raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
        _refuse_discrete(self, "Cauchy", _dtypes.of_numpy[self._array.dtype].c_name)
        return _fill(self, median + sigma * np.tan(np.pi * (_reals(self, generator) - 0.5)))

    def geometric_(self, p: Any, *, generator: Generator | None = None) -> Tensor:
        """Fill with the numbers of trials until the first success, each of probability `p`."""
        if not 0 < p < 1:
            raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
        if self._array.dtype.kind == "b" and self._array.size:
            raise NotImplementedError("\"geometric_cpu\" not implemented for 'Bool'")
        return _fill(self, np.ceil(np.log(_reals(self, generator)) / np.log1p(-p)))

    def bernoulli_(self, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1s, each drawn with probability `p`, and 0s.

        Args:
            p: a number, or a tensor of as many as there are elements.
            generator: draws them; the default one when left out.
        """
        source = generator or default_generator
        if not isinstance(p, TensorBase):
            if not 0 <= p <= 1:
                raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
            return _fill(self, source._bernoulli(self._array.size, p))
        _refuse_integers(p, "bernoulli_tensor_cpu_p_")
        chances = to_numpy(p.expand(self._array.shape)._array).reshape(-1)  # type: ignore[attr-defined]
        if not ((chances >= 0) & (chances <= 1)).all():
            raise RuntimeError(IMPOSSIBLE_CHANCE)
        drawn = source._uniform(chances.size, _kind_for_chances(chances.dtype))
        return _fill(self, drawn < chances)

    def random_(self, *args: Any, generator: Generator | None = None, **named: Any) -> Tensor:
        """Fill with whole numbers: all that the dtype holds, or those of ``[from, to)`` or ``[0, to)``.

        Raises:
            RuntimeError: there is no such number, or the dtype does not hold them.
        """
        low, high = _bounds(args, named)
        source, array = generator or default_generator, self._array
        if low is None:
            return _fill(self, source._any_integers(array.size, array.dtype))
        kind = _dtypes.of_numpy[array.dtype]
        if high is None:
            high = _last_whole(array.dtype) + 1
        if array.dtype.kind == "f":
            low, high = _representable(low, high, array.dtype)
        if low >= high:
            raise RuntimeError(
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
            )
        for name, bound in (("from", low), ("to - 1", high - 1)):
            if not _smallest(array.dtype) <= bound <= _largest(array.dtype):
                raise RuntimeError(f"{name} is out of bounds for {kind.c_name}")
        return _fill(self, source._integers(low, high, array.size))


def _even(source: Generator, n: int, kind: np.dtype, low: Any, high: Any) -> np.ndarray:
    """Return `n` numbers drawn evenly from [low, high), as float64.

    The bounds were rounded before; in float64 the product is not rounded before the sum, as on processors
    that do both at once.
    """
    whole, unit = source._whole(n, kind)
    drawn = whole * (unit * float(high - low))
    drawn += float(low)
    return drawn


def fill_few_evenly(t: TensorBase, low: float, high: float, generator: Generator | None) -> bool:
    """Do what ``t.uniform_(low, high)`` does in `no_grad`, and return whether it was done.

    It is for the many small parameters of a model: a few float32 numbers, with nothing special about them.
    """
    array = t._array
    if (
        type(array) is not np.ndarray
        or array.dtype != _SINGLE
        or array.size >= FEW
        or not array.flags.carray  # without gaps, and writeable
        or t._storage.is_inference
        or not -_FAR < low <= high < _FAR
    ):
        return False
    source, kind = generator or default_generator, array.dtype
    drawn = _even(source, array.size, kind, np.float32(low), np.float32(high))
    note_write(t._storage, t._array)
    array[...] = drawn.reshape(array.shape)
    return True


_FAR = 1e38

IMPOSSIBLE_CHANCE = (
    "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If "
    "so, please report an enhancement request to PyTorch.)"
)


def _from(named: dict[str, Any], default: Any) -> Any:
    """Return the argument that is called `from`, which no parameter of Python can be."""
    found = named.pop("from", default)
    if named:
        raise TypeError("uniform_() got an unexpected keyword argument")
    return found


def _bounds(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[int | None, int | None]:
    """Return the bounds from ``random_()`` (None), ``random_(to)`` or ``random_(from, to)``."""
    bounds = [*args, *(named.pop(n) for n in ("from", "to") if n in named)]
    if named or len(bounds) > 2 or not all(b is None or isinstance(b, int) for b in bounds):
        raise TypeError("random_(): bounds are whole numbers")
    if len(bounds) == 2:
        return int(bounds[0]), None if bounds[1] is None else int(bounds[1])
    return (0, int(bounds[0])) if bounds else (None, None)


def _last_whole(kind: np.dtype) -> int:
    """Return the largest number of a dtype of integers, or the last up to which all are in the dtype."""
    return 2 ** (np.finfo(kind).nmant + 1) if kind.kind == "f" else _largest(kind)


def _representable(low: int, high: int, kind: np.dtype) -> tuple[int, int]:
    """Return the bounds moved inwards until rounding to a dtype of floats does not lead out of them."""
    digits = np.finfo(kind).nmant + 1
    first, last = (int(kind.type(bound)) if abs(bound) < _largest(kind) else bound for bound in (low + 1, high - 1))  # fmt: skip
    if first < low:
        low = first + (1 << (abs(low + 1).bit_length() - digits))
    if last >= high:
        high = last - (1 << (abs(high - 1).bit_length() - digits))
    return low, high


def _largest(kind: np.dtype) -> int:
    """Return the largest number of a dtype."""
    if kind.kind == "f":
        return int(np.finfo(kind).max)
    return 1 if kind.kind == "b" else int(np.iinfo(kind).max)


def _smallest(kind: np.dtype) -> int:
    if kind.kind == "f":
        return int(np.finfo(kind).min)
    return 0 if kind.kind == "b" else int(np.iinfo(kind).min)


def _kind_for_chances(kind: np.dtype) -> np.dtype:
    """Return the type in which PyTorch draws numbers to compare with chances of this type."""
    return np.dtype(np.float64 if kind == np.float64 else np.float32)


def _in_blocks(draw: Callable[[int], np.ndarray], n: int, dtype: np.dtype) -> np.ndarray:
    """Return ``draw(n)`` as `dtype`; of many numbers, so many at a time that they stay in the cache."""
    if n <= _BLOCK:
        return draw(n).astype(dtype, copy=False)
    flat = np.empty(n, dtype)
    with drawing:
        for start in range(0, n, _BLOCK):
            part = flat[start : start + _BLOCK]
            part[...] = draw(part.size)
    return flat


def _reals(t: TensorBase, generator: Generator | None) -> np.ndarray:
    return (generator or default_generator)._reals(t._array.size)


def _check_bounds(t: Any, low: float, high: float) -> None:
    """Raise PyTorch's errors for bounds of an even distribution that the dtype of `t` cannot hold."""
    kind = t._array.dtype
    largest = _LARGEST[kind.char]
    if -largest <= low <= high <= largest and high - low <= largest:
        return
    for name, bound in (("from", low), ("to", high)):
        if not -largest <= bound <= largest:
            called = {"f": "float", "d": "double", "e": "c10::Half"}[kind.char]
            raise RuntimeError(f"{name} is out of bounds for {called}")
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
        )
    if high - low > largest:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{kind_of(t)}>::max(), but found to={high:g} and "
            f"from={low:g} which result in to-from to exceed the limit"
        )


def _refuse_integers(t: TensorBase, kernel: str) -> None:
    if t._array.dtype.kind != "f" and t._array.size:
        raise not_implemented(kernel, t)


def _refuse_discrete(t: TensorBase, name: str, found: str) -> None:
    if t._array.dtype.kind != "f" and (t._array.size or name == "Cauchy"):
        raise RuntimeError(
            f"{name} distribution is a continuous probability distribution. dtype must be a floating "
            f"point but you specified {found}"
        )


def in_memory_order(flat: np.ndarray, array: Any) -> np.ndarray:
    """Return `flat`, as many numbers as `array` has, in its shape, in the order in which its elements lie."""
    if array.flags.c_contiguous:
        return flat.reshape(array.shape)
    order = sorted(range(array.ndim), key=lambda i: -array.strides[i])
    return flat.reshape([array.shape[i] for i in order]).transpose(np.argsort(order))


def _fill(t: TensorBase, flat: np.ndarray) -> Any:
    """Write `flat`, as many numbers as `t` has, in the order in which they lie in memory."""
    array = t._array
    xp = namespace_of[type(array)]
    values = xp.asarray(in_memory_order(flat.astype(array.dtype, copy=False), array))

    def put(own: Any) -> None:
        own[...] = values

    def random_fill(_: Any) -> Any:  # observers are told this name
        return wrap(values)

    return write(t, random_fill, directly=put)
