"""Linear algebra: ``nbmodule.linalg``. Every function takes one matrix or batches of them.

What has complex results, such as the eigenvalues of a matrix that is not symmetric, is not here.
"""

from __future__ import annotations

from ._functions._published import published
from ._methods import linalg_decompositions as d
from ._methods import linalg_lu as elim
from ._methods import linalg_norms as n
from ._methods import linalg_products as m
from ._methods import linalg_solving as s
from ._ops.solve import LinAlgError, _LinAlgError
from ._tensor import Tensor

NORM_OUT = "linalg.norm expected out tensor dtype {result_name} but got: {out_name}"


def _diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return the diagonal of each matrix, as `Tensor.diagonal` does."""
    return A.diagonal(offset, dim1, dim2)


inv = published(s.inv, "linalg_inv")
inv_ex = published(s.inv_ex, "linalg_inv_ex")
solve = published(s.solve, "linalg_solve")
solve_ex = published(s.solve_ex, "linalg_solve_ex")
solve_triangular = published(s.solve_triangular, "linalg_solve_triangular")
det = published(s.det, "linalg_det")
slogdet = published(s.slogdet, "linalg_slogdet")
tensorinv = published(s.tensorinv, "linalg_tensorinv")
tensorsolve = published(s.tensorsolve, "linalg_tensorsolve")

cholesky = published(d.cholesky, "linalg_cholesky", exact="")
cholesky_ex = published(d.cholesky_ex, "linalg_cholesky_ex", exact="")
eigh = published(d.eigh, "linalg_eigh", exact="")
eigvalsh = published(d.eigvalsh, "linalg_eigvalsh", exact="")
svd = published(d.svd, "linalg_svd")
svdvals = published(d.svdvals, "linalg_svdvals")
matrix_rank = published(d.matrix_rank, "linalg_matrix_rank", exact="", forms=True)
pinv = published(d.pinv, "linalg_pinv", exact="", forms=True)
qr = published(d.qr, "linalg_qr")
householder_product = published(d.householder_product, "linalg_householder_product", exact="")
lu = published(elim.lu, "linalg_lu")
lu_factor = published(elim.lu_factor, "linalg_lu_factor")
lu_factor_ex = published(elim.lu_factor_ex, "linalg_lu_factor_ex")
lu_solve = published(elim.lu_solve, "linalg_lu_solve")
lstsq = published(elim.lstsq, "linalg_lstsq", exact="")

norm = published(n.norm, "linalg_norm", exact=NORM_OUT, forms=True)
vector_norm = published(n.vector_norm, "linalg_vector_norm")
matrix_norm = published(n.matrix_norm, "linalg_matrix_norm", forms=True)
cond = published(n.cond, "linalg_cond", exact="", forms=True)

multi_dot = published(m.multi_dot, "linalg_multi_dot")
matrix_power = published(m.matrix_power, "linalg_matrix_power")
matrix_exp = published(m.matrix_exp, "linalg_matrix_exp", out=False)
matmul = published(Tensor.matmul, "linalg_matmul")
cross = published(m.cross, "linalg_cross")
vecdot = published(m.vecdot, "linalg_vecdot")
vander = published(m.vander, "linalg_vander", out=False)
diagonal = published(_diagonal, "linalg_diagonal", out=False)

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eigh", "eigvalsh",
    "householder_product", "inv", "inv_ex", "lstsq", "lu", "lu_factor", "lu_factor_ex", "lu_solve",
    "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv",
    "qr", "slogdet", "solve", "solve_ex", "solve_triangular", "svd", "svdvals", "tensorinv",
    "tensorsolve", "vander", "vecdot", "vector_norm",
]  # fmt: skip
assert _LinAlgError is LinAlgError, "pickle finds the class by the name that PyTorch's has"
