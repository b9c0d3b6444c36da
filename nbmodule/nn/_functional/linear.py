"""Weighted sums of features.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

import math

from ..._engine import renamed
from ..._ops import linalg
from ..._tensor import Tensor
from .checks import first_not_a_tensor


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``input @ weight.T + bias``.

    Args:
        input: (..., in_features)
        weight: (out_features, in_features)
        bias: (out_features,) or None

    Returns:
        (..., out_features)

    Raises:
        RuntimeError: the shapes or the dtypes do not fit.
    """
    added = weight if bias is None else bias
    try:
        one_dtype = input._array.dtype == weight._array.dtype == added._array.dtype
    except AttributeError:
        raise first_not_a_tensor("linear", input=input, weight=weight, bias=added) from None
    if not one_dtype:
        raise RuntimeError(_mixed_dtypes(input, weight, bias))
    rows, filters = input._array.shape, weight._array.shape
    if len(filters) == 1 and rows and bias is None:
        return input.matmul(weight)
    if not rows or len(filters) != 2 or rows[-1] != filters[-1]:
        raise RuntimeError(_linear_text(input, weight))
    if bias is None:
        out = linalg.linear_without_bias(input, weight)
        return out if len(rows) == 2 else renamed(out, "UnsafeViewBackward0")
    if bias._array.shape not in (filters[:1], (1,)):
        return _linear_with_odd_bias(input, weight, bias)
    out = linalg.linear(bias, input, weight)
    return out if len(rows) == 2 else renamed(out, "ViewBackward0")


def _linear_with_odd_bias(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Return ``input @ weight.T + bias`` for a bias of any shape that can be broadcast."""
    *outer, in_features = input.shape
    if len(outer) != 1 and bias.dim() != 1 and bias.squeeze().dim() != 1:
        return input.matmul(weight.T).add_(bias)
    bias = bias.expand(math.prod(outer), len(weight))  # it refuses what does not fit
    if len(outer) == 1:
        return linalg.linear(bias, input, weight)
    out = linalg.linear(bias, input.reshape(-1, in_features), weight)
    return renamed(out.reshape(*outer, len(weight)), "ViewBackward0")


def _linear_text(input: Tensor, weight: Tensor) -> str:
    if input.dim() == 0 or weight.dim() != 2:
        return (
            f"both arguments to linear need to be at least 1D, but they are {input.dim()}D and "
            f"{weight.dim()}D"
        )
    rows, columns = math.prod(input.shape[:-1]), input.shape[-1]
    out_features, in_features = weight.shape
    return (
        f"mat1 and mat2 shapes cannot be multiplied ({rows}x{columns} and {in_features}x{out_features})\n"
        f"The layer takes {in_features} input features and got {columns}: was it meant to be "
        f"Linear({columns}, {out_features})?"
    )


def _mixed_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None) -> str:
    """Return what is wrong with the dtypes of the arguments of `linear`."""
    if bias is None:
        return (
            "expected m1 and m2 to have the same dtype, but got: "
            f"{input.dtype.c_name} != {weight.dtype.c_name}"
        )
    name, t = ("mat1", input) if bias.dtype == weight.dtype else ("self", bias)
    return (
        f"{name} and mat2 must have the same dtype, but got {t.dtype.scalar_name} and "
        f"{weight.dtype.scalar_name}"
    )
