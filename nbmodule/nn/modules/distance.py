"""Layers that say how far vectors are from each other."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The p-norm of ``x1 - x2 + eps``, vector by vector.

    Args:
        p: of the norm; may be negative.
        eps: keeps equal vectors a little apart.
        keepdim: keep the last dimension, with size 1.

    Shape:
        (N, D) or (D,), twice -> (N,) or (); with `keepdim` (N, 1) or (1,).

    Raises:
        RuntimeError: on a call, when the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.PairwiseDistance.html

    Example:
        >>> import nbmodule
        >>> a, b = nbmodule.tensor([[0.0, 0.0], [1.0, 1.0]]), nbmodule.tensor([[3.0, 4.0], [1.0, 3.0]])
        >>> nbmodule.nn.PairwiseDistance(p=1)(a, b)
        tensor([7.0000, 2.0000])
    """

    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the distances."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors: ``x1 · x2 / (max(‖x1‖, eps) * max(‖x2‖, eps))``.

    Args:
        dim: along which the vectors lie.
        eps: the smallest length to divide by.

    Shape:
        (*, D, *), twice, with D at `dim` -> (*, *)

    Raises:
        RuntimeError: on a call, when the shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CosineSimilarity.html

    Example:
        >>> import nbmodule
        >>> a, b = nbmodule.tensor([[1.0, 0.0], [1.0, 1.0]]), nbmodule.tensor([[0.0, 2.0], [1.0, 0.0]])
        >>> nbmodule.nn.CosineSimilarity()(a, b)  # of 90 and of 45 degrees
        tensor([0.0000, 0.7071])
    """

    __constants__ = ["dim", "eps"]

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the cosines."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
