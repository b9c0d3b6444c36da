"""How much is pruned, along what, and the checks of both."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from ..._functions.reductions import norm
from ..._tensor import Tensor


def _validate_pruning_amount_init(amount: Any) -> None:
    """Refuse an `amount` that is no fraction in [0, 1] and no count.

    Raises:
        TypeError: it is no number.
        ValueError: it is out of range.
    """
    if not isinstance(amount, Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if float(amount) < 0 or (float(amount) > 1 and not isinstance(amount, Integral)):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
        )


def _validate_pruning_amount(amount: float, tensor_size: int) -> None:
    """Refuse a count that is larger than `tensor_size`.

    Raises:
        ValueError: it is.
    """
    if isinstance(amount, Integral) and amount > tensor_size:
        raise ValueError(
            f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}"
        )


def _validate_structured_pruning(t: Tensor) -> None:
    """Refuse a tensor that has no channels: one of fewer than two dimensions.

    Raises:
        ValueError: it is.
    """
    if len(t.shape) <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. "
            f"Found tensor of shape {t.shape} with {len(t.shape)} dims"
        )


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> Any:
    """Return how many of `tensor_size` are pruned: `amount`, or that fraction of them."""
    return amount if isinstance(amount, Integral) else round(amount * tensor_size)


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    """Refuse a dimension that `t` does not have.

    Raises:
        IndexError: it is too large.
    """
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t: Tensor, n: Any, dim: int) -> Tensor:
    """Return the n-norm of each channel: over all dimensions but `dim`."""
    dims = list(range(t.dim()))
    dims.remove(dims[dim])
    return norm(t, p=n, dim=dims)
