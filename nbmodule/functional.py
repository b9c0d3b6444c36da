"""Functions of tensors that PyTorch defines in Python, under the path where it has them.

Source: https://docs.pytorch.org/docs/stable/torch.html
"""

from ._functions.coordinates import unravel_index
from ._functions.einsum import einsum
from ._functions.indexing import split
from ._functions.joining import block_diag
from ._functions.matrices import cdist, chain_matmul, lu, tensordot
from ._functions.reductions import norm
from ._functions.shapes import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_shapes,
    broadcast_tensors,
    cartesian_prod,
    meshgrid,
)
from ._functions.sorting import unique, unique_consecutive

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors",
    "cartesian_prod", "cdist", "chain_matmul", "einsum", "lu", "meshgrid", "norm", "split", "tensordot",
    "unique", "unique_consecutive", "unravel_index",
]  # fmt: skip
