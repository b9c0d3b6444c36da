"""Inverses, linear equations and determinants: functions of ``nbmodule.linalg`` and what they share."""

from __future__ import annotations

from typing import Any

from .._engine import renamed, wrap
from .._ops import linalg_solving as s
from ..return_types import results
from . import linalg_checks as check
from .common import library
from .layout import fresh

Tensor = Any
"""A tensor: this file lies below the class."""

InvEx = results("linalg_inv_ex", "inverse", "info")
SolveEx = results("linalg_solve_ex", "result", "info")
Slogdet = results("linalg_slogdet", "sign", "logabsdet")
TriangularSolve = results("triangular_solve", "solution", "cloned_coefficient")

SINGULAR = (
    "The diagonal element {} is zero, the inversion could not be completed because the input matrix is "
    "singular."
)
UNSOLVABLE = "The solver failed because the input matrix is singular."


def _info(t: Any, result: Any) -> Any:
    """Return for each matrix of `t` which pivot is 0, if its `result` is not finite; else 0."""
    xp = library(t)
    if t._array.size == 0 or xp.isfinite(result._array).all():
        return wrap(xp.zeros(t._array.shape[:-2], xp.int32))
    return wrap(xp.asarray(s.first_zero(xp, s.factor(xp, t._array)[0])))


def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """Return the inverse of each matrix (..., N, N), and an integer: 0, or which pivot was 0.

    Raises:
        RuntimeError: the matrices are not square, or not of float32 or float64.
        LinAlgError: with `check_errors`, a matrix is singular.
    """
    return _inverse(A, "linalg.inv_ex", check_errors)


def _inverse(A: Any, function: str, raises: bool) -> Any:
    check.tensor("linalg_inv_ex" if function.endswith("ex") else "linalg_inv", A=A)
    checks = "linalg.inv_ex" if function == "linalg.inv_ex" else "linalg.inv"
    check.square(A, checks)
    check.floating(A, checks, low_too=False)
    out = s.inverse(A)
    info = _info(A, out)
    if raises:
        s.raise_first(info._array, SINGULAR, function)
    return InvEx((out, info))


