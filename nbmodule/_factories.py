"""Functions that make tensors from nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _dtypes
from ._backend import device as Device
from ._backend import move
from ._data import as_array
from ._dtypes import dtype as Dtype
from ._engine import wrap
from ._errors import not_a_tensor
from ._generator import Generator, default_generator
from ._methods.shapes import sizes
from ._tensor import Tensor


def _made(array: np.ndarray, device: Any, requires_grad: bool) -> Tensor:
    t = wrap(move(array, Device(device)) if device is not None else array)
    if requires_grad and not t.is_floating_point():
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return t.requires_grad_() if requires_grad else t


def _numpy_dtype(name: str, dtype: Any) -> np.dtype:
    return (_dtypes.checked(dtype, name) or _dtypes.get_default_dtype()).numpy


def _checked(name: str, size: tuple[Any, ...], named: dict[str, Any]) -> tuple[int, ...]:
    """Return the shape that was given as ``f(2, 3)``, ``f((2, 3))`` or ``f(size=(2, 3))``."""
    if "size" in named and not size:
        size = (named.pop("size"),)
    if named:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(named))}'")
    if not size:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    shape = sizes(size, name)
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
    return _made(as_array(data, _dtypes.checked(dtype, "tensor")), device, requires_grad)


def as_tensor(data: Any, dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """Return `data` as a tensor, without a copy where it is a tensor or NumPy array that fits."""
    dtype = _dtypes.checked(dtype, "as_tensor")
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


def zeros(*size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False, **named: Any) -> Tensor:  # fmt: skip
    """Return a tensor of shape `size` full of 0."""
    shape = _checked("zeros", size, named)
    return _made(np.zeros(shape, _numpy_dtype("zeros", dtype)), device, requires_grad)


def ones(*size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False, **named: Any) -> Tensor:  # fmt: skip
    """Return a tensor of shape `size` full of 1."""
    shape = _checked("ones", size, named)
    return _made(np.ones(shape, _numpy_dtype("ones", dtype)), device, requires_grad)


def empty(*size: Any, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False, **named: Any) -> Tensor:  # fmt: skip
    """Return a tensor of shape `size` whose elements are whatever the memory held."""
    shape = _checked("empty", size, named)
    return _made(np.empty(shape, _numpy_dtype("empty", dtype)), device, requires_grad)


def full(size: Any, fill_value: Any, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a tensor of shape `size` full of `fill_value`, in the type of that number."""
    if isinstance(size, int):
        raise TypeError("full(): argument 'size' (position 1) must be tuple of ints, not int")
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    kind = (_dtypes.checked(dtype, "full") or _dtypes.of_number(value)).numpy
    return _made(np.full(_checked("full", (size,), {}), value, kind), device, requires_grad)


