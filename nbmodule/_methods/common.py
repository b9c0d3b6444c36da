"""What many methods share: the array library, the name of a type, the axes that `dim` names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _dtypes
from .._backend import library_of
from .._data import fill_number
from .._engine import TensorBase
from .._errors import invalid_call
from .._ops import reduce as r

Dims = int | Sequence[int] | None


class _NotGiven:
    """What stands for `dim` where it was left out: all dimensions, as for None."""

    def __repr__(self) -> str:
        return "None"


NOT_GIVEN: Any = _NotGiven()
"""The default of `dim` in `sum` and `mean`, whose nodes PyTorch calls otherwise where None was given."""


def library(t: TensorBase) -> Any:
    """Return the array library that holds the elements of `t`."""
    return library_of(t._array)


def kind_of(*operands: Any) -> str:
    """Return what PyTorch's messages call the type of a tensor, or that in which several operands meet: "Float"."""
    if len(operands) == 1:
        return _dtypes.of_numpy[operands[0]._array.dtype].scalar_name
    return _dtypes.result_type(*(getattr(x, "_array", x) for x in operands)).scalar_name


def not_implemented(kernel: str, *operands: Any) -> NotImplementedError:
    """Return PyTorch's error for tensors of a type that its `kernel` does not take."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{kind_of(*operands)}'")


def limits(kind: np.dtype) -> tuple[Any, Any]:
    """Return the smallest and the largest number of a NumPy dtype."""
    if kind.kind == "f":
        return -math.inf, math.inf
    if kind.kind == "b":
        return False, True
    found = np.iinfo(kind)
    return int(found.min), int(found.max)


def element_of(t: TensorBase, value: Any) -> Any:
    """Return `value`, a number or a tensor of one, in the type of `t`, to be put among its elements.

    Raises:
        RuntimeError: it does not fit.
    """
    kind = _dtypes.of_numpy[t._array.dtype]
    if not isinstance(value, TensorBase):
        return fill_number(value, kind) if isinstance(value, (int, float)) else value
    if value._array.dtype == t._array.dtype:
        return value
    fill_number(value._array.item(), kind)
    return value.to(kind)  # type: ignore[attr-defined]


def factor_in(common: _dtypes.dtype, name: str, factor: Any) -> Any:
    """Return `factor`, the argument called `name`, as it multiplies elements of the type `common`.

    Raises:
        RuntimeError: it is of another kind than they are, or does not fit.
    """
    if isinstance(factor, bool) and common is not _dtypes.bool_:
        raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    if isinstance(factor, float) and not common.is_floating_point:
        raise RuntimeError(
            f"For integral input tensors, argument {name} must not be a floating point number."
        )
    return fill_number(factor, common)


def axes_for(name: str, dim: Any, t: TensorBase) -> tuple[int, ...]:
    """Return the axes that `dim` names; all of them for None and ()."""
    if isinstance(dim, (str, float, bool)):
        raise invalid_call(name, (dim,), {})
    return r.axes_of(dim, t._array.ndim)


def names_no_axis(dim: Any) -> bool:
    """Return whether `dim` is an empty list; ``dim == []`` asks a number of NumPy element by element."""
    return isinstance(dim, (list, tuple)) and not dim


def nonempty_axes(name: str, dim: Any, t: TensorBase) -> tuple[int, ...]:
    """Return the axes that `dim` names, which must hold an element to choose from.

    Raises:
        RuntimeError: there is none.
        IndexError: there is none along one of the axes.
    """
    axes = axes_for(name, dim, t)
    if (dim is None or names_no_axis(dim)) and not t._array.size:
        text = f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
        if name.startswith("arg"):
            raise IndexError(text)
        raise RuntimeError(text + " Specify the reduction dim with the 'dim' argument.")
    for axis in axes:
        if not t._array.shape[axis]:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
    return axes
