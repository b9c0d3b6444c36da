"""Functions of tensors that PyTorch defines in Python, under the path where it has them.

Source: https://docs.pytorch.org/docs/stable/torch.html
"""

from ._functions.coordinates import unravel_index as unravel_index
from ._functions.einsum import einsum as einsum
from ._functions.indexing import split as split
from ._functions.joining import block_diag as block_diag
from ._functions.matrices import (
    cdist as cdist,
    chain_matmul as chain_matmul,
    lu as lu,
    tensordot as tensordot,
)
from ._functions.reductions import norm as norm
from ._functions.shapes import (
    atleast_1d as atleast_1d,
    atleast_2d as atleast_2d,
    atleast_3d as atleast_3d,
    broadcast_shapes as broadcast_shapes,
    broadcast_tensors as broadcast_tensors,
    cartesian_prod as cartesian_prod,
    meshgrid as meshgrid,
)
from ._functions.sorting import unique as unique, unique_consecutive as unique_consecutive

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors",
    "cartesian_prod", "cdist", "chain_matmul", "einsum", "lu", "meshgrid", "norm", "split", "tensordot",
    "unique", "unique_consecutive", "unravel_index",
]  # fmt: skip