def eye(n: int, m: int | None = None, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a matrix (n, m) with 1 on the diagonal and 0 elsewhere."""
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    return _made(np.eye(n, m, dtype=_numpy_dtype("eye", dtype)), device, requires_grad)


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return the numbers from `start` (0 when left out) up to, not including, `end`.

    They are int64 where all arguments are integers, else of the default dtype.
    """
    if end is None:
        start, end = 0, start
    for name, x in (("end", end), ("start", start), ("step", step)):
        if not isinstance(x, (int, float, np.generic, Tensor)):
            raise TypeError(
                f"arange(): argument '{name}' (position 1) must be Number, not {type(x).__name__}"
            )
    start, end, step = (x.item() if hasattr(x, "item") else x for x in (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = all(isinstance(x, int) for x in (start, end, step))
    default = _dtypes.int64 if whole else _dtypes.get_default_dtype()
    kind = _dtypes.checked(dtype, "arange") or default
    count = math.ceil((end - start) / step)
    values = np.arange(count, dtype=np.int64 if whole else np.float64) * step + start
    return _made(values.astype(kind.numpy), device, requires_grad)


def linspace(start: float, end: float, steps: int, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return `steps` numbers evenly from `start` to `end`, both included."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    values = np.linspace(start, end, steps).astype(_numpy_dtype("linspace", dtype))
    return _made(values, device, requires_grad)


def rand(*size: Any, generator: Generator | None = None, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False, **named: Any) -> Tensor:  # fmt: skip
    """Return numbers drawn evenly from [0, 1)."""
    shape = _checked("rand", size, named)
    t = empty(shape, dtype=dtype, device=device).uniform_(generator=generator)
    return t.requires_grad_(requires_grad)


def randn(*size: Any, generator: Generator | None = None, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False, **named: Any) -> Tensor:  # fmt: skip
    """Return numbers drawn from the normal distribution of mean 0 and standard deviation 1."""
    shape = _checked("randn", size, named)
    t = empty(shape, dtype=dtype, device=device).normal_(generator=generator)
    return t.requires_grad_(requires_grad)


def randint(low: Any = None, high: Any = None, size: Any = None, *, generator: Generator | None = None, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return integers drawn evenly from [low, high); ``randint(high, size)`` starts at 0.

    Raises:
        TypeError: `size` is missing, or no sequence of ints.
        RuntimeError: the range is empty.
    """
    if size is None:
        low, high, size = 0, low, high
    low = 0 if low is None else low
    if not isinstance(size, (tuple, list)):
        raise TypeError(
            "randint() received an invalid combination of arguments - got "
            f"({', '.join(type(x).__name__ for x in (low, high, size))}), but expected one of:\n"
            "(high, size) or (low, high, size), with `size` a tuple of ints."
        )
    if low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    shape = _checked("randint", (size,), {})
    values = (generator or default_generator)._integers(low, high, math.prod(shape)).reshape(shape)
    kind = (_dtypes.checked(dtype, "randint") or _dtypes.int64).numpy
    return _made(values.astype(kind), device, requires_grad)


def randperm(n: int, *, generator: Generator | None = None, dtype: Dtype | None = None, device: Any = None) -> Tensor:  # fmt: skip
    """Return 0 .. n-1 in random order, int64 by default."""
    (n,) = _checked("randperm", (n,), {})
    values = (generator or default_generator)._permutation(n)
    kind = (_dtypes.checked(dtype, "randperm") or _dtypes.int64).numpy
    return _made(values.astype(kind), device, False)


def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Return normally distributed numbers; without `size`, `mean` and `std` are tensors or one is."""
    if size is not None:
        return empty(size).normal_(mean, std, generator=generator)
    shape = np.broadcast_shapes(*(x.shape for x in (mean, std) if isinstance(x, Tensor)))
    return empty(shape).normal_(generator=generator) * std + mean


def bernoulli(input: Tensor, *, generator: Generator | None = None) -> Tensor:
    """Return 1s, each drawn with the probability in its place in `input`, and 0s."""
    drawn = rand(input.shape, generator=generator, dtype=input.dtype).to(input.device)
    return (drawn < input).to(input.dtype)


def _like(name: str, input: Any) -> Tensor:
    if not isinstance(input, Tensor):
        raise not_a_tensor(name, "input", 1, input)
    return input


def zeros_like(input: Tensor, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return zeros in the shape, dtype and place of `input`."""
    return full_like(_like("zeros_like", input), 0, dtype=dtype, device=device, requires_grad=requires_grad)  # fmt: skip


def ones_like(input: Tensor, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return ones in the shape, dtype and place of `input`."""
    return full_like(_like("ones_like", input), 1, dtype=dtype, device=device, requires_grad=requires_grad)  # fmt: skip


def full_like(input: Tensor, fill_value: Any, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a tensor full of `fill_value` in the shape, dtype and place of `input`."""
    kind = _dtypes.checked(dtype, "full_like")
    t = _like("full_like", input).new_full(input.shape, fill_value, dtype=kind).to(device=device)
    return _made(t._array, None, requires_grad)


def empty_like(input: Tensor, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a tensor in the shape, dtype and place of `input`; its elements mean nothing."""
    return full_like(_like("empty_like", input), 0, dtype=dtype, device=device, requires_grad=requires_grad)  # fmt: skip


def rand_like(input: Tensor, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return numbers drawn evenly from [0, 1), in the shape, dtype and place of `input`."""
    t = empty_like(input, dtype=dtype, device=device).uniform_()
    return t.requires_grad_(requires_grad)


def randn_like(input: Tensor, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return normally distributed numbers in the shape, dtype and place of `input`."""
    t = empty_like(input, dtype=dtype, device=device).normal_()
    return t.requires_grad_(requires_grad)