def inv(A: Tensor) -> Tensor:
    """Return the inverse of each matrix (..., N, N).

    Raises:
        RuntimeError: the matrices are not square, or not of float32 or float64.
        LinAlgError: a matrix is singular.
    """
    return _inverse(A, "linalg.inv", True)[0]


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """Return what `solve` returns, and an integer for each matrix: 0, or which pivot was 0."""
    return _solve(A, B, left, "linalg.solve_ex", check_errors)


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Return X with ``A @ X == B``, or with ``X @ A == B`` for ``left=False``.

    Args:
        A: (..., N, N).
        B: (..., N, K), or vectors (..., N) where all dimensions of `A` but the last are its own.
        left: on which side `A` stands.

    Raises:
        RuntimeError: the shapes or types do not fit.
        LinAlgError: a matrix is singular.
    """
    return _solve(A, B, left, "linalg.solve", True)[0]


def _is_vector(a: Any, b: Any) -> bool:
    """Return whether `b` holds vectors, and no matrices, for the matrices `a`."""
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])


def _fit(a: Any, b: Any, left: bool, function: str) -> None:
    rows = b[-2] if left else b[-1]
    if a[-1] != rows:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{function}: Incompatible shapes of A and B for the equation {equation} "
            f"({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})"
        )


def _solve(A: Any, B: Any, left: bool, function: str, raises: bool) -> Any:
    check.tensor("linalg_solve", A=A, B=B)
    check.floating(A, "linalg.solve")
    check.square(A, "linalg.solve")
    check.same_type(A, B, "linalg.solve")
    check.implemented(A, "lu_cpu")
    vector = _is_vector(A, B)
    right = B.unsqueeze(-1) if vector else B
    _fit(A.shape, right.shape, left, "linalg.solve")
    if vector and not left:
        raise RuntimeError(
            f"{function}: Vector broadcasting of the left hand side is not supported for left=False. In "
            "this case linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    check.broadcast(right, A)
    if left:
        out = s.solve(A, right)
    else:
        out = s.solve(A.transpose(-1, -2), right.transpose(-1, -2)).transpose(-1, -2)
    out = renamed(fresh(out.squeeze(-1)) if vector else out, "LinalgSolveExBackward0")
    info = _info(A, out)
    if raises:
        s.raise_first(info._array, UNSOLVABLE, f"nbmodule.{function}")
    return SolveEx((out, info))


def solve_triangular(input: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:  # fmt: skip
    """Return X with ``input @ X == B`` (or ``X @ input == B``), looking at one triangle of `input` only.

    Args:
        input: (..., N, N).
        B: (..., N, K), or (..., K, N) for ``left=False``.
        upper: which triangle.
        left: on which side `input` stands.
        unitriangular: take the diagonal for 1.

    Raises:
        RuntimeError: the shapes do not fit.
    """
    check.tensor("linalg_solve_triangular", input=input, B=B)
    check.square(input, "linalg.solve_triangular")
    B = B.to(input.dtype)
    check.matrices(B, "linalg.solve_triangular", "B")
    _fit(input.shape, B.shape, left, "linalg.solve_triangular")
    check.implemented(input, "triangular_solve_cpu")
    check.broadcast(B, input)
    if left:
        return s.solve_triangular(input, B, upper=upper, unit=unitriangular)
    turned = [x.transpose(-1, -2) for x in (input, B)]
    out: Any = s.solve_triangular(*turned, upper=not upper, unit=unitriangular)
    return renamed(out.transpose(-1, -2), "LinalgSolveTriangularBackward0")


def triangular_solve(b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:  # fmt: skip
    """Return X with ``A @ X == b`` for triangular `A`, and a copy of `A`: the older `solve_triangular`."""
    if transpose:
        out = s.solve_triangular(A.transpose(-1, -2), b, upper=not upper, unit=unitriangular)
    else:
        out = s.solve_triangular(A, b, upper=upper, unit=unitriangular)
    return TriangularSolve((renamed(out, "TriangularSolveBackward0"), A.clone()))


# ---- determinants


def det(A: Tensor) -> Tensor:
    """Return the determinant of each matrix (..., N, N).

    Raises:
        RuntimeError: the matrices are not square, or hold integers.
    """
    _square_floats(A, "linalg.det")
    return s.det(A)


def slogdet(A: Tensor) -> Any:
    """Return the sign of the determinant of each matrix, and the logarithm of its size.

    Raises:
        RuntimeError: the matrices are not square, or hold integers.
    """
    return Slogdet(_signed_logarithm(A, "linalg.slogdet"))


def _signed_logarithm(A: Any, function: str) -> tuple[Any, Any]:
    _square_floats(A, function)
    return s.sign_of_det(A), s.logabsdet(A)


def logdet(A: Tensor) -> Tensor:
    """Return the logarithm of the determinant of each matrix: NaN for a negative one, -inf for 0."""
    sign, size = _signed_logarithm(A, "logdet")
    return size.where(sign.ne(-1), size.new_full((), float("nan")))


def _square_floats(A: Any, function: str) -> None:
    check.tensor(function.replace(".", "_"), A=A)
    check.square(A, function)
    check.floating(A, function)
    check.implemented(A, "lu_cpu")


# ---- by the factor of Cholesky


def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """Return X with ``(L @ L.T) @ X == B``, or ``(L.T @ L) @ X == B`` for an upper triangle.

    Args:
        B: (..., N, K).
        L: (..., N, N), triangular.
        upper: which triangle `L` is.
    """
    for name, x in (("b", B), ("u", L)):
        if x.ndim < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead"
            )
    if L.shape[-1] != L.shape[-2]:
        raise RuntimeError(
            "cholesky_solve: A must be batches of square matrices, but they are "
            f"{L.shape[-2]} by {L.shape[-1]} matrices"
        )
    if B.shape[-2] != L.shape[-1]:
        n, m = L.shape[-1], B.shape[-2]
        raise RuntimeError(
            "Incompatible matrix sizes for cholesky_solve: each A matrix is "
            f"{n} by {n} but each b matrix is {m} by {B.shape[-1]}"
        )
    return s.cholesky_solve(B, L, upper=upper)


def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """Return ``(L @ L.T)**-1``, or ``(L.T @ L)**-1`` for an upper triangle."""
    check.square(L, "cholesky_inverse")
    xp = library(L)
    one = wrap(xp.eye(L.shape[-1], dtype=L._array.dtype))
    out = cholesky_solve(one.expand(L.shape), L, upper)
    return renamed(out, "CholeskyInverseBackward0")


# ---- tensors as matrices


def tensorinv(input: Tensor, ind: int = 2) -> Tensor:
    """Return the inverse of `input`, seen as a matrix of its first `ind` dimensions by the others."""
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    rows, columns = list(input.shape[:ind]), list(input.shape[ind:])
    m, n = _product(rows), _product(columns)
    if m != n:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), "
            f"but got {n} != {m}"
        )
    matrix = input.reshape([m, n])
    check.floating(matrix, "linalg.inv", low_too=False)
    return _inverse(matrix, "inv", True)[0].reshape(columns + rows)


def tensorsolve(input: Tensor, other: Tensor, dims: Any = None) -> Tensor:
    """Return X with ``tensordot(input, X, X.ndim) == other``; `dims` of `input` are moved to its end first."""
    if dims is not None:
        moved = [n % input.ndim for n in dims]
        input = input.permute([i for i in range(input.ndim) if i not in moved] + moved)
    rows, columns = list(input.shape[: other.ndim]), list(input.shape[other.ndim :])
    m, n = _product(rows), _product(columns)
    if m != n:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {n} != {m}"
        )
    return solve(input.reshape([m, n]), other.reshape(-1)).reshape(columns)


def _product(sizes: list[int]) -> int:
    n = 1
    for m in sizes:
        n *= m
    return n
