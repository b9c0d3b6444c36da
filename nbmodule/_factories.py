"""Functions that make tensors from nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _dtypes
from ._backend import device as Device
from ._backend import move
from ._dtypes import dtype as Dtype
from ._engine import wrap
from ._generator import Generator, default_generator
from ._methods.shapes import sizes
from ._tensor import Tensor, as_array


def _made(array: np.ndarray, device: Any, requires_grad: bool) -> Tensor:
    t = wrap(move(array, Device(device)) if device is not None else array)
    if requires_grad and not t.is_floating_point():
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return t.requires_grad_() if requires_grad else t


def _numpy_dtype(dtype: Dtype | None) -> np.dtype:
    return (dtype or _dtypes.get_default_dtype()).numpy


def _checked(size: tuple[Any, ...]) -> tuple[int, ...]:
    shape = sizes(size)
    for n in shape:
        if n < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {n}: {list(shape)}"
            )
    return shape


def tensor(data: Any, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a new tensor with a copy of `data`.

    Args:
        data: a number, nested sequences of numbers, or an array.
        dtype: by default what `data` suggests: float32 for Python floats, int64 for ints, bool for bools.
        device: "cpu" by default.
        requires_grad: whether operations on it are recorded.

    Raises:
        TypeError: `data` holds something that is not a number.
        ValueError: rows have different lengths.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.tensor.html

    Example:
        >>> import nbmodule
        >>> nbmodule.tensor([[1.0, 2.0], [3.0, 4.0]])
        tensor([[1., 2.],
                [3., 4.]])
    """
    return _made(as_array(data, dtype), device, requires_grad)


def as_tensor(data: Any, dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """Return `data` as a tensor, without a copy where it is a tensor or NumPy array that fits."""
    if isinstance(data, Tensor):
        return data.to(dtype=dtype or data.dtype, device=device)
    if isinstance(data, np.ndarray) and (dtype is None or data.dtype == dtype.numpy):
        return from_numpy(data).to(device=device)
    return tensor(data, dtype=dtype, device=device)


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """Return a tensor on the memory of a NumPy array.

    Raises:
        TypeError: it is not an array, or holds elements that no dtype describes.
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    _dtypes.from_numpy_dtype(ndarray.dtype)
    return wrap(ndarray)


def zeros(*size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a tensor of shape `size` full of 0."""
    return _made(np.zeros(_checked(size), _numpy_dtype(dtype)), device, requires_grad)


def ones(*size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a tensor of shape `size` full of 1."""
    return _made(np.ones(_checked(size), _numpy_dtype(dtype)), device, requires_grad)


def empty(*size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a tensor of shape `size` whose elements are whatever the memory held."""
    return _made(np.empty(_checked(size), _numpy_dtype(dtype)), device, requires_grad)


def full(size: Any, fill_value: Any, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a tensor of shape `size` full of `fill_value`, in the type of that number."""
    kind = (dtype or _dtypes.of_number(fill_value)).numpy
    return _made(np.full(_checked((size,)), fill_value, kind), device, requires_grad)


def eye(n: int, m: int | None = None, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a matrix (n, m) with 1 on the diagonal and 0 elsewhere."""
    return _made(np.eye(n, m, dtype=_numpy_dtype(dtype)), device, requires_grad)


def arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return the numbers from `start` (0 when left out) up to, not including, `end`.

    They are int64 where all arguments are integers, else of the default dtype.
    """
    if end is None:
        start, end = 0, start
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = all(isinstance(x, int) for x in (start, end, step))
    kind = dtype or (_dtypes.int64 if whole else _dtypes.get_default_dtype())
    count = math.ceil((end - start) / step)
    values = np.arange(count, dtype=np.int64 if whole else np.float64) * step + start
    return _made(values.astype(kind.numpy), device, requires_grad)


def linspace(start: float, end: float, steps: int, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return `steps` numbers evenly from `start` to `end`, both included."""
    values = np.linspace(start, end, steps).astype(_numpy_dtype(dtype))
    return _made(values, device, requires_grad)


def rand(*size: Any, generator: Generator | None = None, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return numbers drawn evenly from [0, 1)."""
    t = empty(*size, dtype=dtype, device=device).uniform_(generator=generator)
    return t.requires_grad_(requires_grad)


def randn(*size: Any, generator: Generator | None = None, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return numbers drawn from the normal distribution of mean 0 and standard deviation 1."""
    t = empty(*size, dtype=dtype, device=device).normal_(generator=generator)
    return t.requires_grad_(requires_grad)


def randint(low: int, high: Any = None, size: Any = None, *, generator: Generator | None = None, dtype: Dtype | None = None, device: Any = None) -> Tensor:  # fmt: skip
    """Return integers drawn evenly from [low, high); ``randint(high, size)`` starts at 0.

    Raises:
        RuntimeError: the range is empty.
    """
    if size is None:
        low, high, size = 0, low, high
    if low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    shape = _checked((size,))
    values = (generator or default_generator)._integers(low, high, math.prod(shape)).reshape(shape)
    return _made(values.astype((dtype or _dtypes.int64).numpy), device, False)


def randperm(n: int, *, generator: Generator | None = None, dtype: Dtype | None = None, device: Any = None) -> Tensor:  # fmt: skip
    """Return 0 .. n-1 in random order, int64 by default."""
    values = (generator or default_generator)._permutation(n)
    return _made(values.astype((dtype or _dtypes.int64).numpy), device, False)


def zeros_like(input: Tensor, *, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Return zeros in the shape, dtype and place of `input`."""
    return full_like(input, 0, dtype=dtype, requires_grad=requires_grad)


def ones_like(input: Tensor, *, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Return ones in the shape, dtype and place of `input`."""
    return full_like(input, 1, dtype=dtype, requires_grad=requires_grad)


def full_like(input: Tensor, fill_value: Any, *, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a tensor full of `fill_value` in the shape, dtype and place of `input`."""
    return input.new_full(input.shape, fill_value, dtype=dtype).requires_grad_(requires_grad)


def empty_like(input: Tensor, *, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor in the shape, dtype and place of `input`; its elements mean nothing."""
    return full_like(input, 0, dtype=dtype, requires_grad=requires_grad)


def rand_like(input: Tensor, *, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Return numbers drawn evenly from [0, 1), in the shape, dtype and place of `input`."""
    return empty_like(input, dtype=dtype).uniform_().requires_grad_(requires_grad)


def randn_like(input: Tensor, *, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Return normally distributed numbers in the shape, dtype and place of `input`."""
    return empty_like(input, dtype=dtype).normal_().requires_grad_(requires_grad)
