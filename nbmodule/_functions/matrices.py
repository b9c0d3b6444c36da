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
from ._out import EXPECTED, check_out, unrecorded, write_out
from ._wrap import function

ADDMV_OUT = "addmv input tensors must have the same dtype, but got {out_name}, {result_name}, and {result_name}"  # fmt: skip
DOT_OUT = "result dtype {out_name} does not match input dtype {result_name}"
SUM_OUT = "self and mat2 must have the same dtype, but got {out_name} and {result_name}"
INNER_OUT = (
    "tensordot: Expected the output tensor to have dtype {result_name}, but got an output tensor with "
    "dtype {out_name}"
)

matmul = function(Tensor.matmul, name="matmul", exact=EXPECTED)
mm = spmm = function(Tensor.mm, name="mm", exact=EXPECTED)
mv = function(Tensor.mv, name="mv", exact=ADDMV_OUT)
bmm = function(Tensor.bmm, name="bmm", exact=EXPECTED)
dot = function(Tensor.dot, name="dot", exact=DOT_OUT)
vdot = function(Tensor.vdot, name="vdot", exact=DOT_OUT)
inner = function(Tensor.inner, name="inner", exact=INNER_OUT)
outer = function(Tensor.outer, name="outer")
ger = function(Tensor.ger, name="ger")
kron = function(Tensor.kron, name="kron")
cross = function(Tensor.cross, name="cross", exact=EXPECTED)

addmm = function(Tensor.addmm, name="addmm", exact=EXPECTED)
addmv = function(Tensor.addmv, name="addmv", exact=EXPECTED)
addr = function(Tensor.addr, name="addr")
addbmm = function(Tensor.addbmm, name="addbmm", exact=SUM_OUT)
baddbmm = function(Tensor.baddbmm, name="baddbmm", exact=EXPECTED)

matrix_power = function(Tensor.matrix_power, name="matrix_power", exact=EXPECTED)
matrix_exp = function(Tensor.matrix_exp, name="matrix_exp")
cdist = n.cdist
pdist = function(n.pdist, name="pdist")

inverse = function(Tensor.inverse, name="inverse", exact=EXPECTED)
pinverse = function(Tensor.pinverse, name="pinverse")
det = function(Tensor.det, name="det")
logdet = function(Tensor.logdet, name="logdet")
slogdet = function(Tensor.slogdet, name="slogdet", exact=EXPECTED)
cholesky = function(Tensor.cholesky, name="cholesky")
cholesky_solve = function(Tensor.cholesky_solve, name="cholesky_solve")
cholesky_inverse = function(Tensor.cholesky_inverse, name="cholesky_inverse")
triangular_solve = function(Tensor.triangular_solve, name="triangular_solve", exact=EXPECTED)
qr = function(Tensor.qr, name="qr")
svd = function(Tensor.svd, name="svd")
geqrf = function(Tensor.geqrf, name="geqrf")
orgqr = function(Tensor.orgqr, name="orgqr")
ormqr = function(Tensor.ormqr, name="ormqr")
lu_solve = function(Tensor.lu_solve, name="lu_solve", exact=EXPECTED)
lu_unpack = function(elim.lu_unpack, name="lu_unpack", exact=EXPECTED)


def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """Return L and U in one matrix and the rows exchanged; with `get_infos` also which pivot is 0."""
    return A.lu(pivot, get_infos)


def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the product of matrices: the older `nbmodule.linalg.multi_dot`."""
    if out is None:
        return m.chain_matmul(*matrices)
    check_out("chain_matmul", out, matrices)
    return write_out("chain_matmul", unrecorded(m.chain_matmul, *matrices), out, EXPECTED)


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
            a = a.sum(first, keepdim=True, dtype=a.dtype) if p != 1 else a
            b = b.sum(second, keepdim=True, dtype=b.dtype) if q != 1 else b
        elif p != q:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {p} in dim {i} and second has "
                f"size {q} in dim {j}"
            )
        right[second] = left[first]
    shown = [x for x in left + right if (left + right).count(x) == 1]
    return steps.contract(a, b, left=tuple(left), right=tuple(right), out=tuple(shown))
