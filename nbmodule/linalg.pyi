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

def cholesky(input: Tensor, *, upper: _bool = False, out: Tensor | None = None) -> Tensor: ...
def cholesky_ex(
    input: Tensor,
    *,
    upper: _bool = False,
    check_errors: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_cholesky_ex: ...
def cond(input: Tensor, p: Number | str | None = None, *, out: Tensor | None = None) -> Tensor: ...
def cross(input: Tensor, other: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor: ...
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor: ...
def eigh(
    input: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None
) -> return_types.linalg_eigh: ...
def eigvalsh(input: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor: ...
def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def inv_ex(
    A: Tensor, *, check_errors: _bool = False, out: Sequence[Tensor] | None = None
) -> return_types.linalg_inv_ex: ...
def lstsq(
    input: Tensor,
    b: Tensor,
    rcond: _float | None = None,
    *,
    driver: str | None = None,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_lstsq: ...
def lu(
    A: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None
) -> return_types.linalg_lu: ...
def lu_factor(
    A: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None
) -> return_types.linalg_lu_factor: ...
def lu_factor_ex(
    A: Tensor,
    *,
    pivot: _bool = True,
    check_errors: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_lu_factor_ex: ...
def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    adjoint: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def matrix_exp(input: Tensor) -> Tensor: ...
def matrix_norm(
    input: Tensor,
    ord: Number | str = "fro",
    dim: Sequence[_int] = (-2, -1),
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor: ...
@overload
def matrix_rank(
    input: Tensor, tol: _float | Tensor, hermitian: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
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
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def norm(
    input: Tensor,
    ord: Number | str | None = None,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def pinv(
    input: Tensor, rcond: _float | Tensor, hermitian: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
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
) -> return_types.linalg_qr: ...
def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.linalg_slogdet: ...
def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | None = None) -> Tensor: ...
def solve_ex(
    A: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    check_errors: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_solve_ex: ...
def solve_triangular(
    input: Tensor,
    B: Tensor,
    *,
    upper: _bool,
    left: _bool = True,
    unitriangular: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def svd(
    A: Tensor,
    full_matrices: _bool = True,
    *,
    driver: str | None = None,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_svd: ...
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor: ...
def tensorinv(input: Tensor, ind: _int = 2, *, out: Tensor | None = None) -> Tensor: ...
def tensorsolve(
    input: Tensor, other: Tensor, dims: Sequence[_int] | None = None, *, out: Tensor | None = None
) -> Tensor: ...
def vander(x: Tensor, *, N: _int | None = None) -> Tensor: ...
def vecdot(x: Tensor, y: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor: ...
def vector_norm(
    input: Tensor,
    ord: Number = 2,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
