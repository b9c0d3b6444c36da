# Made by scripts/make_stubs.py: do not edit.
# pyright: reportOverlappingOverload=false
# (The first form that a call fits decides its type.)

from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Sequence
from typing import overload

from . import return_types
from ._dtypes import dtype as _dtype
from ._tensor import Number, Tensor

from ._ops.linalg_solving import LinAlgError as LinAlgError

def cholesky(input: Tensor, *, upper: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return the lower triangular L with ``L @ L.T == input`` for each matrix, or its transpose."""

def cholesky_ex(
    input: Tensor,
    *,
    upper: _bool = False,
    check_errors: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_cholesky_ex:
    """Return what `cholesky` returns, and for each matrix 0, or the order of the minor that failed."""

def cond(input: Tensor, p: Number | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return the norm of each matrix times that of its inverse: how much equations amplify errors."""

def cross(input: Tensor, other: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """Return the vector orthogonal to both, for vectors of length 3 along `dim`."""

def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the determinant of each matrix (..., N, N)."""

def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """Return the diagonal of each matrix, as `Tensor.diagonal` does."""

def eigh(
    input: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None
) -> return_types.linalg_eigh:
    """Return eigenvalues (..., N), in rising order, and eigenvectors (..., N, N), in columns."""

def eigvalsh(input: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """Return the eigenvalues of symmetric matrices, in rising order."""

def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the first N columns of the product of reflections ``1 - tau[i] * v[i] v[i]^T``."""

def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of each matrix (..., N, N)."""

def inv_ex(
    A: Tensor, *, check_errors: _bool = False, out: Sequence[Tensor] | None = None
) -> return_types.linalg_inv_ex:
    """Return the inverse of each matrix (..., N, N), and an integer: 0, or which pivot was 0."""

def lstsq(
    input: Tensor,
    b: Tensor,
    rcond: _float | None = None,
    *,
    driver: str | None = None,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_lstsq:
    """Return the X with the smallest ``|input @ X - b|``, of several the smallest."""

def lu(
    A: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None
) -> return_types.linalg_lu:
    """Return P, L and U with ``A == P @ L @ U``: a permutation, a lower and an upper triangle."""

def lu_factor(
    A: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None
) -> return_types.linalg_lu_factor:
    """Return L and U in one matrix, and for each step the row, from 1, that it took (int32)."""

def lu_factor_ex(
    A: Tensor,
    *,
    pivot: _bool = True,
    check_errors: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_lu_factor_ex:
    """Return what `lu_factor` returns, and for each matrix 0, or which pivot was 0."""

def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    adjoint: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return X with ``A @ X == B`` (or ``X @ A == B``), by the result of ``lu_factor(A)``."""

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix product; leading dimensions broadcast."""

def matrix_exp(input: Tensor) -> Tensor:
    """Return the exponential of each matrix X (..., N, N), ``1 + X + X @ X / 2`` and so on."""

def matrix_norm(
    input: Tensor,
    ord: Number | str = "fro",
    dim: Sequence[_int] = (-2, -1),
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return a norm of each matrix that two dimensions span."""

def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """Return each matrix (..., N, N) to the power `n`; a negative one takes the inverse."""

@overload
def matrix_rank(
    input: Tensor, tol: _float | Tensor, hermitian: _bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Return how many singular values of each matrix lie above the tolerance."""

@overload
def matrix_rank(
    input: Tensor,
    *,
    atol: Tensor | None = None,
    rtol: Tensor | None = None,
    hermitian: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def matrix_rank(
    input: Tensor,
    *,
    atol: _float | None = None,
    rtol: _float | None = None,
    hermitian: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the product of matrices, multiplied in the order that takes the fewest steps."""

def norm(
    input: Tensor,
    ord: Number | str | None = None,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return a norm of vectors or of matrices."""

@overload
def pinv(
    input: Tensor, rcond: _float | Tensor, hermitian: _bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Return the pseudoinverse (..., N, M) of each matrix (..., M, N)."""

@overload
def pinv(
    input: Tensor,
    *,
    atol: _float | None = None,
    rtol: _float | None = None,
    hermitian: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def pinv(
    input: Tensor,
    *,
    atol: Tensor | None = None,
    rtol: Tensor | None = None,
    hermitian: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def qr(
    A: Tensor, mode: str = "reduced", *, out: Sequence[Tensor] | None = None
) -> return_types.linalg_qr:
    """Return Q, with orthogonal columns, and R, upper triangular: ``A == Q @ R``."""

def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.linalg_slogdet:
    """Return the sign of the determinant of each matrix, and the logarithm of its size."""

def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | None = None) -> Tensor:
    """Return X with ``A @ X == B``, or with ``X @ A == B`` for ``left=False``."""

def solve_ex(
    A: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    check_errors: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_solve_ex:
    """Return what `solve` returns, and an integer for each matrix: 0, or which pivot was 0."""

def solve_triangular(
    input: Tensor,
    B: Tensor,
    *,
    upper: _bool,
    left: _bool = True,
    unitriangular: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return X with ``input @ X == B`` (or ``X @ input == B``), looking at one triangle of `input` only."""

def svd(
    A: Tensor,
    full_matrices: _bool = True,
    *,
    driver: str | None = None,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_svd:
    """Return U, S and Vh with ``A == U @ diag(S) @ Vh`` for each matrix; S falls."""

def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the singular values of each matrix, the largest first."""

def tensorinv(input: Tensor, ind: _int = 2, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of `input`, seen as a matrix of its first `ind` dimensions by the others."""

def tensorsolve(
    input: Tensor, other: Tensor, dims: Sequence[_int] | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Return X with ``tensordot(input, X, X.ndim) == other``; `dims` of `input` are moved to its end first."""

def vander(x: Tensor, *, N: _int | None = None) -> Tensor:
    """Return ``x ** 0, x ** 1, ..., x ** (N - 1)`` along a new last dimension."""

def vecdot(x: Tensor, y: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """Return the inner products of vectors along `dim`; the other dimensions broadcast."""

def vector_norm(
    input: Tensor,
    ord: Number = 2,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``(sum |input|^ord)^(1/ord)`` over `dim`, or over all elements."""
