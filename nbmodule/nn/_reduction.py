"""How the losses of the elements become one.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

import warnings


def legacy_reduction(size_average: bool | None, reduce: bool | None, *, stacklevel: int = 3) -> str:
    """Return what the two oldest options of losses mean today, with PyTorch's warning."""
    average = size_average is None or size_average
    whole = reduce is None or reduce
    reduction = ("mean" if average else "sum") if whole else "none"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
        stacklevel=stacklevel,
    )
    return reduction


def reduction_of(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:  # fmt: skip
    """Return "mean", "sum" or "none": `reduction`, unless the two oldest options are set.

    Raises:
        ValueError: `reduction` is none of them.
    """
    if size_average is not None or reduce is not None:
        return legacy_reduction(size_average, reduce, stacklevel=4)
    if reduction == "elementwise_mean":
        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
            stacklevel=3,
        )
        return "mean"
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(
            f"{reduction} is not a valid value for reduction\nIt is one of mean, sum and none."
        )
    return reduction
