"""Functions that make evenly spaced numbers, rounded as PyTorch rounds them.

PyTorch multiplies and adds in one step (`fused`), and works on short blocks of numbers at a time. Who
compares ``arange(0, 1, 0.1)`` with PyTorch's to the last bit finds the same.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from . import _dtypes
from ._creation import options_of, result_of
from ._data import fill_number
from ._engine import TensorBase, be_silent
from ._engine.signature import shown_as
from ._errors import invalid_call, name_of_type
from ._methods.new_tensors import OPTIONS
from ._ops.fused import fused
from ._tensor import Tensor

LANES = {np.dtype("float32"): 8, np.dtype("float64"): 4}
"""How many numbers PyTorch's processor instructions take at once."""


def steps_from(start: Any, step: Any, count: int, dtype: np.dtype) -> np.ndarray:
    """Return ``start + i * step`` for i below `count`, in `dtype`."""
    if dtype.kind != "f":
        return (np.arange(count, dtype=np.int64) * int(step) + int(start)).astype(dtype)
    start, step = float(start), float(step)
    lanes = LANES.get(dtype)
    if lanes is None:  # float16, which PyTorch computes in float32
        index = np.arange(count, dtype=np.float32)
        return (index * np.float32(step) + np.float32(start)).astype(dtype)
    index = np.arange(count, dtype=np.float64)
    values = fused(index, step, start)
    if count < 2 * lanes:
        return values.astype(dtype)
    block = index[: count - count % (2 * lanes)].reshape(-1, lanes)
    first = fused(block[:, :1], step, start).astype(dtype).astype(np.float64)
    values[: block.size] = fused(block[:1], step, first).ravel()
    return values.astype(dtype)


