"""How the losses of the elements become one: "mean", "sum", "none", or the numbers that stand for them.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

import warnings
from operator import index
from typing import Any

NONE, MEAN, SUM = 0, 1, 2
"""What functions outside of `nn.functional` call them."""

_NUMBERS = {"none": NONE, "mean": MEAN, "sum": SUM}


def get_enum(reduction: str) -> int:
    """Return the number of a reduction.

    Raises:
        ValueError: there is no such reduction.
    """
    return _NUMBERS[reduction_of(reduction, stacklevel=3)]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True, *, stacklevel: int = 2) -> str:  # fmt: skip
    """Return what the two oldest options of losses mean today, with PyTorch's warning."""
    average = size_average is None or size_average
    whole = reduce is None or reduce
    reduction = ("mean" if average else "sum") if whole else "none"
    if emit_warning:
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            stacklevel=stacklevel + 1,
        )
    return reduction


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:  # fmt: skip
    """Return the number of what the two oldest options of losses mean today."""
    return _NUMBERS[legacy_get_string(size_average, reduce, emit_warning, stacklevel=3)]


def reduction_of(reduction: str, size_average: bool | None = None, reduce: bool | None = None, *, stacklevel: int = 2) -> str:  # fmt: skip
    """Return "mean", "sum" or "none": `reduction`, unless the two oldest options are set.

    Raises:
        ValueError: `reduction` is none of them.
    """
    if size_average is not None or reduce is not None:
        return legacy_get_string(size_average, reduce, stacklevel=stacklevel + 1)
    if reduction == "mean" or reduction == "sum" or reduction == "none":
        return reduction
    if reduction == "elementwise_mean":
        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
            stacklevel=stacklevel + 1,
        )
        return "mean"
    raise ValueError(
        f"{reduction} is not a valid value for reduction\nIt is one of mean, sum and none."
    )


def number_of(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> int:
    """Return the number of `reduction`, unless the two oldest options are set; see `reduction_of`."""
    if reduction == "mean" and size_average is None and reduce is None:
        return MEAN
    return _NUMBERS[reduction_of(reduction, size_average, reduce, stacklevel=3)]


def name_of(number: int) -> str:
    """Return the reduction of this number; PyTorch reduces nothing for numbers that stand for none."""
    if number is not MEAN:
        check_number(number)
    return "mean" if number == MEAN else "sum" if number == SUM else "none"


def folded(losses: Any, reduction: int) -> Any:
    """Return the tensor `losses` itself, its mean or its sum."""
    check_number(reduction)
    return losses.mean() if reduction == MEAN else losses.sum() if reduction == SUM else losses


def check_number(reduction: int) -> None:
    if isinstance(reduction, bool) or not hasattr(reduction, "__index__"):
        raise TypeError("a reduction is a number here: 0 for none, 1 for the mean, 2 for the sum")
    index(reduction)  # a tensor may hold another number
