"""Layers that change only the shape."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Rolls the dimensions from `start_dim` to `end_dim` into one; the batch stays by default.

    Args:
        start_dim: the first dimension.
        end_dim: the last dimension.

    By default the input is (N, C, H, W), or of any other shape, and the output (N, C * H * W).

    Raises:
        IndexError: on a call, when there is no such dimension.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Flatten.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.Flatten()(nbmodule.zeros(32, 1, 5, 5)).shape
        nbmodule.Size([32, 25])
    """

    __constants__ = ["start_dim", "end_dim"]
    start_dim: int
    end_dim: int

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Return (N, C, H, W) as (N, C * H * W), by default."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Return the dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Unrolls the dimension `dim` into several of the sizes `unflattened_size`; the opposite of `Flatten`.

    Args:
        dim: the dimension.
        unflattened_size: a tuple, a list or a `Size`; one of the numbers may be -1.

    Shape:
        (*, S, *) with S in place `dim` -> (*, S1, ..., Sn, *) where ``S = S1 * ... * Sn``.

    Raises:
        TypeError: `unflattened_size` is no tuple of ints.
        RuntimeError: on a call, when the sizes do not multiply to that of the dimension.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Unflatten.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.Unflatten(1, (2, 5, 5))(nbmodule.zeros(32, 50)).shape
        nbmodule.Size([32, 2, 5, 5])
    """

    __constants__ = ["dim", "unflattened_size"]
    dim: int
    unflattened_size: Any

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self._require_tuple_int(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def _require_tuple_int(self, input: Any) -> None:
        if not isinstance(input, (tuple, list)):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(input).__name__}"
            )
        for place, element in enumerate(input):
            if not isinstance(element, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(element).__name__} at pos {place}"
                )

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with more dimensions."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
