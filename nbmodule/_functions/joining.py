"""Functions that join tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _dtypes
from .._engine import rare, renamed, wants_grad, wrap
from .._errors import name_of_type
from .._methods.common import library
from .._methods.layout import tidy
from .._ops import shape as s
from .._ops.reduce import axis_of
from .._tensor import Tensor
from ._out import check_out, write_out
from ._wrap import numpy_names
from .shapes import atleast_1d, atleast_2d, atleast_3d


@numpy_names
def cat(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return the tensors one after the other along `dim`.

    Raises:
        ValueError: there are none.
        RuntimeError: their shapes differ elsewhere than along `dim`.
    """
    tensors = _same_type(
        "cat", tensors, ValueError("nbmodule.cat(): expected a non-empty list of Tensors")
    )
    shapes = [x._array.shape for x in tensors]
    if () in shapes:
        raise RuntimeError(
            f"zero-dimensional tensor (at position {shapes.index(())}) cannot be concatenated"
        )
    first = next((shape for shape in shapes if shape != (0,)), shapes[0])
    axis = axis_of(dim, len(first))
    if (0,) in shapes and first != (0,):
        nothing = (*first[:axis], 0, *first[axis + 1 :])  # an empty vector joins anything
        tensors = [x.reshape(nothing) if x._array.shape == (0,) else x for x in tensors]
    for number, x in enumerate(tensors):
        shape = x._array.shape
        if shape == first:
            continue
        if len(shape) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}"
            )
        for a, (m, n) in enumerate(zip(first, shape, strict=True)):
            if a != axis and m != n:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {m} but got "
                    f"size {n} for tensor number {number} in the list."
                )
    return _written("cat", s.cat(*tensors, axis=axis), out)


concat = concatenate = cat


@numpy_names
def stack(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return the tensors, all of one shape, along a new dimension `dim`.

    Raises:
        RuntimeError: there are none, or their shapes differ.
    """
    tensors = _same_type("stack", tensors, RuntimeError("stack expects a non-empty TensorList"))
    arrays = [x._array for x in tensors]
    first = arrays[0].shape
    for number, a in enumerate(arrays):
        if a.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(a.shape)} at entry {number}"
            )
    plain = (
        set(map(type, arrays)) == {np.ndarray}
        and not rare
        and not any(x._keeps_class for x in tensors)
    )
    if plain and dim == 0 and out is None and not any(map(wants_grad, tensors)):
        return wrap(np.array(arrays))  # a batch of samples: nothing is recorded, and this is quick
    joined = tidy(s.stack(*tensors, axis=axis_of(dim, len(first) + 1)))
    return _written("stack", joined, out)


def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the tensors side by side: along dimension 1, or 0 for vectors."""
    given = atleast_1d(_listed("hstack", tensors))
    return cat(given, 0 if given[0].ndim == 1 else 1, out=out)


def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the tensors on top of each other, along dimension 0; vectors are rows."""
    return cat(atleast_2d(_listed("vstack", tensors)), 0, out=out)


row_stack = vstack


def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the tensors behind each other, along dimension 2."""
    return cat(atleast_3d(_listed("dstack", tensors)), 2, out=out)


def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the tensors side by side along dimension 1; vectors are columns."""
    given = _listed("column_stack", tensors)
    columns = [x.reshape(x.numel(), 1) if x.ndim <= 1 else x for x in given]
    return hstack(columns, out=out)


def block_diag(*tensors: Any) -> Tensor:
    """Return a matrix with the tensors along its diagonal, and zeros elsewhere.

    Raises:
        RuntimeError: a tensor has more than two dimensions.
    """
    for position, x in enumerate(tensors):
        if x.ndim > 2:
            raise RuntimeError(
                "nbmodule.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                f"{position} has {x.ndim} dimensions"
            )
    if not tensors:
        return wrap(np.zeros((1, 0), _dtypes.get_default_dtype().numpy))
    common = _dtypes.result_type(*(x._array for x in tensors))
    blocks = [atleast_2d(x).to(common) for x in tensors]
    width, xp = sum(b.shape[1] for b in blocks), library(blocks[0])
    rows, before = [], 0
    for b in blocks:
        n, m = b.shape
        sides = (wrap(xp.zeros((n, k), common.numpy)) for k in (before, width - before - m))
        left, right = sides
        rows.append(cat([left, b, right], 1))
        before += m
    return renamed(cat(rows), "BlockDiagBackward0")


def _written(name: str, joined: Tensor, out: Tensor | None) -> Tensor:
    """Return `joined`, or ``out`` with its elements.

    Raises:
        RuntimeError: a gradient is wanted, or the dtype does not fit.
    """
    if out is None:
        return joined
    check_out(name, out, (joined,))
    if name == "cat" and joined.dtype.category > out.dtype.category:
        kind = out.dtype.scalar_name
        raise TypeError(
            f"nbmodule.cat(): input types can't be cast to the desired output type {kind}"
        )
    return write_out(name, joined, out)


def _listed(name: str, tensors: Any) -> list[Tensor]:
    """Return `tensors` as a list.

    Raises:
        TypeError: it is no list of tensors.
        RuntimeError: it is empty.
    """
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            f"{name_of_type(tensors)}"
        )
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    for position, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"expected Tensor as element {position} in argument 0, but got {name_of_type(x)}"
            )
    return list(tensors)


def _same_type(name: str, tensors: Any, empty: Exception) -> list[Tensor]:
    """Return the tensors in their common dtype."""
    if isinstance(tensors, (list, tuple)) and not tensors:
        raise empty
    given = _listed(name, tensors)
    if len({x._array.dtype for x in given}) == 1:
        return given
    common = _dtypes.result_type(*(x._array for x in given))
    return [x.to(common) for x in given]
