"""Linear algebra: ``nbmodule.linalg``. Every function takes one matrix or batches of them.

What has complex results, such as the eigenvalues of a matrix that is not symmetric, is not here.
"""

from __future__ import annotations

from ._functions._out import EXPECTED
from ._functions._wrap import function
from ._methods import linalg_decompositions as d
from ._methods import linalg_lu as elim
from ._methods import linalg_norms as n
from ._methods import linalg_products as m
from ._methods import linalg_solving as s
from ._ops.linalg_solving import LinAlgError, _LinAlgError
from ._tensor import Tensor

NORM_OUT = "linalg.norm expected out tensor dtype {result_name} but got: {out_name}"


def _diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return the diagonal of each matrix, as `Tensor.diagonal` does."""
    return A.diagonal(offset, dim1, dim2)


inv = function(s.inv, name="linalg_inv", exact=EXPECTED)
inv_ex = function(s.inv_ex, name="linalg_inv_ex", exact=EXPECTED)
solve = function(s.solve, name="linalg_solve", exact=EXPECTED)
solve_ex = function(s.solve_ex, name="linalg_solve_ex", exact=EXPECTED)
solve_triangular = function(s.solve_triangular, name="linalg_solve_triangular", exact=EXPECTED)
det = function(s.det, name="linalg_det", exact=EXPECTED)
slogdet = function(s.slogdet, name="linalg_slogdet", exact=EXPECTED)
tensorinv = function(s.tensorinv, name="linalg_tensorinv", exact=EXPECTED)
tensorsolve = function(s.tensorsolve, name="linalg_tensorsolve", exact=EXPECTED)

cholesky = function(d.cholesky, name="linalg_cholesky")
cholesky_ex = function(d.cholesky_ex, name="linalg_cholesky_ex")
eigh = function(d.eigh, name="linalg_eigh")
eigvalsh = function(d.eigvalsh, name="linalg_eigvalsh")
svd = function(d.svd, name="linalg_svd", exact=EXPECTED)
svdvals = function(d.svdvals, name="linalg_svdvals", exact=EXPECTED)
matrix_rank = function(d.matrix_rank, name="linalg_matrix_rank")
pinv = function(d.pinv, name="linalg_pinv")
qr = function(d.qr, name="linalg_qr", exact=EXPECTED)
householder_product = function(d.householder_product, name="linalg_householder_product")
lu = function(elim.lu, name="linalg_lu", exact=EXPECTED)
lu_factor = function(elim.lu_factor, name="linalg_lu_factor", exact=EXPECTED)
lu_factor_ex = function(elim.lu_factor_ex, name="linalg_lu_factor_ex", exact=EXPECTED)
lu_solve = function(elim.lu_solve, name="linalg_lu_solve", exact=EXPECTED)
lstsq = function(elim.lstsq, name="linalg_lstsq")

norm = function(n.norm, name="linalg_norm", exact=NORM_OUT)
vector_norm = function(n.vector_norm, name="linalg_vector_norm", exact=EXPECTED)
matrix_norm = function(n.matrix_norm, name="linalg_matrix_norm", exact=EXPECTED)
cond = function(n.cond, name="linalg_cond")

multi_dot = function(m.multi_dot, name="linalg_multi_dot", exact=EXPECTED)
matrix_power = function(m.matrix_power, name="linalg_matrix_power", exact=EXPECTED)
matrix_exp = function(m.matrix_exp, name="linalg_matrix_exp")
matmul = function(Tensor.matmul, name="linalg_matmul", exact=EXPECTED)
cross = function(m.cross, name="linalg_cross", exact=EXPECTED)
vecdot = function(m.vecdot, name="linalg_vecdot", exact=EXPECTED)
vander = function(m.vander, name="linalg_vander")
diagonal = function(_diagonal, name="linalg_diagonal")

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eigh", "eigvalsh",
    "householder_product", "inv", "inv_ex", "lstsq", "lu", "lu_factor", "lu_factor_ex", "lu_solve",
    "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv",
    "qr", "slogdet", "solve", "solve_ex", "solve_triangular", "svd", "svdvals", "tensorinv",
    "tensorsolve", "vander", "vecdot", "vector_norm",
]  # fmt: skip
assert _LinAlgError is LinAlgError, "pickle finds the class by the name that PyTorch's has"
