"""PyTorch's top-level functions of matrices: products, inverses, decompositions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _dtypes
from .._methods import linalg_lu as elim
from .._methods import linalg_norms as n
from .._methods import linalg_products as m
from .._ops import einsum as steps
from .._ops.reduce import axes_of, axis_of
from .._tensor import Tensor
from ._published import published

ADDMV_OUT = "addmv input tensors must have the same dtype, but got {out_name}, {result_name}, and {result_name}"  # fmt: skip
DOT_OUT = "result dtype {out_name} does not match input dtype {result_name}"
SUM_OUT = "self and mat2 must have the same dtype, but got {out_name} and {result_name}"
INNER_OUT = (
    "tensordot: Expected the output tensor to have dtype {result_name}, but got an output tensor with "
    "dtype {out_name}"
)

matmul = published(Tensor.matmul, "matmul")
mm = published(Tensor.mm, "mm", forms=True)
mv = published(Tensor.mv, "mv", exact=ADDMV_OUT)
bmm = published(Tensor.bmm, "bmm", forms=True)
dot = published(Tensor.dot, "dot", exact=DOT_OUT)
vdot = published(Tensor.vdot, "vdot", exact=DOT_OUT)
inner = published(Tensor.inner, "inner", exact=INNER_OUT)
outer = published(Tensor.outer, "outer", exact="")
ger = published(Tensor.ger, "ger", exact="")
kron = published(Tensor.kron, "kron", exact="")
cross = published(Tensor.cross, "cross")

addmm = published(Tensor.addmm, "addmm", forms=True)
addmv = published(Tensor.addmv, "addmv", forms=True)
addr = published(Tensor.addr, "addr", forms=True, exact="")
addbmm = published(Tensor.addbmm, "addbmm", forms=True, exact=SUM_OUT)
baddbmm = published(Tensor.baddbmm, "baddbmm", forms=True)

matrix_power = published(Tensor.matrix_power, "matrix_power")
matrix_exp = published(Tensor.matrix_exp, "matrix_exp", out=False)
chain_matmul = published(m.chain_matmul, "chain_matmul")
cdist = published(n.cdist, "cdist", out=False)
pdist = published(n.pdist, "pdist", out=False)

inverse = published(Tensor.inverse, "inverse")
pinverse = published(Tensor.pinverse, "pinverse", out=False)
det = published(Tensor.det, "det", out=False)
logdet = published(Tensor.logdet, "logdet", out=False)
slogdet = published(Tensor.slogdet, "slogdet")
cholesky = published(Tensor.cholesky, "cholesky", exact="")
cholesky_solve = published(Tensor.cholesky_solve, "cholesky_solve", exact="")
cholesky_inverse = published(Tensor.cholesky_inverse, "cholesky_inverse", exact="")
triangular_solve = published(Tensor.triangular_solve, "triangular_solve")
qr = published(Tensor.qr, "qr", exact="")
svd = published(Tensor.svd, "svd", exact="")
geqrf = published(Tensor.geqrf, "geqrf", exact="")
orgqr = published(Tensor.orgqr, "orgqr", exact="")
ormqr = published(Tensor.ormqr, "ormqr", exact="")
lu_solve = published(Tensor.lu_solve, "lu_solve")
lu_unpack = published(elim.lu_unpack, "lu_unpack")


def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """Return L and U in one matrix and the rows exchanged; with `get_infos` also which pivot is 0."""
    return A.lu(pivot, get_infos)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Return the powers of each element of a vector (K,), the highest first unless `increasing`.

    Args:
        x: (K,).
        N: how many powers; K by default.
        increasing: begin with power 0.

    Raises:
        RuntimeError: `x` is no vector, or `N` is negative.
    """
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    x = x if x.is_floating_point() else x.to(_dtypes.int64)
    if count < 2:
        return x.new_ones((x.shape[0], count))
    powers = m.vander(x, N=count)
    return powers if increasing else powers.flip(1)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """Return the products of `a` and `b`, summed over some dimensions of both.

    Args:
        a: any shape.
        b: any shape.
        dims: how many, of the last of `a` and the first of `b`; or two lists of dimensions.
        out: where to put the result.

    Raises:
        RuntimeError: the dimensions do not fit, or the dtypes differ.
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else dims.item()
    if isinstance(dims, (tuple, list)) and any(isinstance(part, int) for part in dims):
        raise TypeError(
            "tensordot(): argument 'dims_self' (position 3) must be tuple of ints, not int"
        )
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims = list(range(-dims, 0)), list(range(dims))
    result = _tensordot(a, b, list(dims[0]), list(dims[1]))
    if out is None:
        return result
    return out.copy_(result)


def _tensordot(a: Tensor, b: Tensor, of_a: Sequence[int], of_b: Sequence[int]) -> Tensor:
    if len(of_a) != len(of_b):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype != b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    for x, dims in ((a, of_a), (b, of_b)):
        axes_of(dims, x.ndim) if dims else None
    left, right = list(range(a.ndim)), list(range(a.ndim, a.ndim + b.ndim))
    for i, j in zip(of_a, of_b, strict=True):
        first, second = axis_of(i, a.ndim), axis_of(j, b.ndim)
        p, q = a.shape[first], b.shape[second]
        if p == 1 or q == 1:  # PyTorch lets a length of 1 stand for any
            a = a.sum(first, keepdim=True) if p != 1 else a
            b = b.sum(second, keepdim=True) if q != 1 else b
        elif p != q:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {p} in dim {i} and second has "
                f"size {q} in dim {j}"
            )
        right[second] = left[first]
    shown = [x for x in left + right if (left + right).count(x) == 1]
    return steps.contract(a, b, left=tuple(left), right=tuple(right), out=tuple(shown))
