"""Products of several tensors, powers, and cross products: functions beside Tensor's methods."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from .. import _dtypes
from .._engine import TensorBase, renamed, wrap
from .._errors import broadcast_text, name_of_type, warn_once
from .._ops import linalg_products as products
from .._ops import linalg_solving as s
from .._ops.elementwise import where
from .._ops.reduce import axis_of
from .._ops.shape import stack
from . import deprecations
from . import linalg_checks as check
from .common import library
from .linalg_solving import inv

Tensor = Any
"""A tensor: this file lies below the class."""


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """Return the product of matrices, multiplied in the order that takes the fewest steps.

    Args:
        tensors: two or more, (N, K), (K, M), and so on; the first and the last may be vectors.

    Raises:
        RuntimeError: there are too few, or the shapes do not fit.
    """
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            "linalg_multi_dot(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            f"{name_of_type(tensors)}"
        )
    given = list(tensors)
    name = "multi_dot()"
    if len(given) < 2:
        raise RuntimeError(f"{name}: expected at least 2 tensors but got {len(given)}")
    for place, x in (("first", given[0]), ("last", given[-1])):
        if x.ndim not in (1, 2):
            raise RuntimeError(f"{name}: the {place} tensor must be 1D or 2D but got {x.ndim}D")
    for i, x in enumerate(given[1:-1], 1):
        if x.ndim != 2:
            raise RuntimeError(f"{name}: tensor {i} must be 2D but got {x.ndim}D")
    for i, x in enumerate(given):
        if x.dtype is not given[0].dtype:
            raise RuntimeError(
                f"{name}: all tensors must have be the same dtype but tensor 0 is "
                f"{check.c_kind(given[0])} and tensor {i} {check.c_kind(x)}"
            )
    first, last = given[0].ndim == 1, given[-1].ndim == 1
    whole = [*given]
    whole[0] = whole[0].unsqueeze(0) if first else whole[0]
    whole[-1] = whole[-1].unsqueeze(-1) if last else whole[-1]
    for i, (a, b) in enumerate(pairwise(whole)):
        if a.shape[1] != b.shape[0]:
            raise RuntimeError(
                f"{name}: tensors {i} and {i + 1} with shapes {list(given[i].shape)} and "
                f"{list(given[i + 1].shape)} cannot be multiplied"
            )
    out = _chain(whole)
    shape = ([] if first else [out.shape[0]]) + ([] if last else [out.shape[1]])
    return renamed(out.reshape(shape), "ViewBackward0")


def _chain(matrices: list[Any]) -> Any:
    """Return the product of `matrices`, cut where the two halves are cheapest."""
    sizes = [matrices[0].shape[0], *(m.shape[1] for m in matrices)]

    @cache
    def cheapest(i: int, j: int) -> tuple[int, int]:
        """Return the cost of the product of matrices i to j - 1, and where to cut it."""
        if j - i == 1:
            return 0, i
        return min(
            (cheapest(i, k)[0] + cheapest(k, j)[0] + sizes[i] * sizes[k] * sizes[j], k)
            for k in range(i + 1, j)
        )

    def product(i: int, j: int) -> Any:
        if j - i == 1:
            return matrices[i]
        k = cheapest(i, j)[1]
        return product(i, k).mm(product(k, j))

    return product(0, len(matrices))


def chain_matmul(*matrices: Tensor) -> Tensor:
    """Return the product of matrices: the older `nbmodule.linalg.multi_dot`."""
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    warn_once(deprecations.CHAIN_MATMUL, 3)
    for position, x in enumerate(matrices):
        if not isinstance(x, TensorBase):
            raise TypeError(
                f"expected Tensor as element {position} in argument 0, but got {name_of_type(x)}"
            )
    return matrices[0].clone() if len(matrices) == 1 else multi_dot(matrices)


def matrix_power(input: Tensor, n: int) -> Tensor:
    """Return each matrix (..., N, N) to the power `n`; a negative one takes the inverse.

    Raises:
        RuntimeError: the matrices are not square.
        TypeError: `n` is not an int.
        LinAlgError: `n` is negative, and a matrix is singular.
    """
    check.tensor("linalg_matrix_power", input=input)
    check.whole_number("matrix_power", "n", 2, n)
    check.square(input, "linalg.matrix_power")
    if n == 0:
        one = wrap(library(input).eye(input.shape[-1], dtype=input._array.dtype))
        # recorded, although no element of it is one of `input`
        return renamed(where(one.lt(0), input, one), "CopyBackwards")
    if n < 0:
        input, n = inv(input), -n
    if n == 1:
        return input.clone()
    out, square = None, input
    while True:
        if n & 1:
            out = square if out is None else out.matmul(square)
        n >>= 1
        if not n:
            return out
        square = square.matmul(square)


def matrix_exp(input: Tensor) -> Tensor:
    """Return the exponential of each matrix X (..., N, N), ``1 + X + X @ X / 2`` and so on.

    Raises:
        RuntimeError: the matrices are not square, or hold integers.
    """
    check.tensor("linalg_matrix_exp", input=input)
    check.square(input, "linalg.matrix_exp")
    check.floating(input, "linalg.matrix_exp")
    if input._array.dtype.itemsize == 2:
        return s.matrix_exp(input.to(_dtypes.float32)).to(input.dtype)
    return s.matrix_exp(input)


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """Return the vector orthogonal to both, for vectors of length 3 along `dim`.

    Raises:
        RuntimeError: the number of dimensions differs, or the length is another.
    """
    check.tensor("linalg_cross", input=input, other=other)
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = axis_of(dim, input.ndim)
    if input.shape[axis] != 3 or other.shape[axis] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[axis]} and "
            f"{other.shape[axis]}"
        )
    for m, n in zip(input.shape, other.shape, strict=True):
        if m != n and 1 not in (m, n):
            raise RuntimeError(broadcast_text([tuple(input.shape), tuple(other.shape)]))
    check.scalar_type(input, other)
    return products.cross(input, other, axis=axis - input.ndim)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Return the inner products of vectors along `dim`; the other dimensions broadcast.

    Raises:
        RuntimeError: the numbers are integers, or of two types.
    """
    check.tensor("linalg_vecdot", x=x, y=y)
    check.floating(x, "linalg.vecdot")
    check.same_type(x, y, "linalg.vecdot", ("x", "y"))
    return x.mul(y).sum(dim)


def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Return ``x ** 0, x ** 1, ..., x ** (N - 1)`` along a new last dimension.

    Args:
        x: (..., K); a number counts as a vector of one.
        N: K by default.

    Raises:
        RuntimeError: `N` is less than 2.
    """
    x = x if x.ndim else x.reshape(1)
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    x = x if x._array.dtype.kind == "f" else x.to(_dtypes.int64)
    powers = [x.new_ones(x.shape)]
    for _ in range(n - 1):
        powers.append(powers[-1] * x if len(powers) > 1 else x)
    return renamed(stack(*powers, axis=x.ndim), "CatBackward0")
