"""Decompositions and what is computed from them: functions of ``nbmodule.linalg``."""

from __future__ import annotations

from typing import Any

from .._engine import renamed, wrap
from .._ops import linalg_decompositions as d
from .._ops import linalg_solving as s
from ..return_types import results
from . import linalg_checks as check
from .common import kind_of, library
from .layout import fresh

Tensor = Any
"""A tensor: this file lies below the class."""

CholeskyEx = results("linalg_cholesky_ex", "L", "info")
Eigh = results("linalg_eigh", "eigenvalues", "eigenvectors")
Svd = results("linalg_svd", "U", "S", "Vh")
Qr = results("linalg_qr", "Q", "R")
Geqrf = results("geqrf", "a", "tau")

TOO_MANY_REPEATED = (
    "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
    "eigenvalues (error code: {})."
)

NON_FINITE = (
    "The algorithm failed to converge because the input matrix contained non-finite values."
)


def cholesky_ex(input: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Return what `cholesky` returns, and for each matrix 0, or the order of the minor that failed."""
    return _cholesky(input, upper, "linalg.cholesky_ex" if check_errors else None)


def _cholesky(input: Any, upper: bool, raising: str | None) -> Any:
    check.tensor("linalg_cholesky", input=input)
    check.square(input, "linalg.cholesky")
    check.floating(input, "linalg.cholesky")
    check.implemented(input, "cholesky_cpu")
    info = wrap(library(input).asarray(d.cholesky_info(library(input), input._array)[1]))
    out: Any = d.cholesky(input, function=raising)
    if upper:
        out = renamed(out.transpose(-1, -2), "LinalgCholeskyExBackward0")
    return CholeskyEx((out, info))


def cholesky(input: Tensor, *, upper: bool = False) -> Tensor:
    """Return the lower triangular L with ``L @ L.T == input`` for each matrix, or its transpose.

    Args:
        input: (..., N, N), symmetric and positive-definite; the upper triangle is not looked at.
        upper: return the upper triangular factor.

    Raises:
        RuntimeError: the matrices are not square, or not of float32 or float64.
        LinAlgError: a matrix is not positive-definite.
    """
    return _cholesky(input, upper, "linalg.cholesky")[0]


def old_cholesky(A: Tensor, upper: bool = False) -> Tensor:
    """Return what `nbmodule.linalg.cholesky` returns."""
    return renamed(_cholesky(A, upper, "cholesky")[0], "CholeskyBackward0")


# ---- eigenvalues


def _eigh(input: Any, uplo: str) -> Any:
    check.tensor("linalg_eigh", input=input)
    check.square(input, "linalg.eigh")
    if uplo.upper() not in ("L", "U") or len(uplo) != 1:
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    check.implemented(input, "linalg_eigh_cpu")
    _refuse_non_finite_eigh(input)
    return d.eigh(input, uplo=uplo.upper())


def _refuse_non_finite_eigh(t: Any) -> None:
    """Raise for infinities and NaNs, which LAPACK notices in matrices of more than 2 rows."""
    n, finite = t.shape[-1], library(t).isfinite(t._array)
    if n > 2 and not finite.all():
        bad = ~finite.all((-2, -1)) * (n - 1)
        s.raise_first(library(t).asarray(bad), TOO_MANY_REPEATED, "linalg.eigh")


def eigh(input: Tensor, UPLO: str = "L") -> Any:
    """Return eigenvalues (..., N), in rising order, and eigenvectors (..., N, N), in columns.

    Args:
        input: (..., N, N), symmetric.
        UPLO: which triangle is looked at, "L" or "U".

    Raises:
        RuntimeError: the matrices are not square, or `UPLO` is something else.
    """
    both = _eigh(input, UPLO)
    name = "LinalgEighBackward0"
    values, vectors = fresh(both[..., 0, :]), fresh(both[..., 1:, :], by_columns=True)
    return Eigh((renamed(values, name), renamed(vectors, name)))


def eigvalsh(input: Tensor, UPLO: str = "L") -> Tensor:
    """Return the eigenvalues of symmetric matrices, in rising order."""
    return eigh(input, UPLO)[0]


# ---- singular values


def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """Return U, S and Vh with ``A == U @ diag(S) @ Vh`` for each matrix; S falls.

    Args:
        A: (..., M, N).
        full_matrices: make U and Vh square, where one of them could do with min(M, N).
        driver: must be None.

    Raises:
        RuntimeError: the type or number of dimensions is wrong, or there is a `driver`.
        LinAlgError: there are infinities or NaNs.
    """
    check.tensor("linalg_svd", A=A)
    check.matrices(A, "linalg.svd")
    check.floating(A, "linalg.svd")
    if driver is not None:
        raise RuntimeError(
            "nbmodule.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
            "cuSOLVER backend."
        )
    check.implemented(A, "linalg_svd_cpu")
    _refuse_non_finite(A)
    m, n = A.shape[-2:]
    wide = (m, n) if full_matrices else (min(m, n),) * 2
    parts = d.split_svd(d.svd(A, full=full_matrices), m, n, *wide)
    return Svd(
        renamed(fresh(p, by_columns=i != 1), "LinalgSvdBackward0") for i, p in enumerate(parts)
    )


def _refuse_non_finite(t: Any) -> None:
    finite = library(t).isfinite(t._array)
    if not finite.all():
        s.raise_first(library(t).asarray(~finite.all((-2, -1))), NON_FINITE, "linalg.svd")


def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """Return the singular values of each matrix, the largest first."""
    return svd(A, False, driver=driver)[1]


def cut_off(A: Any, atol: Any, rtol: Any) -> Any:
    """Return the function that says below what singular values of `A` count as 0.

    It is the larger of `atol` and `rtol` times the largest one. An `rtol` of None is as many of the
    smallest steps of the type as the matrix is long, or 0 where there is an `atol`.
    """
    xp, (m, n) = library(A), A.shape[-2:]
    if rtol is None:
        none = atol is None or (not hasattr(atol, "_array") and atol <= 0)
        rtol = max(m, n) * float(xp.finfo(A._array.dtype).eps) if none else 0.0
    given: list[Any] = [getattr(x, "_array", x) for x in (0.0 if atol is None else atol, rtol)]
    low, part = (x[..., None] if hasattr(x, "ndim") else x for x in given)
    return lambda size: xp.maximum(low, part * (size.max(-1, keepdims=True) if size.size else 0))


def matrix_rank(input: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:  # fmt: skip
    """Return how many singular values of each matrix lie above the tolerance.

    Args:
        input: (..., M, N).
        tol: the same as `atol`.
        hermitian: take `input` for symmetric, which is faster.
        atol: the absolute tolerance.
        rtol: relative to the largest singular value; by default ``max(M, N) * eps``.
    """
    check.tensor("linalg_matrix_rank", input=input)
    if input.ndim < 2:
        raise RuntimeError(
            "nbmodule.linalg.matrix_rank: The input tensor input must have at least 2 dimensions."
        )
    if input._array.dtype.kind != "f" or input._array.dtype.itemsize == 2:
        raise RuntimeError("This function doesn't handle types other than float and double")
    input = input.detach()
    if not input.numel():
        return wrap(library(input).zeros(input.shape[:-2], "i8"))
    if tol is not None:
        atol, rtol = tol, 0.0
    size = (eigvalsh(input).abs() if hermitian else svdvals(input))._array
    return wrap(library(input).asarray((size > cut_off(input, atol, rtol)(size)).sum(-1)))


def pinv(input: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:  # fmt: skip
    """Return the pseudoinverse (..., N, M) of each matrix (..., M, N).

    Args:
        input: (..., M, N).
        rcond: the same as `rtol`.
        hermitian: take `input` for symmetric, which is faster.
        atol: singular values up to here count as 0.
        rtol: the same relative to the largest; by default ``max(M, N) * eps``.
    """
    check.tensor("linalg_pinv", input=input)
    if input._array.dtype.kind != "f" or input._array.dtype.itemsize == 2 or input.ndim < 2:
        raise RuntimeError(
            f"linalg.pinv({kind_of(input)}{{{list(input.shape)}}}): expected a tensor with 2 or more dimensions "
            "of float, double, cfloat or cdouble types"
        )
    (_refuse_non_finite_eigh if hermitian else _refuse_non_finite)(input)
    return s.pinv(
        input, cut=cut_off(input, atol, rcond if rtol is None else rtol), hermitian=hermitian
    )


# ---- QR


def qr(A: Tensor, mode: str = "reduced") -> Any:
    """Return Q, with orthogonal columns, and R, upper triangular: ``A == Q @ R``.

    Args:
        A: (..., M, N).
        mode: "reduced", "complete" (Q is square), or "r" (Q is empty).

    Raises:
        RuntimeError: the mode is another.
    """
    check.tensor("linalg_qr", A=A)
    check.matrices(A, "linalg.qr")
    check.floating(A, "linalg.qr")
    check.implemented(A, "geqrf_cpu")
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
            "'complete'"
        )
    name, m = "LinalgQrBackward0", A.shape[-2]
    if mode == "r":
        return Qr((A.new_zeros((0,)), renamed(d.upper_factor(A), name)))
    both = d.qr(A, mode=mode)
    r = both[..., m:, :].transpose(-1, -2)  # type: ignore[index]
    parts = both[..., :m, :], r  # type: ignore[index]
    return Qr(renamed(fresh(p, by_columns=True), name) for p in parts)


def geqrf(input: Tensor) -> Any:
    """Return what LAPACK's geqrf does: R and below it the vectors of reflections, and their factors."""
    if input.ndim < 2:
        raise RuntimeError("nbmodule.geqrf: input must have at least 2 dimensions.")
    check.implemented(input, "geqrf_cpu")
    h, tau = library(input).linalg.qr(input.detach()._array, "raw")
    return Geqrf(
        (wrap(library(input).asarray(h).swapaxes(-1, -2).copy()), wrap(library(input).asarray(tau)))
    )


def householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """Return the first N columns of the product of reflections ``1 - tau[i] * v[i] v[i]^T``.

    Args:
        input: (..., M, N) with M >= N. The vector v[i] has zeros, then 1 at i, then what column i holds below.
        tau: (..., K) with K <= N.
    """
    name = "nbmodule.linalg.householder_product"
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    m, n = input.shape[-2:]
    if m < n:
        raise RuntimeError(
            f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    if n < tau.shape[-1]:
        raise RuntimeError(
            f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )
    if input._array.dtype != tau._array.dtype:
        raise RuntimeError(
            f"{name}: tau dtype {kind_of(tau)} does not match input dtype {kind_of(input)}"
        )
    xp = library(input)
    out: Any = wrap(xp.eye(m, n, dtype=input._array.dtype)).expand((*input.shape[:-2], m, n))
    rows = wrap(xp.arange(m))
    for i in reversed(range(tau.shape[-1])):
        one = wrap((xp.arange(m) == i).astype(input._array.dtype))
        v = (input[..., i] * rows.gt(i).to(input.dtype) + one).unsqueeze(-1)
        out = out - tau[..., i, None, None] * (v @ (v.transpose(-1, -2) @ out))
    return renamed(out, "LinalgHouseholderProductBackward0")


def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Tensor:  # fmt: skip
    """Return ``Q @ other`` (or ``other @ Q``), with the square Q that `householder_product` begins."""
    m, n = input.shape[-2:]
    if n < m:
        wide = input.new_zeros((*input.shape[:-1], m))
        xp = library(input)
        keep = wrap(xp.eye(n, m, dtype=input._array.dtype))
        input = input @ keep + wide
    q = householder_product(input, tau)
    q = q.transpose(-1, -2) if transpose else q
    return q @ other if left else other @ q