def arange_count(start: Any, end: Any, step: Any) -> int:
    """Return how many numbers ``arange(start, end, step)`` has.

    Raises:
        RuntimeError: the step is 0 or leads away from `end`, or a number is not finite.
    """
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {_short(start)} -> {_short(end)}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if all(isinstance(x, int) for x in (start, end, step)):
        return -((start - end) // step)
    return math.ceil((end - start) / step)


def _short(x: Any) -> str:
    return f"{x:g}"


def between(start: Any, end: Any, steps: int, dtype: np.dtype) -> np.ndarray:
    """Return `steps` numbers from `start` to `end`: the first half counted from the one, the rest from the other."""
    kind = np.dtype("float64") if dtype.kind != "f" else dtype
    if dtype.kind != "f":
        start, end = int(start), int(end)
    first, last = kind.type(start), kind.type(end)
    if steps == 1:
        return np.array([first]).astype(dtype)
    step = float((last - first) / kind.type(max(steps - 1, 1)))
    index = np.arange(steps, dtype=np.float64)
    if dtype == np.float16:  # each step is rounded
        index, small = index.astype(dtype), dtype.type(step)
        return np.where(index < steps // 2, first + index * small, last - index[::-1] * small)
    up, down = fused(index, step, float(first)), fused(index[::-1], -step, float(last))
    return np.where(index < steps // 2, up, down).astype(dtype)


# ---- the functions


def _number(x: Any) -> Any:
    """Return `x` as a number of Python; None if it is none."""
    if isinstance(x, TensorBase):
        return None if x._array.ndim else x._array.item()
    if isinstance(x, np.generic):
        return x.item()
    return x if isinstance(x, (int, float)) else None


def _spaced_arguments(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    """Return start, end and step of ``arange(end)``, ``arange(start, end)`` or ``arange(start, end, step)``."""
    given = dict(named)
    if len(args) == 1 and "start" not in given and "end" not in given:
        given["end"] = args[0]
    else:
        for key, value in zip(("start", "end", "step"), args, strict=False):
            if key in given and len(args) == 1 and key == "start":
                key = "end"
            given[key] = value
    if "end" not in given or len(args) > 3:
        raise invalid_call(name, args, named)
    values = [given.get("start", 0), given["end"], given.get("step", 1)]
    numbers = [_number(x) for x in values]
    if None in numbers:
        wrong = values[numbers.index(None)]
        if len(args) == 1 and not named:
            raise TypeError(
                f"{name}(): argument 'end' (position 1) must be Number, not {name_of_type(wrong)}"
            )
        raise invalid_call(name, args, named)
    return numbers


@shown_as(f"start=0, end=None, step=1, *, out=None, {OPTIONS}")
def arange(*args: Any, **options: Any) -> Tensor:
    """Return the numbers from `start` (0 when left out) up to, not including, `end`.

    Call it as ``arange(end)``, ``arange(start, end)`` or ``arange(start, end, step)``. The numbers are
    int64 where all arguments are integers, else of the default dtype; see `zeros` for the options.

    Raises:
        TypeError: an argument is no number.
        RuntimeError: the step is 0, or leads away from `end`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.arange.html

    Example:
        >>> import nbmodule
        >>> nbmodule.arange(1, 2, 0.25)
        tensor([1.0000, 1.2500, 1.5000, 1.7500])
    """
    named = {k: options.pop(k) for k in ("start", "end", "step") if k in options}
    start, end, step = _spaced_arguments("arange", args, named)
    found, out = options_of("arange", options)
    whole = all(isinstance(x, int) for x in (start, end, step))
    default = _dtypes.int64 if whole else _dtypes.get_default_dtype()
    kind = found["dtype"] or (out.dtype if out is not None else default)
    if kind is _dtypes.bool_:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    count = arange_count(start, end, step)
    if kind is _dtypes.int64 and not whole:  # whole numbers from the beginning
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise ValueError("step must be nonzero")
        count = arange_count(start, end, step)
    return result_of(steps_from(start, step, count, kind.numpy), found, out)


@shown_as(f"start=0, end=None, step=1, *, out=None, {OPTIONS}")
def range(start: Any = 0, end: Any = None, step: Any = 1, **options: Any) -> Tensor:
    """Return the numbers from `start` to `end`, both included. Deprecated: use `arange`."""
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is "
        "inconsistent with Python's range builtin. Instead, use torch.arange, which produces values in "
        "[start, end).",
        UserWarning,
        stacklevel=2,
    )
    if end is None:
        start, end = 0, start
    start, end, step = (_number(x) for x in (start, end, step))
    found, out = options_of("range", options)
    arange_count(start, end, step)
    kind = (found["dtype"] or _dtypes.get_default_dtype()).numpy
    count = math.floor((end - start) / step) + 1
    return result_of(steps_from(start, step, count, kind), found, out)


def _ends(name: str, start: Any, end: Any, steps: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return both ends as numbers.

    Raises:
        TypeError: an end is no number, or `steps` no int.
        RuntimeError: an end is a tensor with dimensions, or `steps` is negative.
    """
    for key, x in (("start", start), ("end", end)):
        if isinstance(x, TensorBase) and x._array.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {key} with "
                f"{x._array.ndim} dimension(s)."
            )
    given = [x for x in (start, end, steps) if x is not None]
    no_count = isinstance(steps, (bool, float)) or not hasattr(steps, "__index__")
    if _number(start) is None or _number(end) is None or no_count:
        raise invalid_call(name, given, {})
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return _number(start), _number(end)


@shown_as(f"start, end, steps, *, out=None, {OPTIONS}")
def linspace(start: Any, end: Any, steps: Any = None, **options: Any) -> Tensor:
    """Return `steps` numbers evenly from `start` to `end`, both included.

    Args:
        start: the first number, or a tensor of one.
        end: the last.
        steps: how many.
        **options: see `zeros`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linspace.html
    """
    low, high = _ends("linspace", start, end, steps, options)
    found, out = options_of("linspace", options)
    kind = found["dtype"] or (out.dtype if out is not None else _dtypes.get_default_dtype())
    if kind is _dtypes.bool_:
        raise NotImplementedError("\"linspace_cpu\" not implemented for 'Bool'")
    low, high = fill_number(low, kind), fill_number(high, kind)
    return result_of(between(low, high, int(steps), kind.numpy), found, out)


@shown_as(f"start, end, steps, base=10.0, *, out=None, {OPTIONS}")
def logspace(start: Any, end: Any, steps: Any = None, base: float = 10.0, **options: Any) -> Tensor:
    """Return `steps` powers of `base`, whose exponents run evenly from `start` to `end`.

    Args:
        start: the first exponent, or a tensor of one.
        end: the last.
        steps: how many.
        base: what is raised to these exponents.
        **options: see `zeros`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.logspace.html
    """
    low, high = _ends("logspace", start, end, steps, options)
    found, out = options_of("logspace", options)
    dtype = found["dtype"] or (out.dtype if out is not None else _dtypes.get_default_dtype())
    if dtype is _dtypes.bool_:
        raise NotImplementedError("\"logspace_cpu\" not implemented for 'Bool'")
    low, high, kind = fill_number(low, dtype), fill_number(high, dtype), dtype.numpy
    exponents = between(low, high, int(steps), kind if kind.kind == "f" else np.dtype("float64"))
    be_silent()
    values = np.power(float(base), exponents.astype(np.float64)).astype(kind)
    return result_of(values, found, out)
