"""LU decompositions and least squares: functions of ``nbmodule.linalg``."""

from __future__ import annotations

from typing import Any

from .._engine import renamed, wrap
from .._ops import linalg_decompositions as d
from .._ops import linalg_solving as s
from ..return_types import results
from . import linalg_checks as check
from .common import kind_of, library
from .linalg_decompositions import matrix_rank, pinv, svdvals
from .linalg_solving import solve_triangular

Tensor = Any
"""A tensor: this file lies below the class."""

Lu = results("linalg_lu", "P", "L", "U")
LuFactor = results("linalg_lu_factor", "LU", "pivots")
LuFactorEx = results("linalg_lu_factor_ex", "LU", "pivots", "info")
LuUnpack = results("lu_unpack", "P", "L", "U")
Lstsq = results("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Return what `lu_factor` returns, and for each matrix 0, or which pivot was 0."""
    return LuFactorEx(_lu(A, pivot, "lu_factor_ex" if check_errors else None))


def _lu(A: Any, pivot: bool, raising: str | None) -> tuple[Any, Any, Any]:
    check.tensor("linalg_lu_factor", A=A)
    if A.ndim < 2:
        raise RuntimeError(
            f"nbmodule.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} "
            "instead"
        )
    check.implemented(A, "lu_cpu")
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    xp = library(A)
    raw, pivots = s.factor(xp, A._array)
    info = xp.asarray(s.first_zero(xp, raw))
    if raising and info.any():
        first = int(info.reshape(-1).nonzero()[0][0])
        n = int(info.reshape(-1)[first])
        where = f"(Batch element {first}): " if info.ndim else ""
        raise RuntimeError(
            f"nbmodule.linalg.{raising}: {where}U[{n},{n}] is zero and using it on lu_solve would result in a "
            "division by zero. If you still want to perform the factorization, consider calling "
            f"linalg.lu(A, pivot) or linalg.{raising.removesuffix('_ex')}_ex(A, pivot)"
        )
    out = d.lu_factor(A, order=d.order_of(xp, pivots, A.shape[-2]))
    return out, wrap(pivots), wrap(info)


def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """Return L and U in one matrix, and for each step the row, from 1, that it took (int32).

    Raises:
        RuntimeError: a pivot is 0; `lu_factor_ex` does not mind.
    """
    return LuFactor(_lu(A, pivot, "lu_factor")[:2])


def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:  # fmt: skip
    """Return P, L and U from what `lu_factor` returns; what is not wanted is an empty tensor."""
    if LU_pivots._array.dtype.name != "int32":
        raise RuntimeError(
            "nbmodule.lu_unpack: LU_pivots is expected to be a contiguous tensor of nbmodule.int32 dtype."
        )
    xp, (m, n) = library(LU_data), LU_data.shape[-2:]
    k, kind = min(m, n), LU_data._array.dtype
    p = low = up = LU_data.new_zeros((0,))
    if unpack_pivots:
        order = d.order_of(xp, LU_pivots._array, m)
        p = wrap((xp.arange(m)[:, None] == order[..., None, :]).astype(kind))
    if unpack_data:
        zero = wrap(xp.zeros((), kind))
        below, above = wrap(xp.tri(m, k, -1, dtype=bool)), wrap(xp.tri(n, k, dtype=bool).T.copy())
        low = LU_data[..., :k].where(below, zero) + wrap(xp.eye(m, k, dtype=kind))
        up = LU_data[..., :k, :].where(above, zero)
    return LuUnpack((p, renamed(low, "LuUnpackBackward0"), renamed(up, "LuUnpackBackward0")))


def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """Return P, L and U with ``A == P @ L @ U``: a permutation, a lower and an upper triangle."""
    check.tensor("linalg_lu", A=A)
    if A.ndim < 2:
        raise RuntimeError(
            f"linalg.lu: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead"
        )
    p, low, up = lu_unpack(*_lu(A, pivot, None)[:2])
    return Lu((p, *(renamed(x, "LinalgLuBackward0") for x in (low, up))))


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:  # fmt: skip
    """Return X with ``A @ X == B`` (or ``X @ A == B``), by the result of ``lu_factor(A)``.

    Args:
        LU: L and U, from `lu_factor`.
        pivots: the rows exchanged, from `lu_factor`.
        B: (..., N, K), or (..., K, N) for ``left=False``.
        left: on which side A stands.
        adjoint: put the transpose of A in its place.
    """
    check.square(LU, "linalg.lu_solve", "LU")
    check.matrices(B, "linalg.lu_solve", "B")
    if pivots._array.dtype.name != "int32":
        raise RuntimeError(
            "linalg.lu_solve: pivots should be a Tensor of scalar type nbmodule.int32"
        )
    p, low, up = lu_unpack(LU, pivots)
    if not left:
        turned = lu_solve(LU, pivots, B.transpose(-1, -2), adjoint=not adjoint)
        return renamed(turned.transpose(-1, -2), "LinalgLuSolveBackward0")
    if adjoint:
        half = solve_triangular(up.transpose(-1, -2), B, upper=False)
        out = p @ solve_triangular(low.transpose(-1, -2), half, upper=True)
    else:
        out = solve_triangular(low, p.transpose(-1, -2) @ B, upper=False)
        out = solve_triangular(up, out, upper=True)
    return renamed(out, "LinalgLuSolveBackward0")


# ---- least squares


def lstsq(
    input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None
) -> Any:
    """Return the X with the smallest ``|input @ X - b|``, of several the smallest.

    Args:
        input: (..., M, N).
        b: (..., M, K), or (..., M).
        rcond: singular values up to this part of the largest count as 0; ``max(M, N) * eps`` by default.
        driver: "gelsy" (the default), "gelsd", "gelss" or "gels": which of the other results there are.

    Returns:
        The solution; residuals (of the full-rank tall matrices, for all drivers but "gelsy"); the rank
        (not for "gels"); the singular values (for "gelsd" and "gelss").
    """
    name = "nbmodule.linalg.lstsq"
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if b.ndim < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if input.ndim - b.ndim not in (0, 1):
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) "
            "<= 1"
        )
    vector = input.ndim - 1 == b.ndim
    right = b.unsqueeze(-1) if vector else b
    check.broadcast(input, right)
    if input.shape[-2] != right.shape[-2]:
        raise RuntimeError(
            f"{name}: input.size(-2) should match other.size({-1 if vector else -2})"
        )
    if input._array.dtype != b._array.dtype:
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype "
            f"{kind_of(input)} and other's dtype {kind_of(b)}"
        )
    if input._array.dtype.kind != "f" or input._array.dtype.itemsize == 2:
        raise RuntimeError("This function doesn't handle types other than float and double")
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(
            f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    return _least_squares(input, right, vector, rcond, driver or "gelsy")


def _least_squares(A: Any, right: Any, vector: bool, rcond: Any, driver: str) -> Any:
    m, n = A.shape[-2:]
    size = svdvals(A.detach())
    rank = matrix_rank(A, rtol=rcond)
    full: Any = pinv(A, rtol=rcond) @ right
    solution = renamed(full.squeeze(-1) if vector else full, "LinalgLstsqBackward0")
    residuals = empty = A.new_zeros((0,))
    if m > n and driver != "gelsy" and bool(rank.eq(n).all()):
        residuals = (A @ full - right).square().sum(-2)
    no_rank = wrap(library(A).zeros((0,), "i8"))
    return Lstsq(
        (
            solution,
            residuals,
            no_rank if driver == "gels" else rank,
            size if driver in ("gelsd", "gelss") else empty,
        )
    )
