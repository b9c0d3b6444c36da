"""Norms, condition numbers and distances: functions of ``nbmodule.linalg`` and beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

from .. import _dtypes
from .._engine import TensorBase, renamed
from .._errors import broadcast_text, name_of_type
from .._ops import linalg_norms as n
from .._ops.reduce import axes_of, axis_of
from . import linalg_checks as check
from .common import kind_of, names_no_axis
from .linalg_decompositions import svdvals
from .linalg_solving import inv, inv_ex

Tensor = Any
"""A tensor: this file lies below the class."""

Order = float | int | str | None
Dims = int | Sequence[int] | None


def _in_type(x: Any, dtype: _dtypes.dtype | None, function: str) -> Any:
    """Return `x` in `dtype`, which must be able to hold its numbers."""
    if dtype is None:
        return x
    if dtype.category < _dtypes.FLOATING:
        raise RuntimeError(
            f"{function}: dtype should be floating point or complex, but got " + dtype.scalar_name
        )
    if _dtypes.promote_types(x.dtype, dtype) is not dtype:
        raise RuntimeError(
            f"{function}: the dtype of the input ({kind_of(x)}) should be convertible without narrowing "
            f"to the specified dtype ({dtype.scalar_name})"
        )
    return x.to(dtype)


def vector_norm(input: Tensor, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
    """Return ``(sum |input|^ord)^(1/ord)`` over `dim`, or over all elements.

    Args:
        input: any shape.
        ord: a number; inf is the largest size, -inf the smallest, 0 counts what is not 0.
        dim: an int, several, or None for all.
        keepdim: keep the dimensions, with length 1.
        dtype: to compute in.

    Raises:
        RuntimeError: `input` holds integers, or there is nothing to choose the largest from.
    """
    check.tensor("linalg_vector_norm", input=input)
    given: Any = ord
    ord = given._array.item() if isinstance(given, TensorBase) else given
    if not isinstance(ord, Real):
        raise TypeError(
            "linalg_vector_norm(): argument 'ord' (position 2) must be Number, not "
            f"{name_of_type(ord)}"
        )
    check.floating(input, "linalg.vector_norm")
    axes = tuple(sorted(axes_of(dim, input.ndim)))
    if ord < 0 or ord == math.inf:
        refuse_empty(input, ord, dim)
    input = _in_type(input, dtype, "linalg.vector_norm")
    return n.vector_norm(input, p=float(ord), axes=axes, keepdim=keepdim)


def refuse_empty(x: Any, ord: float, dim: Any) -> None:
    """Raise if there is nothing to take the largest or smallest of."""
    if dim is None or names_no_axis(dim):
        if not x.numel():
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {ord:g} norm on an empty tensor because the "
                "operation does not have an identity"
            )
        return
    for axis in dim if isinstance(dim, (list, tuple)) else (dim,):
        if x.ndim and x.shape[axis] == 0:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {ord:g} norm on the dimension {axis}because this "
                "dimension is empty and the operation does not have an identity"
            )


def matrix_norm(input: Tensor, ord: Order = "fro", dim: Sequence[int] = (-2, -1), keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
    """Return a norm of each matrix that two dimensions span.

    Args:
        input: (..., M, N).
        ord: "fro" (root of the sum of squares), "nuc" (sum of singular values), 2 and -2 (the largest
            and smallest one), 1 and -1 (of the sums of columns), inf and -inf (of the sums of rows).
        dim: which two dimensions.
        keepdim: keep them, with length 1.
        dtype: to compute in.

    Raises:
        RuntimeError: the order is another, or the type or dimensions do not fit.
    """
    name = "linalg.matrix_norm"
    check.tensor("linalg_matrix_norm", input=input)
    if isinstance(dim, int):
        raise TypeError(
            "linalg_matrix_norm() received an invalid combination of arguments - got (Tensor, dim=int), "
            "but expected one of:\ntwo ints as `dim`."
        )
    check.floating(input, name)
    check.matrices(input, name)
    dims = list(dim)
    if len(dims) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    rows, columns = (axis_of(d, input.ndim) for d in dims)
    if rows == columns:
        raise RuntimeError(f"{name}: dims must be different. Got ({rows}, {columns})")
    known = ("fro", "nuc") if isinstance(ord, str) else (1, -1, 2, -2, math.inf, -math.inf)
    if ord not in known:
        raise RuntimeError(f"{name}: Order {ord} not supported.")
    input = _in_type(input, dtype, name)
    if ord == "fro":
        return vector_norm(input, 2, (rows, columns), keepdim)
    if ord in ("nuc", 2, -2):
        return _by_singular_values(input, ord, rows, columns, keepdim)
    summed, other = (columns, rows) if abs(float(ord)) == math.inf else (rows, columns)  # type: ignore[arg-type]
    sums = vector_norm(input, 1, summed, keepdim=True)
    if not sums.shape[other] and ord > 0:  # type: ignore[operator]
        return sums.sum((rows, columns), keepdim)
    out = sums.amax(other, True) if ord > 0 else sums.amin(other, True)  # type: ignore[operator]
    return out if keepdim else _without(out, rows, columns)


def _without(t: Any, rows: int, columns: int) -> Any:
    name = t.grad_fn.name() if t.grad_fn is not None else ""
    sizes = [m for i, m in enumerate(t.shape) if i not in (rows, columns)]
    return renamed(t.reshape(sizes), name)


def _by_singular_values(A: Any, ord: Any, rows: int, columns: int, keepdim: bool) -> Any:
    rest = [i for i in range(A.ndim) if i not in (rows, columns)]
    values = svdvals(A.permute([*rest, rows, columns]))
    if not values.shape[-1] and ord == -2:
        raise IndexError("amin(): Expected reduction dim -1 to have non-zero size.")
    if ord == "nuc" or not values.shape[-1]:
        out = values.sum(-1)
    else:
        out = values.amax(-1) if ord > 0 else values.amin(-1)
    if not keepdim:
        return out
    return out.reshape([1 if i in (rows, columns) else m for i, m in enumerate(A.shape)])


def norm(input: Tensor, ord: Order = None, dim: Dims = None, keepdim: bool = False, *, dtype: _dtypes.dtype | None = None) -> Tensor:  # fmt: skip
    """Return a norm of vectors or of matrices.

    Args:
        input: any shape; 1 or 2 dimensions, if `ord` is given without `dim`.
        ord: see `vector_norm` and `matrix_norm`; None is the root of the sum of squares.
        dim: one dimension for vectors, two for matrices.
        keepdim: keep the dimensions, with length 1.
        dtype: to compute in.

    Raises:
        RuntimeError: the order or the dimensions do not fit.
    """
    check.tensor("linalg_norm", input=input)
    dims = None if dim is None else list(dim) if isinstance(dim, Sequence) else [dim]
    if ord is not None:
        if dims is None and input.ndim not in (1, 2):
            raise RuntimeError(
                "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
                f"{input.ndim}D."
            )
        if dims is not None and len(dims) not in (1, 2):
            raise RuntimeError(
                f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {dims}"
            )
    elif dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {dims}"
        )
    if ord is None:
        return vector_norm(input, 2, dims, keepdim, dtype=dtype)
    is_matrix = isinstance(ord, str) or (len(dims) == 2 if dims is not None else input.ndim == 2)
    if not is_matrix:
        return vector_norm(input, ord, dims, keepdim, dtype=dtype)  # type: ignore[arg-type]
    return matrix_norm(input, ord, (-2, -1) if dims is None else dims, keepdim, dtype=dtype)


def cond(input: Tensor, p: Order = None) -> Tensor:
    """Return the norm of each matrix times that of its inverse: how much equations amplify errors.

    Args:
        input: (..., M, N); square unless `p` is None, 2 or -2.
        p: see `matrix_norm`; None is 2.

    Raises:
        RuntimeError: the order is another, or the matrices are not square.
    """
    if input.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p is None or p in (2, -2):
        values = svdvals(input)
        if not values.numel():
            return values.new_zeros(input.shape[:-2])
        largest, smallest = values[..., 0], values[..., -1]
        return smallest / largest if p == -2 else largest / smallest
    known = ("fro", "nuc") if isinstance(p, str) else (1, -1, math.inf, -math.inf)
    if p not in known:
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    check.square(input, f"linalg.cond(ord={p})")
    if p == "nuc":
        return matrix_norm(input, p) * matrix_norm(inv(input), p)
    inverse, info = inv_ex(input)
    whole = inverse.masked_fill(info.gt(0)[..., None, None], math.inf)
    out = matrix_norm(input, p) * matrix_norm(whole, p)
    return out.masked_fill(out.isnan(), math.inf)


# ---- distances


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:  # fmt: skip
    """Return the distance of each row of `x1` from each row of `x2`.

    Args:
        x1: (..., P, M).
        x2: (..., R, M).
        p: of the norm, 0 to inf.
        compute_mode: one of PyTorch's three ways; they differ by rounding, and here not even by that.

    Raises:
        RuntimeError: the shapes or types do not fit.
        ValueError: the mode is unknown.
    """
    modes = "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"  # fmt: skip
    if compute_mode not in modes:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    check.tensor("cdist", x1=x1, x2=x2)
    for name, x in (("X1", x1), ("X2", x2)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}"
        )
    for name, x in (("X1", x1), ("X2", x2)):
        if x._array.dtype.kind != "f":
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, {name} got: {kind_of(x)}"
            )
    check.scalar_type(x1, x2)
    if not isinstance(p, (int, float)):
        raise TypeError(f"cdist(): argument 'p' (position 3) must be float, not {name_of_type(p)}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    a, b = tuple(x1.shape[:-2]), tuple(x2.shape[:-2])
    if any(m != k and 1 not in (m, k) for m, k in zip(reversed(a), reversed(b), strict=False)):
        raise RuntimeError(broadcast_text([a, b]))
    check.implemented(x1, "cdist")
    return n.cdist(x1, x2, p=float(p))


def pdist(input: Tensor, p: float = 2) -> Tensor:
    """Return the p-norm of the difference of each row of `input` from each later row.

    Args:
        input: (N, M)
        p: of the norm, 0 to inf.

    Returns:
        (N * (N - 1) / 2,) distances: of row 0 from rows 1, 2, ..., then of row 1 from rows 2, 3, ...

    Raises:
        RuntimeError: the input has not 2 dimensions or does not hold floats, or `p` is negative.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pdist.html

    Example:
        >>> import nbmodule
        >>> nbmodule.pdist(nbmodule.tensor([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]]))
        tensor([5., 3., 4.])
    """
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if input._array.dtype.kind != "f":
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    if input.dtype is _dtypes.float16 and input.shape[0] > 1 and input.shape[1]:
        raise NotImplementedError("\"pdist\" not implemented for 'Half'")
    return n.pdist(input, p=float(p))
