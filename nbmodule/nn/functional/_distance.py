"""Distances between vectors, and the similarity of their directions.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#distance-functions
"""

from __future__ import annotations

from operator import index

from ... import _dtypes
from ..._engine import renamed
from ..._functions.matrices import pdist
from ..._functions.shapes import broadcast_tensors
from ..._methods.linalg_checks import tensor as check_tensors
from ..._methods.linalg_norms import vector_norm
from ..._methods.pytorch_errors import pytorch_errors
from ..._tensor import Tensor
from ...autograd import no_grad
from ._checks import check_flag

__all__ = ["cosine_similarity", "pairwise_distance", "pdist"]


@pytorch_errors
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle between vectors: ``x1 · x2 / (max(‖x1‖, eps) * max(‖x2‖, eps))``.

    Each vector is divided by its length first, so that the result does not leave [-1, 1].

    Args:
        x1: (*, D, *), with D at `dim`.
        x2: a tensor that can be broadcast with `x1`.
        dim: along which the vectors lie, in the common shape.
        eps: the smallest length to divide by.

    Returns:
        the common shape without `dim`.

    Raises:
        RuntimeError: the shapes do not fit, neither tensor holds floats, or `eps` is negative.
        IndexError: there is no such dimension.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cosine_similarity.html

    Example:
        >>> import nbmodule
        >>> a = nbmodule.tensor([[1.0, 0.0], [1.0, 1.0]])
        >>> b = nbmodule.tensor([[0.0, 2.0], [3.0, 0.0]])
        >>> nbmodule.nn.functional.cosine_similarity(a, b)  # of 90 and of 45 degrees
        tensor([0.0000, 0.7071])
    """
    dim = index(dim)
    common = _dtypes.result_type(x1._array, x2._array)
    if not common.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {common.scalar_name}"
        )
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    x1, x2 = (x if x.is_floating_point() else x.to(common) for x in (x1, x2))
    if x1.shape != x2.shape:
        x1, x2 = broadcast_tensors(x1, x2)
    return (_unit(x1, dim, eps) * _unit(x2, dim, eps)).sum(dim)


def _unit(x: Tensor, dim: int, eps: float) -> Tensor:
    """Divide vectors by their lengths, of which none counts as less than `eps`; the gradient sees them as they are."""
    length = vector_norm(x, 2, dim, keepdim=True).clone()
    with no_grad():
        length.clamp_min_(eps)
    return x / length


@pytorch_errors
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:  # fmt: skip
    """Return the p-norm of ``x1 - x2 + eps`` along the last dimension.

    Args:
        x1: (N, D) or (D,)
        x2: a tensor that can be broadcast with `x1`.
        p: of the norm; may be negative.
        eps: keeps equal vectors a little apart.
        keepdim: keep the last dimension, with size 1.

    Returns:
        (N,) or (); with `keepdim` (N, 1) or (1,).

    Raises:
        RuntimeError: the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pairwise_distance.html

    Example:
        >>> import nbmodule
        >>> a, b = nbmodule.tensor([[0.0, 0.0], [1.0, 1.0]]), nbmodule.tensor([3.0, 4.0])
        >>> nbmodule.nn.functional.pairwise_distance(a, b)
        tensor([5.0000, 3.6056])
    """
    check_tensors("pairwise_distance", x1=x1, x2=x2)  # numbers would do
    check_flag(keepdim)
    apart = renamed(x1 - x2 + eps, "AddBackward1")
    return renamed(apart.norm(p, -1, keepdim), "NormBackward1")
