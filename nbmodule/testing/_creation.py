"""`make_tensor`: random tensors to test with."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from .. import _dtypes
from .._device import device as Device
from .._factories import empty, randint
from .._formats import memory_format as Format
from .._limits import finfo, iinfo
from .._tensor import Tensor

INTEGERS = (
    _dtypes.uint8, _dtypes.int8, _dtypes.int16, _dtypes.int32, _dtypes.int64, _dtypes.uint16,
    _dtypes.uint32, _dtypes.uint64,
)  # fmt: skip
FLOATS = (_dtypes.float16, _dtypes.float32, _dtypes.float64)


def make_tensor(
    *shape: int | Sequence[int],
    dtype: _dtypes.dtype,
    device: str | Device,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Format | None = None,
) -> Tensor:
    """Return a tensor of numbers drawn evenly from ``[low, high)``.

    Args:
        *shape: its sizes, or one sequence of them.
        dtype: of any kind.
        device: where it lives.
        low: the least number; by default -9, and 0 for booleans and unsigned integers.
        high: above all numbers; by default 9, 10 for integers, 2 for booleans.
        requires_grad: whether operations on it are recorded.
        noncontiguous: whether it is every other element of a larger one.
        exclude_zero: whether zeros are replaced, by 1 or by the smallest normal number.
        memory_format: the order of its elements in memory; not together with `noncontiguous`.

    Raises:
        ValueError: `low` is not below `high`, one of them is NaN, or `dtype` has no such numbers; integers
            were to require a gradient; both `noncontiguous` and `memory_format` were given.

    Source: https://docs.pytorch.org/docs/stable/testing.html#torch.testing.make_tensor
    """
    sizes: Any = shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
    sizes = tuple(sizes)
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, "
            f"but got {noncontiguous=} and {memory_format=}"
        )
    if requires_grad and dtype not in FLOATS:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}"
        )
    spread = noncontiguous and math.prod(sizes) > 1
    t = _drawn((*sizes[:-1], 2 * sizes[-1]) if spread else sizes, dtype, device, low, high)
    if spread:
        t = t[..., 1::2]
    elif memory_format is not None:
        t = t.clone(memory_format=memory_format)
    if exclude_zero:
        t[t == 0] = finfo(dtype).tiny if dtype in FLOATS else 1
    return t.requires_grad_(requires_grad) if dtype in FLOATS else t


def _drawn(sizes: tuple[int, ...], dtype: Any, device: Any, low: Any, high: Any) -> Tensor:
    if dtype is _dtypes.bool_:
        low, high = _bounds(dtype, low, high, (0, 2), (0, 2))
        return randint(math.ceil(low), math.ceil(high), sizes, device=device, dtype=dtype)
    if dtype in INTEGERS:
        top = iinfo(dtype).max + (dtype is not _dtypes.int64)  # `randint` counts in int64
        low, high = _bounds(dtype, low, high, (iinfo(dtype).min, top), (-9, 10))
        return randint(math.ceil(low), math.ceil(high), sizes, device=device, dtype=dtype)
    if dtype in FLOATS:
        limits = (finfo(dtype).min, finfo(dtype).max)
        low, high = _bounds(dtype, low, high, limits, (-9, 9))
        t = empty(sizes, device=device, dtype=dtype)
        if high - low >= limits[1]:  # too wide for `uniform_`
            return t.uniform_(low / 2, high / 2).mul_(2)
        return t.uniform_(low, high)
    raise TypeError(
        f"The requested dtype '{dtype}' is not supported by nbmodule.testing.make_tensor()."
    )


def _bounds(dtype: Any, low: Any, high: Any, limits: tuple[Any, Any], usual: tuple[int, int]) -> tuple[Any, Any]:  # fmt: skip
    """Return what to draw between, within what `dtype` can hold."""
    low = usual[0] if low is None else low
    high = usual[1] if high is None else high
    if any(isinstance(x, float) and math.isnan(x) for x in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and dtype in FLOATS:
        warnings.warn(
            "Passing `low==high` to `nbmodule.testing.make_tensor` for floating or complex types is "
            "deprecated since 2.1 and will be removed in 2.3. Use `nbmodule.full(...)` instead.",
            FutureWarning,
            stacklevel=4,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < limits[0] or low >= limits[1]:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), "
            f"but {dtype} only supports [{limits[0]}, {limits[1]})"
        )
    return tuple(min(max(x, limits[0]), limits[1]) for x in (low, high))  # type: ignore[return-value]
