"""What PyTorch says, once, where an older function of linear algebra is used."""

CHAIN_MATMUL = (
    "nbmodule.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
    "nbmodule.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple "
    "parameters."
)

CROSS = """Using nbmodule.cross without specifying the dim arg is deprecated.
Please either pass the dim explicitly or simply use nbmodule.linalg.cross.
The default value of dim will change to agree with that of linalg.cross in a future release."""

REVERSED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
    "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*nbmodule.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)

QR = """\
nbmodule.qr is deprecated in favor of nbmodule.linalg.qr and will be removed in a future PyTorch release.
The boolean parameter 'some' has been replaced with a string parameter 'mode'.
Q, R = nbmodule.qr(A, some)
should be replaced with
Q, R = nbmodule.linalg.qr(A, 'reduced' if some else 'complete')"""

CHOLESKY = """\
nbmodule.cholesky is deprecated in favor of nbmodule.linalg.cholesky and will be removed in a future PyTorch release.
L = nbmodule.cholesky(A)
should be replaced with
L = nbmodule.linalg.cholesky(A)
and
U = nbmodule.cholesky(A, upper=True)
should be replaced with
U = nbmodule.linalg.cholesky(A).mH
This transform will produce equivalent results for all valid (symmetric positive definite) inputs."""

LU = """\
nbmodule.lu is deprecated in favor of nbmodule.linalg.lu_factor / nbmodule.linalg.lu_factor_ex and will be removed in a future PyTorch release.
LU, pivots = nbmodule.lu(A, compute_pivots)
should be replaced with
LU, pivots = nbmodule.linalg.lu_factor(A, compute_pivots)
and
LU, pivots, info = nbmodule.lu(A, compute_pivots, get_infos=True)
should be replaced with
LU, pivots, info = nbmodule.linalg.lu_factor_ex(A, compute_pivots)"""

LU_SOLVE = """\
nbmodule.lu_solve is deprecated in favor of nbmodule.linalg.lu_solveand will be removed in a future PyTorch release.
Note that nbmodule.linalg.lu_solve has its arguments reversed.
X = nbmodule.lu_solve(B, LU, pivots)
should be replaced with
X = nbmodule.linalg.lu_solve(LU, pivots, B)"""

TRIANGULAR_SOLVE = """\
nbmodule.triangular_solve is deprecated in favor of nbmodule.linalg.solve_triangularand will be removed in a future PyTorch release.
nbmodule.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.
X = nbmodule.triangular_solve(B, A).solution
should be replaced with
X = nbmodule.linalg.solve_triangular(A, B)."""
