"""Methods of matrices: products, and the older names of linear algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _errors
from .._dtypes import bool_
from .._engine import TensorBase, renamed
from .._errors import warn_once
from .._ops import einsum, linalg
from .._ops import elementwise as e
from ..return_types import results
from . import deprecations
from . import linalg_checks as check
from . import linalg_decompositions as d
from . import linalg_lu as elim
from . import linalg_products as m
from . import linalg_solving as s
from .common import kind_of
from .layout import fresh

if TYPE_CHECKING:
    from .._engine.state import Tensor

QrOf = results("qr", "Q", "R")
SvdOf = results("svd", "U", "S", "V")
SlogdetOf = results("slogdet", "sign", "logabsdet")
LuWithInfo = results("_lu_with_info", "LU", "pivots", "infos")

BOOL = bool_.numpy

NODES = {(1, 1): "DotBackward0", (2, 1): "MvBackward0", (1, 2): "SqueezeBackward4"}
"""What PyTorch calls the node of a product, by the numbers of dimensions."""


def _refuse_types(a: Any, b: Any) -> None:
    """Raise what PyTorch raises for the product of tensors whose dtypes differ, or are bool."""
    if a._array.dtype == b._array.dtype:
        return _refuse_bools(a, b)
    dims = a._array.ndim, b._array.ndim
    first, second = kind_of(a), kind_of(b)
    if dims == (1, 1):
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {first} and {second}"
        )
    if dims[1] == 1 and dims[0] >= 2:
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {second}, {first}, and {second}"
        )
    if dims[0] >= 1 and dims[1] >= 3:
        check.scalar_type(a, b)
    raise RuntimeError(
        "expected m1 and m2 to have the same dtype, but got: "
        f"{check.c_kind(a)} != {check.c_kind(b)}"
    )


def _refuse_bools(a: Any, b: Any) -> None:
    if a._array.dtype.kind != "b":  # one type, in two objects
        return
    dims = a._array.ndim, b._array.ndim
    kernel = {(1, 1): "dot", (2, 1): "addmv_impl_cpu"}.get(dims, "addmm_impl_cpu_")
    if min(dims) >= 3:
        kernel = "bmm"
    raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


class Matrices(TensorBase):
    """Products of matrices and vectors, inverses, determinants, decompositions."""

    def __matmul__(self, other: Tensor) -> Tensor:
        return self.matmul(other) if isinstance(other, TensorBase) else NotImplemented

    def __rmatmul__(self, other: Any) -> Any:
        if not isinstance(other, TensorBase):
            return NotImplemented
        return other.matmul(self)  # type: ignore[attr-defined]

    def matmul(self, other: Tensor) -> Tensor:
        """Return the matrix product; leading dimensions broadcast.

        Args:
            other: (..., K, M) for `self` of shape (..., N, K); vectors (K,) are allowed on either side.

        Raises:
            RuntimeError: the shapes or the dtypes do not fit.
        """
        if not isinstance(other, TensorBase):
            raise _errors.not_a_tensor("matmul", "other", 1, other)
        a, b = self._array, other._array
        if a.dtype is not b.dtype or a.dtype is BOOL:
            _refuse_types(self, other)
        if a.ndim == b.ndim == 2:
            return linalg.mm(self, other)
        out = linalg.matmul(self, other)
        name = NODES.get((a.ndim, b.ndim), "UnsafeViewBackward0")
        if a.ndim == 2 and b.ndim > 2 and (self._node is not None or self._requires_grad):
            name = "CloneBackward0"
        return renamed(out, name)

    def mm(self, mat2: Tensor) -> Tensor:
        """Return the matrix product of two matrices.

        Raises:
            RuntimeError: one of them is no matrix, or the shapes or the dtypes do not fit.
        """
        if not isinstance(mat2, TensorBase):
            raise _errors.not_a_tensor("mm", "mat2", 2, mat2)
        for name, t in (("self", self), ("mat2", mat2)):
            if t._array.ndim != 2:
                raise RuntimeError(f"{name} must be a matrix")
        return self.matmul(mat2)

    def mv(self, vec: Tensor) -> Tensor:
        """Return the product of a matrix and a vector.

        Raises:
            RuntimeError: they are something else, or the shapes or the dtypes do not fit.
        """
        if not isinstance(vec, TensorBase):
            raise _errors.not_a_tensor("mv", "vec", 2, vec)
        if self._array.ndim != 2 or vec._array.ndim != 1:
            raise RuntimeError(
                f"vector + matrix @ vector expected, got 1, {self._array.ndim}, {vec._array.ndim}"
            )
        return self.matmul(vec)

    def dot(self, tensor: Tensor) -> Tensor:
        """Return the inner product of two vectors.

        Raises:
            RuntimeError: they are no vectors, or the lengths or the dtypes differ.
        """
        if not isinstance(tensor, TensorBase):
            raise _errors.not_a_tensor("dot", "tensor", 2, tensor)
        if self._array.ndim != 1 or tensor._array.ndim != 1:
            raise RuntimeError(
                f"1D tensors expected, but got {self._array.ndim}D and {tensor._array.ndim}D tensors"
            )
        return self.matmul(tensor)

    def vdot(self, other: Tensor) -> Tensor:
        """Return the inner product of two vectors."""
        return renamed(Matrices.dot(self, other), "VdotBackward0")

    def inner(self, other: Tensor) -> Tensor:
        """Return the inner products of the last dimensions of both; a number multiplies.

        Args:
            other: (..., K) for `self` of shape (..., K). The result has the other dimensions of `self`,
                then those of `other`.
        """
        if not isinstance(other, TensorBase):
            raise _errors.not_a_tensor("inner", "other", 2, other)
        a, b = self._array, other._array
        if not a.ndim or not b.ndim:
            return e.mul(self, other)
        if a.shape[-1] != b.shape[-1]:
            raise RuntimeError(
                "inner() the last dimension must match on both input tensors but got shapes "
                f"{list(a.shape)} and {list(b.shape)}"
            )
        if a.dtype != b.dtype:
            raise RuntimeError("both inputs should have same dtype")
        if a.dtype is BOOL:
            _refuse_bools(self, other)
        left = (*range(1, a.ndim), 0)
        right = (*range(a.ndim, a.ndim + b.ndim - 1), 0)
        return einsum.contract(self, other, left=left, right=right, out=left[:-1] + right[:-1])

    def outer(self, vec2: Tensor) -> Tensor:
        """Return the products of each element of a vector with each of another."""
        if not isinstance(vec2, TensorBase):
            raise _errors.not_a_tensor("outer", "vec2", 2, vec2)
        for name, t in (("self", self), ("vec2", vec2)):
            if t._array.ndim != 1:
                raise RuntimeError(
                    f"outer: Expected 1-D argument {name}, but got {t._array.ndim}-D"
                )
        column: Any = self
        return e.mul(column.unsqueeze(1), vec2)

    ger = outer

    def bmm(self, mat2: Tensor) -> Tensor:
        """Return the matrix product of each pair of matrices in two batches (N, ., .).

        Raises:
            RuntimeError: they are something else, or the shapes or the dtypes do not fit.
        """
        if not isinstance(mat2, TensorBase):
            raise _errors.not_a_tensor("bmm", "mat2", 2, mat2)
        for name, t in (("batch1", self), ("batch2", mat2)):
            if t._array.ndim != 3:
                raise RuntimeError(f"{name} must be a 3D tensor")
        a, b = self._array.shape, mat2._array.shape
        if b[:2] != (a[0], a[2]):
            raise RuntimeError(_errors.batches_text([a[0], a[2]], list(b[:2])))
        return renamed(self.matmul(mat2), "BmmBackward0")

    def kron(self, other: Tensor) -> Tensor:
        """Return the Kronecker product: `other` times each element of `self`, as blocks."""
        if not isinstance(other, TensorBase):
            raise _errors.not_a_tensor("kron", "other", 2, other)
        a: Any = self
        b: Any = other
        n = max(a.ndim, b.ndim)
        sizes = [[1] * (n - t.ndim) + list(t.shape) for t in (a, b)]
        wide = a.reshape([k for size in sizes[0] for k in (size, 1)])
        blocks = wide * b.reshape([k for size in sizes[1] for k in (1, size)])
        shape = [i * j for i, j in zip(*sizes, strict=True)]
        return renamed(fresh(blocks.reshape(shape)), "UnsafeViewBackward0")

    def cross(self, other: Tensor, dim: int | None = None) -> Tensor:
        """Return the vectors orthogonal to both, along `dim`, or the first dimension of length 3."""
        if dim is None:
            warn_once(deprecations.CROSS, 3)
            if 3 not in self._array.shape:
                raise RuntimeError("no dimension of size 3 in input")
        first = self._array.shape.index(3) if dim is None else dim
        return m.cross(self, other, dim=first)

    # ---- inverses, determinants, decompositions

    def matrix_power(self, n: int) -> Tensor:
        """Return each matrix to the power `n`."""
        return m.matrix_power(self, n)

    def matrix_exp(self) -> Tensor:
        """Return the exponential of each matrix."""
        return m.matrix_exp(self)

    def inverse(self) -> Tensor:
        """Return the inverse of each matrix."""
        return s.inv(self)

    def pinverse(self, rcond: float = 1e-15) -> Tensor:
        """Return the pseudoinverse of each matrix."""
        return d.pinv(self, rcond)

    def det(self) -> Tensor:
        """Return the determinant of each matrix."""
        return s.det(self)

    def logdet(self) -> Tensor:
        """Return the logarithm of the determinant of each matrix."""
        return s.logdet(self)

    def slogdet(self) -> Any:
        """Return the sign of the determinant of each matrix, and the logarithm of its size."""
        return SlogdetOf(s.slogdet(self))

    def cholesky(self, upper: bool = False) -> Tensor:
        """Return the triangular factor of each matrix."""
        warn_once(deprecations.CHOLESKY, 3)
        return d.old_cholesky(self, upper)

    def cholesky_solve(self, input2: Tensor, upper: bool = False) -> Tensor:
        """Return the solution for the right sides `self`, by the triangular factor `input2`."""
        return s.cholesky_solve(self, input2, upper)

    def cholesky_inverse(self, upper: bool = False) -> Tensor:
        """Return the inverse of the matrix of which `self` is the triangular factor."""
        return s.cholesky_inverse(self, upper)

    def triangular_solve(self, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:  # fmt: skip
        """Return the solution for the right sides `self`, and a copy of `A`."""
        warn_once(deprecations.TRIANGULAR_SOLVE, 3)
        return s.triangular_solve(self, A, upper, transpose, unitriangular)

    def qr(self, some: bool = True) -> Any:
        """Return Q and R; `some`: no more columns of Q than needed."""
        warn_once(deprecations.QR, 3)
        return QrOf(d.qr(self, "reduced" if some else "complete"))

    def svd(self, some: bool = True, compute_uv: bool = True) -> Any:
        """Return U, S and V (not transposed); zeros for U and V without `compute_uv`."""
        t: Any = self
        if not compute_uv:
            rows, columns = t.shape[-2:]
            batch = tuple(t.shape[:-2])
            empty = (t.new_zeros((*batch, n, n)) for n in (rows, columns))
            return SvdOf((next(empty), d.svdvals(t), next(empty)))
        u, values, vh = d.svd(t, not some)
        return SvdOf((u, values, renamed(vh.transpose(-1, -2), "TransposeBackward0")))

    def geqrf(self) -> Any:
        """Return R with the vectors of reflections below it, and the factors of the reflections."""
        return d.geqrf(self)

    def orgqr(self, input2: Tensor) -> Tensor:
        """Return the first columns of the product of reflections with factors `input2`."""
        return d.householder_product(self, input2)

    def ormqr(self, input2: Tensor, input3: Tensor, left: bool = True, transpose: bool = False) -> Tensor:  # fmt: skip
        """Return the product of the reflections with factors `input2` and the matrix `input3`."""
        return d.ormqr(self, input2, input3, left, transpose)

    def lu(self, pivot: bool = True, get_infos: bool = False) -> Any:
        """Return L and U in one matrix and the rows exchanged; with `get_infos` also which pivot is 0."""
        warn_once(deprecations.LU, 3)
        found = elim.lu_factor_ex(self, pivot=pivot)
        return LuWithInfo(found) if get_infos else tuple(found)[:2]

    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """Return the solution for the right sides `self`, by the result of `lu`."""
        warn_once(deprecations.LU_SOLVE, 3)
        return elim.lu_solve(LU_data, LU_pivots, self)
